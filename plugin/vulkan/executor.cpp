// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/executor.h"

#include "common/records.h"
#include "embedded.h"
#include "vulkan/room.h"

#include <algorithm>
#include <iterator>

namespace dd {
namespace {

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kShaderAccess = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kTransferAccess = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

constexpr std::uint32_t kSetsAPool = 16;
constexpr std::string_view kUploads = "upload", kDownloads = "download"; // names of what isn't a dispatch

constexpr auto kSlice = std::chrono::milliseconds(100);
// Even while others make progress, nobody waits for ever.
constexpr int kLongestWait = 16;

constexpr unsigned kRecon = 0, kFilter = 1; // index of a phase

// Tiles of the picture are copied for the CPU's share between a frame's phases.
bool exchanges(const SubmitInput &input, unsigned phase) {
    return input.phase[phase] && input.phase[phase]->exchange;
}

VkDeviceSize upload_bytes_of(const PhaseWork *work) {
    return work ? align_upload(std::max(work->upload_bytes, 4u)) : 0;
}

bool fits(const Buffer &buffer, VkDeviceSize needed) {
    return buffer && keeps_room(buffer.size(), needed);
}

} // namespace

Slot::~Slot() {
    const DeviceApi &vk = device_.vk();
    for (const VkDescriptorPool pool : descriptor_pools_)
        vk.DestroyDescriptorPool(device_.handle(), pool, nullptr);
    vk.DestroyQueryPool(device_.handle(), queries_, nullptr);
    vk.DestroyFence(device_.handle(), fence_, nullptr);
    if (commands_) {
        const std::lock_guard lock(device_.submit_mutex);
        vk.FreeCommandBuffers(device_.handle(), device_.command_pool(), 1, &commands_);
    }
}

VkResult Slot::init() {
    const DeviceApi &vk = device_.vk();
    VkResult result;
    {
        const std::lock_guard lock(device_.submit_mutex);
        const VkCommandBufferAllocateInfo buffer = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                                    device_.command_pool(), VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        result = vk.AllocateCommandBuffers(device_.handle(), &buffer, &commands_);
    }
    if (result != VK_SUCCESS)
        return result;
    VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    return vk.CreateFence(device_.handle(), &fence, nullptr, &fence_);
}

VkDeviceSize Slot::upload_bytes(const std::array<const PhaseWork *, 2> &phases) {
    return upload_bytes_of(phases[kRecon]) + upload_bytes_of(phases[kFilter]);
}

VkResult Slot::reserve(const std::array<const PhaseWork *, 2> &phases) {
    const VkDeviceSize needed = upload_bytes(phases);
    upload_at_ = {0, static_cast<std::uint32_t>(upload_bytes_of(phases[kRecon]))};
    if (const VkResult result = phases[0] ? reserve_residuals(*phases[0]) : VK_SUCCESS; result != VK_SUCCESS)
        return result;
    return fits(upload_, needed) ? VK_SUCCESS : make_room(room_for(needed), MemoryUse::upload, upload_);
}

VkResult Slot::reserve_residuals(const PhaseWork &work) {
    if (!work.residual_bytes || keeps_room(residuals_.size(), work.residual_bytes, work.most_residual_bytes))
        return VK_SUCCESS;
    return make_room(room_for(work.residual_bytes), MemoryUse::local, residuals_);
}

VkResult Slot::reserve_coefs(VkDeviceSize bytes) {
    return fits(coefs_, bytes) ? VK_SUCCESS : make_room(lent_room_for(bytes), MemoryUse::recorded, coefs_);
}

VkResult Slot::grow_coefs(std::span<const std::byte> used, VkDeviceSize bytes) {
    Buffer larger;
    if (const VkResult result = make_room(lent_room_for(bytes), MemoryUse::recorded, larger); result != VK_SUCCESS)
        return result;
    std::ranges::copy(used, larger.data());
    coefs_ = std::move(larger);
    return VK_SUCCESS;
}

VkResult Slot::make_room(VkDeviceSize size, MemoryUse use, Buffer &buffer) {
    buffer = Buffer();
    if (size > device_.limits().maxStorageBufferRange)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return Buffer::make(device_, size, use, buffer);
}

void Slot::barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used) {
    const VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, used};
    device_.vk().CmdPipelineBarrier(commands_, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Slot::timestamp(std::string_view before, VkPipelineStageFlagBits stage) {
    const auto query = static_cast<std::uint32_t>(stamps_.size());
    if (query >= query_capacity_)
        return;
    device_.vk().CmdWriteTimestamp(commands_, stage, queries_, query);
    stamps_.push_back(before);
}

VkResult Slot::submit(const SubmitInput &input) {
    if (device_.given_up())
        return VK_ERROR_DEVICE_LOST;
    VkResult result = input.dst->host.flush();
    if (result == VK_SUCCESS)
        result = upload_.flush();
    if (result == VK_SUCCESS && coefs_)
        result = coefs_.flush();
    if (result != VK_SUCCESS)
        return result;
    // Before the lock is taken: a compiler may run for long.
    if (!pipelines_exist(input))
        return VK_ERROR_OUT_OF_HOST_MEMORY;

    const std::lock_guard lock(device_.submit_mutex);
    result = record(input);
    if (result != VK_SUCCESS)
        return result;
    VkSubmitInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    result = device_.queue_submit(info, fence_);
    if (result == VK_ERROR_DEVICE_LOST)
        device_.give_up();
    if (result != VK_SUCCESS)
        return result;
    busy_ = input;
    in_flight_ = true;
    for (const auto &ref : input.ref)
        if (ref && ref->has_copy() && !ref->local_valid)
            ref->local_valid = ref->local_pending = true;
    if (input.dst->has_copy())
        input.dst->local_valid = input.final;
    return VK_SUCCESS;
}

// Makes those that don't.
bool Slot::pipelines_exist(const SubmitInput &input) {
    const auto exists = [this](const Dispatch &dispatch) {
        return device_.pipelines().get(dispatch.kernel) != VK_NULL_HANDLE;
    };
    return std::ranges::all_of(input.phase, [&](const PhaseWork *work) {
        return !work || (std::ranges::all_of(work->dispatches, exists) && (!work->exchange || exists(*work->exchange)));
    });
}

VkResult Slot::record(const SubmitInput &input) {
    const DeviceApi &vk = device_.vk();
    keys_.clear();
    const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                            VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
    VkResult result = vk.BeginCommandBuffer(commands_, &begin);
    if (result != VK_SUCCESS)
        return result;
    if (device_.timestamps() && (result = reset_queries(input)) != VK_SUCCESS)
        return result;
    timestamp({}, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    if ((result = record_uploads(input)) != VK_SUCCESS)
        return result;
    timestamp(kUploads);
    for (unsigned phase = 0; phase < input.phase.size(); phase++)
        if (input.phase[phase] && (result = record_phase(input, phase)) != VK_SUCCESS)
            return result;
    if ((result = record_downloads(input)) != VK_SUCCESS)
        return result;
    timestamp(kDownloads, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    return vk.EndCommandBuffer(commands_);
}

VkResult Slot::reset_queries(const SubmitInput &input) {
    const DeviceApi &vk = device_.vk();
    std::uint32_t needed = 3; // beginning, uploads, downloads
    for (const PhaseWork *work : input.phase)
        needed += work ? static_cast<std::uint32_t>(work->dispatches.size()) : 0;
    if (needed > query_capacity_) {
        vk.DestroyQueryPool(device_.handle(), queries_, nullptr);
        queries_ = VK_NULL_HANDLE;
        query_capacity_ = 0;
        VkQueryPoolCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = needed;
        const VkResult result = vk.CreateQueryPool(device_.handle(), &info, nullptr, &queries_);
        if (result != VK_SUCCESS)
            return result;
        query_capacity_ = needed;
    }
    stamps_.clear();
    vk.CmdResetQueryPool(commands_, queries_, 0, query_capacity_);
    return VK_SUCCESS;
}

// Brings the working copies up to date. Whole buffers, where the frame doesn't say which tiles: a copy has a fixed cost that is
// larger than what a part would save.
VkResult Slot::record_uploads(const SubmitInput &input) {
    const auto copy = [this](const VulkanPicture &picture) {
        const VkBufferCopy all = {0, 0, picture.layout.size};
        device_.vk().CmdCopyBuffer(commands_, picture.host.handle(), picture.local.handle(), 1, &all);
    };
    bool copied = false, pending = false, exchanged = false;
    for (std::size_t slot = 0; slot < input.ref.size(); slot++) {
        VulkanPicture *ref = input.ref[slot].get();
        const auto before = input.ref.begin() + static_cast<std::ptrdiff_t>(slot);
        if (!ref || !ref->has_copy() || std::find(input.ref.begin(), before, input.ref[slot]) != before)
            continue;
        pending |= ref->local_pending;
        if (ref->local_valid)
            continue;
        copy(*ref);
        copied = true;
    }
    if (input.cpu_wrote && input.dst->has_copy()) {
        exchanged = exchanges(input, kFilter);
        copied |= !exchanged;
        if (!exchanged)
            copy(*input.dst);
        else if (const VkResult result =
                     record_exchange(input, kFilter, input.dst->host.handle(), input.dst->local.handle());
                 result != VK_SUCCESS)
            return result;
    }
    // What a fence was waited for is available; it only has to become visible, which makes nothing wait. Exceptions are a copy
    // that another frame has started, and kernels that still write a reference. Their downloads are no matter.
    const bool transfers = copied || pending, kernels = exchanged || input.reads_unfinished;
    VkPipelineStageFlags from = (transfers ? kTransfer : 0) | (kernels ? kCompute : 0);
    if (!from)
        from = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
    const VkAccessFlags written =
        (transfers ? VK_ACCESS_TRANSFER_WRITE_BIT : 0) | (kernels ? VK_ACCESS_SHADER_WRITE_BIT : 0);
    barrier(from, written, kCompute | kTransfer, kShaderAccess | kTransferAccess);
    return VK_SUCCESS;
}

// Makes the pixels visible to the CPU.
VkResult Slot::record_downloads(const SubmitInput &input) {
    const VulkanPicture &dst = *input.dst;
    const bool exchanged = dst.has_copy() && !input.final && exchanges(input, kRecon);
    VkResult result = VK_SUCCESS;
    if (exchanged) {
        barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, VK_ACCESS_SHADER_READ_BIT);
        result = record_exchange(input, kRecon, dst.local.handle(), dst.host.handle());
    }
    if (!dst.has_copy() || exchanged) {
        barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
        return result;
    }
    barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kTransfer, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy all = {0, 0, dst.layout.size};
    device_.vk().CmdCopyBuffer(commands_, dst.local.handle(), dst.host.handle(), 1, &all);
    barrier(kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return result;
}

// The phase's tiles of dst.
VkResult Slot::record_exchange(const SubmitInput &input, unsigned phase, VkBuffer from, VkBuffer to) {
    const Dispatch &dispatch = *input.phase[phase]->exchange;
    if (!dispatch.groups)
        return VK_SUCCESS;
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (const VkResult result = next_descriptor_set(set); result != VK_SUCCESS)
        return result;
    keys_.push_back({}); // no kernel's of a phase
    std::array<VkDescriptorBufferInfo, kBindings> buffers{};
    buffers.fill({from, 0, VK_WHOLE_SIZE});
    buffers[DD_BIND_DST].buffer = to;
    buffers[DD_BIND_RECORDS] = {upload_.handle(), upload_at_[phase] + dispatch.records_at,
                                input.phase[phase]->upload_bytes - dispatch.records_at};
    write_descriptor_set(set, buffers);
    const DeviceApi &vk = device_.vk();
    const VkPipelineLayout layout = device_.pipelines().layout();
    vk.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, device_.pipelines().get(dispatch.kernel));
    vk.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vk.CmdPushConstants(commands_, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, dispatch.push_bytes, dispatch.push.data());
    record_groups(dispatch);
    return VK_SUCCESS;
}

VkResult Slot::record_phase(const SubmitInput &input, unsigned phase) {
    const DeviceApi &vk = device_.vk();
    const PhaseWork &work = *input.phase[phase];
    VkPipeline bound_pipeline = VK_NULL_HANDLE;
    VkDescriptorSet bound_set = VK_NULL_HANDLE;
    bool first = phase > 0 && input.phase[0] && !input.phase[0]->dispatches.empty();
    for (const Dispatch &dispatch : work.dispatches) {
        if (dispatch.barrier || first)
            barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, kShaderAccess);
        first = false;
        const VkPipeline pipeline = device_.pipelines().get(dispatch.kernel);
        if (pipeline != bound_pipeline)
            vk.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        bound_pipeline = pipeline;
        VkDescriptorSet set = VK_NULL_HANDLE;
        const VkResult result = descriptor_set(input, phase, dispatch, set);
        if (result != VK_SUCCESS)
            return result;
        const VkPipelineLayout layout = device_.pipelines().layout();
        if (set != bound_set)
            vk.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        bound_set = set;
        if (dispatch.push_bytes)
            vk.CmdPushConstants(commands_, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, dispatch.push_bytes,
                                dispatch.push.data());
        record_groups(dispatch);
        timestamp(embedded_kernels()[dispatch.kernel].name);
    }
    return VK_SUCCESS;
}

void Slot::record_groups(const Dispatch &dispatch) {
    const bool at_once = !dispatch.groups_without_wait || device_.runs_side_by_side();
    const std::uint32_t most = at_once ? dispatch.groups : dispatch.groups_without_wait;
    for (std::uint32_t left = dispatch.groups; left;) {
        const std::uint32_t groups = std::min(left, most);
        if (left != dispatch.groups)
            barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, kShaderAccess);
        device_.vk().CmdDispatch(commands_, groups, dispatch.groups_y, 1);
        left -= groups;
    }
}

