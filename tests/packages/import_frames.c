// SPDX-License-Identifier: BSD-2-Clause
//
// import_frames DEVICE FILE: what players do with DRM PRIME frames. Decodes the file with a DRM device, imports each
// plane of each frame as an image into a Vulkan device of its own, and compares every pixel that this reads with the
// frame as FFmpeg downloads it. Prints the format of the frames, how many there were, and how many planes differed.
#include <drm_fourcc.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/pixdesc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#define CHECK(holds)                                                                                                   \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            fprintf(stderr, "line %d: %s doesn't hold\n", __LINE__, #holds);                                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// One plane as an image of one or two samples a pixel.
typedef struct Plane {
    int fd;
    size_t object_bytes;
    uint32_t width, height, offset, pitch;
    uint32_t samples, sample_bytes;
    const uint8_t *expected;
    int expected_pitch;
} Plane;

static size_t row_bytes(const Plane *plane) {
    return (size_t)plane->width * plane->samples * plane->sample_bytes;
}

static bool is_expected(const Plane *plane, const uint8_t *pixels) {
    for (uint32_t y = 0; y < plane->height; y++)
        if (memcmp(pixels + y * row_bytes(plane), plane->expected + (ptrdiff_t)y * plane->expected_pitch,
                   row_bytes(plane)))
            return false;
    return true;
}

static struct {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool commands;
    PFN_vkGetMemoryFdPropertiesKHR get_memory_fd_properties;
} vk;

static void open_vulkan(void) {
    const char *extensions[] = {"VK_EXT_image_drm_format_modifier", "VK_EXT_external_memory_dma_buf",
                                "VK_KHR_external_memory_fd"};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application};
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance) == VK_SUCCESS);
    VkPhysicalDevice all[8];
    uint32_t count = 8;
    CHECK(vkEnumeratePhysicalDevices(instance, &count, all) >= 0 && count);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(all[i], &properties);
        if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
            vk.physical = all[i];
    }
    CHECK(vk.physical);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 3,
                                     .ppEnabledExtensionNames = extensions};
    CHECK(vkCreateDevice(vk.physical, &info, NULL, &vk.device) == VK_SUCCESS);
    vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECK(vkCreateCommandPool(vk.device, &pool, NULL, &vk.commands) == VK_SUCCESS);
    vk.get_memory_fd_properties =
        (PFN_vkGetMemoryFdPropertiesKHR)vkGetDeviceProcAddr(vk.device, "vkGetMemoryFdPropertiesKHR");
}

static uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags flags) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(vk.physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
            return i;
    CHECK(!"a memory type");
    return 0;
}

static VkImage import_image(const Plane *plane, VkDeviceMemory *memory) {
    static const VkFormat formats[2][2] = {{VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM},
                                           {VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM}};
    const VkSubresourceLayout layout = {.offset = plane->offset, .rowPitch = plane->pitch};
    const VkImageDrmFormatModifierExplicitCreateInfoEXT modifier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
        .drmFormatModifier = DRM_FORMAT_MOD_LINEAR,
        .drmFormatModifierPlaneCount = 1,
        .pPlaneLayouts = &layout};
    const VkExternalMemoryImageCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                      .pNext = &modifier,
                                                      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .pNext = &external,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = formats[plane->sample_bytes - 1][plane->samples - 1],
                                    .extent = {plane->width, plane->height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = 1,
                                    .tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkImage image;
    CHECK(vkCreateImage(vk.device, &info, NULL, &image) == VK_SUCCESS);
    VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
    CHECK(vk.get_memory_fd_properties(vk.device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, plane->fd,
                                      &properties) == VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vk.device, image, &needs);
    const VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                            .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
                                            .fd = dup(plane->fd)};
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &import,
                                           .allocationSize = plane->object_bytes,
                                           .memoryTypeIndex =
                                               memory_type(needs.memoryTypeBits & properties.memoryTypeBits, 0)};
    CHECK(vkAllocateMemory(vk.device, &allocate, NULL, memory) == VK_SUCCESS);
    CHECK(vkBindImageMemory(vk.device, image, *memory, 0) == VK_SUCCESS);
    return image;
}

static VkBuffer make_buffer(size_t bytes, VkDeviceMemory *memory) {
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer;
    CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer) == VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk.device, buffer, &needs);
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = memory_type(needs.memoryTypeBits,
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
    CHECK(vkAllocateMemory(vk.device, &allocate, NULL, memory) == VK_SUCCESS);
    CHECK(vkBindBufferMemory(vk.device, buffer, *memory, 0) == VK_SUCCESS);
    return buffer;
}

static void copy_image(const Plane *plane, VkImage image, VkBuffer buffer) {
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vk.commands, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkImageMemoryBarrier acquire = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                          .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
                                          .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
                                          .image = image,
                                          .subresourceRange = all};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {plane->width, plane->height, 1}};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(vk.device, &allocate, &commands) == VK_SUCCESS &&
          vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &acquire);
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &region);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECK(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS && vkQueueWaitIdle(vk.queue) == VK_SUCCESS);
    vkFreeCommandBuffers(vk.device, vk.commands, 1, &commands);
}

