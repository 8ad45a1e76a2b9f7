#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every checker against a kernel that is wrong on purpose, which must be reported, and its right twin, which must
not."""
import argparse
import sys
import tempfile
from pathlib import Path

import harness


def words(count: int, **more) -> dict:
    return {"bytes": 4 * count, "seed": 1, **more}


# kernel: checks, groups, buffers, part of the message for the wrong one
CASES = {
    "undefined_shared": ("undefined", 2, [words(128)], "never written"),
    "undefined_buffer": ("undefined", 2, [words(128), words(128, written=256)], "never written"),
    "undefined_branch": ("undefined", 1, [words(64), words(128, written=256)], "never written decides"),
    "undefined_array": ("undefined", 1, [words(64), words(64)], "never written"),
    "bounds_store": ("bounds", 2, [words(4096, offset=256, range=512)], "outside the ranges that are bound"),
    "bounds_load": ("bounds", 1, [words(64), words(4096, offset=256, range=256)], "outside the ranges that are bound"),
    "race_shared": ("race", 2, [words(128)], "race on shared memory"),
    "race_reuse": ("race", 2, [words(128)], "race on shared memory"),
    "race_groups": ("race", 4, [words(64)], "race:"),
    "race_bytes": ("race", 2, [words(64)], "race:"),
    "order": ("order", 3, [words(256)], "depends on the order"),
    "barrier": ("", 2, [words(128)], "barrier is not reached by all"),
    "barrier_branches": ("", 2, [words(128)], "barrier is not reached by all"),
    "outside": ("", 1, [words(64)], "outside any buffer object"),
    "endless": ("", 1, [words(64, fill=0)], "does not end"),
}


def run_case(simulator, name: str, wrong: bool, checks: str, folder: Path) -> str:
    """Returns what is wrong with the simulator's verdict, or an empty string."""
    _, groups, buffers, message = CASES[name]
    spirv = folder / f"{name}{'-wrong' if wrong else ''}.spv"
    harness.compile_glsl(harness.HERE / "kernels" / f"{name}.comp", spirv, *(["WRONG"] if wrong else []))
    spec = {"spirv": str(spirv), "out": str(folder / "out"), "groups": [groups, 1, 1], "buffers": buffers}
    done = simulator.run([spec], folder, True, 60, **({"V3DSIM_CHECK": checks} if checks else {}))
    if "V3D 7.1" not in done.stdout:
        return f"no simulated device: {done.stderr}"
    if not wrong:
        return "" if done.returncode == 0 else f"flagged although it is right: {done.stderr.strip()}"
    if done.returncode == 0:
        return "not noticed"
    return "" if message in done.stderr else f"another message than expected: {done.stderr.strip()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_arguments(parser)
    parser.add_argument("names", nargs="*", help="kernels (default: all)")
    args = parser.parse_args()
    simulator = harness.simulator(args)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="v3dsim-checks-") as temporary:
        for name in args.names or CASES:
            # The wrong one must be found by its own checker alone; the right one must pass all of them.
            for wrong, checks in ((True, CASES[name][0]), (False, "all")):
                problem = run_case(simulator, name, wrong, checks, Path(temporary))
                failed += bool(problem)
                print(f"{'FAIL' if problem else 'ok  '} "
                      f"{name}{' (wrong)' if wrong else ''}{': ' if problem else ''}{problem}",
                      flush=True)
    print(f"{'FAILED: ' + str(failed) if failed else 'all found'}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
