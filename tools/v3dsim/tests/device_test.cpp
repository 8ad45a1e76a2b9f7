// SPDX-License-Identifier: BSD-2-Clause
//
// Memory, sync objects, and jobs of several workgroups.
#include "catch.h"
#include "qpu_machine.h"

#include "device.h"
#include "dma_heap.h"
#include "job.h"
#include "syncobj.h"

#include <cerrno>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace v3dsim;
using namespace v3dsim::test;

namespace {
void put_program(Memory &memory, uint32_t address, const std::vector<Instruction> &program) {
    for (const Instruction &in : program) {
        const uint64_t word = encode(in);
        std::memcpy(memory.base() + address, &word, sizeof word);
        address += sizeof word;
    }
}
} // namespace

TEST_CASE("buffer objects do not touch, and freed room is used again") {
    Memory memory;
    std::vector<BufferObject> objects(4);
    for (BufferObject &bo : objects)
        REQUIRE(memory.find(memory.create(5000, true), &bo));
    for (size_t i = 1; i < objects.size(); i++)
        CHECK(objects[i].address >= objects[i - 1].address + objects[i - 1].size + Memory::page);
    CHECK(objects[0].size == 8192);
    CHECK(memory.mapped(objects[1].address, 8192));
    CHECK_FALSE(memory.mapped(objects[1].address + 8188, 8));
    memory.base()[objects[1].address] = 9;
    REQUIRE(memory.close(objects[1].handle));
    REQUIRE(memory.close(objects[2].handle));
    CHECK_FALSE(memory.close(objects[2].handle));
    CHECK_FALSE(memory.mapped(objects[1].address, 4));
    BufferObject again;
    REQUIRE(memory.find(memory.create(20000, false), &again));
    CHECK(again.address == objects[1].address); // both gaps in one
    CHECK(memory.base()[again.address] == 0);
    CHECK(memory.create(0, false) == 0);
    CHECK(memory.create(0xc0000000u, false) == 0);
}

TEST_CASE("a buffer object in use by a job outlives its handle") {
    Memory memory;
    BufferObject bo;
    const uint32_t handle = memory.create(4096, true);
    REQUIRE(memory.find(handle, &bo));
    memory.begin_job({handle});
    REQUIRE(memory.close(handle));
    CHECK(memory.mapped(bo.address, 4));
    CHECK_FALSE(memory.wait_idle(handle, 1000000));
    std::thread end([&] { memory.end_job({handle}); });
    CHECK(memory.wait_idle(handle, -1));
    end.join();
    CHECK_FALSE(memory.mapped(bo.address, 4));
}

TEST_CASE("imported memory is the processor's once it is synchronised") {
    Memory memory;
    const int heap = dma_heap::open("/dev/dma_heap/system");
    REQUIRE(heap >= 0);
    int error = -1;
    dma_heap_allocation_data request = {};
    request.len = 8192;
    REQUIRE(dma_heap::request(heap, DMA_HEAP_IOCTL_ALLOC & 0xffff, &request, &error));
    REQUIRE(error == 0);
    const int fd = static_cast<int>(request.fd);
    const auto synchronise = [&](uint64_t flags) {
        dma_buf_sync sync = {flags};
        REQUIRE(dma_heap::request(fd, DMA_BUF_IOCTL_SYNC & 0xffff, &sync, &error));
        return error;
    };
    auto *const cpu = static_cast<uint8_t *>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    REQUIRE(cpu != MAP_FAILED);
    cpu[4096] = 5;
    BufferObject bo;
    const uint32_t handle = memory.import(fd, 8192);
    REQUIRE(memory.find(handle, &bo));
    CHECK(bo.application);
    uint8_t *const gpu = memory.base() + bo.address;
    CHECK(gpu[4096] == 5);

    cpu[0] = 6;
    CHECK(gpu[0] == 0);
    CHECK(synchronise(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ) == 0);
    CHECK(gpu[0] == 0);
    CHECK(synchronise(DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW) == 0);
    CHECK(gpu[0] == 6);
    gpu[0] = 7;
    CHECK(cpu[0] == 6);
    CHECK(synchronise(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE) == 0);
    CHECK(cpu[0] == 6);
    CHECK(synchronise(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ) == 0);
    CHECK(cpu[0] == 7);
    CHECK(synchronise(0) == EINVAL);

    REQUIRE(memory.close(handle));
    CHECK(memory.import(fd, 100000) == 0); // larger than the file
    munmap(cpu, 8192);
    close(fd);
    close(heap);
}

