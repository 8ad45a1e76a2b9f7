// SPDX-License-Identifier: BSD-2-Clause
//
// What the recorder makes of AV1's intra blocks, apart from their pixels.
#include "av1/dispatch.h"
#include "av1/intra_schedule.h"
#include "catch.h"
#include "debug/saved_batch.h"
#include "kernels/av1_random_intra.h"
#include "plugin/temporary.h"
#include "reference/av1_batch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

using namespace dd;
using namespace dd::test;

namespace {

constexpr PictureFormat kFormats[] = {
    {1, 1, 8, 1, 1, 3}, {70, 40, 10, 1, 1, 3}, {226, 130, 8, 1, 0, 3}, {150, 200, 12, 0, 0, 3}, {200, 150, 8, 1, 1, 1}};

using Bytes = std::vector<std::uint8_t>;
using Places = std::vector<reference::Av1IntraPlace>;

Bytes done_in(const Av1Scene &scene, const Places &order) {
    Bytes pixels = scene.before;
    reference::run_av1_intra(scene.batch, order, pixels.data());
    return pixels;
}

// ---- single blocks

// Coefficients of a transform block.
struct Coefs {
    std::array<std::int16_t, 32 * 32> values{};
    std::array<std::int16_t, 32 * 32> home{};
    DdAv1Residual record{};

    explicit Coefs(unsigned size, std::int16_t each = 40) {
        std::fill_n(values.begin(), 16, each);
        record.size = static_cast<std::uint8_t>(size);
        record.eob = 255;
        record.coefs = values.data();
    }
    bool untouched(std::int16_t each = 40) const {
        return std::all_of(values.begin(), values.begin() + 16, [&](std::int16_t v) { return v == each; }) &&
               std::all_of(values.begin() + 16, values.end(), [](std::int16_t v) { return v == 0; });
    }
    bool taken() const {
        return std::ranges::all_of(values, [](std::int16_t v) { return v == 0; });
    }
};
constexpr std::int16_t kTooLarge = 32000; // for a transform's values in between

constexpr unsigned kSize8 = 1, kSize16 = 2; // 8x8, 16x16

constexpr PictureFormat kSmall = {100, 80, 8, 1, 1, 3}; // padded to 128x128

struct Recording {
    Av1Recon recon;
    Recording() { recon.reset(make_picture_layout(kSmall, 128), Av1References(), 1); }
    Av1Recorder &recorder() { return recon.recorders[0]; }
    bool empty() {
        return recorder().intra_steps.empty() && recorder().predictions == 0 && recorder().residuals.count == 0;
    }
};

// A block that may be, of 16x16.
DdAv1Intra good_block(bool chroma) {
    DdAv1Intra i{};
    i.chroma = chroma;
    i.mode = DD_AV1_INTRA_SMOOTH;
    i.w_log2 = i.h_log2 = 4;
    i.x = i.y = 32;
    i.has_above = i.has_left = 1;
    i.above = i.left = 32;
    return i;
}

struct Spoilt {
    const char *what;
    std::function<void(DdAv1Intra &)> spoil;
};

constexpr std::uint8_t kBytes[32 * 32] = {}; // indices, weights, colours

void check_refused(const DdAv1Intra &good, const std::vector<Spoilt> &all) {
    {
        Recording recording;
        REQUIRE(recording.recorder().intra(good) == Av1Recorded::ok);
    }
    for (const auto &[what, spoil] : all) {
        CAPTURE(what);
        Recording recording;
        DdAv1Intra bad = good;
        spoil(bad);
        CHECK(recording.recorder().intra(bad) == Av1Recorded::invalid);
        CHECK(recording.empty());
    }
}

std::uint32_t level_of(Av1Recorder &recorder, const DdAv1Intra &i) {
    REQUIRE(recorder.intra(i) == Av1Recorded::ok);
    return recorder.intra_steps.back().level;
}

DdAv1Intra cell_at(unsigned x, unsigned y, unsigned mode) {
    DdAv1Intra i{};
    i.mode = static_cast<std::uint8_t>(mode);
    i.w_log2 = i.h_log2 = 2;
    i.x = static_cast<std::uint16_t>(x);
    i.y = static_cast<std::uint16_t>(y);
    return i;
}
DdAv1Intra with_left(DdAv1Intra i, unsigned pixels = 4) {
    i.has_left = 1;
    i.left = static_cast<std::uint16_t>(pixels);
    return i;
}
DdAv1Intra with_above(DdAv1Intra i, unsigned pixels = 4) {
    i.has_above = 1;
    i.above = static_cast<std::uint16_t>(pixels);
    return i;
}

// ---- their order

template <typename T>
Bytes bytes_of(const T &records) {
    Bytes bytes(records.size() * sizeof(records[0]));
    if (!bytes.empty())
        std::memcpy(bytes.data(), records.data(), bytes.size());
    return bytes;
}

// All that a kernel reads of a wave.
struct WaveWords {
    Bytes groups, first_group, records;
    std::uint32_t words;
    bool operator==(const WaveWords &) const = default;

