// SPDX-License-Identifier: BSD-2-Clause
#include "limits/spirv_limits.h"

#include <algorithm>
#include <map>
#include <set>

namespace dd::test {
namespace {

// Numbers from the SPIR-V specification, of what is looked at.
enum Op : std::uint32_t {
    kExecutionMode = 16,
    kCapability = 17,
    kTypeVoid = 19,
    kTypeBool = 20,
    kTypeInt = 21,
    kTypeFloat = 22,
    kTypeVector = 23,
    kTypeMatrix = 24,
    kTypeArray = 28,
    kTypeRuntimeArray = 29,
    kTypeStruct = 30,
    kTypePointer = 32,
    kTypeForwardPointer = 39,
    kConstant = 43,
    kConstantComposite = 44,
    kConstantNull = 46,
    kSpecConstant = 50,
    kSpecConstantComposite = 51,
    kVariable = 59,
    kStore = 62,
    kCopyMemory = 63,
    kAccessChain = 65,
    kInBoundsAccessChain = 66,
    kPtrAccessChain = 67,
    kDecorate = 71,
    kMemberDecorate = 72,
    kExecutionModeId = 331,
};
constexpr std::uint32_t kLocalSize = 17, kLocalSizeId = 38;
constexpr std::uint32_t kDescriptorSet = 34, kBinding = 33, kOffset = 35, kArrayStride = 6, kBuiltIn = 11;
constexpr std::uint32_t kUniform = 2, kWorkgroup = 4, kPushConstant = 9, kPrivate = 6, kFunction = 7,
                        kStorageBuffer = 12;

// Shader; subgroup ballots, for the first invocation's value; 8- and 16-bit storage; scalar layouts need none.
constexpr std::uint32_t kAllowedCapabilities[] = {0, 1, 61, 64, 4433, 4434, 4448, 4449};
// Group and subgroup operations make the driver run one workgroup a supergroup, and sizes differ by device.
constexpr bool is_group_operation(std::uint32_t op) {
    return (op >= 259 && op <= 272) || (op >= 333 && op <= 366) || (op >= 4421 && op <= 4432) || op == 4431 ||
           (op >= 6401 && op <= 6408);
}
// No harm where workgroups wait for barriers, which have a supergroup to themselves anyway.
constexpr std::uint32_t kBroadcastFirst = 338, kControlBarrier = 224;
// Subgroup sizes, ids and masks.
constexpr bool is_subgroup_builtin(std::uint32_t builtin) {
    return (builtin >= 36 && builtin <= 41) || (builtin >= 4416 && builtin <= 4420);
}

struct Instruction {
    std::uint32_t op;
    std::span<const std::uint32_t> word; // without the first one
};

struct Type {
    std::uint32_t op = 0;
    std::vector<std::uint32_t> operand;
};

class Module {
  public:
    Module(std::span<const std::uint32_t> words, const SpirvLimits &limits) : limits_(limits) {
        if (!split(words))
            complain("not a SPIR-V module");
        for (const Instruction &i : instructions_)
            declare(i);
        for (const Instruction &i : instructions_)
            inspect(i);
        check_sizes();
    }
    std::vector<std::string> found;

  private:
    bool split(std::span<const std::uint32_t> words) {
        if (words.size() < 5 || words[0] != 0x07230203)
            return false;
        for (std::size_t at = 5; at < words.size();) {
            const std::uint32_t count = words[at] >> 16;
            if (count == 0 || at + count > words.size())
                return false;
            instructions_.push_back({words[at] & 0xffff, words.subspan(at + 1, count - 1)});
            at += count;
        }
        return true;
    }
    void complain(const std::string &text) { found.push_back(text); }

    void declare(const Instruction &i) {
        const auto w = [&](std::size_t k) { return k < i.word.size() ? i.word[k] : 0u; };
        if ((i.op >= kTypeVoid && i.op <= kTypeForwardPointer) && !i.word.empty())
            types_[w(0)] = {i.op, {i.word.begin() + 1, i.word.end()}};
        switch (i.op) {
        case kConstant:
        case kSpecConstant:
            constants_[w(1)] = w(2);
            break;
        case kConstantComposite:
        case kSpecConstantComposite:
            composites_.insert(w(1));
            break;
        case kDecorate:
            if (w(1) == kBinding)
                binding_[w(0)] = w(2);
            else if (w(1) == kDescriptorSet)
                set_[w(0)] = w(2);
            else if (w(1) == kArrayStride)
                stride_[w(0)] = w(2);
            else if (w(1) == kBuiltIn && is_subgroup_builtin(w(2)))
                complain("uses a subgroup built-in");
            break;
        case kMemberDecorate:
            if (w(2) == kOffset)
                offset_[w(0)][w(1)] = w(3);
            break;
        case kVariable:
            variables_[w(1)] = {w(2), pointee(w(0))};
            if (i.word.size() > 3 && composites_.contains(w(3)))
                constant_arrays_.insert(w(1));
            break;
        case kStore:
            if (composites_.contains(w(1)))
                constant_arrays_.insert(w(0));
            break;
        default:
            break;
        }
    }