TEST_CASE("poison differs from word to word and is there from the start") {
    Memory memory(true);
    BufferObject bo;
    REQUIRE(memory.find(memory.create(4096, true), &bo));
    uint32_t word = 0;
    for (uint32_t offset = 0; offset < 4096; offset += 4) {
        REQUIRE(memory.read_word(bo.address + offset, &word));
        REQUIRE(word == Memory::poison_word(bo.address + offset));
    }
    CHECK(Memory::poison_word(0x10000) != Memory::poison_word(0x10004));
}

namespace {
int64_t from_now(int64_t ns) {
    return monotonic_ns() + ns;
}
} // namespace

TEST_CASE("sync objects") {
    SyncObjects syncs;
    const uint32_t a = syncs.create(false), b = syncs.create(true);
    const uint32_t both[] = {a, b};
    uint32_t first = 9;
    CHECK(syncs.wait(1, both, 2, from_now(0), false, true, &first) == 0);
    CHECK(first == 1);
    CHECK(syncs.wait(1, both, 2, from_now(2000000), true, true, nullptr) == ETIME);
    CHECK(syncs.wait(1, &a, 1, from_now(0), true, false, nullptr) == EINVAL); // nothing submitted
    auto fence = std::make_shared<Fence>();
    REQUIRE(syncs.replace(a, fence));
    CHECK(syncs.wait(1, &a, 1, from_now(2000000), true, false, nullptr) == ETIME);
    const int file = syncs.export_fence(a);
    REQUIRE(file >= 0);
    std::thread job([&] { syncs.finish(fence, false); });
    CHECK(syncs.wait(1, both, 2, from_now(int64_t{10} * 1000000000), true, false, nullptr) == 0);
    job.join();
    const uint32_t c = syncs.create(false);
    CHECK(syncs.import_fence(c, file));
    CHECK(syncs.wait(1, &c, 1, from_now(0), true, false, nullptr) == 0);
    close(file);
    REQUIRE(syncs.reset(&b, 1));
    CHECK(syncs.wait(1, &b, 1, from_now(0), true, true, nullptr) == ETIME);
    REQUIRE(syncs.signal(&b, 1));
    CHECK(syncs.wait(1, &b, 1, from_now(0), true, false, nullptr) == 0);
    auto failing = std::make_shared<Fence>();
    syncs.replace(b, failing);
    syncs.finish(failing, true);
    CHECK(syncs.wait(1, &b, 1, from_now(0), true, false, nullptr) == EIO);
    REQUIRE(syncs.destroy(c));
    CHECK(syncs.wait(1, &c, 1, from_now(0), true, false, nullptr) == ENOENT);
    const int shared = syncs.export_object(a);
    const uint32_t same = syncs.import_object(shared);
    REQUIRE(same != 0);
    syncs.reset(&a, 1);
    CHECK(syncs.fence(same) == nullptr);
    close(shared);
    std::thread loser([&] { syncs.lose(1); });
    CHECK(syncs.wait(1, &a, 1, from_now(int64_t{10} * 1000000000), true, true, nullptr) == EIO);
    loser.join();
}

