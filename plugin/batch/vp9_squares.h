// SPDX-License-Identifier: BSD-2-Clause
//
// The squares of a recorder's predictions, in bins as the GPU's dispatches have them: by references, size and the filters that
// they need. A block's squares share most of that, so a bin is chosen once for several, and nobody has to look at a record again.
#pragma once
#include "batch/record_list.h"
#include "common/records.h"

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

// `kinds`: of filters, the results of vp9_filters().
template <typename T, unsigned kinds>
class Vp9Squares {
  public:
    using Record = T;
    static constexpr unsigned kKinds = kinds;
    struct Place {
        unsigned bin;
        std::uint32_t index;
    };

    static constexpr unsigned bin_of(unsigned pairing, unsigned size_class, unsigned filters) {
        return (pairing * DD_MC_CLASSES + size_class) * kinds + filters;
    }
    RecordList<T> &operator[](unsigned bin) { return bins_[bin]; }
    const RecordList<T> &operator[](unsigned bin) const { return bins_[bin]; }
    T &operator[](const Place &at) { return bins_[at.bin][at.index]; }

    // The references have to be slots.
    Place put(unsigned size_class, const T &record) {
        const unsigned bin = bin_of(vp9_pairing(record.ctl), size_class, vp9_filters(record));
        bins_[bin].push_back(record);
        return {bin, static_cast<std::uint32_t>(bins_[bin].size() - 1)};
    }
    // The bin's last record takes the place of the one that leaves: what lay there is here now.
    Place take_out(const Place &at) {
        RecordList<T> &bin = bins_[at.bin];
        bin[at.index] = bin.back();
        bin.pop_back();
        return {at.bin, static_cast<std::uint32_t>(bin.size())};
    }
    void clear() {
        for (RecordList<T> &bin : bins_)
            bin.clear();
    }
    std::size_t size() const {
        std::size_t all = 0;
        for (const RecordList<T> &bin : bins_)
            all += bin.size();
        return all;
    }
    // A copy, for those who don't care about references and filters.
    std::vector<T> of_size(unsigned size_class) const {
        std::vector<T> all;
        for (unsigned pairing = 0; pairing < kVp9Pairings; pairing++)
            for (unsigned filters = 0; filters < kinds; filters++) {
                const RecordList<T> &bin = bins_[bin_of(pairing, size_class, filters)];
                all.insert(all.end(), bin.begin(), bin.end());
            }
        return all;
    }

  private:
    std::array<RecordList<T>, std::size_t{kVp9Pairings} * DD_MC_CLASSES * kinds> bins_;
};

} // namespace dd
