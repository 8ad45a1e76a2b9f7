// SPDX-License-Identifier: BSD-2-Clause
#include "reference/av1_batch.h"

#include "debug/av1_block_planes.h"
#include "debug/av1_coded_shape.h"
#include "reference/av1_prediction.h"
#include "reference/av1_residual.h"
#include "reference/pixels.h"

#include <bit>

namespace dd::reference {
namespace {

struct Part {
    bool chroma;
    std::uint16_t x, y, w, h;
};

Part part_of(std::uint32_t dst, std::uint32_t ctl) {
    const unsigned w = 4u << (ctl >> DD_AV1_W4_SHIFT & 3), h = 4u << (ctl >> DD_AV1_H4_SHIFT & 3);
    return {(ctl & DD_AV1_CHROMA) != 0, static_cast<std::uint16_t>(dst & 0xffff), static_cast<std::uint16_t>(dst >> 16),
            static_cast<std::uint16_t>(w), static_cast<std::uint16_t>(ctl & DD_AV1_TWO_ROWS ? 2 : h)};
}

int low_half(std::uint32_t word) {
    return static_cast<std::int16_t>(word);
}
int high_half(std::uint32_t word) {
    return static_cast<std::int16_t>(word >> 16);
}

// A position inside a pixel from which clause 7.11.3.5 gets to the first filter of 8x8 pixels.
int inside_pixel(std::int32_t first, int along, int down, int before) {
    return std::max(first + 4 * along + before * down, 0);
}

// Runs the records of one recorder.
class Runner {
  public:
    Runner(const Av1Batch &batch, const Av1Recorder &recorder,
           const std::array<const std::uint8_t *, kAv1Refs> &references, std::uint8_t *dst)
        : batch_(batch), recorder_(recorder), predictor_(batch.dst, references, dst), dst_(dst) {}

    void predictions() {
        each(recorder_.mc, [&](const DdAv1McRecord &r, unsigned group) { single(r, group); });
        each(recorder_.pairs, [&](const DdAv1PairRecord &r, unsigned group) { pair(r, group); });
        each_av1_plane(recorder_.blocks, batch_.dst, [&](const DdAv1McRecord &r, unsigned group, unsigned) {
            single(r, group);
            return true;
        });
        each_av1_plane(recorder_.pair_blocks, batch_.dst, [&](const DdAv1PairRecord &r, unsigned group, unsigned) {
            pair(r, group);
            return true;
        });
        each(recorder_.overlaps, [&](const DdAv1OverlapRecord &r, unsigned group) { overlap(r, group); });
        each(recorder_.warps, [&](const DdAv1WarpRecord &r, unsigned group) { warp(r, group); });
        each(recorder_.differences, [&](const DdAv1DiffRecord &r, unsigned group) { difference(r, group); });
    }

    void residuals() {
        for (const Av1ItxBin &bin : recorder_.residuals.bins)
            for (const DdAv1ItxRecord &record : bin.records)
                if (bin.shape & DD_AV1_ITX_DC_ALONE)
                    dc_alone(bin.shape, record);
                else
                    residual(bin.shape, record);
    }

  private:
    template <typename Streams, typename Use>
    static void each(const Streams &streams, Use use) {
        for (unsigned group = 0; group < streams.size(); group++)
            for (const auto &stream : streams[group])
                for (const auto &record : stream)
                    use(record, group);
    }

    DdAv1Source translated(const DdAv1RecordSource &from, unsigned group) const {
        DdAv1Source s{};
        s.ref = batch_.recon.references.bound(group)[from.how >> DD_AV1_REF_SHIFT & 7];
        s.x = low_half(from.at) * 16 + static_cast<int>(from.how >> DD_AV1_MX_SHIFT & 15);
        s.y = high_half(from.at) * 16 + static_cast<int>(from.how >> DD_AV1_MY_SHIFT & 15);
        s.taps_x = from.how >> DD_AV1_TAPS_X_SHIFT & 7;
        s.taps_y = from.how >> DD_AV1_TAPS_Y_SHIFT & 7;
        return s;
    }

