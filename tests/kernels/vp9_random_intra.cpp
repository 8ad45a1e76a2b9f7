// SPDX-License-Identifier: BSD-2-Clause
#include "catch.h"
#include "kernels/vp9_random.h"
#include "vp9/range.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace dd::test {
namespace {

struct Block {
    unsigned x, y, w, h; // luma
};

// Picture's sides in 8x8 blocks of luma: blocks of VP9 begin in there.
struct Grid {
    unsigned columns, rows;
    explicit Grid(const PictureLayout &layout)
        : columns((layout.format.width + 7) / 8), rows((layout.format.height + 7) / 8) {}
    bool has(unsigned x, unsigned y) const { return x < columns * 8 && y < rows * 8; }
};

// Calls `see` with the blocks of a square in the order of decoding. Where a half of it lies outside, the partitions
// that VP9 still has.
void each_block(Random &random, const Grid &grid, const Block &square, const std::function<void(const Block &)> &see) {
    const auto [x, y, side, same] = square;
    const unsigned half = side / 2;
    if (!grid.has(x, y))
        return;
    const bool has_right = side == 8 || grid.has(x + half, y), has_lower = side == 8 || grid.has(x, y + half);
    const bool whole = side == 8 || (has_right && has_lower && chance(random, 25));
    if (whole) {
        see(square);
    } else if (chance(random, 50) || !(has_right || has_lower)) {
        for (unsigned i = 0; i < 4; i++)
            each_block(random, grid, {x + (i & 1) * half, y + (i >> 1) * half, half, half}, see);
    } else if (!has_lower || (has_right && chance(random, 50))) {
        see({x, y, side, half});
        if (has_lower)
            see({x, y + half, side, half});
    } else {
        see({x, y, half, side});
        if (has_right)
            see({x + half, y, half, side});
    }
}

// The transform of luma, clause 8.7.2.
std::uint32_t transform_of(unsigned mode) {
    switch (mode) {
    case DD_INTRA_V:
    case DD_INTRA_D117:
    case DD_INTRA_D63:
        return DD_INTRA_ITX_ADST_COLUMNS;
    case DD_INTRA_H:
    case DD_INTRA_D153:
    case DD_INTRA_D207:
        return DD_INTRA_ITX_ADST_ROWS;
    case DD_INTRA_D135:
    case DD_INTRA_TM:
        return DD_INTRA_ITX_ADST_COLUMNS | DD_INTRA_ITX_ADST_ROWS;
    default:
        return 0;
    }
}

// How many positions of a scan (clause 10.5) stay inside a corner.
unsigned positions(unsigned size, std::uint32_t transform, unsigned corner) {
    static constexpr unsigned both[4][4] = {{16}, {12, 64}, {10, 38, 256}, {9, 34, 135, 1024}};
    static constexpr unsigned rows[3][3] = {{16}, {6, 64}, {5, 17, 256}};
    static constexpr unsigned columns[3][3] = {{16}, {8, 64}, {6, 22, 256}};
    if (transform == DD_INTRA_ITX_ADST_ROWS)
        return rows[size][corner - 1];
    return transform == DD_INTRA_ITX_ADST_COLUMNS ? columns[size][corner - 1] : both[size][corner - 1];
}

// Coefficients of transform blocks of a plane, of a depth and content.
class Coefficients {
  public:
    Coefficients(Random &random, const FrameOptions &options, unsigned size, unsigned places)
        : random_(random), options_(options), size_(size), element_(options.format.bit_depth == 8 ? 2 : 4),
          eobs(places), coefs(places * 16 * element_) {}

    void draw(unsigned place, std::uint32_t transform) {
        const unsigned corner = 1 + below(random_, size_ + 1);
        const bool dc = chance(random_, 15);
        for (unsigned attempt = 0; attempt < 12; attempt++) {
            fill(place, dc ? 1 : corner_size(corner), attempt / 2);
            if (vp9_intra_residual_in_range(size_, transform | corner, options_.format.bit_depth, at(place), side())) {
                set_eob(place, dc ? 1 : positions(size_, transform, corner));
                return;
            }
        }
        std::memset(at(place), 0, side() * side() * element_);
    }

  private:
    unsigned side() const { return 4u << size_; }
    std::byte *at(unsigned place) { return coefs.data() + place * 16 * element_; }
    void fill(unsigned place, unsigned corner_side, unsigned shift) {
        const unsigned percent = below(random_, 100) + 1, depth = options_.format.bit_depth;
        const bool alike = options_.content == Content::extreme;
        const std::int64_t same = random_coefficient(random_, depth) >> shift;
        std::memset(at(place), 0, side() * side() * element_);
        for (unsigned column = 0; column < corner_side; column++)
            for (unsigned row = 0; row < corner_side; row++) {
                if (!chance(random_, percent))
                    continue;
                const std::int64_t value =
                    alike ? same : random_coefficient(random_, depth) >> (shift + below(random_, 5));
                std::memcpy(at(place) + (column * side() + row) * element_, &value, element_);
            }
    }
    void set_eob(unsigned place, unsigned eob) {
        const auto value = static_cast<std::uint16_t>(eob);
        std::memcpy(eobs.data() + place, &value, size_ > 1 ? 2 : 1);
    }

