// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/av1_residual_dispatch.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dd {
namespace {

constexpr unsigned kRecordWords = sizeof(DdAv1ItxRecord) / 4, kGroupWords = 3;

constexpr std::uint32_t words(std::size_t count) {
    return static_cast<std::uint32_t>(count);
}

constexpr unsigned field(std::uint32_t shape, unsigned shift) {
    return shape >> shift & 7;
}

// The kernels: DCTs with a side of 32 or 64 are one's of their own.
struct Kernel {
    const char *name;
    bool large;
};
constexpr Kernel kKernels[] = {{"av1_itx_large_", true}, {"av1_itx_", false}};

bool is_large(std::uint32_t shape) {
    const unsigned longer = std::max(field(shape, DD_AV1_ITX_W_SHIFT), field(shape, DD_AV1_ITX_H_SHIFT));
    return longer >= 5 && !(shape & DD_AV1_ITX_DC_ALONE) && (shape >> DD_AV1_ITX_KIND_H_SHIFT & 3) == DD_AV1_ITX_DCT;
}

// Blocks of a workgroup: as many as have a lane for each line and fit.
unsigned blocks_a_group(std::uint32_t shape) {
    const unsigned w = field(shape, DD_AV1_ITX_W_SHIFT), h = field(shape, DD_AV1_ITX_H_SHIFT);
    return is_large(shape) ? DD_AV1_ITX_VALUES >> (w + h) : DD_AV1_ITX_LANES >> std::max(w, h);
}

// Records of a kernel by shape, of all recorders: the largest blocks first, as their workgroups take longest.
using Bins = std::map<std::uint32_t, std::size_t, std::greater<>>;
Bins bins_of(const Av1Recon &recon, const Kernel &kernel) {
    Bins bins;
    for (const Av1Recorder &recorder : recon.recorders)
        for (const Av1ItxBin &bin : recorder.residuals.bins)
            if (!bin.records.empty() && is_large(bin.shape) == kernel.large)
                bins[bin.shape] += bin.records.size();
    return bins;
}

std::uint32_t coefficient_words(const Av1Recon &recon) {
    std::size_t all = 0;
    for (const Av1Recorder &recorder : recon.recorders)
        all += recorder.residuals.coefs.size();
    return words(all);
}

void append_groups(std::vector<std::uint32_t> &to, const Bins &bins) {
    std::uint32_t first = 0;
    for (const auto &[shape, count] : bins)
        for (std::size_t done = 0; done < count;) {
            const std::size_t blocks = std::min<std::size_t>(blocks_a_group(shape), count - done);
            to.insert(to.end(), {first, words(blocks), shape});
            first += words(blocks);
            done += blocks;
        }
}

void append_records(std::vector<std::uint32_t> &to, const Av1Recon &recon, std::uint32_t shape, std::uint32_t coefs) {
    const bool dc_alone = shape & DD_AV1_ITX_DC_ALONE;
    for (const Av1Recorder &recorder : recon.recorders) {
        for (const Av1ItxBin &bin : recorder.residuals.bins)
            if (bin.shape == shape)
                for (const DdAv1ItxRecord &record : bin.records)
                    to.insert(to.end(), {record.dst, record.coefs + (dc_alone ? 0 : coefs)});
        coefs += words(recorder.residuals.coefs.size());
    }
}

} // namespace

std::uint32_t plan_av1_residuals(const Av1Recon &recon, unsigned bit_depth, std::uint32_t next, PhaseWork &work) {
    next += coefficient_words(recon);
    bool barrier = !work.dispatches.empty(); // they are added to predictions
    for (const Kernel &kernel : kKernels) {
        std::uint32_t groups = 0, records = 0;
        for (const auto &[shape, count] : bins_of(recon, kernel)) {
            groups += words((count + blocks_a_group(shape) - 1) / blocks_a_group(shape));
            records += words(count);
        }
        if (!records)
            continue;
        Dispatch d;
        d.kernel = kernel_index(kernel.name + std::to_string(bit_depth));
        d.set_push(DdAv1ItxPush{next, next + groups * kGroupWords});
        d.groups = groups;
        d.barrier = std::exchange(barrier, false);
        work.dispatches.push_back(d);
        next += groups * kGroupWords + records * kRecordWords;
    }
    return next;
}

void write_av1_residuals(const Av1Recon &recon, std::uint32_t next, std::byte *to) {
    const auto put = [&](const std::vector<std::uint32_t> &from) {
        if (!from.empty())
            std::memcpy(to, from.data(), from.size() * 4);
        to += from.size() * 4;
    };
    for (const Av1Recorder &recorder : recon.recorders)
        put(recorder.residuals.coefs);
    for (const Kernel &kernel : kKernels) {
        const Bins bins = bins_of(recon, kernel);
        std::vector<std::uint32_t> table;
        append_groups(table, bins);
        for (const auto &[shape, count] : bins)
            append_records(table, recon, shape, next);
        put(table);
    }
}

} // namespace dd
