// SPDX-License-Identifier: BSD-2-Clause
//
// VP9's kernels against the scalar reference, under both profiles. Buffers are compared as a whole, slack and padding
// included, so that a write to the wrong place shows.
#include "catch.h"
#include "debug/vp9_validate.h"
#include "kernels/test_device.h"
#include "kernels/vp9_random.h"
#include "reference/vp9_reference.h"
#include "vp9/dispatch.h"
#include "vulkan/gpu.h"

#include <cstring>
#include <map>
#include <span>

using namespace dd;
using namespace dd::test;

namespace {

constexpr Profile kProfiles[] = {Profile::v3d, Profile::wide};
constexpr Profile kWide[] = {Profile::wide};

const std::shared_ptr<Gpu> &gpu() {
    return open_gpu();
}

std::unique_ptr<GpuPicture> upload(const PictureLayout &layout, const HostPicture &host) {
    std::unique_ptr<GpuPicture> picture;
    const GpuStatus status = gpu()->make_picture(layout, picture);
    INFO(status.text);
    REQUIRE(status);
    std::memcpy(picture->data(), host.data(), host.size());
    return picture;
}

PhaseWork plan(const RandomFrame &frame, Profile profile, unsigned phase) {
    PhaseWork work;
    phase == 0 ? plan_vp9_recon(frame.batch, profile, work) : plan_vp9_filter(frame.batch, profile, work);
    return work;
}

void submit(GpuJob &job, const RandomFrame &frame, Profile profile, unsigned phase, const PhaseWork &work,
            GpuJobInput &input) {
    input.tables = vp9_tables();
    input.cpu_wrote = true;
    input.final = true;
    std::array<const PhaseWork *, 2> phases{};
    phases[phase] = &work;
    REQUIRE(job.begin(phases));
    // Uploads are write-combined memory on some devices, and hold old bytes: nothing may depend on them.
    std::memset(job.upload(phase), 0xa5, work.upload_bytes);
    phase == 0 ? write_vp9_recon(frame.batch, profile, work, job.upload(phase))
               : write_vp9_filter(frame.batch, work, job.upload(phase));
    REQUIRE(job.submit(input));
}

HostPicture run_on_gpu(const RandomFrame &frame, Profile profile, unsigned phase) {
    const PhaseWork work = plan(frame, profile, phase);
    HostPicture out(frame.layout);
    out.copy_from(frame.start);
    if (work.dispatches.empty())
        return out;
    if (profile == Profile::v3d)
        CHECK(work.dispatches.size() <= (phase ? 1 : 10));
    auto dst = upload(frame.layout, frame.start);
    std::array<std::unique_ptr<GpuPicture>, DD_MAX_REFS> ref;
    GpuJobInput input;
    input.dst = dst.get();
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++) {
        ref[slot] = upload(frame.ref_layout[slot], frame.ref[slot]);
        input.ref[slot] = ref[slot].get();
    }
    GpuJob job(gpu());
    submit(job, frame, profile, phase, work, input);
    REQUIRE(job.wait());
    std::memcpy(out.data(), dst->data(), out.size());
    return out;
}

HostPicture run_reference(const RandomFrame &frame, unsigned phase) {
    HostPicture out(frame.layout);
    out.copy_from(frame.start);
    if (phase == 0) {
        reference::run_predictions(frame.batch, out.data(),
                                   {frame.ref[0].data(), frame.ref[1].data(), frame.ref[2].data()});
        reference::run_residuals(frame.batch, out.data());
        reference::run_intra(frame.batch, out.data());
    } else {
        reference::run_loop_filter(frame.batch, out.data());
    }
    return out;
}

std::string first_difference(const PictureLayout &layout, const HostPicture &a, const HostPicture &b) {
    std::size_t at = 0;
    while (at < a.size() && a.data()[at] == b.data()[at])
        at++;
    if (at == a.size())
        return "none";
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const PlaneLayout &plane = layout.plane[p];
        if (at >= plane.offset && at < plane.offset + std::size_t{plane.stride} * plane.padded_height)
            return "plane " + std::to_string(p) + " x " +
                   std::to_string((at - plane.offset) % plane.stride / layout.bytes_per_pixel()) + " y " +
                   std::to_string((at - plane.offset) / plane.stride);
    }
    return "outside the planes, byte " + std::to_string(at);
}

void check(const RandomFrame &frame, unsigned phase, std::span<const Profile> profiles = kProfiles) {
    REQUIRE(is_valid(frame.batch));
    const HostPicture wanted = run_reference(frame, phase);
    for (const Profile profile : profiles) {
        if (!has_kernels_of(profile))
            continue;
        const PictureFormat &f = frame.layout.format;
        CAPTURE(f.width, f.height, +f.bit_depth, +f.ss_h, +f.ss_v, static_cast<int>(profile),
                static_cast<int>(frame.options.content));
        CHECK(first_difference(frame.layout, run_on_gpu(frame, profile, phase), wanted) == "none");
    }
}

struct Size {
    std::uint32_t width, height;
};
constexpr Size kSizes[] = {{1, 1},    {2, 2},   {8, 8},     {10, 34},   {66, 66},
                           {63, 130}, {64, 64}, {226, 226}, {320, 180}, {352, 288}};
