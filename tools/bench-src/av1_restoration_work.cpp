// SPDX-License-Identifier: BSD-2-Clause
#include "av1_work.h"

#include <algorithm>
#include <cstring>

namespace bench {
namespace {

constexpr unsigned kUnitLog2 = 6, kStripe = 64, kOffset = 8; // of luma

enum class Kind { wiener7, wiener5, box3, box5, both };

std::int8_t between(Random &random, int low, int high) {
    return static_cast<std::int8_t>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
}

dd::Av1RestorationUnit unit_of(Kind kind, Random &random) {
    dd::Av1RestorationUnit unit;
    if (kind == Kind::wiener7 || kind == Kind::wiener5) {
        unit.kind = dd::DD_AV1_UNIT_WIENER;
        for (auto *taps : {&unit.horizontal, &unit.vertical})
            *taps = {kind == Kind::wiener7 ? between(random, 1, 10) : std::int8_t{0}, between(random, -23, 8),
                     between(random, -17, 46)};
        return unit;
    }
    unit.kind = dd::DD_AV1_UNIT_SELF_GUIDED;
    unit.set = static_cast<std::uint8_t>(kind == Kind::both   ? random() % 10
                                         : kind == Kind::box3 ? 10 + random() % 4
                                                              : 14 + random() % 2);
    unit.weight = {kind == Kind::box3 ? std::int8_t{0} : between(random, -96, 31),
                   kind == Kind::box5 ? std::int8_t{95} : between(random, -32, 95)};
    return unit;
}

struct Part {
    std::size_t at; // byte of the picture
    BenchRestoration restoration;
};

// The units of each stripe, and the rows around stripes; everything of a picture without chroma.
struct Parts {
    std::vector<Part> all;
    std::vector<PixelBuffer> lines; // of each stripe
};

PixelBuffer lines_of(const dd::PlaneLayout &plane, const std::byte *before, int first, int last) {
    PixelBuffer lines(std::size_t{8} * plane.stride);
    const auto copy = [&](unsigned to, int row) {
        row = std::clamp(row, 0, static_cast<int>(plane.height) - 1);
        std::memcpy(lines.data() + std::size_t{to} * plane.stride,
                    before + plane.offset + static_cast<std::size_t>(row) * plane.stride, plane.stride);
    };
    for (unsigned row = 0; row < 2; row++) {
        copy(row, first - 2 + static_cast<int>(row));
        copy(6 + row, last + 1 + static_cast<int>(row));
    }
    return lines;
}

Parts parts_of(const dd::PictureLayout &layout, const std::byte *before, const dd::Av1PlaneUnits &units) {
    const dd::PlaneLayout &plane = layout.plane[0];
    const int width = static_cast<int>(plane.width), height = static_cast<int>(plane.height);
    Parts parts;
    unsigned stripe = 0;
    for (int first = 0; first < height; stripe++) {
        const int end = std::min(height, static_cast<int>((stripe + 1) * kStripe - kOffset));
        parts.lines.push_back(lines_of(plane, before, first, end - 1));
        const unsigned row = std::min(units.rows - 1, stripe * kStripe >> kUnitLog2);
        for (unsigned column = 0; column < units.cols; column++) {
            const dd::Av1RestorationUnit &unit = units.units[std::size_t{row} * units.cols + column];
            const int x = static_cast<int>(column << kUnitLog2);
            const std::size_t x_bytes = static_cast<std::size_t>(x) * layout.bytes_per_pixel();
            BenchRestoration r{};
            r.wiener = unit.kind == dd::DD_AV1_UNIT_WIENER;
            r.set = unit.set;
            std::ranges::copy(unit.horizontal, r.horizontal);
            std::ranges::copy(unit.vertical, r.vertical);
            std::ranges::copy(unit.weight, r.weight);
            r.lines = reinterpret_cast<const std::uint8_t *>(parts.lines.back().data() + x_bytes);
            r.width = column + 1 == units.cols ? width - x : 1 << kUnitLog2;
            r.height = end - first;
            r.left = x > 0;
            r.right = x + r.width < width;
            r.above = first > 0;
            r.below = end < height;
            parts.all.push_back({plane.offset + static_cast<std::size_t>(first) * plane.stride + x_bytes, r});
        }
        first = end;
    }
    return parts;
}

Work make(const std::string &name, Kind kind, const Scene &scene) {
    Random random(scene.seed);
    dd::PictureFormat format = scene.format;
    format.planes = 1;
    Work work = start_av1_filter(name, format, random);
    const auto count = [](unsigned pixels) { return std::max((pixels + (1u << kUnitLog2) / 2) >> kUnitLog2, 1u); };
    const unsigned cols = count(format.width), rows = count(format.height);
    std::vector<dd::Av1RestorationUnit> units(std::size_t{cols} * rows);
    for (dd::Av1RestorationUnit &unit : units)
        unit = unit_of(kind, random);
    const std::vector<std::uint32_t> superblocks = blank_superblocks(format);
    dd::Av1FilterTables tables;
    tables.superblocks = superblocks;
    tables.restoration[0] = {units, cols, rows, kUnitLog2};
    set_av1_filters(work, tables);
    const auto *before = work.before.data();
    const auto parts = std::make_shared<Parts>(parts_of(work.layout(), before, tables.restoration[0]));
    work.blocks = work.pixels / (kStripe * kStripe);
    work.run = [=, stride = std::ptrdiff_t{work.layout().plane[0].stride}](const Dsp &dsp, std::byte *dst) {
        for (const Part &part : parts->all)
            dav1d_av1_restore(dsp.av1(), reinterpret_cast<std::uint8_t *>(dst + part.at),
                              reinterpret_cast<const std::uint8_t *>(before + part.at), stride, &part.restoration);
    };
    return work;
}

} // namespace

void add_av1_restoration_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &name, Kind kind) {
        list.push_back({name, [=](const Scene &scene) { return make(name, kind, scene); }});
    };
    add("av1-wiener-7", Kind::wiener7);
    add("av1-wiener-5", Kind::wiener5);
    add("av1-guided-3x3", Kind::box3);
    add("av1-guided-5x5", Kind::box5);
    add("av1-guided-both", Kind::both);
}

} // namespace bench
