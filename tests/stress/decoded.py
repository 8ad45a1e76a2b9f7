# SPDX-License-Identifier: BSD-2-Clause
"""What the programs decode_list and decode_list_stock say to streams, and the options of scripts that compare both."""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, paths

REPORT = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:")


def add_options(parser: argparse.ArgumentParser, chunk: int) -> None:
    programs = paths.BUILD / "tests" / "stress"
    parser.add_argument("--codec", choices=("vp9", "av1"), default="vp9")
    parser.add_argument("--seed", type=int, default=None, help="default: from the clock; it is printed")
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--chunk", type=int, default=chunk, help=f"streams a process decodes (default: {chunk})")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one stream (default: 60)")
    parser.add_argument("--program", type=Path, default=programs / "decode_list",
                        help="linked to the patched libraries")
    parser.add_argument("--stock", type=Path, default=programs / "decode_list_stock", help="linked to the stock ones")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the streams of failed cases here")
    parser.add_argument("--json", type=Path, metavar="FILE")


def begin(args: argparse.Namespace) -> None:
    """Both programs have to be there; says the seed."""
    for program in (args.program, args.stock):
        if not program.is_file():
            console.fail(f"{program} is not built")
    if args.seed is None:
        args.seed = time.time_ns() & 0xFFFFFFFF
    print(f"seed {args.seed}", flush=True)


def split_output(text: str) -> dict[str, list[str]]:
    """file -> its lines; a file without an end is the one that the program died in, and is left out."""
    found: dict[str, list[str]] = {}
    for block in text.split("file ")[1:]:
        lines = block.splitlines()
        if lines and lines[-1] == "end":
            found[lines[0]] = lines[1:-1]
    return found


def last_words(text: str) -> str:
    lines = text.splitlines()
    report = next((line for line in lines if REPORT.search(line)), None)
    return (report or (lines[-1] if lines else "no message"))[:240]


def run(command: list[str], environment: dict[str, str], streams: list[Path],
        timeout: float) -> tuple[dict[str, list[str]], str]:
    """What the decoder says to each stream, and what is wrong with the process."""
    try:
        done = subprocess.run([*command, *map(str, streams)], capture_output=True, text=True, errors="replace",
                              timeout=timeout * len(streams), env=environment)
    except subprocess.TimeoutExpired as late:
        return split_output((late.stdout or b"").decode(errors="replace")), "hangs"
    bad = done.returncode or REPORT.search(done.stderr)
    return split_output(done.stdout), f"exit code {done.returncode}: {last_words(done.stderr)}" if bad else ""


def in_own_order(lines: list[str]) -> list[str]:
    """Frames in their order, then the errors, by code: what the splitter of superframes refuses is told at once, ahead
    of the frame that is late."""
    said = [line.split(": ", 1)[1] for line in lines]
    return [line for line in said if is_frame(line)] + sorted(line for line in said if not is_frame(line))


def is_frame(line: str) -> bool:
    return "frame pts " in line


def without_sum(line: str) -> str:
    return line.rsplit(" ", 1)[0] if is_frame(line) else line
