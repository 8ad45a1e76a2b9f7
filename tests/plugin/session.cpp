// SPDX-License-Identifier: BSD-2-Clause
//
// Whole frames through the C interface against the scalar reference: formats, plans, profiles, memory strategies.
#include "catch.h"

#include "plugin/random_decoder.h"
#include "plugin/temporary.h"

#include "debug/saved_batch.h"
#include "frame/picture_pool.h"
#include "skip.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace dd;
using namespace dd::test;

namespace {

// All stages on the GPU.
DdFrame *recorded(DdSession *session, const RandomFrame &random, DdPicture *dst, DdPicture *ref) {
    DdFrameInfo info = frame_info(dst, {ref, ref, ref});
    info.filtered = 1;
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session, &info, &frame) == DD_OK);
    REQUIRE(record(frame, random, 1) == DD_OK);
    return frame;
}

DdFrame *submitted(DdSession *session, const RandomFrame &random, DdPicture *dst, DdPicture *ref) {
    DdFrame *frame = recorded(session, random, dst, ref);
    REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON | DD_PHASE_FILTER, 0) == DD_OK);
    return frame;
}

} // namespace

TEST_CASE("frames are exact in every format", "[session]") {
    const char *profile = GENERATE("v3d", "wide");
    const char *memory = GENERATE("", "discrete");
    const PictureFormat f = GENERATE(format(1, 1), format(2, 2), format(150, 90), format(200, 130, 10),
                                     format(66, 130, 12, 0, 0), format(129, 65, 8, 1, 0), format(100, 100, 10, 0, 1));
    const Environment strategy("DAEDALUS_MEMORY", memory);
    CAPTURE(profile, memory, f.width, f.height, f.bit_depth);
    LogLines log;
    const Device device = open_device(log, "gpu", profile);
    REQUIRE(dd_device_has_gpu(device.get()) == 1);
    Session session = open_session(device.get());
    for (const bool scaled : {false, true}) {
        RandomDecoder decoder(session.get(), f, {scaled, true, true}, test_seed());
        for (unsigned i = 0; i < 2; i++)
            REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    }
    const DdStats stats = stats_of(session.get());
    REQUIRE(stats.frames == 4);
    REQUIRE(stats.gpu_frames == 4);
    REQUIRE(stats.rerun_frames == 0);
    for (const DdStage stage : {DD_STAGE_MC, DD_STAGE_ITX, DD_STAGE_LF}) {
        REQUIRE(stats.gpu_stage_frames[stage] == 4);
        REQUIRE(stats.cpu_frames[stage] == 0);
        REQUIRE(stats.gpu_blocks[stage] > 0);
    }
    REQUIRE(stats.max_submits == 1);
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
    REQUIRE(log.count(DD_LOG_INFO) == 1);
    session.reset();
    REQUIRE(log.contains("predictions in 4 frames"));
}

TEST_CASE("every plan gives the same frames", "[session]") {
    const char *memory = GENERATE("", "discrete");
    const char *plan = GENERATE("mc=gpu", "itx=gpu", "lf=gpu", "mc=gpu,itx=gpu", "mc=gpu,lf=gpu", "itx=gpu,lf=gpu",
                                "random", "measure");
    const Environment strategy("DAEDALUS_MEMORY", memory);
    CAPTURE(memory, plan);
    LogLines log;
    const Device device = open_device(log, plan);
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(130, 70), {}, test_seed());
    for (unsigned i = 0; i < 6; i++)
        REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    const DdStats stats = stats_of(session.get());
    REQUIRE(stats.frames == 6);
    REQUIRE(stats.max_submits <= 2);
    for (const DdStage stage : {DD_STAGE_MC, DD_STAGE_ITX, DD_STAGE_LF})
        REQUIRE(stats.gpu_stage_frames[stage] + stats.cpu_frames[stage] == 6);
}

TEST_CASE("plan auto leaves a software renderer alone", "[session]") {
    LogLines log;
    const Device device = open_device(log, "auto", nullptr, test_device().c_str());
    const bool software = test_device() == "llvmpipe";
    REQUIRE(dd_device_has_gpu(device.get()) == (software ? 0 : 1));
    REQUIRE(log.contains("leaves everything to the CPU") == software);
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
    REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
}

