// SPDX-License-Identifier: BSD-2-Clause
//
// Whole blocks of AV1 as they are recorded.
#include "catch.h"

#include "batch/av1_recorder.h"
#include "kernels/av1_scene.h"

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

DdAv1InterBlock random_block(Random &random) {
    DdAv1InterBlock b{};
    b.w_log2 = static_cast<std::uint8_t>(3 + below(random, 5));
    b.h_log2 = static_cast<std::uint8_t>(3 + below(random, 5));
    b.x = static_cast<std::uint16_t>(below(random, kSide >> b.w_log2) << b.w_log2);
    b.y = static_cast<std::uint16_t>(below(random, kSide >> b.h_log2) << b.h_log2);
    b.compound = static_cast<std::uint8_t>(below(random, 2));
    b.weight = static_cast<std::uint8_t>(below(random, 65));
    constexpr std::uint8_t taps[] = {DD_AV1_TAPS_REGULAR, DD_AV1_TAPS_SMOOTH, DD_AV1_TAPS_SHARP, DD_AV1_TAPS_BILINEAR};
    b.taps_x = taps[below(random, 4)];
    b.taps_y = taps[below(random, 4)];
    for (unsigned i = 0; i < 2; i++) {
        b.ref[i] = static_cast<std::uint8_t>(below(random, kAv1Refs));
        const unsigned reach = 1u << below(random, 16);
        for (std::int16_t &mv : b.mv[i])
            mv = static_cast<std::int16_t>(static_cast<int>(below(random, 2 * reach)) - static_cast<int>(reach));
    }
    return b;
}

std::uint8_t taps_for(std::uint8_t kind, unsigned pixels) {
    return kind == DD_AV1_TAPS_BILINEAR || pixels > 4 ? kind
                                                      : static_cast<std::uint8_t>(DD_AV1_TAPS_REGULAR_4 + (kind & 1));
}

// What a decoder would say of one plane of it.
DdAv1Prediction prediction_of(const DdAv1InterBlock &b, const PictureFormat &format, bool chroma) {
    const unsigned ss_h = chroma ? format.ss_h : 0, ss_v = chroma ? format.ss_v : 0;
    DdAv1Prediction p{};
    p.chroma = chroma;
    p.kind = b.compound ? DD_AV1_WEIGHTED : DD_AV1_SINGLE;
    p.weight = b.compound ? b.weight : 0;
    p.x = static_cast<std::uint16_t>(b.x >> ss_h);
    p.y = static_cast<std::uint16_t>(b.y >> ss_v);
    p.w = static_cast<std::uint16_t>(1u << b.w_log2 >> ss_h);
    p.h = static_cast<std::uint16_t>(1u << b.h_log2 >> ss_v);
    for (unsigned i = 0; i < 2; i++)
        p.source[i] = {nullptr,
                       p.x * 16 + b.mv[i][0] * (ss_h ? 1 : 2),
                       p.y * 16 + b.mv[i][1] * (ss_v ? 1 : 2),
                       b.ref[i],
                       taps_for(b.taps_x, p.w),
                       taps_for(b.taps_y, p.h)};
    return p;
}

// All records of translations, in order; what a kernel doesn't read is cleared.
std::vector<DdAv1McRecord> records_of(const Av1Recorder &recorder) {
    std::vector<DdAv1McRecord> all;
    for (const auto *streams : {&recorder.mc, &recorder.pairs})
        for (const auto &group : *streams)
            for (const auto &records : group) {
                all.insert(all.end(), records.begin(), records.end());
                all.push_back({}); // tells lists apart
            }
    for (DdAv1McRecord &record : all)
        if (!(record.ctl & DD_AV1_COMPOUND))
            record.source[1] = {};
    return all;
}

bool same(const std::vector<DdAv1McRecord> &a, const std::vector<DdAv1McRecord> &b) {
    return a.size() == b.size() && !std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0]));
}

} // namespace

TEST_CASE("A block is recorded as its planes are") {
    Random random(Catch::rngSeed());
    for (const PictureFormat &format :
         {PictureFormat{kSide, kSide, 8, 1, 1, 3}, PictureFormat{kSide, kSide, 10, 0, 0, 3},
          PictureFormat{kSide, kSide, 8, 1, 0, 3}, PictureFormat{kSide, kSide, 8, 1, 1, 1}})
        for (const unsigned pictures : {1u, 3u, 7u}) {
            Av1Recorder whole, planes;
            for (Av1Recorder *recorder : {&whole, &planes})
                recorder->reset(make_picture_layout(format, 128), references_to(pictures));
            for (unsigned n = 0; n < 200; n++) {
                const DdAv1InterBlock block = random_block(random);
                REQUIRE(whole.predict(block));
                REQUIRE(planes.predict(prediction_of(block, format, false)));
                if (format.planes > 1)
                    REQUIRE(planes.predict(prediction_of(block, format, true)));
            }
            CHECK(same(records_of(whole), records_of(planes)));
            CHECK(whole.predictions == planes.predictions);
            CHECK(whole.used_refs == planes.used_refs);
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