TEST_CASE("a lost client's jobs are taken and fail, those of another run") {
    Device &device = Device::instance();
    SyncObjects &syncs = device.syncs();
    const auto submit = [&](int client, uint32_t code) {
        uapi::SubmitCsdArgs args{};
        args.out_sync = syncs.create(false);
        if (code) {
            args.cfg[0] = args.cfg[1] = args.cfg[2] = 1u << 16;
            args.cfg[3] = 1u << 8 | 16;
            args.cfg[4] = 1;
            args.cfg[5] = code | 2; // one segment
        }                           // else no workgroup: stopped
        CHECK(device.request(client, uapi::SubmitCsd, &args) == 0);
        return syncs.wait(client, &args.out_sync, 1, from_now(int64_t{10} * 1000000000), true, false, nullptr);
    };
    uapi::CreateBoArgs code{4096, 0, 0, 0};
    REQUIRE(device.request(2, uapi::CreateBo, &code) == 0);
    put_program(device.memory(), code.offset, {empty(SigThrsw), empty(), empty()});
    CHECK(submit(1, code.offset) == 0);
    CHECK(submit(1, 0) == EIO);
    CHECK(submit(1, code.offset) == EIO);
    CHECK(submit(2, code.offset) == 0);
    device.open_client(1);
    CHECK(submit(1, code.offset) == 0);
}

TEST_CASE("the CPU queue takes timestamps, copies and resets them", "[device]") {
    Device &device = Device::instance();
    SyncObjects &syncs = device.syncs();
    constexpr int client = 3;
    uapi::CreateBoArgs times{4096, 0, 0, 0}, results{4096, 0, 0, 0};
    REQUIRE(device.request(client, uapi::CreateBo, &times) == 0);
    REQUIRE(device.request(client, uapi::CreateBo, &results) == 0);
    const uint32_t offsets[2] = {8, 16}, queries[2] = {syncs.create(false), syncs.create(false)};
    const auto at = [](const void *p) { return reinterpret_cast<uintptr_t>(p); };
    const auto submit = [&](std::vector<uint32_t> handles, const uapi::Extension &what) {
        uapi::Semaphore out{syncs.create(false), 0, 0, {}};
        uapi::MultiSync sync{{at(&what), uapi::multi_sync, 0}, 0, at(&out), 0, 1, 0, 0};
        uapi::SubmitCpuArgs args{at(handles.data()), static_cast<uint32_t>(handles.size()), 0, at(&sync)};
        const int error = device.request(client, uapi::SubmitCpu, &args);
        return error ? error
                     : syncs.wait(client, &out.handle, 1, from_now(int64_t{10} * 1000000000), true, true, nullptr);
    };
    const auto word = [&](const uapi::CreateBoArgs &bo, uint32_t offset) {
        uint64_t value;
        std::memcpy(&value, device.memory().base() + bo.offset + offset, 8);
        return value;
    };
    uapi::CopyTimestampQueryExtension copy{
        {0, uapi::CopyTimestampQuery, 0}, 1, 0, 1, 0, 32, 64, 2, at(offsets), at(queries)};
    CHECK(submit({results.handle, times.handle}, copy.base) == 0);
    CHECK(word(results, 40) == 0); // not available
    const uapi::TimestampQueryExtension take{{0, uapi::TimestampQuery, 0}, at(offsets), at(queries), 1, 0};
    CHECK(submit({times.handle}, take.base) == 0);
    CHECK(word(times, 8) > 0);
    CHECK(submit({results.handle, times.handle}, copy.base) == 0);
    CHECK(word(results, 32) == word(times, 8));
    CHECK(word(results, 40) == 1);
    CHECK(word(results, 104) == 0); // the second one was not taken
    const uapi::ResetTimestampQueryExtension reset{{0, uapi::ResetTimestampQuery, 0}, at(queries), 8, 2};
    CHECK(submit({times.handle}, reset.base) == 0);
    CHECK(word(times, 8) == 0);
    CHECK(syncs.fence(queries[0]) == nullptr);
    CHECK(submit({results.handle}, copy.base) == EINVAL); // wants two buffer objects
    copy.offset = 4090;
    CHECK(submit({results.handle, times.handle}, copy.base) == EIO);
}

