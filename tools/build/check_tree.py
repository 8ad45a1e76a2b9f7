#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks over the words of the tree: licence lines, addresses, paths of one machine, source lists, patch series."""

import re
import sys
from pathlib import Path

import sources
import tree

SOURCE_SUFFIXES = {".c", ".cpp", ".h", ".comp", ".glsl", ".py", ".sh", ".build"}
LICENCE = "SPDX-License-Identifier: BSD-2-Clause"

# Everything else that looks like an address is refused, so that no package mirror gets into the project.
HOSTS = {
    "ffmpeg.org", "downloads.videolan.org", "code.videolan.org", "www.videolan.org", "aomediacodec.github.io",
    "www.webmproject.org", "registry.khronos.org", "docs.mesa3d.org", "www.khronos.org", "github.com",
    "gitlab.freedesktop.org", "www.w3.org",
}
ADDRESS = re.compile(r"\b(?:https?|ftp)://([\w.-]+)")
# In pieces, so that this file does not contain them.
PRIVATE_PATH = re.compile(r"(?<![\w.<}])/(?:" + "|".join(("wo" + "rk", "ro" + "ot", "ho" + "me", "tm" + r"p/\w")) + r")/?")


def text_of(path: Path) -> str | None:
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return None


def is_script(text: str) -> bool:
    return text.startswith("#!")


def licence_missing(path: Path, text: str) -> list[str]:
    if sources.is_new_file(path) or (path.suffix not in SOURCE_SUFFIXES and not is_script(text)):
        return []
    head = "\n".join(text.splitlines()[:3])
    return [] if LICENCE in head else [f"no '{LICENCE}' in the first lines"]


def is_known(host: str) -> bool:
    return host in HOSTS or host.endswith(".example")  # a name that RFC 2606 keeps free


def wrong_words(path: Path, text: str) -> list[str]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [f"line {number}: address of {host}" for host in ADDRESS.findall(line) if not is_known(host)]
        if PRIVATE_PATH.search(line):
            found.append(f"line {number}: a path of one machine: {line.strip()[:80]}")
    return found


def unsorted_lists(path: Path, text: str) -> list[str]:
    """Source lists in meson files keep one sorted entry a line, so that two changes seldom meet."""
    if path.name != "meson.build":
        return []
    found = []
    for block in re.findall(r"_sources = files\(\n(.*?)\n?\)", text, re.S):
        entries = [line.strip() for line in block.splitlines() if line.strip()]
        if entries != sorted(entries):
            found.append(f"source list not sorted: {entries[:1]}…")
    return found


def series_problems() -> list[str]:
    found = []
    for name, series in sources.SERIES.items():
        named = {patch.name for patch in sources.patches_of(name)}
        present = {patch.name for patch in series.parent.glob("*.patch")}
        found += [f"{series.parent.name}: {p} is in the series but not there" for p in sorted(named - present)]
        found += [f"{series.parent.name}: {p} is not in the series" for p in sorted(present - named)]
    return found


def main() -> None:
    problems = series_problems()
    paths = [path for path in tree.files() if path.suffix != ".patch"]
    for path in paths:
        text = text_of(path)
        if text is None:
            continue
        for check in (licence_missing, wrong_words, unsorted_lists):
            problems += [f"{path.relative_to(tree.ROOT)}: {problem}" for problem in check(path, text)]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"check-tree: {len(paths)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
