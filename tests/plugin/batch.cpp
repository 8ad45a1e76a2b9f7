// SPDX-License-Identifier: BSD-2-Clause
//
// Picture layouts, the recorder, saved batches.
#include "catch.h"

#include "daedalus/daedalus.h"
#include "debug/saved_batch.h"
#include "debug/vp9_block_squares.h"
#include "debug/vp9_validate.h"
#include "plugin/random_frame.h"
#include "plugin/temporary.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

using namespace dd;
using namespace dd::test;

namespace {

struct Fixture {
    PictureLayout layout = make_picture_layout(format(200, 100), 64);
    Vp9Recorder recorder{layout, Vp9References{layout, layout, PictureLayout{}}};

    static Vp9Prediction prediction() {
        Vp9Prediction p;
        p.x = 64;
        p.y = 32;
        p.w = p.h = 32;
        p.src_x = 1000;
        p.src_y = 500;
        return p;
    }
};

constexpr auto members = [](const DdMcRecord &r) { return std::tuple(r.ctl, r.dst, r.src0, r.src1); };

// All that is predicted with squares of a size, in an order that doesn't depend on how it was recorded.
std::vector<DdMcRecord> squares_of(const Vp9Recorder &recorder, unsigned size_class) {
    std::vector<DdMcRecord> all = recorder.mc.of_size(size_class);
    each_block_square(recorder, [&](unsigned c, const DdMcRecord &r) {
        if (c == size_class)
            all.push_back(r);
        return true;
    });
    std::ranges::sort(all, {}, members);
    return all;
}

bool same_squares(const Vp9Recorder &a, const Vp9Recorder &b, unsigned size_class) {
    const auto one = squares_of(a, size_class), other = squares_of(b, size_class);
    return std::ranges::equal(one, other, {}, members, members);
}

} // namespace

TEST_CASE("a layout holds whole superblocks, aligned, with slack", "[layout]") {
    const unsigned superblock = GENERATE(64u, 128u);
    const PictureFormat f = GENERATE(format(1, 1), format(2, 2, 10), format(352, 288), format(1920, 1080, 12, 0, 0),
                                     format(1279, 719, 8, 1, 0), format(63, 65, 8, 0, 1), format(7680, 4320, 10));
    const PictureLayout layout = make_picture_layout(f, superblock);
    REQUIRE(layout.size > 0);
    std::uint32_t end = 64;
    for (unsigned p = 0; p < 3; p++) {
        const PlaneLayout &plane = layout.plane[p];
        REQUIRE(plane.offset % 64 == 0);
        REQUIRE(plane.stride % 64 == 0);
        REQUIRE(plane.offset >= end);
        REQUIRE(plane.padded_width >= plane.width);
        REQUIRE(plane.padded_height >= plane.height);
        REQUIRE(plane.padded_width % (superblock >> (p ? f.ss_h : 0)) == 0);
        REQUIRE(plane.padded_height % (superblock >> (p ? f.ss_v : 0)) == 0);
        REQUIRE(plane.stride >= plane.padded_width * layout.bytes_per_pixel());
        end = plane.offset + plane.stride * plane.padded_height;
    }
    REQUIRE(layout.size >= end + 64);
}

TEST_CASE("impossible formats have no layout", "[layout]") {
    REQUIRE(make_picture_layout(format(0, 8), 64).size == 0);
    REQUIRE(make_picture_layout(format(8, 16385), 64).size == 0);
    REQUIRE(make_picture_layout(format(8, 8, 9), 64).size == 0);
    REQUIRE(make_picture_layout(format(8, 8, 8, 2), 64).size == 0);
    REQUIRE(make_picture_layout(format(8, 8), 32).size == 0);
}

TEST_CASE("every rectangle is recorded as squares that cover it once", "[recorder]") {
    const PictureLayout layout = make_picture_layout(format(128, 128), 64);
    for (unsigned w = 4; w <= 64; w += 4)
        for (unsigned h = 4; h <= 64; h += 4) {
            Vp9Recorder recorder(layout, Vp9References{layout, layout, layout});
            Vp9Prediction p;
            p.x = 8;
            p.y = 12;
            p.w = w;
            p.h = h;
            p.src_x = -37;
            p.src_y = 21;
            REQUIRE(recorder.predict(p));
            std::vector<unsigned> covered(128 * 128);
            for (unsigned c = 0; c < DD_MC_CLASSES; c++)
                for (const DdMcRecord &r : recorder.mc.of_size(c)) {
                    const unsigned x = r.dst & 0xffff, y = r.dst >> 16;
                    REQUIRE(static_cast<std::int16_t>(r.src0 & 0xffff) == (-37 >> 4) + static_cast<int>(x - p.x));
                    REQUIRE(static_cast<std::int16_t>(r.src0 >> 16) == (21 >> 4) + static_cast<int>(y - p.y));
                    REQUIRE((r.ctl & 0xff) == ((-37 & 15) | (21 & 15) << 4));
                    for (unsigned i = 0; i < 4u << c; i++)
                        for (unsigned j = 0; j < 4u << c; j++)
                            covered[(y + i) * 128 + x + j]++;
                }
            for (unsigned y = 0; y < 128; y++)
                for (unsigned x = 0; x < 128; x++)
                    REQUIRE(covered[y * 128 + x] == (x >= 8 && x < 8 + w && y >= 12 && y < 12 + h ? 1u : 0u));
        }
}

