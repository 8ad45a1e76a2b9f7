#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pyflakes over our Python: names that nothing defines show here, also in code that only a fresh machine runs. Skipped
where there is no pyflakes."""

import shutil
import subprocess
import sys
from pathlib import Path

import tree


def is_python(path: Path) -> bool:
    if path.suffix:
        return path.suffix == ".py"
    with open(path, "rb") as f:
        line = f.readline()
    return line.startswith(b"#!") and b"python3" in line


def main() -> None:
    paths = [str(path) for path in tree.files() if is_python(path)]
    program = shutil.which("pyflakes3")
    if not program:
        print("check-python: pyflakes3 is missing\n0 passed, 0 failed, 1 skipped")
        return
    done = subprocess.run([program, *paths])
    print(f"check-python: {len(paths)} files, {'ok' if done.returncode == 0 else 'see above'}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
