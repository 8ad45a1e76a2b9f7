// SPDX-License-Identifier: BSD-2-Clause
//
// The AV1 in-loop filters: kernels against the scalar reference, the reference against dav1d's functions, C and SIMD.
#include "reference/av1_filters.h"
#include "av1/dispatch.h"
#include "catch.h"
#include "kernels/av1_dav1d.h"
#include "kernels/av1_random.h"
#include "kernels/test_device.h"
#include "vulkan/gpu.h"

#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

struct Shape {
    unsigned width, height;
};
constexpr Shape kShapes[] = {{1, 1},    {8, 8},     {16, 65},   {17, 39},   {64, 64},
                             {130, 57}, {200, 121}, {226, 226}, {321, 130}, {520, 72}};

struct Layout {
    std::uint8_t ss_h, ss_v, planes;
};
constexpr Layout kLayouts[] = {{1, 1, 1}, {1, 1, 3}, {1, 0, 3}, {0, 0, 3}};

PictureFormat format_of(Shape shape, Layout layout, unsigned depth) {
    return {shape.width, shape.height, static_cast<std::uint8_t>(depth), layout.ss_h, layout.ss_v, layout.planes};
}

template <typename Check>
void for_all_formats(Check check) {
    for (const unsigned depth : {8u, 10u, 12u})
        for (const Layout layout : kLayouts)
            for (const Shape shape : kShapes)
                check(format_of(shape, layout, depth));
}

std::string text(const PictureFormat &f) {
    return std::to_string(f.width) + "x" + std::to_string(f.height) + " " + std::to_string(f.bit_depth) + " bits, " +
           std::to_string(f.planes) + " planes, " + std::to_string(f.ss_h) + std::to_string(f.ss_v);
}

Av1Batch batch_of(const Av1RandomFrame &frame) {
    Av1Batch batch;
    batch.dst = frame.layout;
    REQUIRE(batch.filters.set(frame.layout, frame.tables));
    return batch;
}

// The visible pixels of all planes are what counts: what is beyond doesn't count.
bool same_pixels(const PictureLayout &layout, const std::uint8_t *a, const std::uint8_t *b) {
    for (unsigned p = 0; p < layout.format.planes; p++)
        for (unsigned y = 0; y < layout.plane[p].height; y++) {
            const std::size_t at = layout.plane[p].offset + std::size_t{y} * layout.plane[p].stride;
            const std::size_t bytes = std::size_t{layout.plane[p].width} * layout.bytes_per_pixel();
            if (std::memcmp(a + at, b + at, bytes) != 0) {
                std::size_t i = 0;
                while (a[at + i] == b[at + i])
                    i++;
                UNSCOPED_INFO("plane " << p << ", row " << y << ", byte " << i << " of the row");
                return false;
            }
        }
    return true;
}

// ---- the GPU --------------------------------------------------------------------------------------------

std::unique_ptr<GpuPicture> new_picture(const PictureLayout &layout) {
    std::unique_ptr<GpuPicture> picture;
    REQUIRE(open_gpu()->make_picture(layout, picture).result == 0);
    return picture;
}

PictureLayout scratch_layout(const PictureLayout &layout) {
    PictureLayout scratch = layout;
    scratch.size = av1_scratch_bytes(layout);
    return scratch;
}

std::vector<std::uint8_t> run_on_gpu(const Av1Batch &batch, const std::vector<std::uint8_t> &pixels) {
    const auto dst = new_picture(batch.dst), a = new_picture(scratch_layout(batch.dst)),
               b = new_picture(scratch_layout(batch.dst));
    std::memcpy(dst->data(), pixels.data(), pixels.size());
    PhaseWork work;
    plan_av1_filter(batch, work);
    CHECK(work.dispatches.size() <= kAv1FilterDispatches);
    for (Dispatch &dispatch : work.dispatches) // workgroups without work, as where they are counted in two dimensions
        dispatch.groups_y++;
    GpuJob job(open_gpu());
    REQUIRE(job.begin({nullptr, &work}).result == 0);
    write_av1_filter(batch, work, job.upload(1));
    GpuJobInput input;
    input.dst = dst.get();
    input.ref[kAv1ScratchA] = a.get();
    input.ref[kAv1ScratchB] = b.get();
    run_without_tables(job, input);
    const auto *out = reinterpret_cast<const std::uint8_t *>(dst->data());
    return {out, out + batch.dst.size};
}

