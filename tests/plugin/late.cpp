// SPDX-License-Identifier: BSD-2-Clause
//
// A GPU that is opened while frames are decoded (DAEDALUS_OPEN_LATE opens it so under any plan, after so many
// milliseconds).
#include "catch.h"

#include "plugin/random_decoder.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

using namespace dd;
using namespace dd::test;

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char *kNever = "600000", *kSoon = "500", *kAtOnce = "0";
constexpr std::chrono::seconds kLong{120};

// Without asking whether it is there: that would wait for it.
Device open_late(LogLines &log, const char *plan, const std::string &name = test_device()) {
    return request_device(log, plan, nullptr, name);
}

// Decodes until it holds; every frame is checked.
void decode_until(RandomDecoder &decoder, const std::function<bool()> &holds) {
    const auto start = Clock::now();
    while (!holds()) {
        REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
        REQUIRE(Clock::now() - start < kLong);
    }
}

} // namespace

TEST_CASE("frames don't wait for the GPU, and go over to it", "[late]") {
    struct Kind {
        const char *memory, *plan;
        PictureFormat f;
        bool scaled;
        const char *fault; // that shows nowhere
    };
    const auto [memory, plan, f, scaled, fault] =
        GENERATE(Kind{"", "gpu", format(150, 90), true, ""}, Kind{"", "gpu", format(150, 90), false, "adopt:1"},
                 Kind{"discrete", "gpu", format(70, 70, 10, 1, 0), false, ""},
                 Kind{"discrete", "gpu", format(150, 90), true, "adopt:1"},
                 Kind{"", "measure", format(70, 70, 10, 1, 0), true, "adopt:2"},
                 Kind{"discrete", "measure", format(150, 90), false, "adopt:2"});
    const Environment strategy("DAEDALUS_MEMORY", memory), late("DAEDALUS_OPEN_LATE", kSoon),
        faults("DAEDALUS_FAULT", fault);
    CAPTURE(memory, plan, f.width, f.bit_depth, scaled, fault);
    LogLines log;
    Device device = open_late(log, plan);
    REQUIRE(dd_device_opening(device.get()) == 1);
    Session session = open_session(device.get());
    {
        // Two of its references stay what they were from the beginning.
        RandomDecoder decoder(session.get(), f, {scaled, true, true}, test_seed());
        decode_until(decoder, [&] { return stats_of(session.get()).frames > 0 && !dd_device_opening(device.get()); });
        REQUIRE(dd_device_has_gpu(device.get()) == 1);
        REQUIRE(std::strcmp(dd_device_name(device.get()), "CPU") != 0);
        decode_until(decoder, [&] { return stats_of(session.get()).gpu_frames >= 3; });
        const DdStats stats = stats_of(session.get());
        REQUIRE(stats.gpu_frames < stats.frames);
        REQUIRE(stats.rerun_frames == 0);
    }
    session.reset();
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
    REQUIRE(log.count(DD_LOG_INFO) == 1);
    REQUIRE(log.contains("ready at frame "));
    REQUIRE(log.contains("frames stayed on the CPU: they began before the GPU was ready"));
}

TEST_CASE("a device is closed while it is being opened", "[late]") {
    const Environment late("DAEDALUS_OPEN_LATE", kNever);
    LogLines log;
    const auto start = Clock::now();
    {
        const Device device = open_late(log, "gpu");
        Picture kept;
        {
            const Session session = open_session(device.get());
            RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
            for (unsigned i = 0; i < 3; i++)
                REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
            kept = alloc_picture(session.get(), format(70, 70));
        }
        REQUIRE(log.contains("plan gpu: all of the stream was decoded on the CPU before the GPU was ready"));
        REQUIRE(dd_device_opening(device.get()) == 1);
    }
    REQUIRE(Clock::now() - start < kLong);
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
}

TEST_CASE("a device without a GPU is found out late", "[late]") {
    const Environment late("DAEDALUS_OPEN_LATE", kAtOnce);
    LogLines log;
    const Device device = open_late(log, "gpu", "no such device");
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
    REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    REQUIRE(dd_device_has_gpu(device.get()) == 0);
    REQUIRE(std::string(dd_device_name(device.get())) == "CPU");
    REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    REQUIRE(log.count(DD_LOG_WARNING) == 1);
    REQUIRE(log.contains("no such device"));
    REQUIRE(stats_of(session.get()).gpu_frames == 0);
}

TEST_CASE("a second stream on an open device needs nothing more", "[late]") {
    const Environment late("DAEDALUS_OPEN_LATE", kAtOnce);
    LogLines log;
    const Device device = open_late(log, "gpu");
    {
        const Session first = open_session(device.get());
        RandomDecoder decoder(first.get(), format(70, 70), {}, test_seed());
        decode_until(decoder, [&] { return stats_of(first.get()).gpu_frames > 0; });
    }
    const Session second = open_session(device.get());
    RandomDecoder decoder(second.get(), format(90, 50), {}, test_seed());
    REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    REQUIRE(stats_of(second.get()).gpu_frames == 1);
}

TEST_CASE("a GPU that fails late is given up with one warning", "[late]") {
    const char *fault = GENERATE("pipeline:1", "alloc:1", "alloc:3", "submit:2", "wait:2", "lost:1");
    const Environment late("DAEDALUS_OPEN_LATE", kAtOnce), faults("DAEDALUS_FAULT", fault);
    CAPTURE(fault);
    LogLines log;
    const Device device = open_late(log, "gpu");
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
    unsigned rerun = 0;
    for (const auto start = Clock::now(); !stats_of(session.get()).disabled;) {
        rerun += decoder.frame() == DD_OUTCOME_RERUN;
        REQUIRE(Clock::now() - start < kLong);
    }
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    REQUIRE(rerun <= 1);
    REQUIRE(log.count(DD_LOG_WARNING) == 1);
}

TEST_CASE("sessions on several threads go over to a late GPU", "[late]") {
    const Environment late("DAEDALUS_OPEN_LATE", "100");
    LogLines log;
    Device device = open_late(log, "gpu");
    std::vector<std::thread> threads;
    std::atomic<unsigned> done{0};
    // Catch's assertions belong to one thread.
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([&done, t, session = open_session(device.get()).release()]() mutable {
            const DdPictureFormat f = {sizeof(f), 64, 64, t & 1 ? 10u : 8u, 1, 1, 0};
            DdStats stats = {};
            stats.size = sizeof(stats);
            for (const auto start = Clock::now(); !stats.gpu_frames && Clock::now() - start < kLong;) {
                DdFrameInfo info = frame_info(nullptr);
                info.intra_only = info.filtered = 1;
                DdFrame *frame = nullptr;
                if (dd_picture_alloc(session, &f, &info.dst) != DD_OK ||
                    dd_frame_begin(session, &info, &frame) != DD_OK)
                    return;
                dd_frame_end(&frame, DD_OUTCOME_DONE);
                dd_picture_unref(&info.dst);
                if (dd_session_stats(session, &stats) != DD_OK)
                    return;
            }
            dd_session_unref(&session);
            done += stats.gpu_frames > 0;
        });
    device.reset(); // the sessions hold it
    for (std::thread &thread : threads)
        thread.join();
    REQUIRE(done == 4);
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
}
