# SPDX-License-Identifier: BSD-2-Clause
"""Pinned release tarballs: where they are, whether they are the right ones, and patched trees of them: the release, the
files that are new in it, and a series of patches to the others."""

import configparser
import filecmp
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "subprojects" / "packagecache"
# Lines of releases: FFmpeg and the dav1d that goes with it. By name of either: the name of its wrap, and the series of
# patches.
DEFAULT = "7.1"
RELEASES = {
    DEFAULT: {
        "ffmpeg": ("ffmpeg", ROOT / "ffmpeg-patches" / "series"),
        "dav1d": ("dav1d", ROOT / "subprojects" / "packagefiles" / "dav1d-patches" / "series"),
    },
    "9.0": {
        "ffmpeg": ("ffmpeg-9.0", ROOT / "ffmpeg-patches" / "9.0" / "series"),
        "dav1d": ("dav1d-1.5.4", ROOT / "subprojects" / "packagefiles" / "dav1d-patches" / "1.5.4" / "series"),
    },
}
NEW_FILES = {
    "ffmpeg": ROOT / "ffmpeg-patches" / "files",
    "dav1d": ROOT / "subprojects" / "packagefiles" / "dav1d",
}


@dataclass(frozen=True)
class Wrap:
    name: str
    directory: str
    url: str
    filename: str
    sha256: str

    @property
    def tarball(self) -> Path:
        return CACHE / self.filename

    @property
    def version(self) -> str:
        return self.directory.rsplit("-", 1)[1]


def read_wrap(name: str, release: str = DEFAULT) -> Wrap:
    parser = configparser.ConfigParser(interpolation=None)
    with open(ROOT / "subprojects" / f"{RELEASES[release][name][0]}.wrap") as f:
        parser.read_file(f)
    w = parser["wrap-file"]
    return Wrap(name, w["directory"], w["source_url"], w["source_filename"], w["source_hash"])


def sha256_of(path: Path) -> str:
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def is_genuine(path: Path, wrap: Wrap) -> bool:
    return path.is_file() and sha256_of(path) == wrap.sha256


def patches_of(name: str, release: str = DEFAULT) -> list[Path]:
    """The patches named in the series file, in order."""
    return patches_in(RELEASES[release][name][1].parent)


def patches_in(folder: Path) -> list[Path]:
    lines = (line.split("#")[0].strip() for line in (folder / "series").read_text().splitlines())
    return [folder / line for line in lines if line]


def new_files_of(name: str) -> list[Path]:
    return sorted(path for path in NEW_FILES[name].rglob("*") if path.is_file())


def is_new_file(path: Path) -> bool:
    """One of those: in the project's style and under the licence of what it belongs to."""
    return any(folder in path.parents for folder in NEW_FILES.values())


def inputs_of(name: str, patched: bool, release: str = DEFAULT) -> list[Path]:
    """Every file that decides what the tree looks like."""
    files = [read_wrap(name, release).tarball]
    if patched:
        files += [RELEASES[release][name][1], *patches_of(name, release), *new_files_of(name)]
    return files


def tree_key(wrap: Wrap, inputs: list[Path]) -> str:
    key = hashlib.sha256(wrap.sha256.encode())
    for path in inputs:
        key.update(f"{path.name}\n".encode() + path.read_bytes())
    return key.hexdigest()


def unpack(wrap: Wrap, into: Path) -> Path:
    with tarfile.open(wrap.tarball) as tar:
        tar.extractall(into)
    tree = into / wrap.directory
    if not tree.is_dir():
        raise SystemExit(f"{wrap.filename} does not unpack to {wrap.directory}/")
    return tree


def add_new_files(name: str, tree: Path) -> None:
    for path in new_files_of(name):
        target = tree / path.relative_to(NEW_FILES[name])
        if target.exists():
            raise SystemExit(f"{target.relative_to(tree)} is in {tree.name} already")
        shutil.copy(path, target)


def apply_patches(tree: Path, patches: list[Path]) -> None:
    for patch in patches:
        done = subprocess.run(
            ["patch", "--batch", "--forward", "--fuzz=0", "-p1", "-i", str(patch)],
            cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"{patch.name} does not apply to {tree.name}:\n{done.stdout}")


def files_below(tree: Path) -> set[str]:
    return {os.path.relpath(os.path.join(folder, name), tree)
            for folder, _, names in os.walk(tree) for name in names}


def synchronise(fresh: Path, kept: Path) -> int:
    """Make `kept` equal to `fresh`, touching only what differs, so that make rebuilds little."""
    changed = 0
    new, old = files_below(fresh), files_below(kept)
    for name in new:
        source, target = fresh / name, kept / name
        if name in old and filecmp.cmp(source, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(source, target)  # a new time stamp on purpose: make must see the change
        changed += 1
    for name in old - new:
        (kept / name).unlink()
        changed += 1
    return changed


def key_file(tree: Path) -> Path:
    """Says which release and patches a tree was made of."""
    return tree.parent / (tree.name + ".key")


def prepare_tree(name: str, patched: bool, tree: Path, release: str = DEFAULT, before: Sequence[Path] = ()) -> None:
    """Bring `tree` to the pinned release plus, if asked for, patches of others and the series."""
    wrap = read_wrap(name, release)
    series, new_files = (patches_of(name, release), new_files_of(name)) if patched else ([], [])
    stamp = key_file(tree)
    key = tree_key(wrap, [*before, *series, *new_files])
    if tree.is_dir() and stamp.is_file() and stamp.read_text() == key:
        return
    if not is_genuine(wrap.tarball, wrap):
        raise SystemExit(f"{wrap.tarball} is missing or not the pinned release: run tools/build/fetch-sources")
    tree.parent.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=tree.parent, prefix=f".{name}-") as scratch:
        fresh = unpack(wrap, Path(scratch))
        apply_patches(fresh, before)
        if patched:
            add_new_files(name, fresh)
        apply_patches(fresh, series)
        if not tree.exists():
            fresh.rename(tree)
        else:
            synchronise(fresh, tree)
    stamp.write_text(key)
