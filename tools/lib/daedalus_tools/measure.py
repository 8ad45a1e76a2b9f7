# SPDX-License-Identifier: BSD-2-Clause
"""Time a program: wall clock, CPU seconds of all its threads, peak resident memory."""

import os
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    exit_code: int
    wall: float     # seconds
    cpu: float      # seconds, user and system, all threads
    peak_kib: int   # resident memory
    log: str        # stderr


def timed(command: list[str], environment: dict[str, str], timeout: float) -> Run:
    """wait4 gives the figures of this one child, which subprocess.run would not."""
    with tempfile.TemporaryFile() as log:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                                 env=environment)
        watchdog = threading.Timer(timeout, child.kill)
        watchdog.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            watchdog.cancel()
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)  # it is reaped: subprocess must not wait for it again
        log.seek(0)
        return Run(child.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss,
                   log.read().decode(errors="replace"))


def cores(count: int) -> list[int]:
    """The first `count` processors that this process may use."""
    allowed = sorted(os.sched_getaffinity(0))
    if count > len(allowed):
        raise ValueError(f"{count} cores asked for, {len(allowed)} there")
    return allowed[:count]


def pinned(count: int) -> list[str]:
    return ["taskset", "-c", ",".join(map(str, cores(count)))]


@dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float

    def text(self, digits: int = 2, unit: str = "") -> str:
        return f"{self.median:.{digits}f}{unit} ({self.low:.{digits}f}..{self.high:.{digits}f})"


def spread(values: list[float]) -> Spread:
    return Spread(statistics.median(values), min(values), max(values))