VkResult Slot::descriptor_set(const SubmitInput &input, unsigned phase, const Dispatch &dispatch,
                              VkDescriptorSet &set) {
    const PhaseWork &work = *input.phase[phase];
    const auto given = [&](unsigned slot) { return slot < input.ref.size() && input.ref[slot]; };
    const auto or_picture = [&](unsigned slot, const VulkanPicture *other) {
        return given(slot) ? input.ref[slot].get() : other;
    };
    std::array<const VulkanPicture *, 1 + DD_AV1_BOUND_REFS> pictures{};
    pictures.fill(input.dst.get());
    if (dispatch.av1_ref) {
        // A picture that nothing reads isn't given. Another reference takes its place: `dst` would count as read.
        const auto any = std::ranges::find_if(*dispatch.av1_ref, given);
        const VulkanPicture *other = any == dispatch.av1_ref->end() ? input.dst.get() : input.ref[*any].get();
        std::ranges::transform(*dispatch.av1_ref, pictures.begin() + 1,
                               [&](unsigned slot) { return or_picture(slot, other); });
    } else {
        std::ranges::transform(dispatch.ref, pictures.begin() + 1,
                               [&](unsigned slot) { return or_picture(slot, input.dst.get()); });
    }
    SetKey key{};
    std::ranges::transform(pictures, key.pictures.begin(), [](const VulkanPicture *p) { return p->kernel_buffer(); });
    key.av1 = dispatch.av1_ref.has_value();
    key.end = upload_at_[phase] + align_upload(std::max(work.upload_bytes, 4u));
    key.records_at = upload_at_[phase] + dispatch.records_at;
    key.coefs = work.coefs_lent ? coefs_.handle() : upload_.handle();
    key.coefs_at = upload_at_[phase] + work.coefs_at;
    // A phase without coefficients in its upload may end where they would begin.
    if (key.coefs_at >= key.end)
        key.coefs_at = upload_at_[phase];
    if (key.records_at >= key.end)
        return VK_ERROR_UNKNOWN;

    const auto found = std::ranges::find(keys_, key);
    const auto index = static_cast<std::size_t>(found - keys_.begin());
    if (found != keys_.end()) {
        set = sets_[index];
        return VK_SUCCESS;
    }
    if (const VkResult result = next_descriptor_set(set); result != VK_SUCCESS)
        return result;
    keys_.push_back(key);
    std::array<VkDescriptorBufferInfo, kBindings> buffers{};
    constexpr std::array<unsigned, 1 + DD_AV1_BOUND_REFS> bindings = {
        DD_BIND_DST,      DD_AV1_BIND_REF0, DD_AV1_BIND_REF1, DD_AV1_BIND_REF2,
        DD_AV1_BIND_REF3, DD_AV1_BIND_REF4, DD_AV1_BIND_REF5};
    for (unsigned i = 0; i < bindings.size(); i++)
        buffers[bindings[i]] = {key.pictures[i], 0, pictures[i]->bytes()};
    buffers[DD_BIND_RECORDS] = {upload_.handle(), key.records_at, key.end - key.records_at};
    if (!key.av1) {
        buffers[DD_BIND_COEFS] = work.coefs_lent
                                     ? VkDescriptorBufferInfo{key.coefs, 0, coefs_.size()}
                                     : VkDescriptorBufferInfo{key.coefs, key.coefs_at, key.end - key.coefs_at};
        buffers[DD_BIND_TABLES] = {input.tables, 0, VK_WHOLE_SIZE};
        if (work.residual_bytes)
            buffers[DD_BIND_RESIDUALS] = {residuals_.handle(), 0, residuals_.size()};
    }
    write_descriptor_set(set, buffers);
    return VK_SUCCESS;
}

