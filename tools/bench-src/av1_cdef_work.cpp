// SPDX-License-Identifier: BSD-2-Clause
#include "av1_work.h"

namespace bench {
namespace {

constexpr unsigned kDamping = 5;

struct Shape {
    bool luma, chroma; // planes that are filtered
    bool monochrome;   // there is no chroma at all
};

// Every strength has both parts, so that all blocks take all twelve taps.
std::array<std::uint8_t, 8> strengths(Random &random, bool wanted) {
    std::array<std::uint8_t, 8> made{};
    for (std::uint8_t &strength : made)
        strength = wanted ? static_cast<std::uint8_t>((1 + random() % 15) << 2 | (1 + random() % 3)) : 0;
    return made;
}

Work make(const std::string &name, const Shape &shape, const Scene &scene) {
    Random random(scene.seed);
    dd::PictureFormat format = scene.format;
    if (shape.monochrome)
        format.planes = 1;
    Work work = start_av1_filter(name, format, random);
    const unsigned cols = (format.width + 63) / 64, rows = (format.height + 63) / 64, sb_cols = (cols + 1) / 2;
    std::vector<std::uint32_t> superblocks = blank_superblocks(format);
    std::vector<std::uint8_t> index(std::size_t{cols} * rows);
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < cols; x++) {
            index[y * cols + x] = random() % 8;
            superblocks[(y / 2 * sb_cols + x / 2) * dd::DD_AV1_SB_WORDS + dd::DD_AV1_SB_CDEF] |=
                std::uint32_t{index[y * cols + x]} << (8 * (y % 2 * 2 + x % 2));
        }
    dd::Av1FilterTables tables;
    tables.superblocks = superblocks;
    tables.cdef = true;
    tables.cdef_damping = kDamping;
    tables.cdef_luma = strengths(random, shape.luma);
    tables.cdef_chroma = strengths(random, shape.chroma);
    set_av1_filters(work, tables);
    work.blocks = double{1} * ((format.width + 7) / 8) * ((format.height + 7) / 8);

    BenchCdef cdef{nullptr, cols, kDamping, {}, {}};
    std::ranges::copy(tables.cdef_luma, cdef.luma);
    std::ranges::copy(tables.cdef_chroma, cdef.chroma);
    work.run = [=, layout = work.layout(), before = work.before.data()](const Dsp &dsp, std::byte *dst) {
        BenchCdef all = cdef;
        all.index = index.data();
        const BenchPicture picture = bench_picture(layout, dst, before);
        dav1d_av1_cdef(dsp.av1(), &picture, &all);
    };
    return work;
}

} // namespace

void add_av1_cdef_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &name, Shape shape) {
        list.push_back({name, [=](const Scene &scene) { return make(name, shape, scene); }});
    };
    add("av1-cdef-luma", {true, false, true});
    add("av1-cdef-chroma", {false, true, false});
    add("av1-cdef-all", {true, true, false});
}

} // namespace bench
