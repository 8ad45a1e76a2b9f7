#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The whole course of tools/pi-report with the programs of a Raspberry Pi 5: built for aarch64, under qemu-user, with Debian's driver
on the simulated V3D. A folder of wrappers stands for a build of such a machine. Times mean nothing here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, paths

V3DSIM = paths.ROOT / "tools" / "v3dsim" / "v3dsim"
CROSS_FILE = paths.CACHE / "v3dsim" / "cross" / "aarch64.ini"
BUILD = paths.BUILD / "pi-stock"  # like build/pi, with stock programs, whose functions the bench wants
WRAPPERS = paths.BUILD / "pi-course"
BENCH = "tools/bench-src/bench"
PROGRAMS = ("install/bin/ffmpeg", "install/bin/ffprobe", "stock/bin/ffmpeg", "stock/bin/ffprobe", BENCH)


def run(*command: str | Path) -> None:
    if subprocess.run(command).returncode:
        console.fail(f"{' '.join(map(str, command))} failed")


def build() -> None:
    run(V3DSIM, "setup", "--suites")
    if not (BUILD / "build.ninja").exists():
        run("meson", "setup", BUILD, paths.ROOT, f"--cross-file={CROSS_FILE}", f"-Dprogram_cross_file={CROSS_FILE}",
            "-Dtests=true", "-Dtest_hooks=true")
    run("ninja", "-C", BUILD, "programs", BENCH)


def wrap() -> None:
    shutil.rmtree(WRAPPERS, ignore_errors=True)
    for program in PROGRAMS:
        wrapper = WRAPPERS / program
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        # The simulator's own library is in this machine's build.
        wrapper.write_text(f'#!/bin/sh\nexec env DAEDALUS_BUILD="{paths.BUILD}" "{V3DSIM}" run --route arm64 -- "{BUILD / program}" "$@"\n')
        wrapper.chmod(0o755)
    for shared in ("cache", "clips"):  # made by this machine's encoders
        (WRAPPERS / shared).symlink_to(paths.BUILD / shared)


def main() -> int:
    build()
    wrap()
    course = [paths.ROOT / "tools" / "pi-report", "--quick", "--device", "V3D", "--output", WRAPPERS / "report"]
    return subprocess.run(course, env={**os.environ, "DAEDALUS_BUILD": str(WRAPPERS)}).returncode


if __name__ == "__main__":
    sys.exit(main())
