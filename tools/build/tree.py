# SPDX-License-Identifier: BSD-2-Clause
"""The files of the project itself: tracked by git where there is git, else everything outside build folders."""

import subprocess
from pathlib import Path

from sources import ROOT

LEFT_OUT = {"build", "packagecache", "__pycache__", ".git"}


def files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        found = (ROOT / name for name in listed.stdout.split("\0") if name)
        return sorted(path for path in found if path.is_file())
    return sorted(path for path in ROOT.rglob("*")
                  if path.is_file() and not LEFT_OUT.intersection(path.relative_to(ROOT).parts))


def with_suffix(*suffixes: str) -> list[Path]:
    return [path for path in files() if path.suffix in suffixes]
