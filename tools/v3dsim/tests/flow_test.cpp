// SPDX-License-Identifier: BSD-2-Clause
//
// Flags, conditions, branches, thread switches, uniforms.
#include "catch.h"
#include "qpu_machine.h"

#include <cmath>
#include <limits>
#include <random>

using namespace v3dsim;
using namespace v3dsim::test;

namespace {

void set_flags(Lanes &flags, LaneMask bits) {
    for (unsigned l = 0; l < lanes; l++)
        flags[l] = bits >> l & 1 ? ~0u : 0;
}

LaneMask bits_of(const Lanes &flags) {
    LaneMask bits = 0;
    for (unsigned l = 0; l < lanes; l++)
        bits |= static_cast<LaneMask>((flags[l] & 1) << l);
    return bits;
}

Instruction branch(BranchCond cond, unsigned msfign, BranchDest dest, uint32_t offset) {
    Instruction in;
    in.kind = Kind::Branch;
    in.branch.cond = cond;
    in.branch.msfign = static_cast<uint8_t>(msfign);
    in.branch.dest = dest;
    in.branch.offset = offset;
    return in;
}

Instruction increment(unsigned reg) {
    return single(side(Op::Add, reg, reg, register_count + 1), SigSmallB);
}

} // namespace

TEST_CASE("pushes and updates of the flags") {
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (RunFunction engine : engines())
        for (unsigned f = 1; f <= 15; f++)
            for (Op op : {Op::Sub, Op::MulSub}) {
                Words a, b;
                for (unsigned l = 0; l < lanes; l++) {
                    a[l] = static_cast<uint32_t>(random() & 7);
                    b[l] = static_cast<uint32_t>(random() & 7);
                }
                const auto old_a = static_cast<LaneMask>(random()), old_b = static_cast<LaneMask>(random());
                Instruction in = single(side(op, 10, 8, 9));
                in.flags = static_cast<FlagUpdate>(f);
                in.flags_from_mul = op == Op::MulSub;
                REQUIRE(m.run(
                            {in},
                            [&](Thread &t) {
                                Machine::set(t.reg[8], a);
                                Machine::set(t.reg[9], b);
                                set_flags(t.flag_a, old_a);
                                set_flags(t.flag_b, old_b);
                            },
                            engine) == RunStatus::Ended);
                for (unsigned l = 0; l < lanes; l++) {
                    const bool zero = a[l] == b[l], negative = a[l] < b[l], was = old_a >> l & 1;
                    // pushz pushn pushc | andz andnz nornz norz | andn … | andc …; the carry of a subtraction is its
                    // borrow
                    const bool condition = f <= 3 ? (f == 1 ? zero : negative) : ((f - 4) / 4 == 0 ? zero : negative);
                    bool want = condition;
                    if (f > 3) {
                        const bool updates[] = {was && condition, was && !condition, !(was || !condition),
                                                !(was || condition)};
                        want = updates[(f - 4) % 4];
                    }
                    INFO(flag_update_name(in.flags));
                    CHECK((bits_of(m.thread.flag_a) >> l & 1) == want);
                    CHECK((bits_of(m.thread.flag_b) >> l & 1) == (f <= 3 ? was : (old_b >> l & 1)));
                }
            }
}

TEST_CASE("carries") {
    struct {
        Op op;
        uint32_t a, b;
        bool carry;
    } const cases[] = {{Op::Add, 0xffffffff, 1, true},  {Op::Add, 0xfffffffe, 1, false},
                       {Op::Sub, 1, 2, true},           {Op::Sub, 2, 1, false},
                       {Op::Min, 5, 0xfffffff0, true},  {Op::Min, 0xfffffff0, 5, false},
                       {Op::Max, 5, 4, true},           {Op::Umin, 5, 0xfffffff0, false},
                       {Op::Umax, 0xfffffff0, 5, true}, {Op::Shl, 0x80000000, 1, true},
                       {Op::Shl, 0x40000000, 1, false}, {Op::Shr, 1, 1, true},
                       {Op::Shr, 2, 1, false},          {Op::Asr, 3, 2, true},
                       {Op::Shl, 0xffffffff, 0, false}};
    Machine m;
    for (const auto &c : cases) {
        Instruction in = single(side(c.op, 10, 8, 9));
        in.flags = FlagUpdate::PushC;
        REQUIRE(m.run({in}, [&](Thread &t) {
            t.reg[8] = Lanes{} + c.a;
            t.reg[9] = Lanes{} + c.b;
        }) == RunStatus::Ended);
        INFO(op_info(c.op).name << std::hex << " " << c.a << " " << c.b);
        CHECK(bits_of(m.thread.flag_a) == (c.carry ? all_lanes : 0));
    }
}

