# SPDX-License-Identifier: BSD-2-Clause
"""Progress on stderr, errors that name the way out, subprocesses whose log is kept."""
import os
import subprocess
import sys
import time
from pathlib import Path


class ToolError(Exception):
    """Ends the command with one message and a non-zero exit status."""


def say(text: str) -> None:
    print(f"v3dsim: {text}", file=sys.stderr, flush=True)


HEARTBEAT = 30  # seconds between two lines of progress


def _last_line(log: Path) -> str:
    with open(log, "rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - 400))
        lines = stream.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:90] if lines else ""


def _wait(process: subprocess.Popen, what: str, log: Path) -> int:
    start = time.monotonic()
    while True:
        try:
            return process.wait(HEARTBEAT)
        except subprocess.TimeoutExpired:
            say(f"  … {what}, {time.monotonic() - start:.0f} s: {_last_line(log)}")


def run_logged(argv, log: Path, what: str, **kwargs) -> None:
    """Runs a long step; its output goes to a log whose tail is shown when it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as stream:
        stream.write(f"$ {' '.join(map(str, argv))}\n".encode())
        stream.flush()
        with subprocess.Popen([str(a) for a in argv], stdout=stream, stderr=stream, **kwargs) as process:
            status = _wait(process, what, log)
    if status:
        tail = log.read_text(errors="replace").splitlines()[-25:]
        raise ToolError(f"{what} failed (status {status}); end of {log}:\n" + "\n".join(tail))


def capture(argv, what: str, **kwargs) -> str:
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", **kwargs)
    if done.returncode:
        raise ToolError(f"{what} failed (status {done.returncode}):\n{done.stderr.strip()}")
    return done.stdout
