// SPDX-License-Identifier: BSD-2-Clause
//
// The instruction set of the V3D 7.1 QPU as one table: encoder, decoder, disassembler and executor all work from it,
// so that an operation exists in all of them or in none.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace v3dsim {

constexpr unsigned lanes = 16;
constexpr unsigned register_count = 64;
constexpr unsigned small_immediate_count = 48;
constexpr unsigned operand_count = register_count + small_immediate_count;

enum class Unit : uint8_t { Add, Mul };

// How an operation spends opcode and operand bits on conversions of its operands and of its result.
enum class Shape : uint8_t {
    Plain,         // none
    FloatBinary,   // opcode: pack in bits 5:4, float unpack of a in 3:2 and of b in 1:0
    FloatCompare,  // as FloatBinary without a pack
    FloatMultiply, // as FloatBinary, the pack is biased by one
    FloatPair,     // opcode: float unpack of a in 3:2, of b in 1:0
    FloatRound,    // selector: pack in 1:0, float unpack of a in 3:2
    FloatToInt,    // selector: float unpack of a in 3:2
    IntToFloat,    // selector: pack in 1:0
    FloatMove,     // selector: pack in 1:0, float unpack of a in 4:2
    IntMove,       // selector: integer unpack of a in 4:2
    HalfSwizzle,   // opcode counted from the first one: half-float unpack of a
};

enum class Op : uint8_t {
    Invalid,
    // add unit
    Nop,
    Fadd,
    Faddnf,
    Vfpack,
    Add,
    Sub,
    Fsub,
    Min,
    Max,
    Umin,
    Umax,
    Shl,
    Shr,
    Asr,
    Ror,
    Fmin,
    Fmax,
    Vfmin,
    Vfmax,
    And,
    Or,
    Xor,
    Vadd,
    Vsub,
    Not,
    Neg,
    Flapush,
    Flbpush,
    Flpop,
    Clz,
    Setmsf,
    Setrevf,
    Tidx,
    Eidx,
    Lr,
    Vfla,
    Vflna,
    Vflb,
    Vflnb,
    Xcd,
    Ycd,
    Msf,
    Revf,
    Iid,
    Sampid,
    Barrierid,
    Tmuwt,
    Vpmwt,
    Flafirst,
    Flnafirst,
    Fxcd,
    Fycd,
    LdvpmvIn,
    LdvpmvOut,
    LdvpmdIn,
    LdvpmdOut,
    Ldvpmp,
    LdvpmgIn,
    LdvpmgOut,
    Stvpmv,
    Stvpmd,
    Stvpmp,
    Recip,
    Rsqrt,
    Exp,
    Log,
    Sin,
    Rsqrt2,
    Ballot,
    Bcastf,
    Alleq,
    Allfeq,
    Fcmp,
    Fround,
    Ftoin,
    Ftrunc,
    Ftoiz,
    Ffloor,
    Ftouz,
    Fceil,
    Ftoc,
    Fdx,
    Fdy,
    Itof,
    Utof,
    Vpack,
    V8pack,
    V10pack,
    V11fpack,
    Fmov,
    Mov,
    Rotq,
    Rot,
    Shuffle,
    // mul unit
    MulNop,
    MulAdd,
    MulSub,
    Umul24,
    Vfmul,
    Smul24,
    Multop,
    MulFmov,
    MulMov,
    Fmul,
    Ftounorm16,
    Ftosnorm16,
    Vftounorm8,
    Vftosnorm8,
    Vftounorm10lo,
    Vftounorm10hi,
    Count
};

// Traits of an operation that more than one reader of the table asks for.
enum OpTrait : uint8_t {
    WritesResult = 1,
    SpecialFunction = 2, // runs in the special function unit: its result comes late
    FloatResult = 4,     // the zero flag ignores the sign of zero
    Unsupported = 8,     // known and disassembled, but it has no meaning in a compute job: executing it stops the job
    CrossLane = 16,      // a lane's result depends on other lanes
};

struct OpInfo {
    Op op;
    std::string_view name;
    Unit unit;
    uint8_t first, last; // opcodes
    uint64_t selectors;  // values of the second operand's field that select the operation; 0: the field is an operand
    uint8_t sources;
    Shape shape;
    uint8_t traits;
};

// Rows in table order; an operation may have several rows. Rows of one unit do not overlap, except the pairs that the
// order of the operands tells apart (fadd/faddnf, fmin/fmax), the vpm stores (told apart by the destination) and vpm
// loads.
std::span<const OpInfo> op_table();
// First row of an operation.
const OpInfo &op_info(Op op);
// The row that an opcode and the value of the second operand's field select, or nullptr.
const OpInfo *find_op(Unit unit, unsigned opcode, unsigned selector);

