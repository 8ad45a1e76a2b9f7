// SPDX-License-Identifier: BSD-2-Clause
//
// A decoder of random frames through the C interface.
#pragma once
#include "catch.h"

#include "plugin/decoder.h"

#include <array>
#include <random>

namespace dd::test {

// A decoder of random frames that checks each one: references are frames decoded before.
class RandomDecoder {
  public:
    RandomDecoder(DdSession *session, const PictureFormat &format, const RandomOptions &options, std::uint32_t seed)
        : session_(session), format_(format), options_(options), random_(seed) {
        const RandomFrame shape = make_random_frame(random_, format, options);
        for (unsigned slot = 0; slot < 3; slot++) {
            pixels_[slot] = random_pixels(random_, shape.ref[slot]);
            picture_[slot] = alloc_picture(session, shape.ref[slot].format);
            write_pixels(picture_[slot].get(), shape.ref[slot], pixels_[slot]);
        }
    }

    // A single thread records the next frame.
    void next_has_one_recorder() { recorders_ = 2; }

    // The outcome of the frame, whose pixels are those of the reference whatever happens to the GPU.
    DdOutcome frame() {
        const RandomFrame random = make_random_frame(random_, format_, options_);
        Vp9Batch batch;
        recorders_ = 3 - recorders_;
        test::record(random, batch, recorders_);
        std::vector<std::byte> expected = random_pixels(random_, random.dst);
        Picture dst = alloc_picture(session_, format_);
        write_pixels(dst.get(), random.dst, expected);
        const std::vector<std::byte> start = expected;
        run_stages(batch, expected, refs(), true, true, options_.filter);

        DdFrame *frame = begin(dst.get());
        const bool good = decode(frame, random, batch, dst.get(), start);
        if (!good) // as a decoder would: everything again, on the CPU
            write_pixels(dst.get(), random.dst, expected);
        dd_frame_end(&frame, good ? DD_OUTCOME_DONE : DD_OUTCOME_RERUN);
        REQUIRE(frame == nullptr);
        INFO("seed " << test_seed());
        REQUIRE(difference(dst.get(), random.dst, expected) == "");
        picture_[0] = std::move(dst);
        pixels_[0] = std::move(expected);
        return good ? DD_OUTCOME_DONE : DD_OUTCOME_RERUN;
    }

  private:
    std::array<const std::vector<std::byte> *, 3> refs() const { return {&pixels_[0], &pixels_[1], &pixels_[2]}; }

    DdFrame *begin(DdPicture *dst) {
        DdFrameInfo info = frame_info(dst, {picture_[0].get(), picture_[1].get(), picture_[2].get()});
        info.recorders = recorders_;
        info.filtered = options_.filter;
        DdFrame *frame = nullptr;
        REQUIRE(dd_frame_begin(session_, &info, &frame) == DD_OK);
        return frame;
    }

    // The CPU's stages write through its view of the picture, between the phases.
    void on_cpu(DdPicture *dst, const RandomFrame &random, const Vp9Batch &batch, bool mc, bool itx, bool lf) {
        std::uint8_t *data[3];
        std::ptrdiff_t stride[3];
        dd_picture_planes(dst, data, stride);
        const auto *base = reinterpret_cast<const std::byte *>(data[0]) - random.dst.plane[0].offset;
        std::vector<std::byte> pixels(base, base + random.dst.size);
        run_stages(batch, pixels, refs(), mc, itx, lf);
        write_pixels(dst, random.dst, pixels);
    }

    bool decode(DdFrame *frame, const RandomFrame &random, const Vp9Batch &batch, DdPicture *dst,
                const std::vector<std::byte> &start) {
        if (record(frame, random, recorders_) != DD_OK)
            return false;
        const DdPlan plan = dd_frame_plan(frame);
        const bool mc = plan.side[DD_STAGE_MC] == DD_SIDE_GPU, itx = plan.side[DD_STAGE_ITX] == DD_SIDE_GPU;
        const bool lf = plan.side[DD_STAGE_LF] == DD_SIDE_GPU;
        if (!mc)
            on_cpu(dst, random, batch, true, false, false);
        const bool whole = itx && lf; // nothing for the CPU in between
        const unsigned recon = whole ? DD_PHASE_RECON | DD_PHASE_FILTER : DD_PHASE_RECON;
        if (dd_frame_submit(frame, recon, !mc || !start.empty()) != DD_OK || dd_frame_wait(frame) != DD_OK)
            return false;
        if (!itx)
            on_cpu(dst, random, batch, false, true, false);
        if (lf && !whole)
            return dd_frame_submit(frame, DD_PHASE_FILTER, !itx) == DD_OK && dd_frame_wait(frame) == DD_OK;
        if (!lf && options_.filter)
            on_cpu(dst, random, batch, false, false, true);
        return true;
    }

    DdSession *session_;
    PictureFormat format_;
    RandomOptions options_;
    std::mt19937 random_;
    unsigned recorders_ = 1; // 2 and 1 in turn
    std::array<Picture, 3> picture_;
    std::array<std::vector<std::byte>, 3> pixels_;
};

inline DdStats stats_of(DdSession *session) {
    DdStats stats = {};
    stats.size = sizeof(stats);
    REQUIRE(dd_session_stats(session, &stats) == DD_OK);
    return stats;
}

} // namespace dd::test
