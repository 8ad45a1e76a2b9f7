#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the suites of tests/suites.list, each with its log and its time limit, and count their tests.

A suite's output says how many tests it ran, by a line `N passed, N failed, N skipped` (the last one counts, of meson's
programs the sum). A suite that says nothing counts as one test. Whatever it prints, an exit code other than 0 is a
failure. Neighbours in the table that leave cores idle run side by side.
"""

import argparse
import contextlib
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests" / "suites.list"
LOGS = ROOT / "build" / "logs"
FAILURE = re.compile(r"\bFAILED:|^(FAIL|ERROR): ")  # Catch2's and unittest's
COUNTS = re.compile(r"^\s*(\d+) passed, (\d+) failed, (\d+) skipped\s*$", re.M)
MESON = {"passed": ("Ok", "Expected Fail"), "failed": ("Fail", "Timeout", "Unexpected Pass"), "skipped": ("Skipped",)}
HEARTBEAT = 30
SIMULATOR = "v3dsim-setup"
TIERS = ("quick", "full", "long")
CORES = ("all", "few")


@dataclass(frozen=True)
class Suite:
    name: str
    tier: str
    limit: float  # seconds
    cores: str
    command: list[str]


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: "Count") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def read_table() -> list[Suite]:
    suites = []
    for line in TABLE.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words:
            name, tier, minutes, cores, *command = words
            for word, known in ((tier, TIERS), (cores, CORES)):
                if word not in known:
                    sys.exit(f"{TABLE.name}: {name}: '{word}' is none of {', '.join(known)}")
            suites.append(Suite(name, tier, float(minutes) * 60, cores, command))
    return suites


def counts_of_meson(text: str) -> Count | None:
    if not re.search(r"^Ok:\s+\d+", text, re.M):
        return None
    numbers = {kind: sum(int(n) for label in labels for n in re.findall(rf"^{label}:\s+(\d+)", text, re.M))
               for kind, labels in MESON.items()}
    return Count(**numbers)


def counts_of(text: str, code: int) -> Count:
    lines = [Count(*map(int, line)) for line in COUNTS.findall(text)]
    programs = counts_of_meson(text)
    if programs and lines:
        count = Count(sum(c.passed for c in lines), max(programs.failed, sum(c.failed for c in lines)),
                      programs.skipped + sum(c.skipped for c in lines))
    else:
        count = lines[-1] if lines else programs
    if count is None:
        count = Count(passed=int(code == 0))
    if code != 0 and count.failed == 0:
        count.failed = 1
    return count


def last_line(log: Path) -> str:
    with open(log, "rb") as f:
        f.seek(max(0, f.seek(0, os.SEEK_END) - 400))
        text = f.read().decode(errors="replace").replace("\r", "\n")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:90] if lines else ""


def excerpt(text: str) -> str:
    """What tests say where they fail, with the lines around it, and the end of a suite's output."""
    lines = text.splitlines()
    end = max(0, len(lines) - 30)
    failures = [i for i in range(end) if FAILURE.search(lines[i])][:5]
    parts = [lines[max(0, i - 8):i + 8] for i in failures] + [lines[end:]]
    return "\n  …\n".join("\n".join(part) for part in parts)


class Runner:
    """Runs suites, from several threads where they are to run side by side."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.processes: set[subprocess.Popen] = set()
        self.stopped = False

    def stop(self) -> None:
        """Ends what runs, with all its children; nothing begins any more."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def begin(self, suite: Suite, log: Path) -> subprocess.Popen | None:
        with self.lock, open(log, "w") as out:
            if self.stopped:
                return None
            process = subprocess.Popen(suite.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            self.processes.add(process)
            return process

    def wait(self, process: subprocess.Popen, suite: Suite, log: Path) -> int:
        """The exit code; a suite that overruns its limit is ended with all its children."""
        start = time.monotonic()
        while True:
            left = suite.limit - (time.monotonic() - start)
            try:
                code = process.wait(timeout=max(0, min(HEARTBEAT, left)))
                break
            except subprocess.TimeoutExpired:
                if left <= 0:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    code = 124
                    with open(log, "a") as out:
                        out.write(f"\nended after {suite.limit:.0f} s, its limit\n")
                    break
                say(f"  … {suite.name}, {time.monotonic() - start:.0f} s: {last_line(log)}")
        with self.lock:
            self.processes.discard(process)
        return code

    def run(self, suite: Suite) -> Count:
        log = LOGS / f"suite-{suite.name}.log"
        say(f"{suite.name}: {shlex.join(suite.command)}")
        start = time.monotonic()
        process = self.begin(suite, log)
        if not process:
            return Count()
        code = self.wait(process, suite, log)
        text = log.read_text(errors="replace")
        count = counts_of(text, code)
        if count.failed:
            say(excerpt(text))
        print(f"{suite.name}: {count} ({time.monotonic() - start:.0f} s, log: {log.relative_to(ROOT)})", flush=True)
        return count


def run_all(suites: list[Suite]) -> list[tuple[Suite, Count]]:
    runner, done = Runner(), []
    for cores, group in itertools.groupby(suites, key=lambda suite: suite.cores):
        neighbours = list(group)
        with ThreadPoolExecutor(1 if cores == "all" else os.cpu_count()) as pool:
            try:
                done += zip(neighbours, pool.map(runner.run, neighbours))
            except BaseException:
                runner.stop()
                raise
    return done


def chosen(suites: list[Suite], args: argparse.Namespace) -> list[Suite]:
    names = {suite.name for suite in suites}
    asked = set(args.only.split(",")) if args.only else names
    unwanted = set(args.skip.split(",")) if args.skip else set()
    unknown = (asked | unwanted) - names
    if unknown:
        sys.exit(f"no suite named {', '.join(sorted(unknown))}; there are {', '.join(suite.name for suite in suites)}")
    tiers = TIERS[:1] if args.quick else TIERS if args.long or args.only else TIERS[:2]
    return [suite for suite in suites if suite.name in asked - unwanted and suite.tier in tiers]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools/test", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", metavar="NAMES")
    parser.add_argument("--skip", metavar="NAMES")
    parser.add_argument("--no-skips", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    suites = chosen(read_table(), args)
    if args.list:
        for suite in suites:
            print(f"{suite.name:<24} {suite.tier:<6} {shlex.join(suite.command)}")
        return
    LOGS.mkdir(parents=True, exist_ok=True)
    if any(suite.name == SIMULATOR for suite in suites):
        os.environ["DAEDALUS_REQUIRE_V3DSIM"] = "1"  # then nothing is skipped for want of the simulator's driver
    start, total, failed = time.monotonic(), Count(), []
    for suite, count in run_all(suites):
        total.add(count)
        failed += [suite.name] if count.failed or (args.no_skips and count.skipped) else []
    say(f"{len(suites)} suites in {(time.monotonic() - start) / 60:.1f} min")
    print(total)
    if failed:
        print(f"Next: read build/logs/suite-{failed[0]}.log, then tools/test --only {','.join(failed)}")
    else:
        print("Next: tools/ab STREAM shows how fast this machine decodes with and without the plugin")
    sys.exit(1 if failed or not total.passed else 0)


if __name__ == "__main__":
    main()