    WaveWords(const Av1IntraSchedule &wave, const Av1Recon &recon)
        : groups(bytes_of(wave.groups)), first_group(bytes_of(wave.first_group)), words(wave.words) {
        std::vector<DdAv1IntraRecord> all;
        wave.each_record(recon, 0, [&](const DdAv1IntraRecord &record) { all.push_back(record); });
        records = bytes_of(all);
    }
};

// ---- files

struct Frame {
    Frame(Random &random, const PictureFormat &format) : scene(random, format, 2) {
        Av1IntraChoice choice;
        choice.predicts = true;
        fill_with_intra(scene, choice);
    }
    std::vector<std::byte> saved() const {
        const TemporaryFile file;
        BatchView view{DD_PHASE_RECON, &scene.batch, reinterpret_cast<const std::byte *>(scene.before.data()), {}};
        for (unsigned slot = 0; slot < kAv1Refs; slot++)
            if (scene.batch.recon.used_refs() >> slot & 1)
                view.ref[slot] = reinterpret_cast<const std::byte *>(scene.pixels_of[slot]);
        REQUIRE(save_batch(file.path(), view) == "");
        return file.read();
    }
    Bytes done_by(const Av1Batch &batch) const {
        Bytes pixels = scene.before;
        reference::run_av1_recon(batch, scene.pixels_of, pixels.data());
        return pixels;
    }
    Av1Scene scene;
};

} // namespace

TEST_CASE("AV1 intra blocks of a level are predicted in any order") {
    Random random(Catch::rngSeed());
    for (const PictureFormat &format : kFormats)
        for (const unsigned inter : {0u, 20u, 60u, 100u}) {
            Av1Scene scene(random, format, 1);
            Av1IntraChoice choice;
            choice.inter = inter;
            const Bytes wanted = done_in(scene, fill_with_intra(scene, choice));
            const auto level = [&](const reference::Av1IntraPlace &p) {
                return scene.batch.recon.recorders[p.recorder].intra_steps[p.step].level;
            };
            Places order = reference::av1_intra_by_level(scene.batch);
            CAPTURE(format.width, format.height, +format.bit_depth, +format.ss_h, inter);
            CHECK((done_in(scene, order) == wanted));
            std::ranges::reverse(order);
            std::ranges::stable_sort(order, {}, level);
            CHECK((done_in(scene, order) == wanted));
            for (unsigned turn = 0; turn < 3; turn++) {
                std::ranges::shuffle(order, random);
                std::ranges::stable_sort(order, {}, level);
                CHECK((done_in(scene, order) == wanted));
            }
        }
}

TEST_CASE("AV1 intra blocks begin at the first level in each frame") {
    Random random(Catch::rngSeed());
    const PictureFormat format = kFormats[2];
    Av1Scene scene(random, format, 1);
    for (unsigned turn = 0; turn < 4; turn++) {
        scene.batch.recon.reset(scene.batch.dst, {}, 2, 2);
        fill_with_intra(scene, {});
        std::uint32_t lowest = UINT32_MAX;
        for (const Av1Recorder &recorder : scene.batch.recon.recorders) {
            std::uint32_t highest = 0;
            for (const Av1IntraStep &step : recorder.intra_steps) {
                lowest = std::min(lowest, step.level);
                highest = std::max(highest, step.level);
            }
            CHECK(highest == recorder.intra_levels);
        }
        CHECK(lowest == 1);
    }
}

