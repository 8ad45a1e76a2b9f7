// SPDX-License-Identifier: BSD-2-Clause
//
// The lists of edges that the loop filter goes by where one dispatch does all of a frame: every edge is in them, and
// after all earlier ones that it shares pixels with.
#include "catch.h"
#include "reference/vp9_reference.h"
#include "vp9/filter_order.h"
#include "vp9_random.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace dd::test {
namespace {

constexpr int kCell = 4; // pixels

// Where an edge is in the lists.
struct Place {
    unsigned level = 0;
    bool between_rows = false;
    unsigned chain = 0, index = 0; // of the level's chains of a direction; in the chain
    std::uint32_t how = 0;

    bool may_follow(const Place &before) const {
        const bool same_chain = level == before.level && between_rows == before.between_rows && chain == before.chain;
        return level > before.level || (same_chain && index > before.index);
    }
};

using Key = std::tuple<std::uint32_t, bool>; // word, direction

std::map<Key, Place> places_of(const Vp9FilterOrder &order) {
    std::map<Key, Place> all;
    for (unsigned level = 0; level < order.levels.size(); level++) {
        unsigned index[2] = {}; // of the next segment of a direction
        for (unsigned s = order.levels[level].first_segment; s < order.levels[level].end_segment; s++) {
            const DdLfSegment &segment = order.segments[s];
            const unsigned direction = segment.count >> DD_LF_DIRECTION_SHIFT;
            for (unsigned i = 0; i < (segment.count & ~(1u << DD_LF_DIRECTION_SHIFT)); i++) {
                const DdLfEdge &edge = order.edges[segment.first_edge + i];
                const bool is_new = all.try_emplace({edge.at, direction != 0},
                                                    Place{level, direction != 0, i, index[direction], edge.how})
                                        .second;
                REQUIRE(is_new);
            }
            index[direction]++;
        }
    }
    return all;
}

// Places of the last edges by cell of a plane.
class Cells {
  public:
    explicit Cells(const PlaneLayout &plane)
        : columns_(plane.padded_width / kCell + 1), last_(columns_ * (plane.padded_height / kCell + 1)) {}
    // True: the edge comes after all that were here.
    bool follow(const reference::Vp9FilterEdge &edge, const Place &place) {
        const int reach = edge.width == 16 ? 2 : 1, along = edge.between_rows ? edge.y : edge.x;
        bool good = true;
        for (int a = along / kCell - reach; a < along / kCell + reach; a++)
            for (int b = 0; b < 2; b++) {
                const int across = (edge.between_rows ? edge.x : edge.y) / kCell + b;
                auto &[known, last] = last_.at(edge.between_rows ? at(across, a) : at(a, across));
                good &= !known || place.may_follow(last);
                known = true;
                last = place;
            }
        return good;
    }

  private:
    std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * columns_ + static_cast<std::size_t>(x); }
    std::size_t columns_;
    std::vector<std::pair<bool, Place>> last_;
};

void check(const Vp9Batch &batch, const Vp9FilterOrder &order) {
    const std::map<Key, Place> places = places_of(order);
    std::vector<Cells> cells;
    for (unsigned p = 0; p < batch.dst.format.planes; p++)
        cells.emplace_back(batch.dst.plane[p]);
    std::size_t edges = 0;
    bool all_there = true, in_order = true;
    reference::each_filter_edge(batch, [&](const reference::Vp9FilterEdge &edge) {
        const PlaneLayout &plane = batch.dst.plane[edge.plane];
        const auto byte = static_cast<std::uint32_t>(edge.y) * plane.stride +
                          static_cast<std::uint32_t>(edge.x) * batch.dst.bytes_per_pixel() + plane.offset;
        const auto found = places.find({byte / 4 | (edge.plane ? DD_LF_CHROMA : 0), edge.between_rows});
        const unsigned width = edge.width == 16 ? 2 : edge.width == 8 ? 1 : 0;
        const std::uint32_t how =
            batch.lf.limits[edge.level] | edge.level >> 4 << DD_LF_VARIANCE_SHIFT | width << DD_LF_WIDTH_SHIFT;
        edges++;
        all_there &= found != places.end() && found->second.how == how;
        if (all_there)
            in_order &= cells[edge.plane].follow(edge, found->second);
    });
    CHECK(all_there);
    CHECK(in_order);
    CHECK(edges == places.size());
    CHECK(edges == order.edges.size());
}

} // namespace

TEST_CASE("the VP9 loop filter's lists have every edge, after those that it shares pixels with") {
    CAPTURE(seed());
    Random random(seed());
    Vp9FilterOrder order; // for all frames: it keeps its memory
    for (unsigned i = 0; i < 60; i++) {
        const std::uint32_t width = 8 + random() % 400, height = 8 + random() % 400;
        const auto ss_h = static_cast<std::uint8_t>(i & 1), ss_v = static_cast<std::uint8_t>(i >> 1 & 1);
        const std::uint8_t depth = i & 4 ? 10 : 8;
        RandomFrame frame = make_frame(random, {{width, height, depth, ss_h, ss_v, 3}, Content::noise, false, 1});
        add_loop_filter(random, frame);
        CAPTURE(width, height, +ss_h, +ss_v, +depth);
        order.build(frame.batch);
        REQUIRE_FALSE(order.edges.empty());
        check(frame.batch, order);
    }
}

TEST_CASE("the VP9 loop filter's lists are empty where a frame has no edges") {
    Random random(seed());
    RandomFrame frame = make_frame(random, {{200, 136, 8, 1, 1, 3}, Content::noise, false, 1});
    Vp9FilterOrder order;
    order.build(frame.batch);
    CHECK(order.levels.empty());
    std::vector<DdLfSuperblock> none(4 * 3);
    REQUIRE(frame.batch.set_loop_filter(none.data(), 4, 3, frame.limit.data(), frame.mblimit.data()));
    order.build(frame.batch);
    CHECK(order.levels.empty());
    CHECK(order.edges.empty());
}

TEST_CASE("masks that no decoder makes lead to edges inside of the planes alone") {
    CAPTURE(seed());
    Random random(seed());
    Vp9FilterOrder order;
    for (unsigned i = 0; i < 40; i++) {
        const auto ss_h = static_cast<std::uint8_t>(i & 1), ss_v = static_cast<std::uint8_t>(i >> 1 & 1);
        RandomFrame frame = make_frame(random, {{130, 200, 8, ss_h, ss_v, 3}, Content::noise, false, 1});
        std::vector<DdLfSuperblock> any(3 * 4);
        for (DdLfSuperblock &sb : any)
            for (std::uint32_t &word : sb.mask)
                word = i < 8 ? 0xffffffff : random() & random();
        REQUIRE(frame.batch.set_loop_filter(any.data(), 3, 4, frame.limit.data(), frame.mblimit.data()));
        order.build(frame.batch);
        bool inside = true;
        for (const DdLfEdge &edge : order.edges) {
            const std::uint32_t byte = (edge.at & ~DD_LF_CHROMA) * 4;
            inside &=
                std::any_of(std::begin(frame.layout.plane), std::end(frame.layout.plane), [&](const PlaneLayout &p) {
                    return byte >= p.offset && byte - p.offset < p.stride * p.padded_height;
                });
        }
        CHECK(inside);
    }
}

} // namespace dd::test