constexpr std::array<std::uint8_t, 2> kSubsampling[] = {{1, 1}, {1, 0}, {0, 1}, {0, 0}};
constexpr Content kContents[] = {Content::noise, Content::smooth, Content::extreme};

constexpr PictureFormat kTall = {200, 1500, 8, 1, 1, 3};

RandomFrame filtered_frame(Random &random, const PictureFormat &format) {
    RandomFrame frame = make_frame(random, {format, Content::smooth, false, 1});
    add_loop_filter(random, frame);
    return frame;
}

// A frame of every depth, subsampling and size.
template <typename Add>
void for_frames(unsigned phase, bool scaled, Add add, std::span<const Profile> profiles = kProfiles) {
    Random random(seed());
    unsigned turn = 0;
    for (const std::uint8_t depth : {std::uint8_t{8}, std::uint8_t{10}, std::uint8_t{12}})
        for (const auto &ss : kSubsampling)
            for (const Size &size : kSizes) {
                FrameOptions options{
                    {size.width, size.height, depth, ss[0], ss[1], 3}, kContents[turn++ % 3], scaled, 1 + turn % 3};
                RandomFrame frame = make_frame(random, options);
                add(random, frame);
                check(frame, phase, profiles);
            }
}

} // namespace

TEST_CASE("VP9 motion compensation equals the reference") {
    for_frames(0, false, add_predictions);
}

TEST_CASE("VP9 motion compensation from references of another size equals the reference") {
    for_frames(0, true, add_predictions);
}

TEST_CASE("VP9 inverse transforms equal the reference") {
    for_frames(0, false, add_residuals);
}

TEST_CASE("VP9 predictions are complete before residuals are added") {
    for_frames(0, false, [](Random &random, RandomFrame &frame) {
        add_predictions(random, frame);
        add_residuals(random, frame);
    });
}

TEST_CASE("VP9 intra prediction equals the reference") {
    for_frames(0, false, add_intra, kWide);
}

TEST_CASE("VP9 intra prediction follows predictions and residuals") {
    for_frames(
        0, false,
        [](Random &random, RandomFrame &frame) {
            add_predictions(random, frame);
            add_residuals(random, frame);
            add_intra(random, frame);
        },
        kWide);
}

TEST_CASE("VP9 loop filter equals the reference") {
    for_frames(1, false, add_loop_filter);
}

TEST_CASE("VP9 loop filter of the longest pictures equals the reference") {
    Random random(seed());
    for (const Size &size : {Size{kMaxPictureSide, 66}, Size{66, kMaxPictureSide}, Size{1000, 2100}})
        for (const std::uint8_t depth : {std::uint8_t{8}, std::uint8_t{10}}) {
            RandomFrame frame = filtered_frame(random, {size.width, size.height, depth, 1, 1, 3});
            check(frame, 1);
        }
}

TEST_CASE("VP9 loop filter does not depend on what was behind a picture's pixels") {
    Random random(seed());
    if (!has_kernels_of(Profile::wide))
        return;
    const RandomFrame first = filtered_frame(random, kTall);
    auto dst = upload(first.layout, first.start);
    for (const int before : {0x00, 0xff, 0x01, -1, -1}) { // -1: what the last frame left
        const RandomFrame frame = filtered_frame(random, kTall);
        const HostPicture wanted = run_reference(frame, 1);
        const PhaseWork work = plan(frame, Profile::wide, 1);
        std::memcpy(dst->data(), frame.start.data(), frame.start.size());
        if (before >= 0)
            std::memset(dst->data() + frame.layout.size, before, kPictureTail);
        GpuJobInput input;
        input.dst = dst.get();
        GpuJob job(gpu());
        submit(job, frame, Profile::wide, 1, work, input);
        REQUIRE(job.wait());
        CAPTURE(before);
        HostPicture out(frame.layout);
        std::memcpy(out.data(), dst->data(), out.size());
        CHECK(first_difference(frame.layout, out, wanted) == "none");
    }
}

TEST_CASE("VP9 loop filter with several frames in flight equals the reference") {
    constexpr unsigned frames = 4;
    Random random(seed());
    for (const Profile profile : kProfiles) {
        if (!has_kernels_of(profile))
            continue;
        std::vector<RandomFrame> frame;
        std::vector<PhaseWork> work(frames);
        std::vector<std::unique_ptr<GpuPicture>> dst;
        std::vector<std::unique_ptr<GpuJob>> job;
        for (unsigned i = 0; i < frames; i++) {
            frame.push_back(filtered_frame(random, kTall));
            dst.push_back(upload(frame[i].layout, frame[i].start));
            work[i] = plan(frame[i], profile, 1);
            job.push_back(std::make_unique<GpuJob>(gpu()));
        }
        for (unsigned i = 0; i < frames; i++) {
            GpuJobInput input;
            input.dst = dst[i].get();
            submit(*job[i], frame[i], profile, 1, work[i], input);
        }
        for (unsigned i = 0; i < frames; i++) {
            REQUIRE(job[i]->wait());
            CAPTURE(i, static_cast<int>(profile));
            HostPicture out(frame[i].layout);
            std::memcpy(out.data(), dst[i]->data(), out.size());
            CHECK(first_difference(frame[i].layout, out, run_reference(frame[i], 1)) == "none");
        }
    }
}
