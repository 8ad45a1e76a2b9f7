// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/dispatch.h"

#include "vp9/filter_lines.h"
#include "vp9/intra_dispatch.h"
#include "vp9/parts.h"
#include "vp9/prediction_dispatch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace dd {

unsigned kernel_of(VpKernel kernel, unsigned bit_depth) {
    static constexpr const char *names[kKernels] = {"mc",    "mc_pair", "scaled_mc", "itx_dc",       "itx4",
                                                    "itx8",  "itx16",   "itx32",     "wht",          "intra_itx",
                                                    "intra", "lf",      "lf_inner",  "lf_superblock"};
    static const auto table = [] {
        std::array<std::array<unsigned, kKernels>, 3> all{};
        for (unsigned depth = 0; depth < 3; depth++)
            for (unsigned k = 0; k < kKernels; k++)
                all[depth][k] = kernel_index(std::string("vp9_") + names[k] + "_" + std::to_string(8 + 2 * depth));
        return all;
    }();
    return table[(bit_depth - 8) / 2][kernel];
}

DdPlanes planes_of(const PictureLayout &layout) {
    DdPlanes planes{};
    for (unsigned p = 0; p < layout.format.planes; p++)
        planes.offset[p] = layout.plane[p].offset / 4;
    planes.stride[0] = layout.plane[0].stride / 4;
    planes.stride[1] = layout.plane[1].stride / 4;
    return planes;
}