    void inspect(const Instruction &i) {
        const auto w = [&](std::size_t k) { return k < i.word.size() ? i.word[k] : 0u; };
        if (i.op == kCapability && std::ranges::find(kAllowedCapabilities, w(0)) == std::end(kAllowedCapabilities))
            complain("capability " + std::to_string(w(0)));
        has_barrier_ |= i.op == kControlBarrier;
        has_broadcast_first_ |= i.op == kBroadcastFirst;
        if (is_group_operation(i.op) && i.op != kBroadcastFirst)
            complain("group operation " + std::to_string(i.op));
        if (i.op == kTypeInt && w(1) == 64)
            complain("64-bit integers");
        if (i.op == kTypeFloat && w(1) != 32)
            complain(std::to_string(w(1)) + "-bit floats");
        if (i.op == kExecutionMode && w(1) == kLocalSize)
            local_size(w(2), w(3), w(4));
        if (i.op == kExecutionModeId && w(1) == kLocalSizeId)
            local_size(value(w(2)), value(w(3)), value(w(4)));
        if (i.op == kAccessChain || i.op == kInBoundsAccessChain || i.op == kPtrAccessChain)
            access(i);
    }

    // A run-time index into an array with constant contents becomes scratch stores of every lane.
    void access(const Instruction &i) {
        const std::uint32_t base = i.word.size() > 2 ? i.word[2] : 0;
        const auto variable = variables_.find(base);
        if (variable == variables_.end())
            return;
        const std::uint32_t storage = variable->second.storage;
        const bool dynamic = std::any_of(i.word.begin() + 3, i.word.end(),
                                         [&](std::uint32_t index) { return !constants_.contains(index); });
        if (dynamic && constant_arrays_.contains(base))
            complain("run-time index into a constant array");
        else if (dynamic && (storage == kFunction || storage == kPrivate))
            complain("run-time index into a local array");
        const Type &type = types_[variable->second.type];
        if (storage == kStorageBuffer && type.op == kTypeArray && dynamic)
            complain("run-time index into an array of bindings");
    }

    void local_size(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        seen_local_size_ = true;
        if (std::uint64_t{x} * y * z > limits_.invocations)
            complain(std::to_string(std::uint64_t{x} * y * z) + " invocations");
    }

    void check_sizes() {
        std::uint64_t shared = 0;
        std::set<std::pair<std::uint32_t, std::uint32_t>> buffers;
        for (const auto &[id, variable] : variables_) {
            if (variable.storage == kWorkgroup)
                shared += size_of(variable.type);
            if (variable.storage == kPushConstant && size_of(variable.type) > limits_.push_bytes)
                complain(std::to_string(size_of(variable.type)) + " bytes of push constants");
            if (variable.storage == kStorageBuffer)
                buffers.insert({set_[id], binding_[id]});
        }
        if (shared > limits_.shared_bytes)
            complain(std::to_string(shared) + " bytes of shared memory");
        if (buffers.size() > limits_.storage_buffers)
            complain(std::to_string(buffers.size()) + " storage buffers");
        if (has_broadcast_first_ && !has_barrier_)
            complain("the first invocation's value without a barrier");
        if (!seen_local_size_)
            complain("no workgroup size");
    }

    std::uint32_t value(std::uint32_t id) const {
        const auto it = constants_.find(id);
        return it == constants_.end() ? 0xffff : it->second;
    }
    std::uint32_t pointee(std::uint32_t pointer) {
        const Type &type = types_[pointer];
        return type.op == kTypePointer && type.operand.size() > 1 ? type.operand[1] : 0;
    }
    std::uint64_t size_of(std::uint32_t id) {
        const Type &type = types_[id];
        const auto operand = [&](std::size_t k) { return k < type.operand.size() ? type.operand[k] : 0u; };
        switch (type.op) {
        case kTypeBool:
            return 4;
        case kTypeInt:
        case kTypeFloat:
            return operand(0) / 8;
        case kTypeVector:
        case kTypeMatrix:
            return size_of(operand(0)) * operand(1);
        case kTypeArray: {
            const auto stride = stride_.find(id);
            return (stride == stride_.end() ? size_of(operand(0)) : stride->second) * std::uint64_t{value(operand(1))};
        }
        case kTypeStruct: {
            std::uint64_t end = 0, sum = 0;
            for (std::uint32_t m = 0; m < type.operand.size(); m++) {
                const std::uint64_t size = size_of(type.operand[m]);
                sum += size;
                const auto at = offset_[id].find(m);
                if (at != offset_[id].end())
                    end = std::max(end, at->second + size);
            }
            return std::max(end, offset_[id].empty() ? sum : 0);
        }
        default:
            return 0;
        }
    }

    struct Variable {
        std::uint32_t storage, type;
    };
    const SpirvLimits limits_;
    std::vector<Instruction> instructions_;
    std::map<std::uint32_t, Type> types_;
    std::map<std::uint32_t, std::uint32_t> constants_, binding_, set_, stride_;
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> offset_;
    std::map<std::uint32_t, Variable> variables_;
    std::set<std::uint32_t> composites_, constant_arrays_;
    bool seen_local_size_ = false;
    bool has_barrier_ = false, has_broadcast_first_ = false;
};

} // namespace

std::vector<std::string> violations(std::span<const std::uint32_t> module, const SpirvLimits &limits) {
    return Module(module, limits).found;
}

} // namespace dd::test
