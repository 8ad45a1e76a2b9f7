# SPDX-License-Identifier: BSD-2-Clause
"""One stream: decoded by the program under test, compared with stock FFmpeg, the manifest and its own statistics."""

import csv
import fnmatch
import functools
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import decode, ivf, manifest, paths, statistics, stock, truth, validation
from .statistics import Statistics


@dataclass(frozen=True)
class Setup:
    program: Path = paths.PATCHED
    stock: Path = paths.STOCK
    offload: decode.Offload = decode.Offload()
    threads: decode.Threads = decode.Threads()
    require_gpu: bool = False
    validation: str = validation.NONE
    timeout: float = 900
    prefix: list[str] = field(default_factory=list)  # what runs the program


@dataclass
class Verdict:
    name: str
    outcome: str = "passed"
    notes: list[str] = field(default_factory=list)
    seconds: float = 0
    statistics: Statistics | None = None

    def fail(self, why: str) -> None:
        self.outcome = "failed"
        self.notes.append(why)

    def as_json(self) -> dict:
        return asdict(self)


@functools.cache
def stock_differs() -> list[tuple[str, str]]:
    with open(paths.ROOT / "tests" / "conformance" / "stock_differs.tsv", newline="") as table:
        return [(row["stream"], row["why"]) for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]


def why_stock_differs(name: str) -> str | None:
    return next((why for pattern, why in stock_differs() if fnmatch.fnmatch(name, pattern)), None)


def first_difference(ours: list[str], theirs: list[str]) -> str | None:
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"frame {i} differs: {a} instead of {b}"
    if len(ours) != len(theirs):
        return f"{len(ours)} frames instead of {len(theirs)}"
    return None


def last_error(log: str) -> str:
    lines = [line for line in log.splitlines() if re.search(r"\[(error|fatal|panic)\]|Sanitizer|runtime error", line)]
    return lines[-1][:200] if lines else "no message"


def compare(ours: decode.Decoded, theirs: decode.Decoded, stream: manifest.Stream, verdict: Verdict) -> None:
    if ours.exit_code != theirs.exit_code:
        verdict.fail(f"exit code {ours.exit_code} where stock has {theirs.exit_code}: {last_error(ours.log)}")
    different = first_difference(ours.frames, theirs.frames)
    if different:
        verdict.fail(f"against stock: {different}")
    elif ours.md5 != theirs.md5:
        verdict.fail(f"md5 of all frames {ours.md5}, stock's {theirs.md5}")
    if not stream.md5:
        return
    why = why_stock_differs(stream.name)
    if why and theirs.md5 == stream.md5:
        verdict.fail(f"listed as different from stock FFmpeg, but is equal: {why}")
    elif why:
        verdict.notes.append(f"compared with stock only: {why}")
    elif ours.md5 != stream.md5:
        verdict.fail(f"md5 {ours.md5}, the manifest's {stream.md5} ({stream.md5_by})")


def check_reports(ours: decode.Decoded, verdict: Verdict) -> None:
    """What a sanitizer said, in builds that have one."""
    wanted = re.compile(r"(ERROR|WARNING): \w+Sanitizer|: runtime error:")
    reports = [line for line in ours.log.splitlines() if wanted.search(line)]
    if reports:
        verdict.fail(f"{len(reports)} reports of sanitizers, the first: {reports[0][:200]}")


def check_statistics(setup: Setup, ours: decode.Decoded, stream: manifest.Stream, verdict: Verdict) -> None:
    found = statistics.parse(ours.log)
    verdict.statistics = found
    if not setup.require_gpu:
        return
    if not found:
        if ours.frames and statistics.on_gpu(setup.offload.plan):
            verdict.fail("the log holds no closing statistics")
        return
    wanted = truth.of(stream) if ours.exit_code == 0 else None
    for problem in statistics.problems(found, setup.offload, wanted):
        verdict.fail(problem)


def verdict(setup: Setup, stream: manifest.Stream) -> Verdict:
    result = Verdict(stream.name)
    playable = ivf.with_frame_rate(stream.path)
    theirs = stock.result(playable, setup.stock, setup.timeout)
    if why_stock_differs(stream.name) and setup.threads != decode.Threads():
        # What the ffmpeg program does with a format that changes midway depends on when it hears of it.
        theirs = decode.decode(setup.stock, playable, threads=setup.threads, level="error", timeout=setup.timeout)
    if theirs.timed_out:
        result.fail(f"stock FFmpeg took longer than {setup.timeout:.0f} s")
        return result
    if theirs.exit_code and not theirs.frames and not why_stock_differs(stream.name):
        result.outcome = "skipped"
        result.notes.append(f"stock FFmpeg decodes nothing of it: {last_error(theirs.log)}")
        return result
    with validation.Layer(setup.validation) as layer:
        ours = decode.decode(setup.program, playable, threads=setup.threads, offload=setup.offload,
                             environment=layer.environment(), timeout=setup.timeout, prefix=setup.prefix)
        for problem in layer.problems(ours.log):
            result.fail(problem)
    result.seconds = round(ours.seconds, 3)
    if ours.timed_out:
        result.fail(f"took longer than {setup.timeout:.0f} s")
        return result
    compare(ours, theirs, stream, result)
    check_reports(ours, result)
    check_statistics(setup, ours, stream, result)
    return result
