# SPDX-License-Identifier: BSD-2-Clause
"""Runs of scripts that count their tests: their last line is `N passed, N failed, N skipped`."""

import re
import subprocess

LAST = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def run(name: str, command: list[str], environment: dict[str, str]) -> list[int]:
    """Passed, failed and skipped, which it prints with what failed. A script that says nothing, or ends badly, has
    failed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    counts = LAST.findall(done.stdout)
    numbers = [int(number) for number in counts[-1]] if counts else [0, 1, 0]
    if done.returncode and not numbers[1]:
        numbers[1] = 1
    print(f"{name}: {numbers[0]} passed, {numbers[1]} failed, {numbers[2]} skipped", flush=True)
    for line in done.stdout.splitlines():
        if re.match(r"\s*failed:", line):
            print(f"  {line.strip()}", flush=True)
    return numbers
