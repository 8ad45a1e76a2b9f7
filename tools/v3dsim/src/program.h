// SPDX-License-Identifier: BSD-2-Clause
//
// Compiled programs found in GPU memory, decoded once each.
#pragma once
#include "execute.h"
#include "memory.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace v3dsim {

class ProgramCache {
  public:
    // The program at an address; nullptr (and a message) when there is none.
    std::shared_ptr<const Program> get(const Memory &memory, uint32_t address, bool single_segment, std::string *error);

  private:
    std::mutex mutex_;
    // By address and hash: other code at the same address is another program.
    std::unordered_map<uint64_t, std::shared_ptr<const Program>> programs_;
};

// Decodes a program that is at `address`.
std::shared_ptr<const Program> decode_program(uint32_t address, std::vector<uint64_t> words);

} // namespace v3dsim
