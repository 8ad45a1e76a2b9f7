// SPDX-License-Identifier: BSD-2-Clause
//
// Which dispatch a record of AV1's inter prediction goes to. V3D can't index buffers: a kernel that reads any of six
// references chooses among them in every row, which takes a fifth of its time. Records that read the same references
// get a dispatch of their own, whose kernel reads what is bound, and one more where they need no vertical filter, which
// leaves eight rows of thirteen. That kernel knows neither filters of eight taps nor masks, so that V3D's registers
// suffice for cells of eight rows. docs/av1.md says what that gains.
#pragma once
#include "common/av1_recon.h"
#include "util/record_list.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dd {

// What the records of a dispatch have in common: two bindings, and for each source whether it is still, that is without
// a vertical filter in all its planes; or that they need the first kernel, and whether a filter has eight taps.
using Av1RecordKey = std::uint16_t;
constexpr unsigned kAv1RecordKeys = 1024;
constexpr unsigned kAv1KeyRefs = 0x3f, kAv1KeyStill = 1u << 6; // the second source's bit is the next one
constexpr unsigned kAv1KeyAny = 1u << 8, kAv1KeySharp = 1u << 9;

constexpr unsigned av1_key_binding(unsigned key, unsigned source) {
    return key >> (3 * source) & 7;
}
constexpr bool av1_key_still(unsigned key, unsigned source) {
    return (key & kAv1KeyStill << source) != 0;
}

// Lanes of the first share's kernel predict four by four pixels, those of the others four by eight, so that half as
// many do where a plane of the record has eight rows.
enum class Av1Halved : unsigned { nowhere, in_luma, everywhere }; // planes' records: not in_luma
// Records of a size class and one way of halving lie together.
constexpr unsigned kAv1Bins = 3 * DD_AV1_CLASSES;
constexpr unsigned av1_bin(unsigned size_class, Av1Halved halved) {
    return 3 * size_class + static_cast<unsigned>(halved);
}
constexpr unsigned av1_class_of_bin(unsigned bin) {
    return bin / 3;
}
constexpr Av1Halved av1_halved_of_bin(unsigned bin) {
    return static_cast<Av1Halved>(bin % 3);
}

// Of a part: the first one, and what split() adds.
constexpr unsigned kAv1MostAddedShares = 16, kAv1MostShares = 1 + kAv1MostAddedShares;

// Records of a dispatch by bin: of planes, and of whole blocks.
struct Av1RecordCounts {
    std::array<std::uint32_t, kAv1Bins> planes{}, blocks{};
    bool empty() const { return *this == Av1RecordCounts{}; }
    bool operator==(const Av1RecordCounts &) const = default;
};

// The records of one kernel and group of references. Refilled for each frame.
class Av1PredictionPart {
  public:
    struct Share {
        unsigned key; // of all its records, but for the first share, which takes what no other one does
        Av1RecordCounts counts;
    };

    // Of its records; 0: they stay together.
    void reset(unsigned sources);
    bool stays_together() const { return sources_ == 0; }
    // So many records of a bin, planes' or whole blocks'. `cells`: of each, four by four pixels.
    void count(Av1RecordKey key, bool blocks, unsigned bin, std::uint32_t records, std::uint32_t cells) {
        Item &to = item(key);
        (blocks ? to.counts.blocks : to.counts.planes)[bin] += records;
        to.cells += std::uint64_t{records} * cells;
    }

    // The share that saves most, and what it saves.
    struct Proposal {
        unsigned key = 0;
        std::uint64_t gain_ns = 0;
    };
    Proposal best() const;
    void add_share(unsigned key);
    bool empty() const { return items_.empty(); }
    bool first_is_empty() const; // so far
    // What some of its records need of their kernel, and the most turns of its loop.
    struct Needs {
        bool sharp = false, warped = false; // eight taps; a warp
        std::uint32_t turns = 0;
    };
    void note(const Needs &record);
    const Needs &needs() const { return needs_; }
    // Fills in the shares' counts. The first one halves nothing.
    void finish();

    RecordList<Av1RecordKey> keys; // of records one by one, to write them by

    std::span<const Share> shares() const { return shares_; }
    unsigned share_of(Av1RecordKey key) const { return share_of_[key]; }
    // Of a share's record.
    static unsigned bin_in(unsigned share, unsigned bin) {
        return share ? bin : av1_bin(av1_class_of_bin(bin), Av1Halved::nowhere);
    }

  private:
    // Records of a key.
    struct Item {
        Av1RecordKey key;
        std::uint64_t cells = 0;
        unsigned ns; // a cell, where they are
        Av1RecordCounts counts;
    };
    Item &item(Av1RecordKey key) {
        if (!item_of_[key]) [[unlikely]]
            add_item(key);
        return items_[item_of_[key] - 1u];
    }
    void add_item(Av1RecordKey key);
    unsigned ns_of(unsigned key) const;
    static bool takes(unsigned share, unsigned key);

    unsigned sources_ = 1;
    Needs needs_;
    std::vector<Item> items_;
    std::vector<Share> shares_;
    std::array<std::uint8_t, kAv1RecordKeys> item_of_{}, share_of_{}; // item: from 1 on
};

// The parts of a frame, by kernel and group.
class Av1PredictionSchedule {
  public:
    void clear() { used_ = 0; }
    Av1PredictionPart &add();
    std::span<Av1PredictionPart> parts() { return {parts_.data(), used_}; }
    std::span<const Av1PredictionPart> parts() const { return {parts_.data(), used_}; }
    // Shares are added while each saves more than `worth_ns`, and while there are no more than `most` dispatches.
    void split(unsigned most, std::uint64_t worth_ns);

  private:
    std::vector<Av1PredictionPart> parts_;
    std::size_t used_ = 0;
};

} // namespace dd