TEST_CASE("a prediction of both planes of chroma is one of each", "[recorder]") {
    const PictureLayout layout = make_picture_layout(format(128, 128), 64);
    const Vp9References refs = {layout, layout, layout};
    Vp9Recorder together(layout, refs), apart(layout, refs);
    for (const bool second : {false, true}) {
        Vp9Prediction p;
        p.w = p.h = 32;
        p.src_x = second ? 77 : 5;
        p.ref = second ? 2 : 1;
        p.second = second;
        for (const unsigned plane : {1u, 2u}) {
            p.plane = plane;
            REQUIRE(apart.predict(p));
        }
        p.plane = DD_PLANES_CHROMA;
        REQUIRE(together.predict(p));
    }
    REQUIRE(together.predictions == 4);
    REQUIRE(together.used_refs == apart.used_refs);
    REQUIRE(together.mc.of_size(3).size() == 2);
    REQUIRE(std::memcmp(together.mc.of_size(3).data(), apart.mc.of_size(3).data(), 2 * sizeof(DdMcRecord)) == 0);
}

TEST_CASE_METHOD(Fixture, "what leaves the picture or has no reference is refused", "[recorder]") {
    const auto refused = [this](auto change) {
        Vp9Prediction p = prediction();
        change(p);
        return !recorder.predict(p);
    };
    REQUIRE_FALSE(refused([](auto &) {}));
    REQUIRE(refused([](auto &p) { p.plane = DD_PLANES_CHROMA + 1; }));
    REQUIRE(refused([](auto &p) { p.ref = 2; }));
    REQUIRE(refused([](auto &p) { p.ref = 3; }));
    REQUIRE(refused([](auto &p) { p.filter = 4; }));
    REQUIRE(refused([](auto &p) { p.x = 66; }));
    REQUIRE(refused([](auto &p) { p.x = 228; }));
    REQUIRE(refused([](auto &p) { p.y = 100; }));
    REQUIRE(refused([](auto &p) { p.y = 0xfffffffc; }));
    REQUIRE(refused([](auto &p) { p.w = 0; }));
    REQUIRE(refused([](auto &p) { p.w = 68; }));
    REQUIRE(refused([](auto &p) { p.h = 6; }));
    REQUIRE(refused([](auto &p) { p.src_x = 32768 * 16; }));
    REQUIRE(refused([](auto &p) { p.src_y = -32769 * 16; }));
    REQUIRE(refused([](auto &p) { p.src_x = 32760 * 16; }));
    REQUIRE(refused([](auto &p) { p.step_x = 0; }));
    REQUIRE(refused([](auto &p) { p.step_y = 33; }));
    REQUIRE(refused([](auto &p) { p.plane = 1; }) == false);
    REQUIRE(refused([](auto &p) {
        p.plane = 1;
        p.x = 112;
    }));
    // Half planes of whole superblocks.
    REQUIRE_FALSE(refused([](auto &p) {
        p.plane = 1;
        p.x = 96;
    }));
}

TEST_CASE_METHOD(Fixture, "second predictions must match first ones", "[recorder]") {
    Vp9Prediction first = prediction(), second = first;
    second.second = true;
    second.ref = 1;
    second.src_x = -5;

    SECTION("they join the record") {
        recorder.begin_block();
        REQUIRE(recorder.predict(first));
        REQUIRE(recorder.predict(second));
        REQUIRE(recorder.mc.of_size(3).size() == 1);
        const DdMcRecord r = recorder.mc.of_size(3)[0];
        REQUIRE((r.ctl & DD_MC_COMPOUND) != 0);
        REQUIRE((r.ctl >> DD_MC_REF1_SHIFT & 3) == 1);
        REQUIRE(static_cast<std::int16_t>(r.src1 & 0xffff) == -1);
        REQUIRE((r.ctl >> DD_MC_MX1_SHIFT & 15) == 11);
    }
    SECTION("none without a first one") {
        recorder.begin_block();
        REQUIRE_FALSE(recorder.predict(second));
    }
    SECTION("not with one of the block before") {
        REQUIRE(recorder.predict(first));
        recorder.begin_block();
        REQUIRE_FALSE(recorder.predict(second));
    }
    SECTION("not in another place") {
        recorder.begin_block();
        REQUIRE(recorder.predict(first));
        second.x += 32;
        REQUIRE_FALSE(recorder.predict(second));
    }
    SECTION("not of another size") {
        recorder.begin_block();
        REQUIRE(recorder.predict(first));
        second.w = second.h = 16;
        REQUIRE_FALSE(recorder.predict(second));
    }
}

