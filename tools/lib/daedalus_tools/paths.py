# SPDX-License-Identifier: BSD-2-Clause
"""Where the built programs, the caches and the conformance streams lie."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("DAEDALUS_BUILD", ROOT / "build")).resolve()
CACHE = BUILD / "cache"
STOCK = BUILD / "stock" / "bin" / "ffmpeg"
PATCHED = BUILD / "install" / "bin" / "ffmpeg"


def vectors() -> Path | None:
    """The folder of conformance streams, None where there is none."""
    folder = Path(os.environ.get("DAEDALUS_VECTORS", ROOT.parent / "shared" / "vectors"))
    return folder.resolve() if (folder / "MANIFEST.tsv").is_file() else None


def shown(path: Path) -> str:
    """A path as short as it can be said."""
    for base in (vectors(), ROOT, Path.cwd()):
        if base and path.is_relative_to(base):
            return str(path.relative_to(base))
    return str(path)
