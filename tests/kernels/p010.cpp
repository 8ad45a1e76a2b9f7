// SPDX-License-Identifier: BSD-2-Clause
//
// P010 of a picture: the kernel against the CPU's conversion, and that against the form's definition.
#include "batch/p010.h"

#include "batch/dispatch.h"
#include "catch.h"
#include "kernels/test_device.h"
#include "skip.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace dd::test {
namespace {

using Bytes = std::vector<std::byte>;

PictureLayout layout_of(std::uint32_t width, std::uint32_t height, unsigned superblock) {
    PictureFormat format;
    format.width = width;
    format.height = height;
    format.bit_depth = 10;
    format.ss_h = format.ss_v = 1;
    REQUIRE(has_p010_form(format));
    return with_p010(make_picture_layout(format, superblock));
}

// Samples of ten bits in the planes, and anything where P010 will be.
Bytes random_picture(const PictureLayout &layout) {
    std::mt19937 random(layout.format.width);
    Bytes picture(picture_bytes(layout));
    for (std::size_t at = 0; at < picture.size(); at += 2) {
        const auto sample = static_cast<std::uint16_t>(random() & (at < layout.size ? 1023 : 65535));
        std::memcpy(&picture[at], &sample, sizeof(sample));
    }
    return picture;
}

std::uint16_t sample_of(const Bytes &picture, std::size_t row, std::size_t x) {
    std::uint16_t sample;
    std::memcpy(&sample, &picture[row + 2 * x], sizeof(sample));
    return sample;
}

void check_definition(const PictureLayout &layout, const Bytes &picture) {
    for (unsigned p = 0; p < 3; p++) {
        const PlaneLayout &plane = layout.plane[p];
        const std::size_t to = p ? p010_chroma(layout) : layout.p010;
        std::size_t wrong = 0;
        for (std::size_t y = 0; y < plane.height; y++)
            for (std::size_t x = 0; x < plane.width; x++)
                wrong += sample_of(picture, plane.offset + y * plane.stride, x) << 6 !=
                         sample_of(picture, to + y * layout.plane[0].stride, p ? 2 * x + p - 1 : x);
        INFO("plane " << p);
        CHECK(wrong == 0);
    }
}

Bytes convert_on_gpu(const std::shared_ptr<Gpu> &gpu, const PictureLayout &layout, const Bytes &before) {
    std::unique_ptr<GpuPicture> picture;
    REQUIRE(gpu->make_picture(layout, picture).result == 0);
    std::memcpy(picture->data(), before.data(), before.size());
    PhaseWork work;
    work.upload_bytes = kUploadAlign; // a frame's filter has one
    plan_p010(layout, work);
    GpuJob job(gpu);
    REQUIRE(job.begin({nullptr, &work}).result == 0);
    GpuJobInput input;
    input.dst = picture.get();
    run_without_tables(job, input);
    return {picture->data(), picture->data() + before.size()};
}

} // namespace

TEST_CASE("P010 by GPU and CPU") {
    const auto &gpu = open_gpu();
    if (gpu->info().copies_pictures)
        return skip("P010 is for pictures that other devices reach");
    const struct {
        std::uint32_t width, height;
        unsigned superblock;
    } sizes[] = {{1, 1, 64}, {33, 35, 128}, {352, 288, 64}, {1026, 66, 128}};
    for (const auto &size : sizes) {
        const PictureLayout layout = layout_of(size.width, size.height, size.superblock);
        INFO(size.width << "x" << size.height);
        const Bytes before = random_picture(layout);
        Bytes by_cpu = before;
        write_p010(layout, by_cpu.data());
        check_definition(layout, by_cpu);
        REQUIRE(std::memcmp(before.data(), by_cpu.data(), layout.size) == 0);
        const Bytes by_gpu = convert_on_gpu(gpu, layout, before);
        check_definition(layout, by_gpu);
        REQUIRE(std::memcmp(before.data(), by_gpu.data(), layout.size) == 0);
    }
}

} // namespace dd::test
