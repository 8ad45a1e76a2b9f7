// SPDX-License-Identifier: BSD-2-Clause
//
// Several decoders in one process on one daedalus device: together, sought and flushed, closed with frames in
// flight, over changes of resolution, frames kept longer than everything else. Each is compared frame by frame
// with the same libraries' plain software decoder, fed with the same packets.
#include "decoder.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <latch>
#include <random>
#include <stdexcept>
#include <thread>

namespace {

using stress::Decoder;
using stress::Device;
using stress::Frame;
using stress::PacketData;
using stress::Stream;
using Lines = std::vector<std::string>;
using Random = std::mt19937;

struct Bench {
    std::vector<Stream> streams;
    std::string device_name;
    int threads = 1;
    int thread_type = FF_THREAD_FRAME;
    bool low_delay = false;
    unsigned seed = 1;
    int rounds = 1;

    stress::Setup setup(AVBufferRef *device) const {
        stress::Setup made;
        made.threads = threads;
        made.thread_type = thread_type;
        made.low_delay = low_delay;
        made.device = device;
        return made;
    }
};

// With one thread, of AV1 with any number, a daedalus decoder gives frames up to so many packets later than plain
// software, so that the GPU works while the next frames are parsed.
std::size_t lateness(const Bench &bench, const Stream &stream) {
    if (bench.low_delay)
        return 0;
    if (stream.codec == AV_CODEC_ID_AV1)
        return 3;
    return bench.threads == 1 && bench.thread_type == FF_THREAD_FRAME ? 2 : 0;
}

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void expect_equal(const std::string &what, const Lines &ours, const Lines &theirs) {
    const std::size_t common = std::min(ours.size(), theirs.size());
    for (std::size_t i = 0; i < common; ++i)
        if (ours[i] != theirs[i])
            throw Failure(what + ": line " + std::to_string(i) + ": '" + ours[i] + "' instead of '" + theirs[i] + "'");
    if (ours.size() != theirs.size())
        throw Failure(what + ": " + std::to_string(ours.size()) + " lines instead of " + std::to_string(theirs.size()));
    if (theirs.empty())
        throw Failure(what + ": no frame at all was compared");
}

void append(Lines &lines, Lines &&more) {
    lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Lines decode_all(const Bench &bench, const Stream &stream, AVBufferRef *device) {
    Decoder decoder(stream.codec, bench.setup(device));
    Lines lines;
    for (const PacketData &packet : stream.packets)
        append(lines, stress::feed(decoder, &packet));
    append(lines, stress::feed(decoder, nullptr));
    return lines;
}

// Runs every job in a thread of its own; the first exception is thrown again here.
void in_parallel(const std::vector<std::function<void()>> &jobs) {
    std::vector<std::exception_ptr> thrown(jobs.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        threads.emplace_back([&, i] {
            try {
                jobs[i]();
            } catch (...) {
                thrown[i] = std::current_exception();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const std::exception_ptr &exception : thrown)
        if (exception)
            std::rethrow_exception(exception);
}

void together(const Bench &bench, std::size_t decoders) {
    std::vector<Lines> expected;
    for (const Stream &stream : bench.streams)
        expected.push_back(decode_all(bench, stream, nullptr));
    const Device device = stress::open_device(bench.device_name);
    for (std::size_t first = 0; first < bench.streams.size(); first += decoders) {
        std::vector<std::function<void()>> jobs;
        for (std::size_t i = 0; i < decoders; ++i)
            jobs.emplace_back([&, at = (first + i) % bench.streams.size()] {
                expect_equal(bench.streams[at].name, decode_all(bench, bench.streams[at], device.get()), expected[at]);
            });
        in_parallel(jobs);
    }
}

void two_decoders(const Bench &bench) {
    together(bench, 2);
}
void four_decoders(const Bench &bench) {
    together(bench, 4);
}
void eight_decoders(const Bench &bench) {
    together(bench, 8);
}

// With frame threads FFmpeg's own decoder takes coefficients of a frame that failed into the next key frame, and shows
// it wrong: there is nothing to compare with after an error.
bool may_fail(const Bench &bench) {
    return bench.threads == 1 || bench.thread_type == FF_THREAD_SLICE;
}

// The same jumps in every play: to the start, of AV1, for so many packets, then to key frames and to the
// middle of nowhere.
Lines play_with_jumps(const Bench &bench, const Stream &stream, AVBufferRef *device, unsigned seed) {
    Random random(seed);
    Decoder decoder(stream.codec, bench.setup(device));
    Lines lines;
    const auto play = [&](std::size_t from, std::size_t end, bool drained) {
        for (std::size_t at = from; at < end; ++at)
            append(lines, stress::feed(decoder, &stream.packets[at]));
        if (drained)
            append(lines, stress::feed(decoder, nullptr));
    };
    if (stream.codec == AV_CODEC_ID_AV1)
        for (const std::size_t count : {1, 2, 3, 4, 8, 12}) {
            play(0, std::min(count, stream.packets.size()), true);
            decoder.flush();
        }
    for (int jump = 0; jump < 8; ++jump) {
        std::size_t at = random() % stream.packets.size();
        if (random() % 4 != 0 || !may_fail(bench))
            while (at > 0 && !stream.packets[at].key)
                --at;
        const std::size_t end = std::min(stream.packets.size(), at + 1 + random() % 12);
        play(at, end, random() % 3 == 0 || lateness(bench, stream)); // what is late is lost in a flush
        decoder.flush();
    }
    play(0, stream.packets.size(), true);
    return lines;
}

void seek_and_flush(const Bench &bench) {
    const Device device = stress::open_device(bench.device_name);
    for (const Stream &stream : bench.streams)
        expect_equal(stream.name, play_with_jumps(bench, stream, device.get(), bench.seed),
                     play_with_jumps(bench, stream, nullptr, bench.seed));
}

// Closes the decoder after `count` packets, without draining it. What came out before is kept over the close.
Lines close_after(const Bench &bench, const Stream &stream, AVBufferRef *device, std::size_t count) {
    std::vector<Frame> kept;
    {
        Decoder decoder(stream.codec, bench.setup(device));
        for (std::size_t i = 0; i < count; ++i)
            stress::feed(decoder, &stream.packets[i], kept);
    }
    Lines lines;
    for (const Frame &frame : kept)
        lines.push_back(stress::describe(*frame));
    return lines;
}

void close_in_flight(const Bench &bench) {
    Random random(bench.seed);
    const Device device = stress::open_device(bench.device_name);
    for (const Stream &stream : bench.streams) {
        const std::size_t most = std::min<std::size_t>(stream.packets.size(), 12);
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, 1 + random() % most, most}) {
            Lines theirs = close_after(bench, stream, nullptr, count);
            const Lines ours = close_after(bench, stream, device.get(), count);
            if (theirs.size() > ours.size() && theirs.size() <= ours.size() + lateness(bench, stream))
                theirs.resize(ours.size());
            if (!theirs.empty() || !ours.empty())
                expect_equal(stream.name + " closed after " + std::to_string(count), ours, theirs);
        }
    }
}

// One decoder over packets of all streams, one stream after the other, the size changing at each.
Lines play_in_a_row(const Bench &bench, const std::vector<const Stream *> &row, AVBufferRef *device) {
    Decoder decoder(row.front()->codec, bench.setup(device));
    Lines lines;
    for (const Stream *stream : row)
        for (const PacketData &packet : stream->packets)
            append(lines, stress::feed(decoder, &packet));
    append(lines, stress::feed(decoder, nullptr));
    return lines;
}

void changing_size(const Bench &bench) {
    std::vector<const Stream *> row;
    for (const Stream &stream : bench.streams)
        if (stream.codec == bench.streams.front().codec)
            row.push_back(&stream);
    std::shuffle(row.begin(), row.end(), Random(bench.seed));
    const Device device = stress::open_device(bench.device_name);
    expect_equal("streams in a row", play_in_a_row(bench, row, device.get()), play_in_a_row(bench, row, nullptr));
}

// Frames outlive the decoder and the device; only then are their pixels read.
void kept_frames(const Bench &bench) {
    for (const Stream &stream : bench.streams) {
        std::vector<Frame> kept;
        Lines ours;
        {
            Device device = stress::open_device(bench.device_name);
            Decoder decoder(stream.codec, bench.setup(device.get()));
            device.reset(); // the decoder holds it
            for (const PacketData &packet : stream.packets)
                append(ours, stress::feed(decoder, &packet, kept));
            append(ours, stress::feed(decoder, nullptr, kept));
        }
        Lines frames, theirs;
        for (const Frame &frame : kept)
            frames.push_back(stress::describe(*frame));
        for (const std::string &line : decode_all(bench, stream, nullptr))
            (line.rfind("frame ", 0) == 0 ? theirs : ours).push_back(line);
        expect_equal(stream.name, frames, theirs);
    }
}

std::atomic<int> buffers_asked;

int counting_get_buffer(AVCodecContext *context, AVFrame *frame, int flags) {
    ++buffers_asked;
    return avcodec_default_get_buffer2(context, frame, flags);
}

// Players bring their own get_buffer2. What they may count on is the picture.
void own_get_buffer(const Bench &bench) {
    const Device device = stress::open_device(bench.device_name);
    const Stream &stream = bench.streams.front();
    const auto play = [&](AVBufferRef *on) {
        stress::Setup setup = bench.setup(on);
        setup.get_buffer = counting_get_buffer;
        Decoder decoder(stream.codec, setup);
        Lines lines;
        for (const PacketData &packet : stream.packets)
            append(lines, stress::feed(decoder, &packet));
        append(lines, stress::feed(decoder, nullptr));
        return lines;
    };
    expect_equal(stream.name, play(device.get()), play(nullptr));
}

// Decoders come and go while others decode.
void come_and_go(const Bench &bench) {
    std::vector<Lines> expected;
    for (const Stream &stream : bench.streams)
        expected.push_back(decode_all(bench, stream, nullptr));
    const Device device = stress::open_device(bench.device_name);
    const auto steady = [&] {
        for (std::size_t i = 0; i < bench.streams.size(); ++i)
            expect_equal(bench.streams[i].name, decode_all(bench, bench.streams[i], device.get()), expected[i]);
    };
    const auto restless = [&](unsigned seed) {
        Random random(seed);
        for (int i = 0; i < 12; ++i) {
            const Stream &stream = bench.streams[random() % bench.streams.size()];
            close_after(bench, stream, device.get(), random() % std::min<std::size_t>(stream.packets.size(), 6));
        }
    };
    in_parallel({steady, [&] { restless(bench.seed); }, [&] { restless(bench.seed + 1); }});
}

// A viewer that takes a frame now and then.
Lines play_slowly(const Bench &bench, const Stream &stream, AVBufferRef *device) {
    constexpr std::size_t slow_packets = 20;
    Decoder decoder(stream.codec, bench.setup(device));
    Lines lines;
    for (std::size_t i = 0; i < stream.packets.size(); ++i) {
        append(lines, stress::feed(decoder, &stream.packets[i]));
        if (i < slow_packets)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    append(lines, stress::feed(decoder, nullptr));
    return lines;
}

// Stops in the middle, with frames in flight, until the others are through.
Lines play_with_a_pause(const Bench &bench, const Stream &stream, AVBufferRef *device, std::latch &others) {
    Decoder decoder(stream.codec, bench.setup(device));
    Lines lines;
    for (std::size_t i = 0; i < stream.packets.size(); ++i) {
        if (i == stream.packets.size() / 2)
            others.wait();
        append(lines, stress::feed(decoder, &stream.packets[i]));
    }
    append(lines, stress::feed(decoder, nullptr));
    return lines;
}

// To wait for one at rest would never end here: the one at rest waits for the others.
void unequal_decoders(const Bench &bench) {
    const auto at = [&](std::size_t i) -> const Stream & { return bench.streams[i % bench.streams.size()]; };
    std::vector<Lines> expected;
    for (std::size_t i = 0; i < 3; ++i)
        expected.push_back(decode_all(bench, at(i), nullptr));
    const Lines jumps = play_with_jumps(bench, at(3), nullptr, bench.seed);
    const Device device = stress::open_device(bench.device_name);
    std::latch others(3);
    // The latch opens even where a comparison fails, so that a failure isn't a hang.
    const auto counted = [&](const std::string &name, const Lines &wanted, const std::function<Lines()> &play) {
        return [&others, name, &wanted, play] {
            Lines lines;
            try {
                lines = play();
            } catch (...) {
                others.count_down();
                throw;
            }
            others.count_down();
            expect_equal(name, lines, wanted);
        };
    };
    in_parallel({
        counted(at(0).name, expected[0], [&] { return decode_all(bench, at(0), device.get()); }),
        counted(at(1).name + ", slow", expected[1], [&] { return play_slowly(bench, at(1), device.get()); }),
        [&] {
            expect_equal(at(2).name + ", paused", play_with_a_pause(bench, at(2), device.get(), others), expected[2]);
        },
        counted(at(3).name + ", sought", jumps,
                [&] { return play_with_jumps(bench, at(3), device.get(), bench.seed); }),
    });
}

std::size_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// The GPU fails again and again in one process: no file stays open after it. A GPU that hangs is left out, for what it
// may still touch is kept on purpose.
void failing_gpu(const Bench &bench) {
    const Stream &stream =
        *std::ranges::min_element(bench.streams, {}, [](const Stream &s) { return s.packets.size(); });
    const Lines expected = decode_all(bench, stream, nullptr);
    std::size_t before = 0;
    for (const char *fault : {"", "alloc:1", "alloc:5", "map:3", "submit:2", "wait:2", "lost:3", "pipeline:1"}) {
        setenv("DAEDALUS_FAULT", fault, 1);
        Lines ours;
        {
            const Device device = stress::open_device(bench.device_name);
            ours = decode_all(bench, stream, device.get());
        }
        unsetenv("DAEDALUS_FAULT");
        expect_equal(stream.name + " with " + fault, ours, expected);
        if (*fault == 0)
            before = open_files(); // the driver is loaded by now, and stays
        else if (open_files() > before)
            throw Failure(std::string(fault) + " leaves files open");
    }
}

// The plan's GPU is opened while decoders already run, and closed with them while it is still being opened.
void late_gpu(const Bench &bench) {
    Random random(bench.seed);
    std::vector<Lines> expected;
    for (const Stream &stream : bench.streams)
        expected.push_back(decode_all(bench, stream, nullptr));
    for (const char *delay : {"0", "30", "300", "600000"}) {
        setenv("DAEDALUS_OPEN_LATE", delay, 1);
        const Device device = stress::open_device(bench.device_name);
        unsetenv("DAEDALUS_OPEN_LATE");
        std::vector<std::function<void()>> jobs;
        for (std::size_t i = 0; i < bench.streams.size(); ++i)
            jobs.emplace_back([&, i] {
                expect_equal(bench.streams[i].name + ", late by " + delay,
                             play_slowly(bench, bench.streams[i], device.get()), expected[i]);
            });
        in_parallel(jobs);
        const Stream &stream = bench.streams[random() % bench.streams.size()];
        close_after(bench, stream, device.get(), random() % std::min<std::size_t>(stream.packets.size(), 6));
    }
}

// While plan auto doesn't know of a GPU worth having, one thread is one: every packet gives what it gives without a
// device.
void auto_without_gpu(const Bench &bench) {
    const char *before = getenv("DAEDALUS_PLAN");
    const std::string plan = before ? before : "auto";
    setenv("DAEDALUS_PLAN", "auto", 1);
    setenv("DAEDALUS_OPEN_LATE", "20", 1);
    const Device none = stress::open_device("no such device"), software = stress::open_device("llvmpipe");
    unsetenv("DAEDALUS_OPEN_LATE");
    setenv("DAEDALUS_PLAN", plan.c_str(), 1);
    for (const Stream &stream : bench.streams)
        for (const Device &device : {std::cref(none), std::cref(software)}) {
            Decoder ours(stream.codec, bench.setup(device.get())), theirs(stream.codec, bench.setup(nullptr));
            for (std::size_t i = 0; i <= stream.packets.size(); ++i) {
                const PacketData *packet = i < stream.packets.size() ? &stream.packets[i] : nullptr;
                const Lines wanted = stress::feed(theirs, packet);
                if (stress::feed(ours, packet) != wanted)
                    throw Failure(stream.name + ": packet " + std::to_string(i) + " gives something else");
            }
        }
}

struct Scenario {
    const char *name;
    void (*run)(const Bench &);
};

constexpr Scenario scenarios[] = {
    {"two-decoders", two_decoders},         {"four-decoders", four_decoders}, {"seek-and-flush", seek_and_flush},
    {"close-in-flight", close_in_flight},   {"changing-size", changing_size}, {"kept-frames", kept_frames},
    {"own-get-buffer", own_get_buffer},     {"come-and-go", come_and_go},     {"eight-decoders", eight_decoders},
    {"unequal-decoders", unequal_decoders}, {"failing-gpu", failing_gpu},     {"late-gpu", late_gpu},
    {"auto-without-gpu", auto_without_gpu},
};

bool run(const Scenario &scenario, Bench bench) {
    const auto start = std::chrono::steady_clock::now();
    try {
        for (int round = 0; round < bench.rounds; ++round, ++bench.seed)
            scenario.run(bench);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        std::printf("passed: %s, %.1f s\n", scenario.name, taken.count());
        return true;
    } catch (const std::exception &error) {
        std::printf("failed: %s (seed %u): %s\n", scenario.name, bench.seed, error.what());
        return false;
    }
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Many decoders on one device, sought, flushed, closed early, compared with software decoding"};
    Bench bench;
    bench.device_name = "llvmpipe";
    std::vector<std::string> files, wanted;
    std::string thread_type = "frame";
    app.add_option("stream", files, "IVF files of VP9 or AV1")->required();
    app.add_option("--device", bench.device_name, "daedalus device (default: llvmpipe)");
    app.add_option("--threads", bench.threads, "threads of each decoder")->check(CLI::PositiveNumber);
    app.add_option("--thread-type", thread_type)->check(CLI::IsMember({"frame", "slice"}));
    app.add_flag("--low-delay", bench.low_delay, "frames come before the next packet");
    app.add_option("--seed", bench.seed);
    app.add_option("--rounds", bench.rounds, "each scenario so many times, with the next seed each");
    app.add_option("--scenario", wanted, "only these");
    CLI11_PARSE(app, argc, argv);
    bench.thread_type = thread_type == "slice" ? FF_THREAD_SLICE : FF_THREAD_FRAME;
    av_log_set_level(AV_LOG_QUIET);
    std::printf("seed %u\n", bench.seed);

    int passed = 0, failed = 0;
    try {
        for (const std::string &file : files)
            bench.streams.push_back(stress::read_ivf(file));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    for (const Scenario &scenario : scenarios)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), scenario.name) != wanted.end()) {
            ++(run(scenario, bench) ? passed : failed);
            std::fflush(stdout);
        }
    std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
