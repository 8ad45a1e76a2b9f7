#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""README's commands on a fresh Debian: a root by debootstrap, a clean clone of this tree in it, tools/quickstart and
tools/test --quick there. Needs root, debootstrap and a mirror among this machine's apt sources."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, paths, roots

COMMANDS = ("tools/quickstart", "tools/test --quick")
CLONE = "daedalus"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="*", default=["bookworm", "trixie"],
                        help="Debian releases (default: bookworm trixie)")
    parser.add_argument("--command", action="append", help="instead of README's; may be given more than once")
    parser.add_argument("--folder", type=Path, help="where the roots lie (default: a temporary one)")
    parser.add_argument("--keep", action="store_true", help="leave the roots there")
    return parser.parse_args()


def make_root(suite: str, root: Path) -> None:
    roots.make(suite, root)
    if roots.say_and_run(["git", "clone", "-q", str(paths.ROOT), str(root / CLONE)]):
        console.fail("the tree can't be cloned")
    cache = paths.ROOT / "subprojects" / "packagecache"
    if cache.is_dir():  # what is there needn't be fetched
        shutil.copytree(cache, root / CLONE / "subprojects" / "packagecache")


def try_suite(suite: str, root: Path, commands: list[str]) -> list[str]:
    """The commands that fail."""
    make_root(suite, root)
    return [command for command in commands if roots.run_in(root, f"cd /{CLONE} && {command}")]


def main() -> None:
    args = parse()
    roots.need()
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