TEST_CASE("a plan without the GPU doesn't open it", "[session]") {
    const char *plan = GENERATE("cpu", "mc=cpu,lf=cpu");
    LogLines log;
    const Device device = open_device(log, plan, nullptr, "no such device");
    REQUIRE_FALSE(dd_device_has_gpu(device.get()));
    REQUIRE(log.contains("leaves everything to the CPU"));
    REQUIRE(log.count(DD_LOG_WARNING) == 0); // no frame has asked for the device
}

TEST_CASE("without a GPU everything still works", "[session]") {
    LogLines log;
    const char *name = GENERATE("cpu", "no such device");
    const Device device = open_device(log, "gpu", nullptr, name);
    REQUIRE(log.count(DD_LOG_WARNING) == (std::string(name) == "cpu" ? 0 : 1));
    REQUIRE(dd_device_has_gpu(device.get()) == 0);
    REQUIRE(std::string(dd_device_name(device.get())) == "CPU");
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
    REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    REQUIRE(stats_of(session.get()).gpu_frames == 0);
}

TEST_CASE("options that can't be understood are refused", "[session]") {
    LogLines log;
    DdDeviceOptions options = {};
    options.size = sizeof(options);
    options.device = "cpu";
    options.log = LogLines::take;
    options.log_opaque = &log;
    DdDevice *device = nullptr;
    options.plan = "mc=maybe";
    REQUIRE(dd_device_open(&device, &options) == DD_ERR_INVALID);
    options.plan = nullptr;
    options.profile = "narrow";
    REQUIRE(dd_device_open(&device, &options) == DD_ERR_INVALID);
    options.profile = nullptr;
    options.size = 4;
    REQUIRE(dd_device_open(&device, &options) == DD_ERR_INVALID);
    REQUIRE(device == nullptr);
    REQUIRE(dd_device_open(nullptr, nullptr) == DD_ERR_INVALID);
    REQUIRE(log.count(DD_LOG_ERROR) == 2);
}

TEST_CASE("what is wrong with a frame sends it to the CPU", "[session]") {
    LogLines log;
    const Device device = open_device(log, "mc=gpu,itx=gpu");
    const Session session = open_session(device.get());
    const Picture dst = alloc_picture(session.get(), format(64, 64)),
                  ref = alloc_picture(session.get(), format(64, 64));
    const DdFrameInfo info = frame_info(dst.get(), {ref.get()});
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
    DdVp9Prediction p = {0, 0, 1, 0, 0, 0, 64, 64, 0, 0, 16, 16};
    DdVp9Recorder *recorder = dd_vp9_recorder(frame, 0);
    REQUIRE(recorder);
    REQUIRE(dd_vp9_begin_block(recorder) == DD_OK);
    REQUIRE(dd_vp9_predict(recorder, &p) == DD_OK);
    int expected = DD_ERR_INVALID;
    SECTION("no such reference") {
        p.ref = 1;
        REQUIRE(dd_vp9_predict(recorder, &p) == DD_ERR_INVALID);
    }
    SECTION("a stage of the CPU") {
        const DdVp9FilterSuperblock sb{};
        const std::uint8_t limits[64] = {};
        REQUIRE(dd_vp9_loop_filter(frame, &sb, 1, 1, limits, limits) == DD_ERR_INVALID);
    }
    SECTION("residuals out of range") {
        std::vector<std::int16_t> coefs(1024, INT16_MIN);
        const std::uint16_t eob = 1024;
        const DdVp9Residuals r = {0, 0, 8, 8, {3, 3}, {&eob}, {coefs.data()}};
        REQUIRE(dd_vp9_take_residuals(recorder, &r) == DD_ERR_RANGE);
        expected = DD_ERR_RANGE;
    }
    REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == expected);
    REQUIRE(dd_frame_wait(frame) == expected);
    dd_frame_end(&frame, DD_OUTCOME_RERUN);
    const DdStats stats = stats_of(session.get());
    REQUIRE(stats.submits == 0);
    REQUIRE(stats.rerun_frames == 1);
    REQUIRE(stats.disabled == 0);
}

