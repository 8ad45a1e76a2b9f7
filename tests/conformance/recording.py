#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What recording for V3D costs the Raspberry Pi's CPU, by what parsing costs: instructions of a 1080p clip of each
codec, counted under qemu-user (tools/count). The limits are generous: they are for what is done by mistake."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import forecast_model, instructions

MOST = {"vp9-8": 0.35, "av1-8": 0.15}


def main() -> None:
    failed = 0
    for name, most in MOST.items():
        sums = instructions.of_clip(name, "gpu")
        records, serial = (sum(sums[stage] for stage in stages)
                           for stages in (forecast_model.RECORDS, forecast_model.SERIAL))
        share = records / serial
        failed += share > most
        print(f"{name}: recording is {share:.2f} of parsing, at most {most}: {'failed' if share > most else 'ok'}",
              flush=True)
    print(f"{len(MOST) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
