// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/prediction_dispatch.h"

#include "vp9/parts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace dd {
namespace {

DdRefPlanes ref_planes_of(const PictureLayout &layout) {
    const DdPlanes planes = planes_of(layout);
    DdRefPlanes ref{};
    std::copy(std::begin(planes.offset), std::end(planes.offset), ref.offset);
    std::copy(std::begin(planes.stride), std::end(planes.stride), ref.stride);
    for (unsigned p = 0; p < 2 && layout.size && p < layout.format.planes; p++)
        ref.last[p] = (layout.plane[p].width - 1) | (layout.plane[p].height - 1) << 16;
    return ref;
}

// ---- without scaling ------------------------------------------------------------------------------------------------

// What of a recorder one dispatch predicts: its squares, and its blocks of the same references.
struct Pairing {
    unsigned number; // as vp9_pairing() has it
    std::array<std::uint8_t, 2> ref;
    bool compound;

    static Pairing of(unsigned number) {
        const bool compound = number < kVp9Singles;
        const unsigned first = compound ? number / DD_MAX_REFS : number - kVp9Singles,
                       second = compound ? number % DD_MAX_REFS : first;
        return {number, {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)}, compound};
    }
    // Among blocks of as many references.
    unsigned blocks() const { return compound ? number : number - kVp9Singles; }
    // Block classes begin with 8 pixels, those of squares with 4.
    std::size_t blocks_of(const Vp9Recorder &r, unsigned block_class) const {
        return compound ? r.pair_blocks.size(blocks(), block_class) : r.blocks.size(blocks(), block_class);
    }
    std::uint32_t block_words() const { return (compound ? sizeof(DdMcPairBlock) : sizeof(DdMcBlock)) / 4; }
};

// Squares of one size and kind, in as many workgroups as they take.
struct Run {
    unsigned kind, size_class;
    std::uint32_t records, squares; // first word, count
    std::uint32_t groups;

    std::uint32_t how() const { return size_class | kind << DD_MC_GROUP_KIND_SHIFT; }
};

// A lane has a strip of four pixels' width, and so many rows at most.
std::size_t lanes_of(const Run &run, unsigned rows_log2) {
    return std::size_t{run.squares} << (2 * run.size_class + 2 - std::min(run.size_class + 2, rows_log2));
}

// The work of one dispatch: runs, from the largest squares to the smallest so that long strips start first. Words:
// DdMcGroup for each workgroup, squares by class, blocks by class; each from the largest on.
class PredictionRuns {
  public:
    PredictionRuns(const Vp9Batch &batch, const Pairing &pairing, Profile profile) {
        count(batch, pairing);
        for (unsigned c = DD_MC_CLASSES; c-- > 0;) {
            if (c > 0)
                add(DD_MC_LUMA, c, blocks_[c - 1]);
            if (c < kVp9BlockClasses)
                add(DD_MC_CHROMA, c, 2 * blocks_[c]);
            add(DD_MC_SQUARES, c, squares_[c]);
        }
        rows_log2_ = choose_rows(profile);
        for (Run &run : runs()) {
            run.groups = groups_for(lanes_of(run, rows_log2_), kLanes);
            groups_ += run.groups;
        }
        place_records(pairing.block_words());
    }
    std::uint32_t groups() const { return groups_; }
    unsigned rows_log2() const { return rows_log2_; }
    std::uint64_t words() const { return words_; }

    std::byte *write_groups(std::byte *to) const {
        for (const Run &run : runs())
            for (std::uint32_t g = 0; g < run.groups; g++) {
                const DdMcGroup group{run.records, run.squares, g * kLanes, run.how()};
                std::memcpy(to, &group, sizeof(group));
                to += sizeof(group);
            }
        return to;
    }

