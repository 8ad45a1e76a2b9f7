#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Variables that only tests set are known to a library with test hooks, and to none without: hooks.py WITH WITHOUT."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import hooks


def main() -> None:
    known, left = (hooks.known_to(Path(library)) for library in sys.argv[1:3])
    missing = hooks.all_names() - known
    for name in sorted(missing):
        print(f"failed: {name} isn't known to {sys.argv[1]}")
    for name in sorted(left):
        print(f"failed: {name} is known to {sys.argv[2]}")
    sys.exit(1 if left or missing or not known else 0)


if __name__ == "__main__":
    main()
