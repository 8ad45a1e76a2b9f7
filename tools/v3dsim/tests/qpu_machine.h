// SPDX-License-Identifier: BSD-2-Clause
//
// Runs instructions on every engine of this host.
#pragma once
#include "assemble.h"
#include "execute.h"
#include "memory.h"
#include "program.h"

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace v3dsim::test {

using Words = std::array<uint32_t, lanes>;

inline std::vector<RunFunction> engines() {
    std::vector<RunFunction> list{engine_baseline::run};
#ifdef V3DSIM_X86_ENGINES
    if (__builtin_cpu_supports("avx2"))
        list.push_back(engine_avx2::run);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list.push_back(engine_avx512::run);
#endif
    return list;
}

// One batch with registers that the test sets, and some memory.
class Machine {
  public:
    Machine() {
        BufferObject bo;
        memory.find(memory.create(0x10000, true), &bo);
        data = bo.address;
        memory.find(memory.create(0x1000, false), &bo);
        uniforms = bo.address;
    }

    void set_uniforms(const std::vector<uint32_t> &words) {
        std::memcpy(memory.base() + uniforms, words.data(), 4 * words.size());
    }
    uint32_t &word(uint32_t offset) { return *reinterpret_cast<uint32_t *>(memory.base() + data + offset); }

    // Encodes, decodes and runs a program, to which the end is added. `prepare` sets the thread up.
    RunStatus run(std::vector<Instruction> code, const std::function<void(Thread &)> &prepare,
                  RunFunction engine = engine_baseline::run, bool yield = false) {
        for (unsigned sig : {unsigned{SigThrsw}, 0u, 0u})
            code.push_back(empty(static_cast<uint16_t>(sig)));
        std::vector<uint64_t> words;
        for (const Instruction &in : code)
            words.push_back(encode(in));
        program = decode_program(program_address, std::move(words));
        counts.assign(program->code.size(), 0);
        thread.start(uniforms, true, counts.data());
        thread.budget = 100000;
        for (unsigned l = 0; l < lanes; l++) {
            thread.active[l] = ~0u;
            thread.msf[l] = 15;
            thread.workgroup[l] = 0;
            thread.invocation[l] = l;
        }
        prepare(thread);
        context = {&memory, program.get(), nullptr, false, yield, false};
        return engine(thread, context);
    }
    RunStatus resume(RunFunction engine = engine_baseline::run) { return engine(thread, context); }

    static Words words_of(const Lanes &v) {
        Words w;
        for (unsigned l = 0; l < lanes; l++)
            w[l] = v[l];
        return w;
    }
    static void set(Lanes &v, const Words &w) {
        for (unsigned l = 0; l < lanes; l++)
            v[l] = w[l];
    }
    Words reg(unsigned r) const { return words_of(thread.reg[r]); }

    static constexpr uint32_t program_address = 0x20000000;
    Memory memory;
    uint32_t data = 0, uniforms = 0;
    std::shared_ptr<const Program> program;
    std::vector<uint32_t> counts;
    Thread thread;
    RunContext context{};
};

} // namespace v3dsim::test