    // A matrix that moves the 8x8 pixels around (x, y) to where the record has them.
    DdAv1Source any_source(const DdAv1RecordSource &from, const DdAv1RecordWarp &w, unsigned group, bool chroma,
                           unsigned x, unsigned y, DdAv1Warp &warp) const {
        DdAv1Source s = translated(from, group);
        if (!(from.how & DD_AV1_WARPED))
            return s;
        const unsigned ss_h = chroma ? batch_.dst.format.ss_h : 0, ss_v = chroma ? batch_.dst.format.ss_v : 0;
        const int alpha = low_half(w.alpha_beta), beta = high_half(w.alpha_beta);
        const int gamma = low_half(w.gamma_delta), delta = high_half(w.gamma_delta);
        const auto offset = [](int whole, int part, unsigned middle, unsigned ss) {
            const std::int64_t to = (std::int64_t{whole} + 4) * 65536 + part;
            return static_cast<std::int32_t>(to * (1 << ss) - (std::int64_t{middle} << (16 + ss)));
        };
        warp = {{offset(low_half(from.at), inside_pixel(w.mx, alpha, beta, 7), (x & ~7u) + 4, ss_h),
                 offset(high_half(from.at), inside_pixel(w.my, gamma, delta, 4), (y & ~7u) + 4, ss_v), 1 << 16, 0, 0,
                 1 << 16},
                {static_cast<std::int16_t>(alpha), static_cast<std::int16_t>(beta), static_cast<std::int16_t>(gamma),
                 static_cast<std::int16_t>(delta)}};
        s.warp = &warp;
        return s;
    }

    DdAv1Prediction prediction(std::uint32_t dst, std::uint32_t ctl, std::uint32_t mask) const {
        const Part part = part_of(dst, ctl);
        DdAv1Prediction p{};
        p.chroma = part.chroma;
        p.x = part.x;
        p.y = part.y;
        p.w = part.w;
        p.h = part.h;
        p.weight = ctl >> DD_AV1_WEIGHT_SHIFT & 127;
        p.kind = ctl & DD_AV1_HALVES     ? DD_AV1_SPLIT
                 : ctl & DD_AV1_MASKED   ? DD_AV1_BY_MASK
                 : ctl & DD_AV1_COMPOUND ? DD_AV1_WEIGHTED
                                         : DD_AV1_SINGLE;
        if (p.kind == DD_AV1_BY_MASK)
            p.mask = reinterpret_cast<const std::uint8_t *>(recorder_.masks.data() + mask);
        return p;
    }

    void single(const DdAv1McRecord &r, unsigned group) {
        DdAv1Prediction p = prediction(r.dst, r.ctl, 0);
        p.source[0] = translated(r.source[0], group);
        predictor_.predict(p);
    }

    void pair(const DdAv1PairRecord &r, unsigned group) {
        DdAv1Prediction p = prediction(r.dst, r.ctl, r.mask);
        for (unsigned i = 0; i < 2; i++)
            p.source[i] = translated(r.source[i], group);
        if (p.kind == DD_AV1_SPLIT)
            p.source[1].x += 32; // the record has the position of the whole cell
        predictor_.predict(p);
    }

    void overlap(const DdAv1OverlapRecord &r, unsigned group) {
        const Part part = part_of(r.dst, r.ctl);
        DdAv1Overlap o{};
        o.chroma = part.chroma;
        o.x = part.x;
        o.y = part.y;
        o.w = part.w;
        o.h = part.h;
        const unsigned above = r.ctl >> DD_AV1_ABOVE_SHIFT & 127, left = r.ctl >> DD_AV1_LEFT_SHIFT & 127;
        o.above = static_cast<std::uint8_t>(std::bit_floor(above) / 2);
        o.left = static_cast<std::uint8_t>(std::bit_floor(left) / 2);
        o.above_at = static_cast<std::uint8_t>(above - 2 * o.above);
        o.left_at = static_cast<std::uint8_t>(left - 2 * o.left);
        for (unsigned i = 0; i < 3; i++)
            o.source[i] = translated(r.source[i], group);
        predictor_.overlap(o);
    }

