#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The whole course of tools/pi-report with the programs of a Raspberry Pi 5: built for aarch64, under qemu-user, with Debian's driver
on the simulated V3D. A folder of wrappers stands for a build of such a machine. Times mean nothing here; stock is the patched
build without a device."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, paths

V3DSIM = paths.ROOT / "tools" / "v3dsim" / "v3dsim"
PI = paths.BUILD / "pi"
FOLDER = paths.BUILD / "pi-course"
BENCH = "tools/bench-src/bench"


def wrap(program: str, target: Path) -> None:
    wrapper = FOLDER / program
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(f'#!/bin/sh\nexec "{V3DSIM}" run --route arm64 -- "{target}" "$@"\n')
    wrapper.chmod(0o755)


def main() -> int:
    if subprocess.run([V3DSIM, "setup", "--suites"]).returncode or subprocess.run(["ninja", "-C", PI, BENCH]).returncode:
        console.fail("the programs of a Raspberry Pi 5 can't be had")
    shutil.rmtree(FOLDER, ignore_errors=True)
    for program in ("ffmpeg", "ffprobe"):
        for side in ("install", "stock"):
            wrap(f"{side}/bin/{program}", PI / "install" / "bin" / program)
    wrap(BENCH, PI / BENCH)
    for shared in ("cache", "clips"):  # made by this machine's encoders
        (FOLDER / shared).symlink_to(paths.BUILD / shared)
    course = [paths.ROOT / "tools" / "pi-report", "--quick", "--device", "V3D", "--output", FOLDER / "report"]
    return subprocess.run(course, env={**os.environ, "DAEDALUS_BUILD": str(FOLDER)}).returncode


if __name__ == "__main__":
    sys.exit(main())
