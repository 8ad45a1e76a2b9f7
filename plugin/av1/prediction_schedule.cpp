// SPDX-License-Identifier: BSD-2-Clause
#include "av1/prediction_schedule.h"

#include <algorithm>

namespace dd {
namespace {

// What a source of a cell takes on V3D, modelled (docs/v3d-kernels.md): where the reference is chosen in each row,
// where it is bound, and the latter without a vertical filter.
constexpr unsigned kChosenNs = 45, kBoundNs = 23, kStillNs = 16;

} // namespace

void Av1PredictionPart::reset(unsigned sources) {
    sources_ = sources;
    needs_ = {};
    items_.clear();
    keys.clear();
    shares_.assign(1, Share{});
    item_of_.fill(0);
    share_of_.fill(0);
}

void Av1PredictionPart::add_item(Av1RecordKey key) {
    items_.push_back({key, 0, kChosenNs * sources_, {}});
    note({.sharp = (key & kAv1KeySharp) != 0});
    item_of_[key] = static_cast<std::uint8_t>(items_.size());
}

unsigned Av1PredictionPart::ns_of(unsigned key) const {
    unsigned ns = 0;
    for (unsigned source = 0; source < sources_; source++)
        ns += av1_key_still(key, source) ? kStillNs : kBoundNs;
    return ns;
}

// A share whose sources are filtered takes still ones as well.
bool Av1PredictionPart::takes(unsigned share, unsigned key) {
    return !(key & kAv1KeyAny) && !((share ^ key) & kAv1KeyRefs) && !(share & ~key);
}

Av1PredictionPart::Proposal Av1PredictionPart::best() const {
    Proposal best;
    if (stays_together() || shares_.size() == kAv1MostShares)
        return best;
    const auto consider = [&](unsigned key) {
        const unsigned ns = ns_of(key);
        std::uint64_t gain = 0;
        for (const Item &item : items_)
            if (takes(key, item.key) && ns < item.ns)
                gain += item.cells * (item.ns - ns);
        if (gain > best.gain_ns)
            best = {key, gain};
    };
    for (const Item &item : items_) {
        if (item.key & kAv1KeyAny)
            continue;
        consider(item.key);
        if (item.key & ~kAv1KeyRefs)
            consider(item.key & kAv1KeyRefs);
    }
    return best;
}

void Av1PredictionPart::add_share(unsigned key) {
    const unsigned ns = ns_of(key);
    for (Item &item : items_)
        if (takes(key, item.key) && ns < item.ns) {
            item.ns = ns;
            share_of_[item.key] = static_cast<std::uint8_t>(shares_.size());
        }
    shares_.push_back({key, {}});
}

bool Av1PredictionPart::first_is_empty() const {
    return std::ranges::all_of(items_, [this](const Item &item) { return share_of_[item.key] != 0; });
}

void Av1PredictionPart::note(const Needs &record) {
    needs_.sharp |= record.sharp;
    needs_.warped |= record.warped;
    needs_.turns = std::max(needs_.turns, record.turns);
}

void Av1PredictionPart::finish() {
    for (const Item &item : items_) {
        const unsigned share = share_of_[item.key];
        Av1RecordCounts &to = shares_[share].counts;
        for (unsigned bin = 0; bin < kAv1Bins; bin++) {
            to.planes[bin_in(share, bin)] += item.counts.planes[bin];
            to.blocks[bin_in(share, bin)] += item.counts.blocks[bin];
        }
    }
}

Av1PredictionPart &Av1PredictionSchedule::add() {
    if (used_ == parts_.size())
        parts_.emplace_back();
    return parts_[used_++];
}

void Av1PredictionSchedule::split(unsigned most, std::uint64_t worth_ns) {
    auto dispatches = static_cast<std::size_t>(
        std::ranges::count_if(parts(), [](const Av1PredictionPart &part) { return !part.empty(); }));
    while (dispatches < most) {
        Av1PredictionPart *part = nullptr;
        Av1PredictionPart::Proposal best{0, worth_ns};
        for (Av1PredictionPart &other : parts())
            if (const auto proposal = other.best(); proposal.gain_ns > best.gain_ns) {
                part = &other;
                best = proposal;
            }
        if (!part)
            return;
        const bool was_empty = part->first_is_empty();
        part->add_share(best.key);
        if (was_empty || !part->first_is_empty()) // else the new dispatch takes the first one's place
            dispatches++;
    }
}

} // namespace dd