namespace {

// As kernels/vp9/itx.comp has it, which is not for 8x8 with 8 bits; the others have no barriers.
constexpr unsigned lanes_a_group(VpKernel kernel, unsigned bit_depth) {
    if ((kernel != kItx8 || bit_depth == 8) && kernel != kItx16 && kernel != kItx32)
        return kLanes;
    return kernel == kItx32 && bit_depth > 8 ? 128 : 192;
}

// Of 8x8 with 8 bits there are two: a wide GPU has the lanes to spare for one that waits at barriers.
bool is_itx8_shared(VpKernel kernel, unsigned bit_depth, Profile profile) {
    return kernel == kItx8 && bit_depth == 8 && profile == Profile::wide;
}
unsigned itx8_shared() {
    static const unsigned index = kernel_index("vp9_itx8_shared_8");
    return index;
}
constexpr unsigned kItx8SharedLanes = 256;

// Writes one after another; `to` may be write-combined memory.
template <typename T>
struct Writer {
    std::byte *to;
    void put(const T &record) {
        std::memcpy(to, &record, sizeof(T));
        to += sizeof(T);
    }
};

// A dispatch of the inverse transform: up to four streams of the recorders, its classes.
struct ItxClasses {
    VpKernel kernel;
    unsigned classes;
    std::array<std::array<unsigned, 2>, 4> stream; // kind and corner by class
    std::array<unsigned, 4> lanes;                 // of a block, by class
};

constexpr ItxClasses kItxDispatches[] = {
    {kItxDc, 4, {{{0, 0}, {1, 0}, {2, 0}, {3, 0}}}, {1, 4, 16, 64}},
    {kItx4, 1, {{{0, 1}}}, {1}},
    {kWht, 1, {{{DD_ITX_WHT, 1}}}, {1}},
    {kItx8, 2, {{{1, 1}, {1, 2}}}, {8, 8}},
    {kItx16, 3, {{{2, 1}, {2, 2}, {2, 3}}}, {16, 16, 16}},
    {kItx32, 4, {{{3, 1}, {3, 2}, {3, 3}, {3, 4}}}, {32, 32, 32, 32}},
};

// With 8 bits, the kernel of 8x8 needs two lanes a block.
unsigned lanes_of(const ItxClasses &itx, unsigned c, unsigned bit_depth) {
    return itx.kernel == kItx8 && bit_depth == 8 ? 2 : itx.lanes[c];
}

std::size_t count_residuals(const Vp9Batch &batch, const std::array<unsigned, 2> &stream) {
    std::size_t count = 0;
    for (const Vp9Recorder &recorder : batch.recorders)
        count += recorder.itx[stream[0]][stream[1]].size();
    return count;
}

std::size_t count_residuals(const Vp9Batch &batch, const ItxClasses &itx) {
    std::size_t count = 0;
    for (unsigned c = 0; c < itx.classes; c++)
        count += count_residuals(batch, itx.stream[c]);
    return count;
}

void plan_residuals(const Vp9Batch &batch, const ItxClasses &itx, Profile profile, bool barrier, PhaseWork &work) {
    const unsigned bit_depth = batch.dst.format.bit_depth;
    const bool shared = is_itx8_shared(itx.kernel, bit_depth, profile);
    DdItxPush push{};
    push.dst = planes_of(batch.dst);
    std::size_t records = 0;
    std::uint32_t groups = 0;
    for (unsigned c = 0; c < 4; c++) { // those that the transform doesn't have are empty
        if (c)
            push.first_group[c - 1] = groups;
        push.first_record[c] = static_cast<std::uint32_t>(records);
        if (c >= itx.classes)
            continue;
        const std::size_t count = count_residuals(batch, itx.stream[c]);
        records += count;
        groups += groups_for(count * lanes_of(itx, c, bit_depth),
                             shared ? kItx8SharedLanes : lanes_a_group(itx.kernel, bit_depth));
    }
    push.first_record[4] = static_cast<std::uint32_t>(records);

    Dispatch d;
    d.kernel = shared ? itx8_shared() : kernel_of(itx.kernel, bit_depth);
    d.set_push(push);
    d.groups = groups;
    d.barrier = barrier;
    d.records_at = work.upload_bytes;
    work.dispatches.push_back(d);
    work.upload_bytes = align_upload(work.upload_bytes + records * sizeof(DdItxRecord));
}

void write_residuals(const Vp9Batch &batch, const ItxClasses &itx, std::byte *to) {
    Writer<DdItxRecord> writer{to};
    for (unsigned c = 0; c < itx.classes; c++) {
        std::uint32_t coefs = 0; // words of the recorders before
        for (const Vp9Recorder &recorder : batch.recorders) {
            const bool dc_alone = itx.stream[c][1] == 0;
            for (DdItxRecord record : recorder.itx[itx.stream[c][0]][itx.stream[c][1]]) {
                record.coefs += dc_alone ? 0 : coefs;
                writer.put(record);
            }
            coefs += static_cast<std::uint32_t>(recorder.coefs.size());
        }
    }
}

// One workgroup goes from wavefront to wavefront.
void plan_wavefronts(const Vp9Batch &batch, PhaseWork &work) {
    constexpr unsigned lanes_an_item = 16;
    const PictureFormat &format = batch.dst.format;
    const unsigned luma_lines[2] = {64, 16 * batch.dst.bytes_per_pixel()};
    DdLfWavefrontPush push{};
    push.planes = planes_of(batch.dst);
    push.chroma_lines[0] = luma_lines[0] >> format.ss_v;
    push.chroma_lines[1] = luma_lines[1] >> format.ss_h;
    for (unsigned direction = 0; direction < 2; direction++) {
        const unsigned lines = luma_lines[direction] + (format.planes - 1u) * push.chroma_lines[direction];
        push.items[direction] = lines / lanes_an_item;
        push.inverse_items[direction] = 1 / static_cast<float>(push.items[direction]);
    }
    push.sb_cols = batch.lf.sb_cols;
    push.sb_rows = batch.lf.sb_rows;
    push.ss_h = format.ss_h;
    push.ss_v = format.ss_v;
    Dispatch d;
    d.set_push(push);
    d.kernel = kernel_of(kLf, format.bit_depth);
    work.dispatches.push_back(d);
}

// Inner chains, all superblocks at a time; then the rest, a workgroup for each row of superblocks of a plane.
void plan_superblocks(const Vp9Batch &batch, PhaseWork &work) {
    constexpr unsigned most_rows = kMaxPictureSide / 64, most_planes = 3;
    static_assert((1 + most_rows * most_planes) * sizeof(std::uint32_t) <= kPictureTail);
    const Vp9LoopFilter &lf = batch.lf;
    const PictureFormat &format = batch.dst.format;
    const unsigned rows = lf.sb_rows * format.planes;
    Dispatch d;
    d.set_push(DdLfSuperblockPush{planes_of(batch.dst), format.planes, lf.sb_cols, lf.sb_rows, batch.dst.size / 4,
                                  format.ss_h, format.ss_v});
    d.kernel = kernel_of(kLfInner, format.bit_depth);
    d.groups = lf.sb_cols;
    d.groups_y = rows;
    work.dispatches.push_back(d);
    d.kernel = kernel_of(kLfSuperblock, format.bit_depth);
    d.groups = rows;
    d.groups_y = 1;
    d.groups_without_wait = format.planes;
    d.barrier = true;
    work.dispatches.push_back(d);
}

// Taps of clause 8.5.2.4, [smooth, regular, sharp, bilinear][1/16 pixel]. The second half of a type mirrors the first.
constexpr std::int8_t kSubpel[3][8][8] = {
    {{-3, -1, 32, 64, 38, 1, -3, 0},
     {-2, -2, 29, 63, 41, 2, -3, 0},
     {-2, -2, 26, 63, 43, 4, -4, 0},
     {-2, -3, 24, 62, 46, 5, -4, 0},
     {-2, -3, 21, 60, 49, 7, -4, 0},
     {-1, -4, 18, 59, 51, 9, -4, 0},
     {-1, -4, 16, 57, 53, 12, -4, -1},
     {-1, -4, 14, 55, 55, 14, -4, -1}},
    {{0, 1, -5, 126, 8, -3, 1, 0},
     {-1, 3, -10, 122, 18, -6, 2, 0},
     {-1, 4, -13, 118, 27, -9, 3, -1},
     {-1, 4, -16, 112, 37, -11, 4, -1},
     {-1, 5, -18, 105, 48, -14, 4, -1},
     {-1, 5, -19, 97, 58, -16, 5, -1},
     {-1, 6, -19, 88, 68, -18, 5, -1},
     {-1, 6, -19, 78, 78, -19, 6, -1}},
    {{-1, 3, -7, 127, 8, -3, 1, 0},
     {-2, 5, -13, 125, 17, -6, 3, -1},
     {-3, 7, -17, 121, 27, -10, 5, -2},
     {-4, 9, -20, 115, 37, -13, 6, -2},
     {-4, 10, -23, 108, 48, -16, 8, -3},
     {-4, 10, -24, 100, 59, -19, 9, -3},
     {-4, 11, -24, 90, 70, -21, 10, -4},
     {-4, 11, -23, 80, 80, -23, 11, -4}},
};

// value / 128 as a half float: exact for magnitudes up to 2^11.
constexpr std::uint32_t half_of_128th(int value) {
    if (value == 0)
        return 0;
    const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
    const auto top = static_cast<std::uint32_t>(std::bit_width(magnitude)) - 1;
    return (value < 0 ? 0x8000u : 0u) | (top + 15 - 7) << 10 | (magnitude << (10 - top) & 0x3ffu);
}

} // namespace

