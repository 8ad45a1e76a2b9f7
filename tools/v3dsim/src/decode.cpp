// SPDX-License-Identifier: BSD-2-Clause
#include "decode.h"

namespace v3dsim {
namespace {

Pack pack_of(unsigned code) {
    return code < 3 ? static_cast<Pack>(code) : Pack::Bad;
}

FlagUpdate update(unsigned code) {
    return static_cast<FlagUpdate>(static_cast<unsigned>(FlagUpdate::AndZ) + code - 4);
}
FlagUpdate push(unsigned code) {
    return static_cast<FlagUpdate>(code);
}
Cond cond_of(unsigned code) {
    return static_cast<Cond>(static_cast<unsigned>(Cond::IfA) + code);
}

// The condition field: which side writes conditionally, and which one changes the flags. False for the reserved code.
bool decode_conditions(Instruction &in, unsigned code) {
    const unsigned low2 = code & 3, mid2 = code >> 2 & 3, low4 = code & 15;
    auto set_flags = [&](FlagUpdate f, bool from_mul) {
        in.flags = f;
        in.flags_from_mul = from_mul && f != FlagUpdate::None;
    };
    if (code < 4) {
        set_flags(push(low2), false);
    } else if (code < 16) {
        set_flags(update(low4), false);
    } else if (code == 16) {
        return false;
    } else if (code < 20) {
        set_flags(push(low2), true);
    } else if (code < 32) {
        set_flags(update(low4), true);
    } else if (code < 48) {
        in.add.cond = cond_of(mid2);
        set_flags(push(low2), true);
    } else if (code < 64) {
        in.mul.cond = cond_of(mid2);
        set_flags(push(low2), false);
    } else {
        in.mul.cond = cond_of(code >> 4 & 3);
        if (mid2 == 0)
            in.add.cond = cond_of(low2);
        else
            set_flags(update(low4), false);
    }
    return true;
}

void decode_conversions(Side &side, const OpInfo &info, unsigned opcode, unsigned selector) {
    switch (info.shape) {
    case Shape::Plain:
        break;
    case Shape::FloatBinary:
        side.pack = pack_of(opcode >> 4 & 3);
        [[fallthrough]];
    case Shape::FloatCompare:
    case Shape::FloatPair:
        side.unpack_a = float_unpack(opcode >> 2 & 3);
        side.unpack_b = float_unpack(opcode & 3);
        break;
    case Shape::FloatMultiply:
        side.pack = pack_of((opcode >> 4 & 3) - 1);
        side.unpack_a = float_unpack(opcode >> 2 & 3);
        side.unpack_b = float_unpack(opcode & 3);
        break;
    case Shape::FloatRound:
        side.pack = pack_of(selector & 3);
        side.unpack_a = float_unpack(selector >> 2 & 3);
        break;
    case Shape::FloatToInt:
        side.unpack_a = float_unpack(selector >> 2 & 3);
        break;
    case Shape::IntToFloat:
        side.pack = pack_of(selector & 3);
        break;
    case Shape::FloatMove:
        side.pack = pack_of(selector & 3);
        side.unpack_a = float_unpack(selector >> 2 & 7);
        break;
    case Shape::IntMove:
        side.unpack_a = int_unpack(selector >> 2 & 7);
        break;
    case Shape::HalfSwizzle:
        side.unpack_a = half_unpack(opcode - info.first);
        break;
    }
}

uint8_t operand(unsigned address, bool immediate) {
    return static_cast<uint8_t>(immediate ? register_count + address : address);
}

// False when no operation has this encoding.
bool decode_add(Instruction &in, uint64_t word) {
    const unsigned opcode = field::op_add.get(word), ra = field::raddr_a.get(word), rb = field::raddr_b.get(word);
    const OpInfo *info = find_op(Unit::Add, opcode, rb);
    if (!info)
        return false;
    Op op = info->op;
    const bool small_a = in.sig & SigSmallA, small_b = in.sig & SigSmallB;
    // Commutative operations come in pairs that the order of the encoded operands tells apart.
    const bool swapped = small_a * 256 + (opcode >> 2 & 3) * 64 + ra > small_b * 256 + (opcode & 3) * 64 + rb;
    if (op == Op::Fadd && swapped)
        op = Op::Faddnf;
    if (op == Op::Fmin && swapped)
        op = Op::Fmax;
    Side &side = in.add;
    side.dest = static_cast<uint8_t>(field::waddr_add.get(word));
    side.magic = field::magic_add.get(word);
    if (op == Op::Stvpmv) {
        if (side.dest > 2)
            return false;
        op = side.dest == 0 ? Op::Stvpmv : side.dest == 1 ? Op::Stvpmd : Op::Stvpmp;
    }
    if (side.magic && (op == Op::LdvpmvIn || op == Op::LdvpmdIn || op == Op::LdvpmgIn)) {
        op = op == Op::LdvpmvIn ? Op::LdvpmvOut : op == Op::LdvpmdIn ? Op::LdvpmdOut : Op::LdvpmgOut;
        side.magic = false;
    }
    side.op = op;
    side.traits = op_info(op).traits;
    side.a = operand(ra, small_a);
    side.b = operand(rb, small_b);
    decode_conversions(side, *info, opcode, rb);
    return true;
}

bool decode_mul(Instruction &in, uint64_t word) {
    const unsigned opcode = field::op_mul.get(word), rc = field::raddr_c.get(word), rd = field::raddr_d.get(word);
    const OpInfo *info = find_op(Unit::Mul, opcode, rd);
    if (!info)
        return false;
    Side &side = in.mul;
    side.op = info->op;
    side.traits = info->traits;
    side.a = operand(rc, in.sig & SigSmallC);
    side.b = operand(rd, in.sig & SigSmallD);
    side.dest = static_cast<uint8_t>(field::waddr_mul.get(word));
    side.magic = field::magic_mul.get(word);
    decode_conversions(side, *info, opcode, rd);
    return true;
}

bool writes(const Side &s) {
    return s.traits & WritesResult;
}

bool reads_reserved_immediate(const Side &s) {
    const unsigned sources = op_info(s.op).sources;
    return (sources > 0 && s.a >= operand_count) || (sources > 1 && s.b >= operand_count);
}

const char *find_problem(const Instruction &in) {
    for (const Side *s : {&in.add, &in.mul}) {
        if (s->traits & Unsupported)
            return "the operation has no meaning in a compute job, or none that is documented";
        if (s->unpack_a == Unpack::Bad || s->unpack_b == Unpack::Bad || s->pack == Pack::Bad)
            return "reserved operand conversion";
        if (reads_reserved_immediate(*s))
            return "reserved small immediate";
        if (writes(*s) && s->magic && magic_name(s->dest).empty())
            return "reserved write address";
    }
    if (in.sig & signals_unsupported)
        return "the signal is reserved or has no meaning in a compute job";
    if ((in.sig & signals_with_address) && in.sig_magic && magic_name(in.sig_dest).empty())
        return "reserved write address of a signal";
    return nullptr;
}

Instruction decode_alu(uint64_t word) {
    Instruction in;
    in.sig = signals(field::sig.get(word));
    const unsigned cond = field::cond.get(word);
    if (in.sig & signals_with_address) {
        in.sig_dest = cond & 63;
        in.sig_magic = cond >> 6;
    } else if (!decode_conditions(in, cond)) {
        in.problem = "reserved condition code";
        return in;
    }
    if (!decode_add(in, word) || !decode_mul(in, word)) {
        in.problem = "reserved operation";
        return in;
    }
    in.kind = Kind::Alu;
    in.problem = find_problem(in);
    return in;
}

Instruction decode_branch(uint64_t word) {
    Instruction in;
    Branch &b = in.branch;
    b.cond = static_cast<BranchCond>(field::branch_cond.get(word));
    b.msfign = static_cast<uint8_t>(field::branch_msfign.get(word));
    b.dest = static_cast<BranchDest>(field::branch_bdi.get(word));
    b.moves_uniforms = field::branch_ub.get(word);
    const unsigned bdu = b.moves_uniforms ? field::branch_bdu.get(word) : 0;
    b.uniforms = static_cast<BranchDest>(bdu & 3);
    b.sets_link = field::branch_link.get(word);
    b.reg = static_cast<uint8_t>(field::branch_raddr.get(word));
    b.offset = (field::branch_low.get(word) << 3) + (field::branch_high.get(word) << 24);
    in.kind = Kind::Branch;
    if (b.cond == BranchCond::Reserved || b.msfign == 3 || bdu > 3)
        in.problem = "reserved branch encoding";
    else if (b.moves_uniforms && b.uniforms == BranchDest::LinkRegister)
        in.problem = "uniform branch to the link register";
    return in;
}

} // namespace

Instruction decode(uint64_t word) {
    if (field::op_mul.get(word) != 0)
        return decode_alu(word);
    if ((field::sig.get(word) & 24) == 16)
        return decode_branch(word);
    Instruction in;
    in.problem = "not an instruction";
    return in;
}

} // namespace v3dsim
