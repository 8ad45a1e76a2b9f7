// SPDX-License-Identifier: BSD-2-Clause
#include "av1/dispatch.h"

#include "util/round_up.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cstdio>
#include <cstring>

namespace dd {
namespace {

constexpr unsigned kLanes = 255;
constexpr unsigned kStripColumns = 64;         // of restoration's units
constexpr unsigned kMaxGroups = 32768u;        // in one dimension; the kernels count through both
constexpr float kLarger = 1 + 4 * FLT_EPSILON; // than what the kernels' multiplication loses
constexpr unsigned kUnit = 16; // lanes of a unit (filter.glsl), and pixels of its sides in a plane that is deblocked

unsigned kernel(const char *name, const PictureFormat &format) {
    return av1_kernel(name, format.bit_depth > 8 ? 16u : 8u);
}

// Pixels of a plane in whole 8x8 blocks of luma.
unsigned columns(const DdAv1FilterParams &p, unsigned plane) {
    return p.w8 * 8 >> (plane ? p.ss_h : 0);
}
unsigned rows(const DdAv1FilterParams &p, unsigned plane) {
    return p.h8 * 8 >> (plane ? p.ss_v : 0);
}

// Units of a plane: how many lie side by side, and how many rows of them there are.
struct Units {
    unsigned across, down;
};
Units squares(const DdAv1FilterParams &p, unsigned plane) {
    return {div_up(columns(p, plane), kUnit), div_up(rows(p, plane), kUnit)};
}
Units blocks(const DdAv1FilterParams &p, unsigned plane) { // 64 pixels each
    return {plane ? div_up(p.w8, 1u << (p.ss_h + p.ss_v)) : p.w8, p.h8};
}
Units copied_blocks(const DdAv1FilterParams &p, unsigned plane) { // 256 pixels each: a lane takes sixteen
    return {plane ? div_up(p.w8, 4u << (p.ss_h + p.ss_v)) : div_up(p.w8, 4u), p.h8};
}
// Restoration's stripes begin above the plane.
unsigned striped_rows(const DdAv1FilterParams &p, unsigned plane) {
    return p.plane[plane].height + (plane ? 8 >> p.ss_v : 8);
}
template <unsigned kLaneRows>
Units strips(const DdAv1FilterParams &p, unsigned plane) {
    return {div_up(p.plane[plane].width, kStripColumns), div_up(striped_rows(p, plane), kLaneRows)};
}

// None of planes that aren't restored.
Units self_guided_strips(const DdAv1FilterParams &p, unsigned plane) {
    const Units all = strips<2>(p, plane);
    return {all.across, p.restored >> plane & 1 ? all.down : 0};
}

class Planner {
  public:
    Planner(const Av1Batch &batch, PhaseWork &work) : batch_(batch), params_(batch.filters.params()), work_(work) {}

    void deblock() {
        const std::uint32_t planes = params_.deblock & DD_AV1_DEBLOCK_LUMA ? 1 : 0;
        filtered_ = planes | (params_.deblock & DD_AV1_DEBLOCK_CHROMA ? 6 : 0);
        if (batch_.filters.deblock()) {
            add_units("deblock_columns", squares, 0);
            add_units("deblock_rows", squares, 0);
        }
    }

    void cdef() {
        if (!batch_.filters.cdef())
            return;
        filtered_ = 7;
        const bool restored = batch_.filters.restoration();
        DdAv1Pass pass{};
        pass.total = div_up(batch_.filters.blocks(), kLanes);
        add("cdef_direction", pass);
        add(av1_kernel("cdef_filter", batch_.dst.format.bit_depth), pass_of(blocks, restored ? DD_AV1_PASS_ALL : 0));
        if (!restored)
            add_units("copy", copied_blocks, 0);
    }

    void restoration() {
        if (!batch_.filters.restoration())
            return;
        filtered_ = 7;
        if (!batch_.filters.cdef())
            add_units("copy", copied_blocks, DD_AV1_PASS_ALL);
        filtered_ = params_.restored;
        const std::uint32_t flags = batch_.filters.cdef() ? 0 : DD_AV1_PASS_NO_CDEF;
        add(av1_kernel("wiener", batch_.dst.format.bit_depth), pass_of(strips<4>, flags));
        if (batch_.filters.self_guided())
            add(av1_kernel("self_guided", batch_.dst.format.bit_depth), pass_of(self_guided_strips, flags));
    }

