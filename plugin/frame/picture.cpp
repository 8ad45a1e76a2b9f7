// SPDX-License-Identifier: BSD-2-Clause
//
// Pictures as the GPU reaches them.
#include "frame/guard.h"
#include "frame/objects.h"

#include <cstring>

using namespace dd;

bool DdPicture::reachable(const Gpu &gpu) const {
    return memory->gpu || gpu.holds(memory->layout);
}

GpuStatus DdPicture::reach(Gpu &gpu, const GpuPicture *&reached) {
    if (memory->gpu) {
        reached = memory->gpu.get();
        return {};
    }
    const std::lock_guard lock(adopted_mutex);
    if (!adopted && !gpu.adopt_picture(memory->layout, memory->plain, adopted)) {
        std::unique_ptr<GpuPicture> copy;
        if (const GpuStatus status = gpu.make_picture(memory->layout, copy); !status)
            return status;
        std::memcpy(copy->data(), memory->data(), memory->layout.size);
        adopted = std::move(copy);
    }
    reached = adopted.get();
    return {};
}

DdPicture::~DdPicture() {
    const bool idle = !adopted || adopted->idle(); // a GPU that hangs may still read it
    adopted.reset();
    if (memory && idle)
        dd::contained([this] { pool->give(std::move(memory)); });
}
