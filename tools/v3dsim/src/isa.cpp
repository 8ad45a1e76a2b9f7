// SPDX-License-Identifier: BSD-2-Clause
#include "isa.h"

#include <array>
#include <bit>
#include <vector>

namespace v3dsim {
namespace {

constexpr uint64_t any = 0;
constexpr uint64_t one(unsigned selector) {
    return uint64_t{1} << selector;
}
constexpr uint64_t range(unsigned first, unsigned last) {
    return (((uint64_t{2} << (last - first)) - 1) << first);
}
// Four float unpacks times three packs, from `base`.
constexpr uint64_t round_selectors(unsigned base) {
    return range(base, base + 2) | range(base + 4, base + 6) | range(base + 8, base + 10) | range(base + 12, base + 14);
}
// Four float unpacks in bits 3:2.
constexpr uint64_t to_int_selectors(unsigned base) {
    return one(base) | one(base + 4) | one(base + 8) | one(base + 12);
}
constexpr uint64_t fmov_selectors = round_selectors(0) | range(16, 18) | range(20, 22) | range(24, 26);
constexpr uint64_t mov_selectors = one(3) | one(7) | one(11) | one(15) | one(19);

constexpr uint8_t r = WritesResult, rf = WritesResult | FloatResult, unsupported = WritesResult | Unsupported;
constexpr uint8_t sfu = WritesResult | FloatResult | SpecialFunction;
constexpr uint8_t cross = WritesResult | CrossLane, cross_sfu = WritesResult | CrossLane | SpecialFunction;

constexpr Unit A = Unit::Add, M = Unit::Mul;
constexpr OpInfo table[] = {
    {Op::Fadd, "fadd", A, 0, 47, any, 2, Shape::FloatBinary, rf},
    // Told from fadd by the order of the operands.
    {Op::Faddnf, "faddnf", A, 0, 47, any, 2, Shape::FloatBinary, rf},
    {Op::Vfpack, "vfpack", A, 53, 55, any, 2, Shape::FloatPair, r},
    {Op::Add, "add", A, 56, 56, any, 2, Shape::Plain, r},
    {Op::Vfpack, "vfpack", A, 57, 59, any, 2, Shape::FloatPair, r},
    {Op::Sub, "sub", A, 60, 60, any, 2, Shape::Plain, r},
    {Op::Vfpack, "vfpack", A, 61, 63, any, 2, Shape::FloatPair, r},
    {Op::Fsub, "fsub", A, 64, 111, any, 2, Shape::FloatBinary, rf},
    {Op::Min, "min", A, 120, 120, any, 2, Shape::Plain, r},
    {Op::Max, "max", A, 121, 121, any, 2, Shape::Plain, r},
    {Op::Umin, "umin", A, 122, 122, any, 2, Shape::Plain, r},
    {Op::Umax, "umax", A, 123, 123, any, 2, Shape::Plain, r},
    {Op::Shl, "shl", A, 124, 124, any, 2, Shape::Plain, r},
    {Op::Shr, "shr", A, 125, 125, any, 2, Shape::Plain, r},
    {Op::Asr, "asr", A, 126, 126, any, 2, Shape::Plain, r},
    {Op::Ror, "ror", A, 127, 127, any, 2, Shape::Plain, r},
    {Op::Fmin, "fmin", A, 128, 175, any, 2, Shape::FloatBinary, rf},
    {Op::Fmax, "fmax", A, 128, 175, any, 2, Shape::FloatBinary, rf},
    {Op::Vfmin, "vfmin", A, 176, 180, any, 2, Shape::HalfSwizzle, r},
    {Op::And, "and", A, 181, 181, any, 2, Shape::Plain, r},
    {Op::Or, "or", A, 182, 182, any, 2, Shape::Plain, r},
    {Op::Xor, "xor", A, 183, 183, any, 2, Shape::Plain, r},
    {Op::Vadd, "vadd", A, 184, 184, any, 2, Shape::Plain, r},
    {Op::Vsub, "vsub", A, 185, 185, any, 2, Shape::Plain, r},
    {Op::Not, "not", A, 186, 186, one(0), 1, Shape::Plain, r},
    {Op::Neg, "neg", A, 186, 186, one(1), 1, Shape::Plain, r},
    {Op::Flapush, "flapush", A, 186, 186, one(2), 1, Shape::Plain, r},
    {Op::Flbpush, "flbpush", A, 186, 186, one(3), 1, Shape::Plain, r},
    {Op::Flpop, "flpop", A, 186, 186, one(4), 1, Shape::Plain, r},
    {Op::Clz, "clz", A, 186, 186, one(5), 1, Shape::Plain, r},
    {Op::Setmsf, "setmsf", A, 186, 186, one(6), 1, Shape::Plain, r},
    {Op::Setrevf, "setrevf", A, 186, 186, one(7), 1, Shape::Plain, unsupported},
    {Op::Nop, "nop", A, 187, 187, one(0), 0, Shape::Plain, 0},
    {Op::Tidx, "tidx", A, 187, 187, one(1), 0, Shape::Plain, r},
    {Op::Eidx, "eidx", A, 187, 187, one(2), 0, Shape::Plain, r},
    {Op::Lr, "lr", A, 187, 187, one(3), 0, Shape::Plain, r},
    {Op::Vfla, "vfla", A, 187, 187, one(4), 0, Shape::Plain, r},
    {Op::Vflna, "vflna", A, 187, 187, one(5), 0, Shape::Plain, r},
    {Op::Vflb, "vflb", A, 187, 187, one(6), 0, Shape::Plain, r},
    {Op::Vflnb, "vflnb", A, 187, 187, one(7), 0, Shape::Plain, r},
    {Op::Xcd, "xcd", A, 187, 187, one(8), 0, Shape::Plain, unsupported},
    {Op::Ycd, "ycd", A, 187, 187, one(9), 0, Shape::Plain, unsupported},
    {Op::Msf, "msf", A, 187, 187, one(10), 0, Shape::Plain, r},
    {Op::Revf, "revf", A, 187, 187, one(11), 0, Shape::Plain, unsupported},
    {Op::Iid, "iid", A, 187, 187, one(12), 0, Shape::Plain, unsupported},
    {Op::Sampid, "sampid", A, 187, 187, one(13), 0, Shape::Plain, unsupported},
    {Op::Barrierid, "barrierid", A, 187, 187, one(14), 0, Shape::Plain, r},
    {Op::Tmuwt, "tmuwt", A, 187, 187, one(15), 0, Shape::Plain, r},
    {Op::Vpmwt, "vpmwt", A, 187, 187, one(16), 0, Shape::Plain, unsupported},
    {Op::Flafirst, "flafirst", A, 187, 187, one(17), 0, Shape::Plain, cross},
    {Op::Flnafirst, "flnafirst", A, 187, 187, one(18), 0, Shape::Plain, cross},
    {Op::Fxcd, "fxcd", A, 187, 187, range(32, 34), 0, Shape::Plain, unsupported},
    {Op::Fycd, "fycd", A, 187, 187, range(36, 38), 0, Shape::Plain, unsupported},
    // The vpm loads have an "in" and an "out" form, told apart by the bit that otherwise makes the destination magic.
    {Op::LdvpmvIn, "ldvpmv_in", A, 188, 188, one(0), 1, Shape::Plain, unsupported},
    {Op::LdvpmvOut, "ldvpmv_out", A, 188, 188, one(0), 1, Shape::Plain, unsupported},
    {Op::LdvpmdIn, "ldvpmd_in", A, 188, 188, one(1), 1, Shape::Plain, unsupported},
    {Op::LdvpmdOut, "ldvpmd_out", A, 188, 188, one(1), 1, Shape::Plain, unsupported},
    {Op::Ldvpmp, "ldvpmp", A, 188, 188, one(2), 1, Shape::Plain, unsupported},
    {Op::Recip, "recip", A, 188, 188, one(32), 1, Shape::Plain, sfu},
    {Op::Rsqrt, "rsqrt", A, 188, 188, one(33), 1, Shape::Plain, sfu},
    {Op::Exp, "exp", A, 188, 188, one(34), 1, Shape::Plain, sfu},
    {Op::Log, "log", A, 188, 188, one(35), 1, Shape::Plain, sfu},
    {Op::Sin, "sin", A, 188, 188, one(36), 1, Shape::Plain, sfu},
    {Op::Rsqrt2, "rsqrt2", A, 188, 188, one(37), 1, Shape::Plain, sfu},
    {Op::Ballot, "ballot", A, 188, 188, one(38), 1, Shape::Plain, cross_sfu},
    {Op::Bcastf, "bcastf", A, 188, 188, one(39), 1, Shape::Plain, cross_sfu},
    {Op::Alleq, "alleq", A, 188, 188, one(40), 1, Shape::Plain, cross_sfu},
    {Op::Allfeq, "allfeq", A, 188, 188, one(41), 1, Shape::Plain, cross_sfu},
    {Op::LdvpmgIn, "ldvpmg_in", A, 189, 189, any, 2, Shape::Plain, unsupported},
    {Op::LdvpmgOut, "ldvpmg_out", A, 189, 189, any, 2, Shape::Plain, unsupported},
    // The vpm stores are told apart by the destination field: 0, 1, 2.
    {Op::Stvpmv, "stvpmv", A, 190, 190, any, 2, Shape::Plain, Unsupported},
    {Op::Stvpmd, "stvpmd", A, 190, 190, any, 2, Shape::Plain, Unsupported},
    {Op::Stvpmp, "stvpmp", A, 190, 190, any, 2, Shape::Plain, Unsupported},
    {Op::Fcmp, "fcmp", A, 192, 207, any, 2, Shape::FloatCompare, rf},
    {Op::Vfmax, "vfmax", A, 240, 244, any, 2, Shape::HalfSwizzle, r},
    {Op::Fround, "fround", A, 245, 245, round_selectors(0), 1, Shape::FloatRound, rf},
    {Op::Ftoin, "ftoin", A, 245, 245, to_int_selectors(3), 1, Shape::FloatToInt, r},
    {Op::Ftrunc, "ftrunc", A, 245, 245, round_selectors(16), 1, Shape::FloatRound, rf},
    {Op::Ftoiz, "ftoiz", A, 245, 245, to_int_selectors(19), 1, Shape::FloatToInt, r},
    {Op::Ffloor, "ffloor", A, 245, 245, round_selectors(32), 1, Shape::FloatRound, rf},
    {Op::Ftouz, "ftouz", A, 245, 245, to_int_selectors(35), 1, Shape::FloatToInt, r},
    {Op::Fceil, "fceil", A, 245, 245, round_selectors(48), 1, Shape::FloatRound, rf},
    {Op::Ftoc, "ftoc", A, 245, 245, to_int_selectors(51), 1, Shape::FloatToInt, unsupported},
    {Op::Fdx, "fdx", A, 246, 246, round_selectors(0), 1, Shape::FloatRound, rf | CrossLane},
    {Op::Fdy, "fdy", A, 246, 246, round_selectors(16), 1, Shape::FloatRound, rf | CrossLane},
    {Op::Itof, "itof", A, 246, 246, range(32, 34), 1, Shape::IntToFloat, rf},
    {Op::Utof, "utof", A, 246, 246, range(36, 38), 1, Shape::IntToFloat, rf},
    {Op::Vpack, "vpack", A, 247, 247, any, 2, Shape::Plain, r},
    {Op::V8pack, "v8pack", A, 248, 248, any, 2, Shape::Plain, r},
    {Op::Fmov, "fmov", A, 249, 249, fmov_selectors, 1, Shape::FloatMove, rf},
    {Op::Mov, "mov", A, 249, 249, mov_selectors, 1, Shape::IntMove, r},
    {Op::V10pack, "v10pack", A, 250, 250, any, 2, Shape::Plain, r},
    {Op::V11fpack, "v11fpack", A, 251, 251, any, 2, Shape::Plain, r},
    {Op::Rotq, "rotq", A, 252, 252, any, 2, Shape::Plain, cross_sfu},
    {Op::Rot, "rot", A, 253, 253, any, 2, Shape::Plain, cross_sfu},
    {Op::Shuffle, "shuffle", A, 254, 254, any, 2, Shape::Plain, cross_sfu},

    {Op::MulAdd, "add", M, 1, 1, any, 2, Shape::Plain, r},
    {Op::MulSub, "sub", M, 2, 2, any, 2, Shape::Plain, r},
    {Op::Umul24, "umul24", M, 3, 3, any, 2, Shape::Plain, r},
    {Op::Vfmul, "vfmul", M, 4, 8, any, 2, Shape::HalfSwizzle, r},
    {Op::Smul24, "smul24", M, 9, 9, any, 2, Shape::Plain, r},
    {Op::Multop, "multop", M, 10, 10, any, 2, Shape::Plain, r},
    {Op::MulFmov, "fmov", M, 14, 14, fmov_selectors, 1, Shape::FloatMove, rf},
    {Op::MulMov, "mov", M, 14, 14, mov_selectors, 1, Shape::IntMove, r},
    {Op::Ftounorm16, "ftounorm16", M, 14, 14, one(32), 1, Shape::Plain, r},
    {Op::Ftosnorm16, "ftosnorm16", M, 14, 14, one(33), 1, Shape::Plain, r},
    {Op::Vftounorm8, "vftounorm8", M, 14, 14, one(34), 1, Shape::Plain, r},
    {Op::Vftosnorm8, "vftosnorm8", M, 14, 14, one(35), 1, Shape::Plain, r},
    {Op::Vftounorm10lo, "vftounorm10lo", M, 14, 14, one(48), 1, Shape::Plain, r},
    {Op::Vftounorm10hi, "vftounorm10hi", M, 14, 14, one(49), 1, Shape::Plain, r},
    {Op::MulNop, "nop", M, 14, 14, one(63), 0, Shape::Plain, 0},
    {Op::Fmul, "fmul", M, 16, 63, any, 2, Shape::FloatMultiply, rf},
};

// Row of the table for each opcode and selector.
struct Index {
    std::array<uint8_t, 256 * 64> add{};
    std::array<uint8_t, 64 * 64> mul{};
    std::array<uint8_t, static_cast<size_t>(Op::Count)> first{};

