#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What decoding takes of memory. At 1080p: all that the plugin allocates, and what stock FFmpeg's own peak adds to it,
in bounds. Over a longer play with jumps to key frames: the peak grows no more than stock's does, and a steady stream
creates no Vulkan object, allocates no device memory and next to nothing on the heap. --long plays 2000 frames with 50
jumps and compares with frame 500."""

import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import console, decode, ivf, paths

BUILD = paths.BUILD / "tests" / "memory"
LIBRARY = paths.BUILD / "plugin" / "libdaedalus.so"
CLIPS = paths.BUILD / "clips-memory"
MIB = 1024 * 1024
# Of the plugin's own allocations at 1080p, by codec and threads: what they are with llvmpipe (25.8, 29.6, 44.1 and
# 42.5), and a little.
MOST_OWN = {("vp9", 1): 28 * MIB, ("vp9", 4): 32 * MIB, ("av1", 1): 47 * MIB, ("av1", 4): 47 * MIB}
SLACK_KIB = 6 * 1024     # of peaks: allocators give back when they like
HANDLES = 2.0            # heap allocations a frame: the handle of its picture, and now and then a list that grows late
HEAP_GROWTH = 0.05       # of what lives on the heap: streams of records find their sizes late
SIZES = {"1080p": ("1920x1080", 5000), "small": ("352x288", 800)}
# Frames: pages are touched, small lists find their size. With many threads the latter takes until the second mark.
LONG = (500, 1400, 2000)
ENCODERS = {"vp9": ("vp9", "webm", ["--kf-max-dist=20"]), "av1": ("svt", "ivf", ["--keyint", "19"])}


@dataclass(frozen=True)
class Play:
    codec: str
    size: str
    threads: int
    marks: tuple[int, ...]
    jump_every: int = 0

    def __str__(self) -> str:
        return f"{self.codec} {self.size}, {self.threads} threads, {self.marks[-1]} frames" + (
            f", a jump every {self.jump_every}" if self.jump_every else "")


class Wrong(Exception):
    pass


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--codec", action="append", choices=ENCODERS)
    parser.add_argument("--long", action="store_true", help="2000 frames, 50 jumps")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all figures")
    return parser.parse_args()


def clip(codec: str, size: str) -> Path:
    encoder, suffix, options = ENCODERS[codec]
    pixels, kbps = SIZES[size]
    made = CLIPS / f"{codec}-{size}.{suffix}"
    if not made.is_file():
        subprocess.run([sys.executable, str(paths.ROOT / "tools" / "clips" / "make"), "--codec", encoder,
                        "--size", pixels, "--frames", "40", "--cut", "100", "--kbps", str(kbps), "--seed", "5",
                        "-o", str(made), "--", *options], check=True)
    return ivf.remuxed(made)


def run(play: Play, device: str) -> list[dict]:
    """What the program says at each mark; no device: stock."""
    program = BUILD / ("play" if device else "play_stock")
    command = [str(program), str(clip(play.codec, play.size)), "--threads", str(play.threads),
               "--jump-every", str(play.jump_every)]
    for mark in play.marks:
        command += ["--mark", str(mark)]
    environment = decode.clean_environment()
    if device:
        command += ["--device", device]
        environment |= {"DAEDALUS_PLAN": "gpu", "VK_ADD_LAYER_PATH": str(BUILD),
                        "VK_INSTANCE_LAYERS": "VK_LAYER_DAEDALUS_census"}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, timeout=3600)
    if done.returncode:
        raise Wrong(f"{program.name} ends with {done.returncode}: {done.stderr.strip()[-300:]}")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    if len(said) != len(play.marks):
        raise Wrong(f"{program.name} says {len(said)} lines instead of {len(play.marks)}")
    if device and not (said[-1]["device_memory"]["calls"] and said[-1]["heap"]["calls"]):
        raise Wrong("the census has counted nothing")
    return said


def check_census(said: dict) -> None:
    """The layer watches all that the plugin can make, and the heap's part all that it calls."""
    source = (paths.ROOT / "plugin" / "vulkan" / "api.h").read_text()
    device = source[source.index("#define DD_VK_DEVICE"):]
    missing = {f"vk{name}" for name in re.findall(r"F\(((?:Create|Allocate)\w+)\)", device)} - set(said["vulkan_sites"])
    asks = subprocess.run(["nm", "-D", "--undefined-only", str(LIBRARY)], check=True, capture_output=True,
                          text=True).stdout
    missing |= set(re.findall(r"\b(malloc|reallocarray|posix_memalign|memalign|valloc|strdup|strndup)@", asks))
    if missing:
        raise Wrong(f"the census doesn't watch {', '.join(sorted(missing))}")