TEST_CASE_METHOD(Fixture, "squares lie in the bins of their references and filters", "[recorder]") {
    // Whole blocks, and the same ones a prediction at a time.
    Vp9Recorder apart{layout, Vp9References{layout, layout, PictureLayout{}}};
    constexpr std::int16_t vectors[] = {-16, -3, 0, 5, 8, 14};
    std::size_t squares = 0;
    for (const unsigned compound : {0u, 1u})
        for (const std::int16_t mv_x : vectors)
            for (const std::int16_t mv_y : vectors) {
                DdVp9Block block = {
                    8, 4, 7, 1, static_cast<std::uint8_t>(compound), {1, 0}, {{mv_x, mv_y}, {mv_y, mv_x}}};
                block.ref[0] = mv_x < 0;
                REQUIRE(recorder.predict_block(block));
                apart.begin_block();
                for (unsigned i = 0; i <= compound; i++)
                    for (const unsigned plane : {0u, unsigned{DD_PLANES_CHROMA}}) {
                        const unsigned ss = plane != 0;
                        Vp9Prediction p = {plane, block.ref[i], 1, i != 0, 64u >> ss, 32u >> ss, 16u >> ss, 32u >> ss};
                        p.src_x = static_cast<int>(p.x * 16) + (block.mv[i][0] * 2 >> ss);
                        p.src_y = static_cast<int>(p.y * 16) + (block.mv[i][1] * 2 >> ss);
                        REQUIRE(apart.predict(p));
                    }
                squares += 6;
            }
    REQUIRE(recorder.squares() == squares);
    REQUIRE(recorder.mc.size() == 0);
    REQUIRE(apart.mc.size() == squares);
    for (unsigned c = 0; c < DD_MC_CLASSES; c++)
        REQUIRE(same_squares(recorder, apart, c));
    using Squares = decltype(apart.mc);
    for (unsigned pairing = 0; pairing < kVp9Pairings; pairing++)
        for (unsigned c = 0; c < DD_MC_CLASSES; c++)
            for (unsigned filters = 0; filters < Squares::kKinds; filters++)
                for (const DdMcRecord &r : apart.mc[Squares::bin_of(pairing, c, filters)])
                    REQUIRE((vp9_pairing(r.ctl) == pairing && vp9_filters(r) == filters));
    constexpr unsigned luma[] = {0, 1, 1, 2, 2, 2}, chroma[] = {0, 0, 1, 0, 1, 2};
    for (unsigned c = 0; c < kVp9BlockClasses; c++) {
        for (unsigned filters = 0; filters < Vp9Blocks::kKinds; filters++)
            for (unsigned ref = 0; ref < Vp9Blocks::kPairings; ref++)
                for (const DdMcBlock &block : recorder.blocks[Vp9Blocks::bin_of(ref, c, filters)]) {
                    const auto planes = vp9_squares_of(block, ref);
                    REQUIRE(vp9_filters(planes[0]) == luma[filters]);
                    REQUIRE(vp9_filters(planes[1]) == chroma[filters]);
                    REQUIRE(vp9_filters(planes[2]) == chroma[filters]);
                }
        for (unsigned filters = 0; filters < Vp9PairBlocks::kKinds; filters++)
            for (unsigned pair = 0; pair < Vp9PairBlocks::kPairings; pair++)
                for (const DdMcPairBlock &block : recorder.pair_blocks[Vp9PairBlocks::bin_of(pair, c, filters)])
                    REQUIRE(vp9_filters(vp9_squares_of(block, pair / 3, pair % 3)[0]) == filters);
    }
}

