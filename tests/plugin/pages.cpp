// SPDX-License-Identifier: BSD-2-Clause
//
// Pages of pictures: plain memory that becomes the GPU's as well, without a copy; and other pages at the same address.
#include "catch.h"

#include "plugin/decoder.h"
#include "skip.h"
#include "util/pages.h"
#include "vulkan/device.h"
#include "vulkan/picture.h"

#include <algorithm>
#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

// nullptr: its device can't.
std::unique_ptr<GpuPicture> adopted(Gpu &gpu, const PictureLayout &layout, const std::shared_ptr<std::byte> &memory) {
    std::unique_ptr<GpuPicture> picture;
    gpu.adopt_picture(layout, memory, picture);
    return picture;
}

} // namespace

TEST_CASE("a picture is adopted where it lies, and its pages stay as long as it", "[memory]") {
    const Environment memory("DAEDALUS_MEMORY", GENERATE("", "discrete"));
    const auto gpu = open_own_gpu();
    const PictureLayout layout = make_picture_layout({150, 90, 8, 1, 1, 3}, 64);
    std::shared_ptr<std::byte> pages = map_pages(picture_bytes(layout));
    REQUIRE(pages);
    std::memset(pages.get(), 7, layout.size);
    auto picture = adopted(*gpu, layout, pages);
    if (!picture && test_device() != "llvmpipe")
        return skip("the device adopts no memory");
    REQUIRE(picture);
    REQUIRE(picture->data() == pages.get());
    REQUIRE(picture->has_copy() == gpu->info().copies_pictures);
    const std::weak_ptr<std::byte> watched = pages;
    pages.reset();
    REQUIRE(picture->data()[layout.size - 1] == std::byte{7});
    picture.reset();
    REQUIRE(watched.expired());
}

TEST_CASE("memory that a device can't adopt is refused", "[memory]") {
    const auto gpu = open_own_gpu();
    const PictureLayout layout = make_picture_layout({150, 90, 8, 1, 1, 3}, 64);
    const std::shared_ptr<std::byte> pages = map_pages(picture_bytes(layout) + 64);
    REQUIRE_FALSE(adopted(*gpu, layout, {pages, pages.get() + 64})); // not at the beginning of a page
}

TEST_CASE("a picture gets other pages at the same address, with the same pixels", "[memory]") {
    const Environment memory("DAEDALUS_MEMORY", GENERATE("", "discrete"));
    const bool plain = GENERATE(false, true);
    std::string why;
    const auto device = VulkanDevice::open({test_device(), "auto"}, why);
    REQUIRE(device);
    const PictureLayout layout = make_picture_layout({150, 90, 8, 1, 1, 3}, 64);
    VulkanPicture picture;
    const VkResult made = plain ? VulkanPicture::adopt(*device, layout, map_pages(picture_bytes(layout)), picture)
                                : VulkanPicture::make(*device, layout, picture);
    if (plain && made != VK_SUCCESS && test_device() != "llvmpipe")
        return skip("the device adopts no memory");
    REQUIRE(made == VK_SUCCESS);
    std::byte *const pixels = picture.host.data();
    std::memset(pixels, 7, layout.size);
    REQUIRE(picture.host.replace_pages());
    REQUIRE(picture.host.data() == pixels);
    REQUIRE(std::all_of(pixels, pixels + layout.size, [](std::byte pixel) { return pixel == std::byte{7}; }));
    std::memset(pixels, 8, picture.bytes());
}
