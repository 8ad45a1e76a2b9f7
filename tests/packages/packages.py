#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The packages of tools/package in a fresh root of Debian 13: installed beside the system's FFmpeg, used, upgraded,
purged. Frames have to be the system's own FFmpeg's. Another architecture's run under qemu-user.

The packages are built first where build/package holds none, which takes a quarter of an hour for each architecture on
two cores."""

import argparse
import sys
from pathlib import Path

import root as fresh_root
from daedalus_tools import apt, roots

GPU = "-init_hw_device daedalus=d:llvmpipe,plan=gpu -hwaccel daedalus -hwaccel_device d"


class Checks:
    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, name: str, holds: bool, detail: str = "") -> None:
        self.passed, self.failed = self.passed + holds, self.failed + (not holds)
        if not holds:
            print(f"failed: {name}" + (f": {detail.strip()[-600:]}" if detail else ""), flush=True)


def frames(root: Path, program: str, options: str, path: str) -> tuple[list[str], str]:
    """md5 of every frame, and the log."""
    done = roots.output_of(root, f"{program} -nostdin -v verbose {options} -i {path} -an -f framemd5 -")
    return fresh_root.md5s(done.stdout), done.stderr


def check_programs(checks: Checks, root: Path, streams: list[str]) -> None:
    for path in streams:
        wanted, _ = frames(root, "ffmpeg", "", path)
        checks.check(f"{path} has frames", bool(wanted))
        for program, options, sign in (("ffmpeg-daedalus", GPU, "llvmpipe"), ("daedalus-run ffmpeg", "", "libdaedalus"),
                                       ("ffmpeg-daedalus", "", "")):
            found, log = frames(root, program, options, path)
            checks.check(f"{program} {options}: {path}", found == wanted, log)
            checks.check(f"{program} {options}: {path}: the log says {sign!r}", sign in log, log)


def check_use(checks: Checks, root: Path, stream: str) -> None:
    done = roots.output_of(root, f"ffmpeg-daedalus -nostdin -y -v error {GPU} -i {stream} -vf scale=160:-2 -c:v "
                                 "libvpx-vp9 /run/out.webm"
                                 " && ffprobe-daedalus -v error -show_entries stream=codec_name,width -of csv=p=0 "
                                 "/run/out.webm")
    checks.check("transcodes", done.stdout.strip() == "vp9,160", done.stdout + done.stderr)
    done = roots.output_of(root, "DAEDALUS_DEVICE=llvmpipe DAEDALUS_PLAN=gpu SDL_VIDEODRIVER=dummy ffplay-daedalus -v "
                                 f"error -autoexit -an -hwaccel daedalus {stream}")
    checks.check("plays", done.returncode == 0, done.stderr)
    for name in ("daedalus-run", "daedalus-default", "ffmpeg-daedalus", "ffprobe-daedalus", "ffplay-daedalus"):
        done = roots.output_of(root, f"command -v {name} && {name} {'-h' if name.startswith('ff') else '--help'}")
        checks.check(f"{name} helps", done.returncode == 0, done.stderr)


def has_device_type(root: Path) -> bool:
    return "daedalus" in roots.output_of(root, "ffmpeg -hide_banner -hwaccels").stdout


def check_default(checks: Checks, root: Path) -> None:
    checks.check("the system's ffmpeg is the system's", not has_device_type(root))
    roots.run_in(root, "daedalus-default on")
    checks.check("daedalus-default on", has_device_type(root))
    roots.run_in(root, "dpkg -i /packages/*.deb >/dev/null")
    checks.check("an upgrade leaves the default", has_device_type(root))
    roots.run_in(root, "daedalus-default off")
    checks.check("daedalus-default off", not has_device_type(root))


def check_purge(checks: Checks, root: Path) -> None:
    roots.run_in(root, "daedalus-default on")
    roots.run_in(root, "apt-get -q -y purge 'libdaedalus*' libav-daedalus ffmpeg-daedalus >/dev/null")
    found = [path for path in root.rglob("*daedalus*")
             if not path.is_relative_to(root / "packages") and not path.is_relative_to(root / "run")]
    checks.check("purge leaves nothing", not found, str(found))
    checks.check("the system's ffmpeg works", not has_device_type(root)
                 and roots.output_of(root, "ffmpeg -version").returncode == 0)


def check(checks: Checks, arch: str) -> None:
    with fresh_root.fresh(arch, "ffmpeg", "mesa-vulkan-drivers") as root:
        fresh_root.install(root, "/packages/*.deb")
        found = sorted((root / "streams").rglob("*.*"), key=lambda path: path.stat().st_size)
        if arch != apt.host_architecture():  # which takes its time
            found = [next(path for path in found if path.parent.name == codec) for codec in fresh_root.WANTED]
        streams = [str(Path("/") / path.relative_to(root)) for path in found]
        check_programs(checks, root, streams)
        check_use(checks, root, streams[0])
        check_default(checks, root)
        check_purge(checks, root)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", action="append", choices=("amd64", "arm64"),
                        help="may be repeated (default: this machine's)")
    args = parser.parse_args()
    checks = Checks()
    for arch in args.arch or [apt.host_architecture()]:
        check(checks, arch)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    sys.exit(1 if checks.failed or not checks.passed else 0)


if __name__ == "__main__":
    main()