// One that nothing of the submit uses so far. A key has to follow.
VkResult Slot::next_descriptor_set(VkDescriptorSet &set) {
    if (keys_.size() == sets_.size()) {
        if (const VkResult result = new_descriptor_set(set); result != VK_SUCCESS)
            return result;
        sets_.push_back(set);
    }
    set = sets_[keys_.size()];
    return VK_SUCCESS;
}

void Slot::write_descriptor_set(VkDescriptorSet set, const std::array<VkDescriptorBufferInfo, kBindings> &buffers) {
    std::array<VkWriteDescriptorSet, kBindings> writes{};
    for (unsigned i = 0; i < kBindings; i++) {
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &buffers[i];
    }
    device_.vk().UpdateDescriptorSets(device_.handle(), kBindings, writes.data(), 0, nullptr);
}

VkResult Slot::new_descriptor_set(VkDescriptorSet &set) {
    const DeviceApi &vk = device_.vk();
    if (sets_.size() == descriptor_pools_.size() * kSetsAPool) {
        const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsAPool * kBindings};
        VkDescriptorPoolCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        info.maxSets = kSetsAPool;
        info.poolSizeCount = 1;
        info.pPoolSizes = &size;
        VkDescriptorPool pool = VK_NULL_HANDLE;
        const VkResult result = vk.CreateDescriptorPool(device_.handle(), &info, nullptr, &pool);
        if (result != VK_SUCCESS)
            return result;
        descriptor_pools_.push_back(pool);
    }
    const VkDescriptorSetLayout layout = device_.pipelines().set_layout();
    VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr,
                                        descriptor_pools_.back(), 1, &layout};
    return vk.AllocateDescriptorSets(device_.handle(), &info, &set);
}

