# SPDX-License-Identifier: BSD-2-Clause
"""Progress on stderr, errors that name the way out, subprocesses whose log is kept."""
import subprocess
import sys
from pathlib import Path


class ToolError(Exception):
    """Ends the command with one message and a non-zero exit status."""


def say(text: str) -> None:
    print(f"v3dsim: {text}", file=sys.stderr, flush=True)


def run_logged(argv, log: Path, what: str, **kwargs) -> None:
    """Runs a long step; its output goes to a log whose tail is shown when it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as stream:
        stream.write(f"$ {' '.join(map(str, argv))}\n".encode())
        stream.flush()
        status = subprocess.run([str(a) for a in argv], stdout=stream, stderr=stream, **kwargs).returncode
    if status:
        tail = log.read_text(errors="replace").splitlines()[-25:]
        raise ToolError(f"{what} failed (status {status}); end of {log}:\n" + "\n".join(tail))


def capture(argv, what: str, **kwargs) -> str:
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", **kwargs)
    if done.returncode:
        raise ToolError(f"{what} failed (status {done.returncode}):\n{done.stderr.strip()}")
    return done.stdout
