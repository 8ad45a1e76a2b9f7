#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Decode one stream with the stock and the patched program: same frames, how fast, what ran where."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import paths, statistics  # noqa: E402
# noqa: E402
from daedalus_tools.decode import AS_DECODED, Decoded, Offload, Threads, clean_environment, command, decode
from daedalus_tools.console import say  # noqa: E402
from daedalus_tools.log_lines import speaks_of_us  # noqa: E402

CLIP = paths.BUILD / "clips" / "quickstart.webm"
OFFLOADED = {"vp9", "av1"}


@dataclass(frozen=True)
class Result:
    decoded: Decoded
    fps: float


def stop(text: str) -> None:
    say(text)
    sys.exit(1)


def stream() -> Path:
    if len(sys.argv) > 1:
        return Path(sys.argv[1]).resolve()
    if not CLIP.is_file():
        say("Making a VP9 clip with vpxenc …")
        made = subprocess.run([str(ROOT / "tools" / "clips" / "make"), "--codec", "vp9", "--size", "352x288",
                               "--frames", "90", "-o", str(CLIP)])
        if made.returncode:
            stop("The clip could not be made.")
    return CLIP


def real_gpu() -> bool:
    shown = subprocess.run(["vulkaninfo", "--summary"], capture_output=True, text=True)
    kinds = re.findall(r"deviceType\s*=\s*PHYSICAL_DEVICE_TYPE_(\w+)", shown.stdout)
    return any(kind != "CPU" for kind in kinds)


def probe(path: Path) -> tuple[str, str]:
    """Codec and size of the first video stream."""
    shown = subprocess.run([str(paths.STOCK.with_name("ffprobe")), "-v", "error", "-select_streams", "v:0",
                            "-show_entries", "stream=codec_name,width,height,pix_fmt", "-of", "csv=p=0", str(path)],
                           capture_output=True, text=True)
    if shown.returncode or not shown.stdout.strip():
        stop(f"{path} holds no video that this FFmpeg reads. {shown.stderr.strip()}")
    codec, width, height, pixels = shown.stdout.strip().splitlines()[0].split(",")[:4]
    return codec, f"{width}x{height} {pixels}"


def seconds_of(program: Path, path: Path, threads: Threads, offload: Offload | None) -> float:
    """A run that does nothing but decode."""
    arguments = command(program, path, threads, offload, "error", [], [*AS_DECODED, "-f", "null", "-"])
    environment = {**clean_environment(), **(offload.environment() if offload else {})}
    start = time.monotonic()
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    if done.returncode:
        stop(f"{program} failed:\n{done.stderr}")
    return time.monotonic() - start


def run(program: Path, path: Path, offload: Offload | None) -> Result:
    threads = Threads(os.cpu_count() or 1)
    decoded = decode(program, path, threads=threads, offload=offload, timeout=3600)
    if decoded.exit_code or not decoded.frames:
        stop(f"{decoded.log[-2000:]}\n{program} failed with {decoded.exit_code}")
    return Result(decoded, len(decoded.frames) / seconds_of(program, path, threads, offload))


def lines_about(log: str) -> list[str]:
    """What the plugin said, each line once, without FFmpeg's prefixes."""
    own = (line for line in log.splitlines() if speaks_of_us(line) and "configuration:" not in line)
    return list(dict.fromkeys(re.sub(r"^(\[[^\]]*\] ?)+", "", line) for line in own))


def show(name: str, result: Result) -> None:
    print(f"{name:<10} {len(result.decoded.frames)} frames, md5 {result.decoded.md5}, {result.fps:8.1f} frames/s")


def missing_on_gpu(log: str, strict: bool) -> list[str]:
    """Why the log does not show the GPU's work. `strict`: the stream is known to have work for every stage."""
    found = statistics.parse(log)
    if not found:
        return ["the closing statistics are missing"]
    problems = statistics.wrong_place(found, "gpu")
    if found.given_up:
        problems.append("the GPU was given up")
    if not found.gpu_frames:
        problems.append("no frame had work on the GPU")
    if strict:
        problems += [f"nothing of {stage} ran on the GPU" for stage in statistics.VP9_STAGES
                     if stage not in found.stages or not found.stages[stage].gpu_blocks]
    return problems


def main() -> None:
    path = stream()
    codec, picture = probe(path)
    offload = Offload(device="auto" if real_gpu() else "llvmpipe", plan="gpu")
    say(f"Decoding {paths.shown(path)} ({codec} {picture}) with stock FFmpeg …")
    stock = run(paths.STOCK, path, None)
    say(f"… and with -hwaccel daedalus, device {offload.device}, every stage on the GPU …")
    ours = run(paths.PATCHED, path, offload)

    print()
    show("stock", stock)
    show("daedalus", ours)
    print("\nWhat ran where:")
    for line in lines_about(ours.decoded.log):
        print(f"  {line}")
    print()
    if codec not in OFFLOADED:
        print(f"{codec} is not offloaded: FFmpeg decoded it as ever.")
    if [stock.decoded.frames, stock.decoded.md5] != [ours.decoded.frames, ours.decoded.md5]:
        stop("NOT EQUAL: the frames differ from stock FFmpeg's. Please report this with the file.")
    problems = missing_on_gpu(ours.decoded.log, path == CLIP) if codec in OFFLOADED else []
    if problems:
        stop("The frames are equal, but: " + "; ".join(problems))
    print("Equal: every frame is bit by bit stock FFmpeg's.")
    print(f"Next: {paths.shown(paths.PATCHED)} -hwaccel daedalus -i YOUR.webm -f null -   or   tools/test")


if __name__ == "__main__":
    main()
