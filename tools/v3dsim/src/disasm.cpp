// SPDX-License-Identifier: BSD-2-Clause
#include "disasm.h"

#include <cstdio>

namespace v3dsim {
namespace {

std::string hex(uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

void pad_to(std::string &out, size_t column) {
    if (out.size() < column)
        out.append(column - out.size(), ' ');
}

std::string write_address(unsigned address, bool magic) {
    if (!magic)
        return "rf" + std::to_string(address);
    const std::string_view name = magic_name(address);
    return name.empty() ? "waddr" + std::to_string(address) : std::string(name);
}

std::string operand(uint8_t index) {
    if (index < register_count)
        return "rf" + std::to_string(index);
    if (index >= operand_count)
        return "imm?" + std::to_string(index - register_count);
    const uint32_t value = small_immediate(index - register_count);
    const auto number = static_cast<int32_t>(value);
    return number >= -16 && number <= 15 ? std::to_string(number) : hex(value);
}

void append_side(std::string &out, const Side &side, FlagUpdate flags) {
    const OpInfo &info = op_info(side.op);
    out += info.name;
    out += cond_name(side.cond);
    out += flag_update_name(flags);
    if (side.is_nop())
        return;
    const char *separator = " ";
    if (side.traits & WritesResult) {
        out += separator;
        out += write_address(side.dest, side.magic);
        out += pack_name(side.pack);
        separator = ", ";
    }
    if (info.sources > 0) {
        out += separator;
        out += operand(side.a);
        out += unpack_name(side.unpack_a);
        separator = ", ";
    }
    if (info.sources > 1) {
        out += separator;
        out += operand(side.b);
        out += unpack_name(side.unpack_b);
    }
}

void append_signals(std::string &out, const Instruction &in) {
    constexpr struct {
        uint16_t bit;
        const char *name;
    } names[] = {{SigThrsw, "thrsw"},       {SigLdvary, "ldvary"},   {SigLdtmu, "ldtmu"},
                 {SigLdtlb, "ldtlb"},       {SigLdtlbu, "ldtlbu"},   {SigLdunif, "ldunif"},
                 {SigLdunifrf, "ldunifrf"}, {SigLdunifa, "ldunifa"}, {SigLdunifarf, "ldunifarf"},
                 {SigWrtmuc, "wrtmuc"},     {SigUcb, "ucb"}};
    for (const auto &[bit, name] : names) {
        if (!(in.sig & bit))
            continue;
        pad_to(out, 60);
        out += "; ";
        out += name;
        if (bit & signals_with_address)
            out += "." + write_address(in.sig_dest, in.sig_magic);
    }
}

std::string disassemble_branch(const Branch &b) {
    std::string out = b.moves_uniforms ? "bu" : "b";
    out += branch_cond_name(b.cond);
    out += b.msfign == 1 ? "p" : b.msfign == 2 ? "q" : "";
    const std::string reg = "rf" + std::to_string(b.reg);
    switch (b.dest) {
    case BranchDest::Absolute:
        out += "  zero_addr+" + hex(b.offset);
        break;
    case BranchDest::Relative:
        out += "  " + std::to_string(static_cast<int32_t>(b.offset));
        break;
    case BranchDest::LinkRegister:
        out += "  lri";
        break;
    case BranchDest::RegisterFile:
        out += "  " + reg;
        break;
    }
    if (b.moves_uniforms) {
        const std::string targets[] = {", a:unif", ", r:unif", ", lri", ", " + reg};
        out += targets[static_cast<size_t>(b.uniforms)];
    }
    if (b.sets_link)
        out += "; link";
    return out;
}

} // namespace

std::string disassemble(const Instruction &in) {
    if (in.kind == Kind::Branch)
        return disassemble_branch(in.branch);
    if (in.kind != Kind::Alu)
        return std::string("?") + (in.problem ? std::string(" (") + in.problem + ")" : "");
    std::string out;
    append_side(out, in.add, in.flags_from_mul ? FlagUpdate::None : in.flags);
    out += in.add.is_nop() ? " " : "";
    pad_to(out, 30);
    out += "; ";
    append_side(out, in.mul, in.flags_from_mul ? in.flags : FlagUpdate::None);
    append_signals(out, in);
    return out;
}

std::string disassemble(uint64_t word) {
    return disassemble(decode(word));
}

} // namespace v3dsim
