// SPDX-License-Identifier: BSD-2-Clause
//
// The instruction table, and encoding, decoding and disassembling with it.
#include "catch.h"
#include "qpu_machine.h"

#include "disasm.h"

#include <random>
#include <set>

using namespace v3dsim;
using namespace v3dsim::test;

TEST_CASE("rows of the table do not overlap except where operands or destinations tell them apart") {
    const std::set<std::pair<Op, Op>> pairs = {{Op::Fadd, Op::Faddnf},        {Op::Fmin, Op::Fmax},
                                               {Op::LdvpmvIn, Op::LdvpmvOut}, {Op::LdvpmdIn, Op::LdvpmdOut},
                                               {Op::LdvpmgIn, Op::LdvpmgOut}, {Op::Stvpmv, Op::Stvpmd},
                                               {Op::Stvpmv, Op::Stvpmp},      {Op::Stvpmd, Op::Stvpmp}};
    const auto rows = op_table();
    for (size_t i = 0; i < rows.size(); i++)
        for (size_t k = i + 1; k < rows.size(); k++) {
            const OpInfo &a = rows[i], &b = rows[k];
            if (a.unit != b.unit || a.last < b.first || b.last < a.first || pairs.count({a.op, b.op}))
                continue;
            INFO(a.name << " and " << b.name);
            CHECK((a.selectors & b.selectors) == 0);
            CHECK((a.selectors && b.selectors));
        }
}

TEST_CASE("every operation has a row") {
    for (unsigned op = 1; op < static_cast<unsigned>(Op::Count); op++) {
        INFO(op);
        CHECK(op_info(static_cast<Op>(op)).op == static_cast<Op>(op));
    }
}

TEST_CASE("what is decoded from any word encodes to a word of the same meaning") {
    std::mt19937_64 random(Catch::rngSeed());
    unsigned valid = 0;
    for (unsigned i = 0; i < 400000; i++) {
        const uint64_t word = random();
        const Instruction in = decode(word);
        if (in.kind == Kind::Invalid || in.problem)
            continue;
        valid++;
        const uint64_t again = encode(in);
        INFO(std::hex << word << " " << disassemble(in));
        REQUIRE(disassemble(decode(again)) == disassemble(in));
        REQUIRE(decode(again).problem == nullptr);
    }
    CHECK(valid > 20000);
}

TEST_CASE("operations can be encoded with each of their conversions") {
    for (const OpInfo &info : op_table()) {
        if (info.traits & Unsupported)
            continue;
        Side s = side(info.op, 5, 6, info.op == Op::Fmax || info.op == Op::Faddnf ? 3 : 7);
        for (unsigned code = 0; code < 5; code++) {
            if (info.shape == Shape::IntMove)
                s.unpack_a = int_unpack(code);
            else if (info.shape == Shape::HalfSwizzle)
                s.unpack_a = half_unpack(code);
            else if (info.shape == Shape::FloatMove || (info.shape == Shape::FloatRound && code < 4) ||
                     (info.shape == Shape::FloatToInt && code < 4))
                s.unpack_a = float_unpack(code);
            const Instruction in = decode(encode(single(s)));
            const Side &back = info.unit == Unit::Add ? in.add : in.mul;
            INFO(info.name << " " << code);
            CHECK(back.op == info.op);
            CHECK(back.unpack_a == s.unpack_a);
            CHECK(back.dest == 5);
        }
    }
}

TEST_CASE("known words and their text") {
    // Words and texts that the driver's compiler and disassembler made.
    const std::pair<uint64_t, const char *> known[] = {
        {0x39813186bb03f000, "nop                           ; nop                         ; ldunifrf.rf4"},
        {0x39a172c6bb103000, "nop                           ; mov tmud, rf4               ; thrsw; ldunifrf.rf5"},
        {0x3800318d3803f005, "add tmuau, rf0, rf5           ; nop"},
        {0x38002186bb03f00f, "tmuwt rf6                     ; nop"},
        {0x38003186bb03f000, "nop                           ; nop"}};
    for (const auto &[word, text] : known) {
        std::string ours, theirs;
        for (char c : disassemble(word))
            ours += c == ' ' ? "" : std::string(1, c);
        for (const char *c = text; *c; c++)
            theirs += *c == ' ' ? "" : std::string(1, *c);
        CHECK(ours == theirs);
    }
}

TEST_CASE("small immediates") {
    for (unsigned i = 0; i < 16; i++)
        CHECK(small_immediate(i) == i);
    for (unsigned i = 16; i < 32; i++)
        CHECK(static_cast<int32_t>(small_immediate(i)) == static_cast<int32_t>(i) - 32);
    float power = 1.0f / 256;
    for (unsigned i = 32; i < 48; i++, power *= 2)
        CHECK(small_immediate(i) == std::bit_cast<uint32_t>(power));
}

TEST_CASE("reserved encodings cannot be executed") {
    CHECK(decode(0).problem != nullptr);
    CHECK(decode(~uint64_t{0}).problem != nullptr);
    Instruction in = single(side(Op::Add, 1, register_count + 50, 2), SigSmallA);
    CHECK(decode(encode(in)).problem != nullptr);
    CHECK(decode(encode(single(side(Op::Setrevf, 1, 2)))).problem != nullptr);
    CHECK(decode(encode(single(to_magic(side(Op::Mov, 0, 2), 20)))).problem != nullptr);
}
