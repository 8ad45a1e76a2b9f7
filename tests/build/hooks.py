#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Variables that only tests set are known to a library with test hooks, and to none without: hooks.py WITH WITHOUT."""

import re
import sys
from pathlib import Path

HOOKS = {b"DAEDALUS_FAULT", b"DAEDALUS_LIMITS", b"DAEDALUS_MEMORY", b"DAEDALUS_OPEN_LATE", b"DAEDALUS_SAVE_BATCH", b"DAEDALUS_SEED", b"DAEDALUS_TIMEOUT_MS"}


def named(library: str) -> set[bytes]:
    return set(re.findall(rb"DAEDALUS_[A-Z_]+", Path(library).read_bytes())) & HOOKS


def main() -> None:
    with_hooks, without = named(sys.argv[1]), named(sys.argv[2])
    for missing in sorted(HOOKS - with_hooks):
        print(f"failed: {missing.decode()} isn't known to {sys.argv[1]}")
    for left in sorted(without):
        print(f"failed: {left.decode()} is known to {sys.argv[2]}")
    sys.exit(1 if without or with_hooks != HOOKS else 0)


if __name__ == "__main__":
    main()
