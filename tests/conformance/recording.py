#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What recording for V3D costs the Raspberry Pi's CPU, by what parsing costs: instructions of a 1080p clip of each codec, counted under
qemu-user (tools/count). The limits are generous: they are for what is done by mistake."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import console, instructions, paths

CLIPS = {"vp9": "vp9-1080p.webm", "av1": "av1-1080p.ivf"}
PACKETS = (20, 52)
PARSING = ("coefficients", "modes, vectors", "modes", "vectors of references", "deblocking masks")
MOST = {"vp9": 0.35, "av1": 0.15}


def clip(name: str) -> Path:
    folder = paths.BUILD / "clips-speed"
    if not (folder / name).is_file():
        clips = ROOT / "tools" / "clips"
        done = subprocess.run([sys.executable, str(clips / "make"), "--list", str(clips / "speed.list"), "-o", str(folder)])
        if done.returncode:
            console.fail("the clips can't be made")
    return folder / name


def main() -> None:
    failed = 0
    for codec, name in CLIPS.items():
        sums = instructions.by_stage(instructions.a_frame(clip(name), *PACKETS, "gpu"), codec)
        recording = sum(n for stage, n in sums.items() if stage.startswith("recording"))
        share = recording / sum(sums[stage] for stage in PARSING)
        failed += share > MOST[codec]
        print(f"{codec}: recording is {share:.2f} of parsing, at most {MOST[codec]}: {'failed' if share > MOST[codec] else 'ok'}", flush=True)
    print(f"{len(CLIPS) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
