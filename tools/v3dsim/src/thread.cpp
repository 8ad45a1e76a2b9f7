// SPDX-License-Identifier: BSD-2-Clause
#include "execute.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace v3dsim {

Thread::Thread() {
    for (unsigned i = 0; i < small_immediate_count; i++)
        reg[register_count + i] = Lanes{} + small_immediate(i);
    std::memset(undefined, 0, sizeof undefined);
}

void Thread::start(uint32_t uniform_address, bool single_segment, uint32_t *counters) {
    std::memset(reg, 0, register_count * sizeof reg[0]);
    flag_a = flag_b = rtop = Lanes{};
    pc = unifa = link = branch_target = 0;
    uniforms = uniform_address;
    tmu_general_config = ~0u;
    tmu_config_count = tmu_data_count = result_read = result_write = tmu_coordinates = 0;
    thread_switch_delay = branch_delay = 0;
    last_switch = single_segment;
    ending = previous_thrsw = barrier_pending = false;
    epoch = 0;
    issued = 0;
    counts = counters;
    std::memset(undefined, 0xff, register_count * sizeof undefined[0]);
    undefined_flag_a = undefined_flag_b = all_lanes;
    undefined_rtop = undefined_coordinate = 0;
    error.clear();
}

RunFunction select_engine() {
    const char *wanted = std::getenv("V3DSIM_ENGINE");
    const std::string_view name = wanted ? wanted : "";
#ifdef V3DSIM_X86_ENGINES
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const bool avx2 = __builtin_cpu_supports("avx2");
    if ((name.empty() || name == "avx512") && avx512)
        return engine_avx512::run;
    if ((name.empty() || name == "avx2") && avx2)
        return engine_avx2::run;
#endif
    if (!name.empty() && name != "baseline") {
        std::fprintf(stderr, "v3dsim: V3DSIM_ENGINE=%s: no such engine on this processor\n", wanted);
        std::exit(2);
    }
    return engine_baseline::run;
}

} // namespace v3dsim
