// SPDX-License-Identifier: BSD-2-Clause
//
// Saves the batches of a stream for tools/replay: DAEDALUS_SAVE_BATCH=FOLDER[:N], the first N (16) submits. A library
// without test hooks saves none.
#pragma once
#include "debug/batch_view.h"
#include "util/log.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace dd {

#ifdef DD_TEST_HOOKS

class BatchSaver {
  public:
    BatchSaver();
    bool wanted() { return left_ > 0; }
    void save(const BatchView &view, std::uint64_t frame, const Log &log);

  private:
    std::string folder_;
    std::atomic<long> left_{0};
};

#else

class BatchSaver {
  public:
    static bool wanted() { return false; }
    static void save(const BatchView &, std::uint64_t, const Log &) {}
};

#endif

} // namespace dd
