#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Frames that need no copy on their way to a display: decoders with a DRM device, over the simulated V3D 7.1 and its
dma-heap. Every frame's descriptor is checked and its pixels are read through the file that it names, when it comes and
when it is given back; they have to be stock FFmpeg's. Frames of other formats, and without a dma-heap, are ordinary."""

import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import decoded
from daedalus_tools import console, decode, ivf, manifest, paths

SIMULATOR = [str(paths.ROOT / "tools" / "v3dsim" / "v3dsim"), "run", "--"]
PROGRAM = paths.BUILD / "tests" / "stress" / "decode_list"
STOCK = paths.BUILD / "tests" / "stress" / "decode_list_stock"
DRM = ["-init_hw_device", "drm=d:/dev/null", "-hwaccel", "drm", "-hwaccel_device", "d"]  # the simulator answers for it
MOST_FRAMES = 30
MOST_FILES = 160
EXPORTED = ("yuv420p", "yuv420p10le")


@dataclass(frozen=True)
class Case:
    name: str
    stream: Path
    plan: str = "gpu"
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    simulated: bool = True
    repeat: int = 1


def is_wanted(stream: manifest.Stream) -> bool:
    width, _, height = stream.size.partition("x")
    return not height or (int(width) * int(height) <= 352 * 288 and int(stream.frames or 0) <= MOST_FRAMES)


def is_exported(stream: manifest.Stream) -> bool:
    """By its format in the manifest; of clips, by the name."""
    words = stream.format.split()
    return words[-1] in EXPORTED if words else not re.search(r"4[24][024]|12bit|lossless", stream.name)


def streams_of(codec: str) -> list[Path]:
    """The smallest of each pixel format; of those that are exported, which come first, two."""
    found: dict[tuple, list[manifest.Stream]] = {}
    for stream in sorted(manifest.find([], codec=codec, tier="core"), key=lambda s: s.path.stat().st_size):
        if is_wanted(stream):
            found.setdefault((not is_exported(stream), stream.bit_depth(), stream.format), []).append(stream)
    return [ivf.remuxed(stream.path) for key in sorted(found) for stream in found[key][:1 if key[0] else 2]]


def is_deep(stream: Path) -> bool:
    done = subprocess.run([paths.STOCK.with_name("ffprobe"), "-v", "error", "-select_streams", "v:0", "-show_entries",
                           "stream=pix_fmt", "-of", "csv=p=0", stream], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "yuv420p10le"


def cases_of(streams: list[Path], deep: Path) -> list[Case]:
    cases = [Case(f"plan {plan}, {threads} threads", stream, plan, ("--threads", threads, "--perturb", "7"))
             for stream in streams for plan, threads in (("gpu", "1"), ("cpu", "4"), ("auto", "4"), ("random", "4"))]
    first = streams[0]
    return [*cases,
            *(Case(f"P010, plan {plan}", deep, plan, ("--threads", "4", "--perturb", "7"), {"DAEDALUS_P010": "1"})
              for plan in ("gpu", "cpu")),
            Case("P010, the GPU fails", deep, environment={"DAEDALUS_P010": "1", "DAEDALUS_FAULT": "submit:3"}),
            Case("8 bits, where 10 would be P010", first, environment={"DAEDALUS_P010": "1"}),
            Case("the GPU comes late", first, environment={"DAEDALUS_OPEN_LATE": "30"}),
            *(Case(f"the GPU fails, {fault}", first, environment={"DAEDALUS_FAULT": fault})
              for fault in ("submit:3", "wait:3", "lost:5", "sync:4", "sync:9")),
            Case("no GPU", first, environment={"DAEDALUS_DEVICE": "cpu"}),
            Case("a heap is full", first, environment={"V3DSIM_FULL_HEAP": "vidbuf_cached"}),
            Case("many frames, few files", first, "cpu", ("--threads", "2", "--perturb", "3"), repeat=100),
            Case("no dma-heap", first, simulated=False, environment={"DAEDALUS_DEVICE": "llvmpipe"})]


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))


