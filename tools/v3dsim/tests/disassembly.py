#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our disassembly against the driver's own, of everything that its compiler makes of random programs."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
from generator import Generator

LINE = re.compile(r"^0x([0-9a-f]{16}) (.*?)(?: \([^()]*(?:\([^()]*\))?[^()]*\))?$")


# The driver's disassembler looks for the conversion of these operations' operand in the wrong field, and prints none.
UNCONVERTED = re.compile(r"^((?:fround|ftrunc|ffloor|fceil|fdx|fdy)\S* \S+ rf\d+)\.(?:abs|l|h)")


def words_of(simulator, seed: int, folder: Path) -> dict:
    """Instruction words with the driver's text for each."""
    generator = Generator(seed)
    source = folder / "p.comp"
    source.write_text(generator.program())
    harness.compile_glsl(source, folder / "p.spv")
    spec = generator.spec(str(folder / "p.spv"), str(folder / "out"))
    done = simulator.run([spec], folder, V3D_DEBUG="cs")
    return {m[1]: m[2].rstrip() for m in map(LINE.match, (done.stdout + done.stderr).splitlines()) if m}


def words(text: str) -> list:
    """Without the padding of columns."""
    return text.replace(";", " ; ").split()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_arguments(parser)
    parser.add_argument("--disassembler", required=True, help="the v3dsim-disasm program")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    simulator = harness.simulator(args)
    expected = {}
    with tempfile.TemporaryDirectory(prefix="v3dsim-disasm-") as folder:
        for seed in range(args.seed, args.seed + args.programs):
            expected |= words_of(simulator, seed, Path(folder))
    if len(expected) < 1000:
        print(f"only {len(expected)} instructions: the driver prints something else than expected")
        return 1
    text = subprocess.run([args.disassembler], input="\n".join(expected), text=True, stdout=subprocess.PIPE, check=True)
    wrong = 0
    for (word, driver), ours in zip(expected.items(), text.stdout.splitlines()):
        if words(ours) != words(driver) and words(UNCONVERTED.sub(r"\1", ours)) != words(driver):
            wrong += 1
            if wrong <= 10:
                print(f"{word}\n  driver {driver}\n  ours   {ours}")
    print(f"{len(expected)} instructions, {wrong} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
