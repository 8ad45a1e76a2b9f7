// SPDX-License-Identifier: BSD-2-Clause
#include "replay.h"

#include "av1/dispatch.h"
#include "embedded.h"
#include "vp9/dispatch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace replay {
namespace {

void check(const dd::GpuStatus &status, const char *doing) {
    if (!status)
        throw std::runtime_error(std::string(doing) + ": " + status.text);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

} // namespace

Replay::Replay(std::shared_ptr<dd::Gpu> gpu, const dd::SavedBatch &saved) : gpu_(std::move(gpu)), saved_(saved) {
    std::visit([&](const auto &batch) { prepare(batch); }, saved.batch);
    for (unsigned phase = 0; phase < 2; phase++)
        if (!work_[phase].dispatches.empty())
            phases_[phase] = &work_[phase];
}

template <typename Batch>
void Replay::prepare(const Batch &batch) {
    plan(batch, saved_.phases, gpu_->info().profile, work_);
    check(gpu_->make_picture(batch.dst, dst_), "allocating the picture");
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++) {
        if (saved_.ref[slot].empty())
            continue;
        check(gpu_->make_picture(reference_layout(batch, slot), ref_[slot]), "allocating a reference");
        std::memcpy(ref_[slot]->data(), saved_.ref[slot].data(), saved_.ref[slot].size());
    }
    dd::PictureLayout scratch = batch.dst;
    scratch.size = scratch_bytes(batch, saved_.phases);
    for (const unsigned slot : {dd::kAv1ScratchA, dd::kAv1ScratchB})
        if (scratch.size)
            check(gpu_->make_picture(scratch, ref_[slot]), "allocating a scratch picture");
}

std::vector<std::byte> Replay::expected(double &milliseconds) const {
    std::vector<std::byte> pixels = saved_.dst;
    References references{};
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++)
        references[slot] = saved_.ref[slot].empty() ? nullptr : saved_.ref[slot].data();
    const auto start = std::chrono::steady_clock::now();
    std::visit([&](const auto &batch) { run_reference(batch, saved_.phases, references, pixels.data()); },
               saved_.batch);
    milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return pixels;
}

std::vector<double> Replay::run_once() {
    std::memcpy(dst_->data(), saved_.dst.data(), saved_.dst.size());
    dd::GpuJob job(gpu_);
    check(job.begin(phases_), "preparing");
    for (unsigned phase = 0; phase < 2; phase++)
        if (phases_[phase])
            std::visit(
                [&](const auto &batch) { write(batch, phase, gpu_->info().profile, work_[phase], job.upload(phase)); },
                saved_.batch);
    dd::GpuJobInput input;
    input.dst = dst_.get();
    for (std::size_t slot = 0; slot < ref_.size(); slot++)
        input.ref[slot] = ref_[slot].get();
    input.tables = dd::vp9_tables();
    input.cpu_wrote = true;
    check(job.submit(input), "submitting");
    check(job.wait(), "waiting");
    return job.timeline().dispatch_times();
}

std::string Replay::difference(const std::vector<std::byte> &expected) const {
    const dd::PictureLayout &layout = saved_.layout();
    const bool padding =
        std::visit([&](const auto &batch) { return padding_counts(batch, saved_.phases); }, saved_.batch);
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const dd::PlaneLayout &plane = layout.plane[p];
        const std::size_t row_bytes =
            std::size_t{padding ? plane.padded_width : plane.width} * layout.bytes_per_pixel();
        for (unsigned y = 0; y < (padding ? plane.padded_height : plane.height); y++) {
            const std::size_t at = plane.offset + std::size_t{y} * plane.stride;
            const std::byte *row = dst_->data() + at, *wanted = expected.data() + at;
            const auto [here, there] = std::mismatch(row, row + row_bytes, wanted);
            if (here != row + row_bytes)
                return "plane " + std::to_string(p) + ", x " +
                       std::to_string(static_cast<std::size_t>(here - row) / layout.bytes_per_pixel()) + ", y " +
                       std::to_string(y);
        }
    }
    return "";
}

Result Replay::run(unsigned runs) {
    Result result;
    const std::vector<std::byte> wanted = expected(result.reference_ms);
    std::vector<std::vector<double>> times;
    for (const dd::PhaseWork &work : work_)
        for (const dd::Dispatch &dispatch : work.dispatches) {
            result.dispatches.push_back(
                {std::string(dd::embedded_kernels()[dispatch.kernel].name), dispatch.groups * dispatch.groups_y, 0});
            times.emplace_back();
        }
    for (const dd::PhaseWork &work : work_)
        result.upload_kib += work.upload_bytes / 1024.0;
    result.counts = std::visit([](const auto &batch) { return count(batch); }, saved_.batch);
    for (; result.runs < runs && result.difference.empty() && !result.dispatches.empty(); result.runs++) {
        const std::vector<double> nanoseconds = run_once();
        for (std::size_t i = 0; i < std::min(nanoseconds.size(), times.size()); i++)
            times[i].push_back(nanoseconds[i] / 1000);
        result.difference = difference(wanted);
    }
    for (std::size_t i = 0; i < times.size(); i++)
        result.dispatches[i].microseconds = median(times[i]);
    return result;
}

} // namespace replay