TEST_CASE("an order of AV1 intra blocks says nothing of the frame before") {
    Random random(Catch::rngSeed());
    Av1IntraSchedule used;
    for (const unsigned format : {3u, 0u, 4u, 1u, 2u, 0u}) { // large and small
        Av1Scene scene(random, kFormats[format], 1);
        Av1IntraChoice choice;
        choice.inter = 0; // or a small picture may have none
        fill_with_intra(scene, choice);
        Av1IntraSchedule fresh;
        fresh.build(scene.batch.recon);
        used.build(scene.batch.recon);
        CAPTURE(format);
        REQUIRE(fresh.records() != 0);
        CHECK((WaveWords(used, scene.batch.recon) == WaveWords(fresh, scene.batch.recon)));
    }
}

TEST_CASE("the level of an AV1 intra block is one more than those of what it reads") {
    Recording recording;
    Av1Recorder &recorder = recording.recorder();
    // A row of three, and what reads parts of it.
    CHECK(level_of(recorder, cell_at(0, 0, DD_AV1_INTRA_DC)) == 1);
    CHECK(level_of(recorder, with_left(cell_at(4, 0, DD_AV1_INTRA_DC))) == 2);
    CHECK(level_of(recorder, with_left(cell_at(8, 0, DD_AV1_INTRA_H))) == 3);
    CHECK(level_of(recorder, cell_at(12, 0, DD_AV1_INTRA_DC)) == 1);               // nothing
    CHECK(level_of(recorder, with_left(cell_at(16, 0, DD_AV1_INTRA_V))) == 2);     // in place of a row above
    CHECK(level_of(recorder, with_above(cell_at(0, 4, DD_AV1_INTRA_V))) == 2);     // only what is above
    CHECK(level_of(recorder, with_above(cell_at(32, 4, DD_AV1_INTRA_V))) == 1);    // of another kind of block
    CHECK(level_of(recorder, with_above(cell_at(4, 4, DD_AV1_INTRA_DC), 8)) == 4); // above and to the right
    DdAv1Intra corner = with_left(with_above(cell_at(12, 4, DD_AV1_INTRA_PAETH)));
    CHECK(level_of(recorder, corner) == 4); // the one at 8 0
    // Lower left.
    CHECK(level_of(recorder, with_left(cell_at(4, 64, DD_AV1_INTRA_DC))) == 1);
    CHECK(level_of(recorder, with_left(cell_at(8, 64, DD_AV1_INTRA_DC))) == 2);
    DdAv1Intra below = cell_at(12, 60, DD_AV1_INTRA_DC);
    CHECK(level_of(recorder, with_left(below, 4)) == 1);
    below.y = 56;
    below.h_log2 = 3;
    CHECK(level_of(recorder, with_left(below, 12)) == 3);

    // The rest reads all of a larger one.
    DdAv1Intra large = with_left(cell_at(16, 56, DD_AV1_INTRA_H), 8);
    large.w_log2 = large.h_log2 = 3;
    CHECK(level_of(recorder, large) == 4);
    CHECK(level_of(recorder, with_left(cell_at(24, 60, DD_AV1_INTRA_H))) == 5);
    CHECK(level_of(recorder, with_above(cell_at(16, 64, DD_AV1_INTRA_V))) == 5);
    // Palettes and chroma of other cells read nothing.
    DdAv1Intra palette = with_left(cell_at(28, 60, DD_AV1_INTRA_PALETTE));
    palette.palette[0] = palette.indices = kBytes;
    CHECK(level_of(recorder, palette) == 1);
    DdAv1Intra chroma = with_left(cell_at(4, 0, DD_AV1_INTRA_DC));
    chroma.chroma = 1;
    CHECK(level_of(recorder, chroma) == 1);
    CHECK(recorder.intra_levels == 5);
}

