#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""clang-format 14 over our C and C++. With --fix, rewrite the files. GLSL is left out: clang-format does not know it."""

import argparse
import re
import shutil
import subprocess
import sys

import tree

MAJOR = 14
FOLDERS = {"plugin", "kernels", "tests", "tools"}


def clang_format() -> str:
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        path = shutil.which(name)
        if path:
            shown = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {MAJOR}\.", shown):
                return path
    sys.exit(f"clang-format {MAJOR} is missing")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite what differs")
    args = parser.parse_args()
    paths = [str(path) for path in tree.with_suffix(".c", ".cpp", ".h")
             if path.relative_to(tree.ROOT).parts[0] in FOLDERS]
    if not paths:
        sys.exit("no source found to check")
    how = ["-i"] if args.fix else ["--dry-run", "--Werror"]
    done = subprocess.run([clang_format(), "--style=file", *how, *paths])
    print(f"check-format: {len(paths)} files, {'ok' if done.returncode == 0 else 'not formatted as .clang-format says'}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
