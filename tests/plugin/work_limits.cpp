// SPDX-License-Identifier: BSD-2-Clause
//
// What a device may be asked to do for a frame: sizes near 2^32, numbers of workgroups, and the time of a submit.
#include "catch.h"

#include "av1/batch.h"
#include "av1/dispatch.h"
#include "batch/capacity.h"
#include "batch/work_limits.h"
#include "plugin/decoder.h"
#include "skip.h"
#include "vp9/batch.h"
#include "vp9/dispatch.h"

#include <new>
#include <utility>

using namespace dd;
using namespace dd::test;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

WorkLimits generous() {
    WorkLimits limits;
    limits.upload_bytes = kMostUploadBytes;
    limits.residual_bytes = kGiB;
    limits.groups = {65535, 65535};
    limits.time_ns = 2'000'000'000;
    return limits;
}

PhaseWork with_upload(std::uint64_t bytes) {
    PhaseWork work;
    work.dispatches.emplace_back();
    work.upload_bytes = bytes;
    return work;
}

PhaseWork with_groups(std::uint32_t x, std::uint32_t y) {
    PhaseWork work = with_upload(4096);
    work.dispatches.emplace_back();
    work.dispatches.back().groups = x;
    work.dispatches.back().groups_y = y;
    return work;
}

std::string exceeded(const PhaseWork &work, const WorkLimits &limits, Profile profile = Profile::wide) {
    return std::string(exceeded_limit({&work, nullptr}, profile, limits));
}

} // namespace

TEST_CASE("sizes of uploads are sums of 64 bits", "[limits]") {
    const WorkLimits limits = generous();
    REQUIRE(align_upload(0xffffff01) == 0x100000000);
    REQUIRE(align_upload(0xffffffff00) == 0xffffffff00);
    const PhaseWork most = with_upload(kMostUploadBytes);
    REQUIRE(exceeded(most, limits).empty());
    for (const std::uint64_t bytes : {kMostUploadBytes + 1, 4 * kGiB - 1, 4 * kGiB, 4 * kGiB + 256, 8 * kGiB + 4096})
        REQUIRE(exceeded(with_upload(bytes), limits) == "the size of an upload");
    // Both phases share a buffer.
    const PhaseWork small = with_upload(256);
    REQUIRE(exceeded_limit({&most, &small}, Profile::wide, limits) == "the size of an upload");
    REQUIRE(exceeded_limit({&small, &small}, Profile::wide, limits).empty());
    PhaseWork residuals = small;
    residuals.residual_bytes = 4 * kGiB + 4;
    REQUIRE(exceeded(residuals, limits) == "the size of a buffer");
}

TEST_CASE("workgroups are no more than the device allows", "[limits]") {
    for (const std::uint32_t most : {65535u, 100u}) {
        WorkLimits limits = generous();
        limits.time_ns = UINT64_MAX;
        limits.groups = {most, most};
        REQUIRE(exceeded(with_groups(most, 1), limits).empty());
        REQUIRE(exceeded(with_groups(1, most), limits).empty());
        REQUIRE(exceeded(with_groups(most + 1, 1), limits) == "the number of workgroups");
        REQUIRE(exceeded(with_groups(1, most + 1), limits) == "the number of workgroups");
        PhaseWork sync = with_upload(4096);
        sync.tile_sync = Dispatch{};
        sync.tile_sync->groups = most + 1;
        REQUIRE(exceeded(sync, limits) == "the number of workgroups");
    }
}

TEST_CASE("long chains and many workgroups are too much for a submit", "[limits]") {
    const WorkLimits limits = generous();
    for (const Profile profile : {Profile::v3d, Profile::wide}) {
        PhaseWork chain = with_upload(4096);
        chain.steps = 1'000'000; // of 4x4 intra blocks that read each other
        REQUIRE(exceeded(chain, limits, profile) == "the time of a submit");
        chain.steps = 10'000; // a frame of 4096x2176
        REQUIRE(exceeded(chain, limits, profile).empty());
    }
    REQUIRE(exceeded(with_groups(60'000, 100), limits, Profile::v3d) == "the time of a submit");
    REQUIRE(exceeded(with_groups(60'000, 4), limits, Profile::v3d).empty()); // an AV1 frame of 8192x4352
    PhaseWork dispatches = with_upload(4096);
    dispatches.dispatches.resize(300'000);
    REQUIRE(exceeded(dispatches, limits) == "the time of a submit");
}

TEST_CASE("limits of a test make a device's smaller", "[limits]") {
    const WorkLimits limits = limits_from_text("groups:100,upload:4096,time:5", generous());
    REQUIRE(limits.groups == std::array<std::uint32_t, 2>{100, 100});
    REQUIRE(limits.upload_bytes == 4096);
    REQUIRE(limits.time_ns == 5);
    REQUIRE(limits_from_text("groups:100000,nonsense,:3,", generous()).groups == generous().groups);
    REQUIRE(limits_from_text("", generous()).upload_bytes == kMostUploadBytes);
}

namespace {

// Sizes of lists around 2^32 bytes, whose pages are never touched.
constexpr std::uint64_t kListBytes[] = {4 * kGiB - 256, 4 * kGiB, 4 * kGiB + 256, 8 * kGiB + 4096};

template <typename List>
void make_large(List &list, std::uint64_t bytes) {
    list.resize(bytes / sizeof(*list.data()));
}

void require_refused(const PhaseWork &work, std::uint64_t bytes, Profile profile) {
    WorkLimits limits = generous(); // by its size alone
    limits.groups = {UINT32_MAX, UINT32_MAX};
    limits.time_ns = UINT64_MAX;
    REQUIRE(work.upload_bytes >= bytes);
    REQUIRE(exceeded(work, limits, profile) == "the size of an upload");
}

} // namespace

TEST_CASE("lists of more than four gigabytes are refused", "[limits]") {
    const Profile profile = GENERATE(Profile::v3d, Profile::wide);
    const PictureLayout layout = make_picture_layout({128, 128, 8, 1, 1, 3}, 128);
    try {
        for (const std::uint64_t bytes : kListBytes) {
            CAPTURE(bytes);
            Vp9Batch records, coefs;
            PhaseWork work[3];
            records.reset(layout, {}, 1);
            make_large(records.recorders[0].itx[3][4], bytes);
            plan_vp9_recon(records, profile, work[0]);
            require_refused(work[0], bytes, profile);
            coefs.reset(layout, {}, 1);
            coefs.recorders[0].itx[0][1].resize(1);
            make_large(coefs.recorders[0].coefs, bytes);
            plan_vp9_recon(coefs, profile, work[1]);
            require_refused(work[1], bytes, profile);
            Av1Batch av1;
            av1.dst = layout;
            av1.recon.reset(layout, {}, 1);
            Av1Residuals &residuals = av1.recon.recorders[0].residuals;
            std::int16_t coefficients[16] = {100};
            DdAv1Residual residual = {};
            residual.eob = 1;
            residual.coefs = coefficients;
            REQUIRE(residuals.take(residual) == Av1Recorded::ok);
            make_large(residuals.bins.front().records, bytes);
            plan_av1_recon(av1, profile, work[2]);
            require_refused(work[2], bytes, profile);
        }
    } catch (const std::bad_alloc &) {
        skip("this machine has too little memory to reserve");
    }
}
