// SPDX-License-Identifier: BSD-2-Clause
#include "tmu.h"

#include <algorithm>

namespace v3dsim {

uint32_t atomic_result(uint32_t op, bool write, uint32_t old, uint32_t data, uint32_t second) {
    if (!write)
        return op == tmu_op::AndOrIncrement ? old + 1 : old - 1;
    switch (op) {
    case tmu_op::Add:
        return old + data;
    case tmu_op::Sub:
        return old - data;
    case tmu_op::Exchange:
        return data;
    case tmu_op::CompareExchange:
        return old == data ? second : old;
    case tmu_op::UnsignedMin:
        return std::min(old, data);
    case tmu_op::UnsignedMax:
        return std::max(old, data);
    case tmu_op::SignedMin:
        return static_cast<uint32_t>(std::min(static_cast<int32_t>(old), static_cast<int32_t>(data)));
    case tmu_op::SignedMax:
        return static_cast<uint32_t>(std::max(static_cast<int32_t>(old), static_cast<int32_t>(data)));
    case tmu_op::AndOrIncrement:
        return old & data;
    case tmu_op::OrOrDecrement:
        return old | data;
    default:
        return old ^ data;
    }
}

uint32_t atomic_access(uint8_t *word, uint32_t op, bool write, uint32_t data, uint32_t second) {
    auto *p = reinterpret_cast<uint32_t *>(word);
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, atomic_result(op, write, old, data, second), false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
}

} // namespace v3dsim
