// SPDX-License-Identifier: BSD-2-Clause
#include "av1/prediction_dispatch.h"
#include "av1/dispatch.h"
#include "av1/prediction_schedule.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace dd {
namespace {

// The streams of a recorder, for one kernel: of planes, and of whole blocks, whose records have so many sources.
template <auto Planes, auto Blocks = nullptr, unsigned Sources = 0>
struct KernelStreams {
    const char *name;
    const char *direct_name = nullptr; // of the kernel that reads what is bound
    static constexpr unsigned sources = Sources;
    unsigned lanes = DD_AV1_LANES; // of a workgroup
    static constexpr bool has_blocks = !std::is_null_pointer_v<decltype(Blocks)>;
    const auto &planes(const Av1Recorder &recorder) const { return recorder.*Planes; }
    const auto &blocks(const Av1Recorder &recorder) const requires has_blocks { return recorder.*Blocks; }
};

// With the number of the kernel's first part.
template <typename Visit>
void for_all_kernels(unsigned groups, Visit visit) {
    visit(KernelStreams<&Av1Recorder::mc, &Av1Recorder::blocks, 1>{"mc", "mc_direct"}, 0);
    visit(KernelStreams<&Av1Recorder::pairs, &Av1Recorder::pair_blocks, 2>{"pair", "pair_direct"}, groups);
    visit(KernelStreams<&Av1Recorder::overlaps>{"overlap"}, 2 * groups);
    visit(KernelStreams<&Av1Recorder::warps>{"warp"}, 3 * groups);
    visit(KernelStreams<&Av1Recorder::differences>{.name = "difference", .lanes = DD_AV1_DIFFERENCE_LANES}, 4 * groups);
}

// Calls visit(records, size class, are they whole blocks, word of the first mask) for all of a group's lists. 0: their
// recorder has no masks.
template <typename Kernel, typename Visit>
void for_all_records(const Av1Recon &recon, const Kernel &kernel, unsigned group, Visit visit) {
    std::uint32_t masks = DD_AV1_TABLE_WORDS;
    for (const Av1Recorder &recorder : recon.recorders) {
        const std::uint32_t first_mask = recorder.masks.empty() ? 0 : masks;
        for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
            visit(kernel.planes(recorder)[group][c], c, std::false_type{}, first_mask);
            if constexpr (Kernel::has_blocks)
                visit(kernel.blocks(recorder)[group][c], c, std::true_type{}, first_mask);
        }
        masks += static_cast<std::uint32_t>(recorder.masks.size());
    }
}

// Whether a source needs no horizontal (vertical) filter in any plane. Whole blocks count a vector in 1/8 pixel of
// luma: at a multiple of two pixels no plane is filtered.
template <bool is_block>
constexpr bool is_whole_x(const DdAv1RecordSource &source) {
    return is_block ? !(source.at & 15) : !(source.how >> DD_AV1_MX_SHIFT & 15);
}
template <bool is_block>
constexpr bool is_whole_y(const DdAv1RecordSource &source) {
    return is_block ? !(source.at >> 16 & 15) : !(source.how >> DD_AV1_MY_SHIFT & 15);
}

// Whether one of a source's filters has eight taps. Few are sharp, which one look at all kinds tells.
template <bool is_block>
constexpr bool is_sharp(const DdAv1RecordSource &source) {
    static_assert(DD_AV1_TAPS_SHARP == 2 && DD_AV1_TAP_KINDS <= 6); // the only kind with bit 1 and without bit 0
    constexpr std::uint32_t x = 1u << DD_AV1_TAPS_X_SHIFT | (is_block ? 1u << DD_AV1_CHROMA_TAPS_X_SHIFT : 0);
    constexpr std::uint32_t y = 1u << DD_AV1_TAPS_Y_SHIFT | (is_block ? 1u << DD_AV1_CHROMA_TAPS_Y_SHIFT : 0);
    const std::uint32_t sharp = source.how >> 1 & ~source.how & (x | y);
    return sharp && ((sharp & x && !is_whole_x<is_block>(source)) || (sharp & y && !is_whole_y<is_block>(source)));
}

template <typename Record, typename Test>
bool any_source(const Record &record, Test test) {
    if constexpr (std::is_same_v<Record, DdAv1DiffRecord>)
        if (std::ranges::any_of(record.chroma_source, test))
            return true;
    return std::ranges::any_of(record.source, test);
}

