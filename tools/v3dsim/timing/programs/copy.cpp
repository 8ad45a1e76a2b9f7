// SPDX-License-Identifier: BSD-2-Clause
//
// Copies memory by a program in the QPU's own code, through the kernel's interface alone, as a public program that was
// measured on the board does it: two loads of four words a lane in flight, the next one's lines fetched ahead.
//   v3dsim-copy THREADS MEBIWORDS     THREADS: 1 or 12
#include "assemble.h"
#include "v3d_uapi.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

using namespace v3dsim;

constexpr uint32_t bytes_an_operation = 16 * 16; // four words a lane
constexpr uint32_t code_bytes = 4096;

// Registers.
enum : uint8_t { scratch = 1, lane = 2, left = 5, source = 6, target = 7, stride = 8, threads = 9 };

Instruction with_destination(Instruction in, uint16_t sig, uint8_t dest) {
    in.sig = sig;
    in.sig_dest = dest;
    return in;
}
Instruction load_uniform(uint8_t dest) {
    return with_destination(empty(), SigLdunifrf, dest);
}
Instruction take_result(Instruction in = empty()) {
    return with_destination(in, SigLdtmu, scratch);
}
Instruction shift(Op op, uint8_t dest, uint8_t by) {
    return single(side(op, dest, dest, register_count + by), SigSmallB);
}
Instruction give(uint8_t reg) {
    return single(to_magic(side(Op::Mov, 0, reg), magic::Tmud));
}
// A memory operation at the address, which moves on.
Instruction at_address(uint8_t address, unsigned where = magic::Tmua) {
    Instruction in = single(to_magic(side(Op::Mov, 0, address), where));
    in.mul = side(Op::MulAdd, address, address, stride);
    return in;
}

// Moves four words from the result queue to the data of a store. The last one is left in the register.
void move_words(std::vector<Instruction> &code) {
    code.push_back(take_result());
    for (int i = 0; i < 3; i++)
        code.push_back(take_result(give(scratch)));
}

std::vector<Instruction> copy_program() {
    std::vector<Instruction> code;
    for (uint8_t reg : {left, source, target, stride, threads})
        code.push_back(load_uniform(reg));
    // The thread's number, and its lanes' places.
    code.push_back(single(side(Op::Tidx, scratch)));
    code.push_back(shift(Op::Shr, scratch, 2));
    code.push_back(single(side(Op::And, scratch, scratch, threads)));
    code.push_back(single(side(Op::Eidx, lane)));
    code.push_back(shift(Op::Shl, scratch, 4));
    code.push_back(single(side(Op::Add, scratch, scratch, lane)));
    code.push_back(shift(Op::Shl, scratch, 4));
    code.push_back(single(side(Op::Add, source, source, scratch)));
    code.push_back(single(side(Op::Add, target, target, scratch)));
    code.insert(code.end(), {empty(SigThrsw), empty(), empty()});

    const size_t loop = code.size();
    code.push_back(at_address(source, magic::Tmuau)); // its uniform configures four operations
    code.push_back(at_address(source));
    code.push_back(single(to_magic(side(Op::Mov, 0, source), magic::Tmua))); // the prefetch
    move_words(code);
    Instruction count = single(side(Op::Sub, left, left, register_count + 1), SigSmallB);
    count.flags = FlagUpdate::PushZ;
    count.mul = to_magic(side(Op::MulMov, 0, scratch), magic::Tmud);
    code.push_back(count);
    code.push_back(at_address(target));
    code.push_back(single(to_magic(side(Op::Mov, 0, register_count + 28), magic::Tmuc), SigSmallA)); // -4: four words
    move_words(code);
    Instruction back;
    back.kind = Kind::Branch;
    back.branch.cond = BranchCond::NA0;
    back.branch.dest = back.branch.uniforms = BranchDest::Relative;
    back.branch.moves_uniforms = true;
    back.branch.offset = static_cast<uint32_t>(8 * (loop - (code.size() + 4)));
    code.push_back(back);
    code.insert(code.end(), {give(scratch), at_address(target), empty()});

    code.push_back(single(side(Op::Tmuwt, scratch)));
    code.insert(code.end(), {empty(SigThrsw), empty(SigThrsw), empty(), empty(), empty(SigThrsw), empty(), empty()});
    return code;
}

