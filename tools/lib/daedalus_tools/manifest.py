# SPDX-License-Identifier: BSD-2-Clause
"""The list of conformance streams, and which of them a command means."""

import csv
import fnmatch
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from . import paths

SUFFIXES = {".av1", ".avif", ".ivf", ".mkv", ".mp4", ".obu", ".vp9", ".webm"}


@dataclass(frozen=True)
class Stream:
    path: Path
    name: str  # as the manifest calls it, else a short path
    tier: str = ""
    codec: str = ""
    format: str = ""  # of its pixels, as the manifest has it: "Main yuv420p10le"
    size: str = ""
    frames: int | None = None
    md5: str = ""  # of all frames, by a reference decoder; "" where unknown
    md5_by: str = ""
    features: str = ""

    def bit_depth(self) -> int:
        """Of streams that are in no manifest, by the name."""
        more = re.search(r"(1[02])(le$|-?bit)", self.format or self.name)
        return int(more[1]) if more else 8


def load(folder: Path) -> list[Stream]:
    with open(folder / "MANIFEST.tsv", newline="", encoding="utf-8") as table:
        rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Stream(path=folder / row["path"], name=row["path"], tier=row["tier"], codec=row["codec"],
                       format=row["format"], size=row["size"], frames=int(row["frames"]), md5=row["md5"],
                       md5_by=row["md5_by"], features=row["features"] or "")
                for row in rows]


def known() -> dict[Path, Stream]:
    folder = paths.vectors()
    return {stream.path: stream for stream in load(folder)} if folder else {}


def _below(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    return [path]


def select(given: list[Path]) -> list[Stream]:
    """The streams at or below the given paths. One that no manifest lists has neither tier nor md5."""
    listed = known()
    found: dict[Path, Stream] = {}
    for top in given:
        for path in _below(top.resolve()):
            found[path] = listed.get(path) or Stream(path, paths.shown(path))
    return list(found.values())


def find(given: list[Path], tier: str | None = None, codec: str | None = None,
         pattern: str | None = None) -> list[Stream]:
    """The streams that a command means: of the given paths, else of the manifest, else clips of real encoders."""
    from . import clips  # it needs this module
    if given:
        streams = select(given)
    elif folder := paths.vectors():
        streams = load(folder)
    else:
        streams = clips.streams(codec)
    return [stream for stream in streams
            if (tier in (None, "full") or stream.tier in (tier, ""))
            and (codec is None or stream.codec in (codec, ""))
            and (pattern is None or fnmatch.fnmatch(stream.name, pattern))]


def up_to(streams: list[Stream], limit: tuple[int, int]) -> list[Stream]:
    """Those whose size is known and within the limit."""
    sizes = [tuple(map(int, stream.size.split("x"))) if stream.size else None for stream in streams]
    return [stream for stream, size in zip(streams, sizes) if size and size[0] <= limit[0] and size[1] <= limit[1]]


def running_order(streams: list[Stream]) -> list[int]:
    """Indices. Large streams first, so that none is left alone at the end; ahead of them the largest of each kind of
    kernels, so that no two drivers compile the same ones side by side: the others find them in the driver's cache."""
    by_size = sorted(range(len(streams)), key=lambda i: -streams[i].path.stat().st_size)
    first: dict[tuple[str, int], int] = {}
    for i in by_size:
        first.setdefault((streams[i].codec, streams[i].bit_depth()), i)
    return sorted(by_size, key=lambda i: i not in first.values())


def listed(streams: list[Stream], table: Path) -> list[Stream]:
    """Those that the table names; every name has to be there. Names without a folder are clips, for machines that have
    no conformance streams; the others are the manifest's."""
    lines = [line.split("#")[0].strip() for line in table.read_text().splitlines()]
    of_manifest = paths.vectors() is not None
    names = [name for name in lines if name and ("/" in name) == of_manifest]
    found = {stream.name: stream for stream in streams}
    missing = [name for name in names if name not in found]
    if missing:
        raise SystemExit(f"{table}: no stream named {', '.join(missing)}")
    return [found[name] for name in names]


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