static void read_plane(const Plane *plane, uint8_t *pixels) {
    const size_t bytes = row_bytes(plane) * plane->height;
    VkDeviceMemory image_memory, buffer_memory;
    VkImage image = import_image(plane, &image_memory);
    VkBuffer buffer = make_buffer(bytes, &buffer_memory);
    copy_image(plane, image, buffer);
    void *data;
    CHECK(vkMapMemory(vk.device, buffer_memory, 0, VK_WHOLE_SIZE, 0, &data) == VK_SUCCESS);
    memcpy(pixels, data, bytes);
    vkDestroyBuffer(vk.device, buffer, NULL);
    vkDestroyImage(vk.device, image, NULL);
    vkFreeMemory(vk.device, buffer_memory, NULL);
    vkFreeMemory(vk.device, image_memory, NULL);
}

static unsigned wrong_planes;
static const char *frame_format = "none";

static Plane plane_of(const AVFrame *frame, const AVFrame *downloaded, int p) {
    const AVDRMFrameDescriptor *descriptor = (const AVDRMFrameDescriptor *)frame->data[0];
    const AVDRMPlaneDescriptor *layout = &descriptor->layers[0].planes[p];
    const AVDRMObjectDescriptor *object = &descriptor->objects[layout->object_index];
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(downloaded->format);
    const Plane plane = {.fd = object->fd,
                         .object_bytes = object->size,
                         .offset = layout->offset,
                         .pitch = layout->pitch,
                         .width = p ? AV_CEIL_RSHIFT(frame->width, format->log2_chroma_w) : frame->width,
                         .height = p ? AV_CEIL_RSHIFT(frame->height, format->log2_chroma_h) : frame->height,
                         .samples = p && descriptor->layers[0].nb_planes == 2 ? 2 : 1,
                         .sample_bytes = format->comp[0].depth > 8 ? 2 : 1,
                         .expected = downloaded->data[p],
                         .expected_pitch = downloaded->linesize[p]};
    return plane;
}

static void check_frame(const AVFrame *frame) {
    const AVDRMFrameDescriptor *descriptor = (const AVDRMFrameDescriptor *)frame->data[0];
    AVFrame *downloaded = av_frame_alloc();
    CHECK(downloaded && frame->format == AV_PIX_FMT_DRM_PRIME && av_hwframe_transfer_data(downloaded, frame, 0) >= 0);
    frame_format = av_get_pix_fmt_name(downloaded->format);
    for (int p = 0; p < descriptor->layers[0].nb_planes; p++) {
        const Plane plane = plane_of(frame, downloaded, p);
        uint8_t *pixels = malloc(row_bytes(&plane) * plane.height);
        CHECK(pixels);
        read_plane(&plane, pixels);
        wrong_planes += !is_expected(&plane, pixels);
        free(pixels);
    }
    av_frame_free(&downloaded);
}

static enum AVPixelFormat choose_drm_prime(AVCodecContext *decoder, const enum AVPixelFormat *formats) {
    (void)decoder;
    while (*formats != AV_PIX_FMT_NONE && *formats != AV_PIX_FMT_DRM_PRIME)
        formats++;
    return *formats;
}

static unsigned receive(AVCodecContext *decoder, AVFrame *frame) {
    unsigned frames = 0;
    while (avcodec_receive_frame(decoder, frame) >= 0) {
        check_frame(frame);
        av_frame_unref(frame);
        frames++;
    }
    return frames;
}

int main(int argc, char **argv) {
    AVFormatContext *input = NULL;
    const AVCodec *codec;
    unsigned frames = 0;
    CHECK(argc == 3 && avformat_open_input(&input, argv[2], NULL, NULL) >= 0);
    const int stream = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    CHECK(stream >= 0);
    if (codec->id == AV_CODEC_ID_AV1)
        CHECK((codec = avcodec_find_decoder_by_name("libdav1d")));
    AVCodecContext *decoder = avcodec_alloc_context3(codec);
    CHECK(decoder && avcodec_parameters_to_context(decoder, input->streams[stream]->codecpar) >= 0);
    decoder->get_format = choose_drm_prime;
    CHECK(av_hwdevice_ctx_create(&decoder->hw_device_ctx, AV_HWDEVICE_TYPE_DRM, argv[1], NULL, 0) >= 0);
    CHECK(avcodec_open2(decoder, codec, NULL) >= 0);
    open_vulkan();
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    CHECK(packet && frame);
    while (av_read_frame(input, packet) >= 0) {
        if (packet->stream_index == stream)
            CHECK(avcodec_send_packet(decoder, packet) >= 0);
        av_packet_unref(packet);
        frames += receive(decoder, frame);
    }
    CHECK(avcodec_send_packet(decoder, NULL) >= 0);
    frames += receive(decoder, frame);
    printf("%s %u %u\n", frame_format, frames, wrong_planes);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    avformat_close_input(&input);
    return 0;
}
