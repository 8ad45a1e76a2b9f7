// SPDX-License-Identifier: BSD-2-Clause
#include "work.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

constexpr unsigned kLevels = 64, kMixed = 4, kWideLuma = 5;

struct Limits {
    std::array<std::uint8_t, kLevels> inner{}, edge{};
};

// Clause 8.8.1, for a sharpness of 0.
Limits limits() {
    Limits made;
    for (unsigned level = 0; level < kLevels; level++) {
        made.inner[level] = static_cast<std::uint8_t>(std::max(level, 1u));
        made.edge[level] = static_cast<std::uint8_t>(2 * (level + 2) + made.inner[level]);
    }
    return made;
}

// Masks of a superblock whose blocks all have transforms of one size: 0: 4x4 to 3: 32x32. Byte k of a row: 16, 8, 4
// wide, 4 wide inside the 8x8; a bit a column of 8 luma pixels.
void fill_masks(dd::DdLfSuperblock &sb, unsigned tx, bool subsampled) {
    auto *mask = reinterpret_cast<std::uint8_t(*)[2][8][4]>(sb.mask);
    const auto fill = [&](unsigned kind, unsigned size, unsigned step) {
        // Edges lie `step` columns or rows apart; wide ones need 16 pixels on both sides.
        const unsigned width = size >= 2 ? 0u : size == 1 ? 1u : 2u;
        unsigned columns = 0;
        for (unsigned i = 0; i < 8; i += step)
            columns |= 1u << i;
        for (unsigned row = 0; row < 8; row++) {
            mask[kind][0][row][width] = static_cast<std::uint8_t>(columns);
            if (row % step == 0)
                mask[kind][1][row][width] = 0xff;
            if (size == 0 && kind == 0)
                mask[kind][0][row][3] = mask[kind][1][row][3] = 0xff;
        }
    };
    fill(0, tx, tx <= 1 ? 1 : 1u << (tx - 1));
    if (subsampled) { // chroma's transform is a size smaller; a bit is 4 of its pixels
        const unsigned chroma = tx ? tx - 1 : 0;
        fill(1, chroma, chroma == 0 ? 1 : 1u << chroma);
    }
}

Work make(const std::string &name, unsigned tx, const Scene &scene) {
    Random random(scene.seed);
    Work work;
    work.name = name;
    work.phase = Phase::filter;
    const dd::PictureLayout layout = dd::make_picture_layout(scene.format, 64);
    paint(layout, random, work.before);
    const unsigned cols = (scene.format.width + 63) / 64, rows = (scene.format.height + 63) / 64;
    std::vector<dd::DdLfSuperblock> superblocks(std::size_t{cols} * rows);
    for (dd::DdLfSuperblock &sb : superblocks) {
        const unsigned level = 1 + random() % 63;
        std::memset(sb.level, static_cast<int>(level), sizeof(sb.level));
        if (tx == kWideLuma) // chroma has no edges
            fill_masks(sb, 1, false);
        else
            fill_masks(sb, tx == kMixed ? random() % 4 : tx, scene.format.ss_h || scene.format.ss_v);
    }
    const Limits by_level = limits();
    auto &batch = work.batch.emplace<dd::Vp9Batch>();
    batch.reset(layout, {}, 1);
    if (!batch.set_loop_filter(superblocks.data(), cols, rows, by_level.inner.data(), by_level.edge.data()))
        throw std::runtime_error("the loop filter's masks were refused");
    work.blocks = static_cast<double>(superblocks.size());
    for (const dd::PlaneLayout &plane : layout.plane)
        work.pixels += double{1} * plane.width * plane.height;

    // The masks as a decoder has them: FFmpeg's function itself leaves out edges on the picture's border.
    work.run = [layout, by_level, cols, rows, superblocks](const Dsp &dsp, std::byte *dst) {
        std::array<std::uint8_t *, 3> planes{};
        std::array<std::ptrdiff_t, 3> strides{};
        for (unsigned p = 0; p < 3; p++) {
            planes[p] = reinterpret_cast<std::uint8_t *>(dst + layout.plane[p].offset);
            strides[p] = layout.plane[p].stride;
        }
        ffmpeg_vp9_loop_filter(dsp.vp9(), planes.data(), strides.data(), layout.format.ss_h, layout.format.ss_v,
                               superblocks.data(), cols, rows, by_level.inner.data(), by_level.edge.data());
    };
    return work;
}

} // namespace

void add_lf_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &name, unsigned tx) {
        list.push_back({name, [=](const Scene &scene) { return make(name, tx, scene); }});
    };
    add("lf-4", 0);
    add("lf-8", 1);
    add("lf-16", 2);
    add("lf-mixed", kMixed);
    add("lf-wide", kWideLuma);
}

} // namespace bench