template <bool is_block, typename Record>
bool may_be_sharp(const Record &record) {
    return any_source(record, is_sharp<is_block>);
}

template <typename Record>
bool is_warped(const Record &record) {
    return any_source(record, [](const DdAv1RecordSource &source) { return (source.how & DD_AV1_WARPED) != 0; });
}

// Of the loop of a kernel that has one over a record's sources or cells.
std::uint32_t turns_of(const DdAv1WarpRecord &record, const PictureFormat &) {
    return record.ctl & DD_AV1_COMPOUND ? 2 : 1;
}
std::uint32_t turns_of(const DdAv1DiffRecord &record, const PictureFormat &format) {
    return (1u << format.ss_h << format.ss_v) + (record.ctl & DD_AV1_HAS_CHROMA ? 2 : 0);
}
template <typename Record>
std::uint32_t turns_of(const Record &, const PictureFormat &) {
    return 0;
}

template <bool is_block, typename Kernel, typename Record>
Av1RecordKey key_of(const Record &record) {
    const bool sharp = Kernel::sources && may_be_sharp<is_block>(record);
    const bool any = sharp || record.ctl & (DD_AV1_HALVES | DD_AV1_MASKED | DD_AV1_TWO_ROWS);
    unsigned refs = 0, still = 0;
    for (unsigned i = 0; i < Kernel::sources; i++) {
        const DdAv1RecordSource &source = record.source[i];
        refs |= (source.how >> DD_AV1_REF_SHIFT & 7) << (3 * i);
        still |= is_whole_y<is_block>(source) ? kAv1KeyStill << i : 0;
    }
    return static_cast<Av1RecordKey>(refs | (any ? kAv1KeyAny | (sharp ? kAv1KeySharp : 0) : still));
}

template <bool is_block>
constexpr unsigned bin_of(std::uint32_t ctl, unsigned c, const PictureFormat &format) {
    const unsigned h4_log2 = ctl >> DD_AV1_H4_SHIFT & 3;
    const bool in_chroma = !is_block || h4_log2 > format.ss_v;
    return av1_bin(c, !h4_log2 ? Av1Halved::nowhere : in_chroma ? Av1Halved::everywhere : Av1Halved::in_luma);
}

template <typename Kernel>
void count_records(const Av1Batch &batch, const Kernel &kernel, unsigned group, Av1PredictionPart &part) {
    const PictureFormat &format = batch.dst.format;
    for_all_records(batch.recon, kernel, group, [&](const auto &records, unsigned c, auto is_block, std::uint32_t) {
        constexpr bool is_whole = decltype(is_block)::value;
        if (records.empty()) // as are all whole blocks whose chroma would be narrower than a record
            return;
        const std::uint32_t chroma = is_whole && format.planes > 1 ? 1u << av1_chroma_class(format, c) : 0;
        const std::uint32_t cells = (1u << c) + chroma;
        if (part.stays_together()) {
            if (kernel.direct_name)
                part.note({.sharp = true}); // not known
            else
                for (const auto &record : records)
                    part.note({may_be_sharp<is_whole>(record), is_warped(record), turns_of(record, format)});
            part.count(0, is_whole, av1_bin(c, Av1Halved::nowhere), static_cast<std::uint32_t>(records.size()), cells);
            return;
        }
        Av1RecordKey *key = part.keys.extend(records.size());
        for (const auto &record : records) {
            *key = key_of<is_whole, Kernel>(record);
            part.count(*key++, is_whole, bin_of<is_whole>(record.ctl, c, format), 1, cells);
        }
    });
}

// Records that as many lanes each work on.
struct Run {
    std::uint32_t first, count; // records of the dispatch
    std::uint32_t how;          // DD_AV1_GROUP_*
    std::uint32_t lanes() const { return count << (how >> DD_AV1_GROUP_LOG2 & 7); }
    std::uint32_t groups(unsigned lanes_of_group) const { return div_up(lanes(), lanes_of_group); }
};

