// SPDX-License-Identifier: BSD-2-Clause
//
// Buffer accesses of the texture and memory unit.
#include "catch.h"
#include "qpu_machine.h"

#include "tmu.h"

#include <random>

using namespace v3dsim;
using namespace v3dsim::test;

namespace {

constexpr uint32_t type_s8 = 0, type_s16 = 1, type_vec2 = 2, type_u8 = 5, type_u16 = 6, type_32 = 7;

uint32_t config(uint32_t type, uint32_t op = tmu_op::Regular, bool per_quad = false) {
    return 0xffffff00u | op << 3 | type | (per_quad ? 0 : 0x80);
}

Instruction load_result(unsigned reg) {
    Instruction in = empty(SigLdtmu);
    in.sig_dest = static_cast<uint8_t>(reg);
    return in;
}

Instruction access(unsigned address_register) {
    return single(to_magic(side(Op::Mov, 0, address_register), magic::Tmuau));
}
Instruction data(unsigned reg) {
    return single(to_magic(side(Op::MulMov, 0, reg), magic::Tmud));
}

Words addresses(const Machine &m, uint32_t offset, uint32_t step) {
    Words a;
    for (unsigned l = 0; l < lanes; l++)
        a[l] = m.data + offset + l * step;
    return a;
}

} // namespace

TEST_CASE("loads of all types") {
    Machine m;
    for (unsigned i = 0; i < 64; i++)
        m.word(0x100 + 4 * i) = 0x81018000u + i * 0x01030507u;
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&m.word(0x100));
    for (RunFunction engine : engines())
        for (uint32_t type = 0; type < 8; type++) {
            const unsigned words = type >= 2 && type <= 4 ? type : 1,
                           step = type == type_s8 || type == type_u8 ? 3 : 12;
            m.set_uniforms({config(type)});
            std::vector<Instruction> code = {access(8)};
            for (unsigned w = 0; w < words; w++)
                code.push_back(load_result(20 + w));
            REQUIRE(m.run(
                        code, [&](Thread &t) { Machine::set(t.reg[8], addresses(m, 0x100, step)); }, engine) ==
                    RunStatus::Ended);
            for (unsigned l = 0; l < lanes; l++)
                for (unsigned w = 0; w < words; w++) {
                    const uint8_t *p = bytes + l * step + 4 * w;
                    const uint32_t half = p[0] + p[1] * 256u, whole = half + p[2] * 65536u + p[3] * 16777216u;
                    const uint32_t want = type == type_s8    ? (p[0] < 128 ? p[0] : p[0] - 256u)
                                          : type == type_u8  ? p[0]
                                          : type == type_s16 ? (half < 32768 ? half : half - 65536u)
                                          : type == type_u16 ? half
                                                             : whole;
                    INFO("type " << type);
                    CHECK(m.reg(20 + w)[l] == want);
                }
        }
}

TEST_CASE("stores of all sizes, by condition and by active lanes") {
    Machine m;
    for (uint32_t type : {type_u8, type_u16, type_32, type_vec2, type_vec2 + 2}) {
        const unsigned words = type >= 2 && type <= 4 ? type : 1, element = type == type_u8    ? 1
                                                                            : type == type_u16 ? 2
                                                                                               : 4;
        for (unsigned i = 0; i < 256; i++)
            m.word(4 * i) = 0xeeeeeeee;
        m.set_uniforms({config(type)});
        std::vector<Instruction> code;
        for (unsigned w = 0; w < words; w++)
            code.push_back(data(20 + w));
        Instruction store = access(8);
        store.add.cond = Cond::IfA;
        code.push_back(store);
        REQUIRE(m.run(code, [&](Thread &t) {
            Machine::set(t.reg[8], addresses(m, 0, 20));
            for (unsigned l = 0; l < lanes; l++) {
                t.flag_a[l] = l % 3 ? ~0u : 0;
                t.active[l] = l < 12 ? ~0u : 0;
                for (unsigned w = 0; w < words; w++)
                    t.reg[20 + w][l] = 0x11223300u + 16 * l + w;
            }
        }) == RunStatus::Ended);
        std::vector<uint8_t> want(20 * lanes, 0xee);
        for (unsigned l = 0; l < 12; l++)
            for (unsigned w = 0; l % 3 && w < words; w++)
                for (unsigned b = 0; b < element; b++)
                    want[20 * l + 4 * w + b] = static_cast<uint8_t>((0x11223300u + 16 * l + w) >> (8 * b));
        CHECK(std::memcmp(&m.word(0), want.data(), want.size()) == 0);
    }
}

TEST_CASE("loads fill up quads when asked to") {
    Machine m;
    for (unsigned i = 0; i < 16; i++)
        m.word(4 * i) = 100 + i;
    for (bool per_quad : {false, true}) {
        m.set_uniforms({config(type_32, tmu_op::Regular, per_quad)});
        REQUIRE(m.run({access(8), load_result(20)}, [&](Thread &t) {
            Machine::set(t.reg[8], addresses(m, 0, 4));
            t.reg[8][7] = 0x70000000; // a helper's address may be anything
            for (unsigned l = 0; l < lanes; l++)
                t.active[l] = l == 5 || l == 8 ? ~0u : 0;
        }) == RunStatus::Ended);
        for (unsigned l = 0; l < lanes; l++) {
            const bool real = l == 5 || l == 8, filled = l >= 4 && l < 12 && l != 7;
            CHECK(m.reg(20)[l] == (real || (per_quad && filled) ? 100 + l : 0));
        }
    }
}

