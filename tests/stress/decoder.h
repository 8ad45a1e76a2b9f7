// SPDX-License-Identifier: BSD-2-Clause
//
// A decoder of libavcodec and the packets to feed it, as the stress programs need them. Compiles against the stock and
// the patched libraries alike.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>
}

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stress {

struct PacketData {
    std::vector<std::uint8_t> bytes;
    std::int64_t pts = 0;
    bool key = false; // a key frame: decoding can start here
};

struct Stream {
    std::string name;
    AVCodecID codec = AV_CODEC_ID_NONE;
    std::vector<PacketData> packets;
};

// Reads an IVF file of VP9 or AV1. Both throw std::runtime_error where they can't.
Stream parse_ivf(const std::vector<std::uint8_t> &file, const std::string &path);
Stream read_ivf(const std::string &path);

struct BufferUnref {
    void operator()(AVBufferRef *buffer) const { av_buffer_unref(&buffer); }
};
struct ContextFree {
    void operator()(AVCodecContext *context) const { avcodec_free_context(&context); }
};
struct FrameFree {
    void operator()(AVFrame *frame) const { av_frame_free(&frame); }
};
struct PacketFree {
    void operator()(AVPacket *packet) const { av_packet_free(&packet); }
};
using Device = std::unique_ptr<AVBufferRef, BufferUnref>;
using Frame = std::unique_ptr<AVFrame, FrameFree>;

// Opens a device of type daedalus, or the one of type drm, whose name it is. Throws where the libraries have no such
// type or the device refuses.
Device open_device(const std::string &name);

struct Setup {
    int threads = 1;
    int thread_type = FF_THREAD_FRAME;
    bool low_delay = false;
    std::int64_t max_pixels = 0; // 0: libavcodec's own bound
    AVBufferRef *device = nullptr;
    int (*get_buffer)(AVCodecContext *, AVFrame *, int) = nullptr;
};

class Decoder {
  public:
    Decoder(AVCodecID codec, const Setup &setup);

    // nullptr: the end. Returns libavcodec's code.
    int send(const PacketData *packet);
    // Empty where the code says that there is none.
    Frame receive(int &code);
    void flush() { avcodec_flush_buffers(context_.get()); }

  private:
    std::unique_ptr<AVCodecContext, ContextFree> context_;
    std::unique_ptr<AVPacket, PacketFree> packet_;
};

// Time stamp, size, pixel format (in software) and md5 of the pixels.
std::string describe(const AVFrame &frame);

// What a decoder says to one packet (nullptr: to the end): a line for each error code and each frame, in their order.
std::vector<std::string> feed(Decoder &decoder, const PacketData *packet);
// The same, frames kept instead of described.
std::vector<std::string> feed(Decoder &decoder, const PacketData *packet, std::vector<Frame> &kept);

} // namespace stress
