#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks over the words of the tree: licence lines, addresses, paths of one machine, widths of lines, source lists,
includes of plugin/, patch series."""

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
    "gitlab.freedesktop.org", "www.w3.org", "www.debian.org",
}
ADDRESS = re.compile(r"\b(?:https?|ftp)://([\w.-]+)")
# In pieces, so that this file does not contain them.
PRIVATE_PATH = re.compile(r"(?<![\w.<}])/(?:" + "|".join(("wo" + "rk", "ro" + "ot", "ho" + "me",
                                                          "tm" + r"p/\w")) + r")/?")

# Columns. clang-format keeps code of C and C++ within them, but breaks neither comments nor literals.
CODE_WIDTH, PROSE_WIDTH = 120, 100
MAY_BE_WIDE = {
    "tests/plugin/frozen/daedalus_0_1.h",  # as it was released
}
LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*\)|\b\w+://\S+")
GENERATED = re.compile(r"<!-- (?:end of )?(\w+) -->")

# The plugin's folders in the order of a frame's way: which of the others' headers each may include. "common":
# kernels/common.
PLUGIN = tree.ROOT / "plugin"
LAYERS = {
    "util": {"daedalus"},
    "batch": {"common", "daedalus", "util"},
    "vp9": {"batch", "common", "daedalus", "frame", "util"},
    "av1": {"batch", "common", "daedalus", "frame", "util"},
    "scheduler": {"daedalus", "util"},
    "vulkan": {"batch", "common", "daedalus", "util"},
    "debug": {"av1", "batch", "daedalus", "util", "vp9"},
    "frame": {"batch", "daedalus", "debug", "scheduler", "util", "vulkan"},
}
ALL_CODECS = PLUGIN / "frame" / "codec.cpp"  # the one file of frame/ that includes codecs
INCLUDE = re.compile(r'^#include ["<]([\w./]+)[">]', re.M)
FOREIGN = re.compile(r"^(vulkan/vulkan|libav\w+/|dav1d/)")


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


def prose_lines(text: str) -> list[tuple[int, str]]:
    """Lines of Markdown that people wrote and may break: no code, no table, nothing generated, links by their text."""
    found, fenced, generated = [], False, ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = GENERATED.fullmatch(line)
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif mark:
            generated = "" if line.startswith("<!-- end") else mark[1]
        elif not fenced and not generated and not line.startswith("|"):
            found.append((number, LINK_TARGET.sub("", line)))
    return found


def wide_lines(path: Path, text: str) -> list[str]:
    if path.is_relative_to(tree.ROOT) and path.relative_to(tree.ROOT).as_posix() in MAY_BE_WIDE:
        return []
    if path.suffix == ".md":
        lines, width = prose_lines(text), PROSE_WIDTH
    elif path.suffix in SOURCE_SUFFIXES or path.name == "meson_options.txt" or is_script(text):
        lines, width = list(enumerate(text.splitlines(), 1)), CODE_WIDTH
    else:
        return []
    return [f"line {number}: {len(line)} columns, at most {width}" for number, line in lines if len(line) > width]


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


def wrong_includes(path: Path, text: str) -> list[str]:
    """Which folder of plugin/ may include which; no Vulkan outside plugin/vulkan, no header of FFmpeg's or dav1d's
    anywhere in it."""
    if not path.is_relative_to(PLUGIN) or path.suffix not in (".h", ".cpp"):
        return []
    folder = path.relative_to(PLUGIN).parts[0]
    allowed = LAYERS.get(folder, set()) | {folder} | ({"av1", "vp9"} if path == ALL_CODECS else set())
    found = []
    for name in INCLUDE.findall(text):
        first = name.split("/")[0]
        foreign = FOREIGN.match(name) and not (folder == "vulkan" and first == "vulkan")
        if foreign or (first in LAYERS.keys() | {"common"} and "/" in name and first not in allowed):
            found.append(f"{folder}/ may not include {name}")
    return found


def series_problems() -> list[str]:
    found = []
    for release, name in ((release, name) for release, pair in sources.RELEASES.items() for name in pair):
        series = sources.RELEASES[release][name][1]
        named = {patch.name for patch in sources.patches_of(name, release)}
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
        for check in (licence_missing, wrong_words, wide_lines, unsorted_lists, wrong_includes):
            problems += [f"{path.relative_to(tree.ROOT)}: {problem}" for problem in check(path, text)]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"check-tree: {len(paths)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
