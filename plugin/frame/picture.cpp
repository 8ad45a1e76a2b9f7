// SPDX-License-Identifier: BSD-2-Clause
//
// Pictures, as GPUs and other devices reach them.
#include "batch/p010.h"
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
        copy->begin_frame();
        std::memcpy(copy->data(), memory->data(), memory->layout.size);
        copy->end_frame(true);
        adopted = std::move(copy);
    }
    reached = adopted.get();
    return {};
}

std::shared_ptr<DmaBuf> DdPicture::export_pixels() {
    const std::lock_guard lock(exported_mutex);
    if (exported)
        return exported;
    auto file = memory->dma_buf();
    const bool own = file != nullptr;
    if (!own) {
        file = DmaBuf::allocate(memory->bytes());
        if (!file)
            return nullptr;
    }
    const bool writes_p010 = layout().p010 && !(own && memory->has_p010);
    if ((!own || writes_p010) && !read())
        return nullptr;
    if (!own)
        std::memcpy(file->data(), memory->data(), memory->layout.size);
    if (writes_p010)
        write_p010(layout(), file->data());
    if (own && memory->gpu ? !memory->gpu->share(writes_p010) : !file->end_cpu_access())
        return nullptr;
    memory->exported = own && !memory->gpu;
    exported = std::move(file);
    return exported;
}

GpuStatus DdPicture::read() {
    return memory->gpu ? memory->gpu->read() : GpuStatus{};
}

DdPicture::~DdPicture() {
    const bool idle = !adopted || adopted->idle(); // a GPU that hangs may still read it
    adopted.reset();
    if (memory && idle)
        dd::contained([this] { pool->give(std::move(memory)); });
}

namespace {

void put_planes(const PictureLayout &layout, DdDmaBuf &to) {
    if (layout.p010) {
        to.planes = 2;
        to.offset[0] = layout.p010;
        to.offset[1] = p010_chroma(layout);
        to.pitch[0] = to.pitch[1] = layout.plane[0].stride;
        return;
    }
    to.planes = layout.format.planes;
    for (unsigned p = 0; p < layout.format.planes; p++) {
        to.offset[p] = layout.plane[p].offset;
        to.pitch[p] = layout.plane[p].stride;
    }
}

} // namespace

extern "C" {

DdPicture *dd_picture_ref(DdPicture *picture) {
    picture->ref();
    return picture;
}

void dd_picture_unref(DdPicture **picture) {
    unref(picture);
}

void dd_picture_planes(const DdPicture *picture, uint8_t *data[3], ptrdiff_t stride[3]) {
    const PictureLayout &layout = picture->layout();
    auto *base = reinterpret_cast<std::uint8_t *>(picture->memory->data());
    for (unsigned p = 0; p < 3; p++) {
        const bool there = p < layout.format.planes;
        data[p] = there ? base + layout.plane[p].offset : nullptr;
        stride[p] = there ? static_cast<std::ptrdiff_t>(layout.plane[p].stride) : 0;
    }
}

int dd_picture_read(DdPicture *picture) {
    return picture ? picture->read().result : int{DD_ERR_INVALID};
}

int dd_picture_dma_buf(DdPicture *picture, DdDmaBuf *dma_buf) {
    if (!picture)
        return DD_ERR_INVALID;
    return guarded([&] {
        const auto file = picture->export_pixels();
        if (!file)
            return int{DmaBuf::available() ? DD_ERR_NO_MEMORY : DD_ERR_UNSUPPORTED};
        const PictureLayout &layout = picture->layout();
        DdDmaBuf all = {};
        all.fd = file->file();
        all.bytes = file->size();
        put_planes(layout, all);
        all.width = layout.format.width;
        all.height = layout.format.height;
        all.bit_depth = layout.format.bit_depth;
        all.ss_h = layout.format.ss_h;
        all.ss_v = layout.format.ss_v;
        return int{give(all, dma_buf) ? DD_OK : DD_ERR_INVALID};
    });
}

} // extern "C"
