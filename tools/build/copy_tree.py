#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Copy a tree into another one, links as links: what `meson install` does with programs that other build systems have
made.

copy_tree.py FROM TO
"""

import os
import shutil
import sys
from pathlib import Path


def replace(source: Path, target: Path) -> None:
    """A file that may be in use, as a running program's is, can't be written over."""
    scratch = target.with_name(f".{target.name}.new")
    scratch.unlink(missing_ok=True)
    shutil.copy2(source, scratch, follow_symlinks=False)
    scratch.rename(target)


def copy(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        to = target / path.relative_to(source)
        if path.is_dir() and not path.is_symlink():
            to.mkdir(parents=True, exist_ok=True)
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        replace(path, to)


if __name__ == "__main__":
    copy(Path(sys.argv[1]), Path(os.environ.get("DESTDIR") or "/", sys.argv[2].lstrip("/")))