TEST_CASE("atomics") {
    struct {
        uint32_t op;
        uint32_t (*f)(uint32_t, uint32_t);
    } const cases[] = {
        {tmu_op::Add, [](uint32_t a, uint32_t b) { return a + b; }},
        {tmu_op::Sub, [](uint32_t a, uint32_t b) { return a - b; }},
        {tmu_op::Exchange, [](uint32_t, uint32_t b) { return b; }},
        {tmu_op::UnsignedMin, [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
        {tmu_op::UnsignedMax, [](uint32_t a, uint32_t b) { return a > b ? a : b; }},
        {tmu_op::SignedMin, [](uint32_t a, uint32_t b) { return (a ^ 0x80000000u) < (b ^ 0x80000000u) ? a : b; }},
        {tmu_op::SignedMax, [](uint32_t a, uint32_t b) { return (a ^ 0x80000000u) > (b ^ 0x80000000u) ? a : b; }},
        {tmu_op::AndOrIncrement, [](uint32_t a, uint32_t b) { return a & b; }},
        {tmu_op::OrOrDecrement, [](uint32_t a, uint32_t b) { return a | b; }},
        {tmu_op::Xor, [](uint32_t a, uint32_t b) { return a ^ b; }},
    };
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (const auto &c : cases) {
        m.set_uniforms({config(type_32, c.op)});
        Words operands;
        uint32_t value = static_cast<uint32_t>(random());
        m.word(0x40) = value;
        for (uint32_t &o : operands)
            o = static_cast<uint32_t>(random());
        REQUIRE(m.run({data(9), access(8), load_result(20)}, [&](Thread &t) {
            Machine::set(t.reg[8], addresses(m, 0x40, 0)); // all lanes on one word
            Machine::set(t.reg[9], operands);
        }) == RunStatus::Ended);
        for (unsigned l = 0; l < lanes; l++) {
            CHECK(m.reg(20)[l] == value);
            value = c.f(value, operands[l]);
        }
        CHECK(m.word(0x40) == value);
    }
    m.word(0x40) = 7;
    m.set_uniforms({config(type_32, tmu_op::AndOrIncrement), config(type_32, tmu_op::OrOrDecrement)});
    REQUIRE(m.run({access(8), load_result(20), access(8), load_result(21)},
                  [&](Thread &t) { Machine::set(t.reg[8], addresses(m, 0x40, 0)); }) == RunStatus::Ended);
    CHECK(m.reg(20)[15] == 22);
    CHECK(m.reg(21)[15] == 8);
    CHECK(m.word(0x40) == 7);
}

TEST_CASE("compare and exchange") {
    Machine m;
    m.set_uniforms({config(type_vec2, tmu_op::CompareExchange)});
    for (unsigned l = 0; l < lanes; l++)
        m.word(4 * l) = l;
    REQUIRE(m.run({data(9), data(10), access(8), load_result(20)}, [&](Thread &t) {
        Machine::set(t.reg[8], addresses(m, 0, 4));
        t.reg[9] = Lanes{} + 5;   // compared
        t.reg[10] = Lanes{} + 99; // stored
    }) == RunStatus::Ended);
    for (unsigned l = 0; l < lanes; l++) {
        CHECK(m.reg(20)[l] == l);
        CHECK(m.word(4 * l) == (l == 5 ? 99 : l));
    }
}

TEST_CASE("the configuration register hands out a byte for each access") {
    Machine m;
    m.word(0) = 0x8081fff2;
    // Without any configuration: 32 bits. With one written: its bytes, the lowest first.
    REQUIRE(
        m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Tmua)), load_result(20),
               single(to_magic(side(Op::Mov, 0, 9), magic::Tmuc)), single(to_magic(side(Op::Mov, 0, 8), magic::Tmua)),
               load_result(21), single(to_magic(side(Op::Mov, 0, 8), magic::Tmua)), load_result(22),
               single(to_magic(side(Op::Mov, 0, 8), magic::Tmua)), load_result(23)},
              [&](Thread &t) {
                  t.reg[8] = Lanes{} + m.data;
                  t.reg[9] = Lanes{} + (0xffff0000u | (config(type_s16) & 0xff) << 8 | (config(type_u8) & 0xff));
              }) == RunStatus::Ended);
    CHECK(m.reg(20)[0] == 0x8081fff2);
    CHECK(m.reg(21)[0] == 0xf2);
    CHECK(m.reg(22)[0] == 0xfffffff2);
    CHECK(m.reg(23)[0] == 0x8081fff2);
}

TEST_CASE("a prefetch gives no result, whatever its address") {
    Machine m;
    m.set_uniforms({0xffffff80u}); // a read with operation 0
    REQUIRE(m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Tmuau))}, [](Thread &t) { t.reg[8] = Lanes{} + 16; }) ==
            RunStatus::Ended);
    CHECK(m.thread.result_read == m.thread.result_write);
}

TEST_CASE("accesses outside buffer objects stop the batch") {
    Machine m;
    m.set_uniforms({config(type_vec2 + 2)});
    auto run = [&](uint32_t offset) {
        return m.run({access(8), load_result(20), load_result(21), load_result(22), load_result(23)}, [&](Thread &t) {
            t.reg[8] = Lanes{} + m.data;
            t.reg[8][3] = m.data + offset;
        });
    };
    CHECK(run(0x10000 - 16) == RunStatus::Ended);
    CHECK(run(0x10000 - 12) == RunStatus::Error); // the last word lies behind the end
    CHECK(m.thread.error.find("invocation 3") != std::string::npos);
    CHECK(run(0x40000000) == RunStatus::Error);
}
