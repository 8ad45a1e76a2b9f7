# SPDX-License-Identifier: BSD-2-Clause
"""Streams that real encoders make, for machines without the conformance streams; what they have to decode to is what
the encoders' own projects' decoders say."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import console, ivf, paths
from .manifest import Stream

FOLDER = paths.BUILD / "clips"
REFERENCE = {"vp9": ("vpxdec", "--rawvideo", "--md5"), "av1": ("aomdec", "--rawvideo", "--md5")}


def make() -> None:
    """Every clip of the list that is not there yet."""
    clips = paths.ROOT / "tools" / "clips"
    done = subprocess.run([sys.executable, str(clips / "make"), "--list", str(clips / "clips.list"), "-o", str(FOLDER)])
    if done.returncode:
        console.fail("the clips can't be made")


def reference_md5(path: Path, codec: str) -> str:
    """By the reference decoder; "" where it isn't installed."""
    program = shutil.which(REFERENCE[codec][0])
    if not program:
        console.say(f"{REFERENCE[codec][0]} is missing: {path.name} is compared with stock FFmpeg only")
        return ""
    done = subprocess.run([program, *REFERENCE[codec][1:], str(ivf.with_frame_rate(path))], capture_output=True,
                          text=True)
    found = re.match(r"[0-9a-f]{32}\b", done.stdout)
    if done.returncode or not found:
        console.fail(f"{program} can't decode {path}: {done.stderr.strip()[-200:]}")
    return found.group(0)


def sizes() -> dict[str, str]:
    """Width and height of every clip, by its name."""
    lines = (line.split("#")[0].split() for line in (paths.ROOT / "tools" / "clips" / "clips.list").read_text().splitlines())
    return {words[0]: words[words.index("--size") + 1] if "--size" in words else "352x288" for words in lines if words}


def streams(codec: str | None = None) -> list[Stream]:
    make()
    found, size_of = [], sizes()
    for path in sorted(FOLDER.iterdir()):
        kind = path.name.split("-")[0]
        if kind in REFERENCE and codec in (None, kind):
            found.append(Stream(path, path.name, tier="core", codec=kind, size=size_of.get(path.name, ""),
                                md5=reference_md5(path, kind),
                                md5_by=" ".join(REFERENCE[kind])))
    return found