TEST_CASE("parameters are those of the kernel") {
    Device &device = Device::instance();
    const auto get = [&](uint32_t param, uint64_t &value, uint32_t pad = 0) {
        uapi::GetParamArgs args = {param, pad, value};
        const int error = device.request(1, uapi::GetParam, &args);
        value = args.value;
        return error;
    };
    uint64_t value = 0;
    REQUIRE(get(uapi::Ident0, value) == 0);
    CHECK(value == 0x07443356);
    CHECK(get(uapi::Ident0, value) == EINVAL); // it isn't cleared
    CHECK(get(uapi::SupportsCsd, value) == 0);
    CHECK(value == 1);
    for (const uint32_t param : {uapi::HubIdent1, uapi::HubIdent2, uapi::HubIdent3, uapi::Ident1, uapi::Ident2}) {
        value = 0;
        CHECK(get(param, value) == 0);
        CHECK(value != 0);
    }
    value = 0;
    CHECK(get(uapi::UifCfg, value, 1) == EINVAL);
    CHECK(get(1000, value) == EINVAL);
}

TEST_CASE("the dispatcher's registers") {
    const uint32_t cfg[7] = {3u << 16, 5u << 16, 7u << 16, 2u << 8 | 7u << 12 | 64, 420, 0x12340003, 0x5678};
    const Dispatch d = parse_dispatch(cfg);
    CHECK(d.workgroup_count() == 105);
    CHECK(d.workgroup_size == 64);
    CHECK(d.workgroups_per_supergroup == 2);
    CHECK(d.batches_per_supergroup == 8);
    CHECK(d.supergroups() == 53);
    CHECK(d.four_threads);
    CHECK(d.single_segment);
    CHECK(d.code == 0x12340000);
    const uint32_t largest[7] = {1u << 16, 1u << 16, 1u << 16, 0, 16, 0, 0};
    CHECK(parse_dispatch(largest).workgroup_size == 256);
    CHECK(parse_dispatch(largest).workgroups_per_supergroup == 16);
}

TEST_CASE("a job runs as many batches as it says", "[device]") {
    // Five workgroups of 24 invocations, two a supergroup: three batches in each of the first two, two in the last.
    const uint32_t two_a_supergroup = 2u << 8 | (3u - 1) << 12 | 24;
    const uint32_t whole[7] = {5u << 16, 1u << 16, 1u << 16, two_a_supergroup, 8, 0, 0};
    const Dispatch d = parse_dispatch(whole);
    CHECK(d.supergroups() == 3);
    CHECK(d.has_invocation(0, 47));
    CHECK_FALSE(d.has_invocation(0, 48)); // no third workgroup in a supergroup
    CHECK(d.has_invocation(2, 23));
    CHECK_FALSE(d.has_invocation(2, 24)); // no sixth workgroup
    // Eight workgroups of 16 invocations a supergroup, which has 24 batches: 24 workgroups.
    const uint32_t more[7] = {16u << 16, 1u << 16, 1u << 16, 8u << 8 | (24u - 1) << 12 | 16, 48, 0, 0};
    CHECK(parse_dispatch(more).workgroups_per_supergroup == 24);
    CHECK(parse_dispatch(more).supergroups() == 2);
    CHECK(d.batches_in(0) == 3);
    CHECK(d.batches_in(1) == 3);
    CHECK(d.batches_in(2) == 2);
    const uint32_t fewer[7] = {5u << 16, 1u << 16, 1u << 16, two_a_supergroup, 4, 0, 0};
    CHECK(parse_dispatch(fewer).batches_in(0) == 3);
    CHECK(parse_dispatch(fewer).batches_in(1) == 1);
    CHECK(parse_dispatch(fewer).batches_in(2) == 0);
}