// In the order in which records lie. Whole blocks have a second run for chroma. Returns the number of records.
template <typename Visit>
std::uint32_t for_all_runs(const Av1RecordCounts &counts, const PictureFormat &format, Visit visit) {
    std::uint32_t next = 0;
    for (unsigned bin = 0; bin < kAv1Bins; bin++) {
        const unsigned lanes_log2 = av1_class_of_bin(bin) - (av1_halved_of_bin(bin) != Av1Halved::nowhere);
        if (counts.planes[bin])
            visit(Run{next, counts.planes[bin], lanes_log2 << DD_AV1_GROUP_LOG2});
        next += counts.planes[bin];
    }
    for (unsigned bin = 0; bin < kAv1Bins; bin++) {
        if (!counts.blocks[bin])
            continue;
        const unsigned c = av1_class_of_bin(bin), luma = c - (av1_halved_of_bin(bin) != Av1Halved::nowhere);
        visit(Run{next, counts.blocks[bin], luma << DD_AV1_GROUP_LOG2});
        const unsigned chroma = av1_chroma_class(format, c) - (av1_halved_of_bin(bin) == Av1Halved::everywhere);
        if (format.planes > 1)
            visit(Run{next, counts.blocks[bin], chroma << DD_AV1_GROUP_LOG2 | DD_AV1_GROUP_CHROMA});
        next += counts.blocks[bin];
    }
    return next;
}

template <typename Kernel>
constexpr std::uint32_t record_words(const Kernel &) {
    using Streams = decltype(std::declval<Kernel>().planes(std::declval<const Av1Recorder &>()));
    return sizeof(std::declval<Streams>()[0][0][0]) / 4;
}

// What a share's dispatch has of an upload.
struct Extent {
    std::uint32_t groups = 0, records = 0;
    std::uint64_t words(std::uint32_t record_words) const {
        return std::uint64_t{groups} * DD_AV1_GROUP_WORDS + std::uint64_t{records} * record_words;
    }
};

Extent extent_of(const Av1RecordCounts &counts, const PictureFormat &format, unsigned lanes) {
    Extent extent;
    extent.records = for_all_runs(counts, format, [&](const Run &run) { extent.groups += run.groups(lanes); });
    return extent;
}

// ---- dispatches -----------------------------------------------------------------------------------------

// Rows of a cell's source, of the eleven of eight taps, in the first share's kernel.
DdAv1ReconPush push_of_any(std::uint64_t groups_at, const Av1PredictionPart &part) {
    const Av1PredictionPart::Needs &needs = part.needs();
    const std::uint32_t first = needs.sharp ? 0 : 1;
    return {static_cast<std::uint32_t>(groups_at), first, 11 - first, {0, 0}, needs.turns, needs.warped};
}

DdAv1ReconPush push_of(std::uint64_t groups_at, unsigned key) {
    return {static_cast<std::uint32_t>(groups_at), 0, 0, {av1_key_still(key, 0), av1_key_still(key, 1)}, 0, 0};
}

// The first share's kernel reads any of six references, the others' what is bound first and second.
template <typename Kernel>
Dispatch dispatch_of(const Av1Batch &batch, const Kernel &kernel, unsigned group, const Av1PredictionPart::Share &share,
                     bool any) {
    std::array<std::uint8_t, DD_AV1_BOUND_REFS> bound = batch.recon.references.bound(group);
    if (!any) {
        const std::uint8_t first = bound[av1_key_binding(share.key, 0)], second = bound[av1_key_binding(share.key, 1)];
        bound.fill(first);
        bound[1] = second;
    }
    Dispatch d;
    d.kernel = av1_kernel(any ? kernel.name : kernel.direct_name, batch.dst.format.bit_depth);
    d.av1_ref = bound;
    return d;
}

// ---- records --------------------------------------------------------------------------------------------

// The table of a dispatch's workgroups. `records`: word of its first record.
template <typename Kernel>
std::byte *write_groups(const Kernel &kernel, const Av1RecordCounts &counts, const PictureFormat &format,
                        std::uint64_t records, std::byte *to) {
    for_all_runs(counts, format, [&](const Run &run) {
        for (std::uint32_t i = 0; i < run.groups(kernel.lanes); i++) {
            const DdAv1WorkGroup group = {static_cast<std::uint32_t>(records + run.first * record_words(kernel)),
                                          i * kernel.lanes, run.lanes(), run.how};
            std::memcpy(to, &group, sizeof(group));
            to += sizeof(group);
        }
    });
    return to;
}

// Where the next record of each bin goes.
struct Cursors {
    std::array<std::byte *, kAv1Bins> planes, blocks;
};

Cursors cursors_of(const Av1RecordCounts &counts, std::size_t record_bytes, std::byte *&to) {
    Cursors cursors;
    for (unsigned bin = 0; bin < kAv1Bins; bin++) {
        cursors.planes[bin] = to;
        to += counts.planes[bin] * record_bytes;
    }
    for (unsigned bin = 0; bin < kAv1Bins; bin++) {
        cursors.blocks[bin] = to;
        to += counts.blocks[bin] * record_bytes;
    }
    return cursors;
}

