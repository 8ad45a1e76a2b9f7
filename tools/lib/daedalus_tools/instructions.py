# SPDX-License-Identifier: BSD-2-Clause
"""Instructions that a decode executes on the Raspberry Pi's CPU: the aarch64 build under qemu-user, whose plugin counts
them."""

import bisect
import collections
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import clips, console, decode, ivf, paths

sys.path.insert(0, str(paths.ROOT / "tools" / "v3dsim"))

from cli import environment  # noqa: E402

SOURCES = paths.ROOT / "tools" / "count-src"
PI = paths.BUILD / "pi"
PROGRAM = PI / "obj" / "ffmpeg-patched" / "ffmpeg_g"  # with its symbols
PACKETS = (20, 52)  # from one to the other: two groups of pictures of SVT-AV1
OTHER = "other"
# Runs for the simulated device, not for the decoder: the simulator, the runtime that it shares, and the driver's
# compiler.
SIMULATED = re.compile(r"\[(libv3dsim|libstdc\+\+|libc|libzstd|libvulkan_broadcom|libm)\b")


@dataclass(frozen=True)
class Stage:
    name: str
    functions: re.Pattern


def stages(codec: str) -> list[Stage]:
    rows = (line.split("\t") for line in (SOURCES / "stages.tsv").read_text().splitlines() if line and line[0] != "#")
    return [Stage(name, re.compile(functions)) for of, name, functions in rows if of == codec]


def qemu() -> str:
    """One with plugins: static ones have none."""
    found = shutil.which("qemu-aarch64")
    if not found:
        console.fail("qemu-aarch64 is missing: install Debian's package qemu-user")
    return found


def plugin(folder: Path) -> Path:
    version = int(re.search(r"version (\d+)", subprocess.run([qemu(), "--version"], capture_output=True,
                                                             text=True).stdout)[1])
    built = folder / "count.so"
    # qemu 9 refuses plugins that name the interface's first version; what is used of it didn't change.
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", f"-DPLUGIN_VERSION={1 if version < 9 else 2}", "-o", str(built),
                    str(SOURCES / "plugin.c")], check=True)
    return built


class Symbols:
    """Functions of a program or library, by address in its file."""

    def __init__(self, path: Path):
        out = subprocess.run(["nm", "-nC", "--defined-only", str(path)], capture_output=True, text=True).stdout
        rows = (line.split(None, 2) for line in out.splitlines())
        found = sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW"
                       and row[2][0] != "$")
        self.addresses, self.names = [at for at, _ in found], [name for _, name in found]

    def name(self, address: int) -> str:
        at = bisect.bisect_right(self.addresses, address) - 1
        return self.names[at] if at >= 0 else ""


def sums_of(text: str) -> collections.Counter:
    """Instructions by function; of libraries without symbols by "[library]"."""
    maps, symbols, sums = [], {}, collections.Counter()
    bases: dict[str, int] = {}
    for line in text.splitlines():
        words = line.split()
        if words[0] == "map":
            start, end, offset = (int(word, 16) for word in words[1:4])
            bases.setdefault(words[4], start - offset)
            maps.append((start, end, words[4]))
            continue
        address, count = int(words[0], 16), int(words[1]) * int(words[2])
        path = next((path for start, end, path in maps if start <= address < end), "")
        if path == str(PROGRAM) or "libdaedalus" in path:
            if path not in symbols:
                symbols[path] = Symbols(Path(path))
            prefix = "dd::" if "libdaedalus" in path else ""
            sums[prefix + symbols[path].name(address - bases[path])] += count
        else:
            sums[f"[{Path(path).name.split('.so')[0] or OTHER}]"] += count
    return sums


def count(stream: Path, packets: int, plan: str | None) -> collections.Counter:
    """Of a decode of the first packets and no others: without a plan as stock FFmpeg does, else with the simulated V3D,
    whose jobs end at once."""
    if not PROGRAM.is_file():
        console.fail("the aarch64 build is missing: run tools/v3dsim/v3dsim setup --suites")
    with tempfile.TemporaryDirectory(prefix="dd-count-") as folder:
        out, cut = Path(folder, "counts"), Path(folder, "cut.ivf")
        header, all_packets = ivf.read(ivf.remuxed(stream))
        if len(all_packets) < packets:
            console.fail(f"{stream.name} has {len(all_packets)} packets, not {packets}")
        ivf.write(cut, header, all_packets[:packets])
        hwaccel = ["-hwaccel", "daedalus", "-hwaccel_device", "V3D"] if plan else []
        command, variables = environment.target("arm64", str(PROGRAM)).command(
            [str(PROGRAM), "-nostdin", "-v", "error", "-threads", "1", *hwaccel, "-i", str(cut), "-f", "null", "-"],
            {**decode.clean_environment(), "COUNTS": str(out), "V3DSIM_IDLE": "1", "DAEDALUS_USER_CACHE": "off",
             "DAEDALUS_PLAN": plan or "cpu"})
        counting = [qemu(), "-cpu", "cortex-a76", "-E", f"LD_LIBRARY_PATH={PI / 'install' / 'lib'}", "-plugin",
                    str(plugin(Path(folder)))]
        done = subprocess.run([*counting, *command[1:]], env=variables, capture_output=True, text=True)
        if done.returncode or not out.is_file():
            console.fail(f"the decode ended with {done.returncode}: {done.stderr[-400:]}")
        sums = sums_of(out.read_text())
    return collections.Counter({name: n for name, n in sums.items() if not (plan and SIMULATED.match(name))})


def a_frame(stream: Path, first: int, last: int, plan: str | None) -> collections.Counter:
    """Instructions a packet from `first` to `last`: what a start costs, and what probes decode, is in both runs."""
    whole, start = count(stream, last, plan), count(stream, first, plan)
    return collections.Counter({name: (n - start[name]) / (last - first) for name, n in whole.items()
                                if n > start[name]})


def by_stage(functions: collections.Counter, codec: str) -> collections.Counter:
    rows, sums = stages(codec), collections.Counter()
    for name, n in functions.items():
        sums[next((row.name for row in rows if row.functions.search(name)), OTHER)] += n
    return sums


def of_clip(name: str, plan: str | None) -> collections.Counter:
    """Of one of clips.AT_1080P, by stage."""
    return by_stage(a_frame(clips.speed(clips.AT_1080P[name]), *PACKETS, plan), name.split("-")[0])
