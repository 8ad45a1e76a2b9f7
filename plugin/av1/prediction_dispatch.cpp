// SPDX-License-Identifier: BSD-2-Clause
#include "av1/prediction_dispatch.h"
#include "av1/blocks.h"
#include "av1/dispatch.h"
#include "av1/prediction_schedule.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace dd {
namespace {

constexpr unsigned kLanes = 255;

// The streams of a recorder, for one kernel: of planes, and of whole blocks.
template <auto Planes, auto Blocks = nullptr>
struct KernelStreams {
    const char *name;
    const char *direct_name = nullptr; // of the kernel that reads what is bound, and how many sources its records have
    unsigned sources = 0;
    static constexpr bool has_blocks = !std::is_null_pointer_v<decltype(Blocks)>;
    const auto &planes(const Av1Recorder &recorder) const { return recorder.*Planes; }
    const auto &blocks(const Av1Recorder &recorder) const requires has_blocks { return recorder.*Blocks; }
};

// With the number of the kernel's first part.
template <typename Visit>
void for_all_kernels(unsigned groups, Visit visit) {
    visit(KernelStreams<&Av1Recorder::mc, &Av1Recorder::blocks>{"mc", "mc_direct", 1}, 0);
    visit(KernelStreams<&Av1Recorder::pairs, &Av1Recorder::pair_blocks>{"pair", "pair_direct", 2}, groups);
    visit(KernelStreams<&Av1Recorder::overlaps>{"overlap"}, 2 * groups);
    visit(KernelStreams<&Av1Recorder::warps>{"warp"}, 3 * groups);
    visit(KernelStreams<&Av1Recorder::differences>{"difference"}, 4 * groups);
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

// Whole blocks count a vector in 1/8 pixel of luma: at a multiple of two pixels no plane is filtered.
template <bool is_block>
constexpr bool is_still(const DdAv1RecordSource &source) {
    return is_block ? !(source.at >> 16 & 15) : !(source.how >> DD_AV1_MY_SHIFT & 15);
}

template <bool is_block, typename Kernel, typename Record>
Av1RecordKey key_of(const Kernel &kernel, const Record &record) {
    unsigned key = 0;
    for (unsigned i = 0; i < kernel.sources; i++) {
        const DdAv1RecordSource &source = record.source[i];
        key |= (source.how >> DD_AV1_REF_SHIFT & 7) << (3 * i) | (is_still<is_block>(source) ? kAv1KeyStill << i : 0);
    }
    return static_cast<Av1RecordKey>(key);
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
            part.count(0, is_whole, c, static_cast<std::uint32_t>(records.size()), cells);
            return;
        }
        for (const auto &record : records)
            part.count(key_of<is_whole>(kernel, record), is_whole, c, 1, cells);
    });
}

// Records that as many lanes each work on.
struct Run {
    std::uint32_t first, count; // records of the dispatch
    std::uint32_t how;          // DD_AV1_GROUP_*
    std::uint32_t lanes() const { return count << (how >> DD_AV1_GROUP_LOG2 & 7); }
    std::uint32_t groups() const { return (lanes() + kLanes - 1) / kLanes; }
};

// In the order in which records lie. Whole blocks have a second run for chroma. Returns the number of records.
template <typename Visit>
std::uint32_t for_all_runs(const Av1RecordCounts &counts, const PictureFormat &format, Visit visit) {
    std::uint32_t next = 0;
    for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
        if (counts.planes[c])
            visit(Run{next, counts.planes[c], c << DD_AV1_GROUP_LOG2});
        next += counts.planes[c];
    }
    for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
        if (!counts.blocks[c])
            continue;
        visit(Run{next, counts.blocks[c], c << DD_AV1_GROUP_LOG2});
        if (format.planes > 1)
            visit(Run{next, counts.blocks[c], av1_chroma_class(format, c) << DD_AV1_GROUP_LOG2 | DD_AV1_GROUP_CHROMA});
        next += counts.blocks[c];
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

Extent extent_of(const Av1RecordCounts &counts, const PictureFormat &format) {
    Extent extent;
    extent.records = for_all_runs(counts, format, [&](const Run &run) { extent.groups += run.groups(); });
    return extent;
}

// ---- dispatches -----------------------------------------------------------------------------------------

constexpr std::uint32_t kRows = 11, kFirstStill = 3, kStillEnd = 7; // of a cell's source

DdAv1ReconPush push_of(std::uint64_t groups_at, unsigned key) {
    DdAv1ReconPush push{static_cast<std::uint32_t>(groups_at), {0, 0}, {kRows, kRows}};
    for (unsigned source = 0; source < 2; source++)
        if (av1_key_still(key, source)) {
            push.first_row[source] = kFirstStill;
            push.end_row[source] = kStillEnd;
        }
    return push;
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
std::byte *write_groups(const Av1RecordCounts &counts, const PictureFormat &format, std::uint32_t record_words,
                        std::uint64_t records, std::byte *to) {
    for_all_runs(counts, format, [&](const Run &run) {
        for (std::uint32_t i = 0; i < run.groups(); i++) {
            const DdAv1WorkGroup group = {static_cast<std::uint32_t>(records + run.first * record_words), i * kLanes,
                                          run.lanes(), run.how};
            std::memcpy(to, &group, sizeof(group));
            to += sizeof(group);
        }
    });
    return to;
}

// Where the next record of each class goes.
struct Cursors {
    std::array<std::byte *, DD_AV1_CLASSES> planes, blocks;
};

Cursors cursors_of(const Av1RecordCounts &counts, std::size_t record_bytes, std::byte *&to) {
    Cursors cursors;
    for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
        cursors.planes[c] = to;
        to += counts.planes[c] * record_bytes;
    }
    for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
        cursors.blocks[c] = to;
        to += counts.blocks[c] * record_bytes;
    }
    return cursors;
}

template <typename Kernel>
void write_records(const Av1Recon &recon, const Kernel &kernel, unsigned group, const Av1PredictionPart &part,
                   std::span<Cursors> cursors) {
    for_all_records(recon, kernel, group, [&](const auto &records, unsigned c, auto is_block, std::uint32_t masks) {
        constexpr bool is_whole = decltype(is_block)::value;
        constexpr bool may_have_mask = requires {
            records[0].mask;
        };
        if (part.shares().size() == 1 && !(may_have_mask && masks)) {
            std::byte *&to = is_whole ? cursors[0].blocks[c] : cursors[0].planes[c];
            if (const std::size_t bytes = records.size() * sizeof(records[0])) {
                std::memcpy(to, records.data(), bytes);
                to += bytes;
            }
            return;
        }
        for (auto record : records) {
            if constexpr (may_have_mask)
                record.mask += masks;
            Cursors &share = cursors[part.share_of(key_of<is_whole>(kernel, record))];
            std::byte *&to = is_whole ? share.blocks[c] : share.planes[c];
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
            part.reset(budget.most ? kernel.sources : 0);
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
                const Extent extent = extent_of(share.counts, batch.dst.format);
                Dispatch d = dispatch_of(batch, kernel, group, share, any);
                d.set_push(push_of(next, any ? 0 : share.key));
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
                const Extent extent = extent_of(share.counts, batch.dst.format);
                const std::uint64_t records = next + extent.groups * DD_AV1_GROUP_WORDS;
                to = write_groups(share.counts, batch.dst.format, words, records, to);
                cursors[i] = cursors_of(share.counts, 4 * std::size_t{words}, to);
                next += extent.words(words);
            }
            write_records(batch.recon, kernel, group, part, cursors);
        }
    });
    return to;
}

} // namespace dd
