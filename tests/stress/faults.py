#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Bad luck: the n-th submit, wait, allocation, mapping, synchronisation of caches or pipeline fails, the device is
lost, the GPU hangs or is late. Every time the frames have to be stock FFmpeg's, the exit code 0, with exactly one
warning where the GPU is given up, as the plugin's summary says, and none elsewhere: some allocations can be done
without. n counts up until it is past the last call, which the plugin tells; a fault that is never reached, or calls
that don't end, fail the test. The whole log of a run that fails lies in build/logs/faults."""

import argparse
import concurrent.futures
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, decode, manifest, paths, statistics, stock

KINDS = ("submit", "wait", "alloc", "map", "pipeline", "lost", "hang", "late", "sync")
# Small ones, of the manifest or else of the clips; AV1's has all its filters.
STREAMS = {"vp9": ("vp9/libvpx/vp90-2-02-size-66x66.webm", "vp9-odd-97x61.webm"),
           "av1": ("av1/dav1d/8-bit/data/00000661.ivf", "av1-aom-352x288.webm")}
# So large that the CPU does a frame again before a late GPU ends.
LARGER = {"vp9": ("vp9/libvpx/vp90-2-06-bilinear.webm", "vp9-352x288.webm"),
          "av1": ("av1/dav1d/8-bit/mfmv/av1-1-b8-06-mfmv.ivf", "av1-aom-352x288.webm")}
QUIET = 3  # so many n in a row that are not reached: they are past the last call
REACHED = "made to fail: "  # what the plugin writes when the n-th call fails
# The end of the plugin's warnings. FFmpeg writes a line in parts, between which another thread's may come, but never
# within one.
WARNING = re.compile(r"decod(?:ed|ing) on the CPU$", re.M)
SPARED = ("alloc", "map")  # kinds with calls that the plugin can do without
LOGS = paths.BUILD / "logs" / "faults"
SLOWER = 16  # times the patience, where a busy machine's GPU was taken for one that hangs


@dataclass
class Outcome:
    kind: str
    tried: int = 0
    hit: int = 0
    problems: list[str] = field(default_factory=list)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, help="a short stream (default: one of the manifest)")
    parser.add_argument("--codec", choices=tuple(STREAMS), default="vp9")
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--plan", default="gpu")
    parser.add_argument("--profile", default="auto")
    parser.add_argument("--memory", default="", choices=("", "discrete"), help="as on a device with memory of its own")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these kinds")
    parser.add_argument("--most", type=int, default=500, metavar="N",
                        help="an end for n, which is a failure (default: 500)")
    parser.add_argument("--patience", type=int, default=1000, metavar="MS", help="for a GPU that hangs (default: 1000)")
    parser.add_argument("--ffmpeg", type=Path, default=paths.PATCHED)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def stream_of(args: argparse.Namespace, kind: str) -> Path:
    if args.path:
        return args.path
    found = {stream.name: stream.path for stream in manifest.find([], codec=args.codec)}
    return next(found[name] for name in (LARGER if kind == "late" else STREAMS)[args.codec] if name in found)


def gave_up(run: decode.Decoded) -> bool:
    """The plugin has no summary of a stream for which no GPU could be opened."""
    found = statistics.parse(run.log)
    return found.given_up if found else True


def problems_of(run: decode.Decoded, expected: decode.Decoded, kind: str, hit: bool) -> list[str]:
    found = []
    if run.timed_out:
        return ["hangs"]
    if run.exit_code:
        found.append(f"exit code {run.exit_code}: {run.log.strip()[-200:]}")
    if run.frames != expected.frames:
        found.append("frames differ from stock's")
    given_up = gave_up(run)
    if given_up != hit and not (hit and kind in SPARED):
        found.append(f"the GPU was {'' if given_up else 'not '}given up")
    if (warnings := len(WARNING.findall(run.log))) != given_up:
        found.append(f"{warnings} warnings instead of {int(given_up)}")
    if "Sanitizer" in run.log or "runtime error:" in run.log:
        found.append("a sanitizer's report")
    return found


def one(args: argparse.Namespace, stream: Path, expected: decode.Decoded, kind: str, n: int,
        patience: int) -> tuple[bool, list[str]]:
    environment = {"DAEDALUS_FAULT": f"{kind}:{n}"}
    if kind == "hang":
        environment["DAEDALUS_TIMEOUT_MS"] = str(patience)
    run = decode.decode(args.ffmpeg, stream, threads=decode.Threads(args.threads),
                        offload=decode.Offload(args.device, args.plan, args.profile, args.memory),
                        environment=environment, timeout=120)
    hit = re.search(rf"{re.escape(REACHED)}{kind}:{n}(?!\d)", run.log) is not None
    # The GPU is a CPU here: where that has other things to do, it may be late without a fault of ours, and the fault
    # is never reached.
    late = kind == "hang" and not hit and not problems_of(run, expected, kind, hit=True)
    if late and patience == args.patience:
        return one(args, stream, expected, kind, n, SLOWER * patience)
    problems = problems_of(run, expected, kind, hit)
    if problems:
        problems.append(f"the whole log: {keep(run.log, args, f'{kind}-{n}')}")
    return hit, [f"{kind}:{n}: {problem}" for problem in problems]


def keep(log: str, args: argparse.Namespace, name: str) -> Path:
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{args.codec}-{args.profile}-{args.threads}-{name}.log"
    path.write_text(log)
    return path


def every_n(args: argparse.Namespace, kind: str) -> Outcome:
    outcome, quiet = Outcome(kind), 0
    stream = stream_of(args, kind)
    expected = stock.result(stream)
    for n in range(1, args.most + 1):
        hit, problems = one(args, stream, expected, kind, n, args.patience)
        outcome.tried += 1
        outcome.hit += hit
        outcome.problems += problems
        quiet = 0 if hit else quiet + 1
        if quiet == QUIET:
            break
    if quiet < QUIET:
        outcome.problems.append(f"{kind}: still calls after {args.most}")
    if not outcome.hit:
        outcome.problems.append(f"{kind}: nothing ever failed")
    return outcome


def main() -> None:
    args = parse()
    if not args.ffmpeg.is_file():
        console.fail(f"{args.ffmpeg} is not there: run tools/quickstart first")
    kinds = args.kind or KINDS
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(lambda kind: every_n(args, kind), kinds))
    failed = 0
    for outcome in outcomes:
        print(f"{outcome.kind}: {outcome.hit} of {outcome.tried} runs had a failure")
        for problem in outcome.problems:
            print(f"  failed: {problem}")
        failed += bool(outcome.problems)
    print(f"{len(outcomes) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
