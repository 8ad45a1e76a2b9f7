// SPDX-License-Identifier: BSD-2-Clause
//
// The squares of a recorder's predictions, in bins as the GPU's dispatches have them: by references, size and the
// filters that they need. A block's squares share most of that, so one choice of a bin serves several, and no record
// is read again.
#pragma once
#include "common/records.h"
#include "util/record_list.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

// The references of a prediction: one of nine pairs, or one of three single ones.
constexpr unsigned kVp9Singles = 9, kVp9Pairings = 12;

constexpr unsigned vp9_pairing(bool compound, unsigned first, unsigned second) {
    return compound ? first * DD_MAX_REFS + second : kVp9Singles + first;
}
constexpr unsigned vp9_pairing(std::uint32_t ctl) {
    return vp9_pairing(ctl & DD_MC_COMPOUND, ctl >> DD_MC_REF0_SHIFT & 3, ctl >> DD_MC_REF1_SHIFT & 3);
}

// A position as records have it. In a reference it may be negative.
constexpr std::uint32_t vp9_pack(unsigned x, unsigned y) {
    return (x & 0xffffu) | y << 16;
}
// Where a block's vector points to, in 1/16 pixel of a plane.
struct Vp9Source {
    std::int32_t x, y;

    constexpr std::uint32_t position(unsigned at_x, unsigned at_y) const {
        return vp9_pack(at_x + static_cast<unsigned>(x >> 4), at_y + static_cast<unsigned>(y >> 4));
    }
    constexpr std::uint32_t subpel() const { return (x & 15u) | (y & 15u) << 4; } // as DdMcRecord.ctl has it
};

// What filters a position in a reference needs: those that need the most come first.
constexpr unsigned vp9_filters(unsigned subpel_x, unsigned subpel_y) {
    return !subpel_y ? 2 : subpel_x ? 0 : 1;
}
constexpr unsigned vp9_filters(const DdMcRecord &r) {
    const unsigned first = vp9_filters(r.ctl >> DD_MC_MX0_SHIFT & 15, r.ctl >> DD_MC_MY0_SHIFT & 15);
    if (!(r.ctl & DD_MC_COMPOUND))
        return first;
    return first * 3 + vp9_filters(r.ctl >> DD_MC_MX1_SHIFT & 15, r.ctl >> DD_MC_MY1_SHIFT & 15);
}
constexpr unsigned vp9_filters(const DdScaledMcRecord &) {
    return 0;
}

// Records by references, size and filters. `kinds`: of filters. Lists of references that a frame doesn't use are
// never looked at.
template <typename T, unsigned pairings, unsigned classes, unsigned kinds>
class Vp9Bins {
  public:
    using Record = T;
    static constexpr unsigned kPairings = pairings, kClasses = classes, kKinds = kinds;

    static constexpr unsigned bin_of(unsigned pairing, unsigned size_class, unsigned filters) {
        return (pairing * classes + size_class) * kinds + filters;
    }
    // To be called before something is put into a pairing's lists.
    void use(unsigned pairing) { used_ |= 1u << pairing; }
    bool uses(unsigned pairing) const { return used_ >> pairing & 1; }
    RecordList<T> &operator[](unsigned bin) { return bins_[bin]; }
    const RecordList<T> &operator[](unsigned bin) const { return bins_[bin]; }

    void clear() {
        for (unsigned p = 0; p < pairings; p++)
            if (uses(p))
                for (unsigned bin = bin_of(p, 0, 0); bin < bin_of(p + 1, 0, 0); bin++)
                    bins_[bin].clear();
        used_ = 0;
    }
    std::size_t size() const {
        std::size_t all = 0;
        for (const RecordList<T> &bin : bins_)
            all += bin.size();
        return all;
    }
    std::size_t size(unsigned pairing, unsigned size_class) const {
        if (!uses(pairing))
            return 0;
        std::size_t all = 0;
        for (unsigned filters = 0; filters < kinds; filters++)
            all += bins_[bin_of(pairing, size_class, filters)].size();
        return all;
    }
    // A copy, for callers that need no filter.
    std::vector<T> of(unsigned pairing, unsigned size_class) const {
        std::vector<T> all;
        for (unsigned filters = 0; filters < kinds; filters++) {
            const RecordList<T> &bin = bins_[bin_of(pairing, size_class, filters)];
            all.insert(all.end(), bin.begin(), bin.end());
        }
        return all;
    }

  private:
    std::array<RecordList<T>, std::size_t{pairings} * classes * kinds> bins_;
    std::uint32_t used_ = 0; // bit p: pairing p
};

// Squares of single planes.
template <typename T, unsigned kinds>
class Vp9Squares : public Vp9Bins<T, kVp9Pairings, DD_MC_CLASSES, kinds> {
    using Bins = Vp9Bins<T, kVp9Pairings, DD_MC_CLASSES, kinds>;

  public:
    using Bins::operator[];
    struct Place {
        unsigned bin;
        std::uint32_t index;
    };
    T &operator[](const Place &at) { return (*this)[at.bin][at.index]; }
    // The references have to be slots.
    Place put(unsigned size_class, const T &record) {
        const unsigned pairing = vp9_pairing(record.ctl);
        const unsigned bin = Bins::bin_of(pairing, size_class, vp9_filters(record));
        this->use(pairing);
        (*this)[bin].push_back(record);
        return {bin, static_cast<std::uint32_t>((*this)[bin].size() - 1)};
    }
    // The bin's last record takes the place of the one that leaves: what lay there is here now.
    Place take_out(const Place &at) {
        RecordList<T> &bin = (*this)[at.bin];
        bin[at.index] = bin.back();
        bin.pop_back();
        return {at.bin, static_cast<std::uint32_t>(bin.size())};
    }
    // A copy, for callers that need neither references nor filters.
    std::vector<T> of_size(unsigned size_class) const {
        std::vector<T> all;
        for (unsigned pairing = 0; pairing < kVp9Pairings; pairing++) {
            const std::vector<T> some = Bins::of(pairing, size_class);
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }
};

} // namespace dd