void check_kernels(unsigned stages, Pixels kind) {
    Random random(Catch::rngSeed() + stages);
    for_all_formats([&](const PictureFormat &format) {
        const Av1RandomFrame frame = random_frame(random, format, kind, stages);
        const Av1Batch batch = batch_of(frame);
        if (!batch.filters.any())
            return;
        std::vector<std::uint8_t> expected = frame.pixels;
        reference::run_av1_filters(batch, expected.data());
        const std::vector<std::uint8_t> got = run_on_gpu(batch, frame.pixels);
        INFO(text(format));
        CHECK(same_pixels(batch.dst, expected.data(), got.data()));
        // Nothing before the first pixel and after the last plane may change.
        const std::size_t slack = batch.dst.plane[0].offset;
        CHECK(std::equal(frame.pixels.begin(), frame.pixels.begin() + static_cast<std::ptrdiff_t>(slack), got.begin()));
        CHECK(std::equal(frame.pixels.end() - 64, frame.pixels.end(), got.end() - 64));
    });
}

// ---- dav1d ----------------------------------------------------------------------------------------------

// dav1d's SIMD wants rows that are aligned to a cache line.
struct alignas(64) Line {
    std::array<std::uint8_t, 64> bytes;
};

struct Planes {
    std::vector<Line> lines;
    PictureLayout layout;
    explicit Planes(const Av1RandomFrame &frame) : lines((frame.pixels.size() + 63) / 64), layout(frame.layout) {
        std::memcpy(lines.data(), frame.pixels.data(), frame.pixels.size());
    }
    std::uint8_t *bytes() { return lines.data()->bytes.data(); }
    TestPlane plane(unsigned p, bool whole_blocks) {
        const unsigned ss_h = p ? layout.format.ss_h : 0, ss_v = p ? layout.format.ss_v : 0;
        const unsigned w = whole_blocks ? (layout.format.width + 7) / 8 * 8 >> ss_h : layout.plane[p].width;
        const unsigned h = whole_blocks ? (layout.format.height + 7) / 8 * 8 >> ss_v : layout.plane[p].height;
        return {bytes() + layout.plane[p].offset, static_cast<std::ptrdiff_t>(layout.plane[p].stride),
                static_cast<int>(w), static_cast<int>(h)};
    }
};

void dav1d_deblock_plane(int simd, const Av1RandomFrame &frame, unsigned p, unsigned dir, Planes &out) {
    const PictureFormat &format = frame.layout.format;
    const unsigned ss_h = p ? format.ss_h : 0, ss_v = p ? format.ss_v : 0;
    const unsigned cols = ((format.width + 3) / 4 + ss_h) >> ss_h, rows = ((format.height + 3) / 4 + ss_v) >> ss_v;
    const unsigned sb_cols = (format.width + 127) / 128;
    const auto *halves = reinterpret_cast<const std::uint16_t *>(frame.superblocks.data());
    const auto *levels = reinterpret_cast<const std::uint8_t(*)[4]>(frame.levels.data());
    const TestPlane plane = out.plane(p, true);
    const unsigned sizes = p ? 2 : 3, along_ss = dir ? ss_h : ss_v;
    for (unsigned y0 = 0; y0 < rows; y0 += 32 >> ss_v)
        for (unsigned x0 = 0; x0 < cols; x0 += 32 >> ss_h) {
            const unsigned sb = (y0 >> (5 - ss_v)) * sb_cols + (x0 >> (5 - ss_h));
            const std::uint16_t *masks =
                halves + std::size_t{sb} * DD_AV1_SB_WORDS * 2 + (p ? DD_AV1_SB_CHROMA * 2 : 0) + dir * 32 * sizes * 2;
            const unsigned w = std::min(cols - x0, 32u >> ss_h), h = std::min(rows - y0, 32u >> ss_v);
            for (unsigned i = 0; i < (dir ? h : w); i++) {
                if (!i && !(dir ? y0 : x0))
                    continue;
                std::uint32_t mask[4] = {};
                for (unsigned s = 0; s < sizes; s++)
                    mask[s] = masks[(i * sizes + s) * 2] | std::uint32_t{masks[(i * sizes + s) * 2 + 1]}
                                                               << (16 >> along_ss);
                const unsigned length = dir ? w : h;
                for (std::uint32_t &m : mask)
                    m &= length < 32 ? (1u << length) - 1 : ~0u;
                const unsigned x4 = x0 + (dir ? 0 : i), y4 = y0 + (dir ? i : 0);
                const auto *level = levels + std::size_t{y4} * frame.tables.level_stride + x4;
                const unsigned byte = p ? p + 1 : dir;
                test_deblock_line(simd, format.bit_depth, p != 0, static_cast<int>(dir),
                                  plane.data + static_cast<std::ptrdiff_t>(y4 * 4) * plane.stride +
                                      x4 * 4 * frame.layout.bytes_per_pixel(),
                                  plane.stride, mask, reinterpret_cast<const std::uint8_t(*)[4]>(&(*level)[byte]),
                                  frame.tables.level_stride, static_cast<int>(frame.tables.sharpness),
                                  static_cast<int>(length));
            }
        }
}

