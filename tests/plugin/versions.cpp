// SPDX-License-Identifier: BSD-2-Clause
//
// Callers of other versions of the interface: structures may have grown since, or be older than the caller's.
#include "catch.h"

#include "frame/guard.h"
#include "plugin/decoder.h"
#include "plugin/first_caller.h"

using namespace dd;
using namespace dd::test;

namespace {

struct Grown {
    std::size_t size;
    std::uint32_t first, second;
    std::uint64_t appended;
};

} // namespace

template <>
inline constexpr std::size_t dd::first_size<Grown> = offsetof(Grown, appended);

TEST_CASE("members that a caller doesn't have are 0, those that the library doesn't know are left alone",
          "[versions]") {
    struct {
        Grown known;
        std::uint64_t later;
    } given{{0, 1, 2, 3}, 4};
    Grown whole{};
    given.known.size = offsetof(Grown, appended);
    REQUIRE(take(&given.known, whole));
    REQUIRE(whole.second == 2);
    REQUIRE(whole.appended == 0);
    given.known.size = sizeof(given);
    REQUIRE(take(&given.known, whole));
    REQUIRE(whole.appended == 3);
    given.known.size = offsetof(Grown, appended) - 1;
    REQUIRE_FALSE(take(&given.known, whole));
    REQUIRE_FALSE(take(static_cast<Grown *>(nullptr), whole));
}

TEST_CASE("what the library fills is cut to what the caller knows", "[versions]") {
    struct {
        Grown known;
        std::uint64_t later;
    } to{{0, 0, 0, 30}, 40};
    const Grown whole{sizeof(Grown), 1, 2, 3};
    to.known.size = offsetof(Grown, appended);
    REQUIRE(give(whole, &to.known));
    REQUIRE(to.known.size == offsetof(Grown, appended));
    REQUIRE(to.known.first == 1);
    REQUIRE(to.known.appended == 30);
    to.known.size = sizeof(to);
    REQUIRE(give(whole, &to.known));
    REQUIRE(to.known.size == sizeof(to));
    REQUIRE(to.known.appended == 3);
    REQUIRE(to.later == 40);
    to.known.size = 4;
    REQUIRE_FALSE(give(whole, &to.known));
}

TEST_CASE("a caller of the first version decodes", "[versions]") {
    std::uint64_t frames = 0;
    REQUIRE(first_caller(test_device().c_str(), &frames) == DD_OK);
    REQUIRE(frames == 1);
}

TEST_CASE("records that aren't there are refused", "[versions]") {
    LogLines log;
    const Device device = open_device(log, "gpu");
    const Session session = open_session(device.get(), DD_CODEC_AV1);
    PictureFormat format;
    format.width = format.height = 64;
    const Picture dst = alloc_picture(session.get(), format), ref = alloc_picture(session.get(), format);
    const DdFrameInfo info = frame_info(dst.get(), {ref.get()});
    for (unsigned kind = 0; kind < 5; kind++) {
        DdFrame *frame = nullptr;
        REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
        DdAv1Recorder *recorder = dd_av1_recorder(frame, 0);
        const int results[] = {dd_av1_predict(recorder, nullptr), dd_av1_predict_block(recorder, nullptr),
                               dd_av1_overlap(recorder, nullptr), dd_av1_difference(recorder, nullptr),
                               dd_av1_take_residual(recorder, nullptr)};
        REQUIRE(results[kind] == DD_ERR_INVALID);
        dd_frame_end(&frame, DD_OUTCOME_DROPPED);
    }
}
