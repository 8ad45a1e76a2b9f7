#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""README's commands on a fresh Debian: a root by debootstrap, a clean clone of this tree in it, tools/quickstart and tools/test
--quick there. Needs root, debootstrap and a mirror among this machine's apt sources."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import apt, console, paths

COMMANDS = ("tools/quickstart", "tools/test --quick")
CLONE = "daedalus"
# Mounts end with the name space, whatever becomes of the command. Processes have other numbers in theirs: so has its
# /proc.
IN_ROOT = """\
set -e
mount -t proc proc {root}/proc
mount --rbind /sys {root}/sys
mount --rbind /dev {root}/dev
exec chroot {root} /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 sh -c {command}
"""


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="*", default=["bookworm", "trixie"], help="Debian releases (default: bookworm trixie)")
    parser.add_argument("--command", action="append", help="instead of README's; may be given more than once")
    parser.add_argument("--folder", type=Path, help="where the roots lie (default: a temporary one)")
    parser.add_argument("--keep", action="store_true", help="leave the roots there")
    return parser.parse_args()


def say_and_run(command: list[str]) -> int:
    console.say(shlex.join(command))
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode


def make_root(suite: str, root: Path) -> None:
    if say_and_run(["debootstrap", "--variant=minbase", suite, str(root), apt.system_mirror()]):
        console.fail(f"debootstrap can't make a root of {suite}")
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    if say_and_run(["git", "clone", "-q", str(paths.ROOT), str(root / CLONE)]):
        console.fail("the tree can't be cloned")
    cache = paths.ROOT / "subprojects" / "packagecache"
    if cache.is_dir():  # what is there needn't be fetched
        shutil.copytree(cache, root / CLONE / "subprojects" / "packagecache")


def run_in(root: Path, command: str) -> int:
    script = IN_ROOT.format(root=shlex.quote(str(root)), command=shlex.quote(f"cd /{CLONE} && {command}"))
    return say_and_run(["unshare", "--mount", "--pid", "--fork", "sh", "-c", script])


def try_suite(suite: str, root: Path, commands: list[str]) -> list[str]:
    """The commands that fail."""
    make_root(suite, root)
    return [command for command in commands if run_in(root, command)]


def main() -> None:
    args = parse()
    if os.geteuid() or not shutil.which("debootstrap"):
        console.fail("this needs root and debootstrap")
    commands = args.command or list(COMMANDS)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="dd-fresh-", dir=args.folder) as scratch:
        for suite in args.suite:
            root = Path(args.folder or scratch, suite)
            bad = try_suite(suite, root, commands)
            for command in bad:
                print(f"failed: {suite}: {command}")
            failed += len(bad)
            if not args.keep:
                shutil.rmtree(root)
    total = len(args.suite) * len(commands)
    print(f"{total - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