Planes dav1d_deblock(int simd, const Av1RandomFrame &frame, const Av1Filters &filters) {
    Planes out(frame);
    for (unsigned p = 0; p < frame.layout.format.planes; p++)
        if (filters.params().deblock & (p ? DD_AV1_DEBLOCK_CHROMA : DD_AV1_DEBLOCK_LUMA))
            for (unsigned dir = 0; dir < 2; dir++)
                dav1d_deblock_plane(simd, frame, p, dir, out);
    return out;
}

unsigned adjusted(unsigned pri, unsigned variance) {
    if (!variance)
        return 0;
    unsigned steps = 0;
    while (steps < 12 && variance >> (7 + steps))
        steps++;
    return (pri * (4 + steps) + 8) >> 4;
}

void dav1d_cdef_block(int simd, const Av1RandomFrame &frame, Planes &in, Planes &out, unsigned x8, unsigned y8) {
    const PictureFormat &format = frame.layout.format;
    const std::uint32_t *sb =
        frame.superblocks.data() + ((y8 >> 4) * ((format.width + 127) / 128) + (x8 >> 4)) * DD_AV1_SB_WORDS;
    const int index =
        static_cast<std::int8_t>(sb[DD_AV1_SB_CDEF] >> (8 * (((y8 >> 3) & 1) * 2 + ((x8 >> 3) & 1))) & 255);
    if (index < 0 || !(sb[DD_AV1_SB_CODED + (y8 & 15)] >> (2 * (x8 & 15)) & 3))
        return;
    const unsigned depth = format.bit_depth - 8u;
    for (unsigned p = 0; p < format.planes; p++) {
        const unsigned strength = p ? frame.tables.cdef_chroma[static_cast<unsigned>(index)]
                                    : frame.tables.cdef_luma[static_cast<unsigned>(index)];
        unsigned pri = (strength >> 2) << depth;
        const unsigned sec = ((strength & 3) == 3 ? 4 : strength & 3) << depth;
        int dir = 0;
        if (pri) {
            unsigned variance = 0;
            const TestPlane luma = in.plane(0, true);
            dir = test_cdef_direction(simd, format.bit_depth,
                                      luma.data + static_cast<std::ptrdiff_t>(y8 * 8) * luma.stride +
                                          x8 * 8 * frame.layout.bytes_per_pixel(),
                                      luma.stride, &variance);
            if (!p)
                pri = adjusted(pri, variance);
            else if (format.ss_h != format.ss_v)
                dir = "\7\0\2\4\5\6\6\6"[dir];
        }
        if (!pri && !sec)
            continue;
        const unsigned w = 8 >> (p ? format.ss_h : 0), h = 8 >> (p ? format.ss_v : 0);
        const TestPlane from = in.plane(p, true), to = out.plane(p, true);
        test_cdef_block(simd, format.bit_depth,
                        h == 4   ? 2
                        : w == 4 ? 1
                                 : 0,
                        &from, &to, static_cast<int>(x8 * w), static_cast<int>(y8 * h), static_cast<int>(pri),
                        static_cast<int>(sec), dir, static_cast<int>(frame.tables.cdef_damping + depth - (p ? 1 : 0)));
    }
}

Planes dav1d_cdef(int simd, const Av1RandomFrame &frame, Planes &in) {
    Planes out = in;
    for (unsigned y8 = 0; frame.tables.cdef && y8 * 8 < frame.layout.format.height; y8++)
        for (unsigned x8 = 0; x8 * 8 < frame.layout.format.width; x8++)
            dav1d_cdef_block(simd, frame, in, out, x8, y8);
    return out;
}

