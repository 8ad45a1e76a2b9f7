// SPDX-License-Identifier: BSD-2-Clause
//
// Memory of pictures, used again for the next ones of the same format.
#pragma once
#include "batch/picture_layout.h"
#include "util/dma_buf.h"
#include "vulkan/gpu.h"

#include <memory>
#include <mutex>
#include <vector>

namespace dd {

// In memory that the GPU reaches, or in plain memory where there is no GPU yet or any more.
struct PictureMemory {
    PictureLayout layout;
    std::unique_ptr<GpuPicture> gpu;
    std::shared_ptr<std::byte> plain;   // pages that a GPU may adopt
    std::shared_ptr<DmaBuf> plain_file; // that `plain` is of; nullptr: none
    bool exported = false;              // the CPU's access to `plain_file` has ended
    bool has_p010 = false;              // the GPU wrote it with the last of its frame

    std::byte *data() const { return gpu ? gpu->data() : plain.get(); }
    std::shared_ptr<DmaBuf> dma_buf() const { return gpu ? gpu->dma_buf() : plain_file; }
    std::size_t bytes() const { return picture_bytes(layout); }
};

class PicturePool {
  public:
    // `exports`: plain memory is a dma-heap's where there is one.
    explicit PicturePool(bool exports) : exports_(exports) {}
    // Before memory of the GPU is wanted.
    void use(std::shared_ptr<Gpu> gpu) { gpu_ = std::move(gpu); }
    // `gpu` says why there is no GPU memory; the picture then lies in plain memory. nullptr: none of either kind.
    std::unique_ptr<PictureMemory> take(const PictureLayout &layout, bool want_gpu, GpuStatus &gpu);
    void give(std::unique_ptr<PictureMemory> memory);
    // The session ends: pictures that others still hold are freed when they come back.
    void close();

  private:
    std::unique_ptr<PictureMemory> find_free(const PictureLayout &layout, bool want_gpu);

    bool allocate_plain(PictureMemory &memory) const;

    const bool exports_;
    std::shared_ptr<Gpu> gpu_;
    std::mutex mutex_;
    bool closed_ = false;
    PictureLayout newest_; // layouts that come back and aren't this one are not kept
    std::vector<std::unique_ptr<PictureMemory>> free_;
};

} // namespace dd