TEST_CASE("frames of one recorder and of two in turn are the GPU's", "[session]") {
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(640, 512, 10), {.filter = false}, test_seed());
    decoder.next_has_one_recorder();
    for (unsigned i = 0; i < 5; i++)
        REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    REQUIRE(stats_of(session.get()).submits == 5);
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
}

TEST_CASE("recorders that aren't there", "[session]") {
    LogLines log;
    const Device device = open_device(log, "mc=gpu");
    const Session session = open_session(device.get());
    const Picture dst = alloc_picture(session.get(), format(64, 64)),
                  ref = alloc_picture(session.get(), format(64, 64));
    DdFrameInfo info = frame_info(dst.get(), {ref.get()});
    info.recorders = 2;
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
    REQUIRE(dd_vp9_recorder(nullptr, 0) == nullptr);
    REQUIRE(dd_vp9_recorder(frame, 2) == nullptr);
    DdVp9Recorder *recorder = dd_vp9_recorder(frame, 1);
    REQUIRE(recorder != nullptr);
    REQUIRE(recorder == dd_vp9_recorder(frame, 1));
    REQUIRE(recorder != dd_vp9_recorder(frame, 0));

    const DdVp9Prediction p = {0, 0, 1, 0, 0, 0, 64, 64, 0, 0, 16, 16};
    const DdVp9Block block = {0, 0, 12, 1, 0, {0, 0}, {}};
    std::vector<std::int16_t> coefs(1024);
    const std::uint16_t eob = 1;
    const DdVp9Residuals r = {0, 0, 8, 8, {3, 3}, {&eob}, {coefs.data()}};
    REQUIRE(dd_vp9_begin_block(nullptr) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_predict(nullptr, &p) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_predict(recorder, nullptr) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_predict_block(nullptr, &block) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_predict_block(recorder, nullptr) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_take_residuals(nullptr, &r) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_take_residuals(recorder, nullptr) == DD_ERR_INVALID);
    REQUIRE(dd_vp9_predict_block(recorder, &block) == DD_OK);
    REQUIRE(dd_frame_await_references(frame, 6) == 0); // nothing reads those
    int expected = DD_OK;
    SECTION("nothing else was asked for") {}
    SECTION("residuals, which the plan leaves to the CPU") {
        expected = dd_vp9_take_residuals(recorder, &r);
        REQUIRE(expected == DD_ERR_INVALID);
    }
    REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == expected);
    REQUIRE(dd_frame_wait(frame) == expected);
    dd_frame_end(&frame, expected == DD_OK ? DD_OUTCOME_DONE : DD_OUTCOME_RERUN);
}

TEST_CASE("a frame of the CPU has no recorders", "[session]") {
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get());
    const Picture dst = alloc_picture(session.get(), format(64, 64));
    DdFrameInfo info = frame_info(dst.get());
    info.intra_only = info.cpu_only = 1;
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
    REQUIRE(dd_vp9_recorder(frame, 0) == nullptr);
    dd_frame_end(&frame, DD_OUTCOME_DONE);
}

TEST_CASE("frames in flight when everything is closed", "[session]") {
    LogLines log;
    Device device = open_device(log, "gpu");
    Session session = open_session(device.get());
    std::mt19937 seed(test_seed());
    const RandomFrame random = make_random_frame(seed, format(130, 130), {});
    Picture dst = alloc_picture(session.get(), format(130, 130)), ref = alloc_picture(session.get(), format(130, 130));
    DdFrame *frame = submitted(session.get(), random, dst.get(), ref.get());
    session.reset();
    device.reset();
    ref.reset();
    dst.reset();
    dd_frame_end(&frame, DD_OUTCOME_DROPPED);
    REQUIRE(frame == nullptr);
}

