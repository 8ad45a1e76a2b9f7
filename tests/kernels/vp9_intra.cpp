// SPDX-License-Identifier: BSD-2-Clause
//
// What the recorder makes of intra blocks, apart from their pixels.
#include "catch.h"
#include "debug/saved_batch.h"
#include "debug/vp9_validate.h"
#include "kernels/vp9_random.h"
#include "plugin/temporary.h"
#include "reference/vp9_reference.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace dd;
using namespace dd::test;

namespace {

constexpr std::array<std::uint32_t, 2> kSizes[] = {{1, 1}, {34, 10}, {66, 130}, {226, 226}, {320, 180}};
constexpr std::array<std::uint8_t, 2> kSubsampling[] = {{1, 1}, {1, 0}, {0, 1}, {0, 0}};

RandomFrame intra_frame(Random &random, const PictureFormat &format) {
    RandomFrame frame = make_frame(random, {format, Content::noise, false, 2});
    add_intra(random, frame);
    return frame;
}

HostPicture reconstructed(const RandomFrame &frame, const Vp9Batch &batch) {
    HostPicture out(frame.layout);
    out.copy_from(frame.start);
    reference::run_intra(batch, out.data());
    return out;
}
bool equal(const HostPicture &a, const HostPicture &b) {
    return std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size());
}

std::vector<std::byte> saved_bytes(const RandomFrame &frame) {
    const TemporaryFile file;
    BatchView view{DD_PHASE_RECON, &frame.batch, frame.start.data(), {}};
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        view.ref[slot] = frame.ref[slot].data();
    REQUIRE(save_batch(file.path(), view) == "");
    return file.read();
}

// A block of 16x16 that a recorder takes, in a picture of 100x80.
struct OneBlock {
    std::vector<std::uint8_t> eobs = std::vector<std::uint8_t>(16);
    std::vector<std::int16_t> coefs = std::vector<std::int16_t>(16 * 16);
    DdVp9IntraBlock call{};

    OneBlock() {
        DdVp9Residuals &r = call.residuals;
        r.x = 64;
        r.y = 32;
        r.w4 = r.h4 = 4;
        r.kind[0] = 1;
        r.kind[1] = 1;
        r.eobs[0] = eobs.data();
        r.coefs[0] = coefs.data();
        eobs[0] = 12;
        coefs[0] = 100;
        call.has_left = 1;
        std::ranges::fill(call.mode, std::uint8_t{DD_VP9_INTRA_TM});
        call.chroma_mode = DD_VP9_INTRA_D45;
    }
    bool taken(Vp9Recorder &recorder) const { return recorder.intra_block(call); }
};

} // namespace

TEST_CASE("VP9 intra blocks of a level are predicted in any order") {
    Random random(seed());
    for (const auto &ss : kSubsampling)
        for (const auto &size : kSizes) {
            RandomFrame frame = intra_frame(random, {size[0], size[1], 8, ss[0], ss[1], 3});
            const HostPicture wanted = reconstructed(frame, frame.batch);
            for (Vp9Recorder &recorder : frame.batch.recorders) {
                std::shuffle(recorder.intra.begin(), recorder.intra.end(), random);
                std::ranges::stable_sort(recorder.intra, {}, &Vp9IntraStep::level);
            }
            CAPTURE(size[0], size[1], +ss[0], +ss[1]);
            CHECK(equal(reconstructed(frame, frame.batch), wanted));
        }
}

TEST_CASE("VP9 intra blocks begin at the first level in each frame") {
    Random random(seed());
    RandomFrame frame = intra_frame(random, {226, 226, 8, 1, 1, 3});
    for (unsigned turn = 0; turn < 3; turn++) {
        frame.batch.reset(frame.layout, frame.ref_layout, frame.options.recorders);
        add_intra(random, frame);
        for (const Vp9Recorder &recorder : frame.batch.recorders)
            for (const unsigned plane : {0u, 1u}) {
                std::uint32_t lowest = UINT32_MAX, highest = 0;
                for (const auto &[record, level] : recorder.intra)
                    if ((record.dst & 3) == plane) {
                        lowest = std::min(lowest, level);
                        highest = std::max(highest, level);
                    }
                CHECK((lowest == 1 || lowest == UINT32_MAX));
                CHECK(highest == recorder.intra_levels[plane]);
            }
    }
}