// Operand conversions. The values are the encoded ones of each kind, the kinds are told apart by their base.
enum class Unpack : uint8_t {
    None,
    FloatAbs,
    FloatLow,
    FloatHigh,
    FloatSat,
    FloatNsat,
    FloatMax0, // 32-bit float operands
    IntUnsignedLow,
    IntUnsignedHigh,
    IntSignedLow,
    IntSignedHigh, // integer moves
    HalfFromFloat,
    HalfLowLow,
    HalfHighHigh,
    HalfSwap, // pairs of half floats
    Bad
};
Unpack float_unpack(unsigned code);
Unpack int_unpack(unsigned code);
Unpack half_unpack(unsigned code);
// The code of an unpack in its own kind (the inverse of the three functions above).
unsigned unpack_code(Unpack u, Shape shape);
std::string_view unpack_name(Unpack u);

enum class Pack : uint8_t { None, Low, High, Bad };
std::string_view pack_name(Pack p);

enum class Cond : uint8_t { None, IfA, IfB, IfNA, IfNB };
std::string_view cond_name(Cond c);

// What an instruction does to the flags: push (B = A, A = condition) or combine with A.
enum class FlagUpdate : uint8_t {
    None,
    PushZ,
    PushN,
    PushC,
    AndZ,
    AndNZ,
    NorNZ,
    NorZ,
    AndN,
    AndNN,
    NorNN,
    NorN,
    AndC,
    AndNC,
    NorNC,
    NorC
};
std::string_view flag_update_name(FlagUpdate f);

enum Signal : uint16_t {
    SigThrsw = 1,
    SigLdunif = 2,
    SigLdtmu = 4,
    SigLdunifrf = 8,
    SigLdunifa = 16,
    SigLdunifarf = 32,
    SigWrtmuc = 64,
    SigSmallA = 128,
    SigSmallB = 256,
    SigSmallC = 512,
    SigSmallD = 1024,
    SigLdvary = 2048,
    SigLdtlb = 4096,
    SigLdtlbu = 8192,
    SigUcb = 16384,
    SigReserved = 32768
};
// Signals that carry a destination in the bits that otherwise hold conditions.
constexpr uint16_t signals_with_address = SigLdunifrf | SigLdunifarf | SigLdvary | SigLdtmu | SigLdtlb | SigLdtlbu;
// Signals that have no meaning in a compute job.
constexpr uint16_t signals_unsupported = SigLdvary | SigLdtlb | SigLdtlbu | SigUcb | SigReserved;
uint16_t signals(unsigned code);
// The code of a set of signals, or -1.
int signal_code(uint16_t set);

// Write addresses other than the register file ("magic").
namespace magic {
enum : uint8_t {
    Quad = 5,
    Nop = 6,
    Tlb = 7,
    Tlbu = 8,
    Unifa = 9,
    Tmul = 10,
    Tmud = 11,
    Tmua = 12,
    Tmuau = 13,
    Vpm = 14,
    Vpmu = 15,
    Sync = 16,
    Syncu = 17,
    Syncb = 18,
    Tmuc = 32,
    Tmus = 33,
    Tmut = 34,
    Tmur = 35,
    Tmui = 36,
    Tmub = 37,
    Tmudref = 38,
    Tmuoff = 39,
    Tmuscm = 40,
    Tmusf = 41,
    Tmuslod = 42,
    Tmuhs = 43,
    Tmuhscm = 44,
    Tmuhsf = 45,
    Tmuhslod = 46,
    Rep = 55
};
}
// Empty for an address that has no name.
std::string_view magic_name(unsigned address);

// The value of a packed small immediate; codes from 48 are reserved.
uint32_t small_immediate(unsigned code);

// Branches.
enum class BranchCond : uint8_t { Always, Reserved, A0, NA0, AllA, AnyNA, AnyA, AllNA };
enum class BranchDest : uint8_t { Absolute, Relative, LinkRegister, RegisterFile };
std::string_view branch_cond_name(BranchCond c);

// Places of the fields in an instruction word.
struct Field {
    uint8_t high, low;
    constexpr uint64_t mask() const { return ((uint64_t{2} << (high - low)) - 1) << low; }
    constexpr uint32_t get(uint64_t word) const { return static_cast<uint32_t>((word & mask()) >> low); }
    constexpr uint64_t put(uint64_t value) const { return (value << low) & mask(); }
};
namespace field {
constexpr Field op_mul{63, 58}, sig{57, 53}, cond{52, 46}, magic_mul{45, 45}, magic_add{44, 44}, waddr_mul{43, 38},
    waddr_add{37, 32}, op_add{31, 24}, raddr_c{23, 18}, raddr_d{17, 12}, raddr_a{11, 6}, raddr_b{5, 0};
constexpr Field branch_low{55, 35}, branch_cond{34, 32}, branch_high{31, 24}, branch_link{23, 23},
    branch_msfign{22, 21}, branch_bdu{17, 15}, branch_ub{14, 14}, branch_bdi{13, 12}, branch_raddr{11, 6};
} // namespace field

} // namespace v3dsim
