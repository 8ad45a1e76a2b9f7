// SPDX-License-Identifier: BSD-2-Clause
//
// Puts instructions together from the table.
#pragma once
#include "decode.h"

namespace v3dsim {

inline Side nop(Unit unit) {
    Side s;
    s.op = unit == Unit::Add ? Op::Nop : Op::MulNop;
    s.dest = magic::Nop;
    s.magic = true;
    return s;
}

// dest = op(a, b), registers by number.
inline Side side(Op op, unsigned dest, unsigned a = 0, unsigned b = 0) {
    Side s;
    s.op = op;
    s.dest = static_cast<uint8_t>(dest);
    s.a = static_cast<uint8_t>(a);
    s.b = static_cast<uint8_t>(b);
    s.traits = op_info(op).traits;
    return s;
}

inline Side to_magic(Side s, unsigned where) {
    s.dest = static_cast<uint8_t>(where);
    s.magic = true;
    return s;
}

inline Instruction empty(uint16_t sig = 0) {
    Instruction in;
    in.kind = Kind::Alu;
    in.add = nop(Unit::Add);
    in.mul = nop(Unit::Mul);
    in.sig = sig;
    return in;
}

// An instruction that does the operation on the side that has it.
inline Instruction single(const Side &s, uint16_t sig = 0) {
    Instruction in = empty(sig);
    (op_info(s.op).unit == Unit::Add ? in.add : in.mul) = s;
    return in;
}

} // namespace v3dsim
