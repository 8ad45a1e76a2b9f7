// SPDX-License-Identifier: BSD-2-Clause
//
// Decodes IVF files one after the other and prints every frame's md5 and every error code. Linked to the stock and
// to the patched libraries, so that a script can compare what both say to the same hostile input.
#include "decoder.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {

void print(std::size_t index, const std::vector<std::string> &lines) {
    for (const std::string &line : lines)
        std::printf("packet %zu: %s\n", index, line.c_str());
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
    app.add_option("file", files, "IVF files")->required();
    app.add_option("--device", device, "open a daedalus device of this name (default: none)");
    app.add_option("--threads", setup.threads, "decoder threads")->check(CLI::PositiveNumber);
    app.add_option("--thread-type", thread_type)->check(CLI::IsMember({"frame", "slice"}));
    app.add_flag("--low-delay", setup.low_delay, "a packet's frames and errors come before the next packet");
    app.add_option("--max-pixels", setup.max_pixels, "refuse larger frames");
    CLI11_PARSE(app, argc, argv);
    setup.thread_type = thread_type == "slice" ? FF_THREAD_SLICE : FF_THREAD_FRAME;
    av_log_set_level(AV_LOG_QUIET);
    try {
        const stress::Device opened = device.empty() ? stress::Device{} : stress::open_device(device);
        setup.device = opened.get();
        for (const std::string &file : files) {
            std::printf("file %s\n", file.c_str());
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
