// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_random_intra.h"
#include "catch.h"
#include "kernels/av1_random_residual.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace dd::test {
namespace {

bool chance(Random &random, unsigned percent) {
    return below(random, 100) < percent;
}
unsigned log2_of(unsigned side) {
    return static_cast<unsigned>(std::countr_zero(side));
}

struct Area {
    unsigned x, y, w, h; // pixels of a plane
};

// Sides of transforms that AV1 has.
bool are_sides(unsigned w, unsigned h) {
    return std::max(w, h) <= 64 && std::max(w, h) <= 4 * std::min(w, h);
}
unsigned size_of(unsigned w, unsigned h) {
    unsigned size = 0;
    while (av1_shape(size, 0).w != w || av1_shape(size, 0).h != h)
        size++;
    return size;
}

class Generator {
  public:
    Generator(Av1Scene &scene, const Av1IntraChoice &choice)
        : scene_(scene), random_(scene.random), choice_(choice), layout_(scene.batch.dst),
          shared_mask_(scene.mask(32, 32)) {
        trial_.reset(layout_);
        lower_tile_ = 128 * below(random_, layout_.plane[0].padded_height / 128 + 1);
        for (unsigned chroma = 0; chroma < 2; chroma++)
            done_[chroma].resize(std::size_t{columns(chroma)} * (layout_.plane[chroma].padded_height / 4));
    }

    std::vector<reference::Av1IntraPlace> run() {
        const unsigned side = below(random_, 2) ? 64 : 128;
        for (unsigned y = 0; y < end(false, true); y += side)
            for (unsigned x = 0; x < end(false, false); x += side)
                square(x, y, side);
        return std::move(order_);
    }

  private:
    bool has_chroma() const { return layout_.format.planes == 3; }
    unsigned ss_h(bool chroma = true) const { return chroma ? layout_.format.ss_h : 0; }
    unsigned ss_v(bool chroma = true) const { return chroma ? layout_.format.ss_v : 0; }
    // Where the last 8x8 of luma ends. Blocks begin before that.
    unsigned end(bool chroma, bool vertical) const {
        const unsigned luma = ((vertical ? layout_.format.height : layout_.format.width) + 7) & ~7u;
        return luma >> (vertical ? ss_v(chroma) : ss_h(chroma));
    }

    // ---- partitions

    void square(unsigned x, unsigned y, unsigned side) {
        const unsigned half = side / 2, quarter = side / 4;
        const auto rows = [&](unsigned from, unsigned h) {
            for (unsigned at = from; at < side; at += h)
                block({x, y + at, side, h});
        };
        const auto columns = [&](unsigned from, unsigned w) {
            for (unsigned at = from; at < side; at += w)
                block({x + at, y, w, side});
        };
        if (x >= end(false, false) || y >= end(false, true))
            return;
        if (!chance(random_, choice_.splits))
            return block({x, y, side, side});
        switch (below(random_, 12)) {
        case 0:
            return rows(0, half);
        case 1:
            return columns(0, half);
        case 2:
            return side >= 16 && side <= 64 ? rows(0, quarter) : rows(0, half);
        case 3:
            return side >= 16 && side <= 64 ? columns(0, quarter) : columns(0, half);
        case 4: // two above one
            block({x, y, half, half});
            block({x + half, y, half, half});
            return rows(half, half);
        case 5:
            block({x, y, half, half});
            block({x, y + half, half, half});
            return columns(half, half);
        default:
            for (unsigned i = 0; i < 4; i++)
                side == 8 ? block({x + i % 2 * 4, y + i / 2 * 4, 4, 4})
                          : square(x + i % 2 * half, y + i / 2 * half, half);
        }
    }

    // ---- blocks

