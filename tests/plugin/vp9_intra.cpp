// SPDX-License-Identifier: BSD-2-Clause
//
// Intra blocks of VP9 as they are recorded: their levels, the corners of their transforms, and which frames take them.
#include "catch.h"

#include "plugin/decoder.h"
#include "util/environment.h"
#include "vp9/intra_schedule.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

using namespace dd;
using namespace dd::test;

namespace {

constexpr PictureFormat kFormat{150, 90, 8, 1, 1, 3};

// A block of 8x8 with one transform of luma, whose buffers have coefficients everywhere that is asked for.
struct Block {
    std::array<std::int16_t, 64> coefs[3] = {};
    std::array<std::uint8_t, 4> eobs[3] = {};
    DdVp9IntraBlock call = {};

    Block(unsigned x, unsigned y, unsigned mode) {
        call.residuals.x = x;
        call.residuals.y = y;
        call.residuals.w4 = call.residuals.h4 = 2;
        call.residuals.kind[0] = 1;
        call.has_left = x > 0;
        std::ranges::fill(call.mode, static_cast<std::uint8_t>(mode));
        call.chroma_mode = static_cast<std::uint8_t>(mode);
    }
    void set(unsigned plane, unsigned at, std::int16_t value, unsigned eob) {
        coefs[plane][at] = value;
        eobs[plane][0] = static_cast<std::uint8_t>(eob);
        call.residuals.coefs[plane] = coefs[plane].data();
        call.residuals.eobs[plane] = eobs[plane].data();
    }
};

Vp9Batch empty_batch(const PictureFormat &format = kFormat, unsigned recorders = 1) {
    Vp9Batch batch;
    batch.reset(make_picture_layout(format, 64), {}, recorders);
    return batch;
}

// Levels of luma, in the order of recording.
std::vector<unsigned> levels_of_row(unsigned mode) {
    Vp9Batch batch = empty_batch();
    for (unsigned x = 0; x < 40; x += 8)
        REQUIRE(batch.recorders[0].intra_block(Block(x, 0, mode).call));
    std::vector<unsigned> levels;
    for (const Vp9IntraStep &step : batch.recorders[0].intra)
        if ((step.record.dst & 3) == 0)
            levels.push_back(step.level);
    return levels;
}

Vp9Batch batch_with_residuals() {
    Vp9Batch batch = empty_batch(kFormat, 2);
    std::mt19937 random(test_seed());
    for (unsigned y = 0; y < 88; y += 8)
        for (unsigned x = 0; x < 144; x += 8) {
            Block block(x, y, random() % DD_INTRA_MODES);
            block.call.has_left = x != 0 && x != 64;
            for (unsigned plane = 0; plane < 3; plane++)
                if (random() % 2)
                    block.set(plane, 0, static_cast<std::int16_t>(random() % 100), 1 + random() % 4);
            REQUIRE(batch.recorders[x >= 64].intra_block(block.call));
        }
    return batch;
}

} // namespace

TEST_CASE("a block's level is above those of the blocks that it reads", "[recorder][intra]") {
    REQUIRE(levels_of_row(DD_INTRA_DC) == std::vector{1u, 2u, 3u, 4u, 5u});
    REQUIRE(levels_of_row(DD_INTRA_V) == std::vector{1u, 1u, 1u, 1u, 1u});

    Vp9Batch batch = empty_batch();
    Vp9Recorder &recorder = batch.recorders[0];
    for (unsigned frame = 0; frame < 40000; frame++) { // nothing is left of the frames before, however many
        batch.reset(batch.dst, {}, 1);
        REQUIRE(recorder.intra_block(Block(8, 8, DD_INTRA_DC).call));
        REQUIRE(recorder.intra_block(Block(40, 8, DD_INTRA_DC).call));
        REQUIRE(recorder.intra_block(Block(16, 16, DD_INTRA_V).call));  // reads above alone: an inter block
        REQUIRE(recorder.intra_block(Block(48, 16, DD_INTRA_TM).call)); // its corner is the second block
        REQUIRE(recorder.intra[0].level == 1);
        REQUIRE(recorder.intra[2].level == 1);
        REQUIRE(recorder.intra[4].level == 1);
        REQUIRE(recorder.intra[6].level == 2);
        REQUIRE(recorder.intra_levels == std::array{2u, 2u});
    }
}