TEST_CASE("AV1 chroma that is predicted from luma comes two levels after it") {
    Recording recording;
    Av1Recorder &recorder = recording.recorder();
    level_of(recorder, cell_at(0, 0, DD_AV1_INTRA_DC));
    level_of(recorder, with_left(cell_at(4, 0, DD_AV1_INTRA_DC)));
    level_of(recorder, with_above(cell_at(0, 4, DD_AV1_INTRA_DC)));
    CHECK(level_of(recorder, with_left(with_above(cell_at(4, 4, DD_AV1_INTRA_DC)))) == 3);
    DdAv1Intra i = cell_at(0, 0, DD_AV1_INTRA_CFL);
    i.chroma = 1;
    i.luma_w4 = i.luma_h4 = 1;
    CHECK(level_of(recorder, i) == 5);
    const std::size_t steps = recorder.intra_steps.size();
    const Av1IntraStep &sums = recorder.intra_steps[steps - 2];
    CHECK((sums.record.how >> DD_AV1_INTRA_MODE_SHIFT & 15) == DD_AV1_DO_SUMS);
    CHECK(sums.level == 4);
    CHECK(recorder.intra_words == 4);
    // Chroma that reads that one.
    DdAv1Intra next = with_left(cell_at(4, 0, DD_AV1_INTRA_DC));
    next.chroma = 1;
    CHECK(level_of(recorder, next) == 6);
}

TEST_CASE("residuals of recursive and blended AV1 predictions are added a level later") {
    Recording recording;
    Av1Recorder &recorder = recording.recorder();
    Coefs first(kSize16), second(kSize16);
    DdAv1Intra recursive = good_block(false);
    recursive.mode = DD_AV1_INTRA_FILTER;
    recursive.residual[0] = &first.record;
    CHECK(level_of(recorder, recursive) == 2);
    CHECK(recorder.intra_steps.size() == 2);
    DdAv1Intra blend = good_block(false);
    blend.x = 64;
    blend.mask = kBytes;
    CHECK(level_of(recorder, blend) == 1);
    DdAv1Intra rest = good_block(false);
    rest.x = 64;
    rest.mode = DD_AV1_INTRA_NONE;
    rest.has_above = rest.has_left = 0;
    rest.residual[0] = &second.record;
    CHECK(level_of(recorder, rest) == 2);
    DdAv1Intra reader = good_block(false);
    reader.x = 80;
    CHECK(level_of(recorder, reader) == 3);
}

TEST_CASE("an AV1 block parts of which come again has the levels of all its parts") {
    Recording recording;
    Av1Recorder &recorder = recording.recorder();
    const auto part_at = [](unsigned x, unsigned y) {
        DdAv1Intra part = cell_at(x, y, DD_AV1_INTRA_NONE);
        part.w_log2 = part.h_log2 = 3;
        return part;
    };
    DdAv1Intra blend = cell_at(32, 32, DD_AV1_INTRA_DC);
    blend.w_log2 = blend.h_log2 = 4;
    blend.mask = kBytes;
    CHECK(level_of(recorder, blend) == 1);
    for (const bool ends : {false, true}) { // its last row and column are in two of the others, then in this one
        Coefs coefs(kSize8);
        coefs.record.eob = 63;
        DdAv1Intra part = ends ? part_at(40, 40) : part_at(32, 32);
        part.residual[0] = &coefs.record;
        CHECK(level_of(recorder, part) == 2);
        CHECK(level_of(recorder, with_left(cell_at(48, 32, DD_AV1_INTRA_H))) == 2);
        CHECK(level_of(recorder, with_left(cell_at(48, 44, DD_AV1_INTRA_H))) == 2u + ends);
        CHECK(level_of(recorder, with_above(cell_at(44, 48, DD_AV1_INTRA_V))) == 2u + ends);
        CHECK(level_of(recorder, with_above(cell_at(32, 48, DD_AV1_INTRA_V))) == 2);
    }
}

TEST_CASE("AV1 tiles that are recorded in turn don't see each other's intra blocks") {
    Av1Recon recon;
    recon.reset(make_picture_layout(kSmall, 128), Av1References(), 1, 2);
    Av1Recorder &recorder = recon.recorders[0];
    for (unsigned n = 0; n < 4; n++)
        for (unsigned tile = 0; tile < 2; tile++) { // two squares on the same diagonals
            DdAv1Intra i = cell_at(64 * tile + 4 * n, 64 * tile, DD_AV1_INTRA_H);
            i.tile = static_cast<std::uint16_t>(tile);
            CHECK(level_of(recorder, n ? with_left(i) : i) == n + 1);
        }
}

