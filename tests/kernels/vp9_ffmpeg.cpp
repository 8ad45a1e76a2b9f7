// SPDX-License-Identifier: BSD-2-Clause
//
// Recorder and scalar reference against FFmpeg's own functions, C and SIMD: the same calls, made directly. With
// vp9_kernels.cpp this chains every kernel to FFmpeg.
#include "catch.h"
#include "kernels/vp9_ffmpeg_dsp.h"
#include "kernels/vp9_random.h"
#include "reference/pixels.h"
#include "reference/vp9_reference.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace dd;
using namespace dd::test;

namespace {

std::uint8_t *at(const PictureLayout &layout, HostPicture &picture, unsigned plane, unsigned x, unsigned y) {
    const PlaneLayout &p = layout.plane[plane];
    return reinterpret_cast<std::uint8_t *>(picture.data()) + p.offset + std::size_t{y} * p.stride +
           std::size_t{x} * layout.bytes_per_pixel();
}

// The pixels that a prediction may read, edges extended as FFmpeg's decoder does before it calls a function. SIMD reads
// some more and drops it: that is left as it is.
struct Source {
    static constexpr int kStride = 320, kRows = 160, kBefore = 16, kAfter = 16;
    alignas(64) std::uint8_t pixels[kRows * kStride * 2];

    Source(const PictureLayout &layout, const HostPicture &ref, const Vp9Prediction &p) {
        const reference::Plane from(layout, p.plane, ref.data());
        const unsigned bytes = layout.bytes_per_pixel();
        const int x = p.src_x >> 4, y = p.src_y >> 4;
        const int rows = std::min<int>(kRows, kBefore + extent(p.h, p.step_y) + kAfter);
        const int columns = std::min<int>(kStride, kBefore + extent(p.w, p.step_x) + kAfter);
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++) {
                const auto value = static_cast<std::uint16_t>(from.at_clamped(x - kBefore + column, y - kBefore + row));
                std::memcpy(pixels + (row * kStride + column) * static_cast<int>(bytes), &value, bytes);
            }
    }
    static int extent(unsigned size, unsigned step) { return static_cast<int>((size * step >> 4) + 1); }
    const std::uint8_t *first(unsigned bytes) const { return pixels + (kBefore * kStride + kBefore) * bytes; }
};

void predict(const TestVp9Dsp *dsp, const RandomFrame &frame, const Vp9Prediction &p, HostPicture &out) {
    const unsigned bytes = frame.layout.bytes_per_pixel();
    const Source source(frame.ref_layout[p.ref], frame.ref[p.ref], p);
    const TestVp9Mc mc{static_cast<int>(p.filter),
                       p.second,
                       static_cast<int>(p.w),
                       static_cast<int>(p.h),
                       p.src_x & 15,
                       p.src_y & 15,
                       static_cast<int>(p.step_x),
                       static_cast<int>(p.step_y)};
    test_vp9_mc(dsp, &mc, at(frame.layout, out, p.plane, p.x, p.y), frame.layout.plane[p.plane].stride,
                source.first(bytes), Source::kStride * bytes);
}

void add(const TestVp9Dsp *dsp, const RandomFrame &frame, const RandomResidual &r, HostPicture &out) {
    alignas(64) std::byte block[32 * 32 * 4];
    std::memcpy(block, r.coefs.data(), r.coefs.size());
    test_vp9_residual(dsp, static_cast<int>(r.call.kind), at(frame.layout, out, r.call.plane, r.call.x, r.call.y),
                      frame.layout.plane[r.call.plane].stride, block, static_cast<int>(r.call.eob));
}

TestVp9Picture whole_picture(const RandomFrame &frame, HostPicture &out) {
    TestVp9Picture picture{};
    for (unsigned p = 0; p < 3; p++) {
        picture.data[p] = at(frame.layout, out, p, 0, 0);
        picture.stride[p] = frame.layout.plane[p].stride;
    }
    picture.bytes_per_pixel = static_cast<int>(frame.layout.bytes_per_pixel());
    picture.ss_h = frame.layout.format.ss_h;
    picture.ss_v = frame.layout.format.ss_v;
    return picture;
}

// Capacity for what an intra block has in a plane; all of it is zero for a plane without residual.
struct IntraResidual {
    alignas(64) std::byte coefs[64 * 64 * 4];
    std::uint8_t eobs[16 * 16];

    void fill(const std::vector<std::byte> &drawn_coefs, const std::vector<std::byte> &drawn_eobs) {
        std::memset(eobs, 0, sizeof(eobs));
        std::copy(drawn_coefs.begin(), drawn_coefs.end(), coefs);
        std::transform(drawn_eobs.begin(), drawn_eobs.end(), eobs,
                       [](std::byte b) { return static_cast<std::uint8_t>(b); });
    }
};

