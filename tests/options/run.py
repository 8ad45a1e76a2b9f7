#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the patched ffmpeg's command line. Arguments: names of tests or of their modules (default: all).
DAEDALUS_TEST_DEVICE names the device to test with (default: llvmpipe)."""

import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools" / "lib")]

from daedalus_tools import console, paths


class Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        console.say(f"  {test.id()}, {time.monotonic() - self.began:.1f} s")


def main() -> None:
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return
    for program in (paths.STOCK, paths.PATCHED):
        if not program.is_file():
            console.fail(f"{program} is not built: run tools/quickstart first")
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(str(HERE))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(suite)
    bad = {test.id().split(" ")[0] for test, _ in result.failures + result.errors} | {
        test.id() for test in result.unexpectedSuccesses}
    skipped = len(result.skipped)
    print(f"{result.testsRun - len(bad) - skipped} passed, {len(bad)} failed, {skipped} skipped")
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)


if __name__ == "__main__":
    main()