  private:
    std::span<Run> runs() { return {runs_.data(), count_}; }
    std::span<const Run> runs() const { return {runs_.data(), count_}; }
    void count(const Vp9Batch &batch, const Pairing &pairing) {
        for (const Vp9Recorder &recorder : batch.recorders) {
            for (unsigned c = 0; c < DD_MC_CLASSES; c++)
                squares_[c] += recorder.mc.size(pairing.number, c);
            for (unsigned c = 0; c < kVp9BlockClasses; c++)
                blocks_[c] += pairing.blocks_of(recorder, c);
        }
    }
    // Rows of a strip at most: the more, the fewer rows are filtered twice, and the fewer lanes share the work.
    unsigned choose_rows(Profile profile) const {
        constexpr unsigned least = 3, most = 5;
        constexpr std::size_t enough_lanes = 12 * 2 * 16 * 8; // several times what V3D runs at once
        if (profile == Profile::wide)
            return least;
        for (unsigned rows = most; rows > least; rows--) {
            std::size_t all = 0;
            for (const Run &run : runs())
                all += lanes_of(run, rows);
            if (all >= enough_lanes)
                return rows;
        }
        return least;
    }
    void add(unsigned kind, unsigned size_class, std::size_t squares) {
        if (squares)
            runs_[count_++] = {kind, size_class, 0, static_cast<std::uint32_t>(squares), 0};
    }
    void place_records(std::uint32_t block_words) {
        words_ = std::uint64_t{groups_} * (sizeof(DdMcGroup) / 4);
        std::array<std::uint32_t, DD_MC_CLASSES> squares_at{};
        for (unsigned c = DD_MC_CLASSES; c-- > 0;) {
            squares_at[c] = static_cast<std::uint32_t>(words_);
            words_ += squares_[c] * (sizeof(DdMcRecord) / 4);
        }
        std::array<std::uint32_t, kVp9BlockClasses> blocks_at{};
        for (unsigned c = kVp9BlockClasses; c-- > 0;) {
            blocks_at[c] = static_cast<std::uint32_t>(words_);
            words_ += std::uint64_t{blocks_[c]} * block_words;
        }
        for (Run &run : runs())
            run.records = run.kind == DD_MC_SQUARES ? squares_at[run.size_class]
                          : run.kind == DD_MC_LUMA  ? blocks_at[run.size_class - 1]
                                                    : blocks_at[run.size_class];
    }

    std::array<std::size_t, DD_MC_CLASSES> squares_{};   // by size class, as
    std::array<std::size_t, kVp9BlockClasses> blocks_{}; // these
    std::array<Run, DD_MC_CLASSES + 2 * kVp9BlockClasses> runs_{};
    std::size_t count_ = 0; // of runs
    std::uint32_t groups_ = 0;
    std::uint64_t words_ = 0;
    unsigned rows_log2_ = 0;
};

template <typename Push>
Push start_push(const Vp9Batch &batch, const Pairing &pairing) {
    Push push{};
    push.dst = planes_of(batch.dst);
    push.ref0 = ref_planes_of(batch.ref[pairing.ref[0]]);
    push.ref1 = ref_planes_of(batch.ref[pairing.ref[1]]);
    return push;
}

template <typename Push>
void add_dispatch(const Vp9Batch &batch, const Pairing &pairing, VpKernel kernel, const Push &push,
                  std::uint32_t groups, std::size_t bytes, PhaseWork &work) {
    Dispatch d;
    d.kernel = kernel_of(kernel, batch.dst.format.bit_depth);
    d.set_push(push);
    d.groups = groups;
    d.ref = pairing.ref;
    d.records_at = work.upload_bytes;
    work.dispatches.push_back(d);
    work.upload_bytes = align_upload(work.upload_bytes + bytes);
}

void plan_unscaled(const Vp9Batch &batch, const Pairing &pairing, Profile profile, PhaseWork &work) {
    const PredictionRuns runs(batch, pairing, profile);
    if (runs.groups() == 0)
        return;
    auto push = start_push<DdMcPush>(batch, pairing);
    push.rows_log2 = runs.rows_log2();
    add_dispatch(batch, pairing, pairing.compound ? kMcPair : kMc, push, runs.groups(), runs.words() * 4, work);
}