    // What a block of luma has in chroma. Of several that are too small for one of their own, the last one has it.
    bool chroma_of(const Area &b, Area &chroma) const {
        if (!has_chroma() || (b.w >> ss_h() < 4 && !(b.x & 4)) || (b.h >> ss_v() < 4 && !(b.y & 4)))
            return false;
        const auto position = [](unsigned at, unsigned ss) { return at >> ss & ~3u; };
        chroma = {position(b.x, ss_h()), position(b.y, ss_v()), std::max(b.w >> ss_h(), 4u),
                  std::max(b.h >> ss_v(), 4u)};
        return true;
    }

    void block(const Area &b) {
        if (b.x >= end(false, false) || b.y >= end(false, true))
            return;
        Area chroma{};
        const bool with_chroma = chroma_of(b, chroma);
        if (!chance(random_, choice_.inter))
            return intra_block(b, with_chroma ? &chroma : nullptr);
        const bool may_blend =
            std::min(b.w, b.h) >= 8 && std::max(b.w, b.h) <= 32 && are_sides(2 * b.w, b.h) && are_sides(b.w, 2 * b.h);
        const bool blends = may_blend && choice_.modes >> DD_AV1_INTRA_NONE & 1 && below(random_, 2);
        for (unsigned c = 0; c <= with_chroma; c++) {
            const Area &area = c ? chroma : b;
            if (choice_.predicts)
                predict(c, area);
            if (blends)
                blend(c, area);
            const auto [w, h] = transform_in(c, area.w, area.h);
            each_transform(c, area, w, h, [&](const Area &t) {
                if (blends)
                    add_residuals(c, t);
                else if (choice_.predicts)
                    inter_residuals(c, t);
            });
            set_done(c, area);
        }
    }

    void intra_block(const Area &b, const Area *chroma) {
        const auto [w, h] = transform_in(false, b.w, b.h);
        const auto [cw, ch] = chroma ? transform_in(true, chroma->w, chroma->h) : std::pair(0u, 0u);
        const unsigned mode = mode_in(b, chroma, false);
        const unsigned chroma_mode = chroma ? mode_in(b, chroma, true) : 0;
        const Palette palette(random_, layout_.format.bit_depth, b),
            chroma_palette(random_, layout_.format.bit_depth, chroma ? *chroma : b);
        for (unsigned y = 0; y < b.h; y += 64)
            for (unsigned x = 0; x < b.w; x += 64) {
                const auto part = [&](bool c, const Area &of) {
                    const unsigned px = x >> ss_h(c), py = y >> ss_v(c);
                    return Area{of.x + px, of.y + py, std::min(of.w - px, 64u >> ss_h(c)),
                                std::min(of.h - py, 64u >> ss_v(c))};
                };
                each_transform(false, part(false, b), w, h,
                               [&](const Area &t) { predict_intra(false, t, mode, palette, b); });
                if (!chroma)
                    continue;
                if (chroma_mode == DD_AV1_INTRA_CFL)
                    from_luma(b, *chroma, w, h);
                else
                    each_transform(true, part(true, *chroma), cw, ch, [&](const Area &t) {
                        predict_intra(true, t, chroma_mode, chroma_palette, *chroma);
                    });
            }
        set_done(false, b);
        if (chroma)
            set_done(true, *chroma);
    }

    // One for all transform blocks of the block: none that depends on their edges.
    unsigned mode_in(const Area &b, const Area *chroma, bool is_chroma) {
        for (unsigned attempt = 0; attempt < 16; attempt++) {
            const unsigned mode = below(random_, DD_AV1_INTRA_NONE);
            const bool small = std::max(b.w, b.h) <= 32;
            const bool possible = mode == DD_AV1_INTRA_FILTER    ? small
                                  : mode == DD_AV1_INTRA_CFL     ? small && is_chroma && are_sides(chroma->w, chroma->h)
                                  : mode == DD_AV1_INTRA_PALETTE ? std::max(b.w, b.h) <= 64 && std::min(b.w, b.h) >= 8
                                                                 : true;
            if (possible && choice_.modes >> mode & 1)
                return mode;
        }
        return DD_AV1_INTRA_DC;
    }

