#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Damaged streams: packets lost, doubled, swapped, cut, with bits flipped, repeated, joined. Each is decoded several
times with several numbers and kinds of threads, plans and profiles. What has to hold:

- with the same threads every run, on every plan and profile, gives the same frames and errors;
- pictures that no damage reaches are those of the undamaged stream;
- number, time stamps and order of frames, and the errors, are stock FFmpeg's with the same threads (AV1: or with one,
where stock
  with several loses the last frames);
- damaged pictures and their heirs are stock's where all runs of stock agree. Those that aren't are counted: there stock
  shows memory of earlier pictures, or adds coefficients that an earlier error has left.
"""

import argparse
import concurrent.futures
import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, decode, ivf, paths

import damage_kinds
import decoded
from decoded import in_own_order, is_frame, without_sum

CLIPS = Path(__file__).with_name("damage.list")
RARE_RUNS = 24  # more of stock, where ours is like none of those that there are


@dataclass
class Case:
    path: Path
    damaged: damage_kinds.Damaged
    ways: list["Way"]
    stock: dict["Threads", list[list[str]]] = field(default_factory=dict)  # what each run said
    ours: dict["Way", list[list[str]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    other_sums: int = 0


@dataclass(frozen=True, order=True)
class Threads:
    number: int
    kind: str  # frame, slice

    def __str__(self) -> str:
        return f"{self.number} {self.kind} threads" if self.number > 1 else "1 thread"


ONE = Threads(1, "frame")


@dataclass(frozen=True)
class Way:
    threads: Threads
    plan: str
    profile: str

    def __str__(self) -> str:
        return f"{self.threads}, plan {self.plan}, profile {self.profile}"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="*", type=Path, help="streams to damage (default: clips of real encoders)")
    parser.add_argument("--cases", type=int, default=300, help="damaged streams (default: 300)")
    parser.add_argument("--runs", type=int, default=6, help="of each way to decode one (default: 6)")
    parser.add_argument("--stock-runs", type=int, default=12, help="default: 12")
    parser.add_argument("--threads", default="1,2,3,8")
    parser.add_argument("--thread-types", default="frame,slice", help="where there are several (default: frame,slice)")
    parser.add_argument("--plans", default="gpu,auto,cpu")
    parser.add_argument("--profiles", default="wide,v3d")
    parser.add_argument("--ways", type=int, default=0, help="so many of the combinations for each stream, in turn "
                                                            "(default: all)")
    decoded.add_options(parser, chunk=10)
    return parser.parse_args()


def sources_of(args: argparse.Namespace) -> list[damage_kinds.Source]:
    if args.path:
        return [damage_kinds.load(path) for path in args.path]
    folder = paths.BUILD / "clips-damage"
    made = subprocess.run([sys.executable, str(paths.ROOT / "tools" / "clips" / "make"), "--list", str(CLIPS),
                           "-o", str(folder)])
    if made.returncode:
        console.fail("the clips can't be made")
    return [damage_kinds.load(path) for path in sorted(folder.iterdir()) if path.name.startswith(args.codec)]


def all_ways(args: argparse.Namespace) -> list[Way]:
    threads = {Threads(int(number), kind) if int(number) > 1 else ONE
               for number, kind in itertools.product(args.threads.split(","), args.thread_types.split(","))}
    return [Way(*way) for way in itertools.product(sorted(threads), args.plans.split(","), args.profiles.split(","))]


def make_cases(args: argparse.Namespace, sources: list[damage_kinds.Source], folder: Path) -> list[Case]:
    cases, ways = [], all_ways(args)
    turn = itertools.cycle(random.Random(args.seed).sample(ways, len(ways)))
    for number in range(args.cases):
        damaged = damage_kinds.damaged(random.Random(f"{args.seed}-{number}"), number, sources)
        path = folder / f"{args.seed}-{number}.ivf"
        ivf.write(path, damaged.header, [piece.packet for piece in damaged.pieces])
        cases.append(Case(path, damaged, [next(turn) for _ in range(args.ways)] if args.ways else ways))
    return cases


def run_way(args: argparse.Namespace, cases: list[Case], way: Way | None, threads: Threads, number: int) -> None:
    """One run of a chunk: of stock, or one way of ours. Runs differ in when packets come and how long frames are
    kept."""
    command = [str(args.program if way else args.stock), "--threads", str(threads.number), "--thread-type",
               threads.kind, "--perturb", str(args.seed % 1000 + number + 1)]
    environment = decode.clean_environment()
    if way:
        command += ["--device", args.device]
        environment |= decode.Offload(args.device, way.plan, way.profile).environment()
    said, wrong = decoded.run(command, environment, [case.path for case in cases], args.timeout)
    for case in cases:
        lines = in_own_order(said.get(str(case.path), []))
        if way:
            case.ours.setdefault(way, []).append(lines)
        else:
            case.stock.setdefault(threads, []).append(lines)
        if wrong and (str(case.path) not in said or len(cases) == 1):
            case.problems.append(f"{way or 'stock itself'}: {wrong}")


def run_chunk(args: argparse.Namespace, cases: list[Case]) -> None:
    for threads in sorted({ONE} | {way.threads for case in cases for way in case.ways}):
        for number in range(args.stock_runs):
            run_way(args, cases, None, threads, number)
    for way in sorted({way for case in cases for way in case.ways}, key=str):
        for number in range(args.runs):
            run_way(args, [case for case in cases if way in case.ways], way, way.threads, number)


def frames_of(lines: list[str]) -> list[str]:
    return [line for line in lines if is_frame(line)]


def time_stamp(frame: str) -> int:
    return int(frame.split()[2])


def sum_of(frame: str) -> str:
    return frame.rsplit(" ", 1)[1]


def undamaged_sums(args: argparse.Namespace, sources: list[damage_kinds.Source],
                   folder: Path) -> dict[tuple[str, int], str]:
    """By stream and time stamp, from stock."""
    sums = {}
    for source in sources:
        path = folder / f"whole-{source.name}.ivf"
        ivf.write(path, source.header, list(source.packets))
        said, wrong = decoded.run([str(args.stock), "--threads", "1"], decode.clean_environment(), [path], args.timeout)
        if wrong:
            console.fail(f"stock can't decode {source.name}: {wrong}")
        for frame in frames_of(in_own_order(said[str(path)])):
            sums[source.name, time_stamp(frame)] = sum_of(frame)
    return sums


def same_runs(case: Case) -> None:
    """Every run with the same threads says the same."""
    first: dict[Threads, tuple[Way, list[str]]] = {}
    for way, runs in case.ours.items():
        for lines in runs:
            case.problems += [f"{way}: {line}" for line in changed_while_held(lines)]
            other, expected = first.setdefault(way.threads, (way, lines))
            if lines != expected:
                case.problems.append(f"{way}: {difference(expected, lines)} of another run ({other})")
                return


def difference(expected: list[str], lines: list[str]) -> str:
    for i, (a, b) in enumerate(zip(expected, lines)):
        if a != b:
            return f"line {i}: '{b}' instead of '{a}'"
    return f"{len(lines)} lines instead of {len(expected)}"


def changed_while_held(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("changed while held")]


def unreached_exact(case: Case, whole: dict[tuple[str, int], str]) -> int:
    """Pictures that no damage reaches: how many were looked at."""
    unreached, looked_at = case.damaged.unreached(), 0
    for way, runs in case.ours.items():
        for frame in frames_of(runs[0]):
            source, own = unreached.get(time_stamp(frame), (None, 0))
            if not source:
                continue
            looked_at += 1
            if sum_of(frame) != whole[source.name, own]:
                case.problems.append(f"{way}: '{frame}' isn't the undamaged stream's, where no damage reaches")
                return looked_at
    return looked_at


def shape_of(lines: list[str]) -> list[str]:
    return [without_sum(line) for line in lines]


def errors_of(lines: list[str]) -> list[str]:
    return [line for line in lines if not is_frame(line)]


def stock_like(case: Case, way: Way, lines: list[str]) -> list[list[str]] | None:
    """The runs of stock that this run is like, with as many threads or with one. Of AV1, stock with several threads can
    lose the last frames and an error among them: those frames then come as with one thread, the errors as with
    several."""
    shape, same, one = shape_of(lines), case.stock[way.threads], case.stock[ONE]
    for stock in (same, one):
        if any(shape_of(run) == shape for run in stock):
            return stock
    if case.damaged.header.fourcc != b"AV01":
        return None
    frames, errors = frames_of(shape), errors_of(lines)
    lost = any(errors_of(run) == errors and frames_of(shape_of(run)) == frames[:len(frames_of(run))] for run in same)
    if lost and any(frames_of(shape_of(run)) == frames for run in one):
        return one
    return layers_lost(frames, errors, same, one)


def layers_lost(frames: list[str], errors: list[str], same: list[list[str]],
                one: list[list[str]]) -> list[list[str]] | None:
    """Where a broken sequence header says that there are spatial layers, and a later one that there are none, stock
    with several threads drops the picture that waits for its higher layer. Which one that is goes by how many frames
    are in flight, and those are more with a GPU. So ours may lack another one, but no more than stock: the rest is as
    with one thread."""
    if not any(errors_of(run) == errors and len(frames) >= len(frames_of(run)) < len(frames_of(one[0]))
               for run in same):
        return None
    kept = [[line for line in frames_of(run) if without_sum(line) in frames] for run in one]
    return kept if any(shape_of(run) == frames for run in kept) else None


def stock_like_in_time(args: argparse.Namespace, case: Case, way: Way, lines: list[str]) -> list[list[str]] | None:
    """What stock does in one run of two, a few runs may not have shown."""
    stock = stock_like(case, way, lines)
    if stock:
        return stock
    first = len(case.stock[way.threads])
    for number in range(first, first + RARE_RUNS):
        run_way(args, [case], None, way.threads, number)
    return stock_like(case, way, lines)


def as_stock(args: argparse.Namespace, case: Case) -> None:
    for way, runs in case.ours.items():
        lines = runs[0]
        stock = stock_like_in_time(args, case, way, lines)
        if not stock:
            expected = shape_of(case.stock[way.threads][0])
            case.problems.append(f"{way}: {difference(expected, shape_of(lines))} of stock")
            return
        if all(run == stock[0] for run in stock):
            case.other_sums += sum(a != b for a, b in zip(frames_of(lines), frames_of(stock[0])))


def judge(args: argparse.Namespace, cases: list[Case], whole: dict[tuple[str, int], str]) -> Counter:
    counts: Counter = Counter()
    for case in cases:
        if not case.problems:
            same_runs(case)
            counts["unreached"] += unreached_exact(case, whole)
            as_stock(args, case)
        counts["runs"] += sum(map(len, case.ours.values()))
        counts["frames"] += sum(len(frames_of(run)) for runs in case.ours.values() for run in runs)
        counts["other sums"] += case.other_sums
        counts["unstable"] += any(run != runs[0] for runs in case.stock.values() for run in runs)
    return counts


def main() -> None:
    args = parse()
    decoded.begin(args)
    sources = sources_of(args)
    with tempfile.TemporaryDirectory(prefix="dd-damage-") as folder:
        cases = make_cases(args, sources, Path(folder))
        whole = undamaged_sums(args, sources, Path(folder))
        chunks = [cases[i:i + args.chunk] for i in range(0, len(cases), args.chunk)]
        progress = console.Progress(len(chunks), f"{len(cases)} damaged streams, by {args.chunk}")
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(run_chunk, args, chunk) for chunk in chunks]):
                done.result()
                progress.step()
        counts = judge(args, cases, whole)
        failed = [case for case in cases if case.problems]
        for case in failed if args.keep else ():
            args.keep.mkdir(parents=True, exist_ok=True)
            (args.keep / case.path.name).write_bytes(case.path.read_bytes())
    for case in failed:
        print(f"failed: {case.path.name} ({case.damaged.kind}): {case.problems[0]}")
    if args.json:
        args.json.write_text(json.dumps({"seed": args.seed, **counts, "failed": [case.path.name for case in failed]},
                                        indent=1) + "\n")
    print(f"{len(cases)} damaged streams in {counts['runs']} runs with {counts['frames']} frames; "
          f"{counts['unreached']} pictures that no damage "
          f"reaches compared with the undamaged streams; {counts['unstable']} streams of which runs of stock differ; "
          f"{counts['other sums']} pictures with "
          f"a damaged ancestor where all runs of stock agree on others")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    sys.exit(1 if failed or not counts["unreached"] else 0)


if __name__ == "__main__":
    main()
