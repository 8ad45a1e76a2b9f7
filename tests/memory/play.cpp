// SPDX-License-Identifier: BSD-2-Clause
//
// Plays a stream over and over, with jumps to key frames, and says at given numbers of frames how much memory it
// takes: a line of JSON each. Frames are not looked at.
#include "stress/decoder.h"

#include "report.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>

namespace {

using stress::Decoder;
using stress::Frame;
using stress::Stream;

struct Wish {
    std::vector<long> marks; // frames, ascending
    long jump_every = 0;     // frames; 0: never
    unsigned seed = 1;
};

long status_kib(const std::string &field) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
        if (line.rfind(field + ":", 0) == 0)
            return std::stol(line.substr(field.size() + 1));
    throw std::runtime_error("/proc/self/status doesn't say " + field);
}

void tell(long frames, long jumps) {
    std::printf("{\"frames\":%ld,\"jumps\":%ld,\"peak_kib\":%ld,\"resident_kib\":%ld%s}\n", frames, jumps,
                status_kib("VmHWM"), status_kib("VmRSS"), more_fields().c_str());
    std::fflush(stdout);
}

std::size_t take_frames(Decoder &decoder) {
    std::size_t frames = 0;
    for (int code = 0;; ++frames)
        if (!decoder.receive(code)) {
            if (code != AVERROR(EAGAIN) && code != AVERROR_EOF)
                throw std::runtime_error("the decoder reports error " + std::to_string(code));
            return frames;
        }
}

void play(const Stream &stream, const Wish &wish, const stress::Setup &setup) {
    std::vector<std::size_t> keys;
    for (std::size_t i = 0; i < stream.packets.size(); ++i)
        if (stream.packets[i].key)
            keys.push_back(i);
    if (keys.empty() || keys.front() != 0)
        throw std::runtime_error("the stream doesn't begin with a key frame");
    std::mt19937 random(wish.seed);
    Decoder decoder(stream.codec, setup);
    long frames = 0, jumps = 0;
    std::size_t at = 0;
    for (const long mark : wish.marks) {
        while (frames < mark) {
            if (wish.jump_every && frames / wish.jump_every > jumps) {
                decoder.flush(); // with frames in flight
                at = keys[random() % keys.size()];
                ++jumps;
            }
            stress::PacketData packet = stream.packets[at];
            at = (at + 1) % stream.packets.size();
            packet.pts = frames;
            if (const int code = decoder.send(&packet); code < 0)
                throw std::runtime_error("a packet is refused: " + std::to_string(code));
            frames += static_cast<long>(take_frames(decoder));
        }
        tell(frames, jumps);
    }
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Play a stream over and over and tell how much memory that takes"};
    std::string file, device;
    Wish wish;
    stress::Setup setup;
    app.add_option("file", file, "IVF file")->required();
    app.add_option("--device", device, "open a daedalus device of this name (default: none)");
    app.add_option("--threads", setup.threads, "decoder threads")->check(CLI::PositiveNumber);
    app.add_option("--mark", wish.marks, "tell after so many frames; the last one ends it")->required();
    app.add_option("--jump-every", wish.jump_every, "frames between two jumps to a key frame (default: none)");
    app.add_option("--seed", wish.seed);
    CLI11_PARSE(app, argc, argv);
    std::ranges::sort(wish.marks);
    av_log_set_level(AV_LOG_ERROR);
    try {
        watch_plugin();
        const stress::Device opened = device.empty() ? stress::Device{} : stress::open_device(device);
        setup.device = opened.get();
        play(stress::read_ivf(file), wish, setup);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
