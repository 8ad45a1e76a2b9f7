// SPDX-License-Identifier: BSD-2-Clause
//
// A program with a get_buffer2() of its own, as players have that allocate for a display: prints every frame that it
// is given, and fails where a frame doesn't lie in its buffers or has lost its `opaque`.
#include "decoder.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
}

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace {

constexpr int kPitchBeyond = 192;      // bytes of a line that no pixel uses
constexpr std::ptrdiff_t kOffset = 64; // of the first plane: no more alignment than decoders ask for
constexpr std::uint64_t kMark = 0x6f776e2d62756666;

// What a frame's `opaque` points to.
struct Buffer {
    std::uint64_t mark = kMark;
    std::uint8_t *memory = nullptr;
    std::size_t size = 0;
};

void free_buffer(void *opaque, std::uint8_t *) {
    auto *buffer = static_cast<Buffer *>(opaque);
    buffer->mark = 0;
    av_free(buffer->memory);
    delete buffer;
}

int get_buffer(AVCodecContext *context, AVFrame *frame, int) {
    int width = frame->width, height = frame->height, alignment[AV_NUM_DATA_POINTERS];
    avcodec_align_dimensions2(context, &width, &height, alignment);
    const auto format = static_cast<AVPixelFormat>(frame->format);
    int pitch[4];
    std::size_t sizes[4];
    std::ptrdiff_t pitches[4];
    if (av_image_fill_linesizes(pitch, format, width) < 0)
        return AVERROR(EINVAL);
    for (int i = 0; i < 4; ++i)
        pitches[i] = pitch[i] = pitch[i] ? FFALIGN(pitch[i], 64) + kPitchBeyond : 0;
    if (av_image_fill_plane_sizes(sizes, format, height, pitches) < 0)
        return AVERROR(EINVAL);
    auto *buffer = new Buffer;
    buffer->size = kOffset;
    for (const std::size_t size : sizes)
        buffer->size += FFALIGN(size, 64);
    buffer->memory = static_cast<std::uint8_t *>(av_malloc(buffer->size + 64));
    frame->buf[0] = av_buffer_create(buffer->memory, buffer->size, free_buffer, buffer, 0);
    if (!buffer->memory || !frame->buf[0])
        return AVERROR(ENOMEM);
    std::uint8_t *at = buffer->memory + kOffset;
    for (int i = 0; i < 4 && sizes[i]; ++i) {
        frame->data[i] = at;
        frame->linesize[i] = pitch[i];
        at += FFALIGN(sizes[i], 64);
    }
    frame->extended_data = frame->data;
    frame->opaque = buffer;
    return 0;
}

bool is_own(const AVFrame &frame) {
    const auto *buffer = static_cast<const Buffer *>(frame.opaque);
    return buffer && buffer->mark == kMark && frame.data[0] == buffer->memory + kOffset &&
           frame.data[1] > frame.data[0] && frame.data[1] < buffer->memory + buffer->size;
}

int decode(const std::string &path, const stress::Setup &setup, bool is_asked) {
    const stress::Stream stream = stress::read_ivf(path);
    stress::Decoder decoder(stream.codec, setup);
    std::vector<stress::Frame> frames;
    for (const stress::PacketData &packet : stream.packets)
        stress::feed(decoder, &packet, frames);
    stress::feed(decoder, nullptr, frames);
    const auto own = std::ranges::count_if(frames, [](const stress::Frame &frame) { return is_own(*frame); });
    for (const stress::Frame &frame : frames)
        std::puts(stress::describe(*frame).c_str());
    std::fprintf(stderr, "%td of %zu frames lie in the program's buffers\n", own, frames.size());
    return own == (is_asked ? static_cast<std::ptrdiff_t>(frames.size()) : 0) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Decode an IVF file into buffers of the program's own"};
    std::string file, device;
    stress::Setup setup;
    bool never_asked = false;
    setup.get_buffer = get_buffer;
    app.add_option("file", file)->required();
    app.add_option("--device", device, "open a daedalus device of this name (default: none)");
    app.add_option("--threads", setup.threads, "decoder threads, 0: as many as libavcodec chooses");
    app.add_flag("--never-asked", never_asked,
                 "the decoder is one that calls no get_buffer2(), with or without a device");
    CLI11_PARSE(app, argc, argv);
    try {
        const stress::Device opened = device.empty() ? stress::Device{} : stress::open_device(device);
        setup.device = opened.get();
        return decode(file, setup, !never_asked);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