TestVp9IntraBlock intra_block(const RandomIntraBlock &from, std::array<IntraResidual, 3> &residual) {
    const DdVp9IntraBlock &call = from.call;
    const auto in8 = [](unsigned pixels) { return static_cast<int>(pixels / 8); };
    TestVp9IntraBlock block{};
    block.col = in8(call.residuals.x);
    block.row = in8(call.residuals.y);
    block.columns = in8(from.width);
    block.rows = in8(from.height);
    block.tile_col_start = in8(from.tile_left);
    block.quarters = call.quarters;
    block.tx = static_cast<int>(call.residuals.kind[0]);
    block.uvtx = static_cast<int>(call.residuals.kind[1]);
    std::copy(std::begin(call.mode), std::end(call.mode), block.mode);
    block.uvmode = call.chroma_mode;
    for (unsigned p = 0; p < 3; p++) {
        residual[p].fill(from.coefs[p], from.eobs[p]);
        block.coefs[p] = residual[p].coefs;
        block.eobs[p] = residual[p].eobs;
    }
    return block;
}

void their_intra(const TestVp9Dsp *dsp, const RandomFrame &frame, HostPicture &out) {
    const PictureFormat &format = frame.layout.format;
    const TestVp9Picture picture = whole_picture(frame, out);
    std::vector<TestVp9IntraBlock> blocks;
    std::vector<std::array<IntraResidual, 3>> residuals(frame.intra.size());
    for (std::size_t i = 0; i < frame.intra.size(); i++)
        blocks.push_back(intra_block(frame.intra[i], residuals[i]));
    REQUIRE(test_vp9_intra(dsp, &picture, static_cast<int>((format.width + 7) / 8),
                           static_cast<int>((format.height + 7) / 8), format.bit_depth, blocks.data(),
                           blocks.size()) == 0);
}

void filter(const TestVp9Dsp *dsp, const RandomFrame &frame, HostPicture &out) {
    const TestVp9Picture picture = whole_picture(frame, out);
    REQUIRE(test_vp9_loop_filter(
                dsp, &picture, frame.superblocks.data(), static_cast<int>(frame.layout.format.width + 63) / 64,
                static_cast<int>(frame.layout.format.height + 63) / 64, frame.limit.data(), frame.mblimit.data()) == 0);
}

// What a decoder may look at: whole blocks of 8x8 luma pixels. SIMD may write more to their right and below.
std::string first_difference(const PictureLayout &layout, const HostPicture &a, const HostPicture &b) {
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const reference::Plane one(layout, p, a.data()), other(layout, p, b.data());
        const unsigned ss_h = p ? layout.format.ss_h : 0, ss_v = p ? layout.format.ss_v : 0;
        const int width = static_cast<int>((layout.format.width + 7) / 8 * 8 >> ss_h);
        const int height = static_cast<int>((layout.format.height + 7) / 8 * 8 >> ss_v);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                if (one.at(x, y) != other.at(x, y))
                    return "plane " + std::to_string(p) + " x " + std::to_string(x) + " y " + std::to_string(y) + ": " +
                           std::to_string(one.at(x, y)) + ", FFmpeg " + std::to_string(other.at(x, y));
    }
    return "none";
}

constexpr std::array<std::uint32_t, 2> kSizes[] = {{2, 2}, {34, 10}, {66, 130}, {226, 226}, {352, 288}};
constexpr std::array<std::uint8_t, 2> kSubsampling[] = {{1, 1}, {1, 0}, {0, 1}, {0, 0}};
constexpr Content kContents[] = {Content::noise, Content::smooth, Content::extreme};

// With DAEDALUS_SPREAD=N one of N combinations, by chance: emulated processors are slow.
bool chosen(Random &random) {
    static const char *const spread = std::getenv("DAEDALUS_SPREAD");
    return !spread || random() % std::max(1UL, std::strtoul(spread, nullptr, 0)) == 0;
}

