// SPDX-License-Identifier: BSD-2-Clause
#include "spills.h"

#include <array>

namespace v3dsim {
namespace {

bool writes(const Side &s) {
    return (s.traits & WritesResult) != 0 && !s.is_nop();
}

// What a straight line of code has written of each register.
class Line {
  public:
    void clear() { state_.fill(State::unknown); }

    void step(const Instruction &in) {
        for (const Side *s : {&in.add, &in.mul})
            if (writes(*s) && !s->magic)
                note(s->dest, s->cond != Cond::None);
        if ((in.sig & (SigLdtmu | SigLdunifrf | SigLdunifarf)) && !in.sig_magic)
            note(in.sig_dest, false);
        if (in.sig & (SigLdunif | SigLdunifa))
            note(0, false);
    }

    bool partial(unsigned reg) const { return reg < register_count && state_[reg] == State::partial; }

  private:
    enum class State { unknown, whole, partial };
    void note(unsigned reg, bool conditional) {
        State &s = state_[reg];
        if (!conditional)
            s = State::whole;
        else if (s == State::unknown)
            s = State::partial;
    }
    std::array<State, register_count> state_{};
};

// The register that holds the base of scratch memory: spills add their offset to it and write `tmuau`. It is the one
// that does so most often.
int scratch_base(const Program &p) {
    std::array<unsigned, register_count> uses{};
    for (const Instruction &in : p.code)
        if (in.kind == Kind::Alu && in.add.magic && in.add.dest == magic::Tmuau && in.add.op == Op::Add &&
            in.add.a < register_count)
            uses[in.add.a]++;
    unsigned best = 0;
    for (unsigned r = 1; r < register_count; r++)
        if (uses[r] > uses[best])
            best = r;
    return uses[best] ? static_cast<int>(best) : -1;
}

const Side *data_write(const Instruction &in) {
    for (const Side *s : {&in.add, &in.mul})
        if (writes(*s) && s->magic && s->dest == magic::Tmud)
            return s;
    return nullptr;
}

} // namespace

unsigned count_partial_spills(const Program &p) {
    if (p.scratch_uniform < 0)
        return 0;
    const int base = scratch_base(p);
    unsigned found = 0, pending = 0; // words of data for the next memory operation that are written in part
    int delay = 0;
    Line line;
    for (const Instruction &in : p.code) {
        if (in.kind == Kind::Branch)
            delay = 4;
        if (in.kind == Kind::Alu) {
            const Side *data = data_write(in);
            if (data && data->cond == Cond::None && line.partial(data->a))
                pending++;
            if (in.add.magic && in.add.dest == magic::Tmuau && in.add.op == Op::Add) {
                found += in.add.cond == Cond::None && in.add.a == base ? pending : 0;
                pending = 0;
            } else if (in.add.magic && in.add.dest == magic::Tmua) {
                pending = 0;
            }
            line.step(in);
        }
        if (delay && --delay == 0)
            line.clear();
    }
    return found;
}

} // namespace v3dsim
