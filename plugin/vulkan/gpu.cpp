// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/gpu.h"

#include "daedalus/daedalus.h"
#include "vulkan/slot_pool.h"

#include <utility>

namespace dd {
namespace {

GpuStatus status_of(VkResult result) {
    switch (result) {
    case VK_SUCCESS:
        return {};
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_TOO_MANY_OBJECTS:
        return {DD_ERR_NO_MEMORY, vk_result_text(result)};
    default:
        return {DD_ERR_DEVICE, vk_result_text(result)};
    }
}

} // namespace

std::byte *GpuPicture::data() const {
    return picture_->host.data();
}

const std::shared_ptr<DmaBuf> &GpuPicture::dma_buf() const {
    return picture_->host.dma_buf();
}

bool GpuPicture::has_copy() const {
    return picture_->has_copy();
}

void GpuPicture::take_cpu_pixels() {
    picture_->local_valid = false;
}

void GpuPicture::reuse() {
    take_cpu_pixels();
    picture_->cpu_view.reuse();
}
void GpuPicture::begin_frame() {
    picture_->cpu_view.begin_frame();
}
void GpuPicture::rerun() {
    picture_->cpu_view.rerun();
}
void GpuPicture::end_frame(bool cpu_wrote) {
    picture_->cpu_view.end_frame(cpu_wrote);
}
GpuStatus GpuPicture::read() {
    return status_of(picture_->cpu_view.read());
}
GpuStatus GpuPicture::share(bool cpu_wrote) {
    return status_of(picture_->cpu_view.share(cpu_wrote));
}

std::shared_ptr<Gpu> Gpu::open(const GpuOptions &options, std::string &why) {
    auto device = VulkanDevice::open(options, why);
    return device ? std::shared_ptr<Gpu>(new Gpu(std::move(device))) : nullptr;
}

const GpuInfo &Gpu::info() const {
    return device_->info();
}
bool Gpu::given_up() const {
    return device_->given_up();
}

GpuStatus Gpu::prepare(std::span<const unsigned> kernels, unsigned threads, const std::stop_token &stop) {
    return status_of(device_->pipelines().prepare(kernels, threads, stop));
}

bool Gpu::is_prepared(std::span<const unsigned> kernels) const {
    return device_->pipelines().all_made(kernels);
}

std::string_view Gpu::exceeded(const std::array<const PhaseWork *, 2> &phases) const {
    return exceeded_limit(phases, info().profile, device_->work_limits());
}

bool Gpu::holds(const PictureLayout &layout) const {
    return picture_bytes(layout) <= device_->work_limits().residual_bytes;
}

template <typename Make>
GpuStatus Gpu::make_picture_by(const PictureLayout &layout, Make &&make, std::unique_ptr<GpuPicture> &picture) {
    if (!holds(layout))
        return {DD_ERR_UNSUPPORTED, "the picture is larger than the device's buffers"};
    auto made = std::make_shared<VulkanPicture>();
    const VkResult result = make(*made);
    if (result == VK_SUCCESS)
        picture = std::make_unique<GpuPicture>(std::move(made));
    return status_of(result);
}

GpuStatus Gpu::make_picture(const PictureLayout &layout, std::unique_ptr<GpuPicture> &picture) {
    return make_picture_by(
        layout, [&](VulkanPicture &made) { return VulkanPicture::make(*device_, layout, made); }, picture);
}

GpuStatus Gpu::adopt_picture(const PictureLayout &layout, std::shared_ptr<std::byte> memory,
                             std::unique_ptr<GpuPicture> &picture) {
    return make_picture_by(
        layout, [&](VulkanPicture &made) { return VulkanPicture::adopt(*device_, layout, std::move(memory), made); },
        picture);
}

GpuStatus Gpu::make_scratch(const PictureLayout &layout, std::unique_ptr<GpuPicture> &picture) {
    return make_picture_by(
        layout, [&](VulkanPicture &made) { return VulkanPicture::make_scratch(*device_, layout, made); }, picture);
}

GpuJob::GpuJob(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
GpuJob::~GpuJob() {
    release();
}

void GpuJob::release() {
    waited_ = false;
    if (slot_)
        gpu_->device_->slots().release(std::move(slot_));
}

GpuStatus GpuJob::begin(const std::array<const PhaseWork *, 2> &phases) {
    if (waited_ || in_flight())
        release();
    timeline_.spans.clear();
    phases_ = phases;
    VkResult result = slot_ ? VK_SUCCESS : gpu_->device_->slots().acquire(slot_, Slot::upload_bytes(phases));
    if (result == VK_SUCCESS)
        result = slot_->reserve(phases);
    return status_of(result);
}

std::byte *GpuJob::upload(unsigned phase) const {
    return slot_->upload(phase);
}

GpuStatus GpuJob::submit(const GpuJobInput &input) {
    SubmitInput submit;
    static_cast<SubmitFlags &>(submit) = input;
    submit.dst = input.dst->picture_;
    for (std::size_t i = 0; i < input.ref.size(); i++)
        if (input.ref[i])
            submit.ref[i] = input.ref[i]->picture_;
    submit.phase = phases_;
    submit.tables = gpu_->device_->tables(input.tables);
    if (!submit.tables)
        return {DD_ERR_NO_MEMORY, "out of memory"};
    timeline_.submitted = Trace::now();
    return status_of(slot_->submit(submit));
}

GpuStatus GpuJob::wait() {
    if (!in_flight())
        return {};
    const VkResult result = slot_->wait();
    if (result == VK_SUCCESS)
        timeline_.spans = slot_->spans();
    waited_ = true;
    if (result == VK_TIMEOUT)
        return {DD_ERR_DEVICE, "the GPU hangs"};
    return status_of(result);
}

bool GpuJob::in_flight() const {
    return slot_ && !waited_ && slot_->in_flight();
}

} // namespace dd
