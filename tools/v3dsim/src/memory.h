// SPDX-License-Identifier: BSD-2-Clause
//
// The GPU's address space: 4 GiB of a sparse memory file, whose file offset is the GPU address, and the buffer
// objects in it.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace v3dsim {

struct BufferObject {
    uint32_t handle = 0, address = 0, size = 0;
    bool application = false; // memory that the application allocated, not the driver for itself
    bool imported = false;
    bool open = true; // the driver still holds the handle
    int jobs = 0;     // unfinished jobs that use it
};

class Memory {
  public:
    static constexpr uint64_t space = uint64_t{1} << 32;
    static constexpr uint32_t page = 4096;

    // `poison`: fill new buffer objects with a pattern that tells words that nobody wrote.
    explicit Memory(bool poison = false);
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    int fd() const { return fd_; }
    uint8_t *base() const { return base_; }
    bool poisoned() const { return poison_; }

    // Each returns 0 when there is no room.
    uint32_t create(uint32_t size, bool application);
    // The GPU's view of a foreign memory file (a dma-buf), which has to be synchronised.
    uint32_t import(int fd, uint32_t size);
    // False for an unknown handle.
    bool close(uint32_t handle);
    bool find(uint32_t handle, BufferObject *out);
    // The buffer object at an address; handle 0 when there is none.
    BufferObject at(uint32_t address);

    // A job that uses the buffer objects; they stay in place until it is over.
    void begin_job(const std::vector<uint32_t> &handles);
    void end_job(const std::vector<uint32_t> &handles);
    // Waits until no job uses it; false when the time (nanoseconds from now, negative: forever) is up.
    bool wait_idle(uint32_t handle, int64_t timeout_ns);

    // Reads of the hot path: no lock. A page belongs to a buffer object when its entry is not 0.
    uint32_t owner(uint32_t address) const { return __atomic_load_n(&page_owner_[address / page], __ATOMIC_RELAXED); }
    const uint32_t *owners() const { return page_owner_; }
    bool mapped(uint32_t address, uint32_t bytes) const {
        return owner(address) != 0 && owner(address + bytes - 1) != 0 && address + bytes >= address;
    }
    bool read_word(uint32_t address, uint32_t *value) const;

    // The word that poison puts at an address.
    static uint32_t poison_word(uint32_t address);

  private:
    uint32_t place(uint32_t size);
    void release(BufferObject &bo);
    void set_owner(const BufferObject &bo, uint32_t handle);
    BufferObject *lookup(uint32_t handle);

    const bool poison_;
    int fd_ = -1;
    uint8_t *base_ = nullptr;
    uint32_t *page_owner_ = nullptr;
    std::mutex mutex_;
    std::condition_variable idle_;
    std::unordered_map<uint32_t, BufferObject> objects_;
    std::map<uint32_t, uint32_t> free_; // address -> size
    uint32_t next_handle_ = 1;
};

} // namespace v3dsim
