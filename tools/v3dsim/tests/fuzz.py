#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Differential fuzzing: random compute programs, run by the stock v3dv driver over the simulated device and by llvmpipe
from the same SPIR-V; all bytes that they write must be equal."""
import argparse
import sys
import tempfile
import time
from pathlib import Path

import harness
from generator import Generator

BATCH = 25  # programs of one process


def make_programs(seeds: list, folder: Path) -> list:
    programs = []
    for seed in seeds:
        generator = Generator(seed)
        source = folder / f"{seed}.comp"
        source.write_text(generator.program())
        harness.compile_glsl(source, folder / f"{seed}.spv")
        programs.append((seed, generator))
    return programs


def run_all(simulator, programs: list, folder: Path, simulated: bool, timeout: int) -> str:
    side = "v3d" if simulated else "cpu"
    specs = [g.spec(str(folder / f"{seed}.spv"), str(folder / f"{seed}.{side}")) for seed, g in programs]
    done = simulator.run(specs, folder, simulated, timeout)
    expected = "V3D 7.1" if simulated else "llvmpipe"
    if expected not in done.stdout:
        return f"the device is not {expected}: {done.stdout}{done.stderr}"
    return "" if done.returncode == 0 else f"{side}: {done.stderr.strip()}"


def compare(programs: list, folder: Path) -> list:
    failures = []
    for seed, _ in programs:
        results = [folder / f"{seed}.{side}" for side in ("v3d", "cpu")]
        if not all(result.exists() for result in results):
            failures.append((seed, "no result"))
            continue
        a, b = (result.read_bytes() for result in results)
        if a != b:
            first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            failures.append((seed,
                             f"{sum(x != y for x, y in zip(a, b))} of {len(a)} bytes differ, the first at {first}"))
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_arguments(parser)
    parser.add_argument("--programs", type=int, default=50, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of the first program (default: from the clock)")
    parser.add_argument("--keep", type=Path, help="leave sources, SPIR-V and results in this folder")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for %d programs" % BATCH)
    args = parser.parse_args()
    simulator = harness.simulator(args)
    first = args.seed if args.seed is not None else int(time.time()) * 1000
    print(f"seeds {first} … {first + args.programs - 1}", flush=True)
    failures = []
    with tempfile.TemporaryDirectory(prefix="v3dsim-fuzz-") as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for start in range(first, first + args.programs, BATCH):
            seeds = list(range(start, min(start + BATCH, first + args.programs)))
            programs = make_programs(seeds, folder)
            errors = [run_all(simulator, programs, folder, simulated, args.timeout) for simulated in (True, False)]
            found = compare(programs, folder)
            # Whatever comes after a program that was stopped has no result: only the first one counts.
            for error in filter(None, errors):
                print(error, flush=True)
                found = [f for f in found if f[1] != "no result"] + [f for f in found if f[1] == "no result"][:1]
            failures += found
            for seed, what in found:
                print(f"FAIL seed {seed}: {what}", flush=True)
            print(f"{start + len(seeds) - first} of {args.programs}", file=sys.stderr, flush=True)
    print(f"{args.programs - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
