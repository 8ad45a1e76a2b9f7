// SPDX-License-Identifier: BSD-2-Clause
//
// The commands of a submit: copies to the GPU, the dispatches of each phase, copies back.
#include "vulkan/slot.h"

#include "batch/capacity.h"
#include "common/records.h"
#include "embedded.h"

#include <algorithm>

namespace dd {
namespace {

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kShaderAccess = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kTransferAccess = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

constexpr std::string_view kUploads = "upload", kDownloads = "download"; // names of what isn't a dispatch

// Tiles of the picture are copied for the CPU's share between a frame's phases.
bool syncs_tiles(const SubmitInput &input, unsigned phase) {
    return input.phase[phase] && input.phase[phase]->tile_sync;
}

std::uint32_t count_stamps(const SubmitInput &input) {
    std::uint32_t count = 3; // beginning, uploads, downloads
    for (const PhaseWork *work : input.phase)
        count += work ? static_cast<std::uint32_t>(work->dispatches.size()) : 0;
    return count;
}

// Destination, references.
using BoundPictures = std::array<const VulkanPicture *, 1 + DD_AV1_BOUND_REFS>;
constexpr std::array<unsigned, 1 + DD_AV1_BOUND_REFS> kPictureBindings = {
    DD_BIND_DST,      DD_AV1_BIND_REF0, DD_AV1_BIND_REF1, DD_AV1_BIND_REF2,
    DD_AV1_BIND_REF3, DD_AV1_BIND_REF4, DD_AV1_BIND_REF5};
static_assert(kPictureBindings.size() + 1 == kBindings); // and the records

BoundPictures pictures_of(const SubmitInput &input, const Dispatch &dispatch) {
    const auto given = [&](unsigned slot) { return slot < input.ref.size() && input.ref[slot]; };
    const auto or_picture = [&](unsigned slot, const VulkanPicture *other) {
        return given(slot) ? input.ref[slot].get() : other;
    };
    BoundPictures pictures;
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
    return pictures;
}

} // namespace

void Slot::barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used) {
    const VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, used};
    device_.vk().CmdPipelineBarrier(commands_, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

VkResult Slot::record(const SubmitInput &input) {
    const DeviceApi &vk = device_.vk();
    descriptor_sets_.restart();
    const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                            VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
    VkResult result = vk.BeginCommandBuffer(commands_, &begin);
    if (result != VK_SUCCESS)
        return result;
    if ((result = timestamps_.restart(commands_, count_stamps(input))) != VK_SUCCESS)
        return result;
    timestamps_.stamp(commands_, {}, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    if ((result = record_uploads(input)) != VK_SUCCESS)
        return result;
    timestamps_.stamp(commands_, kUploads);
    for (unsigned phase = 0; phase < input.phase.size(); phase++)
        if (input.phase[phase] && (result = record_phase(input, phase)) != VK_SUCCESS)
            return result;
    if ((result = record_downloads(input)) != VK_SUCCESS)
        return result;
    timestamps_.stamp(commands_, kDownloads, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    return vk.EndCommandBuffer(commands_);
}

// Brings the working copies up to date. Whole buffers, where the frame doesn't say which tiles: a copy has a fixed
// cost that is larger than what a part would save.
VkResult Slot::record_uploads(const SubmitInput &input) {
    const auto copy = [this](const VulkanPicture &picture) {
        const VkBufferCopy all = {0, 0, picture.layout.size};
        device_.vk().CmdCopyBuffer(commands_, picture.host.handle(), picture.local.handle(), 1, &all);
    };
    bool copied = false, pending = false, synced_tiles = false;
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
        synced_tiles = syncs_tiles(input, kFilter);
        copied |= !synced_tiles;
        if (!synced_tiles)
            copy(*input.dst);
        else if (const VkResult result =
                     record_tile_sync(input, kFilter, input.dst->host.handle(), input.dst->local.handle());
                 result != VK_SUCCESS)
            return result;
    }
    // What a fence was waited for is available; it only has to become visible, which makes nothing wait. Exceptions
    // are a copy that another frame has started, and kernels that still write a reference. Their downloads are no
    // matter.
    const bool transfers = copied || pending, kernels = synced_tiles || input.reads_unfinished;
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
    const bool synced_tiles = dst.has_copy() && !input.final && syncs_tiles(input, kRecon);
    VkResult result = VK_SUCCESS;
    if (synced_tiles) {
        barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, VK_ACCESS_SHADER_READ_BIT);
        result = record_tile_sync(input, kRecon, dst.local.handle(), dst.host.handle());
    }
    if (!dst.has_copy() || synced_tiles) {
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
VkResult Slot::record_tile_sync(const SubmitInput &input, unsigned phase, VkBuffer from, VkBuffer to) {
    const Dispatch &dispatch = *input.phase[phase]->tile_sync;
    if (!dispatch.groups)
        return VK_SUCCESS;
    BoundBuffers buffers;
    buffers.fill({from, 0, VK_WHOLE_SIZE});
    buffers[DD_BIND_DST].buffer = to;
    buffers[DD_BIND_RECORDS] = {upload_.handle(), upload_at_[phase] + dispatch.records_at,
                                input.phase[phase]->upload_bytes - dispatch.records_at};
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (const VkResult result = descriptor_sets_.get(buffers, set); result != VK_SUCCESS)
        return result;
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
        BoundBuffers buffers;
        VkDescriptorSet set = VK_NULL_HANDLE;
        VkResult result = bind(input, phase, dispatch, buffers);
        if (result == VK_SUCCESS)
            result = descriptor_sets_.get(buffers, set);
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
        timestamps_.stamp(commands_, embedded_kernels()[dispatch.kernel].name);
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

// What the dispatch binds: all of `buffers`.
VkResult Slot::bind(const SubmitInput &input, unsigned phase, const Dispatch &dispatch, BoundBuffers &buffers) const {
    const PhaseWork &work = *input.phase[phase];
    const BoundPictures pictures = pictures_of(input, dispatch);
    for (unsigned i = 0; i < pictures.size(); i++)
        buffers[kPictureBindings[i]] = {pictures[i]->kernel_buffer(), 0, pictures[i]->bytes()};
    const VkDeviceSize begin = upload_at_[phase], end = begin + upload_capacity(&work);
    const VkDeviceSize records = begin + dispatch.records_at;
    if (records >= end)
        return VK_ERROR_UNKNOWN;
    buffers[DD_BIND_RECORDS] = {upload_.handle(), records, end - records};
    if (dispatch.av1_ref) // six references, no coefficients, no tables
        return VK_SUCCESS;
    // A phase without coefficients in its upload may end where they would begin.
    const VkDeviceSize coefs = begin + work.coefs_at < end ? begin + work.coefs_at : begin;
    buffers[DD_BIND_COEFS] = {upload_.handle(), coefs, end - coefs};
    buffers[DD_BIND_TABLES] = {input.tables, 0, VK_WHOLE_SIZE};
    if (work.residual_bytes)
        buffers[DD_BIND_RESIDUALS] = {residuals_.handle(), 0, residuals_.size()};
    return VK_SUCCESS;
}

} // namespace dd