void request(int fd, unsigned long number, void *arguments) {
    if (ioctl(fd, number, arguments) != 0)
        throw std::system_error(errno, std::generic_category(), "the device refuses a request");
}

template <typename Arguments>
constexpr unsigned long number(unsigned of) {
    return _IOC(_IOC_READ | _IOC_WRITE, 'd', of, sizeof(Arguments));
}

// A buffer object that both sides see.
struct Buffer {
    Buffer(int fd, uint32_t size) {
        uapi::CreateBoArgs create{size, 0, 0, 0};
        request(fd, number<uapi::CreateBoArgs>(uapi::CreateBo), &create);
        uapi::MmapBoArgs map{create.handle, 0, 0};
        request(fd, number<uapi::MmapBoArgs>(uapi::MmapBo), &map);
        handle = create.handle;
        address = create.offset;
        void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(map.offset));
        if (mapped == MAP_FAILED)
            throw std::system_error(errno, std::generic_category(), "a buffer object can't be mapped");
        words = static_cast<uint32_t *>(mapped);
    }
    uint32_t handle, address;
    uint32_t *words;
};

void run(int fd, uint32_t code, uint32_t uniforms, uint32_t handle, uint32_t batches) {
    uapi::SubmitCsdArgs job{};
    const uint32_t cfg[7] = {16u << 16, 1u << 16, 1u << 16, 15u << 12 | 16, batches, code, uniforms};
    std::memcpy(job.cfg, cfg, sizeof cfg);
    job.bo_handles = reinterpret_cast<uintptr_t>(&handle);
    job.bo_handle_count = 1;
    request(fd, number<uapi::SubmitCsdArgs>(uapi::SubmitCsd), &job);
    uapi::WaitBoArgs wait{handle, 0, 10'000'000'000};
    request(fd, number<uapi::WaitBoArgs>(uapi::WaitBo), &wait);
}

int copy(uint32_t thread_count, uint32_t words) {
    const int fd = open("/dev/dri/by-path/platform-1002000000.v3d-card", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        throw std::system_error(errno, std::generic_category(), "no V3D");
    // The measured program strides by eight threads where there are twelve: the last four copy again what others copy,
    // and run past the end by as much.
    const uint32_t spread = thread_count == 1 ? 1 : 8, slack = 8 * bytes_an_operation;
    Buffer buffer(fd, code_bytes + 2 * (4 * words + slack));
    uint32_t *code = buffer.words, *uniforms = code + code_bytes / 8, *from = code + code_bytes / 4,
             *to = from + words + slack / 4;
    size_t at = 0;
    for (const Instruction &in : copy_program()) {
        const uint64_t word = encode(in);
        std::memcpy(code + 2 * at++, &word, sizeof word);
    }
    for (uint32_t i = 0; i < words; i++)
        from[i] = 0x9e3779b9u * i;
    const auto address = [&](const uint32_t *place) {
        return buffer.address + 4 * static_cast<uint32_t>(place - buffer.words);
    };
    const uint32_t values[] = {4 * words / (2 * bytes_an_operation * spread),
                               address(from),
                               address(to),
                               bytes_an_operation * spread,
                               thread_count == 1 ? 0u : 15u,
                               0xfc80fcfcu, // four words, four words, a prefetch, four words
                               static_cast<uint32_t>(-8)};
    std::memcpy(uniforms, values, sizeof values);
    run(fd, address(code), address(uniforms), buffer.handle, thread_count);
    if (std::memcmp(from, to, 4ul * words) != 0)
        throw std::runtime_error("the copy differs");
    close(fd);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const int thread_count = argc == 3 ? std::atoi(argv[1]) : 0, mebiwords = argc == 3 ? std::atoi(argv[2]) : 0;
    if ((thread_count != 1 && thread_count != 12) || mebiwords < 1 || mebiwords > 256) {
        std::fprintf(stderr, "usage: v3dsim-copy 1|12 MEBIWORDS\n");
        return 2;
    }
    try {
        return copy(static_cast<uint32_t>(thread_count), static_cast<uint32_t>(mebiwords) << 20);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "v3dsim-copy: %s\n", e.what());
        return 1;
    }
}
