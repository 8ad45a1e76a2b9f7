#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Copy a tree into another one, links as links: what `meson install` does with programs that other build systems have made.

copy_tree.py FROM [SUBFOLDER]     into the prefix of `meson install`, or a folder in it
"""

import os
import shutil
import sys
from pathlib import Path


def copy(source: Path, target: Path) -> None:
    """Files that may be in use are replaced, not written over."""
    for path in sorted(source.rglob("*")):
        to = target / path.relative_to(source)
        if path.is_dir() and not path.is_symlink():
            to.mkdir(parents=True, exist_ok=True)
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        scratch = to.with_name(f".{to.name}.new")
        scratch.unlink(missing_ok=True)
        shutil.copy2(path, scratch, follow_symlinks=False)
        scratch.rename(to)


if __name__ == "__main__":
    copy(Path(sys.argv[1]), Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], *sys.argv[2:]))