def decode_list(program: Path, case: Case, *options: str, prefix: Sequence[str] = ()) -> list[str]:
    environment = {**decode.clean_environment(), "DAEDALUS_PLAN": case.plan, **case.environment}
    done = subprocess.run([*prefix, str(program), *case.options, *options, *[str(case.stream)] * case.repeat],
                          capture_output=True, text=True, timeout=600, env=environment, preexec_fn=limit_files)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {decoded.last_words(done.stderr)}")
    return [line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.startswith("packet")]


def wrong_lines(case: Case) -> str:
    expected = decode_list(STOCK, case)
    said = decode_list(PROGRAM, case, "--device", "drm", prefix=SIMULATOR if case.simulated else ())
    if len(said) != len(expected):
        return f"{len(said)} lines instead of {len(expected)}"
    return next((f"'{ours}' instead of '{stocks}'" for ours, stocks in zip(said, expected) if ours != stocks), "")


def export_problem(stream: Path) -> str:
    """What ffmpeg says where it is told to output DRM PRIME and nothing else; the decoder must have offered it."""
    done = subprocess.run([*SIMULATOR, str(paths.PATCHED), "-nostdin", "-v", "verbose", *DRM,
                           "-hwaccel_output_format", "drm_prime", "-i", str(stream), "-frames:v", "4", "-f", "null",
                           "-"], capture_output=True, text=True, timeout=600,
                          env={**decode.clean_environment(), "DAEDALUS_PLAN": "gpu"})
    return "" if "drm_prime" in done.stderr and not done.returncode else done.stderr[-400:]


def p010_problem(stream: Path) -> str:
    """Where the GPU completes frames, it makes P010 of them; the CPU would, too, but takes its time."""
    with tempfile.TemporaryDirectory(prefix="dd-display-") as folder:
        trace = Path(folder, "trace.json")
        subprocess.run([*SIMULATOR, str(paths.PATCHED), "-nostdin", "-v", "error", *DRM, "-hwaccel_output_format",
                        "drm_prime", "-i", str(stream), "-frames:v", "1", "-f", "null", "-"], timeout=600, check=True,
                       env={**decode.clean_environment(), "DAEDALUS_PLAN": "gpu", "DAEDALUS_P010": "1",
                            "DAEDALUS_TRACE": str(trace)})
        return "" if '"p010"' in trace.read_text() else "the GPU makes no P010"


def transferred(stream: Path, filters: str) -> str:
    """Frames that ffmpeg brings back: by itself, or by its filters."""
    sums = []
    with tempfile.TemporaryDirectory(prefix="dd-display-") as folder:
        for prefix, program, more in (([], paths.STOCK, []),
                                      (SIMULATOR, paths.PATCHED, DRM + (["-hwaccel_output_format", "drm_prime"]
                                                                        if filters else []))):
            out = Path(folder, "sums")
            vf = ["-vf", filters] if filters and more else []
            done = subprocess.run([*prefix, str(program), "-nostdin", "-v", "error", "-y", *more, "-i", str(stream),
                                   *vf, *decode.AS_DECODED,
                                   "-f", "framemd5", str(out)], capture_output=True, text=True, timeout=600,
                                  env={**decode.clean_environment(), "DAEDALUS_PLAN": "gpu"})
            if done.returncode:
                return done.stderr[-400:]
            sums.append(decode.rows_of(out.read_text()))
    return "" if sums[0] == sums[1] and sums[0] else "other frames than stock's"


def ways(codec: str):
    streams = streams_of(codec)
    deep = next(stream for stream in streams if is_deep(stream))
    for case in cases_of(streams, deep):
        yield f"{codec}, {case.stream.name}, {case.name}", lambda case=case: wrong_lines(case)
    stream = streams[0]
    yield f"{codec}, P010 by the GPU", lambda: p010_problem(deep)
    yield f"{codec}, output as DRM PRIME", lambda: export_problem(stream)
    for filters in ("", "hwdownload,format=yuv420p", "hwmap,format=yuv420p"):
        yield f"{codec}, transferred by {filters or 'ffmpeg'}", lambda filters=filters: transferred(stream, filters)


def main() -> None:
    for program in (PROGRAM, STOCK, paths.PATCHED):
        if not program.is_file():
            console.fail(f"{program} is not built")
    passed = failed = 0
    for codec in ("vp9", "av1"):
        for name, check in ways(codec):
            try:
                wrong = check()
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                wrong = str(error)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            print(f"{name}: {wrong or 'ok'}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
