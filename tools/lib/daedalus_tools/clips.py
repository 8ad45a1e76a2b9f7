# SPDX-License-Identifier: BSD-2-Clause
"""Streams that real encoders make, for machines without the conformance streams; what they have to decode to is what
the encoders' own projects' decoders say."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import console, ivf, paths
from .manifest import Stream

TOOL = paths.ROOT / "tools" / "clips"
FOLDER = paths.BUILD / "clips"
SPEED_FOLDER = paths.BUILD / "clips-speed"
# Of speed.list, by codec and depth.
AT_1080P = {"vp9-8": "vp9-1080p.webm", "vp9-10": "vp9-1080p-10bit.webm", "av1-8": "av1-1080p.ivf",
            "av1-10": "av1-1080p-10bit.ivf"}
REFERENCE = {"vp9": ("vpxdec", "--rawvideo", "--md5"), "av1": ("aomdec", "--rawvideo", "--md5")}


def run_make(table: Path, folder: Path) -> None:
    """Every clip of the table that is not there yet."""
    done = subprocess.run([sys.executable, str(TOOL / "make"), "--list", str(table), "-o", str(folder)])
    if done.returncode:
        console.fail("the clips can't be made")


def make() -> None:
    run_make(TOOL / "clips.list", FOLDER)


def speed(name: str) -> Path:
    """A clip of speed.list: no other one is made, as that takes its time."""
    with tempfile.NamedTemporaryFile("w", suffix=".list") as table:
        table.writelines(line for line in open(TOOL / "speed.list") if line.split()[0] == name)
        table.flush()
        run_make(Path(table.name), SPEED_FOLDER)
    return SPEED_FOLDER / name


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
    lines = (line.split("#")[0].split() for line in (TOOL / "clips.list").read_text().splitlines())
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