TEST_CASE("levels of AV1 intra blocks end somewhere, and begin again") {
    const PictureLayout wide = make_picture_layout({16384, 8, 8, 1, 1, 1}, 128);
    const PictureLayout other = make_picture_layout({64, 64, 8, 1, 1, 3}, 128);
    Av1Batch batch;
    batch.dst = wide;
    Av1Recon &recon = batch.recon;
    for (unsigned frame = 0; frame < 70; frame++) { // more than the numbers that cells may have
        recon.reset(wide, {}, 1);
        Av1Recorder &recorder = recon.recorders[0];
        bool right = true;
        for (unsigned cell = 0; cell < 16384 / 4; cell++) {
            const DdAv1Intra i = cell_at(4 * cell, 0, DD_AV1_INTRA_H);
            const std::uint32_t level = level_of(recorder, cell ? with_left(i) : i);
            right &= level == std::min(cell + 1, Av1IntraLevels::kMostLevel);
        }
        CHECK(right);
        CHECK(recorder.intra_levels == Av1IntraLevels::kMostLevel);
        CHECK(level_of(recorder, with_above(cell_at(0, 4, DD_AV1_INTRA_V))) == 2);
        CHECK(level_of(recorder, cell_at(4, 4, DD_AV1_INTRA_DC)) == 1);
        if (frame % 8 != 7)
            continue;
        PhaseWork work;
        plan_av1_recon(batch, Profile::wide, work); // such a frame isn't the GPU's
        CHECK(too_many_av1_dispatches(work, Profile::wide));
        recon.reset(other, {}, 1);
        CHECK(level_of(recon.recorders[0], with_left(cell_at(4, 0, DD_AV1_INTRA_DC))) == 1);
    }
}

TEST_CASE("AV1 intra blocks that have no place are refused") {
    const bool chroma = GENERATE(false, true);
    const auto end = static_cast<std::uint16_t>(chroma ? 64 : 128);
    check_refused(good_block(chroma), {
                                          {"no such plane", [](auto &i) { i.chroma = 2; }},
                                          {"no such tile", [](auto &i) { i.tile = 1; }},
                                          {"not at a cell", [](auto &i) { i.x = 34; }},
                                          {"not at a cell", [](auto &i) { i.y = 33; }},
                                          {"beyond the padding", [=](auto &i) { i.x = end, i.above = 4; }},
                                          {"beyond the padding", [=](auto &i) { i.y = end, i.left = 4; }},
                                          {"far away", [](auto &i) { i.x = 65532, i.has_above = 0; }},
                                          {"far away", [](auto &i) { i.y = 65532, i.has_left = 0; }},
                                          {"partly beyond", [=](auto &i) { i.x = end - 12, i.above = 4; }},
                                          {"partly beyond", [=](auto &i) { i.y = end - 12, i.left = 4; }},
                                          {"too small", [](auto &i) { i.w_log2 = 1, i.above = 4; }},
                                          {"too small", [](auto &i) { i.h_log2 = 1, i.left = 4; }},
                                          {"too large", [](auto &i) { i.w_log2 = 7, i.x = 0, i.has_left = 0; }},
                                          {"too large", [](auto &i) { i.h_log2 = 7, i.y = 0, i.has_above = 0; }},
                                          {"no size at all", [](auto &i) { i.w_log2 = 255; }},
                                          {"no size at all", [](auto &i) { i.h_log2 = 34; }},
                                          {"no such mode", [](auto &i) { i.mode = DD_AV1_INTRA_MODES; }},
                                          {"no such mode", [](auto &i) { i.mode = 255; }},
                                      });
}