VkResult Slot::wait() {
    if (!in_flight_)
        return VK_SUCCESS;
    VkResult result = device_.fails(Fault::wait)   ? VK_ERROR_OUT_OF_HOST_MEMORY
                      : device_.fails(Fault::late) ? VK_TIMEOUT
                                                   : wait_for_fence();
    const bool lost = device_.fails(Fault::lost);
    if (lost || result == VK_TIMEOUT || result == VK_ERROR_DEVICE_LOST)
        device_.give_up();
    // A wait that failed for want of memory says nothing of the GPU, which may still be writing.
    if (result != VK_SUCCESS && result != VK_TIMEOUT && result != VK_ERROR_DEVICE_LOST) {
        const VkResult again = wait_for_fence();
        in_flight_ = again != VK_SUCCESS;
        if (in_flight_)
            device_.give_up();
    } else {
        // A lost device doesn't write any more.
        // The CPU does the frame again in the same memory: what a late GPU writes must not come after that. Drivers reset
        // work that runs for too long, mostly within some seconds.
        in_flight_ = result == VK_TIMEOUT && !ends_within(device_.grace());
    }
    if (!in_flight_)
        finish(result == VK_SUCCESS && !lost);
    if (lost)
        return VK_ERROR_DEVICE_LOST;
    return result == VK_SUCCESS ? busy_result_ : result;
}

