#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Hostile input: mutated VP9 or AV1 packets through the patched decoder, one thread, every frame and every error code
compared with stock FFmpeg's. A crash, a hang, a sanitizer's report or a difference fails.

Where stock itself gives other frames when freed memory is filled otherwise (it shows memory that was never written),
those frames can't be compared; they are counted as unstable, and everything before and after them still is compared.
"""

import argparse
import concurrent.futures
import json
import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, decode, ivf, manifest

import decoded
import mutate
from decoded import in_own_order, is_frame, without_sum

MAX_PIXELS = 1 << 21  # a mutated size must not make a case last for minutes


@dataclass
class Case:
    name: str
    path: Path
    mutated: int
    lines: dict[str, list[str]] = field(default_factory=dict)  # side: what its decoder said
    crashes: dict[str, str] = field(default_factory=dict)


LOW_DELAY = "daedalus, low delay"


@dataclass
class Counts:
    cases: int = 0
    packets: int = 0
    frames: int = 0
    errors: int = 0
    unstable_frames: int = 0
    failures: list[str] = field(default_factory=list)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="*", type=Path, help="streams to mutate (default: the manifest's small ones)")
    parser.add_argument("--packets", type=int, default=2000, help="mutated packets, at least (default: 2000)")
    parser.add_argument("--plan", default="gpu")
    parser.add_argument("--profile", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--thread-type", choices=("frame", "slice"), default="frame")
    decoded.add_options(parser, chunk=12)
    return parser.parse_args()


def sources_of(args: argparse.Namespace) -> list[mutate.Source]:
    small = [s for s in manifest.find(args.path, codec=args.codec) if s.path.stat().st_size < 120_000 and is_small(s)]
    if not small:
        console.fail("no small stream to mutate")
    return [mutate.load(stream.path, most=10) for stream in small]


def is_small(stream: manifest.Stream) -> bool:
    width, _, height = stream.size.partition("x")
    return not height or int(width) * int(height) <= 352 * 288


def make_cases(args: argparse.Namespace, folder: Path) -> list[Case]:
    sources = sources_of(args)
    cases: list[Case] = []
    total = 0
    while total < args.packets:
        name = f"{args.seed}-{len(cases)}"
        header, packets, mutated = mutate.case(random.Random(name), sources)
        path = folder / f"{name}.ivf"
        ivf.write(path, header, [ivf.Packet(data, i) for i, data in enumerate(packets)])
        cases.append(Case(name, path, mutated))
        total += mutated
    return cases


def run_chunk(command: list[str], environment: dict[str, str], cases: list[Case], side: str, timeout: float) -> None:
    """One process for all; those it did not get to after a crash run alone, so that one bad case hides no other."""
    found, wrong = decoded.run(command, environment, [case.path for case in cases], timeout)
    if wrong and len(cases) > 1:
        for case in cases:
            run_chunk(command, environment, [case], side, timeout)
        return
    for case in cases:
        case.lines[side] = found.get(str(case.path), [])
        if wrong:
            case.crashes[side] = wrong


def run_sides(args: argparse.Namespace, cases: list[Case]) -> None:
    common = ["--threads", str(args.threads), "--thread-type", args.thread_type, "--max-pixels", str(MAX_PIXELS)]
    base = decode.clean_environment()
    for side, fill in (("stock", "85"), ("stock again", "170")):
        run_chunk([str(args.stock), *common], {**base, "MALLOC_PERTURB_": fill}, cases, side, args.timeout)
    offload = decode.Offload(args.device, args.plan, args.profile)
    for side in sides(args):
        extra = ["--low-delay"] if side == LOW_DELAY else []
        run_chunk([str(args.program), *common, "--device", args.device, *extra], {**base, **offload.environment()},
                  cases, side, args.timeout)


def sides(args: argparse.Namespace) -> list[str]:
    """With one thread a frame of VP9 comes out with the packet after its own, one of AV1 up to three packets after it,
    unless low delay is asked for."""
    return ["daedalus", LOW_DELAY] if is_late(args) else ["daedalus"]


def is_late(args: argparse.Namespace) -> bool:
    return args.threads == 1 and (args.codec == "av1" or args.thread_type == "frame")


def compare(case: Case, counts: Counts, args: argparse.Namespace) -> None:
    stock, again = (case.lines.get(side, []) for side in ("stock", "stock again"))
    counts.cases += 1
    counts.packets += case.mutated
    for side in ("stock", "stock again"):
        if side in case.crashes:
            counts.failures.append(f"{case.name}: stock itself: {case.crashes[side]}")
            return
    for side in sides(args):
        if side in case.crashes:
            counts.failures.append(f"{case.name}: {side}: {case.crashes[side]}")
            return
    if [without_sum(line) for line in stock] != [without_sum(line) for line in again]:
        counts.failures.append(f"{case.name}: stock gives other errors in a second run: nothing to compare with")
        return
    counts.frames += sum(map(is_frame, stock))
    counts.errors += len(stock) - sum(map(is_frame, stock))
    for side in sides(args):
        ours = case.lines.get(side, [])
        if is_late(args) and side == "daedalus":
            first, second, ours = map(in_own_order, (stock, again, ours))
        else:
            first, second = stock, again
        if difference := differs(first, second, ours, counts):
            counts.failures.append(f"{case.name}: {side}: {difference}")
            return


def differs(stock: list[str], again: list[str], ours: list[str], counts: Counts) -> str:
    for i, (a, b, c) in enumerate(zip(stock, again, ours)):
        if a != b:
            counts.unstable_frames += 1
            a, c = without_sum(a), without_sum(c)
        if a != c:
            return f"line {i}: '{c}' where stock has '{a}'"
    return "" if len(stock) == len(ours) else f"{len(ours)} frames and errors where stock has {len(stock)}"


def main() -> None:
    args = parse()
    decoded.begin(args)
    counts = Counts()
    with tempfile.TemporaryDirectory(prefix="dd-hostile-") as folder:
        cases = make_cases(args, Path(folder))
        chunks = [cases[i:i + args.chunk] for i in range(0, len(cases), args.chunk)]
        progress = console.Progress(len(chunks), f"{len(cases)} streams with mutated packets, by {args.chunk}")
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            waiting = {pool.submit(run_sides, args, chunk): chunk for chunk in chunks}
            for done in concurrent.futures.as_completed(waiting):
                done.result()
                progress.step()
        for case in cases:
            before = len(counts.failures)
            compare(case, counts, args)
            if args.keep and len(counts.failures) > before:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / case.path.name).write_bytes(case.path.read_bytes())
    for failure in counts.failures:
        print(f"failed: {failure}")
    if args.json:
        args.json.write_text(json.dumps({"seed": args.seed, **vars(counts)}, indent=1) + "\n")
    print(f"{counts.packets} mutated packets in {counts.cases} streams, {counts.frames} frames and {counts.errors} "
          "errors of "
          f"stock compared, {counts.unstable_frames} frames of them unstable in stock itself")
    print(f"{counts.cases - len(counts.failures)} passed, {len(counts.failures)} failed, 0 skipped")
    sys.exit(1 if counts.failures or not counts.frames else 0)


if __name__ == "__main__":
    main()
