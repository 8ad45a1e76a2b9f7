// SPDX-License-Identifier: BSD-2-Clause
#ifdef DD_TEST_HOOKS
#include "debug/batch_saver.h"

#include "debug/saved_batch.h"
#include "util/environment.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace dd {
namespace {

constexpr long kDefaultCount = 16;
constexpr const char *phase_names[] = {"none", "recon", "filter", "frame"};

} // namespace

BatchSaver::BatchSaver() : folder_(test_hook("DAEDALUS_SAVE_BATCH")) {
    if (folder_.empty())
        return;
    long count = kDefaultCount;
    const std::size_t colon = folder_.rfind(':');
    if (colon != folder_.npos && colon + 1 < folder_.size() &&
        folder_.find_first_not_of("0123456789", colon + 1) == folder_.npos) {
        count = std::atol(folder_.c_str() + colon + 1);
        folder_.resize(colon);
    }
    left_ = count;
    std::error_code error; // save() says what can't be written
    std::filesystem::create_directories(folder_, error);
}

void BatchSaver::save(const BatchView &view, std::uint64_t frame, const Log &log) {
    if (left_.fetch_sub(1) <= 0)
        return;
    char name[64];
    std::snprintf(name, sizeof(name), "/%06llu-%s.ddb", static_cast<unsigned long long>(frame),
                  phase_names[view.phases & 3]);
    const std::string error = save_batch(folder_ + name, view);
    if (error.empty())
        return;
    log.line(DD_LOG_ERROR, "%s; no more batches are saved", error.c_str());
    left_ = 0;
}

} // namespace dd
#endif