    void warp(const DdAv1WarpRecord &r, unsigned group) {
        DdAv1Prediction p = prediction(r.dst, r.ctl, r.mask);
        DdAv1Warp warps[2];
        for (unsigned i = 0; i < (p.kind == DD_AV1_SINGLE ? 1u : 2u); i++)
            p.source[i] = any_source(r.source[i], r.warp[i], group, p.chroma, p.x, p.y, warps[i]);
        predictor_.predict(p);
    }

    void difference(const DdAv1DiffRecord &r, unsigned group) {
        const unsigned ss_h = batch_.dst.format.ss_h, ss_v = batch_.dst.format.ss_v;
        DdAv1Difference d{};
        d.chroma = (r.ctl & DD_AV1_HAS_CHROMA) != 0;
        d.sign = (r.ctl & DD_AV1_SIGN) != 0;
        d.x = static_cast<std::uint16_t>(r.dst & 0xffff);
        d.y = static_cast<std::uint16_t>(r.dst >> 16);
        d.w = static_cast<std::uint16_t>(4u << ss_h);
        d.h = static_cast<std::uint16_t>(4u << ss_v);
        DdAv1Warp luma[2], chroma[2];
        for (unsigned i = 0; i < 2; i++) {
            d.source[i] = any_source(r.source[i], r.warp[i], group, false, d.x, d.y, luma[i]);
            if (d.chroma)
                d.chroma_source[i] = any_source(r.chroma_source[i], r.chroma_warp[i], group, true,
                                                unsigned{d.x} >> ss_h, unsigned{d.y} >> ss_v, chroma[i]);
        }
        predictor_.difference(d);
    }

    void dc_alone(std::uint32_t bits, const DdAv1ItxRecord &record) {
        const Av1Shape shape = av1_shape(av1_shape_of_bits(bits)->size, 0);
        Plane plane(batch_.dst, record.dst & 3, reinterpret_cast<std::byte *>(dst_));
        const int x = record.dst & 0xfffc, y = static_cast<int>(record.dst >> 16);
        for (int i = 0; i < static_cast<int>(shape.w * shape.h); i++) {
            const int px = x + i % static_cast<int>(shape.w), py = y + i / static_cast<int>(shape.w);
            plane.set(px, py, plane.clip(std::int64_t{plane.at(px, py)} + static_cast<std::int32_t>(record.coefs)));
        }
    }

    void residual(std::uint32_t bits, const DdAv1ItxRecord &record) {
        Av1Coefs coefs;
        DdAv1Residual r = residual_of_record(batch_.dst, recorder_.residuals, bits, record, coefs);
        r.plane = record.dst & 3;
        r.x = record.dst & 0xfffc;
        r.y = static_cast<std::uint16_t>(record.dst >> 16);
        add_residual(batch_.dst, r, reinterpret_cast<std::byte *>(dst_));
    }

    const Av1Batch &batch_;
    const Av1Recorder &recorder_;
    Av1Predictor predictor_;
    std::uint8_t *dst_;
};

} // namespace

void run_av1_recon(const Av1Batch &batch, const std::array<const std::uint8_t *, kAv1Refs> &references,
                   std::uint8_t *dst) {
    for (const Av1Recorder &recorder : batch.recon.recorders)
        Runner(batch, recorder, references, dst).predictions();
    for (const Av1Recorder &recorder : batch.recon.recorders)
        Runner(batch, recorder, references, dst).residuals();
}

} // namespace dd::reference
