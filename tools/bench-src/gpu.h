// SPDX-License-Identifier: BSD-2-Clause
//
// Runs one phase of a batch on a Vulkan device, alone, and says how long that took.
#pragma once
#include "vulkan/slot_pool.h"
#include "work.h"

#include <memory>
#include <string>

namespace bench {

struct Times {
    double wall = 0;   // seconds from the submit to the end of the wait
    double kernel = 0; // seconds of the dispatches, by the GPU's clock; 0: it has none
};

class Gpu {
  public:
    // Throws std::runtime_error where the device can't be used.
    Gpu(const std::string &device, const std::string &profile);

    const dd::VulkanDevice &device() const { return *device_; }

    // Work of one batch, its pictures and its upload on the device.
    class Job {
      public:
        Job(Gpu &gpu, const Work &work);
        // `again`: the dispatches so many times in one submit, each waiting for the one before.
        Times run(unsigned again = 1);
        // Throws unless the picture is `expected`.
        void check(const PixelBuffer &expected) const;
        std::size_t dispatches() const { return phase_work_.dispatches.size(); }

      private:
        std::shared_ptr<dd::VulkanPicture> empty_picture(const dd::PictureLayout &layout);
        std::shared_ptr<dd::VulkanPicture> picture(const PixelBuffer &pixels, const dd::PictureLayout &layout);
        void plan();
        void write(std::byte *upload) const;
        Gpu &gpu_;
        const Work &work_;
        std::shared_ptr<dd::VulkanPicture> dst_;
        std::array<std::shared_ptr<dd::VulkanPicture>, dd::kGpuPictureSlots> ref_;
        dd::PhaseWork phase_work_;
    };

  private:
    std::shared_ptr<dd::VulkanDevice> device_;
    dd::Buffer tables_;
    std::unique_ptr<dd::SlotPool> slots_;
};

} // namespace bench
