// SPDX-License-Identifier: BSD-2-Clause
//
// Finds mistakes of kernels that hardware hides.
//
// undefined  A word that nobody ever wrote (buffer memory: it still holds the pattern that it was filled with when it
// was
//            allocated; shared and scratch memory: no write since the supergroup began; registers: no write since the
//            batch began) is undefined. What is computed from it is undefined. It is reported when it decides something
//            (a branch, an address) or reaches memory of the application.
// bounds     An access to memory of the application outside all the ranges that the descriptors of the dispatch name.
// race       Two invocations access the same byte, at least one of them writes, not both are atomic, and no barrier
//            lies between them (invocations of different workgroups never have one between them).
#pragma once
#include "execute.h"
#include "memory.h"
#include "settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace v3dsim {

struct BoundRange {
    uint32_t address, size;
};
using BoundRanges = std::vector<BoundRange>;

class Checker {
  public:
    Checker(Memory &memory, const Settings &settings);
    void begin_job(const BoundRanges *ranges, uint32_t scratch_handle);
    // Each returns false when the job has to stop.
    bool access(Thread &t, const Access &a, const LaneMask *stored, LaneMask *undefined);
    bool undefined_use(Thread &t, const char *what, LaneMask lanes_affected);
    bool found() const { return findings_ > 0; }
    std::string summary() const;

  private:
    struct ByteState {
        uint32_t run = 0;    // job or supergroup run in which the state is valid
        uint32_t writer = 0; // invocation + 1, 0: nobody
        uint32_t reader = 0; // invocation + 1, 0: nobody
        uint32_t writer_group = 0, reader_group = 0;
        uint16_t writer_epoch = 0, reader_epoch = 0;
        bool write_atomic = false, read_atomic = false;
        bool many_readers = false, many_groups = false;
    };
    struct PageState {
        ByteState bytes[Memory::page];
    };
    struct Place {
        bool application = false, scratch = false;
    };

    std::string origin() const;
    Place place(uint32_t address);
    ByteState &state(uint32_t address);
    bool report(Thread &t, unsigned lane, const std::string &what);
    bool check_bounds(Thread &t, const Access &a, unsigned lane);
    bool check_race(Thread &t, const Access &a, unsigned lane, uint32_t address, unsigned bytes, uint32_t run,
                    bool application);
    LaneMask check_undefined(Thread &t, unsigned lane, uint32_t address, unsigned bytes, const Place &where);

    Memory &memory_;
    const Settings settings_;
    const BoundRanges *ranges_ = nullptr;
    uint32_t scratch_handle_ = 0, job_ = 0;
    unsigned findings_ = 0;
    std::string first_;
    // The last load of a word that nobody wrote: what most findings about undefined values go back to.
    std::string last_unwritten_;
    std::unordered_map<uint32_t, Place> places_;                     // by handle
    std::unordered_map<uint32_t, std::unique_ptr<PageState>> pages_; // by page number
};

} // namespace v3dsim
