// SPDX-License-Identifier: BSD-2-Clause
//
// Spills that overwrite lanes which nothing has written.
#include "catch.h"
#include "program.h"
#include "qpu_machine.h"
#include "spills.h"

using namespace v3dsim;
using namespace v3dsim::test;

namespace {

constexpr unsigned kValue = 5, kBase = 61, kOffset = 25;

Side to_magic(Op op, unsigned where, unsigned a, unsigned b = 0) {
    Side s = side(op, where, a, b);
    s.magic = true;
    return s;
}

Side only_where_a(Side s) {
    s.cond = Cond::IfA;
    return s;
}

Instruction write_value() {
    return single(side(Op::Mov, kValue, 7));
}
Instruction write_some_lanes() {
    return single(only_where_a(side(Op::Mov, kValue, 7)));
}
Instruction data() {
    return single(to_magic(Op::Mov, magic::Tmud, kValue));
}
Instruction address() {
    return single(to_magic(Op::Add, magic::Tmuau, kBase, kOffset));
}
Instruction address_in_some_lanes() {
    return single(only_where_a(to_magic(Op::Add, magic::Tmuau, kBase, kOffset)));
}

unsigned count(std::vector<Instruction> code) {
    Program p;
    p.scratch_uniform = 0;
    p.code = std::move(code);
    return count_partial_spills(p);
}

} // namespace

TEST_CASE("a spill of all lanes after a write of some is found") {
    REQUIRE(count({write_some_lanes(), data(), address()}) == 1);
    REQUIRE(count({write_some_lanes(), data(), address(), write_some_lanes(), data(), address()}) == 2);
}

TEST_CASE("spills of what was written are left alone") {
    REQUIRE(count({write_value(), data(), address()}) == 0);
    REQUIRE(count({write_value(), write_some_lanes(), data(), address()}) == 0);
    REQUIRE(count({write_some_lanes(), data(), address_in_some_lanes()}) == 0);
    REQUIRE(count({write_some_lanes(), address()}) == 0);
}

TEST_CASE("a program without scratch memory has no spills") {
    Program p;
    p.code = {write_some_lanes(), data(), address()};
    REQUIRE(count_partial_spills(p) == 0);
}
