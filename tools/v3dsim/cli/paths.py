# SPDX-License-Identifier: BSD-2-Clause
"""Where things lie: repository, build directory, cache."""
import os
from pathlib import Path

TOOL_DIR = Path(__file__).resolve().parents[1]
REPO_DIR = TOOL_DIR.parents[1]


def build_dir() -> Path:
    return Path(os.environ.get("DAEDALUS_BUILD", REPO_DIR / "build")).resolve()


def cache_dir() -> Path:
    """Downloads and drivers; shared by several checkouts when DAEDALUS_CACHE names one place."""
    root = Path(os.environ.get("DAEDALUS_CACHE", REPO_DIR / "build" / "cache")).resolve()
    return root / "v3dsim"
