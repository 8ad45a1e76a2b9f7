// SPDX-License-Identifier: BSD-2-Clause
#include "frame/picture_pool.h"
#include "util/pages.h"

#include <algorithm>
#include <utility>

namespace dd {
namespace {

// More than a decoder with many threads lets go of at once.
constexpr std::size_t kMostFree = 24;

} // namespace

std::unique_ptr<PictureMemory> PicturePool::find_free(const PictureLayout &layout, bool want_gpu) {
    const std::lock_guard lock(mutex_);
    newest_ = layout;
    std::erase_if(free_, [&](const auto &memory) { return memory->layout != layout || !memory->gpu == want_gpu; });
    if (free_.empty())
        return nullptr;
    auto memory = std::move(free_.back());
    free_.pop_back();
    return memory;
}

std::unique_ptr<PictureMemory> PicturePool::take(const PictureLayout &layout, bool want_gpu, GpuStatus &gpu) {
    gpu = {};
    if (auto memory = find_free(layout, want_gpu && gpu_->holds(layout))) {
        memory->has_p010 = false;
        if (memory->gpu)
            memory->gpu->reuse();
        else if (std::exchange(memory->exported, false))
            memory->plain_file->begin_cpu_access(); // nothing of the old picture is wanted: it may fail
        return memory;
    }
    auto memory = std::make_unique<PictureMemory>();
    memory->layout = layout;
    if (want_gpu) {
        gpu = gpu_->make_picture(layout, memory->gpu);
        if (gpu)
            return memory;
    }
    return allocate_plain(*memory) ? std::move(memory) : nullptr;
}

bool PicturePool::allocate_plain(PictureMemory &memory) const {
    if (exports_)
        memory.plain_file = DmaBuf::allocate(memory.bytes());
    memory.plain = memory.plain_file ? std::shared_ptr<std::byte>(memory.plain_file, memory.plain_file->data())
                                     : map_pages(memory.bytes());
    return memory.plain != nullptr;
}

void PicturePool::give(std::unique_ptr<PictureMemory> memory) {
    if (memory->gpu && !memory->gpu->idle())
        return; // a GPU that hangs may still write to it
    const std::lock_guard lock(mutex_);
    if (!closed_ && memory->layout == newest_ && free_.size() < kMostFree)
        free_.push_back(std::move(memory));
}

void PicturePool::close() {
    std::vector<std::unique_ptr<PictureMemory>> unneeded; // freed without the lock
    const std::lock_guard lock(mutex_);
    closed_ = true;
    unneeded.swap(free_);
}

} // namespace dd