TEST_CASE("pictures are recycled, and pools follow the format", "[session]") {
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get());
    const auto first_byte = [](const Picture &picture) {
        std::uint8_t *data[3];
        std::ptrdiff_t stride[3];
        dd_picture_planes(picture.get(), data, stride);
        return data[0];
    };
    Picture a = alloc_picture(session.get(), format(640, 360));
    const std::uint8_t *where = first_byte(a);
    a.reset();
    a = alloc_picture(session.get(), format(640, 360));
    REQUIRE(first_byte(a) == where);
    REQUIRE(alloc_picture(session.get(), format(320, 180)) != nullptr);
    REQUIRE(alloc_picture(session.get(), format(640, 360, 10)) != nullptr);
}

TEST_CASE("a pool that is closed keeps no memory", "[session]") {
    PicturePool pool(false);
    GpuStatus status;
    auto idle = pool.take(make_picture_layout(format(64, 64), 64), false, status);
    auto held = pool.take(make_picture_layout(format(64, 64), 64), false, status);
    const std::weak_ptr<std::byte> first = idle->plain, second = held->plain;
    pool.give(std::move(idle));
    REQUIRE_FALSE(first.expired());
    pool.close();
    REQUIRE(first.expired());
    pool.give(std::move(held));
    REQUIRE(second.expired());
}

TEST_CASE("a submit waits for the frame's earlier one", "[session]") {
    const char *memory = GENERATE("", "discrete");
    const Environment strategy("DAEDALUS_MEMORY", memory);
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get());
    const PictureFormat f = format(200, 130);
    const PictureLayout layout = make_picture_layout(f, 64);
    std::mt19937 seed(test_seed());
    const RandomFrame random = make_random_frame(seed, f, {});
    const Picture ref = alloc_picture(session.get(), f);
    write_pixels(ref.get(), layout, random_pixels(seed, layout));
    const auto decode = [&](const Picture &dst, bool waits) {
        DdFrame *frame = recorded(session.get(), random, dst.get(), ref.get());
        REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == DD_OK);
        if (waits)
            REQUIRE(dd_frame_wait(frame) == DD_OK);
        REQUIRE(dd_frame_submit(frame, DD_PHASE_FILTER, 0) == DD_OK);
        REQUIRE(dd_frame_wait(frame) == DD_OK);
        dd_frame_end(&frame, DD_OUTCOME_DONE);
    };
    const Picture apart = alloc_picture(session.get(), f), at_once = alloc_picture(session.get(), f);
    decode(apart, true);
    decode(at_once, false);
    REQUIRE(difference(at_once.get(), layout, pixels_of(apart.get(), layout)) == "");
    REQUIRE(stats_of(session.get()).submits == 4);
}

TEST_CASE("a reference that nothing reads may still be in the making", "[session]") {
    const char *memory = GENERATE("", "discrete");
    const Environment strategy("DAEDALUS_MEMORY", memory);
    LogLines log;
    const Device device = open_device(log, "mc=gpu");
    const Session session = open_session(device.get());
    const PictureFormat f = format(64, 64);
    const PictureLayout layout = make_picture_layout(f, 64);
    const Picture done = alloc_picture(session.get(), f), late = alloc_picture(session.get(), f);
    std::mt19937 random(test_seed());
    write_pixels(done.get(), layout, random_pixels(random, layout));
    write_pixels(late.get(), layout, random_pixels(random, layout));
    // The first frame reads slot 0 alone; only then slot 1 gets its pixels, which the second frame copies.
    const auto pixels = random_pixels(random, layout);
    for (const std::uint8_t slot : {std::uint8_t{0}, std::uint8_t{1}}) {
        if (slot)
            write_pixels(late.get(), layout, pixels);
        const Picture dst = alloc_picture(session.get(), f);
        const DdFrameInfo info = frame_info(dst.get(), {done.get(), late.get()});
        DdFrame *frame = nullptr;
        REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
        for (std::uint8_t plane = 0; plane < 3; plane++) {
            const std::uint16_t side = plane ? 32 : 64;
            const DdVp9Prediction p = {plane, slot, 1, 0, 0, 0, side, side, 0, 0, 16, 16};
            DdVp9Recorder *recorder = dd_vp9_recorder(frame, 0);
            REQUIRE(dd_vp9_begin_block(recorder) == DD_OK);
            REQUIRE(dd_vp9_predict(recorder, &p) == DD_OK);
        }
        REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == DD_OK);
        REQUIRE(dd_frame_wait(frame) == DD_OK);
        dd_frame_end(&frame, DD_OUTCOME_DONE);
        if (slot)
            REQUIRE(difference(dst.get(), layout, pixels) == "");
    }
}

