# SPDX-License-Identifier: BSD-2-Clause
"""A root of Debian 13 with what a test needs, and streams in it."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, manifest, paths, roots  # noqa: E402

SUITE = "trixie"
STREAMS = "/streams"
PACKAGES = paths.BUILD / "package"
# Small ones with what players trip over: 10 bits, odd sizes, hidden frames, sizes that change.
WANTED = {
    "vp9": ("test-25fps.vp9", "vp90-2-05-resize.ivf", "vp90-2-11-size-351x287.webm", "vp92-2-20-10bit-yuv420.webm",
            "vp90-2-14-resize-fp-tiles-1-8.webm", "vp90-2-21-resize_inter_320x180_5_1-2.webm"),
    "av1": ("test-25fps.av1.ivf", "309_odd_width.ivf", "av1-1-b8-06-mfmv.ivf", "av1-1-b10-23-film_grain-50.ivf",
            "film_grain.mp4", "switch_frame.mp4"),
}


def streams_of(codec: str) -> list[Path]:
    """The wanted ones, or where they aren't there, clips."""
    found = [stream.path for stream in manifest.find([], codec=codec, tier="core")]
    wanted = [path for path in found if path.name in WANTED[codec]]
    return wanted or found[:6]


def packages(arch: str) -> list[Path]:
    """What tools/package makes; built where they aren't there yet."""
    def present() -> list[Path]:
        return [path for path in sorted(PACKAGES.glob(f"*_{arch}.deb")) if "-dbgsym_" not in path.name]
    if not present() and subprocess.run([str(paths.ROOT / "tools" / "package"), "--arch", arch]).returncode:
        console.fail(f"the packages for {arch} can't be built", 1)
    return present()


def md5s(output: str) -> list[str]:
    """The last word of each line that has one of 32 hexadecimal digits."""
    words = (line.split()[-1] for line in output.splitlines() if line.strip() and not line.startswith("#"))
    return [word for word in words if len(word) == 32 and not set(word) - set("0123456789abcdef")]


def install(root: Path, *packages: str) -> None:
    command = f"apt-get -q update && apt-get -q -y install --no-install-recommends {' '.join(packages)}"
    if roots.run_in(root, command):
        console.fail(f"can't install {' '.join(packages)}", 1)


@contextmanager
def fresh(arch: str, *names: str) -> Iterator[Path]:
    """With the system's packages of these names, Daedalus's in /packages, and the streams."""
    roots.need()
    built = packages(arch)
    with roots.programs_of(arch), tempfile.TemporaryDirectory(prefix="dd-root-") as folder:
        root = Path(folder, f"{SUITE}-{arch}")
        roots.make(SUITE, root, arch)
        install(root, *names)
        (root / "packages").mkdir()
        for package in built:
            shutil.copy(package, root / "packages")
        for codec in WANTED:
            target = root / STREAMS.lstrip("/") / codec
            target.mkdir(parents=True)
            for path in streams_of(codec):
                shutil.copy(path, target)
        yield root