TEST_CASE_METHOD(Fixture, "a scaled second reference takes the first one along", "[recorder]") {
    // Two squares, so that one leaves the middle of the unscaled stream.
    Vp9Prediction first = prediction();
    first.w = 64;
    Vp9Prediction second = first;
    second.second = true;
    second.ref = 1;
    second.step_x = 32;
    recorder.begin_block();
    REQUIRE(recorder.predict(first));
    REQUIRE(recorder.mc.of_size(3).size() == 2);
    REQUIRE(recorder.predict(second));
    REQUIRE(recorder.mc.of_size(3).empty());
    REQUIRE(recorder.scaled.of_size(3).size() == 2);
    for (unsigned i = 0; i < 2; i++) {
        const DdScaledMcRecord r = recorder.scaled.of_size(3)[i];
        REQUIRE((r.dst & 0xffff) == 64 + 32 * i);
        REQUIRE(r.src0_x == 1000 + 32 * 16 * static_cast<int>(i));
        REQUIRE(r.src0_y == 500);
        REQUIRE(r.step0 == (16u | 16u << 16));
        REQUIRE(r.src1_x == 1000 + 32 * 32 * static_cast<int>(i));
        REQUIRE(r.step1 == (32u | 16u << 16));
        REQUIRE((r.ctl & 0xffff) == 0);
    }
}

TEST_CASE_METHOD(Fixture, "an unscaled second reference joins a scaled first one", "[recorder]") {
    Vp9Prediction first = prediction(), second = first;
    first.step_x = 20;
    second.second = true;
    second.ref = 1;
    recorder.begin_block();
    REQUIRE(recorder.predict(first));
    REQUIRE(recorder.predict(second));
    REQUIRE(recorder.scaled.of_size(3).size() == 1);
    REQUIRE(recorder.scaled.of_size(3)[0].step0 == (20u | 16u << 16));
    REQUIRE(recorder.scaled.of_size(3)[0].step1 == (16u | 16u << 16));
    REQUIRE(recorder.scaled.of_size(3)[0].src1_x == 1000);
}

TEST_CASE("corner classes hold their coefficients", "[recorder]") {
    REQUIRE(itx_corner(0, 1) == 0);
    REQUIRE(itx_corner(0, 2) == 1);
    REQUIRE(itx_corner(0, 16) == 1);
    REQUIRE(itx_corner(1, 12) == 1);
    REQUIRE(itx_corner(1, 13) == 2);
    REQUIRE(itx_corner(1, 64) == 2);
    REQUIRE(itx_corner(2, 10) == 1);
    REQUIRE(itx_corner(2, 11) == 2);
    REQUIRE(itx_corner(2, 38) == 2);
    REQUIRE(itx_corner(2, 39) == 3);
    REQUIRE(itx_corner(3, 2) == 2);
    REQUIRE(itx_corner(3, 34) == 2);
    REQUIRE(itx_corner(3, 35) == 3);
    REQUIRE(itx_corner(3, 135) == 3);
    REQUIRE(itx_corner(3, 136) == 4);
    REQUIRE(itx_corner(3, 1024) == 4);
    REQUIRE(itx_corner(DD_ITX_WHT, 1) == 1);
}

