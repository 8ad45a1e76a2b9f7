// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_gpu.h"
#include "av1/dispatch.h"
#include "catch.h"
#include "kernels/test_device.h"
#include "vulkan/gpu.h"

#include <cstring>
#include <memory>

namespace dd::test {

namespace {

Av1Scene::Pixels run_on_gpu(const std::shared_ptr<Gpu> &gpu, const Av1Scene &scene, std::uint64_t worth_ns) {
    const PictureLayout &layout = scene.batch.dst;
    std::vector<std::unique_ptr<GpuPicture>> pictures;
    const auto picture = [&](const Av1Scene::Pixels &pixels) {
        std::unique_ptr<GpuPicture> made;
        REQUIRE(gpu->make_picture(layout, made).result == 0);
        std::memcpy(made->data(), pixels.data(), pixels.size());
        pictures.push_back(std::move(made));
        return pictures.back().get();
    };
    PhaseWork work;
    plan_av1_recon(scene.batch, gpu->info().profile, work, worth_ns);
    if (work.dispatches.empty())
        return scene.before;
    GpuJob job(gpu);
    REQUIRE(job.begin({&work, nullptr}).result == 0);
    write_av1_recon(scene.batch, work, job.upload(0));
    GpuJobInput input;
    input.dst = picture(scene.before);
    std::vector<GpuPicture *> made;
    for (const Av1Scene::Pixels &pixels : scene.memory)
        made.push_back(picture(pixels));
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        if (scene.batch.recon.used_refs() >> slot & 1)
            input.ref[slot] = made[scene.picture_of[slot]];
    run_without_tables(job, input);
    const auto *got = reinterpret_cast<const std::uint8_t *>(input.dst->data());
    return {got, got + layout.size};
}

} // namespace

Av1Scene::Pixels run_on_gpu(const Av1Scene &scene) {
    const auto gpu = open_gpu();
    Av1Scene::Pixels pixels = run_on_gpu(gpu, scene, kAv1DispatchNs);
    REQUIRE(run_on_gpu(gpu, scene, 0) == pixels); // with all dispatches that there may be
    return pixels;
}

} // namespace dd::test
