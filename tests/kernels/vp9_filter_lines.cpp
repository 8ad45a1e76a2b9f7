// SPDX-License-Identifier: BSD-2-Clause
//
// The lines of edges that the loop filter's kernels read: every edge of the reference is in them, and no edge reaches
// out of a plane.
#include "catch.h"
#include "reference/vp9_reference.h"
#include "vp9/filter_lines.h"
#include "vp9_random.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace dd::test {
namespace {

constexpr unsigned kCell = 4; // pixels

using Edge = std::tuple<unsigned, bool, unsigned, unsigned, unsigned>; // plane, between rows, x, y, width

// Edges of a unit's line, eight pixels each.
template <typename Put>
void each_edge(std::uint32_t word, bool halved, Put put) {
    for (unsigned block = 0; block < 8; block++) {
        const bool wide = word >> block & 1, eight = word >> (8 + block) & 1, narrow = word >> (16 + block) & 1;
        if (wide || narrow)
            put(halved ? block : block * 2, wide ? 16u : eight ? 8u : 4u);
        if (!halved && word >> (24 + block) & 1)
            put(block * 2 + 1, 4u);
    }
}

std::multiset<Edge> edges_of(const Vp9Batch &batch) {
    std::vector<DdLfLines> all(batch.lf.superblocks.size());
    write_vp9_filter_lines(batch, reinterpret_cast<std::byte *>(all.data()));
    const PictureFormat &f = batch.dst.format;
    std::multiset<Edge> edges;
    for (unsigned sb = 0; sb < all.size(); sb++)
        for (unsigned plane = 0; plane < f.planes; plane++) {
            const unsigned ss_h = plane ? f.ss_h : 0u, ss_v = plane ? f.ss_v : 0u, kind = ss_h | ss_v;
            const unsigned x0 = sb % batch.lf.sb_cols * 64 >> ss_h, y0 = sb / batch.lf.sb_cols * 64 >> ss_v;
            for (unsigned rows = 0; rows < 2; rows++)
                for (unsigned unit = 0; unit < 8u >> (rows ? ss_h : ss_v); unit++) {
                    const std::uint32_t word = all[sb].line[(kind * 2 + rows) * 8 + (unit << (rows ? ss_h : ss_v))];
                    each_edge(word, rows ? ss_v : ss_h, [&](unsigned cell, unsigned width) {
                        edges.insert({plane, rows != 0, x0 + (rows ? unit * 8 : cell * kCell),
                                      y0 + (rows ? cell * kCell : unit * 8), width});
                    });
                }
        }
    return edges;
}

} // namespace

TEST_CASE("the VP9 loop filter's lines have the reference's edges") {
    CAPTURE(seed());
    Random random(seed());
    for (unsigned i = 0; i < 60; i++) {
        const std::uint32_t width = 8 + random() % 400, height = 8 + random() % 400;
        const auto ss_h = static_cast<std::uint8_t>(i & 1), ss_v = static_cast<std::uint8_t>(i >> 1 & 1);
        const std::uint8_t depth = i & 4 ? 10 : 8;
        RandomFrame frame = make_frame(random, {{width, height, depth, ss_h, ss_v, 3}, Content::noise, false, 1});
        add_loop_filter(random, frame);
        CAPTURE(width, height, +ss_h, +ss_v, +depth);
        std::multiset<Edge> wanted;
        reference::each_filter_edge(frame.batch, [&](const reference::Vp9FilterEdge &edge) {
            wanted.insert({edge.plane, edge.between_rows, static_cast<unsigned>(edge.x), static_cast<unsigned>(edge.y),
                           static_cast<unsigned>(edge.width)});
        });
        REQUIRE_FALSE(wanted.empty());
        CHECK(edges_of(frame.batch) == wanted);
    }
}

TEST_CASE("the VP9 loop filter's lines are empty where a frame has no edges") {
    Random random(seed());
    RandomFrame frame = make_frame(random, {{200, 136, 8, 1, 1, 3}, Content::noise, false, 1});
    std::vector<DdLfSuperblock> none(4 * 3);
    REQUIRE(frame.batch.set_loop_filter(none.data(), 4, 3, frame.limit.data(), frame.mblimit.data()));
    CHECK(edges_of(frame.batch).empty());
}

TEST_CASE("masks that no decoder makes lead to edges inside of the planes alone") {
    CAPTURE(seed());
    Random random(seed());
    for (unsigned i = 0; i < 40; i++) {
        const auto ss_h = static_cast<std::uint8_t>(i & 1), ss_v = static_cast<std::uint8_t>(i >> 1 & 1);
        RandomFrame frame = make_frame(random, {{130, 200, 8, ss_h, ss_v, 3}, Content::noise, false, 1});
        std::vector<DdLfSuperblock> any(3 * 4);
        for (DdLfSuperblock &sb : any)
            for (std::uint32_t &word : sb.mask)
                word = i < 8 ? 0xffffffff : random() & random();
        REQUIRE(frame.batch.set_loop_filter(any.data(), 3, 4, frame.limit.data(), frame.mblimit.data()));
        bool inside = true;
        for (const auto &[plane, rows, x, y, width] : edges_of(frame.batch)) {
            const unsigned at = rows ? y : x, reach = width == 16 ? 8 : kCell;
            const unsigned side = (rows ? 4u : 3u) * 64 >> (plane == 0 ? 0u : rows ? ss_v : ss_h);
            inside &= at >= reach && at + reach <= side;
        }
        CHECK(inside);
    }
}

} // namespace dd::test