  private:
    using UnitsOfPlane = Units (*)(const DdAv1FilterParams &, unsigned);

    DdAv1Pass pass_of(UnitsOfPlane units, std::uint32_t flags) const {
        DdAv1Pass pass{};
        for (unsigned p = 0; p < 3; p++) {
            pass.first[p] = pass.total;
            if (p >= params_.planes)
                continue;
            const Units all = units(params_, p);
            const unsigned kind = p ? 1 : 0;
            pass.total += div_up(all.across * all.down * kUnit, kLanes);
            pass.across[kind] = all.across;
            pass.inverse[kind] = kLarger / static_cast<float>(all.across);
            pass.offset[p] = params_.plane[p].offset;
            pass.stride[kind] = params_.plane[p].stride;
        }
        pass.flags = flags | filtered_ << DD_AV1_PASS_PLANE_SHIFT;
        pass.ss_h = params_.ss_h;
        pass.ss_v = params_.ss_v;
        return pass;
    }

    void add_units(const char *name, UnitsOfPlane units, std::uint32_t flags) { add(name, pass_of(units, flags)); }

    void add(const char *name, const DdAv1Pass &pass) { add(kernel(name, batch_.dst.format), pass); }

    void add(unsigned kernel, const DdAv1Pass &pass) {
        Dispatch dispatch;
        dispatch.kernel = kernel;
        dispatch.set_push(pass);
        dispatch.groups = std::min(pass.total, kMaxGroups);
        dispatch.groups_y = div_up(pass.total, kMaxGroups);
        dispatch.barrier = !work_.dispatches.empty();
        dispatch.ref = {kAv1ScratchA, kAv1ScratchB};
        work_.dispatches.push_back(dispatch);
    }

    const Av1Batch &batch_;
    const DdAv1FilterParams &params_;
    PhaseWork &work_;
    std::uint32_t filtered_ = 0;
};

constexpr const char *kFilterKernels[] = {"cdef_direction", "copy", "deblock_columns", "deblock_rows"};
constexpr const char *kDepthKernels[] = {"cdef_filter", "difference", "itx",         "itx_large", "mc",
                                         "overlap",     "pair",       "self_guided", "warp",      "wiener"};
constexpr const char *kDirectKernels[] = {"mc_direct", "pair_direct"};

} // namespace

unsigned av1_kernel(const char *name, unsigned bits) {
    std::array<char, 64> full{}; // on the stack: every frame asks
    std::snprintf(full.data(), full.size(), "av1_%s_%u", name, bits);
    return kernel_index(full.data());
}

std::uint32_t av1_scratch_bytes(const PictureLayout &layout) {
    return (layout.size + 3) / 4 * 4 + div_up(layout.format.width, 8) * div_up(layout.format.height, 8) * 4;
}

void plan_av1_filter(const Av1Batch &batch, PhaseWork &work) {
    if (!batch.filters.any())
        return;
    Planner planner(batch, work);
    planner.deblock();
    planner.cdef();
    planner.restoration();
    work.upload_bytes = sizeof(DdAv1FilterParams) + batch.filters.bytes();
}

void write_av1_filter(const Av1Batch &batch, const PhaseWork &work, std::byte *upload) {
    if (work.dispatches.empty())
        return;
    std::memcpy(upload, &batch.filters.params(), sizeof(DdAv1FilterParams));
    upload += sizeof(DdAv1FilterParams);
    for (const auto part : {batch.filters.words(), batch.filters.superblocks(), batch.filters.levels()}) {
        if (!part.empty())
            std::memcpy(upload, part.data(), part.size_bytes());
        upload += part.size_bytes();
    }
}

std::vector<unsigned> av1_kernels(const PictureFormat &format, Profile profile) {
    std::vector<unsigned> kernels;
    for (const char *name : kFilterKernels)
        kernels.push_back(kernel(name, format));
    const auto add = [&](const char *name) { kernels.push_back(av1_kernel(name, format.bit_depth)); };
    std::ranges::for_each(kDepthKernels, add);
    if (profile == Profile::v3d)
        std::ranges::for_each(kDirectKernels, add);
    std::ranges::sort(kernels);
    return kernels;
}

} // namespace dd
