// SPDX-License-Identifier: BSD-2-Clause
//
// How many dispatches a frame of AV1 takes.
#include "catch.h"

#include "av1/dispatch.h"
#include "kernels/av1_scene.h"

using namespace dd;
using namespace dd::test;

namespace {

// A frame with records of every kind and residuals from that many different pictures.
PhaseWork recon_of(Random &random, unsigned pictures, Profile profile = Profile::wide) {
    Av1Scene scene(random, {256, 256, 8, 1, 1, 3}, pictures);
    for (unsigned y = 0; y < 256; y += 64)
        for (unsigned x = 0; x < 256; x += 64) {
            const Square q{false, x, y, 64};
            for (unsigned kind = DD_AV1_SINGLE; kind <= DD_AV1_SPLIT; kind++)
                fill_with_predictions(scene, q, kind, false);
            fill_with_predictions(scene, q, DD_AV1_WEIGHTED, true);
            fill_with_overlaps(scene, q);
            fill_with_differences(scene, q, true);
            fill_with_residuals(scene, 0, x, y, 64);
        }
    PhaseWork work;
    plan_av1_recon(scene.batch, profile, work, 0);
    return work;
}

} // namespace

TEST_CASE("A frame of AV1 takes at most 16 dispatches on V3D") {
    Random random(Catch::rngSeed());
    for (unsigned pictures = 1; pictures <= kAv1Refs; pictures++) {
        const PhaseWork recon = recon_of(random, pictures);
        CAPTURE(pictures, recon.dispatches.size());
        CHECK(!too_many_av1_dispatches(recon, Profile::wide));
        if (pictures < kAv1Refs) // one dispatch a kernel; large transforms may be missing
            CHECK(recon.dispatches.size() <= 7);
        if (!too_many_av1_dispatches(recon, Profile::v3d))
            CHECK(recon.dispatches.size() + kAv1FilterDispatches <= kAv1MostDispatches);
        else
            CHECK(pictures == kAv1Refs);
        // Where there may be more, records with the same references get their own.
        const PhaseWork split = recon_of(random, pictures, Profile::v3d);
        CHECK(too_many_av1_dispatches(split, Profile::v3d) == too_many_av1_dispatches(recon, Profile::v3d));
        CHECK((pictures < kAv1Refs - 1) <= (split.dispatches.size() > recon.dispatches.size()));
    }
}

TEST_CASE("The filters of a frame of AV1 take at most six") {
    Random random(Catch::rngSeed());
    const PictureFormat format{100, 60, 8, 1, 1, 3};
    for (unsigned stages = 0; stages < 8; stages++) {
        Av1Batch batch;
        batch.dst = make_picture_layout(format, 128);
        REQUIRE(batch.filters.set(batch.dst, random_frame(random, format, Pixels::noise, stages).tables));
        PhaseWork work;
        plan_av1_filter(batch, work);
        CHECK(work.dispatches.size() <= kAv1FilterDispatches);
        // Not every random frame has a unit that is self-guided.
        if (stages == 7)
            CHECK(work.dispatches.size() + !batch.filters.self_guided() == kAv1FilterDispatches);
    }
}

TEST_CASE("A frame that would take more is the CPU's") {
    Random random(Catch::rngSeed());
    const PhaseWork recon = recon_of(random, kAv1Refs);
    CHECK(recon.dispatches.size() + kAv1FilterDispatches > kAv1MostDispatches);
    CHECK(too_many_av1_dispatches(recon, Profile::v3d));
}
