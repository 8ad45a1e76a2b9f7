// SPDX-License-Identifier: BSD-2-Clause
//
// The part of the kernel's interface to the V3D that the simulator implements: numbers and layouts only, so that it
// builds without the headers of a particular kernel.
#pragma once
#include <cstdint>
#include <vector>

namespace v3dsim::uapi {

// Requests, as the number field of an ioctl.
enum Request : unsigned {
    GemClose = 0x09,
    Command = 0x40, // first driver-specific one
    SubmitCl = Command + 0x00,
    WaitBo = Command + 0x01,
    CreateBo = Command + 0x02,
    MmapBo = Command + 0x03,
    GetParam = Command + 0x04,
    GetBoOffset = Command + 0x05,
    SubmitTfu = Command + 0x06,
    SubmitCsd = Command + 0x07,
    SubmitCpu = Command + 0x0b,
};

enum Param : uint32_t {
    UifCfg,
    HubIdent1,
    HubIdent2,
    HubIdent3,
    Ident0,
    Ident1,
    Ident2,
    SupportsTfu,
    SupportsCsd,
    SupportsCacheFlush,
    SupportsPerfmon,
    SupportsMultisync,
    SupportsCpuQueue,
    MaxPerfCounters,
    SupportsSuperPages
};

// What a pointer of the interface to handles or offsets means.
inline std::vector<uint32_t> words_at(uint64_t pointer, uint32_t count) {
    const auto *words = reinterpret_cast<const uint32_t *>(static_cast<uintptr_t>(pointer));
    return std::vector<uint32_t>(words, words + count);
}

struct CloseArgs {
    uint32_t handle, pad;
};
struct WaitBoArgs {
    uint32_t handle, pad;
    uint64_t timeout_ns;
};
struct CreateBoArgs {
    uint32_t size, flags, handle, offset;
};
struct MmapBoArgs {
    uint32_t handle, flags;
    uint64_t offset;
};
struct GetParamArgs {
    uint32_t param, pad;
    uint64_t value;
};
struct GetBoOffsetArgs {
    uint32_t handle, offset;
};
struct Extension {
    uint64_t next;
    uint32_t id, flags;
};
constexpr uint32_t multi_sync = 1;
struct Semaphore {
    uint32_t handle, flags;
    uint64_t point, mbz[2];
};
struct MultiSync {
    Extension base;
    uint64_t in_syncs, out_syncs;
    uint32_t in_count, out_count, wait_stage, pad;
};
struct SubmitCsdArgs {
    uint32_t cfg[7], coef[4];
    uint64_t bo_handles;
    uint32_t bo_handle_count, in_sync, out_sync, perfmon;
    uint64_t extensions;
    uint32_t flags, pad;
};
// What a submission to the CPU queue is, by the extension that it has.
enum CpuExtension : uint32_t { IndirectCsd = 2, TimestampQuery, ResetTimestampQuery, CopyTimestampQuery };
struct SubmitCpuArgs {
    uint64_t bo_handles;
    uint32_t bo_handle_count, flags;
    uint64_t extensions;
};
struct IndirectCsdExtension {
    Extension base;
    SubmitCsdArgs submit;
    uint32_t indirect, offset, workgroup_size, uniform_offsets[3];
};
struct TimestampQueryExtension {
    Extension base;
    uint64_t offsets, syncs;
    uint32_t count, pad;
};
struct ResetTimestampQueryExtension {
    Extension base;
    uint64_t syncs;
    uint32_t offset, count;
};
struct CopyTimestampQueryExtension {
    Extension base;
    uint8_t do_64bit, do_partial, availability_bit, pad;
    uint32_t offset, stride, count;
    uint64_t offsets, syncs;
};

struct SubmitClArgs {
    uint32_t bcl_start, bcl_end, rcl_start, rcl_end, in_sync_bcl, in_sync_rcl, out_sync, qma, qms, qts;
    uint64_t bo_handles;
    uint32_t bo_handle_count, flags, perfmon, pad;
    uint64_t extensions;
};
struct SubmitTfuArgs {
    uint32_t icfg, iia, iis, ica, iua, ioa, ios, coef[4], bo_handles[4], in_sync, out_sync, flags;
    uint64_t extensions;
    uint32_t ioc, pad;
};

} // namespace v3dsim::uapi
