// SPDX-License-Identifier: BSD-2-Clause
//
// Saved batches of AV1.
#include "catch.h"

#include "daedalus/daedalus.h"
#include "debug/av1_validate.h"
#include "debug/saved_batch.h"
#include "kernels/av1_scene.h"
#include "plugin/random_frame.h"
#include "plugin/temporary.h"
#include "reference/av1_batch.h"
#include "reference/av1_filters.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

// A frame with records of every kind, and filters.
struct Frame {
    Frame(Random &random, const PictureFormat &picture, unsigned pictures, unsigned stages)
        : scene(random, picture, pictures), filters(test::random_frame(random, picture, Pixels::noise, stages)) {
        const PictureLayout &layout = scene.batch.dst;
        unsigned kind = below(random, 9);
        for (unsigned plane = 0; plane < std::min<unsigned>(picture.planes, 2); plane++)
            for (unsigned y = 0; y + 64 <= layout.plane[plane].padded_height; y += 64)
                for (unsigned x = 0; x + 64 <= layout.plane[plane].padded_width; x += 64, kind++)
                    if (x || y)
                        fill({plane != 0, x, y, 64}, kind % 9);
        fill_with_blocks(scene, {false, 0, 0, 64});
        REQUIRE(scene.batch.filters.set(layout, filters.tables));
    }

    void fill(const Square &q, unsigned kind) {
        if (kind < 4)
            fill_with_predictions(scene, q, kind, false);
        else if (kind < 7)
            fill_with_predictions(scene, q, kind - 4, true);
        else if (kind == 7 || q.chroma)
            fill_with_overlaps(scene, q);
        else
            fill_with_differences(scene, q, false);
        fill_with_residuals(scene, q.chroma ? 1 + below(scene.random, 2) : 0, q.x, q.y, q.side);
    }

    BatchView view(unsigned phases) const {
        BatchView made{phases, &scene.batch, reinterpret_cast<const std::byte *>(scene.before.data()), {}};
        for (unsigned slot = 0; slot < kAv1Refs; slot++)
            if ((phases & DD_PHASE_RECON) && scene.batch.recon.used_refs() >> slot & 1)
                made.ref[slot] = reinterpret_cast<const std::byte *>(scene.pixels_of[slot]);
        return made;
    }

    Av1Scene scene;
    Av1RandomFrame filters;
};

std::vector<std::byte> bytes_of(const BatchView &view) {
    const TemporaryFile file;
    REQUIRE(save_batch(file.path(), view) == "");
    return file.read();
}

bool same_filters(const Av1Filters &a, const Av1Filters &b) {
    if (!a.any() && !b.any())
        return true; // whatever the tables hold
    return std::memcmp(&a.params(), &b.params(), sizeof(a.params())) == 0 && std::ranges::equal(a.words(), b.words()) &&
           std::ranges::equal(a.superblocks(), b.superblocks()) && std::ranges::equal(a.levels(), b.levels()) &&
           a.cdef() == b.cdef();
}

std::vector<std::uint8_t> run(const SavedBatch &saved) {
    const auto &batch = std::get<Av1Batch>(saved.batch);
    std::vector<std::uint8_t> pixels(saved.dst.size());
    std::memcpy(pixels.data(), saved.dst.data(), pixels.size());
    std::array<const std::uint8_t *, kAv1Refs> references{};
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        references[slot] =
            saved.ref[slot].empty() ? nullptr : reinterpret_cast<const std::uint8_t *>(saved.ref[slot].data());
    reference::run_av1_recon(batch, references, pixels.data());
    if (batch.filters.any())
        reference::run_av1_filters(batch, pixels.data());
    return pixels;
}

} // namespace

TEST_CASE("an AV1 batch comes back from its file as it was", "[ddb]") {
    Random random(test_seed());
    const unsigned pictures = GENERATE(1u, 4u, 7u), stages = GENERATE(0u, 2u, 5u, 7u);
    const PictureFormat picture = GENERATE(PictureFormat{150, 90, 10, 1, 0, 3}, PictureFormat{200, 130, 8, 1, 1, 3},
                                           PictureFormat{70, 140, 12, 0, 0, 3}, PictureFormat{64, 64, 8, 1, 1, 1});
    const Frame frame(random, picture, pictures, stages);
    const auto bytes = bytes_of(frame.view(3));
    SavedBatch saved;
    REQUIRE(parse_batch(bytes, saved) == "");
    REQUIRE(saved.phases == 3);
    REQUIRE(saved.layout() == frame.scene.batch.dst);
    const auto &batch = std::get<Av1Batch>(saved.batch);
    REQUIRE(same_filters(batch.filters, frame.scene.batch.filters));
    // What the frame makes, it makes out of the file.
    std::vector<std::uint8_t> expected = frame.scene.expected;
    if (batch.filters.any())
        reference::run_av1_filters(frame.scene.batch, expected.data());
    REQUIRE((run(saved) == expected)); // in brackets: the pixels are not to be printed

    BatchView again{3, &batch, saved.dst.data(), {}};
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        again.ref[slot] = saved.ref[slot].empty() ? nullptr : saved.ref[slot].data();
    REQUIRE((bytes_of(again) == bytes));
}

TEST_CASE("an AV1 batch of one phase is saved without the other", "[ddb]") {
    Random random(test_seed());
    const Frame frame(random, {150, 90, 8, 1, 1, 3}, 3, 7);
    SavedBatch saved;
    REQUIRE(parse_batch(bytes_of(frame.view(DD_PHASE_FILTER)), saved) == "");
    REQUIRE(std::get<Av1Batch>(saved.batch).recon.recorders.empty());
    REQUIRE(same_filters(std::get<Av1Batch>(saved.batch).filters, frame.scene.batch.filters));
    REQUIRE(std::ranges::all_of(saved.ref, [](const auto &pixels) { return pixels.empty(); }));
    REQUIRE(parse_batch(bytes_of(frame.view(DD_PHASE_RECON)), saved) == "");
    REQUIRE_FALSE(std::get<Av1Batch>(saved.batch).filters.any());
    REQUIRE((run(saved) == frame.scene.expected));
}

TEST_CASE("damaged AV1 files are refused, and what is taken can be run", "[ddb]") {
    Random random(test_seed());
    const unsigned stages = GENERATE(0u, 7u); // without the filters' large tables, records are hit more often
    const Frame frame(random, {70, 40, 8, 1, 1, 3}, GENERATE(1u, 7u), stages);
    const auto good = bytes_of(frame.view(3));
    SavedBatch saved;
    REQUIRE(parse_batch(good, saved) == "");

    for (std::size_t size = 0; size < good.size(); size += 1 + size / 50)
        REQUIRE(parse_batch({good.data(), size}, saved) != "");
    auto longer = good;
    longer.push_back({});
    REQUIRE(parse_batch(longer, saved) != "");

    const std::size_t pictures = 1 + static_cast<std::size_t>(std::popcount(frame.scene.batch.recon.used_refs()));
    const std::size_t head = good.size() - pictures * frame.scene.batch.dst.size;
    unsigned refused = 0;
    for (unsigned i = 0; i < 400; i++) {
        auto bad = good;
        for (unsigned n = 0; n <= random() % 3; n++)
            bad[random() % head] = static_cast<std::byte>(random());
        if (parse_batch(bad, saved) != "")
            refused++;
        else
            run(saved); // reads and writes nothing that isn't there
    }
    REQUIRE(refused > 20);
}