template <typename Kernel>
void write_records(const Av1Batch &batch, const Kernel &kernel, unsigned group, const Av1PredictionPart &part,
                   std::span<Cursors> cursors) {
    const Av1RecordKey *key = part.keys.begin(); // of the next record
    const bool one_share = part.shares().size() == 1;
    for_all_records(
        batch.recon, kernel, group, [&](const auto &records, unsigned c, auto is_block, std::uint32_t masks) {
            constexpr bool is_whole = decltype(is_block)::value;
            constexpr bool may_have_mask = requires {
                records[0].mask;
            };
            const auto next = [&](unsigned share, unsigned bin) -> std::byte *& {
                return is_whole ? cursors[share].blocks[bin] : cursors[share].planes[bin];
            };
            if (one_share && !(may_have_mask && masks)) {
                std::byte *&to = next(0, av1_bin(c, Av1Halved::nowhere));
                if (const std::size_t bytes = records.size() * sizeof(records[0])) {
                    std::memcpy(to, records.data(), bytes);
                    to += bytes;
                }
                return;
            }
            for (auto record : records) {
                if constexpr (may_have_mask)
                    record.mask += masks;
                const unsigned share = one_share ? 0 : part.share_of(*key++);
                std::byte *&to = next(share, part.bin_in(share, bin_of<is_whole>(record.ctl, c, batch.dst.format)));
                std::memcpy(to, &record, sizeof(record));
                to += sizeof(record);
            }
        });
}

} // namespace

std::uint64_t plan_av1_predictions(const Av1Batch &batch, const Av1DispatchBudget &budget, std::uint64_t next,
                                   PhaseWork &work) {
    if (!work.av1_predictions)
        work.av1_predictions = std::make_shared<Av1PredictionSchedule>();
    Av1PredictionSchedule &schedule = *work.av1_predictions;
    schedule.clear();
    const unsigned groups = batch.recon.references.groups();
    for_all_kernels(groups, [&](auto kernel, unsigned) {
        for (unsigned group = 0; group < groups; group++) {
            Av1PredictionPart &part = schedule.add();
            part.reset(budget.most ? decltype(kernel)::sources : 0);
            count_records(batch, kernel, group, part);
        }
    });
    schedule.split(budget.most, budget.worth_ns);
    for_all_kernels(groups, [&](auto kernel, unsigned first_part) {
        for (unsigned group = 0; group < groups; group++) {
            Av1PredictionPart &part = schedule.parts()[first_part + group];
            part.finish();
            for (const Av1PredictionPart::Share &share : part.shares()) {
                if (share.counts.empty())
                    continue;
                const bool any = &share == part.shares().data();
                const Extent extent = extent_of(share.counts, batch.dst.format, kernel.lanes);
                Dispatch d = dispatch_of(batch, kernel, group, share, any);
                d.set_push(any ? push_of_any(next, part) : push_of(next, share.key));
                d.groups = extent.groups;
                work.dispatches.push_back(d);
                next += extent.words(record_words(kernel));
            }
        }
    });
    return next;
}

std::byte *write_av1_predictions(const Av1Batch &batch, const PhaseWork &work, std::uint64_t next, std::byte *to) {
    const unsigned groups = batch.recon.references.groups();
    std::array<Cursors, kAv1MostShares> cursors{};
    for_all_kernels(groups, [&](auto kernel, unsigned first_part) {
        const std::uint32_t words = record_words(kernel);
        for (unsigned group = 0; group < groups; group++) {
            const Av1PredictionPart &part = std::as_const(*work.av1_predictions).parts()[first_part + group];
            for (std::size_t i = 0; i < part.shares().size(); i++) {
                const Av1PredictionPart::Share &share = part.shares()[i];
                const Extent extent = extent_of(share.counts, batch.dst.format, kernel.lanes);
                const std::uint64_t records = next + extent.groups * DD_AV1_GROUP_WORDS;
                to = write_groups(kernel, share.counts, batch.dst.format, records, to);
                cursors[i] = cursors_of(share.counts, 4 * std::size_t{words}, to);
                next += extent.words(words);
            }
            write_records(batch, kernel, group, part, cursors);
        }
    });
    return to;
}

} // namespace dd