    Random &random_;
    const FrameOptions &options_;
    unsigned size_;
    std::size_t element_;

  public:
    std::vector<std::byte> eobs, coefs;
};

void draw_plane(Random &random, const FrameOptions &options, unsigned plane, RandomIntraBlock &block) {
    const DdVp9Residuals &r = block.call.residuals;
    const unsigned size = r.kind[plane != 0], n4 = 1u << size;
    const unsigned w4 = r.w4 >> (plane ? options.format.ss_h : 0), h4 = r.h4 >> (plane ? options.format.ss_v : 0);
    const unsigned percent = below(random, 100);
    Coefficients drawn(random, options, size, (w4 + n4 - 1) / n4 * n4 * ((h4 + n4 - 1) / n4 * n4));
    unsigned place = 0;
    for (unsigned y = 0; y < h4; y += n4)
        for (unsigned x = 0; x < w4; x += n4, place += n4 * n4) {
            const unsigned mode = block.call.mode[block.call.quarters ? y * 2 + x : 0];
            if (chance(random, percent))
                drawn.draw(place, plane || size == 3 ? 0 : transform_of(mode));
        }
    block.eobs[plane] = std::move(drawn.eobs);
    block.coefs[plane] = std::move(drawn.coefs);
}

RandomIntraBlock draw_block(Random &random, const RandomFrame &frame, const Block &b, unsigned tile_left) {
    const PictureFormat &format = frame.layout.format;
    const Grid grid(frame.layout);
    RandomIntraBlock block{};
    block.width = b.w;
    block.height = b.h;
    block.tile_left = tile_left;
    DdVp9IntraBlock &call = block.call;
    DdVp9Residuals &r = call.residuals;
    r.x = b.x;
    r.y = b.y;
    r.w4 = std::min(b.w, grid.columns * 8 - b.x) / 4;
    r.h4 = std::min(b.h, grid.rows * 8 - b.y) / 4;
    call.quarters = b.w == 8 && b.h == 8 && chance(random, 50);
    const unsigned largest = static_cast<unsigned>(std::countr_zero(std::min({b.w, b.h, 32u}))) - 2;
    r.kind[0] = call.quarters ? 0 : below(random, largest + 1);
    const unsigned side = 4u << r.kind[0]; // chroma's transform isn't larger than its block
    const bool halves = r.kind[0] && ((format.ss_h && b.w == side) || (format.ss_v && b.h == side));
    r.kind[1] = r.kind[0] - halves;
    call.has_left = b.x > tile_left;
    for (std::uint8_t &mode : call.mode)
        mode = static_cast<std::uint8_t>(below(random, DD_INTRA_MODES));
    call.chroma_mode = static_cast<std::uint8_t>(below(random, DD_INTRA_MODES));
    for (unsigned plane = 0; plane < 3; plane++)
        if (chance(random, 80))
            draw_plane(random, frame.options, plane, block);
    return block;
}

// The recorder takes coefficients away: a copy.
void record(Vp9Recorder &recorder, const RandomIntraBlock &block) {
    DdVp9IntraBlock call = block.call;
    std::array<std::vector<std::byte>, 3> coefs = block.coefs;
    for (unsigned plane = 0; plane < 3; plane++) {
        if (coefs[plane].empty())
            continue;
        call.residuals.eobs[plane] = block.eobs[plane].data();
        call.residuals.coefs[plane] = coefs[plane].data();
    }
    REQUIRE(recorder.intra_block(call));
    for (const std::vector<std::byte> &left : coefs)
        CHECK(std::ranges::all_of(left, [](std::byte b) { return b == std::byte{0}; }));
}

} // namespace

void add_intra(Random &random, RandomFrame &frame) {
    const Grid grid(frame.layout);
    const unsigned columns = (grid.columns + 7) / 8, tiles = frame.options.recorders;
    const unsigned inter = below(random, 96);
    for (unsigned tile = 0; tile < tiles; tile++) {
        const unsigned left = tile * columns / tiles * 64, right = (tile + 1) * columns / tiles * 64;
        for (unsigned y = 0; y < grid.rows * 8; y += 64)
            for (unsigned x = left; x < right; x += 64)
                each_block(random, grid, {x, y, 64, 64}, [&](const Block &b) {
                    if (chance(random, inter))
                        return;
                    frame.intra.push_back(draw_block(random, frame, b, left));
                    record(frame.batch.recorders[tile], frame.intra.back());
                });
    }
}

} // namespace dd::test