TEST_CASE("float comparisons") {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, 1e-40f};
    Machine m;
    for (float a : values)
        for (float b : values)
            for (FlagUpdate f : {FlagUpdate::PushZ, FlagUpdate::PushN, FlagUpdate::PushC}) {
                Instruction in = single(side(Op::Fcmp, 10, 8, 9));
                in.flags = f;
                REQUIRE(m.run({in}, [&](Thread &t) {
                    t.reg[8] = Lanes{} + std::bit_cast<uint32_t>(a);
                    t.reg[9] = Lanes{} + std::bit_cast<uint32_t>(b);
                }) == RunStatus::Ended);
                const bool want = f == FlagUpdate::PushZ ? a == b : f == FlagUpdate::PushN ? a < b : a <= b;
                INFO(a << " " << flag_update_name(f) << " " << b);
                CHECK(bits_of(m.thread.flag_a) == (want ? all_lanes : 0));
            }
    // A result of a float operation is zero whatever its sign.
    Instruction move = single(side(Op::Fmov, 10, 8));
    move.flags = FlagUpdate::PushZ;
    REQUIRE(m.run({move}, [&](Thread &t) { t.reg[8] = Lanes{} + 0x80000000u; }) == RunStatus::Ended);
    CHECK(bits_of(m.thread.flag_a) == all_lanes);
}

TEST_CASE("conditional writes see the flags from before the instruction") {
    Machine m;
    for (RunFunction engine : engines())
        for (unsigned c = 1; c <= 4; c++) {
            // The mul side pushes new flags, the add side writes by the old ones.
            Instruction in = single(side(Op::Mov, 10, 8));
            in.mul = side(Op::MulMov, 11, 9);
            in.add.cond = static_cast<Cond>(c);
            in.flags = FlagUpdate::PushZ;
            in.flags_from_mul = true;
            REQUIRE(m.run(
                        {in},
                        [&](Thread &t) {
                            t.reg[8] = Lanes{} + 7;
                            t.reg[9] = Lanes{};
                            t.reg[10] = Lanes{} + 1;
                            set_flags(t.flag_a, 0x0ff0);
                            set_flags(t.flag_b, 0x00ff);
                        },
                        engine) == RunStatus::Ended);
            const LaneMask written[] = {0x0ff0, 0x00ff, 0xf00f, 0xff00};
            for (unsigned l = 0; l < lanes; l++)
                CHECK(m.reg(10)[l] == (written[c - 1] >> l & 1 ? 7 : 1));
            CHECK(bits_of(m.thread.flag_a) == all_lanes);
        }
}

TEST_CASE("both sides read their operands before either writes") {
    Machine m;
    Instruction swap = single(side(Op::Mov, 8, 9));
    swap.mul = side(Op::MulMov, 9, 8);
    REQUIRE(m.run({swap}, [&](Thread &t) {
        t.reg[8] = Lanes{} + 1;
        t.reg[9] = Lanes{} + 2;
    }) == RunStatus::Ended);
    CHECK(m.reg(8)[3] == 2);
    CHECK(m.reg(9)[3] == 1);
}

TEST_CASE("branch conditions") {
    std::mt19937 random(Catch::rngSeed());
    Machine m;
    for (unsigned round = 0; round < 400; round++) {
        const unsigned choices[] = {0, 0xffff, static_cast<unsigned>(random()), 1u << (random() & 15),
                                    ~(1u << (random() & 15))};
        const auto flags = static_cast<LaneMask>(choices[random() % 5]),
                   active = static_cast<LaneMask>(choices[random() % 5]);
        for (unsigned cond : {0u, 2u, 3u, 4u, 5u, 6u, 7u})
            for (unsigned msfign = 0; msfign < 3; msfign++) {
                bool any = false, all = true;
                for (unsigned l = 0; l < lanes; l++) {
                    const bool quad = active >> (l / 4 * 4) & 15;
                    if ((msfign == 1 && !(active >> l & 1)) || (msfign == 2 && !quad))
                        continue;
                    any |= flags >> l & 1;
                    all &= flags >> l & 1;
                }
                bool any_not = false, all_not = true;
                for (unsigned l = 0; l < lanes; l++) {
                    const bool quad = active >> (l / 4 * 4) & 15;
                    if ((msfign == 1 && !(active >> l & 1)) || (msfign == 2 && !quad))
                        continue;
                    any_not |= !(flags >> l & 1);
                    all_not &= !(flags >> l & 1);
                }
                const bool taken[] = {true, false, (flags & 1) != 0, !(flags & 1), all, any_not, any, all_not};
                const Instruction jump = branch(static_cast<BranchCond>(cond), msfign, BranchDest::Relative, 8);
                // Three delay slots run in any case; the fourth instruction is jumped over.
                REQUIRE(
                    m.run({jump, increment(8), increment(8), increment(8), increment(9), increment(8)}, [&](Thread &t) {
                        set_flags(t.flag_a, flags);
                        set_flags(t.active, active);
                    }) == RunStatus::Ended);
                INFO(cond << " " << msfign << std::hex << " " << flags << " " << active);
                REQUIRE(m.reg(8)[0] == 4);
                REQUIRE(m.reg(9)[0] == (taken[cond] ? 0 : 1));
            }
    }
}

