// SPDX-License-Identifier: BSD-2-Clause
#include "decoder.h"

#include "drm_frame.h"

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/imgutils.h>
#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
}

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace stress {
namespace {

constexpr std::size_t kIvfHeader = 32, kIvfPacketHeader = 12;

std::uint64_t little_endian(const std::uint8_t *bytes, int count) {
    std::uint64_t value = 0;
    for (int i = count - 1; i >= 0; --i)
        value = value << 8 | bytes[i];
    return value;
}

// VP9 uncompressed header (clause 6.2): marker 2 bits, profile 2 (3 where it is 3), show_existing_frame, frame_type.
bool is_vp9_key(const std::vector<std::uint8_t> &bytes) {
    if (bytes.empty() || bytes[0] >> 6 != 2)
        return false;
    const bool profile3 = (bytes[0] & 0x30) == 0x30;
    return (bytes[0] & (profile3 ? 0x06 : 0x0c)) == 0;
}

// AV1 OBU headers (clause 5.3): a temporal unit that holds a sequence header behind its delimiter. Encoders send it
// with key frames.
bool is_av1_key(const std::vector<std::uint8_t> &bytes) {
    constexpr int kSequenceHeader = 1, kTemporalDelimiter = 2;
    const std::size_t first = bytes.size() > 2 && (bytes[0] >> 3 & 15) == kTemporalDelimiter ? 2 : 0;
    return bytes.size() > first && (bytes[first] >> 3 & 15) == kSequenceHeader;
}

AVCodecID codec_of(const std::vector<std::uint8_t> &file) {
    if (std::memcmp(file.data() + 8, "VP90", 4) == 0)
        return AV_CODEC_ID_VP9;
    if (std::memcmp(file.data() + 8, "AV01", 4) == 0)
        return AV_CODEC_ID_AV1;
    return AV_CODEC_ID_NONE;
}

const AVCodec *find_decoder(AVCodecID id) {
    // The decoder named av1 reconstructs nothing without a fixed-function device.
    return id == AV_CODEC_ID_AV1 ? avcodec_find_decoder_by_name("libdav1d") : avcodec_find_decoder(id);
}

template <typename Take>
std::vector<std::string> feed(Decoder &decoder, const PacketData *packet, const Take &take) {
    std::vector<std::string> lines;
    if (const int code = decoder.send(packet); code < 0)
        lines.push_back("error " + std::to_string(code));
    // Bounded: a decoder that reports errors for ever would be a hang.
    for (int code = 0, failures = 0; failures < 64;) {
        Frame frame = decoder.receive(code);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return lines;
        if (frame) {
            take(lines, std::move(frame));
        } else {
            lines.push_back("error " + std::to_string(code));
            ++failures;
        }
    }
    lines.emplace_back("receive never ends");
    return lines;
}

} // namespace

Stream read_ivf(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return parse_ivf({std::istreambuf_iterator<char>(in), {}}, path);
}

Stream parse_ivf(const std::vector<std::uint8_t> &file, const std::string &path) {
    if (file.size() < kIvfHeader || std::memcmp(file.data(), "DKIF", 4) != 0)
        throw std::runtime_error(path + " is no IVF file");
    Stream stream{path.substr(path.rfind('/') + 1), codec_of(file), {}};
    if (stream.codec == AV_CODEC_ID_NONE)
        throw std::runtime_error(path + " is neither VP9 nor AV1");
    for (std::size_t at = kIvfHeader; at + kIvfPacketHeader <= file.size();) {
        const std::size_t size = little_endian(&file[at], 4);
        PacketData packet;
        packet.pts = static_cast<std::int64_t>(little_endian(&file[at + 4], 8));
        at += kIvfPacketHeader;
        const std::size_t end = std::min(file.size(), at + size);
        packet.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(at),
                            file.begin() + static_cast<std::ptrdiff_t>(end));
        packet.key = stream.codec == AV_CODEC_ID_VP9 ? is_vp9_key(packet.bytes) : is_av1_key(packet.bytes);
        stream.packets.push_back(std::move(packet));
        at = end;
    }
    return stream;
}

