// SPDX-License-Identifier: BSD-2-Clause
//
// Decodes IVF files one after the other and prints every frame's md5 and every error code. Linked to the stock and
// to the patched libraries, so that a script can compare what both say to the same hostile input.
#include "decoder.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <random>
#include <thread>

namespace {

// Frames stay with the caller for a while, and packets come late: threads and pools of pictures get into other orders.
class Perturbation {
  public:
    explicit Perturbation(unsigned seed) : random_(seed) {}

    void wait() {
        if (below(3) == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(below(2500)));
    }

    // Returns what is wrong with frames that are given back.
    std::vector<std::string> hold(std::vector<stress::Frame> frames) {
        for (stress::Frame &frame : frames) {
            std::string text = stress::describe(*frame);
            held_.push_back({std::move(frame), std::move(text)});
        }
        std::vector<std::string> wrong;
        for (std::size_t most = below(kMostHeld); held_.size() > most; held_.pop_front())
            if (stress::describe(*held_.front().frame) != held_.front().text)
                wrong.push_back("changed while held: " + held_.front().text.substr(6));
        return wrong;
    }

  private:
    struct Held {
        stress::Frame frame;
        std::string text;
    };
    static constexpr unsigned kMostHeld = 6;

    unsigned below(unsigned end) { return std::uniform_int_distribution<unsigned>(0, end - 1)(random_); }

    std::mt19937 random_;
    std::deque<Held> held_;
};

void print(std::size_t index, const std::vector<std::string> &lines) {
    for (const std::string &line : lines)
        std::printf("packet %zu: %s\n", index, line.c_str());
}

void decode_perturbed(const std::string &path, const stress::Setup &setup, unsigned seed) {
    const stress::Stream stream = stress::read_ivf(path);
    stress::Decoder decoder(stream.codec, setup);
    Perturbation perturbation(seed);
    for (std::size_t i = 0; i <= stream.packets.size(); ++i) {
        std::vector<stress::Frame> frames;
        perturbation.wait();
        print(i, stress::feed(decoder, i < stream.packets.size() ? &stream.packets[i] : nullptr, frames));
        for (const stress::Frame &frame : frames)
            print(i, {stress::describe(*frame)});
        print(i, perturbation.hold(std::move(frames)));
    }
}

void decode(const std::string &path, const stress::Setup &setup) {
    const stress::Stream stream = stress::read_ivf(path);
    stress::Decoder decoder(stream.codec, setup);
    for (std::size_t i = 0; i < stream.packets.size(); ++i)
        print(i, stress::feed(decoder, &stream.packets[i]));
    print(stream.packets.size(), stress::feed(decoder, nullptr));
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Decode IVF files and print what libavcodec says to each packet"};
    std::vector<std::string> files;
    std::string device, thread_type = "frame";
    stress::Setup setup;
    unsigned seed = 0;
    app.add_option("file", files, "IVF files")->required();
    app.add_option("--device", device, "open a daedalus device of this name, or drm (default: none)");
    app.add_option("--threads", setup.threads, "decoder threads")->check(CLI::PositiveNumber);
    app.add_option("--thread-type", thread_type)->check(CLI::IsMember({"frame", "slice"}));
    app.add_flag("--low-delay", setup.low_delay, "a packet's frames and errors come before the next packet");
    app.add_option("--max-pixels", setup.max_pixels, "refuse larger frames");
    app.add_option("--perturb", seed,
                   "wait before packets and keep frames, by this seed; errors come before a packet's frames");
    CLI11_PARSE(app, argc, argv);
    setup.thread_type = thread_type == "slice" ? FF_THREAD_SLICE : FF_THREAD_FRAME;
    av_log_set_level(AV_LOG_QUIET);
    try {
        const stress::Device opened = device.empty() ? stress::Device{} : stress::open_device(device);
        setup.device = opened.get();
        for (const std::string &file : files) {
            std::printf("file %s\n", file.c_str());
            if (seed)
                decode_perturbed(file, setup, seed);
            else
                decode(file, setup);
            std::puts("end");
            std::fflush(stdout); // so that a crash can be told to belong to a file
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