    // In a square of 64x64 of luma, or what that has in chroma.
    std::pair<unsigned, unsigned> transform_in(bool chroma, unsigned w, unsigned h) {
        const unsigned bw = std::min(w, 64u >> ss_h(chroma)), bh = std::min(h, 64u >> ss_v(chroma));
        if (are_sides(bw, bh) && below(random_, 2))
            return {bw, bh};
        for (;;) {
            const unsigned tw = 4u << below(random_, log2_of(bw) - 1), th = 4u << below(random_, log2_of(bh) - 1);
            if (are_sides(tw, th))
                return {tw, th};
        }
    }
    // Those that begin in the picture.
    template <typename Use>
    void each_transform(bool chroma, const Area &b, unsigned w, unsigned h, Use use) {
        for (unsigned y = b.y; y < std::min(b.y + b.h, end(chroma, true)); y += h)
            for (unsigned x = b.x; x < std::min(b.x + b.w, end(chroma, false)); x += w)
                use(Area{x, y, w, h});
    }

    // ---- edges

    unsigned columns(bool chroma) const { return layout_.plane[chroma].padded_width / 4; }
    void set_done(bool chroma, const Area &b) {
        for (unsigned y = b.y / 4; y < (b.y + b.h) / 4; y++)
            std::fill_n(done_[chroma].begin() + static_cast<std::ptrdiff_t>(y * columns(chroma) + b.x / 4), b.w / 4,
                        true);
    }
    bool is_done(bool chroma, unsigned x, unsigned y) const {
        return x < layout_.plane[chroma].padded_width && y < layout_.plane[chroma].padded_height &&
               done_[chroma][std::size_t{y / 4} * columns(chroma) + x / 4];
    }
    // One tile above the other, or one alone.
    unsigned tile_of(bool chroma, unsigned y) const { return y << ss_v(chroma) >= lower_tile_; }
    // Edges that the tile has, but for some by chance; and of their pixels what is decoded, now and then less.
    void set_edges(DdAv1Intra &i) {
        const auto reach = [&](unsigned side, auto done) {
            unsigned pixels = 0;
            while (pixels < 2 * side && done(pixels))
                pixels += 4;
            return static_cast<std::uint16_t>(pixels > 4 && below(random_, 4) == 0 ? 4 + 4 * below(random_, pixels / 4)
                                                                                   : pixels);
        };
        const unsigned tile = tile_of(i.chroma, i.y);
        if (i.y && tile_of(i.chroma, i.y - 1u) == tile && below(random_, 16))
            i.above = reach(1u << i.w_log2, [&](unsigned k) { return is_done(i.chroma, i.x + k, i.y - 1u); });
        if (i.x && below(random_, 16))
            i.left = reach(1u << i.h_log2, [&](unsigned k) {
                return tile_of(i.chroma, i.y + k) == tile && is_done(i.chroma, i.x - 1u, i.y + k);
            });
        i.has_above = i.above != 0;
        i.has_left = i.left != 0;
    }

    // ---- records

    DdAv1Intra intra_of(bool chroma, const Area &b, unsigned mode) {
        DdAv1Intra i{};
        i.chroma = chroma;
        i.mode = static_cast<std::uint8_t>(mode);
        i.w_log2 = static_cast<std::uint8_t>(log2_of(b.w));
        i.h_log2 = static_cast<std::uint8_t>(log2_of(b.h));
        i.x = static_cast<std::uint16_t>(b.x);
        i.y = static_cast<std::uint16_t>(b.y);
        i.tile = static_cast<std::uint16_t>(tile_of(chroma, b.y));
        return i;
    }

