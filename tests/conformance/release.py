#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The series on another release of FFmpeg and dav1d than the default: builds both programs in BUILD-RELEASE beside
build/, then streams under many plans, hostile input, damaged streams, and a stream of each codec on the simulated
V3D."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import counts

TARGETS = ("programs", "tests/stress/decode_list", "tests/stress/decode_list_stock", "tools/clips/synth")
QUICK = ("--filter", "*/dav1d/8-bit/data/000000[05]*"), ("--filter", "*vp9[01]-2-0[23]*-[0-3]*")


def build(release: str, folder: Path) -> None:
    subprocess.run([str(ROOT / "tools/build/fetch-sources"), "--release", release], check=True, stdout=sys.stderr)
    if not (folder / "build.ninja").is_file():
        subprocess.run(["meson", "setup", str(folder), str(ROOT), f"-Drelease={release}", "-Dffmpeg=minimal",
                        "-Dtests=true", "-Dtest_hooks=true"], check=True, stdout=sys.stderr)
    subprocess.run(["ninja", "-C", str(folder), *TARGETS], check=True, stdout=sys.stderr)


def commands(folder: Path, quick: bool) -> list[tuple[str, list[str], bool]]:
    """Name, command, and whether it runs with the other build as its own."""
    tests = ROOT / "tests"
    conformance = [str(ROOT / "tools" / "conformance"), "--device", "llvmpipe", "--plan", "gpu", "--require-gpu"]
    if quick:
        return [(f"{codec}, a few streams", [*conformance, "--codec", codec, *some], True)
                for codec, some in zip(("av1", "vp9"), QUICK)]
    found = []
    for codec in ("vp9", "av1"):
        found += [(f"{codec}, core streams under many plans", [sys.executable, str(tests / "conformance/matrix.py"),
                                                               "core", "--codec", codec], True),
                  (f"{codec}, hostile input", [sys.executable, str(tests / "stress/hostile.py"), "--codec", codec,
                                               "--packets", "200"], True),
                  (f"{codec}, damaged streams", [sys.executable, str(tests / "stress/damage.py"), "--codec", codec,
                                                 "--cases", "24", "--runs", "3",
                                                 "--stock-runs", "3", "--ways", "4"], True)]
        found.append((f"{codec}, simulated V3D", [str(ROOT / "tools/conformance"), "--simulated", "--device", "V3D",
                                                  "--plan", "gpu", "--require-gpu",
                                                  "--codec", codec, "--tier", "core", "--max-size", "66x66", "--ffmpeg",
                                                  str(folder / "install/bin/ffmpeg"),
                                                  "--stock", str(folder / "stock/bin/ffmpeg")], False))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", help="as tools/build/fetch-sources --release takes it")
    parser.add_argument("--quick", action="store_true", help="a few streams of each codec")
    parser.add_argument("--only", metavar="TEXT", help="only what has this in its name")
    args = parser.parse_args()
    folder = ROOT / f"build-{args.release}"
    build(args.release, folder)
    total = [0, 0, 0]
    for name, command, own in commands(folder, args.quick):
        if args.only and args.only not in name:
            continue
        environment = {**os.environ, **({"DAEDALUS_BUILD": str(folder)} if own else {})}
        total = [a + b for a, b in zip(total, counts.run(name, command, environment))]
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