void plan_vp9_recon(const Vp9Batch &batch, Profile profile, PhaseWork &work) {
    plan_vp9_predictions(batch, profile, work);
    bool barrier = !work.dispatches.empty(); // residuals are added to predictions
    for (const ItxClasses &itx : kItxDispatches)
        if (count_residuals(batch, itx)) {
            plan_residuals(batch, itx, profile, barrier, work);
            barrier = false;
        }
    plan_vp9_intra(batch, work);
    work.coefs_at = work.upload_bytes;
    std::size_t coefs = 0;
    for (const Vp9Recorder &recorder : batch.recorders)
        coefs += recorder.coefs.size();
    if (!work.dispatches.empty()) // a descriptor must not be empty
        work.upload_bytes += align_upload(std::max<std::uint64_t>(coefs, 1) * 4);
}

void write_vp9_recon(const Vp9Batch &batch, Profile profile, const PhaseWork &work, std::byte *upload) {
    if (work.dispatches.empty())
        return;
    std::size_t next = write_vp9_predictions(batch, profile, work, upload);
    for (const ItxClasses &itx : kItxDispatches)
        if (count_residuals(batch, itx))
            write_residuals(batch, itx, upload + work.dispatches[next++].records_at);
    write_vp9_intra(batch, work, next, upload);
    std::byte *to = upload + work.coefs_at;
    for (const Vp9Recorder &recorder : batch.recorders) {
        if (!recorder.coefs.empty())
            std::memcpy(to, recorder.coefs.data(), recorder.coefs.size() * 4);
        to += recorder.coefs.size() * 4;
    }
}

void plan_vp9_filter(const Vp9Batch &batch, Profile profile, PhaseWork &work) {
    if (batch.lf.superblocks.empty())
        return;
    const Vp9LoopFilter &lf = batch.lf;
    if (profile == Profile::v3d)
        plan_wavefronts(batch, work);
    else
        plan_superblocks(batch, work);
    work.steps += lf.superblocks.size(); // row after row, where they don't run side by side
    work.upload_bytes = align_upload(sizeof(lf.limits) + lf.superblocks.size() * sizeof(DdLfLines));
    work.coefs_at = 0;
}

void write_vp9_filter(const Vp9Batch &batch, const PhaseWork &work, std::byte *upload) {
    if (work.dispatches.empty())
        return;
    upload = append(upload, batch.lf.limits);
    write_vp9_filter_lines(batch, upload);
}

int vp9_subpel_tap(unsigned filter, unsigned subpel, unsigned tap) {
    if (filter == 3)
        return tap == 3 ? 128 - 8 * static_cast<int>(subpel) : tap == 4 ? 8 * static_cast<int>(subpel) : 0;
    if (subpel == 0)
        return tap == 3 ? 128 : 0;
    return subpel <= 8 ? kSubpel[filter][subpel - 1][tap] : kSubpel[filter][15 - subpel][7 - tap];
}

std::span<const std::uint32_t> vp9_tables() {
    static const auto table = [] {
        std::array<std::uint32_t, 4 * 16 * 4> words{};
        for (unsigned row = 0; row < 4 * 16; row++)
            for (unsigned t = 0; t < 8; t++)
                words[DD_TABLE_SUBPEL + row * 4 + t / 2] |= half_of_128th(vp9_subpel_tap(row / 16, row % 16, t))
                                                            << (t % 2 * 16);
        return words;
    }();
    return table;
}

std::vector<unsigned> vp9_kernels(const PictureFormat &format, Profile profile) {
    const auto is_others = [&](VpKernel k) {
        const bool wide = k == kIntraItx || k == kIntra || k == kLfInner || k == kLfSuperblock;
        return profile == Profile::v3d ? wide : k == kLf;
    };
    std::vector<unsigned> all;
    for (unsigned k = 0; k < kKernels; k++) {
        const auto kernel = static_cast<VpKernel>(k);
        if (is_others(kernel))
            continue;
        const bool shared = is_itx8_shared(kernel, format.bit_depth, profile);
        all.push_back(shared ? itx8_shared() : kernel_of(kernel, format.bit_depth));
    }
    std::ranges::sort(all);
    return all;
}

} // namespace dd
