// SPDX-License-Identifier: BSD-2-Clause
//
// This file is compiled once for each vector instruction set, in a namespace of its own (V3DSIM_ENGINE), so that
// nothing in here may be an inline function that another file also instantiates.
#include "execute.h"

#include "half.h"
#include "tmu.h"

#include <cmath>
#include <cstring>

namespace v3dsim::V3DSIM_ENGINE {
namespace {

// Results need no conversion into a vector mask and back: a comparison of vectors is a mask.
inline LaneMask to_bits(const Lanes &mask) {
    uint32_t bits = 0;
    for (unsigned l = 0; l < lanes; l++)
        bits |= (mask[l] & 1) << l;
    return static_cast<LaneMask>(bits);
}

inline Lanes broadcast(uint32_t value) {
    return Lanes{} + value;
}
inline FloatLanes as_float(const Lanes &v) {
    return reinterpret_cast<const FloatLanes &>(v);
}
inline Lanes as_bits(const FloatLanes &v) {
    return reinterpret_cast<const Lanes &>(v);
}
inline IntLanes as_int(const Lanes &v) {
    return reinterpret_cast<const IntLanes &>(v);
}
inline Lanes as_bits(const IntLanes &v) {
    return reinterpret_cast<const Lanes &>(v);
}

template <typename F>
inline void each_lane(F &&f) {
    for (unsigned l = 0; l < lanes; l++)
        f(l);
}

inline float to_float(uint32_t bits) {
    return std::bit_cast<float>(bits);
}
inline uint32_t to_word(float f) {
    return std::bit_cast<uint32_t>(f);
}

// Conversions of an operand before the operation.
void unpack(Lanes &out, const Lanes &in, Unpack kind) {
    const FloatLanes f = as_float(in);
    switch (kind) {
    case Unpack::None:
    case Unpack::Bad:
        out = in;
        break;
    case Unpack::FloatAbs:
        out = in & 0x7fffffffu;
        break;
    case Unpack::FloatLow:
        each_lane([&](unsigned l) { out[l] = to_word(half_to_float(in[l] & 0xffff)); });
        break;
    case Unpack::FloatHigh:
        each_lane([&](unsigned l) { out[l] = to_word(half_to_float(in[l] >> 16)); });
        break;
    case Unpack::FloatSat:
        each_lane([&](unsigned l) { out[l] = to_word(f[l] > 0.0f ? (f[l] < 1.0f ? f[l] : 1.0f) : 0.0f); });
        break;
    case Unpack::FloatNsat:
        each_lane([&](unsigned l) { out[l] = to_word(f[l] > -1.0f ? (f[l] < 1.0f ? f[l] : 1.0f) : -1.0f); });
        break;
    case Unpack::FloatMax0:
        each_lane([&](unsigned l) { out[l] = to_word(f[l] > 0.0f ? f[l] : 0.0f); });
        break;
    case Unpack::IntUnsignedLow:
        out = in & 0xffffu;
        break;
    case Unpack::IntUnsignedHigh:
        out = in >> 16;
        break;
    case Unpack::IntSignedLow:
        out = as_bits(as_int(in << 16) >> 16);
        break;
    case Unpack::IntSignedHigh:
        out = as_bits(as_int(in) >> 16);
        break;
    case Unpack::HalfFromFloat:
        each_lane([&](unsigned l) { out[l] = float_to_half(f[l]) * 0x10001u; });
        break;
    case Unpack::HalfLowLow:
        out = (in & 0xffffu) | in << 16;
        break;
    case Unpack::HalfHighHigh:
        out = (in & 0xffff0000u) | in >> 16;
        break;
    case Unpack::HalfSwap:
        out = in << 16 | in >> 16;
        break;
    }
}

template <typename F>
inline void half_pairs(Lanes &out, const Lanes &a, const Lanes &b, F &&f) {
    each_lane([&](unsigned l) {
        const float low = f(half_to_float(a[l] & 0xffff), half_to_float(b[l] & 0xffff));
        const float high = f(half_to_float(a[l] >> 16), half_to_float(b[l] >> 16));
        out[l] = float_to_half(low) | static_cast<uint32_t>(float_to_half(high)) << 16;
    });
}

// A number wins over a NaN.
inline float minimum(float a, float b) {
    return a != a ? b : b != b ? a : a < b ? a : b;
}
inline float maximum(float a, float b) {
    return a != a ? b : b != b ? a : a > b ? a : b;
}

inline int32_t saturate_signed(float f) {
    return f != f ? 0 : f >= 0x1p31f ? INT32_MAX : f < -0x1p31f ? INT32_MIN : static_cast<int32_t>(f);
}
inline uint32_t saturate_unsigned(float f) {
    return !(f > 0.0f) ? 0 : f >= 0x1p32f ? UINT32_MAX : static_cast<uint32_t>(f);
}

// Normalised integers of `bits` bits: the exact product, which a double holds, rounded once, to nearest even.
inline uint32_t to_unorm(float f, unsigned bits) {
    const double limit = (1u << bits) - 1;
    const double clamped = f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
    return static_cast<uint32_t>(std::nearbyint(clamped * limit));
}
inline uint32_t to_snorm(float f, unsigned bits) {
    const double limit = (1u << (bits - 1)) - 1;
    const double clamped = f > -1.0f ? (f < 1.0f ? f : 1.0f) : f != f ? 0.0f : -1.0f;
    return static_cast<uint32_t>(static_cast<int32_t>(std::nearbyint(clamped * limit)));
}

// An unsigned float with 5 bits of exponent and `mantissa` bits, from a half: negative values become 0, rounding is
// towards zero.
inline uint32_t half_to_small_float(uint32_t half, unsigned mantissa) {
    if ((half & 0x7c00) == 0x7c00 && (half & 0x3ff))
        return 0x1fu << mantissa | 1;
    if (half & 0x8000)
        return 0;
    return half >> (10 - mantissa);
}

// Lanes that take part in an operation across lanes: active, and picked by the condition.
LaneMask participants(const Thread &t, Cond cond);

inline const Lanes &condition_flag(const Thread &t, Cond cond) {
    return cond == Cond::IfA || cond == Cond::IfNA ? t.flag_a : t.flag_b;
}
// ~0 for the lanes that are written.
inline Lanes condition_mask(const Thread &t, Cond cond) {
    if (cond == Cond::None)
        return broadcast(~0u);
    const Lanes &flag = condition_flag(t, cond);
    return cond == Cond::IfA || cond == Cond::IfB ? flag : ~flag;
}

LaneMask participants(const Thread &t, Cond cond) {
    return to_bits(t.active & condition_mask(t, cond));
}

void cross_lane(const Thread &t, const Side &s, const Lanes &a, const Lanes &b, Lanes &r) {
    const LaneMask in = participants(t, s.cond);
    const unsigned first = in ? static_cast<unsigned>(__builtin_ctz(in)) : lanes;
    switch (s.op) {
    case Op::Ballot: {
        uint32_t bits = 0;
        each_lane([&](unsigned l) { bits |= (in >> l & 1 && a[l] ? 1u : 0u) << l; });
        r = broadcast(bits);
        break;
    }
    case Op::Bcastf:
        r = broadcast(first < lanes ? a[first] : 0);
        break;
    case Op::Alleq:
    case Op::Allfeq: {
        bool equal = true;
        for (unsigned l = 0; l < lanes; l++)
            if (in >> l & 1)
                equal &= s.op == Op::Alleq ? a[l] == a[first] : to_float(a[l]) == to_float(a[first]);
        r = broadcast(equal);
        break;
    }
    case Op::Flafirst:
    case Op::Flnafirst: {
        const LaneMask flags = s.op == Op::Flafirst ? to_bits(t.flag_a) : static_cast<LaneMask>(~to_bits(t.flag_a));
        r = Lanes{};
        if (flags)
            r[static_cast<unsigned>(__builtin_ctz(flags))] = 1;
        break;
    }
    case Op::Rot: // by the first lane's operand
        each_lane([&](unsigned l) { r[l] = a[(l + b[0]) & 15]; });
        break;
    case Op::Rotq: // by that of each quad's first lane
        each_lane([&](unsigned l) { r[l] = a[(l & ~3u) | ((l + b[l & ~3u]) & 3)]; });
        break;
    case Op::Shuffle:
        each_lane([&](unsigned l) { r[l] = a[b[l] & 15]; });
        break;
    case Op::Fdx:
        each_lane([&](unsigned l) { r[l] = to_word(to_float(a[l | 1]) - to_float(a[l & ~1u])); });
        break;
    case Op::Fdy:
        each_lane([&](unsigned l) { r[l] = to_word(to_float(a[l | 2]) - to_float(a[l & ~2u])); });
        break;
    default:
        break;
    }
}

// The rarely used operations on each lane of their own.
void slow_operation(Op op, const Lanes &a, const Lanes &b, Lanes &r) {
    const FloatLanes f = as_float(a);
    switch (op) {
    case Op::Vfmin:
        half_pairs(r, a, b, minimum);
        break;
    case Op::Vfmax:
        half_pairs(r, a, b, maximum);
        break;
    case Op::Vfmul:
        half_pairs(r, a, b, [](float x, float y) { return x * y; });
        break;
    case Op::Vfpack:
        each_lane([&](unsigned l) {
            r[l] = float_to_half(to_float(a[l])) | static_cast<uint32_t>(float_to_half(to_float(b[l]))) << 16;
        });
        break;
    case Op::V10pack:
        r = (a & 0x3ffu) | (a >> 16 & 0x3ffu) << 10 | (b & 0x3ffu) << 20 | (b >> 16 & 3u) << 30;
        break;
    case Op::V11fpack:
        each_lane([&](unsigned l) {
            r[l] = half_to_small_float(a[l] & 0xffff, 6) | half_to_small_float(a[l] >> 16, 6) << 11 |
                   half_to_small_float(b[l] & 0xffff, 5) << 22;
        });
        break;
    case Op::Ftounorm16:
        each_lane([&](unsigned l) { r[l] = to_unorm(f[l], 16); });
        break;
    case Op::Ftosnorm16:
        each_lane([&](unsigned l) { r[l] = to_snorm(f[l], 16); });
        break;
    case Op::Vftounorm8:
        each_lane([&](unsigned l) {
            r[l] = to_unorm(half_to_float(a[l] & 0xffff), 8) | to_unorm(half_to_float(a[l] >> 16), 8) << 16;
        });
        break;
    case Op::Vftosnorm8:
        each_lane([&](unsigned l) {
            r[l] = (to_snorm(half_to_float(a[l] & 0xffff), 8) & 0xffff) | to_snorm(half_to_float(a[l] >> 16), 8) << 16;
        });
        break;
    case Op::Vftounorm10lo:
        each_lane([&](unsigned l) {
            r[l] = to_unorm(half_to_float(a[l] & 0xffff), 10) | to_unorm(half_to_float(a[l] >> 16), 10) << 16;
        });
        break;
    case Op::Vftounorm10hi:
        each_lane([&](unsigned l) {
            r[l] = to_unorm(half_to_float(a[l] & 0xffff), 10) | to_unorm(half_to_float(a[l] >> 16), 2) << 16;
        });
        break;
    case Op::Recip:
        each_lane([&](unsigned l) { r[l] = to_word(1.0f / f[l]); });
        break;
    case Op::Rsqrt:
    case Op::Rsqrt2:
        each_lane([&](unsigned l) { r[l] = to_word(1.0f / std::sqrt(f[l])); });
        break;
    case Op::Exp:
        each_lane([&](unsigned l) { r[l] = to_word(std::exp2(f[l])); });
        break;
    case Op::Log:
        each_lane([&](unsigned l) { r[l] = to_word(std::log2(f[l])); });
        break;
    case Op::Sin: // the operand is in units of pi
        each_lane([&](unsigned l) { r[l] = to_word(static_cast<float>(std::sin(double{f[l]} * M_PI))); });
        break;
    case Op::Fround:
        each_lane([&](unsigned l) { r[l] = to_word(std::nearbyint(f[l])); });
        break;
    case Op::Ftrunc:
        each_lane([&](unsigned l) { r[l] = to_word(std::trunc(f[l])); });
        break;
    case Op::Ffloor:
        each_lane([&](unsigned l) { r[l] = to_word(std::floor(f[l])); });
        break;
    case Op::Fceil:
        each_lane([&](unsigned l) { r[l] = to_word(std::ceil(f[l])); });
        break;
    case Op::Ftoin:
        each_lane([&](unsigned l) { r[l] = static_cast<uint32_t>(saturate_signed(std::nearbyint(f[l]))); });
        break;
    case Op::Ftoiz:
        each_lane([&](unsigned l) { r[l] = static_cast<uint32_t>(saturate_signed(f[l])); });
        break;
    case Op::Ftouz:
        each_lane([&](unsigned l) { r[l] = saturate_unsigned(f[l]); });
        break;
    case Op::Clz:
        each_lane([&](unsigned l) { r[l] = a[l] ? static_cast<uint32_t>(__builtin_clz(a[l])) : 32; });
        break;
    case Op::Vadd:
        r = ((a & 0xffff0000u) + (b & 0xffff0000u)) | ((a + b) & 0xffffu);
        break;
    case Op::Vsub:
        r = ((a & 0xffff0000u) - (b & 0xffff0000u)) | ((a - b) & 0xffffu);
        break;
    default:
        break;
    }
}

constexpr Lanes lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The result of one side. Reads registers only; what else an operation changes happens in finish_side().
inline void operate(const Thread &t, const Side &s, const Lanes &a, const Lanes &b, Lanes &r) {
    switch (s.op) {
    case Op::Nop:
    case Op::MulNop:
    case Op::Setmsf:
    case Op::Multop:
        break;
    case Op::Fadd:
    case Op::Faddnf: // what it does to NaNs differs, in a way that is not documented
        r = as_bits(as_float(a) + as_float(b));
        break;
    case Op::Fsub:
    case Op::Fcmp:
        r = as_bits(as_float(a) - as_float(b));
        break;
    case Op::Fmul:
        r = as_bits(as_float(a) * as_float(b));
        break;
    case Op::Fmin:
        each_lane([&](unsigned l) { r[l] = to_word(minimum(to_float(a[l]), to_float(b[l]))); });
        break;
    case Op::Fmax:
        each_lane([&](unsigned l) { r[l] = to_word(maximum(to_float(a[l]), to_float(b[l]))); });
        break;
    case Op::Add:
    case Op::MulAdd:
        r = a + b;
        break;
    case Op::Sub:
    case Op::MulSub:
        r = a - b;
        break;
    case Op::Min:
        r = as_int(a) > as_int(b) ? b : a;
        break;
    case Op::Max:
        r = as_int(a) > as_int(b) ? a : b;
        break;
    case Op::Umin:
        r = a > b ? b : a;
        break;
    case Op::Umax:
        r = a > b ? a : b;
        break;
    case Op::Shl:
        r = a << (b & 31);
        break;
    case Op::Shr:
        r = a >> (b & 31);
        break;
    case Op::Asr:
        r = as_bits(as_int(a) >> as_int(b & 31));
        break;
    case Op::Ror:
        r = a >> (b & 31) | a << (-b & 31);
        break;
    case Op::And:
        r = a & b;
        break;
    case Op::Or:
        r = a | b;
        break;
    case Op::Xor:
        r = a ^ b;
        break;
    case Op::Not:
        r = ~a;
        break;
    case Op::Neg:
        r = -a;
        break;
    case Op::Mov:
    case Op::MulMov:
    case Op::Fmov:
    case Op::MulFmov:
        r = a;
        break;
    case Op::Umul24:
        r = (a & 0xffffffu) * (b & 0xffffffu) + t.rtop;
        break;
    case Op::Smul24:
        r = as_bits((as_int(a << 8) >> 8) * (as_int(b << 8) >> 8));
        break;
    case Op::Vpack:
        r = (a & 0xffffu) | b << 16;
        break;
    case Op::V8pack:
        r = (a & 0xffu) | (a >> 8 & 0xff00u) | (b & 0xffu) << 16 | (b << 8 & 0xff000000u);
        break;
    case Op::Itof:
        r = as_bits(__builtin_convertvector(as_int(a), FloatLanes));
        break;
    case Op::Utof:
        r = as_bits(__builtin_convertvector(a, FloatLanes));
        break;
    case Op::Tidx:
        r = broadcast(t.thread_index);
        break;
    case Op::Eidx:
        r = lane_numbers;
        break;
    case Op::Lr:
        r = broadcast(t.link);
        break;
    case Op::Msf:
        r = t.msf;
        break;
    case Op::Barrierid:
    case Op::Tmuwt:
        r = Lanes{};
        break;
    case Op::Vfla:
        r = t.flag_a & 0x10001u;
        break;
    case Op::Vflna:
        r = ~t.flag_a & 0x10001u;
        break;
    case Op::Vflb:
        r = t.flag_b & 0x10001u;
        break;
    case Op::Vflnb:
        r = ~t.flag_b & 0x10001u;
        break;
    case Op::Flapush:
        r = a << 2 | (t.flag_a & 3u);
        break;
    case Op::Flbpush:
        r = a << 2 | (t.flag_b & 3u);
        break;
    case Op::Flpop: // the flags that it drops come back by the instruction's own update
        r = a >> 2;
        break;
    default:
        if (s.traits & CrossLane)
            cross_lane(t, s, a, b, r);
        else
            slow_operation(s.op, a, b, r);
        break;
    }
}

// The carry condition, as a mask.
void carry(const Side &s, const Lanes &a, const Lanes &b, const Lanes &r, Lanes &c) {
    switch (s.op) {
    case Op::Add:
    case Op::MulAdd:
        c = reinterpret_cast<Lanes>(r < a);
        break;
    case Op::Sub:
    case Op::MulSub:
        c = reinterpret_cast<Lanes>(a < b);
        break;
    case Op::Min:
    case Op::Max:
        c = reinterpret_cast<Lanes>(as_int(a) > as_int(b));
        break;
    case Op::Umin:
    case Op::Umax:
        c = reinterpret_cast<Lanes>(a > b);
        break;
    case Op::Fcmp:
        c = reinterpret_cast<Lanes>(as_float(a) <= as_float(b));
        break;
    case Op::Shl: // the last bit that was shifted out
        each_lane([&](unsigned l) { c[l] = (b[l] & 31) && (a[l] >> (32 - (b[l] & 31)) & 1) ? ~0u : 0; });
        break;
    case Op::Shr:
    case Op::Asr:
        each_lane([&](unsigned l) { c[l] = (b[l] & 31) && (a[l] >> ((b[l] & 31) - 1) & 1) ? ~0u : 0; });
        break;
    default:
        c = Lanes{};
        break;
    }
}

// Returns the condition as it is combined with flag A, negated or not.
Lanes update_flags(Thread &t, const Instruction &in, const Side &s, const Lanes &a, const Lanes &b, const Lanes &r) {
    const auto code = static_cast<unsigned>(in.flags);
    const bool push = in.flags <= FlagUpdate::PushC;
    const unsigned condition =
        push ? code - static_cast<unsigned>(FlagUpdate::PushZ) : (code - static_cast<unsigned>(FlagUpdate::AndZ)) / 4;
    Lanes v;
    if (condition == 2)
        carry(s, a, b, r, v);
    else if (s.op == Op::Fcmp) // a difference of infinities compares as the operands do
        v = condition == 0 ? reinterpret_cast<Lanes>(as_float(a) == as_float(b))
                           : reinterpret_cast<Lanes>(as_float(a) < as_float(b));
    else if (condition == 0)
        v = reinterpret_cast<Lanes>((s.traits & FloatResult ? r << 1 : r) == Lanes{});
    else
        v = as_bits(as_int(r) >> 31);
    if (push) {
        t.flag_b = t.flag_a;
        t.flag_a = v;
        return v;
    }
    const unsigned kind = (code - static_cast<unsigned>(FlagUpdate::AndZ)) & 3; // and, and not, nor not, nor
    if (kind == 1 || kind == 2)
        v = ~v;
    t.flag_a = kind < 2 ? t.flag_a & v : ~(t.flag_a | v);
    return v;
}

// ---- lanes that hold nothing that was ever written (checked execution) ----

LaneMask operand_undefined(const Thread &t, const Side &s) {
    const unsigned sources = op_info(s.op).sources;
    LaneMask u = 0;
    if (sources > 0)
        u |= t.undefined[s.a];
    if (sources > 1)
        u |= t.undefined[s.b];
    return u;
}

inline LaneMask quads_of(LaneMask m) {
    m |= static_cast<LaneMask>((m & 0x5555) << 1 | (m >> 1 & 0x5555));
    return static_cast<LaneMask>(m | (m & 0x3333) << 2 | (m >> 2 & 0x3333));
}

// Undefined lanes of a result. The operand values tell the cases in which an undefined operand cannot matter.
LaneMask result_undefined(const Thread &t, const Side &s, const Lanes &a, const Lanes &b) {
    if (!s.traits || s.op == Op::Multop)
        return s.op == Op::Multop ? operand_undefined(t, s) : 0;
    if (s.op == Op::Vfla || s.op == Op::Vflna || s.op == Op::Flapush)
        return operand_undefined(t, s) | t.undefined_flag_a;
    if (s.op == Op::Vflb || s.op == Op::Vflnb || s.op == Op::Flbpush)
        return operand_undefined(t, s) | t.undefined_flag_b;
    if (s.op == Op::Umul24)
        return operand_undefined(t, s) | t.undefined_rtop;
    const LaneMask ua = op_info(s.op).sources > 0 ? t.undefined[s.a] : 0;
    const LaneMask ub = op_info(s.op).sources > 1 ? t.undefined[s.b] : 0;
    LaneMask u = ua | ub;
    if (!u && !(s.traits & CrossLane))
        return 0;
    if (s.op == Op::And || s.op == Op::Or) {
        const uint32_t absorbing = s.op == Op::And ? 0 : ~0u;
        for (unsigned l = 0; l < lanes; l++)
            if ((!(ua >> l & 1) && a[l] == absorbing) || (!(ub >> l & 1) && b[l] == absorbing))
                u &= static_cast<LaneMask>(~(1u << l));
        return u;
    }
    if ((s.op == Op::Xor || s.op == Op::Sub || s.op == Op::MulSub) && s.a == s.b)
        return 0;
    if (!(s.traits & CrossLane))
        return u;
    LaneMask moved = 0;
    switch (s.op) {
    case Op::Rot:
        each_lane([&](unsigned l) { moved |= static_cast<LaneMask>((ua >> ((l + b[0]) & 15) & 1) << l); });
        return ub & 1 ? all_lanes : moved;
    case Op::Rotq:
        each_lane(
            [&](unsigned l) { moved |= static_cast<LaneMask>((ua >> ((l & ~3u) | ((l + b[l & ~3u]) & 3)) & 1) << l); });
        return moved | quads_of(ub & 0x1111);
    case Op::Shuffle:
        each_lane([&](unsigned l) { moved |= static_cast<LaneMask>((ua >> (b[l] & 15) & 1) << l); });
        return moved | ub;
    case Op::Flafirst:
    case Op::Flnafirst:
        return t.undefined_flag_a ? all_lanes : 0;
    default:
        return ua & participants(t, s.cond) ? all_lanes : 0;
    }
}

LaneMask condition_undefined(const Thread &t, Cond cond) {
    if (cond == Cond::None)
        return 0;
    return cond == Cond::IfA || cond == Cond::IfNA ? t.undefined_flag_a : t.undefined_flag_b;
}

// Combined with something that decides alone, an undefined value does not matter: false for "and", true for "nor".
// `old` is the flag, `condition` what it was combined with, `operand` the undefined lanes of that.
void update_undefined_flags(Thread &t, FlagUpdate flags, LaneMask old, LaneMask condition, LaneMask operand) {
    if (flags <= FlagUpdate::PushC) {
        t.undefined_flag_b = t.undefined_flag_a;
        t.undefined_flag_a = operand;
        return;
    }
    const bool is_and = !((static_cast<unsigned>(flags) - static_cast<unsigned>(FlagUpdate::AndZ)) & 2);
    if (is_and) {
        old = static_cast<LaneMask>(~old);
        condition = static_cast<LaneMask>(~condition);
    }
    const LaneMask deciding = static_cast<LaneMask>((old & ~t.undefined_flag_a) | (condition & ~operand));
    t.undefined_flag_a = static_cast<LaneMask>((t.undefined_flag_a | operand) & ~deciding);
}

// ---- memory ----

bool error(Thread &t, std::string message) {
    t.error = std::move(message);
    return false;
}

std::string hex(uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

bool next_uniform(Thread &t, const RunContext &ctx, uint32_t *value) {
    UniformCache::Word *cached =
        ctx.uniforms ? &ctx.uniforms->words[t.uniforms / 4 % ctx.uniforms->words.size()] : nullptr;
    if (cached && cached->address == t.uniforms) {
        *value = cached->value;
    } else {
        if (!ctx.memory->read_word(t.uniforms, value))
            return error(t, "uniform read outside any buffer object at " + hex(t.uniforms));
        if (cached)
            *cached = {t.uniforms, *value};
    }
    t.uniforms += 4;
    return true;
}

bool fault(Thread &t, const char *what, uint32_t address, unsigned lane) {
    return error(t, std::string(what) + " outside any buffer object at " + hex(address) + " (workgroup " +
                        std::to_string(t.workgroup[lane]) + ", invocation " + std::to_string(t.invocation[lane]) + ")");
}

// Reads one word, or less, for each lane.
template <unsigned bytes, bool is_signed>
void load_lanes(const uint8_t *base, const Lanes &address, LaneMask enabled, Lanes &out) {
    for (unsigned l = 0; l < lanes; l++) {
        uint32_t value = 0;
        if (enabled >> l & 1) {
            std::memcpy(&value, base + address[l], bytes);
            if (is_signed)
                value = static_cast<uint32_t>(static_cast<int32_t>(value << (32 - 8 * bytes)) >> (32 - 8 * bytes));
        }
        out[l] = value;
    }
}

// Lanes whose access lies in buffer objects.
LaneMask mapped_lanes(const Memory &memory, const Lanes &address, LaneMask enabled, unsigned bytes) {
    const uint32_t *owners = memory.owners();
    LaneMask ok = 0;
    for (unsigned l = 0; l < lanes; l++) {
        const uint32_t first = address[l], last = first + bytes - 1;
        const bool mapped = last >= first && owners[first / Memory::page] && owners[last / Memory::page];
        ok |= static_cast<LaneMask>((mapped ? 1u : 0u) << l);
    }
    return ok & enabled;
}

void push_result(Thread &t, const Lanes &value, LaneMask undefined) {
    t.results[t.result_write & 63] = value;
    t.undefined_results[t.result_write & 63] = undefined;
    t.result_write++;
}

// A read that gives no result but changes what caches hold. Only a prefetch is seen, by the trace.
bool cache_operation(Thread &t, const RunContext &ctx, uint32_t op, const Lanes &address, LaneMask enabled) {
    if (op != tmu_op::Prefetch || !ctx.observer)
        return true;
    Access access{Access::Type::Load, false, 1, 4, enabled, 0, reinterpret_cast<const uint32_t *>(&address)};
    access.prefetch = true;
    return ctx.observer->access(t, access, nullptr, nullptr);
}

// A read or write of buffer memory: `address` was written to tmua.
bool buffer_access(Thread &t, const RunContext &ctx, uint32_t config, const Lanes &address, LaneMask enabled) {
    const uint32_t type = config & 7, op = config >> 3 & 15;
    const bool write = t.tmu_data_count > 0, per_quad = !(config & 0x80);
    const unsigned element = type == 0 || type == 5 ? 1 : type == 1 || type == 6 ? 2 : 4;
    const bool atomic = op != tmu_op::Regular;
    if (!write && op <= tmu_op::ClearCache)
        return cache_operation(t, ctx, op, address, enabled);
    if (atomic && !write && op != tmu_op::AndOrIncrement && op != tmu_op::OrOrDecrement)
        return error(t, "reserved read of the memory unit, operation " + std::to_string(op));
    if (atomic && element != 4)
        return error(t, "atomic operation on an element of less than 32 bits");
    if (atomic && op > tmu_op::Xor)
        return error(t, "reserved operation of the memory unit");
    const unsigned vector = type >= 2 && type <= 4 ? type : 1;
    const unsigned words = atomic ? 1 : write ? t.tmu_data_count : vector;
    LaneMask helpers = 0;
    if (per_quad && !write) {
        helpers = quads_of(enabled) & static_cast<LaneMask>(~enabled);
        enabled |= helpers;
    }
    const unsigned span = element == 4 ? 4 * words : element;
    const LaneMask ok = mapped_lanes(*ctx.memory, address, enabled, span);
    if (const LaneMask bad = enabled & static_cast<LaneMask>(~(ok | helpers)); bad) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(bad));
        return fault(t, atomic ? "atomic access" : write ? "store" : "load", address[lane], lane);
    }
    enabled = ok;
    LaneMask undefined[16] = {};
    if (ctx.observer) {
        Access access{atomic  ? Access::Type::Atomic
                      : write ? Access::Type::Store
                              : Access::Type::Load,
                      false,
                      static_cast<uint8_t>(words),
                      static_cast<uint8_t>(element),
                      enabled,
                      static_cast<LaneMask>(helpers & ok),
                      reinterpret_cast<const uint32_t *>(&address)};
        if (!ctx.observer->access(t, access, t.undefined_data, undefined))
            return false;
    }
    uint8_t *base = ctx.memory->base();
    const auto data_count = t.tmu_data_count;
    t.tmu_data_count = 0;
    if (atomic) {
        Lanes old{};
        for (unsigned l = 0; l < lanes; l++)
            if (enabled >> l & 1) {
                if (address[l] & 3)
                    return error(t, "atomic access to the unaligned address " + hex(address[l]));
                old[l] = atomic_access(base + address[l], op, write, t.tmu_data[0][l],
                                       data_count > 1 ? t.tmu_data[1][l] : 0);
            }
        push_result(t, old, undefined[0]);
        return true;
    }
    if (write) {
        for (unsigned l = 0; l < lanes; l++)
            if (enabled >> l & 1)
                for (unsigned w = 0; w < words; w++)
                    std::memcpy(base + address[l] + 4 * w, reinterpret_cast<const uint32_t *>(&t.tmu_data[w]) + l,
                                element);
        return true;
    }
    for (unsigned w = 0; w < words; w++) {
        Lanes value;
        const Lanes at = address + 4 * w;
        switch (type) {
        case 0:
            load_lanes<1, true>(base, at, enabled, value);
            break;
        case 5:
            load_lanes<1, false>(base, at, enabled, value);
            break;
        case 1:
            load_lanes<2, true>(base, at, enabled, value);
            break;
        case 6:
            load_lanes<2, false>(base, at, enabled, value);
            break;
        default:
            load_lanes<4, false>(base, at, enabled, value);
            break;
        }
        push_result(t, value, undefined[w]);
    }
    return true;
}

// ---- writes ----

bool use_defined(Thread &t, const RunContext &ctx, const char *what, LaneMask undefined) {
    return !undefined || ctx.observer == nullptr || ctx.observer->undefined_use(t, what, undefined);
}

bool memory_operation(Thread &t, const RunContext &ctx, unsigned where, const Lanes &value, LaneMask enabled) {
    enabled &= to_bits(t.active);
    if (where == magic::Tmua || where == magic::Tmuau) {
        uint32_t config = t.tmu_config_count ? t.tmu_config[0] : t.tmu_general_config;
        if (t.tmu_config_count > 1)
            return error(t, "buffer access with more than one configuration word");
        if (where == magic::Tmuau) {
            if (!next_uniform(t, ctx, &config))
                return false;
        }
        t.tmu_config_count = 0;
        t.tmu_general_config = config >> 8 | 0xff000000u;
        return buffer_access(t, ctx, config, value, enabled);
    }
    t.tmu_general_config = ~0u;
    const bool done = texture_access(t, ctx, where, value, enabled);
    t.tmu_config_count = t.tmu_data_count = t.tmu_coordinates = 0;
    return done;
}

bool configure_tmu(Thread &t, uint32_t word) {
    if (t.tmu_config_count == 3)
        return error(t, "more than three configuration words for one memory operation");
    t.tmu_config[t.tmu_config_count++] = word;
    return true;
}

bool write_magic(Thread &t, const RunContext &ctx, unsigned where, const Lanes &value, const Lanes &mask,
                 LaneMask undefined) {
    auto coordinate = [&](Lanes &place, unsigned bit) {
        place = value;
        t.tmu_coordinates |= static_cast<uint8_t>(1u << bit);
        t.undefined_coordinate |= undefined;
        return true;
    };
    switch (where) {
    case magic::Nop:
        return true;
    case magic::Quad:
        each_lane([&](unsigned l) { t.reg[0][l] = value[l & ~3u]; });
        t.undefined[0] = quads_of(undefined & 0x1111);
        return true;
    case magic::Rep:
        t.reg[0] = broadcast(value[0]);
        t.undefined[0] = undefined & 1 ? all_lanes : 0;
        return true;
    case magic::Unifa:
        t.unifa = value[0];
        return use_defined(t, ctx, "address of a uniform load", undefined & 1);
    case magic::Tmudref:
    case magic::Tmuoff:
        if (t.tmu_config_count > 1 || (t.tmu_config_count == 1 && (t.tmu_config[0] & 0xffffff00u) != 0xffffff00u))
            return where == magic::Tmudref ? coordinate(t.tmu_dref, 5) : coordinate(t.tmu_offset, 4);
        [[fallthrough]]; // ahead of a buffer access these are data, like tmud
    case magic::Tmud:
        if (t.tmu_data_count == 16)
            return error(t, "more than 16 words of data for one memory operation");
        t.undefined_data[t.tmu_data_count] = undefined;
        t.tmu_data[t.tmu_data_count++] = value;
        return true;
    case magic::Tmuc:
        return configure_tmu(t, value[0]) && use_defined(t, ctx, "configuration of the memory unit", undefined & 1);
    case magic::Tmut:
        return coordinate(t.tmu_t, 0);
    case magic::Tmur:
        return coordinate(t.tmu_r, 1);
    case magic::Tmui:
        return coordinate(t.tmu_i, 2);
    case magic::Tmub:
        return coordinate(t.tmu_b, 3);
    case magic::Tmua:
    case magic::Tmuau:
    case magic::Tmus:
    case magic::Tmuscm:
    case magic::Tmusf:
    case magic::Tmuslod: {
        const LaneMask enabled = to_bits(mask), live = enabled & to_bits(t.active);
        const bool defined =
            use_defined(t, ctx, "address of a memory access", (undefined | t.undefined_coordinate) & live);
        t.undefined_coordinate = 0;
        return defined && memory_operation(t, ctx, where, value, enabled);
    }
    case magic::Syncb:
        t.barrier_pending = true;
        return true;
    default:
        return error(t, "write to " + std::string(magic_name(where)) + " is not implemented");
    }
}

template <bool checked>
inline bool write_result(Thread &t, const RunContext &ctx, const Side &s, const Lanes &result, const Lanes &mask,
                         LaneMask undefined, LaneMask undefined_mask) {
    if (s.magic) {
        if (checked && s.dest != magic::Nop &&
            !use_defined(t, ctx, "condition of a write", undefined_mask & to_bits(t.active)))
            return false;
        return write_magic(t, ctx, s.dest, result, mask, checked ? undefined : 0);
    }
    Lanes &dest = t.reg[s.dest];
    if (s.pack == Pack::None) {
        dest = s.cond == Cond::None ? result : (mask & result) | (~mask & dest);
    } else {
        each_lane([&](unsigned l) {
            if (!mask[l])
                return;
            const uint32_t half = float_to_half(to_float(result[l]));
            dest[l] = s.pack == Pack::Low ? (dest[l] & 0xffff0000u) | half : (dest[l] & 0xffffu) | half << 16;
        });
    }
    if (checked) {
        const LaneMask written = s.cond == Cond::None ? all_lanes : to_bits(mask);
        LaneMask &u = t.undefined[s.dest];
        u = static_cast<LaneMask>((u & ~written) | (undefined & written) | undefined_mask);
    }
    return true;
}

template <bool checked>
bool write_signal(Thread &t, const RunContext &ctx, const Instruction &in, bool implicit_rf0, const Lanes &value,
                  LaneMask undefined) {
    const unsigned dest = implicit_rf0 ? 0 : in.sig_dest;
    if (!implicit_rf0 && in.sig_magic)
        return write_magic(t, ctx, dest, value, broadcast(~0u), undefined);
    t.reg[dest] = value;
    if (checked)
        t.undefined[dest] = undefined;
    return true;
}

// A uniform read by address.
struct UniformWord {
    uint32_t value = 0;
    LaneMask undefined = 0;
};

bool load_by_address(Thread &t, const RunContext &ctx, UniformWord *word) {
    if (!ctx.memory->read_word(t.unifa, &word->value))
        return error(t, "uniform load (unifa) outside any buffer object at " + hex(t.unifa));
    LaneMask undefined[1] = {};
    if (ctx.observer) {
        uint32_t address[lanes] = {t.unifa};
        const Access access{Access::Type::Load, false, 1, 4, 1, 0, address, true};
        if (!ctx.observer->access(t, access, nullptr, undefined))
            return false;
    }
    word->undefined = undefined[0] ? all_lanes : 0;
    t.unifa += 4;
    return true;
}

template <bool checked>
bool run_signals(Thread &t, const RunContext &ctx, const Instruction &in, const UniformWord &by_address) {
    if (in.sig & SigLdtmu) {
        if (ctx.observer)
            ctx.observer->event(t, 'l');
        if (t.result_read == t.result_write)
            return error(t, "ldtmu without a pending result");
        const unsigned slot = t.result_read++ & 63;
        if (!write_signal<checked>(t, ctx, in, false, t.results[slot], t.undefined_results[slot]))
            return false;
    }
    if (in.sig & (SigLdunif | SigLdunifrf)) {
        uint32_t value;
        if (!next_uniform(t, ctx, &value))
            return false;
        if (ctx.observer)
            ctx.observer->event(t, 'u');
        if (!write_signal<checked>(t, ctx, in, in.sig & SigLdunif, broadcast(value), 0))
            return false;
    }
    if (in.sig & (SigLdunifa | SigLdunifarf))
        return write_signal<checked>(t, ctx, in, in.sig & SigLdunifa, broadcast(by_address.value),
                                     by_address.undefined);
    return true;
}

template <bool checked>
inline bool run_alu(Thread &t, const RunContext &ctx, const Instruction &in) {
    const Side &add = in.add, &mul = in.mul;
    Lanes add_a, add_b, mul_a, mul_b, add_result, mul_result;
    const Lanes *pa = &t.reg[add.a], *pb = &t.reg[add.b], *pc = &t.reg[mul.a], *pd = &t.reg[mul.b];
    if (add.unpack_a != Unpack::None)
        unpack(add_a, *pa, add.unpack_a), pa = &add_a;
    if (add.unpack_b != Unpack::None)
        unpack(add_b, *pb, add.unpack_b), pb = &add_b;
    if (mul.unpack_a != Unpack::None)
        unpack(mul_a, *pc, mul.unpack_a), pc = &mul_a;
    if (mul.unpack_b != Unpack::None)
        unpack(mul_b, *pd, mul.unpack_b), pd = &mul_b;
    operate(t, add, *pa, *pb, add_result);
    operate(t, mul, *pc, *pd, mul_result);

    LaneMask add_undefined = 0, mul_undefined = 0;
    if (checked) {
        add_undefined = result_undefined(t, add, *pa, *pb);
        mul_undefined = result_undefined(t, mul, *pc, *pd);
    }
    // Conditions see the flags from before the instruction.
    const Lanes add_mask = condition_mask(t, add.cond), mul_mask = condition_mask(t, mul.cond);
    const LaneMask add_mask_undefined = checked ? condition_undefined(t, add.cond) : 0;
    const LaneMask mul_mask_undefined = checked ? condition_undefined(t, mul.cond) : 0;
    // An instruction that also writes the address reads from the old one.
    UniformWord by_address;
    if ((in.sig & (SigLdunifa | SigLdunifarf)) && !load_by_address(t, ctx, &by_address))
        return false;
    // A configuration word applies to the memory operation that the same instruction starts.
    if (in.sig & SigWrtmuc) {
        uint32_t value;
        if (!next_uniform(t, ctx, &value) || !configure_tmu(t, value))
            return false;
        if (ctx.observer)
            ctx.observer->event(t, 'u');
    }
    if (in.flags != FlagUpdate::None) {
        const LaneMask old = checked ? to_bits(t.flag_a) : 0;
        const Lanes combined = in.flags_from_mul ? update_flags(t, in, mul, *pc, *pd, mul_result)
                                                 : update_flags(t, in, add, *pa, *pb, add_result);
        if (checked)
            update_undefined_flags(t, in.flags, old, to_bits(combined),
                                   in.flags_from_mul ? mul_undefined : add_undefined);
    }
    if (mul.op == Op::Multop) {
        // The cross products that a multiply of 24-bit parts lacks.
        t.rtop = ((*pc >> 24) * (*pd & 0xffffffu) + (*pc & 0xffffffu) * (*pd >> 24)) << 24;
        if (checked)
            t.undefined_rtop = mul_undefined;
    } else if (mul.op == Op::Umul24) {
        t.rtop = Lanes{};
        t.undefined_rtop = 0;
    }
    if (add.op == Op::Setmsf) {
        const Lanes msf = *pa & 15u;
        t.msf = (add_mask & msf) | (~add_mask & t.msf);
        t.active = reinterpret_cast<Lanes>(t.msf != Lanes{});
        if (checked && !use_defined(t, ctx, "sample flags", (add_undefined | add_mask_undefined) & to_bits(t.active)))
            return false;
    } else if (add.traits & WritesResult) {
        if (ctx.observer && (add.op == Op::Tmuwt || (add.traits & SpecialFunction)))
            ctx.observer->event(t, add.op == Op::Tmuwt ? 'k' : 'f');
        // Waiting for stores has a destination in its encoding, but no result.
        if (add.op != Op::Tmuwt &&
            !write_result<checked>(t, ctx, add, add_result, add_mask, add_undefined, add_mask_undefined))
            return false;
    }
    if ((mul.traits & WritesResult) && mul.op != Op::Multop &&
        !write_result<checked>(t, ctx, mul, mul_result, mul_mask, mul_undefined, mul_mask_undefined))
        return false;
    return !(in.sig & ~(SigThrsw | SigWrtmuc | SigSmallA | SigSmallB | SigSmallC | SigSmallD)) ||
           run_signals<checked>(t, ctx, in, by_address);
}

bool branch_taken(const Thread &t, const Branch &b) {
    LaneMask voters = all_lanes;
    if (b.msfign == 1)
        voters = to_bits(t.active);
    else if (b.msfign == 2)
        voters = quads_of(to_bits(t.active));
    const LaneMask a = to_bits(t.flag_a);
    switch (b.cond) {
    case BranchCond::Always:
        return true;
    case BranchCond::A0:
        return a & 1;
    case BranchCond::NA0:
        return !(a & 1);
    case BranchCond::AllA:
        return (a & voters) == voters;
    case BranchCond::AnyNA:
        return (~a & voters) != 0;
    case BranchCond::AnyA:
        return (a & voters) != 0;
    case BranchCond::AllNA:
        return (a & voters) == 0;
    default:
        return false;
    }
}

bool run_branch(Thread &t, const RunContext &ctx, const Branch &b) {
    if (b.cond != BranchCond::Always && ctx.checked) {
        LaneMask u = t.undefined_flag_a;
        u &= b.cond == BranchCond::A0 || b.cond == BranchCond::NA0 ? LaneMask{1} : to_bits(t.active);
        if (!use_defined(t, ctx, "branch", u))
            return false;
    }
    uint32_t uniform = 0;
    if (b.moves_uniforms && b.uniforms != BranchDest::RegisterFile) {
        if (!next_uniform(t, ctx, &uniform))
            return false;
        if (ctx.observer)
            ctx.observer->event(t, 'u');
    }
    if (!branch_taken(t, b))
        return true;
    if (t.branch_delay)
        return error(t, "branch in the delay slots of a branch");
    const uint32_t next = ctx.program->address + 8 * (t.pc + 4);
    uint32_t target = 0;
    switch (b.dest) {
    case BranchDest::Absolute:
        target = b.offset;
        break;
    case BranchDest::Relative:
        target = next + b.offset;
        break;
    case BranchDest::LinkRegister:
        target = t.link;
        break;
    case BranchDest::RegisterFile:
        target = t.reg[b.reg][0];
        break;
    }
    const uint32_t index = (target - ctx.program->address) / 8;
    if (index >= ctx.program->words.size())
        return error(t, "branch out of the program, to " + hex(target));
    if (b.sets_link)
        t.link = next;
    if (b.moves_uniforms)
        t.uniforms = b.uniforms == BranchDest::Relative   ? t.uniforms + uniform
                     : b.uniforms == BranchDest::Absolute ? uniform
                                                          : t.reg[b.reg][1] & ~7u; // the second element's
    t.branch_target = index;
    t.branch_delay = 4;
    if (ctx.observer)
        ctx.observer->event(t, 'j');
    return true;
}

// Does the instruction end the thread's turn? A switch takes effect after two delay slots; a second thrsw right
// behind the first one announces that the next switch is the end of the thread.
void note_thread_switch(Thread &t, bool thrsw) {
    if (thrsw) {
        if (t.previous_thrsw) {
            t.last_switch = true;
        } else {
            t.ending = t.last_switch;
            t.thread_switch_delay = 3;
        }
    }
    t.previous_thrsw = thrsw;
}

template <bool checked>
RunStatus run_batch(Thread &t, const RunContext &ctx) {
    const Instruction *code = ctx.program->code.data();
    for (;;) {
        const Instruction &in = code[t.pc];
        if (in.problem) {
            error(t, std::string(in.problem) + ": instruction " + std::to_string(t.pc));
            return RunStatus::Error;
        }
        t.counts[t.pc]++;
        t.issued++;
        if (in.kind == Kind::Branch ? !run_branch(t, ctx, in.branch) : !run_alu<checked>(t, ctx, in))
            return RunStatus::Error;
        note_thread_switch(t, in.kind == Kind::Alu && (in.sig & SigThrsw));
        t.pc++;
        if (t.branch_delay && --t.branch_delay == 0) {
            t.pc = t.branch_target;
            if (--t.budget == 0) {
                error(t, "the batch does not end");
                return RunStatus::Error;
            }
        }
        if (t.thread_switch_delay && --t.thread_switch_delay == 0) {
            const bool barrier = t.barrier_pending;
            t.barrier_pending = false;
            if (ctx.observer)
                ctx.observer->event(t, t.ending ? 'E' : barrier ? 'P' : 'T');
            if (t.ending)
                return RunStatus::Ended;
            if (barrier)
                return RunStatus::Barrier;
            if (ctx.yield)
                return RunStatus::Switched;
        }
    }
}

} // namespace

RunStatus run(Thread &t, const RunContext &ctx) {
    return ctx.checked ? run_batch<true>(t, ctx) : run_batch<false>(t, ctx);
}

} // namespace v3dsim::V3DSIM_ENGINE
