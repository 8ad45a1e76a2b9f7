// SPDX-License-Identifier: BSD-2-Clause
#include "replay.h"

#include "embedded.h"
#include "reference/vp9_reference.h"
#include "vulkan/vp9_dispatch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace replay {
namespace {

constexpr unsigned kRecon = 1, kFilter = 2; // bits of SavedBatch.phases

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
    if (saved.phases & kRecon)
        dd::plan_vp9_recon(saved.batch, gpu_->profile(), work_[0]);
    if (saved.phases & kFilter)
        dd::plan_vp9_filter(saved.batch, gpu_->profile(), work_[1]);
    for (unsigned phase = 0; phase < 2; phase++)
        if (!work_[phase].dispatches.empty())
            phases_[phase] = &work_[phase];
    check(gpu_->make_picture(saved.batch.dst, dst_), "allocating the picture");
    for (unsigned slot = 0; slot < dd::DD_MAX_REFS; slot++) {
        if (saved.ref[slot].empty())
            continue;
        check(gpu_->make_picture(saved.batch.ref[slot], ref_[slot]), "allocating a reference");
        std::memcpy(ref_[slot]->data(), saved.ref[slot].data(), saved.ref[slot].size());
    }
}

std::vector<std::byte> Replay::expected(double &milliseconds) const {
    std::vector<std::byte> pixels = saved_.dst;
    dd::reference::Vp9References ref{};
    for (unsigned slot = 0; slot < dd::DD_MAX_REFS; slot++)
        ref[slot] = saved_.ref[slot].empty() ? nullptr : saved_.ref[slot].data();
    const auto start = std::chrono::steady_clock::now();
    if (saved_.phases & kRecon) {
        dd::reference::run_predictions(saved_.batch, pixels.data(), ref);
        dd::reference::run_residuals(saved_.batch, pixels.data());
    }
    if (saved_.phases & kFilter)
        dd::reference::run_loop_filter(saved_.batch, pixels.data());
    milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return pixels;
}

std::vector<double> Replay::run_once() {
    std::memcpy(dst_->data(), saved_.dst.data(), saved_.dst.size());
    dd::GpuJob job(gpu_);
    check(job.begin(phases_), "preparing");
    if (phases_[0])
        dd::write_vp9_recon(saved_.batch, gpu_->profile(), work_[0], job.upload(0));
    if (phases_[1])
        dd::write_vp9_filter(saved_.batch, gpu_->profile(), work_[1], job.upload(1));
    dd::GpuJobInput input;
    input.dst = dst_.get();
    for (unsigned slot = 0; slot < dd::DD_MAX_REFS; slot++)
        input.ref[slot] = ref_[slot].get();
    input.tables = dd::vp9_tables();
    input.cpu_wrote = true;
    check(job.submit(input), "submitting");
    check(job.wait(), "waiting");
    return job.timeline().dispatch_times();
}

std::string Replay::difference(const std::vector<std::byte> &expected) const {
    const dd::PictureLayout &layout = saved_.batch.dst;
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const dd::PlaneLayout &plane = layout.plane[p];
        const std::size_t row_bytes = std::size_t{plane.padded_width} * layout.bytes_per_pixel();
        for (unsigned y = 0; y < plane.padded_height; y++) {
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
    for (const dd::Vp9Recorder &recorder : saved_.batch.recorders) {
        for (const auto &stream : recorder.mc)
            result.predictions += stream.size();
        for (const auto &stream : recorder.scaled)
            result.predictions += stream.size();
        for (const auto &kind : recorder.itx)
            for (const auto &stream : kind)
                result.residuals += stream.size();
    }
    result.superblocks = saved_.batch.lf.superblocks.size();
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