    Index() {
        static_assert(std::size(table) < 255);
        for (size_t i = std::size(table); i-- > 0;) {
            const OpInfo &info = table[i];
            first[static_cast<size_t>(info.op)] = static_cast<uint8_t>(i);
            for (unsigned code = info.first; code <= info.last; code++)
                for (unsigned selector = 0; selector < 64; selector++)
                    if (info.selectors == any || (info.selectors >> selector & 1))
                        (info.unit == Unit::Add ? add[code * 64 + selector] : mul[code * 64 + selector]) =
                            static_cast<uint8_t>(i + 1);
        }
    }
};
const Index &index() {
    static const Index instance;
    return instance;
}

constexpr uint16_t signal_table[32] = {0,
                                       SigThrsw,
                                       SigLdunif,
                                       SigThrsw | SigLdunif,
                                       SigLdtmu,
                                       SigThrsw | SigLdtmu,
                                       SigLdtmu | SigLdunif,
                                       SigThrsw | SigLdtmu | SigLdunif,
                                       SigLdvary,
                                       SigThrsw | SigLdvary,
                                       SigLdvary | SigLdunif,
                                       SigThrsw | SigLdvary | SigLdunif,
                                       SigLdunifrf,
                                       SigThrsw | SigLdunifrf,
                                       SigSmallA,
                                       SigSmallB,
                                       SigLdtlb,
                                       SigLdtlbu,
                                       SigWrtmuc,
                                       SigThrsw | SigWrtmuc,
                                       SigLdvary | SigWrtmuc,
                                       SigThrsw | SigLdvary | SigWrtmuc,
                                       SigUcb,
                                       SigReserved,
                                       SigLdunifa,
                                       SigLdunifarf,
                                       SigLdtmu | SigWrtmuc,
                                       SigThrsw | SigLdtmu | SigWrtmuc,
                                       SigReserved,
                                       SigReserved,
                                       SigSmallC,
                                       SigSmallD};

} // namespace

std::span<const OpInfo> op_table() {
    return table;
}

const OpInfo &op_info(Op op) {
    return table[index().first[static_cast<size_t>(op)]];
}

const OpInfo *find_op(Unit unit, unsigned opcode, unsigned selector) {
    const unsigned row = unit == Unit::Add ? index().add[opcode * 64 + selector] : index().mul[opcode * 64 + selector];
    return row ? &table[row - 1] : nullptr;
}

Unpack float_unpack(unsigned code) {
    constexpr Unpack map[8] = {Unpack::FloatAbs, Unpack::None,      Unpack::FloatLow,  Unpack::FloatHigh,
                               Unpack::FloatSat, Unpack::FloatNsat, Unpack::FloatMax0, Unpack::Bad};
    return map[code & 7];
}

Unpack int_unpack(unsigned code) {
    constexpr Unpack map[8] = {Unpack::None,
                               Unpack::IntUnsignedLow,
                               Unpack::IntUnsignedHigh,
                               Unpack::IntSignedLow,
                               Unpack::IntSignedHigh,
                               Unpack::Bad,
                               Unpack::Bad,
                               Unpack::Bad};
    return map[code & 7];
}

Unpack half_unpack(unsigned code) {
    constexpr Unpack map[8] = {Unpack::None,     Unpack::HalfFromFloat, Unpack::HalfLowLow, Unpack::HalfHighHigh,
                               Unpack::HalfSwap, Unpack::Bad,           Unpack::Bad,        Unpack::Bad};
    return map[code & 7];
}

unsigned unpack_code(Unpack u, Shape shape) {
    for (unsigned code = 0; code < 7; code++)
        if ((shape == Shape::IntMove       ? int_unpack(code)
             : shape == Shape::HalfSwizzle ? half_unpack(code)
                                           : float_unpack(code)) == u)
            return code;
    return 7;
}

std::string_view unpack_name(Unpack u) {
    constexpr std::string_view names[] = {"",    ".abs", ".l",  ".h",  ".sat", ".nsat", ".max0", ".ul",
                                          ".uh", ".il",  ".ih", ".ff", ".ll",  ".hh",   ".swp",  ".bad"};
    return names[static_cast<size_t>(u)];
}

std::string_view pack_name(Pack p) {
    constexpr std::string_view names[] = {"", ".l", ".h", ".bad"};
    return names[static_cast<size_t>(p)];
}

std::string_view cond_name(Cond c) {
    constexpr std::string_view names[] = {"", ".ifa", ".ifb", ".ifna", ".ifnb"};
    return names[static_cast<size_t>(c)];
}

std::string_view flag_update_name(FlagUpdate f) {
    constexpr std::string_view names[] = {"",      ".pushz", ".pushn", ".pushc", ".andz", ".andnz", ".nornz", ".norz",
                                          ".andn", ".andnn", ".nornn", ".norn",  ".andc", ".andnc", ".nornc", ".norc"};
    return names[static_cast<size_t>(f)];
}

uint16_t signals(unsigned code) {
    return signal_table[code & 31];
}

int signal_code(uint16_t set) {
    for (unsigned code = 0; code < 32; code++)
        if (signal_table[code] == set && !(set & SigReserved))
            return static_cast<int>(code);
    return -1;
}

std::string_view magic_name(unsigned address) {
    switch (address) {
    case magic::Quad:
        return "quad";
    case magic::Nop:
        return "-";
    case magic::Tlb:
        return "tlb";
    case magic::Tlbu:
        return "tlbu";
    case magic::Unifa:
        return "unifa";
    case magic::Tmul:
        return "tmul";
    case magic::Tmud:
        return "tmud";
    case magic::Tmua:
        return "tmua";
    case magic::Tmuau:
        return "tmuau";
    case magic::Vpm:
        return "vpm";
    case magic::Vpmu:
        return "vpmu";
    case magic::Sync:
        return "sync";
    case magic::Syncu:
        return "syncu";
    case magic::Syncb:
        return "syncb";
    case magic::Tmuc:
        return "tmuc";
    case magic::Tmus:
        return "tmus";
    case magic::Tmut:
        return "tmut";
    case magic::Tmur:
        return "tmur";
    case magic::Tmui:
        return "tmui";
    case magic::Tmub:
        return "tmub";
    case magic::Tmudref:
        return "tmudref";
    case magic::Tmuoff:
        return "tmuoff";
    case magic::Tmuscm:
        return "tmuscm";
    case magic::Tmusf:
        return "tmusf";
    case magic::Tmuslod:
        return "tmuslod";
    case magic::Tmuhs:
        return "tmuhs";
    case magic::Tmuhscm:
        return "tmuhscm";
    case magic::Tmuhsf:
        return "tmuhsf";
    case magic::Tmuhslod:
        return "tmuhslod";
    case magic::Rep:
        return "rep";
    default:
        return {};
    }
}

uint32_t small_immediate(unsigned code) {
    if (code < 16)
        return code;
    if (code < 32)
        return code - 32u;
    return (127u - 8 + (code - 32)) << 23; // 2^-8 … 2^7
}

std::string_view branch_cond_name(BranchCond c) {
    constexpr std::string_view names[] = {"", ".bad", ".a0", ".na0", ".alla", ".anyna", ".anya", ".allna"};
    return names[static_cast<size_t>(c)];
}

} // namespace v3dsim
