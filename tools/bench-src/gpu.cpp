// SPDX-License-Identifier: BSD-2-Clause
#include "gpu.h"

#include "av1/dispatch.h"
#include "vp9/dispatch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

void expect(VkResult result, const char *what) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + " failed with " + std::to_string(result));
}

} // namespace

Gpu::Gpu(const std::string &device, const std::string &profile) {
    std::string why;
    device_ = dd::VulkanDevice::open({device, profile, true}, why);
    if (!device_)
        throw std::runtime_error(why.empty() ? "no GPU was asked for" : why);
    const auto tables = std::as_bytes(dd::vp9_tables());
    expect(dd::Buffer::make(*device_, tables.size(), dd::MemoryUse::upload, tables_), "a buffer for the tables");
    std::memcpy(tables_.data(), tables.data(), tables.size());
    expect(tables_.flush(), "flushing the tables");
    slots_ = std::make_unique<dd::SlotPool>(*device_);
}

std::shared_ptr<dd::VulkanPicture> Gpu::Job::empty_picture(const dd::PictureLayout &layout) {
    auto made = std::make_shared<dd::VulkanPicture>();
    expect(dd::VulkanPicture::make(*gpu_.device_, layout, *made), "a picture");
    return made;
}

std::shared_ptr<dd::VulkanPicture> Gpu::Job::picture(const PixelBuffer &pixels, const dd::PictureLayout &layout) {
    auto made = empty_picture(layout);
    std::memcpy(made->host.data(), pixels.data(), pixels.size());
    expect(made->host.flush(), "flushing a picture");
    return made;
}

Gpu::Job::Job(Gpu &gpu, const Work &work) : gpu_(gpu), work_(work) {
    dst_ = picture(work.before, work.layout());
    for (unsigned slot = 0; slot < work.reference.size(); slot++)
        if (work.reference[slot].size())
            ref_[slot] = picture(work.reference[slot], work.reference_layout(slot));
    if (work.phase == Phase::filter && std::holds_alternative<dd::Av1Batch>(work.batch)) {
        dd::PictureLayout scratch = work.layout();
        scratch.size = dd::av1_scratch_bytes(scratch);
        for (const unsigned slot : {dd::kAv1ScratchA, dd::kAv1ScratchB})
            ref_[slot] = empty_picture(scratch);
    }
    plan();
    if (phase_work_.dispatches.empty())
        throw std::runtime_error(work.name + ": nothing to dispatch");
}

void Gpu::Job::plan() {
    const dd::Profile profile = gpu_.device_->info().profile;
    const bool recon = work_.phase == Phase::recon;
    if (const auto *av1 = std::get_if<dd::Av1Batch>(&work_.batch))
        return recon ? dd::plan_av1_recon(*av1, profile, phase_work_) : dd::plan_av1_filter(*av1, phase_work_);
    const auto &vp9 = std::get<dd::Vp9Batch>(work_.batch);
    return recon ? dd::plan_vp9_recon(vp9, profile, phase_work_) : dd::plan_vp9_filter(vp9, profile, phase_work_);
}

void Gpu::Job::write(std::byte *upload) const {
    const dd::Profile profile = gpu_.device_->info().profile;
    const bool recon = work_.phase == Phase::recon;
    if (const auto *av1 = std::get_if<dd::Av1Batch>(&work_.batch))
        return recon ? dd::write_av1_recon(*av1, phase_work_, upload) : dd::write_av1_filter(*av1, phase_work_, upload);
    const auto &vp9 = std::get<dd::Vp9Batch>(work_.batch);
    return recon ? dd::write_vp9_recon(vp9, profile, phase_work_, upload)
                 : dd::write_vp9_filter(vp9, phase_work_, upload);
}

Times Gpu::Job::run(unsigned again) {
    dd::PhaseWork repeated = phase_work_;
    for (unsigned i = 1; i < again; i++)
        for (dd::Dispatch dispatch : phase_work_.dispatches) {
            dispatch.barrier = true;
            repeated.dispatches.push_back(dispatch);
        }
    const unsigned phase = static_cast<unsigned>(work_.phase);
    std::memcpy(dst_->host.data(), work_.before.data(), work_.before.size());
    dd::SubmitInput input;
    input.dst = dst_;
    std::ranges::copy(ref_, input.ref.begin());
    input.phase[phase] = &repeated;
    input.tables = gpu_.tables_.handle();
    input.cpu_wrote = true;

    std::unique_ptr<dd::Slot> slot;
    expect(gpu_.slots_->acquire(slot, 0), "a slot");
    expect(slot->reserve(input.phase), "room for the upload");
    write(slot->upload(phase));

    const auto start = Clock::now();
    const VkResult submitted = slot->submit(input);
    const VkResult waited = submitted == VK_SUCCESS ? slot->wait() : submitted;
    Times times;
    times.wall = std::chrono::duration<double>(Clock::now() - start).count();
    const std::vector<double> each = dd::GpuTimeline{slot->spans()}.dispatch_times();
    gpu_.slots_->release(std::move(slot));
    expect(submitted, "the submit");
    expect(waited, "the wait");
    times.kernel = std::accumulate(each.begin(), each.end(), 0.0) * 1e-9;
    return times;
}

void Gpu::Job::check(const PixelBuffer &expected) const {
    if (const std::string where = work_.difference(dst_->host.data(), expected.data()); !where.empty())
        throw std::runtime_error(work_.name + ": " + where + " differs from the decoder's");
}

} // namespace bench
