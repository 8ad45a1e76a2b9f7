#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""clang-format 14 over our C and C++, skipped where there is another version or none. With --fix, rewrite the files.
GLSL is left out: clang-format does not know it."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import sources
import tree

MAJOR = 14
FOLDERS = {"plugin", "kernels", "tests", "tools"}


def clang_format() -> str | None:
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        path = shutil.which(name)
        if path:
            shown = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {MAJOR}\.", shown):
                return path
    return None


def below(path: Path, only: list[Path]) -> bool:
    return not only or any(path.is_relative_to(wanted.resolve()) for wanted in only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite what differs")
    parser.add_argument("only", nargs="*", type=Path, metavar="PATH", help="only below these files and folders")
    args = parser.parse_args()
    if args.fix and not args.only:
        parser.error("--fix wants the paths to rewrite, so that no open file changes by accident")
    paths = [str(path) for path in tree.with_suffix(".c", ".cpp", ".h") if not sources.is_new_file(path)
             if path.relative_to(tree.ROOT).parts[0] in FOLDERS and below(path, args.only)]
    if not paths:
        sys.exit("no source found to check")
    program = clang_format()
    if not program:
        print(f"check-format: clang-format {MAJOR} is missing\n0 passed, 0 failed, 1 skipped")
        sys.exit(1 if args.fix else 0)
    how = ["-i"] if args.fix else ["--dry-run", "--Werror"]
    done = subprocess.run([program, "--style=file", *how, *paths])
    verdict = "ok" if done.returncode == 0 else "not formatted as .clang-format says"
    print(f"check-format: {len(paths)} files, {verdict}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
