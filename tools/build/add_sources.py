#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The pinned releases into a tarball that `meson dist` makes, so that it builds offline: add_sources.py RELEASE"""

import os
import shutil
import sys
from pathlib import Path

import sources


def main() -> None:
    root = Path(os.environ["MESON_PROJECT_DIST_ROOT"])
    for name in ("ffmpeg", "dav1d"):
        wrap = sources.read_wrap(name, sys.argv[1])
        if not sources.is_genuine(wrap.tarball, wrap):
            sys.exit(f"{wrap.filename} is missing or not the pinned release: run tools/build/fetch-sources")
        target = root / wrap.tarball.relative_to(sources.ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(wrap.tarball, target)


if __name__ == "__main__":
    main()