// As long as any work on the device ends within the time, a wait goes on: the queue is shared. On a device that was
// given up the rest of the work gets a last chance.
VkResult Slot::wait_for_fence() {
    using Clock = std::chrono::steady_clock;
    const auto patience = device_.given_up() ? device_.patience() / 4 : device_.patience();
    const auto start = Clock::now();
    auto deadline = start + patience;
    std::uint64_t seen = device_.progress;
    for (;;) {
        const auto slice = std::chrono::nanoseconds(std::min<std::chrono::nanoseconds>(kSlice, patience));
        const VkResult result = device_.vk().WaitForFences(device_.handle(), 1, &fence_, VK_TRUE,
                                                           static_cast<std::uint64_t>(slice.count()));
        if (result != VK_TIMEOUT)
            return result;
        const auto now = Clock::now();
        if (const std::uint64_t progress = device_.progress; progress != seen) {
            seen = progress;
            deadline = now + patience;
        }
        if (now >= deadline || now >= start + kLongestWait * patience)
            return VK_TIMEOUT;
    }
}

bool Slot::ends_within(std::chrono::nanoseconds time) const {
    return device_.vk().WaitForFences(device_.handle(), 1, &fence_, VK_TRUE,
                                      static_cast<std::uint64_t>(time.count())) != VK_TIMEOUT;
}

bool Slot::done() const {
    constexpr std::chrono::milliseconds moment{100};
    return !in_flight_ || ends_within(moment);
}

