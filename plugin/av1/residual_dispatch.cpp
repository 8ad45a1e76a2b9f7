// SPDX-License-Identifier: BSD-2-Clause
#include "av1/residual_dispatch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <ranges>
#include <span>
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

// The kernels: DCTs with a side of 32 or 64 have one of their own.
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

// Records by shape, of all recorders: the largest blocks first, as their workgroups take longest.
void count_shapes(const Av1Recon &recon, std::vector<Av1ShapeCount> &shapes) {
    shapes.clear();
    for (const Av1Recorder &recorder : recon.recorders)
        for (const Av1ItxBin &bin : recorder.residuals.bins)
            if (!bin.records.empty())
                shapes.push_back({bin.shape, bin.records.size()});
    std::ranges::sort(shapes, std::greater<>(), &Av1ShapeCount::shape);
    std::size_t kept = 0;
    for (const Av1ShapeCount &one : shapes)
        if (kept && shapes[kept - 1].shape == one.shape)
            shapes[kept - 1].count += one.count;
        else
            shapes[kept++] = one;
    shapes.resize(kept);
}

auto runs_on(const Kernel &kernel) {
    return std::views::filter([&](const Av1ShapeCount &one) { return is_large(one.shape) == kernel.large; });
}

// Writes words one after the other.
class WordWriter {
  public:
    explicit WordWriter(std::byte *to) : to_(to) {}
    void put(std::span<const std::uint32_t> from) {
        if (!from.empty())
            std::memcpy(to_, from.data(), from.size_bytes());
        to_ += from.size_bytes();
    }
    std::byte *end() const { return to_; }

  private:
    std::byte *to_;
};

void write_groups(WordWriter &to, const std::vector<Av1ShapeCount> &shapes, const Kernel &kernel) {
    std::uint32_t first = 0;
    for (const auto &[shape, count] : shapes | runs_on(kernel))
        for (std::size_t done = 0; done < count;) {
            const std::size_t blocks = std::min<std::size_t>(blocks_a_group(shape), count - done);
            to.put(std::array<std::uint32_t, kGroupWords>{first, words(blocks), shape});
            first += words(blocks);
            done += blocks;
        }
}

void write_records(WordWriter &to, const Av1Recon &recon, std::uint32_t shape) {
    const bool dc_alone = shape & DD_AV1_ITX_DC_ALONE;
    std::uint32_t coefs = 0; // of the recorders before
    for (const Av1Recorder &recorder : recon.recorders) {
        for (const Av1ItxBin &bin : recorder.residuals.bins)
            if (bin.shape == shape)
                for (const DdAv1ItxRecord &record : bin.records)
                    to.put(std::array<std::uint32_t, kRecordWords>{record.dst, record.coefs + (dc_alone ? 0 : coefs)});
        coefs += words(recorder.residuals.coefs.size());
    }
}

} // namespace

std::uint64_t plan_av1_residuals(const Av1Recon &recon, unsigned bit_depth, std::uint64_t next, PhaseWork &work) {
    bool barrier = !work.dispatches.empty(); // they are added to predictions
    count_shapes(recon, work.shapes);
    for (const Kernel &kernel : kKernels) {
        std::uint32_t groups = 0, records = 0;
        for (const auto &[shape, count] : work.shapes | runs_on(kernel)) {
            groups += words((count + blocks_a_group(shape) - 1) / blocks_a_group(shape));
            records += words(count);
        }
        if (!records)
            continue;
        Dispatch d;
        d.kernel = kernel_index(kernel.name + std::to_string(bit_depth));
        const auto at = static_cast<std::uint32_t>(next);
        d.set_push(DdAv1ItxPush{at, at + groups * kGroupWords});
        d.groups = groups;
        d.barrier = std::exchange(barrier, false);
        work.dispatches.push_back(d);
        next += std::uint64_t{groups} * kGroupWords + std::uint64_t{records} * kRecordWords;
    }
    return next;
}

std::byte *write_av1_residuals(const Av1Recon &recon, const PhaseWork &work, std::byte *to) {
    WordWriter writer(to);
    for (const Kernel &kernel : kKernels) {
        write_groups(writer, work.shapes, kernel);
        for (const auto &[shape, count] : work.shapes | runs_on(kernel))
            write_records(writer, recon, shape);
    }
    return writer.end();
}

std::uint64_t av1_coefficient_words(const Av1Recon &recon) {
    std::uint64_t all = 0;
    for (const Av1Recorder &recorder : recon.recorders)
        all += recorder.residuals.coefs.size();
    return all;
}

void write_av1_coefficients(const Av1Recon &recon, std::byte *to) {
    WordWriter writer(to);
    for (const Av1Recorder &recorder : recon.recorders)
        writer.put(recorder.residuals.coefs);
}

} // namespace dd
