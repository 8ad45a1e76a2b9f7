// SPDX-License-Identifier: BSD-2-Clause
//
// Every test program's main: says the seed, so that --rng-seed can repeat a failure, and counts what ran.
#define CATCH_CONFIG_RUNNER
#include "catch.h"
#include "skip.h"

#include <cstddef>
#include <cstdio>
#include <random>
#include <set>
#include <string>

namespace {

std::set<std::string> &skipped() {
    static std::set<std::string> names;
    return names;
}

// A run of no test is no success.
bool ran_nothing = false;

#if CATCH_VERSION_MAJOR >= 3
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class Counter final : public Listener {
  public:
    using Listener::Listener;
    void testRunEnded(const Catch::TestRunStats &stats) override {
        const Catch::Counts &cases = stats.totals.testCases;
        const auto ran = static_cast<std::size_t>(cases.passed + cases.failedButOk);
        const auto failed = static_cast<std::size_t>(cases.failed);
        ran_nothing = ran + failed == 0;
        std::printf("%zu passed, %zu failed, %zu skipped\n", ran - skipped().size(), failed, skipped().size());
        std::fflush(stdout);
    }
};

} // namespace

CATCH_REGISTER_LISTENER(Counter)

void dd::test::skip(const char *why) {
    const std::string name = Catch::getResultCapture().getCurrentTestName();
    if (skipped().insert(name).second)
        std::printf("skipped: %s: %s\n", name.c_str(), why);
}

int main(int argc, char **argv) {
    Catch::Session session;
    if (const int problem = session.applyCommandLine(argc, argv))
        return problem;
    if (session.configData().rngSeed == 0) // Catch2 2 has a fixed seed where none is given
        session.configData().rngSeed = std::random_device{}();
    std::printf("seed: %u (repeat with --rng-seed)\n", static_cast<unsigned>(session.configData().rngSeed));
    const int failed = session.run();
    if (!failed && ran_nothing)
        std::fputs("no test ran\n", stderr);
    return failed ? failed : ran_nothing;
}
