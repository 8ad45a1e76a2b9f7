#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""NEON's side of the kernel tests: FFmpeg's and dav1d's functions of the aarch64 build against the scalar reference,
under qemu-user (tools/v3dsim/v3dsim setup --suites builds them)."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = Path(os.environ.get("DAEDALUS_BUILD", ROOT / "build")) / "pi" / "tests" / "kernels"
# One of so many combinations of formats, sizes and contents; each run has others.
SPREAD = "8"
# The test cases that compare with dav1d need no device.
PROGRAMS = {"vp9_ffmpeg": [], "av1_kernels": ["*dav1d's"]}


def main() -> None:
    failed = 0
    for name, arguments in PROGRAMS.items():
        print(f"{name}:", flush=True)
        done = subprocess.run([ROOT / "tools/v3dsim/v3dsim", "run", "--", KERNELS / name, *arguments],
                              env={**os.environ, "DAEDALUS_SPREAD": os.environ.get("DAEDALUS_SPREAD", SPREAD)})
        failed += done.returncode != 0
    print(f"{len(PROGRAMS) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
