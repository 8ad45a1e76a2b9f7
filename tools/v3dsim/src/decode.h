// SPDX-License-Identifier: BSD-2-Clause
//
// Instruction words to the compact form that the executor and the disassembler read, and back.
#pragma once
#include "isa.h"

#include <string>
#include <vector>

namespace v3dsim {

// One side of an instruction. Operands from register_count on are small immediates.
struct Side {
    Op op = Op::Invalid;
    uint8_t a = 0, b = 0;
    Unpack unpack_a = Unpack::None, unpack_b = Unpack::None;
    Pack pack = Pack::None;
    Cond cond = Cond::None;
    uint8_t dest = 0;
    bool magic = false;
    uint8_t traits = 0;
    bool is_nop() const { return op == Op::Nop || op == Op::MulNop; }
};

enum class Kind : uint8_t { Invalid, Alu, Branch };

struct Branch {
    BranchCond cond = BranchCond::Always;
    uint8_t msfign = 0; // 0: all lanes vote, 1: active lanes, 2: lanes of active quads
    BranchDest dest = BranchDest::Absolute, uniforms = BranchDest::Absolute;
    bool moves_uniforms = false, sets_link = false;
    uint8_t reg = 0;
    uint32_t offset = 0;
};

struct Instruction {
    Kind kind = Kind::Invalid;
    Side add, mul;
    uint16_t sig = 0;
    uint8_t sig_dest = 0;
    bool sig_magic = false;
    FlagUpdate flags = FlagUpdate::None;
    bool flags_from_mul = false;
    // Why the instruction cannot be executed; nullptr when it can.
    const char *problem = nullptr;
    Branch branch;
};

Instruction decode(uint64_t word);

// The inverse. Throws std::invalid_argument when the instruction has no encoding.
uint64_t encode(const Instruction &in);

} // namespace v3dsim
