// SPDX-License-Identifier: BSD-2-Clause
#include "spirv_interface.h"

#include <fstream>
#include <set>
#include <stdexcept>

namespace v3drun {
namespace {

// Numbers of the SPIR-V specification, clauses 3.42 (instructions), 3.20 (decorations), 3.7 (storage classes).
enum Op : std::uint32_t { OpTypePointer = 32, OpVariable = 59, OpDecorate = 71 };
enum Decoration : std::uint32_t { BufferBlock = 3, Binding = 33, DescriptorSet = 34 };
enum StorageClass : std::uint32_t { UniformConstant = 0, Uniform = 2, PushConstant = 9, StorageBuffer = 12 };
constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;

struct Declarations {
    std::map<std::uint32_t, std::uint32_t> binding, set, pointee; // by id
    std::set<std::uint32_t> buffer_block;
    struct Variable {
        std::uint32_t id, type, storage;
    };
    std::vector<Variable> variables;
};

void decorate(Declarations &d, std::span<const std::uint32_t> inst) {
    const std::uint32_t target = inst[1];
    if (inst[2] == Binding)
        d.binding[target] = inst[3];
    else if (inst[2] == DescriptorSet)
        d.set[target] = inst[3];
    else if (inst[2] == BufferBlock)
        d.buffer_block.insert(target);
}

Declarations collect(std::span<const std::uint32_t> words) {
    Declarations d;
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::uint32_t count = words[at] >> 16, op = words[at] & 0xffff;
        if (count == 0 || at + count > words.size())
            throw std::runtime_error("the SPIR-V module is cut off");
        const auto inst = words.subspan(at, count);
        if (op == OpDecorate)
            decorate(d, inst);
        else if (op == OpTypePointer)
            d.pointee[inst[1]] = inst[3];
        else if (op == OpVariable)
            d.variables.push_back({inst[2], inst[1], inst[3]});
        at += count;
    }
    return d;
}

} // namespace

std::vector<std::uint32_t> load_spirv(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(file.tellg()) / 4);
    file.seekg(0);
    file.read(reinterpret_cast<char *>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    if (!file || words.size() <= kHeaderWords || words[0] != kMagic)
        throw std::runtime_error(path + " is no SPIR-V module");
    return words;
}

SpirvInterface read_interface(std::span<const std::uint32_t> words) {
    const Declarations d = collect(words);
    SpirvInterface found;
    for (const auto &v : d.variables) {
        if (v.storage == PushConstant)
            found.push_constants = true;
        if (v.storage == UniformConstant)
            throw std::runtime_error("images and texel buffers are not supported by this runner");
        if (v.storage != StorageBuffer && v.storage != Uniform)
            continue;
        if (d.set.contains(v.id) && d.set.at(v.id) != 0)
            throw std::runtime_error("only descriptor set 0 is supported by this runner");
        const bool storage = v.storage == StorageBuffer || d.buffer_block.contains(d.pointee.at(v.type));
        found.bindings[d.binding.at(v.id)] = storage ? Resource::StorageBuffer : Resource::UniformBuffer;
    }
    return found;
}

} // namespace v3drun
