// SPDX-License-Identifier: BSD-2-Clause
//
// Whole blocks of AV1 as they are recorded.
#include "catch.h"

#include "debug/av1_block_planes.h"
#include "kernels/av1_random_block.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace dd;
using namespace dd::test;

namespace {

constexpr unsigned kSide = 256;

Av1References references_to(unsigned pictures) {
    static constexpr char something[kAv1Refs] = {};
    std::array<const void *, kAv1Refs> slots{};
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        slots[slot] = &something[slot % pictures];
    Av1References references;
    references.set(slots);
    return references;
}

// As records have it: 32x32 pixels of luma at most.
std::vector<DdAv1InterBlock> parts_of(const DdAv1InterBlock &block) {
    std::vector<DdAv1InterBlock> parts;
    DdAv1InterBlock part = block;
    part.w_log2 = std::min<std::uint8_t>(block.w_log2, 5);
    part.h_log2 = std::min<std::uint8_t>(block.h_log2, 5);
    for (unsigned y = 0; y < 1u << block.h_log2; y += 1u << part.h_log2)
        for (unsigned x = 0; x < 1u << block.w_log2; x += 1u << part.w_log2) {
            part.x = static_cast<std::uint16_t>(block.x + x);
            part.y = static_cast<std::uint16_t>(block.y + y);
            parts.push_back(part);
        }
    return parts;
}

using Words = std::vector<std::uint32_t>;

// Records of both kinds with their group and class, in any order; what a kernel doesn't read is cleared.
class Records {
  public:
    template <typename Record>
    void add(const Record &record, unsigned group, unsigned size_class) {
        Words words = {sizeof(Record), group, size_class};
        words.resize(3 + sizeof(Record) / 4);
        std::memcpy(words.data() + 3, &record, sizeof(Record));
        all_.push_back(words);
    }
    void add_planes(const Av1Recorder &recorder) {
        const auto add_all = [&](const auto &streams) {
            for (unsigned group = 0; group < streams.size(); group++)
                for (unsigned c = 0; c < DD_AV1_CLASSES; c++)
                    for (const auto &record : streams[group][c])
                        add(record, group, c);
        };
        add_all(recorder.mc);
        add_all(recorder.pairs);
    }
    void add_blocks(const Av1Recorder &recorder, const PictureLayout &dst) {
        const auto add_one = [&](const auto &record, unsigned group, unsigned c) {
            add(record, group, c);
            return true;
        };
        each_av1_plane(recorder.blocks, dst, add_one);
        each_av1_plane(recorder.pair_blocks, dst, add_one);
    }
    std::vector<Words> sorted() {
        std::ranges::sort(all_);
        return all_;
    }

  private:
    std::vector<Words> all_;
};

} // namespace

TEST_CASE("A block's record stands for those of its planes") {
    Random random(Catch::rngSeed());
    for (const PictureFormat &format :
         {PictureFormat{kSide, kSide, 8, 1, 1, 3}, PictureFormat{kSide, kSide, 10, 0, 0, 3},
          PictureFormat{kSide, kSide, 8, 1, 0, 3}, PictureFormat{kSide, kSide, 8, 1, 1, 1}})
        for (const unsigned pictures : {1u, 3u, 7u}) {
            const PictureLayout layout = make_picture_layout(format, 128);
            Av1Recorder whole, planes;
            for (Av1Recorder *recorder : {&whole, &planes})
                recorder->reset(layout, references_to(pictures));
            for (unsigned n = 0; n < 200; n++) {
                DdAv1InterBlock block = random_block(random, 7);
                block.x = static_cast<std::uint16_t>(below(random, kSide >> block.w_log2) << block.w_log2);
                block.y = static_cast<std::uint16_t>(below(random, kSide >> block.h_log2) << block.h_log2);
                REQUIRE(whole.predict(block));
                for (const DdAv1InterBlock &part : parts_of(block)) {
                    REQUIRE(planes.predict(prediction_of(part, format, false)));
                    if (format.planes > 1)
                        REQUIRE(planes.predict(prediction_of(part, format, true)));
                }
            }
            Records of_blocks, of_planes;
            of_blocks.add_blocks(whole, layout);
            of_planes.add_planes(planes);
            CHECK(of_blocks.sorted() == of_planes.sorted());
            CHECK(whole.predictions == 200u * std::min<unsigned>(format.planes, 2));
            CHECK(whole.used_pictures == planes.used_pictures);
        }
}

TEST_CASE("A block that can't be is refused") {
    Av1Recorder recorder;
    std::array<const void *, kAv1Refs> slots{};
    slots[0] = &slots;
    Av1References references;
    references.set(slots);
    recorder.reset(make_picture_layout({kSide, kSide, 8, 1, 1, 3}, 128), references);
    DdAv1InterBlock good{};
    good.w_log2 = good.h_log2 = 5;
    const auto refused = [&](auto &&spoil) {
        DdAv1InterBlock bad = good;
        spoil(bad);
        return !recorder.predict(bad);
    };
    CHECK(refused([](auto &b) { b.x = 4; }));
    CHECK(refused([](auto &b) { b.y = 2; }));
    CHECK(refused([](auto &b) { b.x = kSide - 24; }));
    CHECK(refused([](auto &b) { b.y = kSide; }));
    CHECK(refused([](auto &b) { b.x = 0xfff8; }));
    CHECK(refused([](auto &b) { b.w_log2 = 2; }));
    CHECK(refused([](auto &b) { b.h_log2 = 8; }));
    CHECK(refused([](auto &b) { b.w_log2 = 255; }));
    CHECK(refused([](auto &b) { b.weight = 65; }));
    CHECK(refused([](auto &b) { b.taps_x = DD_AV1_TAP_KINDS; }));
    CHECK(refused([](auto &b) { b.taps_y = 255; }));
    CHECK(refused([](auto &b) { b.ref[0] = 1; }));
    CHECK(refused([](auto &b) { b.ref[0] = 200; }));
    CHECK(refused([](auto &b) { b.compound = 1, b.ref[1] = 3; }));
    CHECK(recorder.predictions == 0);
    CHECK(recorder.predict(good));
    CHECK(recorder.predictions == 2);
}