TEST_CASE("AV1 intra blocks with edges that can't be are refused") {
    const bool chroma = GENERATE(false, true);
    const auto end = static_cast<std::uint16_t>(chroma ? 64 : 128);
    check_refused(good_block(chroma), {
                                          {"nothing above", [](auto &i) { i.y = 0; }},
                                          {"nothing to the left", [](auto &i) { i.x = 0; }},
                                          {"no pixels above", [](auto &i) { i.above = 0; }},
                                          {"no pixels to the left", [](auto &i) { i.left = 0; }},
                                          {"not by four", [](auto &i) { i.above = 18; }},
                                          {"not by four", [](auto &i) { i.left = 3; }},
                                          {"more than twice the width", [](auto &i) { i.above = 36; }},
                                          {"more than twice the height", [](auto &i) { i.left = 36; }},
                                          {"beyond the padding", [=](auto &i) { i.x = end - 16, i.above = 20; }},
                                          {"beyond the padding", [=](auto &i) { i.y = end - 16, i.left = 20; }},
                                          {"far too many", [](auto &i) { i.above = 65532; }},
                                          {"far too many", [](auto &i) { i.left = 65532; }},
                                      });
    // What isn't there doesn't count.
    Recording recording;
    DdAv1Intra i = good_block(chroma);
    i.has_above = i.has_left = 0;
    i.above = i.left = 65535;
    CHECK(recording.recorder().intra(i) == Av1Recorded::ok);
    i.x = i.y = static_cast<std::uint16_t>(end - 16); // the last pixels
    i.has_above = i.has_left = 1;
    i.above = i.left = 16;
    CHECK(recording.recorder().intra(i) == Av1Recorded::ok);
}

TEST_CASE("AV1 intra blocks whose mode can't be there are refused") {
    DdAv1Intra good = good_block(false);
    good.mode = DD_AV1_INTRA_PAETH;
    check_refused(good, {{"no edge above", [](auto &i) { i.has_above = 0; }},
                         {"no edge to the left", [](auto &i) { i.has_left = 0; }}});
    good.mode = DD_AV1_INTRA_FILTER;
    check_refused(good, {{"no such filter", [](auto &i) { i.angle = 5; }},
                         {"no such filter", [](auto &i) { i.angle = 65535; }},
                         {"too wide", [](auto &i) { i.w_log2 = 6; }},
                         {"too high", [](auto &i) { i.h_log2 = 6; }}});
    good.mode = DD_AV1_INTRA_PALETTE;
    good.palette[0] = good.indices = kBytes;
    good.index_stride = 8;
    check_refused(good, {{"no palette", [](auto &i) { i.palette[0] = nullptr; }},
                         {"no indices", [](auto &i) { i.indices = nullptr; }},
                         {"blended", [](auto &i) { i.mask = kBytes; }}});
    good.chroma = 1;
    good.palette[1] = kBytes;
    check_refused(good, {{"no palette of U", [](auto &i) { i.palette[0] = nullptr; }},
                         {"no palette of V", [](auto &i) { i.palette[1] = nullptr; }}});
    good = good_block(true);
    good.mode = DD_AV1_INTRA_CFL;
    good.luma_w4 = good.luma_h4 = 4;
    check_refused(good, {{"of luma", [](auto &i) { i.chroma = 0; }},
                         {"no luma in a row", [](auto &i) { i.luma_w4 = 0; }},
                         {"no luma in a column", [](auto &i) { i.luma_h4 = 0; }},
                         {"more luma than chroma", [](auto &i) { i.luma_w4 = 5; }},
                         {"more luma than chroma", [](auto &i) { i.luma_h4 = 255; }},
                         {"too wide", [](auto &i) { i.x = 0, i.has_left = 0, i.w_log2 = 6; }},
                         {"too high", [](auto &i) { i.y = 0, i.has_above = 0, i.h_log2 = 6; }},
                         {"blended", [](auto &i) { i.mask = kBytes; }}});
}

TEST_CASE("AV1 intra blocks of directions that AV1 doesn't have are refused") {
    DdAv1Intra good = good_block(false);
    good.mode = DD_AV1_INTRA_DIRECTION;
    good.angle = 45;
    check_refused(good, {{"no edge above", [](auto &i) { i.has_above = 0; }}});
    good.angle = 203;
    check_refused(good, {{"no edge to the left", [](auto &i) { i.has_left = 0; }}});
    for (const unsigned angle : {0u,   1u,   4u,   18u,  88u,  89u,  90u,  91u,  92u,  94u,  176u,
                                 178u, 179u, 180u, 181u, 182u, 266u, 269u, 270u, 271u, 360u, 65535u}) {
        Recording recording;
        good.angle = static_cast<std::uint16_t>(angle);
        CAPTURE(angle);
        CHECK(recording.recorder().intra(good) == Av1Recorded::invalid);
        CHECK(recording.empty());
    }
    for (const unsigned main : {45u, 67u, 90u, 113u, 135u, 157u, 180u, 203u})
        for (unsigned delta = 0; delta < 7; delta++) {
            Recording recording;
            good.angle = static_cast<std::uint16_t>(main + 3 * delta - 9);
            CAPTURE(good.angle);
            CHECK((recording.recorder().intra(good) == Av1Recorded::ok) == (good.angle % 90 != 0));
        }
}