// Frames of every depth, subsampling, size and content; `ours` and `theirs` work on the same start.
template <typename Add, typename Ours, typename Theirs>
void compare(bool scaled, Add add_calls, Ours ours, Theirs theirs) {
    Random random(seed());
    for (const std::uint8_t depth : {std::uint8_t{8}, std::uint8_t{10}, std::uint8_t{12}})
        for (const auto &ss : kSubsampling)
            for (const auto &size : kSizes)
                for (const Content content : kContents) {
                    if (!chosen(random))
                        continue;
                    RandomFrame frame =
                        make_frame(random, {{size[0], size[1], depth, ss[0], ss[1], 3}, content, scaled, 2});
                    add_calls(random, frame);
                    HostPicture mine(frame.layout);
                    mine.copy_from(frame.start);
                    ours(frame, mine);
                    for (const int simd : {0, 1}) {
                        HostPicture other(frame.layout);
                        other.copy_from(frame.start);
                        const TestVp9Dsp *dsp = test_vp9_dsp(depth, simd);
                        REQUIRE(dsp);
                        theirs(dsp, frame, other);
                        CAPTURE(size[0], size[1], +depth, +ss[0], +ss[1], static_cast<int>(content), simd);
                        CHECK(first_difference(frame.layout, mine, other) == "none");
                    }
                }
}

void our_predictions(const RandomFrame &frame, HostPicture &out) {
    reference::run_predictions(frame.batch, out.data(),
                               {frame.ref[0].data(), frame.ref[1].data(), frame.ref[2].data()});
}
void their_predictions(const TestVp9Dsp *dsp, const RandomFrame &frame, HostPicture &out) {
    for (const Vp9Prediction &p : frame.predictions)
        predict(dsp, frame, p, out);
}

// An intra block with a single transform block of luma, that has the first `eob` coefficients of a scan.
struct OneTransform {
    DdVp9IntraBlock call{};
    std::vector<std::int16_t> coefs = std::vector<std::int16_t>(32 * 32);
    std::uint16_t eob;

    OneTransform(unsigned size, unsigned mode, const std::int16_t *scan, unsigned eob_)
        : eob(static_cast<std::uint16_t>(eob_)) {
        DdVp9Residuals &r = call.residuals;
        r.w4 = r.h4 = 1u << size;
        r.kind[0] = size;
        call.mode[0] = static_cast<std::uint8_t>(mode);
        for (unsigned i = 0; i < eob; i++)
            coefs[static_cast<std::size_t>(scan[i])] = 1;
    }
    // With nothing left.
    bool taken(Vp9Recorder &recorder) const {
        DdVp9IntraBlock block = call;
        std::vector<std::int16_t> from = coefs;
        const auto narrow = static_cast<std::uint8_t>(eob);
        block.residuals.eobs[0] = call.residuals.kind[0] > 1 ? static_cast<const void *>(&eob) : &narrow;
        block.residuals.coefs[0] = from.data();
        return recorder.intra_block(block) && std::ranges::count(from, 0) == std::ssize(from);
    }
};

} // namespace

TEST_CASE("VP9 predictions equal FFmpeg's") {
    compare(false, add_predictions, our_predictions, their_predictions);
}

TEST_CASE("VP9 predictions from references of another size equal FFmpeg's") {
    compare(true, add_predictions, our_predictions, their_predictions);
}

TEST_CASE("VP9 residuals that are recorded equal FFmpeg's") {
    compare(
        false, add_residuals,
        [](const RandomFrame &frame, HostPicture &out) { reference::run_residuals(frame.batch, out.data()); },
        [](const TestVp9Dsp *dsp, const RandomFrame &frame, HostPicture &out) {
            for (const RandomResidual &r : frame.residuals)
                add(dsp, frame, r, out);
        });
}

TEST_CASE("VP9 intra blocks that are recorded equal FFmpeg's") {
    compare(
        false, add_intra,
        [](const RandomFrame &frame, HostPicture &out) { reference::run_intra(frame.batch, out.data()); }, their_intra);
}

// Coefficients that a corner didn't have would stay behind.
TEST_CASE("VP9 intra blocks are taken with all coefficients up to the last one of FFmpeg's scan") {
    const PictureLayout layout = make_picture_layout({64, 64, 8, 1, 1, 3}, 64);
    Vp9Recorder recorder;
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++)
        for (unsigned mode = 0; mode < DD_INTRA_MODES; mode++) {
            const std::int16_t *scan = test_vp9_scan(static_cast<int>(size), static_cast<int>(mode));
            for (unsigned eob = 1; eob <= 16u << (2 * size); eob++) {
                const OneTransform block(size, mode, scan, eob);
                recorder.reset(layout, {});
                CAPTURE(size, mode, eob);
                REQUIRE(block.taken(recorder));
            }
        }
}

TEST_CASE("VP9 loop filter equals FFmpeg's") {
    compare(
        false, add_loop_filter,
        [](const RandomFrame &frame, HostPicture &out) { reference::run_loop_filter(frame.batch, out.data()); },
        filter);
}