def bounded(args: argparse.Namespace, play: Play, figures: list[dict]) -> str:
    said = run(play, args.device)
    stock = run(play, "")
    check_census(said[-1])
    figures.append({"play": str(play), "daedalus": said, "stock": stock})
    last = said[-1]
    own = last["heap"]["peak"] + last["device_memory"]["peak"]
    text = (f"own allocations {own / MIB:.1f} MiB (heap {last['heap']['peak'] / MIB:.1f}, device memory "
            f"{last['device_memory']['peak'] / MIB:.1f}); peak {last['peak_kib'] / 1024:.0f} MiB with the driver, "
            "stock "
            f"{stock[-1]['peak_kib'] / 1024:.0f}")
    most = MOST_OWN[play.codec, play.threads]
    if own > most:
        raise Wrong(f"{text}: more than {most / MIB:.0f}")
    return text


def growth(said: list[dict]) -> int:
    return said[-1]["peak_kib"] - said[0]["peak_kib"]


def own_growth(said: list[dict]) -> float:
    """Between the last two marks."""
    first, last = (mark["heap"]["live"] + mark["device_memory"]["live"] for mark in said[-2:])
    return last / first - 1


def flat(args: argparse.Namespace, play: Play, figures: list[dict]) -> str:
    said, stock = run(play, args.device), run(play, "")
    figures.append({"play": str(play), "daedalus": said, "stock": stock})
    text = (f"peak grows by {growth(said)} KiB from frame {play.marks[0]} to {play.marks[-1]} with {said[-1]['jumps']} "
            "jumps, "
            f"stock's by {growth(stock)}; what it holds by {100 * own_growth(said):+.1f} % "
            f"from frame {play.marks[-2]} on")
    if play.jump_every and not said[-1]["jumps"]:
        raise Wrong("there was no jump")
    if growth(said) - max(growth(stock), 0) > SLACK_KIB or (args.long and own_growth(said) > HEAP_GROWTH):
        raise Wrong(text)
    return text


def window(warm: dict, last: dict) -> tuple[bool, str]:
    made = {name: calls - warm["vulkan_sites"][name][0] for name, (calls, _) in last["vulkan_sites"].items()
            if calls != warm["vulkan_sites"][name][0]}
    frames = last["frames"] - warm["frames"]
    each = (last["heap"]["calls"] - warm["heap"]["calls"]) / frames
    grown = last["heap"]["live"] / warm["heap"]["live"] - 1
    text = (f"frames {warm['frames']} to {last['frames']}: Vulkan objects {made or 'none'}, "
            f"heap {each:.2f} calls a frame, {100 * grown:+.1f} %")
    return not made and each <= HANDLES and grown <= HEAP_GROWTH, text


def steady(args: argparse.Namespace, play: Play, figures: list[dict]) -> str:
    """What a frame costs shows in every window; that a pool meets its largest need late, with many threads, does
    not."""
    said = run(play, args.device)
    figures.append({"play": str(play), "daedalus": said})
    windows = [window(warm, last) for warm, last in zip(said, said[1:])]
    calm = [text for good, text in windows if good]
    if not calm:
        raise Wrong("; ".join(text for _, text in windows))
    return calm[-1]


def plays(args: argparse.Namespace) -> list[tuple]:
    for codec in args.codec or ENCODERS:
        for threads in (1, 4):
            yield bounded, Play(codec, "1080p", threads, (40,))
            warm = 300 if threads == 1 else 1200  # each frame in flight has to meet the largest one, for each worker
            yield steady, Play(codec, "small", threads, (warm, warm + 100, warm + 200, warm + 300))
            if args.long:
                yield flat, Play(codec, "small", threads, LONG, jump_every=40)
            else:
                yield flat, Play(codec, "small", threads, (100, 300), jump_every=20)
        if args.long:
            yield flat, Play(codec, "1080p", 1, LONG, jump_every=40)


def main() -> None:
    args = parse()
    for name in ("play", "play_stock", "libcensus.so", "census_layer.json"):
        if not (BUILD / name).is_file():
            console.fail(f"{BUILD / name} is not built: run tools/setup first")
    passed, failed, figures = 0, 0, []
    for test, play in plays(args):
        try:
            print(f"passed: {test.__name__}: {play}: {test(args, play, figures)}", flush=True)
            passed += 1
        except Wrong as wrong:
            print(f"failed: {test.__name__}: {play}: {wrong}", flush=True)
            failed += 1
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