namespace {

// One without a file: nothing is shown.
Device open_drm() {
    Device device(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_DRM));
    if (!device)
        throw std::runtime_error("this libavutil has no device type drm");
    auto *context = reinterpret_cast<AVHWDeviceContext *>(device->data);
    static_cast<AVDRMDeviceContext *>(context->hwctx)->fd = -1;
    if (av_hwdevice_ctx_init(device.get()) < 0)
        throw std::runtime_error("the DRM device can't be made");
    return device;
}

} // namespace

Device open_device(const std::string &name) {
    if (name == "drm")
        return open_drm();
    const AVHWDeviceType type = av_hwdevice_find_type_by_name("daedalus");
    if (type == AV_HWDEVICE_TYPE_NONE)
        throw std::runtime_error("this libavutil has no device type daedalus");
    AVBufferRef *device = nullptr;
    AVDictionary *options = nullptr;
    av_dict_set(&options, "robust", "1", 0); // hostile streams must not need it, but what they do has to be seen
    const int result = av_hwdevice_ctx_create(&device, type, name.c_str(), options, 0);
    av_dict_free(&options);
    if (result < 0)
        throw std::runtime_error("the device " + name + " can't be opened");
    return Device(device);
}

Decoder::Decoder(AVCodecID id, const Setup &setup) : packet_(av_packet_alloc()) {
    const AVCodec *codec = find_decoder(id);
    if (!codec || !packet_)
        throw std::runtime_error("no decoder");
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_)
        throw std::runtime_error("no memory");
    context_->thread_count = setup.threads;
    context_->thread_type = setup.thread_type;
    context_->pkt_timebase = AVRational{1, 25};
    if (setup.low_delay)
        context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    if (setup.max_pixels)
        context_->max_pixels = setup.max_pixels;
    if (setup.get_buffer)
        context_->get_buffer2 = setup.get_buffer;
    if (setup.device)
        context_->hw_device_ctx = av_buffer_ref(setup.device);
    if (avcodec_open2(context_.get(), codec, nullptr) < 0)
        throw std::runtime_error("the decoder can't be opened");
}

int Decoder::send(const PacketData *packet) {
    if (!packet)
        return avcodec_send_packet(context_.get(), nullptr);
    if (av_new_packet(packet_.get(), static_cast<int>(packet->bytes.size())) < 0)
        return AVERROR(ENOMEM);
    if (!packet->bytes.empty())
        std::memcpy(packet_->data, packet->bytes.data(), packet->bytes.size());
    packet_->pts = packet_->dts = packet->pts;
    const int code = avcodec_send_packet(context_.get(), packet_.get());
    av_packet_unref(packet_.get());
    return code;
}

Frame Decoder::receive(int &code) {
    Frame frame(av_frame_alloc());
    code = frame ? avcodec_receive_frame(context_.get(), frame.get()) : AVERROR(ENOMEM);
    return code < 0 ? Frame{} : std::move(frame);
}

std::string describe(const AVFrame &frame) {
    if (frame.format == AV_PIX_FMT_DRM_PRIME)
        return describe(*map_drm_frame(frame));
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const int size = av_image_get_buffer_size(format, frame.width, frame.height, 1);
    if (size < 0)
        throw std::runtime_error("a frame without a size");
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size));
    av_image_copy_to_buffer(pixels.data(), size, frame.data, frame.linesize, format, frame.width, frame.height, 1);
    std::array<std::uint8_t, 16> sum{};
    av_md5_sum(sum.data(), pixels.data(), pixels.size());
    static const char hex[] = "0123456789abcdef";
    std::string text = "frame pts " + std::to_string(frame.pts) + " " + std::to_string(frame.width) + "x" +
                       std::to_string(frame.height) + " " + av_get_pix_fmt_name(format) + " ";
    for (const std::uint8_t byte : sum)
        text += {hex[byte >> 4], hex[byte & 15]};
    return text;
}

std::vector<std::string> feed(Decoder &decoder, const PacketData *packet, std::vector<Frame> &kept) {
    return feed(decoder, packet, [&](std::vector<std::string> &, Frame frame) { kept.push_back(std::move(frame)); });
}

std::vector<std::string> feed(Decoder &decoder, const PacketData *packet) {
    return feed(decoder, packet,
                [](std::vector<std::string> &lines, Frame frame) { lines.push_back(describe(*frame)); });
}

} // namespace stress
