// SPDX-License-Identifier: BSD-2-Clause
#include "decode.h"

#include <bit>
#include <stdexcept>
#include <utility>

namespace v3dsim {
namespace {

[[noreturn]] void fail(const char *what) {
    throw std::invalid_argument(what);
}

unsigned encode_conditions(const Instruction &in) {
    const unsigned f = static_cast<unsigned>(in.flags);
    const bool pushes = in.flags >= FlagUpdate::PushZ && in.flags <= FlagUpdate::PushC;
    const unsigned update = f - static_cast<unsigned>(FlagUpdate::AndZ) + 4;
    auto code = [](Cond c) { return static_cast<unsigned>(c) - static_cast<unsigned>(Cond::IfA); };
    const bool ac = in.add.cond != Cond::None, mc = in.mul.cond != Cond::None, has_flags = in.flags != FlagUpdate::None;
    if (!ac && !mc)
        return (in.flags_from_mul ? 16 : 0) | (!has_flags ? 0 : pushes ? f : update);
    if (ac && mc) {
        if (has_flags)
            fail("two conditions leave no room for a flag update");
        return 64 | code(in.mul.cond) << 4 | code(in.add.cond);
    }
    if (ac) {
        if (has_flags && !(in.flags_from_mul && pushes))
            fail("a condition of the add side goes with a push of the mul side only");
        return 32 | code(in.add.cond) << 2 | (has_flags ? f : 0);
    }
    if (has_flags && in.flags_from_mul)
        fail("a condition of the mul side goes with flags of the add side only");
    if (has_flags && !pushes)
        return 64 | code(in.mul.cond) << 4 | update;
    return 48 | code(in.mul.cond) << 2 | (has_flags ? f : 0);
}

struct SideCode {
    unsigned opcode, first, second; // operand fields
};

unsigned operand_field(uint8_t operand) {
    return operand >= register_count ? operand - register_count : operand;
}

unsigned pack_bits(Pack p) {
    if (p == Pack::Bad)
        fail("bad pack");
    return static_cast<unsigned>(p);
}

unsigned unpack_bits(Unpack u, Shape shape, unsigned limit) {
    const unsigned code = unpack_code(u, shape);
    if (code >= limit)
        fail("the operation cannot convert its operand that way");
    return code;
}

SideCode encode_side(const Side &side, bool small_a, bool small_b) {
    const OpInfo *info = nullptr;
    SideCode code{0, operand_field(side.a), operand_field(side.b)};
    info = &op_info(side.op);
    code.opcode = info->first;
    if (info->sources < 2)
        code.second = info->selectors ? static_cast<unsigned>(std::countr_zero(info->selectors)) : 0;
    Unpack ua = side.unpack_a, ub = side.unpack_b;
    switch (info->shape) {
    case Shape::Plain:
        break;
    case Shape::FloatBinary:
    case Shape::FloatCompare:
    case Shape::FloatMultiply:
    case Shape::FloatPair: {
        unsigned a = unpack_bits(ua, info->shape, 4), b = unpack_bits(ub, info->shape, 4);
        const bool is_max = side.op == Op::Fmax || side.op == Op::Faddnf;
        if (side.op == Op::Fadd || side.op == Op::Fmin || is_max) {
            const bool ordered = small_a * 256 + a * 64 + code.first > small_b * 256 + b * 64 + code.second;
            if (ordered != is_max)
                fail("the operands must be given in the order that selects the operation");
        }
        if (info->shape == Shape::FloatPair) {
            if (ua == Unpack::FloatAbs || ub == Unpack::FloatAbs)
                fail("vfpack has no absolute value");
            code.opcode = 48 | a << 2 | b;
        } else if (info->shape == Shape::FloatCompare) {
            code.opcode = info->first + (a << 2 | b);
        } else {
            code.opcode = info->first + (pack_bits(side.pack) << 4) + (a << 2 | b);
        }
        break;
    }
    case Shape::FloatRound:
        code.second += unpack_bits(ua, info->shape, 4) << 2 | pack_bits(side.pack);
        break;
    case Shape::FloatToInt:
        code.second += unpack_bits(ua, info->shape, 4) << 2;
        break;
    case Shape::IntToFloat:
        code.second += pack_bits(side.pack);
        break;
    case Shape::FloatMove:
        code.second = unpack_bits(ua, info->shape, 7) << 2 | pack_bits(side.pack);
        break;
    case Shape::IntMove:
        code.second = unpack_bits(ua, info->shape, 5) << 2 | 3;
        break;
    case Shape::HalfSwizzle:
        code.opcode = info->first + unpack_bits(ua, info->shape, 5);
        break;
    }
    return code;
}

uint64_t encode_alu(const Instruction &in) {
    const int sig = signal_code(in.sig);
    if (sig < 0)
        fail("no code for this set of signals");
    uint64_t word = field::sig.put(static_cast<unsigned>(sig));
    if (in.sig & signals_with_address)
        word |= field::cond.put(in.sig_dest | (in.sig_magic ? 64u : 0u));
    else
        word |= field::cond.put(encode_conditions(in));
    const SideCode add = encode_side(in.add, in.sig & SigSmallA, in.sig & SigSmallB);
    const SideCode mul = encode_side(in.mul, in.sig & SigSmallC, in.sig & SigSmallD);
    word |= field::op_add.put(add.opcode) | field::raddr_a.put(add.first) | field::raddr_b.put(add.second);
    word |= field::op_mul.put(mul.opcode) | field::raddr_c.put(mul.first) | field::raddr_d.put(mul.second);
    word |= field::waddr_add.put(in.add.dest) | field::magic_add.put(in.add.magic);
    word |= field::waddr_mul.put(in.mul.dest) | field::magic_mul.put(in.mul.magic);
    return word;
}

uint64_t encode_branch(const Branch &b) {
    uint64_t word = field::sig.put(16) | field::branch_cond.put(static_cast<unsigned>(b.cond)) |
                    field::branch_msfign.put(b.msfign) | field::branch_bdi.put(static_cast<unsigned>(b.dest)) |
                    field::branch_link.put(b.sets_link) | field::branch_raddr.put(b.reg);
    if (b.moves_uniforms)
        word |= field::branch_ub.put(1) | field::branch_bdu.put(static_cast<unsigned>(b.uniforms));
    return word | field::branch_low.put(b.offset >> 3 & 0x1fffff) | field::branch_high.put(b.offset >> 24);
}

} // namespace

uint64_t encode(const Instruction &in) {
    if (in.kind == Kind::Branch)
        return encode_branch(in.branch);
    if (in.kind != Kind::Alu)
        fail("not an instruction");
    return encode_alu(in);
}

} // namespace v3dsim