TEST_CASE("AV1 intra blocks with residuals that can't be are refused") {
    const Coefs coefs(kSize16);
    const auto with = [&](DdAv1Intra i, unsigned plane) {
        i.residual[plane] = &coefs.record;
        return i;
    };
    const auto refused = [&](const DdAv1Intra &i) {
        Recording recording;
        const bool invalid = recording.recorder().intra(i) == Av1Recorded::invalid;
        return invalid && recording.empty() && recording.recorder().intra_words == 0 && coefs.untouched();
    };
    const DdAv1Intra luma = good_block(false), chroma = good_block(true);
    CHECK(refused(with(luma, 1)));
    DdAv1Intra i = with(luma, 0);
    i.w_log2 = 3; // not of its size
    i.above = 16;
    CHECK(refused(i));
    i = with(chroma, 1);
    i.h_log2 = 5;
    CHECK(refused(i));
    i = with(luma, 0);
    i.mask = kBytes;
    CHECK(refused(i));
    i = with(chroma, 1);
    i.mask = kBytes;
    CHECK(refused(i));
    i = luma;
    i.mode = DD_AV1_INTRA_NONE; // no residual
    CHECK(refused(i));
    i.mask = kBytes;
    CHECK(refused(i));
    i = with(i, 0);
    CHECK(refused(i));

    const auto spoilt = [&](auto spoil) {
        DdAv1Residual bad = coefs.record;
        spoil(bad);
        DdAv1Intra of_luma = luma, of_chroma = chroma;
        of_luma.residual[0] = of_chroma.residual[1] = &bad;
        return refused(of_luma) && refused(of_chroma);
    };
    CHECK(spoilt([](auto &r) { r.size = 1; }));
    CHECK(spoilt([](auto &r) { r.size = 19; }));
    CHECK(spoilt([](auto &r) { r.type = 16; })); // lossless is 4x4
    CHECK(spoilt([](auto &r) { r.type = 17; }));
    CHECK(spoilt([](auto &r) { r.type = 12; })); // ADST and identity of 16
    CHECK(spoilt([](auto &r) { r.eob = 256; }));
    CHECK(spoilt([](auto &r) { r.coefs = nullptr; }));
}

TEST_CASE("AV1 intra blends that can't be are refused") {
    DdAv1Intra good = good_block(false);
    good.mask = kBytes;
    check_refused(good, {{"too wide", [](auto &i) { i.w_log2 = 6; }},
                         {"too high", [](auto &i) { i.h_log2 = 6; }},
                         {"recursive", [](auto &i) { i.mode = DD_AV1_INTRA_FILTER; }}});
}

TEST_CASE("AV1 intra blocks are refused where they aren't taken") {
    Av1Recon monochrome;
    monochrome.reset(make_picture_layout({100, 80, 8, 1, 1, 1}, 128), {}, 1);
    CHECK(monochrome.recorders[0].intra(good_block(false)) == Av1Recorded::ok);
    CHECK(monochrome.recorders[0].intra(good_block(true)) == Av1Recorded::invalid);
    monochrome.clear();
    CHECK(monochrome.recorders[0].intra(good_block(false)) == Av1Recorded::invalid);
    Av1Recorder without_levels;
    without_levels.reset(make_picture_layout(kSmall, 128), {});
    CHECK(without_levels.intra(good_block(false)) == Av1Recorded::invalid);
}

