// SPDX-License-Identifier: BSD-2-Clause
//
// libFuzzer on whole decoders: an input is an IVF file, decoded with work on the GPU. Its first reserved byte chooses
// threads.
#include "decoder.h"

#include <cstdint>
#include <stdexcept>

namespace {

constexpr std::size_t kReserved = 28; // of the IVF header: four bytes without a use
constexpr std::int64_t kMostPixels = 512 * 512;
constexpr std::size_t kMostPackets = 16;

AVBufferRef *device() {
    static const stress::Device opened = stress::open_device("llvmpipe");
    return opened.get();
}

void decode(const stress::Stream &stream, std::uint8_t how) {
    stress::Setup setup;
    setup.threads = 1 + (how & 3);
    setup.thread_type = how & 4 ? FF_THREAD_SLICE : FF_THREAD_FRAME;
    setup.low_delay = how & 8;
    setup.max_pixels = kMostPixels;
    setup.device = device();
    stress::Decoder decoder(stream.codec, setup);
    for (std::size_t i = 0; i < std::min(kMostPackets, stream.packets.size()); i++)
        stress::feed(decoder, &stream.packets[i]);
    stress::feed(decoder, nullptr);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    av_log_set_level(AV_LOG_QUIET);
    try {
        decode(stress::parse_ivf({data, data + size}, "input"), size > kReserved ? data[kReserved] : 0);
    } catch (const std::runtime_error &) { // no such file, or no such decoder
    }
    return 0;
}
