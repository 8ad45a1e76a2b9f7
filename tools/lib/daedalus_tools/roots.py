# SPDX-License-Identifier: BSD-2-Clause
"""Roots of Debian releases that debootstrap makes, and commands in them. Needs root, debootstrap, and a mirror among
this machine's apt sources."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import apt, console

# Mounts end with the name space, whatever becomes of the command. Processes have other numbers in theirs: so has its
# /proc.
IN_ROOT = """\
set -e
mount -t proc proc {root}/proc
mount --rbind /sys {root}/sys
mount --rbind /dev {root}/dev
exec chroot {root} /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
DEBIAN_FRONTEND=noninteractive sh -c {command}
"""


def need() -> None:
    if os.geteuid() or not shutil.which("debootstrap"):
        console.fail("this needs root and debootstrap")


def say_and_run(command: list[str]) -> int:
    console.say(shlex.join(command))
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode


# What an aarch64 program of Linux begins with: ELF, 64 bits, little endian, ET_EXEC or ET_DYN, EM_AARCH64.
AARCH64_MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
AARCH64_MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
BINFMT = Path("/proc/sys/fs/binfmt_misc")


@contextmanager
def programs_of(arch: str) -> Iterator[None]:
    """The kernel runs programs of the architecture with qemu-user: of the whole machine, until the end. Where it does
    already, that is used."""
    if arch == apt.host_architecture() or (BINFMT / "qemu-aarch64").exists():
        yield
        return
    qemu = shutil.which("qemu-aarch64-static")
    if arch != "arm64" or not qemu:
        console.fail(f"programs of {arch} need qemu-user-static")
    mounted = not (BINFMT / "register").exists()
    if mounted:
        subprocess.run(["mount", "-t", "binfmt_misc", "none", str(BINFMT)], check=True)
    try:
        # F: also in other roots
        (BINFMT / "register").write_text(f":dd-aarch64:M::{AARCH64_MAGIC}:{AARCH64_MASK}:{qemu}:F")
        yield
    finally:
        (BINFMT / "dd-aarch64").write_text("-1")
        if mounted:
            subprocess.run(["umount", str(BINFMT)])


def make(suite: str, root: Path, arch: str = "") -> None:
    for_arch = ["--arch", arch] if arch else []
    if say_and_run(["debootstrap", "--variant=minbase", *for_arch, suite, str(root), apt.system_mirror()]):
        console.fail(f"debootstrap can't make a root of {suite}")
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")


def _isolated(root: Path, command: str) -> list[str]:
    script = IN_ROOT.format(root=shlex.quote(str(root)), command=shlex.quote(command))
    return ["unshare", "--mount", "--pid", "--fork", "sh", "-c", script]


def run_in(root: Path, command: str) -> int:
    console.say(f"in {root.name}: {command}")
    return subprocess.run(_isolated(root, command), stdin=subprocess.DEVNULL).returncode


def output_of(root: Path, command: str, timeout: float = 600) -> subprocess.CompletedProcess:
    """stdout and stderr apart, as text."""
    return subprocess.run(_isolated(root, command), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=timeout)
