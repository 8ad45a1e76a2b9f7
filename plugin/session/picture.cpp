// SPDX-License-Identifier: BSD-2-Clause
//
// Pictures as the GPU reaches them.
#include "session/objects.h"

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
    const std::lock_guard lock(copy_mutex);
    if (!copy) {
        std::unique_ptr<GpuPicture> made;
        if (const GpuStatus status = gpu.make_picture(memory->layout, made); !status)
            return status;
        std::memcpy(made->data(), memory->data(), memory->layout.size);
        copy = std::move(made);
    }
    reached = copy.get();
    return {};
}
