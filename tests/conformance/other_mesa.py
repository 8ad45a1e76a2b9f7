#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every pinned Mesa but the default one: its arm64 driver over the simulated V3D 7.1 decodes short VP9 streams
exactly."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
V3DSIM = ROOT / "tools" / "v3dsim" / "v3dsim"
PINS = json.loads((ROOT / "tools" / "v3dsim" / "routes" / "pins.json").read_text())


def check(mesa: str) -> bool:
    print(f"Mesa {mesa}:", flush=True)
    if subprocess.run([V3DSIM, "setup", "--route", "arm64", "--mesa", mesa]).returncode:
        return False
    return subprocess.run([sys.executable, ROOT / "tests/conformance/matrix.py", "pi", "--only", "gpu", "--",
                           "--simulated", mesa]).returncode == 0


def main() -> None:
    results = [check(mesa) for mesa in PINS["mesa"] if mesa != PINS["default"]]
    print(f"{results.count(True)} passed, {results.count(False)} failed, 0 skipped")
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
