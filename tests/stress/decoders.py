#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Many decoders in one process: tests/stress/decode_threads.cpp over small streams, with several kinds of threads."""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, decode, ivf, manifest, paths

# One size change, scaled references, 10 bits, 4:4:0, a tiny one, intra-only frames; the clips where there are none.
WANTED = ("vp90-2-05-resize.ivf", "vp90-2-21-resize_inter_320x180_5_1-2.webm", "vp92-2-20-10bit-yuv420.webm",
          "vp91-2-04-yuv440.webm", "vp90-2-02-size-66x66.webm", "vp90-2-16-intra-only.webm", "vp9-odd-97x61.webm",
          "vp9-lossless.webm", "vp9-440.webm", "vp9-10bit.webm", "vp9-rt.webm",
          # AV1: 10 and 12 bits, 4:2:2, film grain, an odd size, lossless.
          "00000676.ivf", "00000743.ivf", "00000055.ivf", "00000755.ivf", "309_odd_width.ivf", "lossless.ivf",
          "av1-1-b10-23-film_grain-50.ivf", "av1-1-b8-01-size-66x34.ivf", "redundant_frame_header.ivf",
          "av1-aom-352x288.webm", "av1-aom-10bit.webm")
LOW_DELAY = "low delay"  # one thread, and none that overlaps
THREADS = {"vp9": (("1", "frame"), ("1", LOW_DELAY), ("2", "frame"), ("4", "frame"), ("2", "slice"), ("4", "slice")),
           "av1": (("1", "frame"), ("2", "frame"), ("4", "frame"))}  # dav1d has one kind
LAST = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="*", type=Path, help="streams (default: small ones of the manifest)")
    parser.add_argument("--codec", choices=("vp9", "av1"), default="vp9")
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--plan", default="gpu")
    parser.add_argument("--profile", default="auto")
    parser.add_argument("--seed", type=int, help="default: from the clock; it is printed")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one kind of threads")
    parser.add_argument("--program", type=Path, default=paths.BUILD / "tests" / "stress" / "decode_threads")
    parser.add_argument("--scenario", action="append", default=[])
    return parser.parse_args()


def streams_of(args: argparse.Namespace) -> list[Path]:
    found = manifest.find(args.path, codec=args.codec)
    return [ivf.remuxed(stream.path) for stream in found if args.path or stream.path.name in WANTED]


def run(args: argparse.Namespace, streams: list[Path], count: str, kind: str) -> list[int]:
    command = [str(args.program), "--device", args.device, "--seed", str(args.seed), "--rounds", str(args.rounds),
               "--threads", count, *(["--low-delay"] if kind == LOW_DELAY else ["--thread-type", kind]),
               *(str(path) for path in streams)]
    for scenario in args.scenario:
        command += ["--scenario", scenario]
    environment = {**decode.clean_environment(), **decode.Offload(args.device, args.plan, args.profile).environment()}
    print(f"{count} threads, {kind}:", flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=args.timeout,
                              env=environment)
    except subprocess.TimeoutExpired as late:
        print((late.stdout or b"").decode(errors="replace") + f"failed: hangs, ended after {args.timeout:.0f} s")
        return [0, 1, 0]
    lines = done.stdout.splitlines()
    counts = LAST.match(lines[-1]) if lines else None
    print("\n".join("  " + line for line in lines[1:-1]))
    numbers = [int(number) for number in counts.groups()] if counts else [0, 1, 0]
    report = [line for line in done.stderr.splitlines() if "Sanitizer" in line or "runtime error:" in line]
    if not counts or report or (done.returncode and not numbers[1]):
        print(f"  failed: exit code {done.returncode}: {(report or [done.stderr.strip()[-300:]])[0]}")
        numbers[1] += bool(counts)
    return numbers


def main() -> None:
    args = parse()
    if not args.program.is_file():
        console.fail(f"{args.program} is not built: run tools/setup first")
    if args.seed is None:
        args.seed = time.time_ns() & 0xFFFFFF
    print(f"seed {args.seed}", flush=True)
    streams = streams_of(args)
    if not streams:
        console.fail("no stream there")
    total = [0, 0, 0]
    for count, kind in THREADS[args.codec]:
        total = [a + b for a, b in zip(total, run(args, streams, count, kind))]
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