TEST_CASE("the schedule has every block once, by level and size", "[recorder][intra]") {
    const Vp9Batch batch = batch_with_residuals();
    Vp9IntraSchedule schedule;
    for (unsigned again = 0; again < 2; again++) {
        schedule.build(batch);
        REQUIRE(schedule.table.size() == (schedule.levels[0] + schedule.levels[1]) * DD_INTRA_SIZES + 1);
        REQUIRE(schedule.table.front() == 0);
        REQUIRE(std::ranges::is_sorted(schedule.table));
        REQUIRE(schedule.table.back() == batch.recorders[0].intra.size() + batch.recorders[1].intra.size());
        REQUIRE(schedule.records.size() == schedule.table.back());
        for (std::size_t place = 0; place + 1 < schedule.table.size(); place++)
            for (std::uint32_t i = schedule.table[place]; i < schedule.table[place + 1]; i++) {
                REQUIRE(intra_size(schedule.records[i].how) == place % DD_INTRA_SIZES);
                REQUIRE((schedule.records[i].dst & 3) == (place / DD_INTRA_SIZES < schedule.levels[0] ? 0 : 1));
            }
    }
}

TEST_CASE("the corner of an ADST's scan has all of its coefficients", "[recorder][intra]") {
    // Six positions of the scan of rows and eight of that of columns lie in the upper left 4x4; both have a seventh
    // and a ninth that don't.
    for (const auto &[mode, eob, corner] :
         {std::array{DD_INTRA_H, 6u, 1u}, std::array{DD_INTRA_H, 7u, 2u}, std::array{DD_INTRA_V, 8u, 1u},
          std::array{DD_INTRA_V, 9u, 2u}, std::array{DD_INTRA_TM, 12u, 1u}, std::array{DD_INTRA_DC, 13u, 2u}}) {
        Vp9Batch batch = empty_batch();
        Block block(0, 0, mode);
        block.set(0, 0, 5, eob);
        REQUIRE(batch.recorders[0].intra_block(block.call));
        REQUIRE((batch.recorders[0].intra_itx[1][0].how & DD_INTRA_ITX_CORNER_MASK) == corner);
        REQUIRE(block.coefs[0][0] == 0);
    }
}

TEST_CASE("intra blocks are taken where predictions and residuals are, on a wide GPU", "[session][intra]") {
    struct Case {
        const char *plan, *profile;
        bool intra_only, takes;
    };
    for (const Case &c : {Case{"gpu", "wide", false, true}, Case{"mc=gpu,itx=gpu", "wide", false, true},
                          Case{"gpu", "v3d", false, false}, Case{"gpu", "wide", true, false},
                          Case{"mc=gpu,lf=gpu", "wide", false, false}, Case{"itx=gpu,lf=gpu", "wide", false, false},
                          Case{"mc=gpu,itx=gpu,intra=cpu", "wide", false, false}}) {
        CAPTURE(c.plan, c.profile, c.intra_only);
        LogLines log;
        const Device device = open_device(log, c.plan, c.profile);
        const Session session = open_session(device.get());
        const Picture ref = alloc_picture(session.get(), kFormat), dst = alloc_picture(session.get(), kFormat);
        DdFrameInfo info = frame_info(dst.get(), {ref.get(), ref.get(), ref.get()});
        info.intra_only = c.intra_only;
        info.filtered = 1;
        DdFrame *frame = nullptr;
        REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
        REQUIRE((dd_vp9_takes_intra(frame) != 0) == c.takes);
        DdVp9Recorder *recorder = dd_vp9_recorder(frame, 0);
        REQUIRE(recorder);
        const Block block(0, 0, DD_INTRA_DC);
        REQUIRE(dd_vp9_intra_block(recorder, &block.call) == (c.takes ? DD_OK : DD_ERR_INVALID));
        REQUIRE(dd_vp9_intra_block(recorder, nullptr) == DD_ERR_INVALID);
        REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == (c.takes ? DD_OK : DD_ERR_INVALID));
        dd_frame_end(&frame, c.takes ? DD_OUTCOME_DONE : DD_OUTCOME_RERUN);
        // Nothing is around the block.
        if (c.takes) {
            std::uint8_t *data[3];
            std::ptrdiff_t stride[3];
            dd_picture_planes(dst.get(), data, stride);
            REQUIRE(data[0][7 * stride[0] + 7] == 128);
            REQUIRE(data[2][3 * stride[2] + 3] == 128);
        }
    }
}