TEST_CASE("VP9 intra blocks come back from a file as they were") {
    Random random(seed());
    for (const std::uint8_t depth : {std::uint8_t{8}, std::uint8_t{10}}) {
        const RandomFrame frame = intra_frame(random, {150, 90, depth, 1, 0, 3});
        SavedBatch saved;
        REQUIRE(parse_batch(saved_bytes(frame), saved) == "");
        const auto &again = std::get<Vp9Batch>(saved.batch);
        CHECK(equal(reconstructed(frame, again), reconstructed(frame, frame.batch)));
        REQUIRE(again.recorders.size() == frame.batch.recorders.size());
        for (std::size_t i = 0; i < again.recorders.size(); i++)
            CHECK(again.recorders[i].intra_levels == frame.batch.recorders[i].intra_levels);
    }
}

TEST_CASE("what is taken from a damaged file with VP9 intra blocks is sound") {
    Random random(seed());
    const RandomFrame frame = intra_frame(random, {70, 40, 8, 1, 1, 3});
    const std::vector<std::byte> good = saved_bytes(frame);
    std::size_t pixels = frame.start.size();
    for (const HostPicture &ref : frame.ref)
        pixels += ref.size();
    unsigned refused = 0;
    for (unsigned i = 0; i < 2000; i++) {
        std::vector<std::byte> bad = good;
        for (unsigned n = 0; n <= random() % 3; n++)
            bad[random() % (good.size() - pixels)] = static_cast<std::byte>(random());
        SavedBatch saved;
        if (parse_batch(bad, saved) != "") {
            refused++;
            continue;
        }
        const auto &batch = std::get<Vp9Batch>(saved.batch);
        REQUIRE(is_valid(batch));
        if (batch.dst == frame.layout)
            reconstructed(frame, batch); // for sanitizers
    }
    CHECK(refused > 100);
}

TEST_CASE("VP9 intra blocks that aren't possible are refused") {
    const PictureLayout layout = make_picture_layout({100, 80, 8, 1, 1, 3}, 64);
    Vp9Recorder recorder(layout, {});
    REQUIRE(OneBlock().taken(recorder));
    const std::function<void(OneBlock &)> wrong[] = {
        [](OneBlock &b) { b.call.residuals.x = 4; }, // not at a block of 8x8
        [](OneBlock &b) { b.call.residuals.y = 12; },
        [](OneBlock &b) { b.call.residuals.x = 104; }, // behind the picture
        [](OneBlock &b) { b.call.residuals.y = 80; },
        [](OneBlock &b) { b.call.residuals.x = UINT32_MAX - 7; },
        [](OneBlock &b) { b.call.residuals.y = UINT32_MAX - 7; },
        [](OneBlock &b) { b.call.residuals.w4 = 17; },
        [](OneBlock &b) { b.call.residuals.h4 = 17; },
        [](OneBlock &b) { b.call.residuals.w4 = 12; }, // partly behind it
        [](OneBlock &b) { b.call.residuals.h4 = 14; },
        [](OneBlock &b) { b.call.residuals.w4 = 0; },
        [](OneBlock &b) { b.call.residuals.kind[0] = DD_ITX_WHT; },
        [](OneBlock &b) { b.call.residuals.kind[1] = DD_ITX_WHT; },
        [](OneBlock &b) { b.call.residuals.eobs[0] = nullptr; },
        [](OneBlock &b) { b.call.mode[0] = DD_INTRA_MODES; },
        [](OneBlock &b) { b.call.chroma_mode = 255; },
        [](OneBlock &b) { b.call.quarters = 1; },    // too large for that
        [](OneBlock &b) { b.call.residuals.x = 0; }, // has nothing to the left
        [](OneBlock &b) { b.eobs[0] = 65; },
    };
    for (std::size_t i = 0; i < std::size(wrong); i++) {
        OneBlock block;
        wrong[i](block);
        CAPTURE(i);
        CHECK_FALSE(block.taken(recorder));
        CHECK_FALSE(recorder.out_of_range());
    }
    OneBlock block;
    std::ranges::fill(block.coefs, std::int16_t{32000});
    CHECK_FALSE(block.taken(recorder));
    CHECK(recorder.out_of_range());
}
