// SPDX-License-Identifier: BSD-2-Clause
#include "drm_frame.h"

extern "C" {
#include <libavutil/hwcontext_drm.h>
#include <libavutil/pixdesc.h>
}

#include <stdexcept>
#include <string>
#include <sys/mman.h>

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

std::uint32_t layer_format(AVPixelFormat format) {
    switch (format) {
    case AV_PIX_FMT_YUV420P:
        return fourcc("YU12");
    case AV_PIX_FMT_YUV420P10LE:
        return fourcc("S010");
    default:
        return 0;
    }
}

void check_plane(const AVDRMPlaneDescriptor &plane, const AVFrame &view, int index, std::size_t bytes) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(view.format));
    const auto shifted = [&](int size, int shift) { return index ? -(-size >> shift) : size; };
    const std::ptrdiff_t width = shifted(view.width, format->log2_chroma_w) * ptrdiff_t{format->comp[0].step};
    const std::ptrdiff_t height = shifted(view.height, format->log2_chroma_h);
    require(plane.object_index == 0 && plane.offset >= 0, "a plane lies elsewhere");
    require(plane.pitch >= width && plane.pitch % 16 == 0 && plane.offset % 16 == 0, "a plane's pitch or offset");
    require(static_cast<std::size_t>(plane.offset + (height - 1) * plane.pitch + width) <= bytes,
            "a plane ends behind its object");
}

struct Mapping {
    std::size_t bytes;
    static void free(void *opaque, std::uint8_t *data) {
        munmap(data, static_cast<Mapping *>(opaque)->bytes);
        delete static_cast<Mapping *>(opaque);
    }
};

} // namespace

Frame map_drm_frame(const AVFrame &frame) {
    require(frame.hw_frames_ctx != nullptr, "no frames context");
    const auto &frames = *reinterpret_cast<const AVHWFramesContext *>(frame.hw_frames_ctx->data);
    const auto &descriptor = *reinterpret_cast<const AVDRMFrameDescriptor *>(frame.data[0]);
    require(descriptor.nb_objects == 1 && descriptor.nb_layers == 1, "objects or layers");
    const AVDRMObjectDescriptor &object = descriptor.objects[0];
    const AVDRMLayerDescriptor &layer = descriptor.layers[0];
    require(object.format_modifier == kLinear, "not linear");
    require(layer.nb_planes == 3 && layer.format == layer_format(frames.sw_format), "the layer's format");

    Frame view(av_frame_alloc());
    view->format = frames.sw_format;
    view->width = frame.width;
    view->height = frame.height;
    view->pts = frame.pts;
    void *data = mmap(nullptr, object.size, PROT_READ, MAP_SHARED, object.fd, 0);
    require(data != MAP_FAILED, "its memory can't be mapped");
    auto *base = static_cast<std::uint8_t *>(data);
    view->buf[0] =
        av_buffer_create(base, object.size, Mapping::free, new Mapping{object.size}, AV_BUFFER_FLAG_READONLY);
    for (int p = 0; p < layer.nb_planes; ++p) {
        check_plane(layer.planes[p], *view, p, object.size);
        view->data[p] = base + layer.planes[p].offset;
        view->linesize[p] = static_cast<int>(layer.planes[p].pitch);
    }
    return view;
}

} // namespace stress