TEST_CASE("each invocation of a job runs once, with its own numbers, in every order") {
    // Adds 1 to a word that the invocation's numbers choose: (x + 3 * (y + 5 * z)) * size + local index.
    Memory memory;
    BufferObject data, code, uniforms;
    REQUIRE(memory.find(memory.create(1 << 20, true), &data));
    REQUIRE(memory.find(memory.create(4096, false), &code));
    REQUIRE(memory.find(memory.create(4096, false), &uniforms));
    for (uint32_t size : {1u, 16u, 20u, 63u, 64u, 200u, 256u}) {
        uint32_t bits = 6;
        while ((1u << bits) < size)
            bits++;
        auto uniform = [](unsigned dest) {
            Instruction in = empty(SigLdunifrf);
            in.sig_dest = static_cast<uint8_t>(dest);
            return in;
        };
        auto multiply_add = [](unsigned dest, unsigned a, unsigned factor, unsigned b) {
            return std::vector<Instruction>{single(side(Op::Umul24, dest, a, factor)),
                                            single(side(Op::Add, dest, dest, b))};
        };
        std::vector<Instruction> program;
        for (unsigned r : {20u, 21u, 22u, 23u, 24u, 25u, 26u}) // 16 bits, shift, 3, 5, size, 4, base
            program.push_back(uniform(r));
        program.push_back(single(side(Op::And, 10, 3, 20)));                            // x
        program.push_back(single(side(Op::Shr, 11, 3, register_count + 8), SigSmallB)); // y, in two steps of 8
        program.push_back(single(side(Op::Shr, 11, 11, register_count + 8), SigSmallB));
        program.push_back(single(side(Op::And, 12, 2, 20))); // z
        program.push_back(single(side(Op::Shr, 13, 2, 21))); // local index
        for (const auto &part :
             {multiply_add(14, 12, 23, 11), multiply_add(14, 14, 22, 10), multiply_add(14, 14, 24, 13)})
            program.insert(program.end(), part.begin(), part.end());
        const auto address = multiply_add(14, 14, 25, 26);
        program.insert(program.end(), address.begin(), address.end());
        program.push_back(single(to_magic(side(Op::Mov, 0, register_count + 1), magic::Tmud), SigSmallA));
        program.push_back(single(to_magic(side(Op::Mov, 0, 14), magic::Tmuau)));
        Instruction take = empty(SigLdtmu);
        take.sig_dest = 30;
        program.push_back(take);
        program.push_back(empty(SigThrsw));
        program.push_back(empty());
        program.push_back(empty());
        put_program(memory, code.address, program);
        const uint32_t values[] = {0xffff, 32 - bits, 3, 5, size, 4, data.address, 0xffffff87u /* atomic add */};
        std::memcpy(memory.base() + uniforms.address, values, sizeof values);
        Dispatch d;
        d.workgroups[0] = 3;
        d.workgroups[1] = 5;
        d.workgroups[2] = 4;
        d.workgroup_size = size;
        d.workgroups_per_supergroup = 16 * 16 / size > 16 ? 16 : 16 * 16 / size ? 16 * 16 / size : 1;
        d.batches_per_supergroup = (d.workgroups_per_supergroup * size + 15) / 16;
        const uint32_t whole = 60 / d.workgroups_per_supergroup, rest = 60 % d.workgroups_per_supergroup;
        d.batches = whole * d.batches_per_supergroup + (rest * size + 15) / 16;
        d.code = code.address;
        d.uniforms = uniforms.address;
        d.single_segment = true;
        for (Order order : {Order::Forward, Order::Reverse, Order::Random})
            for (unsigned threads : {1u, 4u}) {
                Settings settings;
                settings.order = order;
                settings.threads = threads;
                settings.yield = order == Order::Random;
                JobRunner runner(memory, settings);
                std::memset(memory.base() + data.address, 0, data.size);
                std::string error;
                INFO("size " << size << " threads " << threads);
                REQUIRE(runner.run(d, {}, nullptr, &error));
                const auto *counts = reinterpret_cast<const uint32_t *>(memory.base() + data.address);
                for (uint32_t i = 0; i < 60 * size; i++)
                    REQUIRE(counts[i] == 1);
                REQUIRE(counts[60 * size] == 0);
            }
    }
}

