// SPDX-License-Identifier: BSD-2-Clause
//
// Saves the batches of a stream for tools/replay: DAEDALUS_SAVE_BATCH=FOLDER[:N], the first N (16) submits.
#pragma once
#include "batch/ddb.h"
#include "log.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace dd {

class BatchSaver {
  public:
    BatchSaver();
    bool wanted() { return left_ > 0; }
    void save(const BatchView &view, std::uint64_t frame, const Log &log);

  private:
    std::string folder_;
    std::atomic<long> left_{0};
};

} // namespace dd