TEST_CASE("AV1 intra blocks keep their coefficients where one of their residuals is refused") {
    const unsigned wrong = GENERATE(0u, 1u);
    const bool too_large = GENERATE(false, true), dc_alone = GENERATE(false, true), elsewhere = GENERATE(false, true);
    CAPTURE(wrong, too_large, dc_alone, elsewhere);
    Recording recording;
    Coefs coefs[2] = {Coefs(kSize16), Coefs(kSize16)};
    DdAv1Intra i = good_block(true);
    for (unsigned plane = 0; plane < 2; plane++) {
        i.residual[plane] = &coefs[plane].record;
        coefs[plane].record.home = elsewhere ? coefs[plane].home.data() : nullptr;
    }
    if (too_large)
        coefs[wrong] = Coefs(kSize16, kTooLarge);
    else
        coefs[wrong].record.size = 1;
    coefs[wrong].record.coefs = coefs[wrong].values.data();
    DdAv1Residual &other = coefs[!wrong].record;
    if (dc_alone) {
        coefs[!wrong].values = {40};
        other.eob = 0;
    }
    other.coefs = coefs[!wrong].values.data();
    const auto before = coefs[!wrong].values;
    CHECK(recording.recorder().intra(i) == (too_large ? Av1Recorded::out_of_range : Av1Recorded::invalid));
    CHECK(coefs[wrong].untouched(too_large ? kTooLarge : 40));
    CHECK((coefs[!wrong].values == before));
    CHECK(recording.empty());
    CHECK(recording.recorder().intra_words == 0);
    for (const Av1ItxBin &bin : recording.recorder().residuals.bins)
        CHECK(bin.records.empty());
    recording.recorder().residuals.give_back(); // nothing was taken
    CHECK(coefs[wrong].untouched(too_large ? kTooLarge : 40));
    CHECK((coefs[!wrong].values == before));
}

TEST_CASE("coefficients of AV1 intra blocks that were taken come back") {
    const bool elsewhere = GENERATE(false, true);
    Recording recording;
    std::vector<std::unique_ptr<Coefs>> all;
    for (const unsigned mode :
         {unsigned{DD_AV1_INTRA_DC}, unsigned{DD_AV1_INTRA_FILTER}, unsigned{DD_AV1_INTRA_NONE}}) {
        DdAv1Intra i = good_block(true);
        i.mode = static_cast<std::uint8_t>(mode);
        for (unsigned plane = 0; plane < 2; plane++) {
            Coefs &coefs = *all.emplace_back(std::make_unique<Coefs>(kSize16));
            coefs.record.home = elsewhere ? coefs.home.data() : nullptr;
            i.residual[plane] = &coefs.record;
        }
        REQUIRE(recording.recorder().intra(i) == Av1Recorded::ok);
    }
    CHECK(recording.recorder().residuals.count == all.size());
    CHECK(recording.recorder().intra_words == all.size() * 16 * 16 / 2);
    for (const auto &coefs : all)
        CHECK(coefs->taken());
    recording.recorder().residuals.give_back();
    for (const auto &coefs : all) {
        CHECK(coefs->untouched(elsewhere ? 0 : 40));
        CHECK(coefs->home[15] == (elsewhere ? 40 : 0));
    }
}

TEST_CASE("AV1 intra blocks come back from a file as they were", "[ddb]") {
    Random random(Catch::rngSeed());
    for (const PictureFormat &format : kFormats) {
        const Frame frame(random, format);
        SavedBatch saved;
        REQUIRE(parse_batch(frame.saved(), saved) == "");
        const auto &again = std::get<Av1Batch>(saved.batch);
        CHECK((frame.done_by(again) == frame.done_by(frame.scene.batch)));
        CHECK(again.recon.highest_intra_level() == frame.scene.batch.recon.highest_intra_level());
    }
}

TEST_CASE("what is taken from a damaged file with AV1 intra blocks can be run", "[ddb]") {
    Random random(Catch::rngSeed());
    const Frame frame(random, {70, 40, 8, 1, 1, 3});
    const std::vector<std::byte> good = frame.saved();
    const std::size_t pictures = 1 + static_cast<std::size_t>(std::popcount(frame.scene.batch.recon.used_refs()));
    const std::size_t head = good.size() - pictures * frame.scene.before.size();
    unsigned refused = 0;
    for (unsigned turn = 0; turn < 2000; turn++) {
        std::vector<std::byte> bad = good;
        for (unsigned n = 0; n <= random() % 3; n++)
            bad[random() % head] = static_cast<std::byte>(random());
        SavedBatch saved;
        if (parse_batch(bad, saved) != "")
            refused++;
        else if (const auto &batch = std::get<Av1Batch>(saved.batch); batch.dst == frame.scene.batch.dst)
            frame.done_by(batch); // for sanitizers
    }
    CHECK(refused > 100);
}