namespace {
// A job of one batch a workgroup that stores tidx to a word of its own for each workgroup's z.
std::vector<uint32_t> indices_by_workgroup(uint32_t batches, uint32_t workgroups, bool four_threads) {
    Memory memory;
    BufferObject data, code, uniforms;
    REQUIRE(memory.find(memory.create(4096, true), &data));
    REQUIRE(memory.find(memory.create(4096, false), &code));
    REQUIRE(memory.find(memory.create(4096, false), &uniforms));
    Instruction base = empty(SigLdunifrf);
    base.sig_dest = 20;
    Side z = side(Op::Mov, 10, 2);
    z.unpack_a = Unpack::IntUnsignedLow;
    const std::vector<Instruction> program = {base,
                                              single(z),
                                              single(side(Op::Shl, 10, 10, register_count + 2), SigSmallB),
                                              single(side(Op::Add, 10, 10, 20)),
                                              single(to_magic(side(Op::Tidx, 0), magic::Tmud)),
                                              single(to_magic(side(Op::Mov, 0, 10), magic::Tmua)),
                                              empty(SigThrsw),
                                              empty(),
                                              empty()};
    put_program(memory, code.address, program);
    std::memcpy(memory.base() + uniforms.address, &data.address, 4);
    std::memset(memory.base() + data.address, 0xff, 4096);
    const uint32_t cfg[7] = {1u << 16,        1u << 16, workgroups << 16,
                             1u << 8 | 16,    batches,  code.address | 2u | four_threads,
                             uniforms.address};
    JobRunner runner(memory, Settings{});
    std::string error;
    REQUIRE(runner.run(parse_dispatch(cfg), {}, nullptr, &error));
    std::vector<uint32_t> indices(batches + 1);
    std::memcpy(indices.data(), memory.base() + data.address, 4 * indices.size());
    return indices;
}
} // namespace

TEST_CASE("every QPU gets a batch before any gets a second one, also beyond the last workgroup", "[device]") {
    for (const bool four_threads : {false, true}) {
        const auto indices = indices_by_workgroup(30, 8, four_threads);
        const uint32_t resident = four_threads ? 48 : 24, step = four_threads ? 1 : 2;
        for (uint32_t i = 0; i < 30; i++)
            CHECK(indices[i] == 4 * (i % resident % 12) + step * (i % resident / 12));
        CHECK(indices[30] == ~0u);
    }
}

TEST_CASE("a subroutine may lie behind the program's end") {
    Memory memory;
    BufferObject code;
    REQUIRE(memory.find(memory.create(4096, false), &code));
    Instruction call, back;
    call.kind = back.kind = Kind::Branch;
    call.branch.dest = BranchDest::Relative;
    call.branch.sets_link = true;
    call.branch.offset = 8 * 3; // behind three delay slots, over the end's three instructions
    back.branch.dest = BranchDest::LinkRegister;
    const Instruction none = empty();
    const std::vector<Instruction> program = {call, none, none, none, empty(SigThrsw), none, none, none,
                                              back, none, none, none};
    put_program(memory, code.address, program);
    ProgramCache cache;
    std::string error;
    const auto found = cache.get(memory, code.address, true, &error);
    REQUIRE(found);
    CHECK(found->words.size() == program.size());
    const uint32_t cfg[7] = {1u << 16, 1u << 16, 1u << 16, 1u << 8 | 16, 1, code.address | 2u, code.address};
    JobRunner runner(memory, Settings{});
    CHECK(runner.run(parse_dispatch(cfg), {}, nullptr, &error));
}
