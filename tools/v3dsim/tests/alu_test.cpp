// SPDX-License-Identifier: BSD-2-Clause
//
// Every arithmetic operation against results that this file computes in another way, on every engine.
#include "catch.h"
#include "qpu_machine.h"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <tuple>

using namespace v3dsim;
using namespace v3dsim::test;

namespace {

using Result = std::function<uint32_t(uint32_t, uint32_t)>;

float as_float(uint32_t bits) {
    return std::bit_cast<float>(bits);
}
uint32_t as_bits(float f) {
    return std::bit_cast<uint32_t>(f);
}

// A half's value by its definition.
double half_value(uint32_t half) {
    const int exponent = static_cast<int>(half >> 10 & 31), mantissa = static_cast<int>(half & 1023);
    const double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

// The half nearest to a value, found by looking at all of them; ties go to the even one.
uint32_t nearest_half(double value) {
    if (std::isnan(value))
        return 0x7e00;
    const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (magnitude >= 65520)
        return sign | 0x7c00;
    uint32_t low = 0, high = 0x7bff;
    while (low < high) { // the largest half that is not above the value
        const uint32_t middle = (low + high + 1) / 2;
        if (half_value(middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    const double below = magnitude - half_value(low), above = half_value(low + 1) - magnitude;
    if (low == 0x7bff)
        return sign | (below < 16 ? low : 0x7c00);
    return sign | (below < above || (below == above && !(low & 1)) ? low : low + 1);
}

int64_t signed_of(uint32_t v) {
    return v & 0x80000000u ? static_cast<int64_t>(v) - (int64_t{1} << 32) : v;
}
uint32_t low32(int64_t v) {
    return static_cast<uint32_t>(static_cast<uint64_t>(v) & 0xffffffffu);
}

uint32_t pair(uint32_t low, uint32_t high) {
    return (low & 0xffff) | high << 16;
}
uint32_t on_halves(uint32_t a, uint32_t b, double (*f)(double, double)) {
    return pair(nearest_half(f(half_value(a & 0xffff), half_value(b & 0xffff))),
                nearest_half(f(half_value(a >> 16), half_value(b >> 16))));
}

uint32_t normalised(double value, double low, double high, double scale) {
    const double clamped = value > high ? high : value > low ? value : std::isnan(value) ? 0 : low;
    return low32(static_cast<int64_t>(std::rint(clamped * scale)));
}

// Integers of interest and random ones.
std::vector<uint32_t> integers(std::mt19937 &random, size_t count) {
    std::vector<uint32_t> v = {0,      1,       2,        31,        32,         33,         0x7fff,     0x8000,
                               0xffff, 0x10000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    while (v.size() < count)
        v.push_back(random() >> (random() & 31));
    std::shuffle(v.begin() + 1, v.end(), random);
    return v;
}

std::vector<uint32_t> floats(std::mt19937 &random, size_t count) {
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<uint32_t> v;
    for (float f : {0.0f,     -0.0f, 1.0f,   -1.0f, 0.5f,  -0.5f, 1.5f,   2.5f, -2.5f, 65504.0f,
                    65520.0f, 1e10f, -1e10f, 3e9f,  6e-8f, 2e-5f, 1e-40f, inf,  -inf,  16777217.0f})
        v.push_back(as_bits(f));
    while (v.size() < count)
        v.push_back(as_bits(
            std::ldexp(static_cast<float>(static_cast<int32_t>(random())), static_cast<int>(random() % 60) - 45)));
    std::shuffle(v.begin(), v.end(), random);
    return v;
}

bool same(uint32_t a, uint32_t b, bool is_float) {
    return a == b || (is_float && std::isnan(as_float(a)) && std::isnan(as_float(b)));
}

struct Case {
    Op op;
    Result expected;
    bool float_operands = false, float_result = false;
};

void check_cases(const std::vector<Case> &cases) {
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (const Case &c : cases)
        for (RunFunction engine : engines())
            for (unsigned round = 0; round < 12; round++) {
                Words a, b;
                const auto va = c.float_operands ? floats(random, 64) : integers(random, 64);
                const auto vb = c.float_operands ? floats(random, 64) : integers(random, 64);
                for (unsigned l = 0; l < lanes; l++) {
                    a[l] = va[l];
                    b[l] = vb[l];
                }
                const bool swapped = c.op == Op::Fmax; // needs its operands the other way round
                REQUIRE(m.run(
                            {single(side(c.op, 10, swapped ? 9 : 8, swapped ? 8 : 9))},
                            [&](Thread &t) {
                                Machine::set(t.reg[8], a);
                                Machine::set(t.reg[9], b);
                            },
                            engine) == RunStatus::Ended);
                const Words got = m.reg(10);
                for (unsigned l = 0; l < lanes; l++) {
                    INFO(op_info(c.op).name << std::hex << " a " << a[l] << " b " << b[l] << " got " << got[l]);
                    const uint32_t want = swapped ? c.expected(b[l], a[l]) : c.expected(a[l], b[l]);
                    REQUIRE(same(got[l], want, c.float_result));
                }
            }
}

} // namespace

TEST_CASE("integer operations") {
    check_cases({
        {Op::Add, [](uint32_t a, uint32_t b) { return low32(signed_of(a) + signed_of(b)); }},
        {Op::MulAdd, [](uint32_t a, uint32_t b) { return low32(signed_of(a) + signed_of(b)); }},
        {Op::Sub, [](uint32_t a, uint32_t b) { return low32(signed_of(a) - signed_of(b)); }},
        {Op::MulSub, [](uint32_t a, uint32_t b) { return low32(signed_of(a) - signed_of(b)); }},
        {Op::Min, [](uint32_t a, uint32_t b) { return low32(std::min(signed_of(a), signed_of(b))); }},
        {Op::Max, [](uint32_t a, uint32_t b) { return low32(std::max(signed_of(a), signed_of(b))); }},
        {Op::Umin, [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
        {Op::Umax, [](uint32_t a, uint32_t b) { return a < b ? b : a; }},
        {Op::Shl, [](uint32_t a, uint32_t b) { return low32(static_cast<int64_t>(uint64_t{a} << (b % 32))); }},
        {Op::Shr, [](uint32_t a, uint32_t b) { return low32(static_cast<int64_t>(uint64_t{a} >> (b % 32))); }},
        {Op::Asr,
         [](uint32_t a, uint32_t b) {
             return low32(static_cast<int64_t>(std::floor(static_cast<double>(signed_of(a)) / std::ldexp(1, b % 32))));
         }},
        {Op::Ror,
         [](uint32_t a, uint32_t b) { return low32(static_cast<int64_t>((uint64_t{a} << 32 | a) >> (b % 32))); }},
        {Op::And, [](uint32_t a, uint32_t b) { return a & b; }},
        {Op::Or, [](uint32_t a, uint32_t b) { return a | b; }},
        {Op::Xor, [](uint32_t a, uint32_t b) { return (a | b) & ~(a & b); }},
        {Op::Not, [](uint32_t a, uint32_t) { return 0xffffffffu - a; }},
        {Op::Neg, [](uint32_t a, uint32_t) { return low32(-signed_of(a)); }},
        {Op::Clz,
         [](uint32_t a, uint32_t) {
             uint32_t n = 0;
             for (uint32_t bit = 0x80000000u; bit && !(a & bit); bit >>= 1)
                 n++;
             return n;
         }},
        {Op::Vadd, [](uint32_t a, uint32_t b) { return pair(a + b, (a >> 16) + (b >> 16)); }},
        {Op::Vsub, [](uint32_t a, uint32_t b) { return pair(a - b, (a >> 16) - (b >> 16)); }},
        {Op::Umul24,
         [](uint32_t a, uint32_t b) {
             return low32(static_cast<int64_t>(uint64_t{a % (1u << 24)} * (b % (1u << 24))));
         }},
        {Op::Smul24,
         [](uint32_t a, uint32_t b) {
             auto low24 = [](uint32_t v) {
                 return static_cast<int64_t>(v % (1u << 24)) - (v & 0x800000 ? 1 << 24 : 0);
             };
             return low32(low24(a) * low24(b));
         }},
        {Op::Vpack, [](uint32_t a, uint32_t b) { return pair(a, b); }},
        {Op::V8pack,
         [](uint32_t a, uint32_t b) {
             return a % 256 + (a >> 16) % 256 * 256 + b % 256 * 65536 + (b >> 16) % 256 * 16777216;
         }},
        {Op::V10pack,
         [](uint32_t a, uint32_t b) {
             return a % 1024 + (a >> 16) % 1024 * 1024 + b % 1024 * 1048576 + (b >> 16) % 4 * 1073741824;
         }},
        {Op::Mov, [](uint32_t a, uint32_t) { return a; }},
        {Op::MulMov, [](uint32_t a, uint32_t) { return a; }},
        {Op::Itof, [](uint32_t a, uint32_t) { return as_bits(static_cast<float>(static_cast<double>(signed_of(a)))); },
         false, true},
        {Op::Utof, [](uint32_t a, uint32_t) { return as_bits(static_cast<float>(static_cast<double>(a))); }, false,
         true},
    });
}

TEST_CASE("float operations") {
    // Double arithmetic rounded once is exact for a sum or product of two floats that are not too far apart; std::fma
    // with one gives the rounded sum in any case.
    const Result sum = [](uint32_t a, uint32_t b) { return as_bits(std::fma(as_float(a), 1.0f, as_float(b))); };
    const Result difference = [](uint32_t a, uint32_t b) { return as_bits(std::fma(-1.0f, as_float(b), as_float(a))); };
    const Result product = [](uint32_t a, uint32_t b) {
        return as_bits(static_cast<float>(static_cast<double>(as_float(a)) * static_cast<double>(as_float(b))));
    };
    auto zero_aware = [](float a, float b, bool smaller) { return as_bits(smaller == (a < b) ? a : b); };
    auto to_integer = [](double value, double low, double high) {
        return std::isnan(value) ? 0u : low32(static_cast<int64_t>(value < low ? low : value > high ? high : value));
    };
    check_cases({
        {Op::Fsub, difference, true, true},
        {Op::Fmul, product, true, true},
        {Op::Fmov, [](uint32_t a, uint32_t) { return a; }, true, true},
        {Op::MulFmov, [](uint32_t a, uint32_t) { return a; }, true, true},
        {Op::Ftrunc,
         [](uint32_t a, uint32_t) { return as_bits(std::copysign(std::floor(std::fabs(as_float(a))), as_float(a))); },
         true, true},
        {Op::Ffloor, [](uint32_t a, uint32_t) { return as_bits(std::floor(as_float(a))); }, true, true},
        {Op::Fceil, [](uint32_t a, uint32_t) { return as_bits(-std::floor(-as_float(a))); }, true, true},
        {Op::Fround,
         [](uint32_t a, uint32_t) {
             return as_bits(std::remainder(as_float(a), 1.0f) == 0 || std::isinf(as_float(a)) ? as_float(a)
                                                                                              : std::rint(as_float(a)));
         },
         true, true},
        {Op::Ftoin,
         [=](uint32_t a, uint32_t) {
             return to_integer(std::rint(static_cast<double>(as_float(a))), -2147483648.0, 2147483647.0);
         },
         true},
        {Op::Ftoiz,
         [=](uint32_t a, uint32_t) {
             return to_integer(std::trunc(static_cast<double>(as_float(a))), -2147483648.0, 2147483647.0);
         },
         true},
        {Op::Ftouz,
         [=](uint32_t a, uint32_t) {
             return to_integer(std::trunc(static_cast<double>(as_float(a))), 0, 4294967295.0);
         },
         true},
        {Op::Vfpack, [](uint32_t a, uint32_t b) { return pair(nearest_half(as_float(a)), nearest_half(as_float(b))); },
         true},
        {Op::Recip,
         [](uint32_t a, uint32_t) { return as_bits(static_cast<float>(1.0 / static_cast<double>(as_float(a)))); }, true,
         true},
        {Op::Ftounorm16, [](uint32_t a, uint32_t) { return normalised(as_float(a), 0, 1, 65535); }, true},
        {Op::Ftosnorm16, [](uint32_t a, uint32_t) { return normalised(as_float(a), -1, 1, 32767); }, true},
    });
    // The ones whose encoding depends on the order of operands.
    check_cases({{Op::Fadd, sum, true, true},
                 {Op::Fmin,
                  [&](uint32_t a, uint32_t b) {
                      return as_float(a) == as_float(b) ? b : zero_aware(as_float(a), as_float(b), true);
                  },
                  true, true},
                 {Op::Fmax,
                  [&](uint32_t a, uint32_t b) {
                      return as_float(a) == as_float(b) ? b : zero_aware(as_float(a), as_float(b), false);
                  },
                  true, true}});
}

TEST_CASE("normalised integers are rounded once") {
    // Times the limit these are 53930.5013 and 31961.4992; in single precision both would be halves already.
    const std::array<std::tuple<Op, uint32_t, uint32_t>, 2> cases = {
        {{Op::Ftounorm16, 0x3f52ab53, 53931}, {Op::Ftosnorm16, 0x3f79b4f3, 31961}}};
    Machine m;
    for (const auto &[op, value, expected] : cases)
        for (RunFunction engine : engines()) {
            Words values;
            values.fill(value);
            REQUIRE(m.run(
                        {single(side(op, 10, 8, 8))}, [&](Thread &t) { Machine::set(t.reg[8], values); }, engine) ==
                    RunStatus::Ended);
            REQUIRE(m.reg(10)[0] == expected);
        }
}

TEST_CASE("pairs of half floats") {
    auto minimum = [](double a, double b) { return std::fmin(a, b); };
    auto maximum = [](double a, double b) { return std::fmax(a, b); };
    auto product = [](double a, double b) { return a * b; };
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (auto [op, f] : std::initializer_list<std::pair<Op, double (*)(double, double)>>{
             {Op::Vfmin, minimum}, {Op::Vfmax, maximum}, {Op::Vfmul, product}})
        for (unsigned code = 0; code < 5; code++)
            for (unsigned round = 0; round < 60; round++) {
                Words a, b;
                for (unsigned l = 0; l < lanes; l++) {
                    // No NaNs, and no zeros of both signs, whose order is not defined.
                    auto half = [&] { return 1 + random() % 0x7bfe + (random() & 1) * 0x8000; };
                    a[l] = code == 1 ? as_bits(static_cast<float>(half_value(half())) * 1.001f) : pair(half(), half());
                    b[l] = pair(half(), half());
                }
                Side s = side(op, 10, 8, 9);
                s.unpack_a = half_unpack(code);
                REQUIRE(m.run({single(s)}, [&](Thread &t) {
                    Machine::set(t.reg[8], a);
                    Machine::set(t.reg[9], b);
                }) == RunStatus::Ended);
                for (unsigned l = 0; l < lanes; l++) {
                    const uint32_t low = a[l] & 0xffff, high = a[l] >> 16, one = nearest_half(as_float(a[l]));
                    const uint32_t operands[] = {a[l], pair(one, one), pair(low, low), pair(high, high),
                                                 pair(high, low)};
                    INFO(op_info(op).name << " " << code << std::hex << " " << a[l] << " " << b[l]);
                    REQUIRE(m.reg(10)[l] == on_halves(operands[code], b[l], f));
                }
            }
}

TEST_CASE("conversions of float operands and results") {
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (unsigned round = 0; round < 200; round++) {
        Words a, old;
        const auto values = floats(random, 32);
        for (unsigned l = 0; l < lanes; l++) {
            a[l] = round & 1 ? values[l] : static_cast<uint32_t>(random());
            old[l] = static_cast<uint32_t>(random());
        }
        for (unsigned code = 0; code < 7; code++)
            for (unsigned pack = 0; pack < 3; pack++) {
                Side s = side(code & 1 ? Op::Fmov : Op::MulFmov, 10, 8);
                s.unpack_a = float_unpack(code);
                s.pack = static_cast<Pack>(pack);
                REQUIRE(m.run({single(s)}, [&](Thread &t) {
                    Machine::set(t.reg[8], a);
                    Machine::set(t.reg[10], old);
                }) == RunStatus::Ended);
                for (unsigned l = 0; l < lanes; l++) {
                    const double f = as_float(a[l]);
                    const double operand[] = {std::fabs(f),
                                              f,
                                              half_value(a[l] & 0xffff),
                                              half_value(a[l] >> 16),
                                              std::fmin(std::fmax(f, 0), 1),
                                              std::fmin(std::fmax(f, -1), 1),
                                              std::fmax(f, 0)};
                    if (std::isnan(operand[code]) || std::isnan(f))
                        continue;
                    const double v = operand[code];
                    const uint32_t want = pack == 0   ? as_bits(static_cast<float>(v))
                                          : pack == 1 ? (old[l] & 0xffff0000u) | nearest_half(v)
                                                      : pair(old[l], nearest_half(v));
                    INFO("unpack " << code << " pack " << pack << std::hex << " " << a[l] << " got " << m.reg(10)[l]);
                    // Clamping may lose the sign of zero.
                    if (v == 0 && code >= 4)
                        REQUIRE((m.reg(10)[l] & 0x7fffu) == (want & 0x7fffu));
                    else
                        REQUIRE(m.reg(10)[l] == want);
                }
            }
    }
}

TEST_CASE("conversions of integer operands") {
    Machine m;
    const Words a = {0x80017fff, 0xffff0000, 0x12348765, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (Op op : {Op::Mov, Op::MulMov})
        for (unsigned code = 0; code < 5; code++) {
            Side s = side(op, 10, 8);
            s.unpack_a = int_unpack(code);
            REQUIRE(m.run({single(s)}, [&](Thread &t) { Machine::set(t.reg[8], a); }) == RunStatus::Ended);
            for (unsigned l = 0; l < lanes; l++) {
                auto sign = [](uint32_t v) { return v >= 0x8000 ? v - 0x10000 : v; };
                const uint32_t want[] = {a[l], a[l] % 65536, a[l] / 65536, sign(a[l] % 65536), sign(a[l] / 65536)};
                CHECK(m.reg(10)[l] == want[code]);
            }
        }
}

TEST_CASE("a product of 32 bits takes two instructions") {
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (RunFunction engine : engines())
        for (unsigned round = 0; round < 50; round++) {
            Words a, b;
            for (unsigned l = 0; l < lanes; l++) {
                a[l] = static_cast<uint32_t>(random());
                b[l] = static_cast<uint32_t>(random());
            }
            Side multop = side(Op::Multop, magic::Nop, 8, 9);
            multop.magic = true;
            // A product of 24 bits right behind it must not see the rest of the first one.
            REQUIRE(m.run(
                        {single(multop), single(side(Op::Umul24, 10, 8, 9)), single(side(Op::Umul24, 11, 8, 9))},
                        [&](Thread &t) {
                            Machine::set(t.reg[8], a);
                            Machine::set(t.reg[9], b);
                        },
                        engine) == RunStatus::Ended);
            for (unsigned l = 0; l < lanes; l++) {
                CHECK(m.reg(10)[l] == low32(static_cast<int64_t>(uint64_t{a[l]} * b[l])));
                CHECK(m.reg(11)[l] == low32(static_cast<int64_t>(uint64_t{a[l] & 0xffffff} * (b[l] & 0xffffff))));
            }
        }
}

TEST_CASE("special functions come close") {
    Machine m;
    const std::map<Op, std::function<double(double)>> functions = {
        {Op::Rsqrt, [](double x) { return 1 / std::sqrt(x); }},
        {Op::Rsqrt2, [](double x) { return 1 / std::sqrt(x); }},
        {Op::Exp, [](double x) { return std::exp2(x); }},
        {Op::Log, [](double x) { return std::log2(x); }},
        {Op::Sin, [](double x) { return std::sin(M_PI * x); }}};
    for (const auto &[op, f] : functions) {
        Words a;
        for (unsigned l = 0; l < lanes; l++)
            a[l] = as_bits(0.1f + 0.9f * static_cast<float>(l));
        REQUIRE(m.run({single(side(op, 10, 8))}, [&](Thread &t) { Machine::set(t.reg[8], a); }) == RunStatus::Ended);
        for (unsigned l = 0; l < lanes; l++) {
            INFO(op_info(op).name << " " << as_float(a[l]));
            CHECK(as_float(m.reg(10)[l]) == Catch::Approx(f(as_float(a[l]))).epsilon(1e-5).margin(1e-6));
        }
    }
}

TEST_CASE("operations across lanes") {
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (unsigned round = 0; round < 40; round++) {
        Words a, b;
        LaneMask flags = static_cast<LaneMask>(random()),
                 active = static_cast<LaneMask>(random() | 1u << (random() & 15));
        for (unsigned l = 0; l < lanes; l++) {
            a[l] = random() & 3 ? static_cast<uint32_t>(random()) : 0;
            b[l] = random() & 31;
        }
        const bool conditional = round & 1;
        if (conditional && !(flags & active))
            continue;
        auto run = [&](Op op) {
            Side s = side(op, 10, 8, 9);
            if (conditional)
                s.cond = Cond::IfA;
            REQUIRE(m.run({single(s)}, [&](Thread &t) {
                Machine::set(t.reg[8], a);
                Machine::set(t.reg[9], b);
                for (unsigned l = 0; l < lanes; l++) {
                    t.flag_a[l] = flags >> l & 1 ? ~0u : 0;
                    t.active[l] = active >> l & 1 ? ~0u : 0;
                }
            }) == RunStatus::Ended);
            return m.reg(10);
        };
        std::vector<unsigned> in;
        for (unsigned l = 0; l < lanes; l++)
            if ((active >> l & 1) && (!conditional || (flags >> l & 1)))
                in.push_back(l);
        uint32_t ballot = 0;
        bool equal = true;
        for (unsigned l : in) {
            ballot |= a[l] ? 1u << l : 0;
            equal &= a[l] == a[in[0]];
        }
        const unsigned one = in[0];
        CHECK(run(Op::Ballot)[one] == ballot);
        CHECK(run(Op::Bcastf)[in.back()] == a[one]);
        CHECK(run(Op::Alleq)[one] == equal);
        for (unsigned l : in) {
            CHECK(run(Op::Rot)[l] == a[(l + b[0]) % 16]);
            CHECK(run(Op::Rotq)[l] == a[l / 4 * 4 + (l + b[l / 4 * 4]) % 4]);
            CHECK(run(Op::Shuffle)[l] == a[b[l] % 16]);
        }
    }
}

TEST_CASE("values that an instruction makes out of the thread's state") {
    Machine m;
    auto value = [&](Op op) {
        REQUIRE(m.run({single(side(op, 10, 8))}, [&](Thread &t) {
            t.thread_index = 43;
            t.link = 0x1234;
            t.reg[8] = Lanes{} + 5;
            for (unsigned l = 0; l < lanes; l++) {
                t.flag_a[l] = l & 1 ? ~0u : 0;
                t.flag_b[l] = l & 2 ? ~0u : 0;
                t.msf[l] = l < 10 ? 15 : 0;
            }
        }) == RunStatus::Ended);
        return m.reg(10);
    };
    for (unsigned l = 0; l < lanes; l++) {
        CHECK(value(Op::Tidx)[l] == 43);
        CHECK(value(Op::Eidx)[l] == l);
        CHECK(value(Op::Lr)[l] == 0x1234);
        CHECK(value(Op::Msf)[l] == (l < 10 ? 15 : 0));
        CHECK(value(Op::Vfla)[l] == (l & 1 ? 0x10001 : 0));
        CHECK(value(Op::Vflna)[l] == (l & 1 ? 0 : 0x10001));
        CHECK(value(Op::Vflb)[l] == (l & 2 ? 0x10001 : 0));
        CHECK(value(Op::Vflnb)[l] == (l & 2 ? 0 : 0x10001));
        CHECK(value(Op::Flapush)[l] == (5u << 2 | (l & 1 ? 3u : 0)));
        CHECK(value(Op::Flbpush)[l] == (5u << 2 | (l & 2 ? 3u : 0)));
        CHECK(value(Op::Flpop)[l] == 5u >> 2);
        CHECK(value(Op::Flafirst)[l] == (l == 1));
        CHECK(value(Op::Flnafirst)[l] == (l == 0));
    }
}