TEST_CASE("a list keeps what it has while it grows, from little to many pages", "[memory]") {
    RecordList<std::uint64_t> list;
    const auto counts = [&](std::size_t to) {
        std::uint64_t expected = 0;
        return list.size() == to && std::ranges::all_of(list, [&](std::uint64_t value) { return value == expected++; });
    };
    std::size_t growths = 0, capacity = 0; // whether one moves the list is up to the system
    for (std::uint64_t next = 0; next < 300'000; next++) {
        list.push_back(next);
        if (std::exchange(capacity, list.capacity()) != list.capacity()) {
            growths++;
            REQUIRE(counts(next + 1));
        }
    }
    REQUIRE(counts(300'000));
    REQUIRE(growths > 10);
    REQUIRE(growths < 24); // the capacity grows by half
    const RecordList<std::uint64_t> copy = list;
    RecordList<std::uint64_t> other = std::move(list);
    REQUIRE(std::ranges::equal(copy, other));
    other = RecordList<std::uint64_t>();
    REQUIRE(other.empty());
    REQUIRE_THROWS_AS(other.extend(std::size_t{1} << 58), std::bad_alloc);
}

TEST_CASE("what a list held once takes no memory for ever", "[memory]") {
    constexpr std::size_t large = 1 << 20, small = 1000;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    RecordList<std::uint32_t> list;
    const auto use = [&](std::size_t size) {
        list.clear();
        std::ranges::fill_n(list.extend(size), static_cast<std::ptrdiff_t>(size), 7u);
        return std::ranges::all_of(list, [](std::uint32_t value) { return value == 7; });
    };
    const auto resident = [&] { // pages of the capacity
        const auto at = reinterpret_cast<std::uintptr_t>(list.data()) / page * page;
        std::vector<unsigned char> pages(large * sizeof(std::uint32_t) / page);
        REQUIRE(mincore(reinterpret_cast<void *>(at), pages.size() * page, pages.data()) == 0);
        return std::ranges::count_if(pages, [](unsigned char there) { return there & 1; });
    };
    const auto all = static_cast<std::ptrdiff_t>(large * sizeof(std::uint32_t) / page);
    REQUIRE(use(large));
    REQUIRE(resident() == all);
    SECTION("unless it is large again and again") {
        for (unsigned i = 0; i < 100; i++)
            REQUIRE(use(i % 10 ? small : large));
        REQUIRE(resident() == all);
        for (unsigned i = 0; i < 100; i++)
            REQUIRE(use(i % 30 ? large / 5 : large));
        REQUIRE(resident() == all);
    }
    SECTION("but for some times more") {
        const std::uint32_t *const capacity = list.data();
        for (unsigned i = 0; i < 40; i++)
            REQUIRE(use(small));
        REQUIRE(resident() < all / 8);
        REQUIRE(use(large));
        REQUIRE(list.data() == capacity);
        REQUIRE(resident() == all);
    }
    SECTION("in the hands of another one") {
        RecordList<std::uint32_t> other = std::move(list);
        list = std::move(other);
        for (unsigned i = 0; i < 40; i++)
            REQUIRE(use(0));
        REQUIRE(resident() < all / 8);
    }
}

TEST_CASE_METHOD(Fixture, "residuals are checked, and their corner copied", "[recorder]") {
    std::vector<std::int16_t> coefs(32 * 32);
    for (unsigned i = 0; i < coefs.size(); i++)
        coefs[i] = static_cast<std::int16_t>(i % 32 < 8 && i / 32 < 8 ? i : 0);
    const auto taken = [&](unsigned plane, unsigned x, unsigned y, unsigned kind, unsigned eob) {
        return recorder.residual({plane, x, y, kind, eob, coefs.data()});
    };
    REQUIRE(taken(0, 32, 64, 3, 20));
    REQUIRE(recorder.itx[3][2].size() == 1);
    REQUIRE(recorder.coefs.size() == 32);
    for (unsigned column = 0; column < 8; column++)
        for (unsigned row = 0; row < 8; row++)
            REQUIRE(reinterpret_cast<const std::int16_t *>(recorder.coefs.data())[column * 8 + row] ==
                    static_cast<std::int16_t>(column * 32 + row));
    REQUIRE_FALSE(taken(3, 0, 0, 0, 1));
    REQUIRE_FALSE(taken(0, 2, 0, 0, 1));
    REQUIRE_FALSE(taken(0, 228, 0, 3, 1));
    REQUIRE_FALSE(taken(1, 0, 64, 0, 1));
    REQUIRE_FALSE(taken(0, 0, 0, 5, 1));
    REQUIRE_FALSE(taken(0, 0, 0, 0, 0));
    REQUIRE_FALSE(taken(0, 0, 0, 0, 17));
    REQUIRE_FALSE(recorder.out_of_range());
    coefs.assign(coefs.size(), INT16_MAX);
    REQUIRE_FALSE(taken(0, 0, 0, 3, 1024));
    REQUIRE(recorder.out_of_range());
}

namespace {

// A block of 64x64 with transforms of one size, that ends after `w4` columns and `h4` rows of 4x4 blocks.
template <typename T>
struct CodedBlock {
    static constexpr unsigned places = 16 * 16;
    unsigned kind, w4, h4;
    std::vector<std::uint8_t> eobs = std::vector<std::uint8_t>(places);
    std::vector<T> coefs = std::vector<T>(std::size_t{16} * places);
    unsigned count = 0; // of transforms with coefficients

    CodedBlock(std::mt19937 &random, unsigned kind_, unsigned w4_, unsigned h4_) : kind(kind_), w4(w4_), h4(h4_) {
        const unsigned n = itx_size(kind), step = n / 4;
        unsigned at = 0;
        for (unsigned y = 0; y < h4; y += step)
            for (unsigned x = 0; x < w4; x += step, at += step * step) {
                const unsigned eob = random() % 4 ? 1 + random() % (random() % 2 ? 4 : n * n) : 0;
                const auto wide = static_cast<std::uint16_t>(eob);
                if (n > 8)
                    std::memcpy(eobs.data() + at, &wide, 2);
                else
                    eobs[at] = static_cast<std::uint8_t>(eob);
                if (!eob)
                    continue;
                count++;
                const unsigned corner = itx_corner(kind, eob), d = corner ? corner_size(corner) : 1;
                for (unsigned column = 0; column < d; column++)
                    for (unsigned row = 0; row < d; row++)
                        coefs[16 * at + column * n + row] = static_cast<T>(static_cast<int>(random() % 41) - 20);
            }
    }
    DdVp9Residuals residuals() {
        DdVp9Residuals r = {64, 0, w4, h4, {kind, kind}, {}, {}};
        r.eobs[0] = eobs.data();
        r.coefs[0] = coefs.data();
        return r;
    }
};

template <typename T>
void check_taking(unsigned depth, unsigned kind, unsigned w4, unsigned h4) {
    CAPTURE(depth, kind, w4, h4);
    std::mt19937 random(test_seed());
    CodedBlock<T> block(random, kind, w4, h4);
    const std::vector<T> none(block.coefs.size());
    Vp9Recorder recorder(make_picture_layout(format(200, 80, depth), 64), {});
    REQUIRE(recorder.take_residuals(block.residuals()));
    REQUIRE(recorder.residuals() == block.count);
    REQUIRE(block.coefs == none);
    // One that is out of range, behind a good one.
    recorder.reset(make_picture_layout(format(200, 80, depth), 64), {});
    const unsigned n = itx_size(kind);
    block.eobs.assign(block.eobs.size(), 0);
    block.eobs[0] = block.eobs[n * n / 16] = 2;
    block.coefs = none;
    for (unsigned at = 0; at < 2; at++)
        for (unsigned i = 0; i < 4; i++)
            block.coefs[std::size_t{n} * n * at + i] = at ? static_cast<T>(depth == 8 ? INT16_MAX : 1 << 22) : T{3};
    REQUIRE_FALSE(recorder.take_residuals(block.residuals()));
    REQUIRE(recorder.out_of_range());
    REQUIRE(recorder.residuals() == 1);
}

} // namespace

TEST_CASE("whole blocks are what the sum of their predictions is", "[recorder]") {
    // By size: luma's width and height.
    static constexpr unsigned sides[][2] = {{8, 8},   {8, 16},  {16, 8},  {16, 16}, {16, 32},
                                            {32, 16}, {32, 32}, {32, 64}, {64, 32}, {64, 64}};
    for (const auto &[ss_h, ss_v] : {std::pair{1u, 1u}, {0u, 0u}, {1u, 0u}, {0u, 1u}}) {
        const PictureLayout layout = make_picture_layout(format(128, 128, 8, ss_h, ss_v), 64);
        const Vp9References refs{layout, PictureLayout{}, layout};
        for (unsigned size = 3; size <= 12; size++)
            for (const std::uint8_t compound : {std::uint8_t{0}, std::uint8_t{1}}) {
                CAPTURE(ss_h, ss_v, size, unsigned{compound});
                Vp9Recorder together{layout, refs}, apart{layout, refs};
                const auto [w, h] = sides[size - 3];
                const DdVp9Block block = {8, 8, size, 2, compound, {2, 0}, {{-37, 13}, {6, -32768}}};
                REQUIRE(together.predict_block(block));
                apart.begin_block();
                for (unsigned i = 0; i <= compound; i++)
                    for (const unsigned plane : {0u, unsigned{DD_PLANES_CHROMA}}) {
                        const unsigned h_shift = plane ? ss_h : 0, v_shift = plane ? ss_v : 0;
                        Vp9Prediction p = {plane,          block.ref[i], 2,           i != 0, 64u >> h_shift,
                                           64u >> v_shift, w >> h_shift, h >> v_shift};
                        p.src_x = static_cast<int>(p.x * 16) + (block.mv[i][0] * 2 >> h_shift);
                        p.src_y = static_cast<int>(p.y * 16) + (block.mv[i][1] * 2 >> v_shift);
                        REQUIRE(apart.predict(p));
                    }
                REQUIRE(together.used_refs == apart.used_refs);
                for (unsigned c = 0; c < DD_MC_CLASSES; c++)
                    REQUIRE(same_squares(together, apart, c));
                REQUIRE((together.mc.size() == 0) == (ss_h && ss_v));
            }
    }
}

TEST_CASE_METHOD(Fixture, "whole blocks that aren't possible are refused", "[recorder]") {
    Vp9Recorder small{make_picture_layout(format(64, 64), 64),
                      Vp9References{make_picture_layout(format(64, 64), 64), PictureLayout{}, PictureLayout{}}};
    const DdVp9Block good = {0, 0, 12, 3, 0, {0, 9}, {}};
    REQUIRE(small.predict_block(good));
    const std::size_t squares = small.squares();
    const auto refused = [&](auto change) {
        DdVp9Block block = good;
        change(block);
        return !small.predict_block(block) && small.squares() == squares;
    };
    REQUIRE(refused([](DdVp9Block &b) { b.col = 1; }));
    REQUIRE(refused([](DdVp9Block &b) { b.row = 1; }));
    REQUIRE(refused([](DdVp9Block &b) { b.col = UINT32_MAX; }));
    REQUIRE(refused([](DdVp9Block &b) { b.row = UINT32_MAX - 7; }));
    REQUIRE(refused([](DdVp9Block &b) { b.size = 2; }));
    REQUIRE(refused([](DdVp9Block &b) { b.size = 13; }));
    REQUIRE(refused([](DdVp9Block &b) { b.size = UINT32_MAX; }));
    REQUIRE(refused([](DdVp9Block &b) { b.filter = 4; }));
    REQUIRE(refused([](DdVp9Block &b) { b.ref[0] = 1; }));
    REQUIRE(refused([](DdVp9Block &b) { b.ref[0] = 3; }));
    REQUIRE(refused([](DdVp9Block &b) { b.ref[0] = 32; }));
    REQUIRE(refused([](DdVp9Block &b) { b.compound = 1; })); // with reference 9
    REQUIRE_FALSE(Vp9Recorder().predict_block(good));
}

TEST_CASE("residuals are taken away", "[recorder]") {
    for (unsigned kind = 0; kind < DD_ITX_KINDS; kind++)
        for (const auto &[w4, h4] : {std::pair{16u, 16u}, {16u, 4u}, {10u, 6u}}) {
            check_taking<std::int16_t>(8, kind, w4, h4);
            check_taking<std::int32_t>(10, kind, w4, h4);
        }
    std::mt19937 random(test_seed());
    CodedBlock<std::int16_t> block(random, 0, 16, 16);
    Vp9Recorder recorder(make_picture_layout(format(100, 80), 64), {});
    DdVp9Residuals r = block.residuals();
    r.x = 128; // beyond the picture
    REQUIRE_FALSE(recorder.take_residuals(r));
    for (const std::uint32_t far : {2u, 124u, 16384u, 0x10000u, UINT32_MAX - 3}) { // the first one lies between blocks
        r = block.residuals();
        r.x = far;
        REQUIRE_FALSE(recorder.take_residuals(r));
        r = block.residuals();
        r.y = far;
        REQUIRE_FALSE(recorder.take_residuals(r));
    }
    r = block.residuals();
    r.w4 = 17;
    REQUIRE_FALSE(recorder.take_residuals(r));
    r = block.residuals();
    r.kind[0] = DD_ITX_KINDS;
    REQUIRE_FALSE(recorder.take_residuals(r));
    r = block.residuals();
    r.eobs[0] = nullptr;
    REQUIRE_FALSE(recorder.take_residuals(r));
    REQUIRE(recorder.residuals() == 0);
}

TEST_CASE("the loop filter's input is checked", "[recorder]") {
    Vp9Batch batch;
    batch.reset(make_picture_layout(format(130, 70), 64), {}, 1);
    std::vector<DdLfSuperblock> sb(6);
    for (auto &one : sb) {
        for (auto &word : one.level)
            word = 0x3f3f3f3f;
        for (auto &word : one.mask)
            word = 0xffffffff;
    }
    const std::uint8_t limits[64] = {};
    REQUIRE_FALSE(batch.set_loop_filter(sb.data(), 2, 3, limits, limits));
    REQUIRE_FALSE(batch.set_loop_filter(nullptr, 3, 2, limits, limits));
    REQUIRE(batch.set_loop_filter(sb.data(), 3, 2, limits, limits));
    for (unsigned i = 0; i < 6; i++)
        for (unsigned kind = 0; kind < 2; kind++)
            for (unsigned row = 0; row < 8; row++) {
                const bool left = i % 3 == 0, top = i < 3 && row == 0;
                REQUIRE(batch.lf.superblocks[i].mask[kind * 16 + row] == (left ? 0xfffefefeu : 0xffffffffu));
                REQUIRE(batch.lf.superblocks[i].mask[kind * 16 + 8 + row] == (top ? 0xff000000u : 0xffffffffu));
            }
    // Levels of blocks without edges are whatever lay in the decoder's memory.
    sb[4].level[7] = 0xe5c03f41;
    REQUIRE(batch.set_loop_filter(sb.data(), 3, 2, limits, limits));
    REQUIRE(batch.lf.superblocks[4].level[7] == 0x25003f01);
}

namespace {

std::vector<std::byte> saved_bytes(const BatchView &view) {
    const TemporaryFile file;
    REQUIRE(save_batch(file.path(), view) == "");
    return file.read();
}

} // namespace

TEST_CASE("a batch comes back from its file as it was", "[ddb]") {
    std::mt19937 random(test_seed());
    const RandomFrame frame = make_random_frame(random, format(150, 90, 10, 1, 0), {true, true, true});
    Vp9Batch batch;
    record(frame, batch, 3);
    const auto dst = random_pixels(random, batch.dst);
    std::array<std::vector<std::byte>, DD_MAX_REFERENCES> ref;
    BatchView view{3, &batch, dst.data(), {}};
    for (unsigned slot = 0; slot < 3; slot++) {
        ref[slot] = random_pixels(random, batch.ref[slot]);
        view.ref[slot] = ref[slot].data();
    }
    const TemporaryFile file;
    REQUIRE(save_batch(file.path(), view) == "");
    SavedBatch saved;
    REQUIRE(load_batch(file.path(), saved) == "");
    REQUIRE(saved.phases == 3);
    REQUIRE(saved.dst == dst);
    REQUIRE(saved.ref == ref);
    REQUIRE(saved.layout() == batch.dst);
    REQUIRE(std::get<Vp9Batch>(saved.batch).recorders.size() == 3);
    BatchView again{3, &std::get<Vp9Batch>(saved.batch), saved.dst.data(), {}};
    for (unsigned slot = 0; slot < 3; slot++)
        again.ref[slot] = saved.ref[slot].data();
    REQUIRE(saved_bytes(again) == file.read());
}

TEST_CASE("a batch of the filter alone is saved without references", "[ddb]") {
    std::mt19937 random(test_seed());
    const RandomFrame frame = make_random_frame(random, format(150, 90), {true, true, true});
    Vp9Batch batch;
    record(frame, batch, 2);
    const auto dst = random_pixels(random, batch.dst);
    SavedBatch saved;
    REQUIRE(parse_batch(saved_bytes({DD_PHASE_FILTER, &batch, dst.data(), {}}), saved) == "");
    REQUIRE(std::get<Vp9Batch>(saved.batch).recorders.empty());
    REQUIRE(std::get<Vp9Batch>(saved.batch).lf.superblocks.size() == batch.lf.superblocks.size());
}

TEST_CASE_METHOD(Fixture, "a file whose squares have a reference that is no slot is refused", "[ddb]") {
    Vp9Batch batch;
    batch.reset(layout, {layout, layout, layout}, 1);
    REQUIRE(batch.recorders[0].predict(prediction()));
    const std::vector<std::byte> pixels(layout.size);
    auto bytes = saved_bytes({DD_PHASE_RECON, &batch, pixels.data(), {pixels.data(), pixels.data(), pixels.data()}});
    SavedBatch saved;
    REQUIRE(parse_batch(bytes, saved) == "");
    DdMcRecord record = batch.recorders[0].mc.of_size(3)[0];
    const auto *raw = reinterpret_cast<const std::byte *>(&record);
    const auto at = std::search(bytes.begin(), bytes.end(), raw, raw + sizeof(record));
    REQUIRE(at != bytes.end());
    record.ctl |= GENERATE(3u << DD_MC_REF0_SHIFT, DD_MC_COMPOUND | 3u << DD_MC_REF1_SHIFT);
    std::memcpy(&*at, &record, sizeof(record));
    REQUIRE(parse_batch(bytes, saved) != "");
}

TEST_CASE("damaged files are refused, and never read past their end", "[ddb]") {
    std::mt19937 random(test_seed());
    const RandomFrame frame = make_random_frame(random, format(70, 40), {});
    Vp9Batch batch;
    record(frame, batch, 2);
    const auto pixels = random_pixels(random, batch.dst);
    const auto good = saved_bytes({3, &batch, pixels.data(), {pixels.data(), pixels.data(), pixels.data()}});
    SavedBatch saved;
    REQUIRE(parse_batch(good, saved) == "");

    for (std::size_t size = 0; size < good.size(); size += 1 + size / 50)
        REQUIRE(parse_batch({good.data(), size}, saved) != "");
    auto longer = good;
    longer.push_back({});
    REQUIRE(parse_batch(longer, saved) != "");

    // Whatever is changed: what is taken is sound.
    const std::size_t head = good.size() - 4 * pixels.size();
    unsigned refused = 0;
    for (unsigned i = 0; i < 3000; i++) {
        auto bad = good;
        for (unsigned n = 0; n <= random() % 3; n++)
            bad[random() % head] = static_cast<std::byte>(random());
        if (parse_batch(bad, saved) != "")
            refused++;
        else
            REQUIRE(is_valid(std::get<Vp9Batch>(saved.batch)));
    }
    REQUIRE(refused > 100);
}
