// SPDX-License-Identifier: BSD-2-Clause
#include "program.h"

#include "spills.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace v3dsim {
namespace {

constexpr size_t longest_program = 65536;

uint64_t fnv1a(const std::vector<uint64_t> &words) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint64_t word : words)
        for (unsigned byte = 0; byte < 8; byte++) {
            hash ^= word >> (8 * byte) & 0xff;
            hash *= 0x100000001b3ull;
        }
    return hash;
}

bool is_special(const Instruction &in, unsigned where) {
    return (in.add.magic && in.add.dest == where && !in.add.is_nop()) ||
           (in.mul.magic && in.mul.dest == where && !in.mul.is_nop());
}

bool starts_memory_operation(const Instruction &in) {
    for (unsigned where : {magic::Tmua, magic::Tmuau, magic::Tmus, magic::Tmusf, magic::Tmuscm, magic::Tmuslod})
        if (is_special(in, where))
            return true;
    return false;
}

unsigned uniforms_read(const Instruction &in) {
    if (in.kind == Kind::Branch)
        return in.branch.moves_uniforms && in.branch.uniforms != BranchDest::RegisterFile;
    return ((in.sig & (SigLdunif | SigLdunifrf | SigWrtmuc)) != 0) + is_special(in, magic::Tmuau);
}

OpCounters count_instruction(const Instruction &in) {
    OpCounters c;
    c.instructions = 1;
    c.ldunif = uniforms_read(in);
    if (in.kind == Kind::Branch) {
        c.branches = 1;
        return c;
    }
    c.alu = !in.add.is_nop() + !in.mul.is_nop();
    c.nops = in.add.is_nop() && in.mul.is_nop();
    c.multop = in.mul.op == Op::Multop;
    c.sfu = (in.add.traits & SpecialFunction) != 0;
    c.thrsw = (in.sig & SigThrsw) != 0;
    c.ldtmu = (in.sig & SigLdtmu) != 0;
    c.tmuwt = in.add.op == Op::Tmuwt;
    c.tmu_writes = starts_memory_operation(in);
    c.barriers = is_special(in, magic::Syncb);
    return c;
}

// Does the program end at this instruction? After the last thread switch two delay slots follow. `last`: the next
// switch is the last one (from the beginning, in a program of a single segment).
struct EndFinder {
    bool last = false, previous = false;
    int left = -1;
    bool step(const Instruction &in) {
        if (left > 0)
            left--;
        const bool thrsw = in.kind == Kind::Alu && (in.sig & SigThrsw);
        if (thrsw && previous)
            last = true;
        else if (thrsw && last)
            left = 2;
        previous = thrsw;
        return left == 0;
    }
};

// Subroutines may lie behind the end: a program goes on to the furthest target of a branch, and there until it returns
// through a register.
class Extent {
  public:
    explicit Extent(bool single_segment) : end_{single_segment} {}
    // False with the program's last instruction.
    bool step(const Instruction &in, uint32_t address) {
        const size_t at = at_++;
        if (!ended_ && end_.step(in)) {
            ended_ = true;
            return furthest_ > at;
        }
        if (in.kind == Kind::Branch)
            note_branch(in.branch, at, address);
        if (!ended_ || at < furthest_)
            return true;
        return !in.problem && (left_ < 0 || left_-- > 0);
    }

  private:
    void note_branch(const Branch &b, size_t at, uint32_t address) {
        if (b.dest == BranchDest::Absolute || b.dest == BranchDest::Relative) {
            const size_t from = b.dest == BranchDest::Relative ? 8 * (at + 4) : -size_t{address};
            const auto target = static_cast<uint32_t>(from + b.offset) / 8;
            if (target < longest_program)
                furthest_ = std::max<size_t>(furthest_, target);
        } else if (ended_ && at >= furthest_ && left_ < 0) {
            left_ = 3; // delay slots
        }
    }

    EndFinder end_;
    size_t at_ = 0, furthest_ = 0;
    bool ended_ = false;
    int left_ = -1;
};

// Scratch memory (spills, arrays indexed at run time) starts, for each thread, at a uniform plus the thread's index
// times a size. Finds that uniform's index in the stream by following what is computed from tidx through the straight
// line of the program.
int find_scratch_uniform(const Program &p) {
    std::array<bool, register_count> from_tidx{};
    std::array<int, register_count> uniform_of;
    uniform_of.fill(-1);
    int stream = 0;
    for (const Instruction &in : p.code) {
        if (in.kind != Kind::Alu)
            return -1;
        struct Result {
            bool tainted = false;
            int dest = -1;
        } results[2];
        int n = 0;
        for (const Side *s : {&in.add, &in.mul}) {
            Result &r = results[n++];
            if (!(s->traits & WritesResult))
                continue;
            const unsigned sources = op_info(s->op).sources;
            const bool a_reg = sources > 0 && s->a<register_count, b_reg = sources> 1 && s->b < register_count;
            const bool ta = a_reg && from_tidx[s->a], tb = b_reg && from_tidx[s->b];
            const int ua = a_reg ? uniform_of[s->a] : -1, ub = b_reg ? uniform_of[s->b] : -1;
            if ((s->op == Op::Add || s->op == Op::MulAdd) && ((ta && ub >= 0) || (tb && ua >= 0)))
                return ta ? ub : ua;
            r.tainted = s->op == Op::Tidx || ta || tb;
            if (!s->magic)
                r.dest = s->dest;
        }
        for (const Result &r : results)
            if (r.dest >= 0) {
                from_tidx[static_cast<size_t>(r.dest)] = r.tainted;
                uniform_of[static_cast<size_t>(r.dest)] = -1;
            }
        if (in.sig & (SigLdunif | SigLdunifrf)) {
            const unsigned dest = in.sig & SigLdunif ? 0u : in.sig_dest;
            if (!(in.sig & SigLdunifrf) || !in.sig_magic) {
                from_tidx[dest] = false;
                uniform_of[dest] = stream;
            }
        }
        stream += static_cast<int>(uniforms_read(in));
    }
    return -1;
}

} // namespace

std::shared_ptr<const Program> decode_program(uint32_t address, std::vector<uint64_t> words) {
    auto p = std::make_shared<Program>();
    p->address = address;
    p->hash = fnv1a(words);
    p->words = std::move(words);
    p->code.reserve(p->words.size() + 1);
    for (uint64_t word : p->words) {
        p->code.push_back(decode(word));
        p->per_instruction.push_back(count_instruction(p->code.back()));
        p->text.add(p->per_instruction.back());
    }
    p->scratch_uniform = find_scratch_uniform(*p);
    p->text.partial_spills = count_partial_spills(*p);
    Instruction end;
    end.problem = "ran past the end of the program";
    p->code.push_back(end);
    p->per_instruction.emplace_back();
    return p;
}

std::shared_ptr<const Program> ProgramCache::get(const Memory &memory, uint32_t address, bool single_segment,
                                                 std::string *error) {
    std::vector<uint64_t> words;
    Extent extent(single_segment);
    uint64_t word;
    do {
        const auto at = static_cast<uint32_t>(address + 8 * words.size());
        if (!memory.mapped(at, 8) || words.size() == longest_program) {
            *error = "the program has no end";
            return nullptr;
        }
        std::memcpy(&word, memory.base() + at, 8);
        words.push_back(word);
    } while (extent.step(decode(word), address));
    const uint64_t key = fnv1a(words) ^ (uint64_t{address} << 32 | address);
    std::lock_guard lock(mutex_);
    auto &entry = programs_[key];
    if (!entry)
        entry = decode_program(address, std::move(words));
    return entry;
}

} // namespace v3dsim