TEST_CASE("branch destinations") {
    Machine m;
    const uint32_t target = Machine::program_address + 8 * 6;
    auto run = [&](Instruction jump, const std::function<void(Thread &)> &prepare) {
        // 0 jump, 1-3 delay slots, 4 and 5 jumped over, 6 reached
        REQUIRE(m.run({jump, increment(8), increment(8), increment(8), increment(9), increment(9), increment(10)},
                      prepare) == RunStatus::Ended);
        CHECK(m.reg(8)[0] == 3);
        CHECK(m.reg(9)[0] == 0);
        CHECK(m.reg(10)[0] == 1);
    };
    run(branch(BranchCond::Always, 0, BranchDest::Relative, 16), [](Thread &) {});
    run(branch(BranchCond::Always, 0, BranchDest::Absolute, target), [](Thread &) {});
    run(branch(BranchCond::Always, 0, BranchDest::LinkRegister, 0), [&](Thread &t) { t.link = target; });
    Instruction by_register = branch(BranchCond::Always, 0, BranchDest::RegisterFile, 0);
    by_register.branch.reg = 20;
    run(by_register, [&](Thread &t) { t.reg[20][0] = target; });

    Instruction call = branch(BranchCond::Always, 0, BranchDest::Relative, 16);
    call.branch.sets_link = true;
    run(call, [](Thread &) {});
    CHECK(m.thread.link == Machine::program_address + 8 * 4);
    run(branch(BranchCond::Always, 0, BranchDest::Relative, 16), [](Thread &t) { t.link = 5; });
    CHECK(m.thread.link == 5);

    CHECK(m.run({branch(BranchCond::Always, 0, BranchDest::Relative, 0x10000)}, [](Thread &) {}) == RunStatus::Error);
    CHECK(m.thread.error.find("out of the program") != std::string::npos);
}

TEST_CASE("branches move the uniform stream") {
    Machine m;
    m.set_uniforms({8, 11, 12, 13, 14});
    auto run = [&](BranchDest dest, const std::function<void(Thread &)> &prepare) {
        Instruction jump = branch(BranchCond::Always, 0, BranchDest::Relative, 0);
        jump.branch.moves_uniforms = true;
        jump.branch.uniforms = dest;
        jump.branch.reg = 20;
        Instruction load = empty(SigLdunifrf);
        load.sig_dest = 30;
        REQUIRE(m.run({jump, empty(), empty(), empty(), load}, prepare) == RunStatus::Ended);
        return m.reg(30)[9];
    };
    CHECK(run(BranchDest::Relative, [](Thread &) {}) == 13); // behind the word that says how far
    CHECK(run(BranchDest::RegisterFile, [&](Thread &t) { t.reg[20][1] = m.uniforms + 8; }) == 12);
    CHECK(run(BranchDest::RegisterFile, [&](Thread &t) { t.reg[20][1] = m.uniforms + 12; }) == 12); // pairs of words
    m.set_uniforms({m.uniforms + 16, 11, 12, 13, 14});
    CHECK(run(BranchDest::Absolute, [](Thread &) {}) == 14);
}

TEST_CASE("uniforms") {
    Machine m;
    m.set_uniforms({100, 101, 102});
    m.word(0x40) = 77;
    m.word(0x44) = 78;
    Instruction to_register = empty(SigLdunifrf), second = empty(SigLdunifarf);
    to_register.sig_dest = 30;
    second.sig_dest = 31;
    REQUIRE(
        m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Unifa), SigLdunif), to_register, empty(SigLdunifa), second},
              [&](Thread &t) { t.reg[8] = Lanes{} + (m.data + 0x40); }) == RunStatus::Ended);
    CHECK(m.reg(0)[15] == 77); // ldunif wrote 100 here before
    CHECK(m.reg(30)[0] == 101);
    CHECK(m.reg(31)[7] == 78);
    CHECK(m.thread.uniforms == m.uniforms + 8);
}

