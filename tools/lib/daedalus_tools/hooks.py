# SPDX-License-Identifier: BSD-2-Clause
"""Variables that only tests set. A library knows them where it was built with -Dtest_hooks=true."""

import functools
import re
from pathlib import Path

from . import console, paths

CALL = re.compile(r'test_hook(?:_number)?\("(DAEDALUS_[A-Z_]+)"')
NAME = re.compile(rb"DAEDALUS_[A-Z_]+")


@functools.cache
def all_names() -> frozenset[str]:
    """Those that the plugin's sources ask for."""
    return frozenset(name for path in (paths.ROOT / "plugin").rglob("*.*") for name in CALL.findall(path.read_text()))


@functools.cache
def known_to(library: Path) -> frozenset[str]:
    return frozenset(name.decode() for name in NAME.findall(library.read_bytes())) & all_names()


def check(program: Path, environment: dict[str, str]) -> None:
    """Ends the tool where the environment has hooks that the program's library doesn't know: they would do nothing."""
    wanted = all_names() & environment.keys()
    library = program.resolve().parent.parent / "lib" / "libdaedalus.so"
    if wanted and library.is_file() and (unknown := wanted - known_to(library)):
        console.fail(f"{library} doesn't know {', '.join(sorted(unknown))}: build it with -Dtest_hooks=true, as "
                     "tools/setup does")
