// SPDX-License-Identifier: BSD-2-Clause
#include "drm_frame.h"

extern "C" {
#include <libavutil/hwcontext_drm.h>
#include <libavutil/pixdesc.h>
}

#include <cstdlib>
#include <cstring>
#include <linux/dma-buf.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <utility>

namespace stress {
namespace {

constexpr std::uint32_t fourcc(const char (&name)[5]) {
    std::uint32_t code = 0;
    for (int i = 3; i >= 0; --i)
        code = code << 8 | static_cast<std::uint8_t>(name[i]);
    return code;
}

constexpr std::uint64_t kLinear = 0; // DRM_FORMAT_MOD_LINEAR

void require(bool holds, const char *what) {
    if (!holds)
        throw std::runtime_error(std::string("descriptor of a frame: ") + what);
}

bool wants_p010() {
    const char *value = std::getenv("DAEDALUS_P010");
    return value && value[0] == '1';
}

std::uint32_t layer_format(AVPixelFormat format) {
    switch (format) {
    case AV_PIX_FMT_YUV420P:
        return fourcc("YU12");
    case AV_PIX_FMT_YUV420P10LE:
        return wants_p010() ? 0 : fourcc("S010");
    case AV_PIX_FMT_P010LE:
        return wants_p010() ? fourcc("P010") : 0;
    default:
        return 0;
    }
}

void check_plane(const AVDRMPlaneDescriptor &plane, const AVFrame &view, int index, std::size_t bytes) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(view.format));
    const auto shifted = [&](int size, int shift) { return index ? -(-size >> shift) : size; };
    const std::ptrdiff_t width = shifted(view.width, format->log2_chroma_w) * ptrdiff_t{format->comp[index].step};
    const std::ptrdiff_t height = shifted(view.height, format->log2_chroma_h);
    require(plane.object_index == 0 && plane.offset >= 0, "a plane lies elsewhere");
    require(plane.pitch >= width && plane.pitch % 16 == 0 && plane.offset % 16 == 0, "a plane's pitch or offset");
    require(static_cast<std::size_t>(plane.offset + (height - 1) * plane.pitch + width) <= bytes,
            "a plane ends behind its object");
}

// The frame outlives it, and with it the file.
struct Mapping {
    int file;
    std::size_t bytes;
    bool sync(std::uint64_t flags) const {
        dma_buf_sync argument = {flags | DMA_BUF_SYNC_READ};
        return ioctl(file, DMA_BUF_IOCTL_SYNC, &argument) == 0;
    }
    static void free(void *opaque, std::uint8_t *data) {
        const std::unique_ptr<Mapping> mapping(static_cast<Mapping *>(opaque));
        munmap(data, mapping->bytes);
        mapping->sync(DMA_BUF_SYNC_END);
    }
};

std::uint16_t sample_of(const AVFrame &p010, int plane, int x, int y) {
    std::uint16_t sample;
    std::memcpy(&sample, p010.data[plane] + std::ptrdiff_t{y} * p010.linesize[plane] + 2 * x, 2);
    require((sample & 63) == 0, "the lower bits of a sample of P010");
    return static_cast<std::uint16_t>(sample >> 6);
}

// As decoders without P010 give it.
Frame planar_of(const AVFrame &p010) {
    Frame planar(av_frame_alloc());
    planar->format = AV_PIX_FMT_YUV420P10LE;
    planar->width = p010.width;
    planar->height = p010.height;
    planar->pts = p010.pts;
    require(av_frame_get_buffer(planar.get(), 0) >= 0, "no memory for a copy");
    for (int p = 0; p < 3; ++p) {
        const int width = p ? (p010.width + 1) / 2 : p010.width, height = p ? (p010.height + 1) / 2 : p010.height;
        for (int y = 0; y < height; ++y) {
            auto *to = reinterpret_cast<std::uint16_t *>(planar->data[p] + std::ptrdiff_t{y} * planar->linesize[p]);
            for (int x = 0; x < width; ++x)
                to[x] = sample_of(p010, p ? 1 : 0, p ? 2 * x + p - 1 : x, y);
        }
    }
    return planar;
}

} // namespace

Frame map_drm_frame(const AVFrame &frame) {
    require(frame.hw_frames_ctx != nullptr, "no frames context");
    const auto &frames = *reinterpret_cast<const AVHWFramesContext *>(frame.hw_frames_ctx->data);
    const auto &descriptor = *reinterpret_cast<const AVDRMFrameDescriptor *>(frame.data[0]);
    require(descriptor.nb_objects == 1 && descriptor.nb_layers == 1, "objects or layers");
    const AVDRMObjectDescriptor &object = descriptor.objects[0];
    const AVDRMLayerDescriptor &layer = descriptor.layers[0];
    require(object.format_modifier == kLinear, "not linear");
    require(layer.nb_planes == av_pix_fmt_count_planes(frames.sw_format) &&
                layer.format == layer_format(frames.sw_format),
            "the layer's format");

    Frame view(av_frame_alloc());
    view->format = frames.sw_format;
    view->width = frame.width;
    view->height = frame.height;
    view->pts = frame.pts;
    void *data = mmap(nullptr, object.size, PROT_READ, MAP_SHARED, object.fd, 0);
    require(data != MAP_FAILED, "its memory can't be mapped");
    auto *base = static_cast<std::uint8_t *>(data);
    auto mapping = std::make_unique<Mapping>(Mapping{object.fd, object.size});
    require(mapping->sync(DMA_BUF_SYNC_START), "its memory can't be synchronised");
    view->buf[0] = av_buffer_create(base, object.size, Mapping::free, mapping.release(), AV_BUFFER_FLAG_READONLY);
    for (int p = 0; p < layer.nb_planes; ++p) {
        check_plane(layer.planes[p], *view, p, object.size);
        view->data[p] = base + layer.planes[p].offset;
        view->linesize[p] = static_cast<int>(layer.planes[p].pitch);
    }
    return view->format == AV_PIX_FMT_P010LE ? planar_of(*view) : std::move(view);
}

} // namespace stress