TEST_CASE("an instruction that sets the address of uniforms reads at the old one") {
    Machine m;
    m.word(0x40) = 77;
    m.word(0x80) = 78;
    Instruction both = single(to_magic(side(Op::Mov, 0, 9), magic::Unifa), SigLdunifarf), then = empty(SigLdunifarf);
    both.sig_dest = 30;
    then.sig_dest = 31;
    REQUIRE(m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Unifa)), both, then}, [&](Thread &t) {
        t.reg[8] = Lanes{} + (m.data + 0x40);
        t.reg[9] = Lanes{} + (m.data + 0x80);
    }) == RunStatus::Ended);
    CHECK(m.reg(30)[0] == 77);
    CHECK(m.reg(31)[0] == 78);
}

TEST_CASE("a job doesn't see that it overwrites a uniform") {
    Machine m;
    m.set_uniforms({5});
    UniformCache cache;
    for (const uint32_t expected : {5u, 5u}) {
        Instruction load = empty(SigLdunifrf);
        load.sig_dest = 30;
        m.run({load}, [](Thread &) {}); // decodes
        m.context.uniforms = &cache;
        m.thread.start(m.uniforms, true, m.counts.data());
        m.thread.budget = 1;
        REQUIRE(m.resume() == RunStatus::Ended);
        CHECK(m.reg(30)[0] == expected);
        m.set_uniforms({6});
    }
}

TEST_CASE("replicated writes") {
    Machine m;
    Words a;
    for (unsigned l = 0; l < lanes; l++)
        a[l] = 100 + l;
    REQUIRE(m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Quad))},
                  [&](Thread &t) { Machine::set(t.reg[8], a); }) == RunStatus::Ended);
    for (unsigned l = 0; l < lanes; l++)
        CHECK(m.reg(0)[l] == 100 + l / 4 * 4);
    REQUIRE(m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Rep))}, [&](Thread &t) { Machine::set(t.reg[8], a); }) ==
            RunStatus::Ended);
    CHECK(m.reg(0)[13] == 100);
}

TEST_CASE("thread switches and barriers") {
    Machine m;
    // Two segments: a switch, then the announcement of the last one, then the end that run() adds.
    std::vector<Instruction> code = {increment(8),    empty(SigThrsw), increment(8), increment(8), increment(9),
                                     empty(SigThrsw), empty(SigThrsw), increment(9), increment(9)};
    REQUIRE(m.run(
                code, [](Thread &t) { t.last_switch = false; }, engine_baseline::run, true) == RunStatus::Switched);
    CHECK(m.reg(8)[0] == 3); // the delay slots have run
    CHECK(m.reg(9)[0] == 0);
    REQUIRE(m.resume() == RunStatus::Switched);
    CHECK(m.reg(9)[0] == 2);
    CHECK(m.resume() == RunStatus::Ended);

    code = {single(to_magic(side(Op::Barrierid, 0), magic::Syncb), SigThrsw),
            increment(8),
            increment(8),
            increment(9),
            empty(SigThrsw),
            empty(SigThrsw),
            empty(),
            empty()};
    REQUIRE(m.run(code, [](Thread &t) { t.last_switch = false; }) == RunStatus::Barrier);
    CHECK(m.reg(8)[0] == 2);
    CHECK(m.reg(9)[0] == 0);
    CHECK(m.resume() == RunStatus::Ended);
    CHECK(m.reg(9)[0] == 1);
}

TEST_CASE("sample flags") {
    Machine m;
    Side set = side(Op::Setmsf, magic::Nop, 8);
    set.magic = true;
    set.cond = Cond::IfA;
    REQUIRE(m.run({single(set), single(side(Op::Msf, 10))}, [](Thread &t) {
        t.reg[8] = Lanes{};
        set_flags(t.flag_a, 0x00f0);
    }) == RunStatus::Ended);
    for (unsigned l = 0; l < lanes; l++)
        CHECK(m.reg(10)[l] == (l >= 4 && l < 8 ? 0 : 15));
    CHECK(bits_of(m.thread.active) == 0xff0f);
}

TEST_CASE("what is not implemented stops with its name") {
    Machine m;
    CHECK(m.run({single(to_magic(side(Op::Mov, 0, 8), magic::Vpm))}, [](Thread &) {}) == RunStatus::Error);
    CHECK(m.thread.error.find("vpm") != std::string::npos);
    CHECK(m.run({empty(SigLdtmu)}, [](Thread &) {}) == RunStatus::Error);
    CHECK(m.thread.error.find("ldtmu") != std::string::npos);
}
