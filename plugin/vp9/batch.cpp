// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/batch.h"

#include <cstddef>
#include <cstring>

namespace dd {
namespace {

static_assert(sizeof(DdLfSuperblock) == 192);

constexpr std::uint32_t kLevelBits = 0x3f3f3f3f;  // a level is 0 to 63
constexpr std::uint32_t kOuterEdges = 0x00ffffff; // 16, 8, 4 wide; not the one inside the 8x8
constexpr std::uint32_t kFirstColumn = 0x00010101;

unsigned superblocks_of(std::uint32_t pixels) {
    return (pixels + 63) / 64;
}

std::uint32_t &mask_word(DdLfSuperblock &sb, unsigned kind, unsigned direction, unsigned row) {
    return sb.mask[(kind * 2 + direction) * 8 + row];
}

// A decoder leaves the levels of blocks without edges unset. They are never looked at, but whatever is looked up
// must lie in the table.
void copy_superblocks(const void *from, RecordList<DdLfSuperblock> &to) {
    const auto *at = static_cast<const std::byte *>(from);
    for (DdLfSuperblock &sb : to) {
        std::memcpy(&sb, at, sizeof(sb));
        for (std::uint32_t &word : sb.level)
            word &= kLevelBits;
        at += sizeof(sb);
    }
}

// Edges on the picture's left and upper border aren't filtered (clause 8.8.2), and a kernel that tried would leave the
// buffer.
void drop_border_edges(Vp9LoopFilter &lf) {
    for (unsigned kind = 0; kind < 2; kind++) {
        for (unsigned sb_row = 0; sb_row < lf.sb_rows; sb_row++)
            for (unsigned row = 0; row < 8; row++)
                mask_word(lf.superblocks[std::size_t{sb_row} * lf.sb_cols], kind, 0, row) &= ~kFirstColumn;
        for (unsigned sb_col = 0; sb_col < lf.sb_cols; sb_col++)
            mask_word(lf.superblocks[sb_col], kind, 1, 0) &= ~kOuterEdges;
    }
}

} // namespace

void Vp9Batch::reset(const PictureLayout &dst_layout, const Vp9References &references, unsigned recorder_count) {
    dst = dst_layout;
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        ref[slot] = references[slot].format.same_pixels(dst.format) ? references[slot] : PictureLayout{};
    if (recorders.size() < recorder_count || recorders.size() > 4 * std::size_t{recorder_count})
        recorders.resize(recorder_count);
    for (Vp9Recorder &recorder : recorders)
        recorder.reset(dst, ref);
    lf.sb_cols = lf.sb_rows = 0;
    lf.superblocks.clear();
}

bool Vp9Batch::set_loop_filter(const void *sb, unsigned sb_cols, unsigned sb_rows, const std::uint8_t *limit,
                               const std::uint8_t *mblimit) {
    if (!sb || !limit || !mblimit || sb_cols != superblocks_of(dst.format.width) ||
        sb_rows != superblocks_of(dst.format.height))
        return false;
    const std::size_t count = std::size_t{sb_cols} * sb_rows;
    lf.superblocks.resize(count);
    copy_superblocks(sb, lf.superblocks);
    lf.sb_cols = sb_cols;
    lf.sb_rows = sb_rows;
    for (unsigned level = 0; level < DD_LF_LEVELS; level++)
        lf.limits[level] = limit[level] | std::uint32_t{mblimit[level]} << 8;
    drop_border_edges(lf);
    return true;
}

} // namespace dd