TEST_CASE("several sessions and threads share a device", "[session]") {
    LogLines log;
    const char *memory = GENERATE("", "discrete");
    const Environment strategy("DAEDALUS_MEMORY", memory);
    const Device device = open_device(log, "gpu");
    std::vector<std::thread> threads;
    std::atomic<unsigned> done{0};
    // Catch's assertions belong to one thread: prepare there, run here.
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            DdSessionOptions options = {};
            options.size = sizeof(options);
            DdSession *session = nullptr;
            if (dd_session_open(&session, device.get(), &options) != DD_OK)
                return;
            std::mt19937 seed(test_seed() + t);
            const RandomFrame random = make_random_frame(seed, format(100 + 10 * t, 70), {});
            DdPictureFormat f = {sizeof(f), 100 + 10 * t, 70, 8, 1, 1, 0};
            unsigned good = 0;
            for (unsigned i = 0; i < 5; i++) {
                DdPicture *pictures[2] = {};
                for (DdPicture *&picture : pictures)
                    if (dd_picture_alloc(session, &f, &picture) != DD_OK)
                        return;
                DdFrameInfo info = frame_info(pictures[0], {pictures[1], pictures[1], pictures[1]});
                info.filtered = 1;
                DdFrame *frame = nullptr;
                good += dd_frame_begin(session, &info, &frame) == DD_OK && record(frame, random, 1) == DD_OK &&
                        dd_frame_submit(frame, DD_PHASE_RECON | DD_PHASE_FILTER, 1) == DD_OK &&
                        dd_frame_wait(frame) == DD_OK;
                dd_frame_end(&frame, DD_OUTCOME_DONE);
                for (DdPicture *&picture : pictures)
                    dd_picture_unref(&picture);
            }
            dd_session_unref(&session);
            done += good;
        });
    for (std::thread &thread : threads)
        thread.join();
    REQUIRE(done == 20);
}

TEST_CASE("batches of a stream are saved", "[session]") {
    const TemporaryFolder folder;
    const Environment where("DAEDALUS_SAVE_BATCH", folder.path().string() + ":2");
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get());
    RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
    for (unsigned i = 0; i < 3; i++)
        REQUIRE(decoder.frame() == DD_OUTCOME_DONE);
    unsigned files = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path())) {
        SavedBatch saved;
        REQUIRE(load_batch(entry.path().string(), saved) == "");
        REQUIRE(saved.phases == 3);
        REQUIRE(std::get<Vp9Batch>(saved.batch).recorders.size() == 2);
        files++;
    }
    REQUIRE(files == 2);
}

TEST_CASE("whatever fails, frames are exact and one warning is given", "[faults]") {
    const char *memory = GENERATE("", "discrete");
    const char *kind = GENERATE("submit", "wait", "alloc", "map", "pipeline", "lost", "hang", "late");
    const unsigned at = GENERATE(1u, 2u, 3u, 5u, 8u);
    const Environment strategy("DAEDALUS_MEMORY", memory);
    const Environment fault("DAEDALUS_FAULT", std::string(kind) + ":" + std::to_string(at));
    const Environment patience("DAEDALUS_TIMEOUT_MS", std::string(kind) == "hang" ? "200" : "20000");
    CAPTURE(memory, kind, at);
    LogLines log;
    Device device = open_device(log, "mc=gpu,lf=gpu"); // two submits a frame
    Session session = open_session(device.get());
    {
        RandomDecoder decoder(session.get(), format(70, 70), {}, test_seed());
        unsigned rerun = 0;
        for (unsigned i = 0; i < 6; i++)
            rerun += decoder.frame() == DD_OUTCOME_RERUN;
        REQUIRE(rerun <= 1);
        const DdStats stats = stats_of(session.get());
        REQUIRE(stats.frames == 6);
        REQUIRE(stats.rerun_frames == rerun);
        REQUIRE(log.count(DD_LOG_WARNING) == stats.disabled);
        // A steady stream allocates nothing: there are only a few such calls.
        const bool memory_call = std::string(kind) == "alloc" || std::string(kind) == "map";
        if (!memory_call || at <= 5)
            REQUIRE(stats.disabled == 1);
    }
    session.reset();
    device.reset();
}

