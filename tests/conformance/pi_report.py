#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The whole course of tools/pi-report with the programs of a Raspberry Pi 5: built for aarch64, under qemu-user, with
Debian's driver on the simulated V3D. A folder of wrappers stands for a build of such a machine. Times mean nothing
here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path[:0] = [str(TOOLS / "lib"), str(TOOLS / "v3dsim")]

from daedalus_tools import console, paths
from routes import cross_arm64
from routes.pins import DEFAULT_MESA

BUILD = paths.BUILD / "pi-stock"  # like build/pi, with stock programs, whose functions the bench wants
WRAPPERS = paths.BUILD / "pi-course"
BENCH = "tools/bench-src/bench"
PROGRAMS = ("install/bin/ffmpeg", "install/bin/ffprobe", "stock/bin/ffmpeg", "stock/bin/ffprobe", BENCH)


def run(*command: str | Path) -> None:
    if subprocess.run(command).returncode:
        console.fail(f"{' '.join(map(str, command))} failed")


def build() -> None:
    run(TOOLS / "v3dsim" / "v3dsim", "setup", "--suites")
    if not (BUILD / "build.ninja").exists():
        cross = cross_arm64.write_cross_file(DEFAULT_MESA)
        run("meson", "setup", BUILD, paths.ROOT, f"--cross-file={cross}", f"-Dprogram_cross_file={cross}",
            "-Dtests=true", "-Dtest_hooks=true")
    run("ninja", "-C", BUILD, "programs", BENCH)


def wrap() -> None:
    shutil.rmtree(WRAPPERS, ignore_errors=True)
    for program in PROGRAMS:
        cross_arm64.write_wrapper(WRAPPERS / program, BUILD / program, DEFAULT_MESA)
    for shared in ("cache", "clips"):  # made by this machine's encoders
        (WRAPPERS / shared).symlink_to(paths.BUILD / shared)


def main() -> int:
    build()
    wrap()
    course = [TOOLS / "pi-report", "--quick", "--device", "V3D", "--output", WRAPPERS / "report"]
    return subprocess.run(course, env={**os.environ, "DAEDALUS_BUILD": str(WRAPPERS)}).returncode


if __name__ == "__main__":
    sys.exit(main())