    struct Palette {
        Palette(Random &random, unsigned depth, const Area &b)
            : stride(b.w / 2 + below(random, 3)), indices(stride * b.h) {
            for (auto &pixel : pixels)
                pixel = static_cast<std::uint16_t>(below(random, depth == 8 ? 1u << 16 : 1u << depth));
            for (auto &two : indices)
                two = random() & 0x77;
        }
        std::array<std::uint16_t, 16> pixels;
        std::size_t stride;
        std::vector<std::uint8_t> indices;
    };

    // `whole`: what the palette's indices are of.
    void predict_intra(bool chroma, const Area &t, unsigned mode, const Palette &palette, const Area &whole) {
        DdAv1Intra i = intra_of(chroma, t, mode);
        set_edges(i);
        switch (mode) {
        case DD_AV1_INTRA_PAETH:
            if (!i.has_above || !i.has_left)
                i.mode = i.has_above ? DD_AV1_INTRA_V : i.has_left ? DD_AV1_INTRA_H : DD_AV1_INTRA_DC;
            break;
        case DD_AV1_INTRA_DIRECTION:
            set_angle(i);
            break;
        case DD_AV1_INTRA_FILTER:
            i.angle = static_cast<std::uint16_t>(below(random_, 5));
            break;
        case DD_AV1_INTRA_PALETTE:
            i.palette[0] = palette.pixels.data();
            i.palette[1] = chroma ? palette.pixels.data() + 8 : nullptr;
            i.indices = palette.indices.data() + (t.y - whole.y) * palette.stride + (t.x - whole.x) / 2;
            i.index_stride = static_cast<std::uint32_t>(palette.stride);
            break;
        default:
            break;
        }
        record_with_residuals(i);
        set_done(chroma, t);
    }

    void set_angle(DdAv1Intra &i) {
        constexpr unsigned main_ones[] = {45, 67, 90, 113, 135, 157, 180, 203};
        const unsigned angle = main_ones[below(random_, 8)] + 3 * below(random_, 7) - 9;
        if (angle == 90 || (angle < 90 && !i.has_above)) {
            i.mode = DD_AV1_INTRA_V;
        } else if (angle == 180 || (angle > 180 && !i.has_left)) {
            i.mode = DD_AV1_INTRA_H;
        } else {
            i.angle = static_cast<std::uint16_t>(angle);
            i.filters_edges = below(random_, 4) != 0;
            i.smooth = static_cast<std::uint8_t>(below(random_, 2));
        }
    }

    // `w`, `h`: of luma's transform blocks, which end what has luma.
    void from_luma(const Area &b, const Area &chroma, unsigned w, unsigned h) {
        DdAv1Intra i = intra_of(true, chroma, DD_AV1_INTRA_CFL);
        set_edges(i);
        const auto there = [](unsigned from, unsigned side, unsigned last, unsigned transform, unsigned ss, unsigned at,
                              unsigned of_chroma) {
            const unsigned visible = std::min(side, last - from); // of the block's luma
            const unsigned whole = (visible + transform - 1) / transform * transform + (from - (at << ss));
            return static_cast<std::uint8_t>(std::min(whole >> ss, of_chroma) / 4);
        };
        i.luma_w4 = there(b.x, b.w, end(false, false), w, ss_h(), chroma.x, chroma.w);
        i.luma_h4 = there(b.y, b.h, end(false, true), h, ss_v(), chroma.y, chroma.h);
        for (std::int8_t &alpha : i.alpha)
            alpha = static_cast<std::int8_t>(between(random_, -16, 16));
        record_with_residuals(i);
        set_done(true, chroma);
    }

    void blend(bool chroma, const Area &b) {
        constexpr std::uint8_t modes[] = {DD_AV1_INTRA_DC, DD_AV1_INTRA_V, DD_AV1_INTRA_H, DD_AV1_INTRA_SMOOTH};
        DdAv1Intra i = intra_of(chroma, b, modes[below(random_, 4)]);
        set_edges(i);
        i.mask = below(random_, 3) ? scene_.mask(b.w, b.h) : shared_mask_;
        record(i);
    }
    void add_residuals(bool chroma, const Area &t) {
        DdAv1Intra i = intra_of(chroma, t, DD_AV1_INTRA_NONE);
        record_with_residuals(i);
    }