namespace {

constexpr std::chrono::milliseconds kMoment{200}; // for which a thread that was joined may still be listed

// The names of this process's threads, the driver's among them.
std::vector<std::string> list_threads() {
    std::this_thread::sleep_for(kMoment);
    std::vector<std::string> names;
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream comm(task.path() / "comm"); // of a thread that has ended since there is none
        std::string name;
        if (std::getline(comm, name))
            names.push_back(name);
    }
    return names;
}

// On a machine that is busy the moment lasts longer.
std::vector<std::string> list_threads_until(std::size_t count) {
    std::vector<std::string> names = list_threads();
    for (unsigned tries = 0; tries < 50 && names.size() > count; tries++)
        names = list_threads();
    return names;
}

} // namespace

// A thread of a software renderer that is still at work when the process exits crashes in what exit() has destroyed.
TEST_CASE("a software renderer is at rest when its device is closed", "[faults]") {
    if (test_device() != "llvmpipe")
        return skip("the device is no software renderer");
    const Environment patience("DAEDALUS_TIMEOUT_MS", "20"), fault("DAEDALUS_FAULT", "hang:1");
    const PictureFormat large = format(1920, 1080); // work of more than an instant
    std::mt19937 seed(test_seed());
    const RandomFrame random = make_random_frame(seed, large, {});
    LogLines log;
    open_device(log, "gpu"); // what stays for the life of the process
    const std::vector<std::string> before = list_threads();
    Device device = open_device(log, "gpu");
    Session session = open_session(device.get());
    {
        const Picture dst[2] = {alloc_picture(session.get(), large), alloc_picture(session.get(), large)};
        const Picture ref = alloc_picture(session.get(), large);
        DdFrame *hung = submitted(session.get(), random, dst[0].get(), ref.get());
        DdFrame *behind = submitted(session.get(), random, dst[1].get(), ref.get());
        REQUIRE(dd_frame_wait(hung) != DD_OK);
        REQUIRE(dd_frame_wait(behind) != DD_OK);
        dd_frame_end(&hung, DD_OUTCOME_RERUN);
        dd_frame_end(&behind, DD_OUTCOME_RERUN);
    }
    session.reset();
    device.reset();
    const std::vector<std::string> after = list_threads_until(before.size());
    CAPTURE(before, after);
    REQUIRE(after.size() <= before.size());
}

// The CPU decodes a frame again in the memory that the GPU was to write to.
TEST_CASE("a software renderer that is late doesn't write after the CPU", "[faults]") {
    if (test_device() != "llvmpipe")
        return skip("the device is no software renderer");
    const char *memory = GENERATE("", "discrete");
    const Environment strategy("DAEDALUS_MEMORY", memory), patience("DAEDALUS_TIMEOUT_MS", "1");
    CAPTURE(memory);
    const PictureFormat large = format(1920, 1080);
    std::mt19937 seed(test_seed());
    const RandomFrame random = make_random_frame(seed, large, {});
    const std::vector<std::byte> pixels = random_pixels(seed, random.dst);
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get());
    const Picture dst = alloc_picture(session.get(), large), ref = alloc_picture(session.get(), large);
    DdFrame *frame = submitted(session.get(), random, dst.get(), ref.get());
    REQUIRE(dd_frame_wait(frame) != DD_OK);
    write_pixels(dst.get(), random.dst, pixels);
    constexpr std::chrono::seconds later{1};
    std::this_thread::sleep_for(later);
    REQUIRE(difference(dst.get(), random.dst, pixels) == "");
    dd_frame_end(&frame, DD_OUTCOME_RERUN);
}
