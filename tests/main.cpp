// SPDX-License-Identifier: BSD-2-Clause
//
// Every test program's main: says the seed, so that --rng-seed can repeat a failure.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

#include <cstdio>
#include <random>

int main(int argc, char **argv) {
    Catch::Session session;
    if (const int problem = session.applyCommandLine(argc, argv))
        return problem;
    if (session.configData().rngSeed == 0) // Catch2 2 has a fixed seed where none is given
        session.configData().rngSeed = std::random_device{}();
    std::printf("seed: %u (repeat with --rng-seed)\n", static_cast<unsigned>(session.configData().rngSeed));
    return session.run();
}