void dav1d_restore_plane(int simd, const Av1RandomFrame &frame, unsigned p, Planes &deblocked, Planes &filtered,
                         Planes &out) {
    const Av1PlaneUnits &units = frame.tables.restoration[p];
    const int ss_v = p ? frame.layout.format.ss_v : 0;
    const TestPlane before = deblocked.plane(p, false), in = filtered.plane(p, false), to = out.plane(p, false);
    for (int first = 0, stripe = 0; first < in.height; stripe++) {
        const int end = std::min(in.height, ((stripe + 1) * 64 - 8) >> ss_v);
        const unsigned row = std::min(units.rows - 1, static_cast<unsigned>(stripe * 64 >> ss_v) >> units.log2);
        for (unsigned col = 0; col < units.cols; col++) {
            const Av1RestorationUnit &u = units.units[std::size_t{row} * units.cols + col];
            if (u.kind == DD_AV1_UNIT_NONE)
                continue;
            TestUnit unit{};
            unit.wiener = u.kind == DD_AV1_UNIT_WIENER;
            unit.set = u.set;
            std::copy(u.horizontal.begin(), u.horizontal.end(), unit.horizontal);
            std::copy(u.vertical.begin(), u.vertical.end(), unit.vertical);
            std::copy(u.weight.begin(), u.weight.end(), unit.weight);
            const int x = static_cast<int>(col << units.log2);
            const int width = col + 1 == units.cols ? in.width - x : 1 << units.log2;
            test_restore_stripe(simd, frame.layout.format.bit_depth, &unit, &before, &in, &to, x, width, first,
                                end - 1);
        }
        first = end;
    }
}

Planes dav1d_restore(int simd, const Av1RandomFrame &frame, Planes &deblocked, Planes &filtered) {
    Planes out = filtered;
    for (unsigned p = 0; p < frame.layout.format.planes; p++)
        if (!frame.tables.restoration[p].units.empty())
            dav1d_restore_plane(simd, frame, p, deblocked, filtered, out);
    return out;
}

void check_reference(unsigned stages, Pixels kind) {
    Random random(Catch::rngSeed() + 16 + stages);
    for_all_formats([&](const PictureFormat &format) {
        const Av1RandomFrame frame = random_frame(random, format, kind, stages);
        const Av1Batch batch = batch_of(frame);
        std::vector<std::uint8_t> expected = frame.pixels;
        reference::run_av1_filters(batch, expected.data());
        for (int simd = 0; simd < 2; simd++) {
            Planes deblocked = dav1d_deblock(simd, frame, batch.filters);
            Planes filtered = dav1d_cdef(simd, frame, deblocked);
            Planes restored = dav1d_restore(simd, frame, deblocked, filtered);
            INFO((simd ? "SIMD, " : "C, ") << text(format));
            CHECK(same_pixels(frame.layout, expected.data(), restored.bytes()));
        }
    });
}

constexpr Pixels kPixels[] = {Pixels::noise, Pixels::smooth, Pixels::extreme};

} // namespace

TEST_CASE("AV1 deblocking: the reference is dav1d's") {
    for (const Pixels kind : kPixels)
        check_reference(1, kind);
}
TEST_CASE("AV1 CDEF: the reference is dav1d's") {
    for (const Pixels kind : kPixels)
        check_reference(2, kind);
}
TEST_CASE("AV1 loop restoration: the reference is dav1d's") {
    for (const Pixels kind : kPixels)
        check_reference(4, kind);
}
TEST_CASE("AV1 in-loop filters together: the reference is dav1d's") {
    check_reference(7, Pixels::smooth);
}

TEST_CASE("AV1 deblocking: kernels are the reference") {
    for (const Pixels kind : kPixels)
        check_kernels(1, kind);
}
TEST_CASE("AV1 CDEF: kernels are the reference") {
    for (const Pixels kind : kPixels)
        check_kernels(2, kind);
}
TEST_CASE("AV1 loop restoration: kernels are the reference") {
    for (const Pixels kind : kPixels)
        check_kernels(4, kind);
}
TEST_CASE("AV1 in-loop filters together: kernels are the reference") {
    for (unsigned stages = 3; stages < 8; stages++)
        check_kernels(stages, Pixels::smooth);
}