    void fill(RandomResidual &residual, unsigned size) {
        unsigned type;
        do
            type = below(random_, kAv1TxTypes);
        while (!av1_shape(size, type).valid);
        const unsigned stride = std::min(av1_shape(size, type).h, 32u);
        do
            residual.fill(random_, size, type, layout_.format.bit_depth, [&](unsigned k) {
                const Av1Corner corner = k ? av1_corner(size, type, k) : Av1Corner{};
                return k ? below(random_, 1u << corner.cols) * stride + below(random_, 1u << corner.rows) : 0u;
            });
        while (residual.record_in(trial_) != Av1Recorded::ok);
        trial_.reset(layout_);
    }

    void record_with_residuals(DdAv1Intra &i) {
        RandomResidual residual[2];
        for (unsigned p = 0; p <= i.chroma; p++) {
            if (!chance(random_, choice_.residuals))
                continue;
            fill(residual[p], size_of(1u << i.w_log2, 1u << i.h_log2));
            residual[p].record.coefs = residual[p].memory;
            i.residual[p] = &residual[p].record;
        }
        if (i.mode != DD_AV1_INTRA_NONE || i.residual[0] || i.residual[1])
            record(i);
    }

    void record(const DdAv1Intra &i) {
        const std::size_t number = below(random_, static_cast<unsigned>(scene_.batch.recon.recorders.size()));
        Av1Recorder &recorder = scene_.batch.recon.recorders[number];
        const std::size_t before = recorder.intra_steps.size();
        CAPTURE(+i.chroma, +i.mode, +i.w_log2, +i.h_log2, i.x, i.y, i.above, i.left, i.angle, +i.luma_w4, +i.luma_h4);
        REQUIRE(recorder.intra(i) == Av1Recorded::ok);
        REQUIRE(recorder.intra_steps.size() > before);
        for (std::size_t step = before; step < recorder.intra_steps.size(); step++)
            order_.push_back({number, step});
    }

    // ---- inter blocks

    void predict(bool chroma, const Area &b) {
        DdAv1Prediction p{};
        p.chroma = chroma;
        p.kind = DD_AV1_SINGLE;
        p.x = static_cast<std::uint16_t>(b.x);
        p.y = static_cast<std::uint16_t>(b.y);
        p.w = static_cast<std::uint16_t>(b.w);
        p.h = static_cast<std::uint16_t>(b.h);
        p.source[0] = scene_.source(b.x, b.y, b.w, b.h);
        REQUIRE(scene_.recorder().predict(p));
    }
    void inter_residuals(bool chroma, const Area &t) {
        for (unsigned plane = chroma; plane <= 2u * chroma; plane++) {
            if (!chance(random_, choice_.residuals))
                continue;
            RandomResidual residual;
            fill(residual, size_of(t.w, t.h));
            residual.record.plane = static_cast<std::uint8_t>(plane);
            residual.record.x = static_cast<std::uint16_t>(t.x);
            residual.record.y = static_cast<std::uint16_t>(t.y);
            REQUIRE(residual.record_in(scene_.recorder().residuals) == Av1Recorded::ok);
        }
    }

    Av1Scene &scene_;
    Random &random_;
    const Av1IntraChoice &choice_;
    const PictureLayout &layout_;
    const std::uint8_t *shared_mask_;
    Av1Residuals trial_;
    unsigned lower_tile_ = 0;               // where it begins, in pixels of luma
    std::array<std::vector<bool>, 2> done_; // by cell of 4x4 pixels
    std::vector<reference::Av1IntraPlace> order_;
};

} // namespace

std::vector<reference::Av1IntraPlace> fill_with_intra(Av1Scene &scene, const Av1IntraChoice &choice) {
    return Generator(scene, choice).run();
}

} // namespace dd::test