// Those of a pairing, from the largest class to the smallest.
template <typename Bins>
std::byte *write_bins(const Vp9Batch &batch, Bins Vp9Recorder::*bins, unsigned pairing, std::byte *to) {
    for (unsigned c = Bins::kClasses; c-- > 0;)
        for (unsigned filters = 0; filters < Bins::kKinds; filters++)
            for (const Vp9Recorder &recorder : batch.recorders)
                if ((recorder.*bins).uses(pairing))
                    to = append(to, (recorder.*bins)[Bins::bin_of(pairing, c, filters)]);
    return to;
}

// False: there was nothing to write.
bool write_unscaled(const Vp9Batch &batch, const Pairing &pairing, Profile profile, std::byte *to) {
    const PredictionRuns runs(batch, pairing, profile);
    if (runs.groups() == 0)
        return false;
    to = runs.write_groups(to);
    to = write_bins(batch, &Vp9Recorder::mc, pairing.number, to);
    if (pairing.compound)
        write_bins(batch, &Vp9Recorder::pair_blocks, pairing.blocks(), to);
    else
        write_bins(batch, &Vp9Recorder::blocks, pairing.blocks(), to);
    return true;
}

// ---- from references of other sizes ---------------------------------------------------------------------------------

std::size_t count_scaled(const Vp9Batch &batch, const Pairing &pairing, unsigned size_class) {
    std::size_t count = 0;
    for (const Vp9Recorder &recorder : batch.recorders)
        count += recorder.scaled.size(pairing.number, size_class);
    return count;
}

void plan_scaled(const Vp9Batch &batch, const Pairing &pairing, PhaseWork &work) {
    auto push = start_push<DdScaledMcPush>(batch, pairing);
    std::size_t records = 0;
    std::uint32_t groups = 0;
    for (unsigned position = 0; position < DD_MC_CLASSES; position++) { // from the largest squares on
        const unsigned c = DD_MC_CLASSES - 1 - position;
        if (position)
            push.first_group[position - 1] = groups;
        push.first_record[position] = static_cast<std::uint32_t>(records);
        const std::size_t count = count_scaled(batch, pairing, c);
        records += count;
        groups += groups_for(count * (std::size_t{4} << (2 * c)), kLanes); // a lane has four pixels
    }
    push.first_record[DD_MC_CLASSES] = static_cast<std::uint32_t>(records);
    if (records)
        add_dispatch(batch, pairing, kScaledMc, push, groups, records * sizeof(DdScaledMcRecord), work);
}

bool has_scaled(const Vp9Batch &batch, const Pairing &pairing) {
    for (unsigned c = 0; c < DD_MC_CLASSES; c++)
        if (count_scaled(batch, pairing, c))
            return true;
    return false;
}

} // namespace

void plan_vp9_predictions(const Vp9Batch &batch, Profile profile, PhaseWork &work) {
    for (unsigned p = 0; p < kVp9Pairings; p++)
        plan_unscaled(batch, Pairing::of(p), profile, work);
    for (unsigned p = 0; p < kVp9Pairings; p++)
        plan_scaled(batch, Pairing::of(p), work);
}

std::size_t write_vp9_predictions(const Vp9Batch &batch, Profile profile, const PhaseWork &work, std::byte *upload) {
    std::size_t next = 0;
    const auto place = [&] { return upload + work.dispatches[next].records_at; };
    for (unsigned p = 0; p < kVp9Pairings; p++)
        if (next < work.dispatches.size())
            next += write_unscaled(batch, Pairing::of(p), profile, place());
    for (unsigned p = 0; p < kVp9Pairings; p++)
        if (next < work.dispatches.size() && has_scaled(batch, Pairing::of(p))) {
            write_bins(batch, &Vp9Recorder::scaled, p, place());
            next++;
        }
    return next;
}

} // namespace dd
