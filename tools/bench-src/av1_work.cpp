// SPDX-License-Identifier: BSD-2-Clause
#include "av1_work.h"

#include <algorithm>
#include <stdexcept>

namespace bench {

Work start_av1(const std::string &name, const dd::PictureFormat &format, Random &random) {
    Work work;
    work.name = name;
    auto &batch = work.batch.emplace<dd::Av1Batch>();
    batch.dst = dd::make_picture_layout(format, 128);
    paint(batch.dst, random, work.before);
    return work;
}

Work start_av1_filter(const std::string &name, const dd::PictureFormat &format, Random &random) {
    Work work = start_av1(name, format, random);
    work.phase = Phase::filter;
    const auto &batch = std::get<dd::Av1Batch>(work.batch);
    for (unsigned p = 0; p < format.planes; p++)
        work.pixels += double{1} * batch.dst.plane[p].width * batch.dst.plane[p].height;
    return work;
}

void set_av1_filters(Work &work, const dd::Av1FilterTables &tables) {
    auto &batch = std::get<dd::Av1Batch>(work.batch);
    if (!batch.filters.set(batch.dst, tables))
        throw std::runtime_error("the filters' tables were refused");
}

std::vector<std::uint32_t> blank_superblocks(const dd::PictureFormat &format) {
    const std::size_t count = std::size_t{(format.width + 127) / 128} * ((format.height + 127) / 128);
    std::vector<std::uint32_t> words(count * dd::DD_AV1_SB_WORDS);
    for (std::size_t sb = 0; sb < count; sb++)
        std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(sb * dd::DD_AV1_SB_WORDS + dd::DD_AV1_SB_CODED), 16,
                    ~0u);
    return words;
}

BenchPicture bench_picture(const dd::PictureLayout &layout, std::byte *pixels, const std::byte *before) {
    BenchPicture picture{};
    for (unsigned p = 0; p < layout.format.planes; p++) {
        picture.pixels[p] = reinterpret_cast<std::uint8_t *>(pixels + layout.plane[p].offset);
        picture.before[p] = reinterpret_cast<const std::uint8_t *>(before + layout.plane[p].offset);
        picture.stride[p] = layout.plane[p].stride;
    }
    picture.blocks_w = (layout.format.width + 7) / 8;
    picture.blocks_h = (layout.format.height + 7) / 8;
    picture.planes = layout.format.planes;
    picture.ss_h = layout.format.ss_h;
    picture.ss_v = layout.format.ss_v;
    return picture;
}

} // namespace bench