void Slot::finish(bool worked) {
    device_.progress++;
    busy_result_ = device_.vk().ResetFences(device_.handle(), 1, &fence_);
    if (worked && busy_result_ == VK_SUCCESS)
        busy_result_ = busy_.dst->host.invalidate();
    {
        const std::lock_guard lock(device_.submit_mutex);
        for (const auto &ref : busy_.ref)
            if (ref)
                ref->local_pending = false;
        if (!worked)
            busy_.dst->local_valid = false;
    }
    busy_ = {};
}

std::vector<GpuTimeline::Span> Slot::spans() const {
    if (stamps_.size() < 2)
        return {};
    std::vector<std::uint64_t> at(stamps_.size());
    const VkResult result = device_.vk().GetQueryPoolResults(
        device_.handle(), queries_, 0, static_cast<std::uint32_t>(at.size()), at.size() * sizeof(at[0]), at.data(),
        sizeof(at[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS)
        return {};
    std::vector<GpuTimeline::Span> all;
    const double period = device_.limits().timestampPeriod;
    for (std::size_t i = 1; i < at.size(); i++)
        all.push_back({stamps_[i], static_cast<double>(at[i - 1]) * period, static_cast<double>(at[i]) * period});
    return all;
}

VkResult SlotPool::acquire(std::unique_ptr<Slot> &slot, VkDeviceSize coefs) {
    std::vector<Idle> unneeded; // given back without the lock
    {
        const std::lock_guard lock(mutex_);
        acquired_++;
        unneeded = take_unneeded();
        auto found = smallest(coefs);
        if (found == free_.end() || too_good_for(found->slot->coefs().size(), coefs))
            found = largest_below(coefs);
        if (found != free_.end()) {
            slot = take(found);
            return VK_SUCCESS;
        }
    }
    slot = std::make_unique<Slot>(device_);
    return slot->init();
}

void SlotPool::find_upload(Slot &slot, VkDeviceSize bytes) {
    const std::lock_guard lock(mutex_);
    Buffer *best = slot.upload_.size() >= bytes ? &slot.upload_ : nullptr;
    for (const Idle &idle : free_) {
        Buffer &upload = idle.slot->upload_;
        if (upload.size() >= bytes && (!best || upload.size() < best->size()))
            best = &upload;
    }
    if (best)
        std::swap(*best, slot.upload_);
}

std::unique_ptr<Slot> SlotPool::acquire_free(VkDeviceSize coefs) {
    const std::lock_guard lock(mutex_);
    const auto found = smallest(coefs);
    return found == free_.end() ? nullptr : take(found);
}

std::unique_ptr<Slot> SlotPool::take(std::vector<Idle>::iterator idle) {
    std::unique_ptr<Slot> slot = std::move(idle->slot);
    free_.erase(idle);
    return slot;
}

std::vector<SlotPool::Idle>::iterator SlotPool::smallest(VkDeviceSize coefs) {
    auto best = free_.end();
    for (auto idle = free_.begin(); idle != free_.end(); ++idle)
        if (idle->slot->coefs().size() >= coefs && (best == free_.end() || idle->slot->room() < best->slot->room()))
            best = idle;
    return best;
}

std::vector<SlotPool::Idle>::iterator SlotPool::largest_below(VkDeviceSize coefs) {
    auto best = free_.end();
    for (auto idle = free_.begin(); idle != free_.end(); ++idle)
        if (const VkDeviceSize size = idle->slot->coefs().size();
            size < coefs && (best == free_.end() || size > best->slot->coefs().size()))
            best = idle;
    return best;
}

std::vector<SlotPool::Idle> SlotPool::take_unneeded() {
    const auto needed = [this](const Idle &idle) { return !nobody_needs(acquired_ - idle.since); };
    const auto end = std::ranges::find_if(free_, needed); // those that lie idle longest come first
    std::vector<Idle> unneeded(std::make_move_iterator(free_.begin()), std::make_move_iterator(end));
    free_.erase(free_.begin(), end);
    return unneeded;
}

void SlotPool::release(std::unique_ptr<Slot> slot) {
    if (!slot)
        return;
    const std::lock_guard lock(mutex_);
    if (slot->in_flight())
        abandoned_.push_back(std::move(slot));
    else
        free_.push_back({std::move(slot), acquired_});
}

bool SlotPool::close() {
    const std::lock_guard lock(mutex_);
    free_.clear();
    std::erase_if(abandoned_, [](const std::unique_ptr<Slot> &slot) { return slot->done(); });
    if (abandoned_.empty())
        return true;
    for (std::unique_ptr<Slot> &slot : abandoned_)
        static_cast<void>(slot.release());
    abandoned_.clear();
    return false;
}

} // namespace dd
