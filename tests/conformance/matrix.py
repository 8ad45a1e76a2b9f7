#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tools/conformance in many configurations, one after the other: plans, device profiles, threads, validation layers.

core:    the manifest's small spread of the codec's streams under every kind of plan, every other stream in a row of
         the table and the rest in the next; some minutes
shaders: what the kernels touch, checked on the device by the validation layer, one stream at a time; llvmpipe
         takes minutes to compile such kernels
full:    every stream of the codec under every plan, profile and number of threads; an hour and more
pi:      short VP9 streams through all that a Raspberry Pi 5 runs: decoders with NEON and driver for aarch64, under
         qemu-user, over the simulated V3D 7.1 (tools/v3dsim/v3dsim setup --suites)
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import paths

LAST = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


@dataclass(frozen=True)
class Row:
    name: str
    options: list[str] = field(default_factory=list)


def row(name: str, plan: str, *options: str) -> Row:
    return Row(name, ["--plan", plan, *options])


PROVED = ("--require-gpu",)
# By names in the manifest: quick streams of many kinds. Clips, where there is no manifest, are all quick.
SMALL = ("--filter", "*vp9[0-3]-2-[02]*-[!r]*") if paths.vectors() else ()
AV1_SMALL = ("--filter", "*/dav1d/*/[dfmqs]*/*") if paths.vectors() else ()
FEW = ("--filter", "*-0[1-6]-*") if paths.vectors() else ()
AV1_FEW = ("--filter", "*/8-bit/data/00000[05][05]*") if paths.vectors() else ()


def alone(stage: str) -> str:
    return ",".join(f"{name}={'gpu' if name == stage else 'cpu'}" for name in ("mc", "itx", "lf"))


def core_rows() -> list[Row]:
    """Ordered by what a failure would tell."""
    core = ("--tier", "core", "--codec", "vp9")
    rows = [row("gpu, profile v3d", "gpu", *core, *PROVED, "--profile", "v3d"),
            row("gpu, profile wide", "gpu", *core, *PROVED, "--profile", "wide"),
            row("cpu", "cpu", *core, *PROVED),
            row("random, 4 frame threads", "random", *core, "--profile", "wide", "--threads", "4"),
            row("gpu, 4 slice threads", "gpu", *core, *PROVED, *SMALL, "--threads", "4", "--thread-type", "slice"),
            row("gpu, 2 frame threads", "gpu", *core, *PROVED, *SMALL, "--threads", "2")]
    rows += [row(f"{stage} alone", alone(stage), *core, *PROVED, *SMALL) for stage in ("mc", "itx", "lf")]
    rows += [row("validation layers", "gpu", *core, *PROVED, *FEW, "--profile", "wide", "--validation", "calls"),
             Row("no device", ["--device", "cpu", *core, *SMALL])]
    return rows


def full_rows() -> list[Row]:
    rows = []
    vp9 = ("--codec", "vp9")
    for profile in ("wide", "v3d"):
        rows.append(row(f"gpu, profile {profile}", "gpu", *vp9, *PROVED, "--profile", profile))
    rows.append(row("cpu", "cpu", *vp9, *PROVED))
    rows += [row(f"{stage} alone", alone(stage), *vp9, *PROVED) for stage in ("mc", "itx", "lf")]
    for threads in ("2", "4"):
        for kind in ("frame", "slice"):
            rows.append(row(f"gpu, {threads} {kind} threads", "gpu", *vp9, *PROVED, "--threads", threads,
                            "--thread-type", kind))
            rows.append(row(f"random, {threads} {kind} threads", "random", *vp9, "--threads", threads,
                            "--thread-type", kind))
    rows.append(row("validation layers", "gpu", *vp9, *PROVED, "--tier", "core", "--validation", "shaders"))
    rows.append(Row("no device", ["--device", "cpu", *vp9]))
    return rows


def pi_rows() -> list[Row]:
    pi = ("--simulated", "--device", "V3D", "--ffmpeg", str(paths.BUILD / "pi/install/bin/ffmpeg"), "--codec", "vp9",
          "--list", str(ROOT / "tests/conformance/pi-vp9.list"), *PROVED)
    return [row("gpu", "gpu", *pi), row("mixed", "mc=gpu,itx=cpu,lf=gpu", *pi), row("cpu", "cpu", *pi)]


def av1_alone(*stages: str) -> str:
    return ",".join(f"{name}={'gpu' if name in stages else 'cpu'}" for name in ("mc", "itx", "lf", "cdef", "lr"))


def av1_rows(tier: str) -> list[Row]:
    """Restoration needs the rows from before CDEF: the two run on one side. Predictions alone prove nothing by numbers
    of frames, as some are the CPU's by what the stream holds."""
    av1 = ("--tier", tier, "--codec", "av1")
    small = AV1_SMALL if tier == "core" else ()
    one_frame = ("--threads", "4", "--max-frame-delay", "1")  # leaves dav1d no second pass: no predictions on the GPU
    rows = [row("gpu, profile v3d", "gpu", *av1, *PROVED, "--profile", "v3d"),
            row("gpu, profile wide", "gpu", *av1, *PROVED, "--profile", "wide"),
            row("cpu", "cpu", *av1, *PROVED),
            row("random, 4 threads", "random", *av1, "--threads", "4"),
            row("random, 4 threads, profile wide", "random", *av1, *small, "--threads", "4", "--profile", "wide"),
            row("gpu, 2 threads", "gpu", *av1, *PROVED, "--threads", "2"),
            row("gpu, 2 threads, profile wide", "gpu", *av1, *small, *PROVED, "--threads", "2", "--profile", "wide"),
            row("gpu, memory of its own", "gpu", *av1, *small, *PROVED, "--memory", "discrete"),
            row("gpu, memory of its own, profile wide", "gpu", *av1, *small, *PROVED, "--memory", "discrete",
                "--profile", "wide"),
            row("filters, one frame at a time", av1_alone("lf", "cdef", "lr"), *av1, *PROVED, *one_frame),
            row("gpu, one frame at a time", "gpu", *av1, *small, *one_frame),
            row("gpu, one frame and thread at a time, profile wide", "gpu", *av1, *small, "--max-frame-delay", "1",
                "--profile", "wide"),
            row("mc alone", av1_alone("mc"), *av1, *small),
            row("mc and itx alone", av1_alone("mc", "itx"), *av1, *small),
            row("lf alone", av1_alone("lf"), *av1, *PROVED, *small),
            row("cdef and lr alone", av1_alone("cdef", "lr"), *av1, *PROVED, *small),
            row("validation layers", "gpu", "--tier", "core", "--codec", "av1", *PROVED, *AV1_SMALL,
                "--profile", "wide", "--validation", "calls")]
    if tier == "full":
        rows.append(row("validation layers, shaders", "gpu", "--tier", "core", "--codec", "av1", *PROVED, *AV1_SMALL,
                        "--validation", "shaders"))
    if tier == "core" and paths.vectors():
        rows.append(row("sizes, depths and layers that change", "gpu", "--codec", "av1", "--filter", "*/argon/*"))
    return [*rows, Row("no device", ["--device", "cpu", *av1, *small])]


def shader_rows() -> list[Row]:
    checked = (*PROVED, "--tier", "core", "--validation", "shaders", "--jobs", "1")
    return [row("vp9", "gpu", "--codec", "vp9", *FEW, "--part", "1/3", "--profile", "wide", *checked),
            row("av1", "gpu", "--codec", "av1", *AV1_FEW, *checked)]


def rows_of(codec: str, tier: str) -> list[Row]:
    if tier == "pi":
        return pi_rows()
    if tier == "shaders":
        return shader_rows()
    if codec == "av1":
        return av1_rows(tier)
    return core_rows() if tier == "core" else full_rows()


def run(one: Row, device: str, more: list[str], report: Path) -> tuple[list[int], list[str]]:
    """The counts, and what the tool said of streams that did not simply pass."""
    options = one.options if "--device" in one.options else ["--device", device, *one.options]
    command = [sys.executable, str(ROOT / "tools" / "conformance"), *options, *more, "--json", str(report)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    counts = LAST.match(lines[-1]) if lines else None
    if not counts:
        return [0, 1, 0], [f"failed: tools/conformance ended with {done.returncode} and no counts"]
    numbers = [int(number) for number in counts.groups()]
    if done.returncode and not numbers[1]:
        numbers[1] = 1
    return numbers, [line for line in lines if line.startswith(("failed:", "skipped:"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=("core", "shaders", "full", "pi"))
    parser.add_argument("--codec", choices=("vp9", "av1"), default="vp9")
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--only", metavar="TEXT", help="only rows whose name holds this")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all reports of tools/conformance")
    parser.add_argument("more", nargs="*", metavar="-- OPTION", help="handed to tools/conformance")
    args = parser.parse_intermixed_args()
    rows = [one for one in rows_of(args.codec, args.set) if not args.only or args.only in one.name]
    if args.set == "core" and paths.vectors():
        rows = [Row(one.name, [*one.options, "--part", f"{i % 2 + 1}/2"]) for i, one in enumerate(rows)]
    total, reports = [0, 0, 0], {}
    with tempfile.TemporaryDirectory(prefix="dd-matrix-") as folder:
        for one in rows:
            start = time.monotonic()
            report = Path(folder, "report.json")
            report.unlink(missing_ok=True)
            counts, lines = run(one, args.device, args.more, report)
            total = [a + b for a, b in zip(total, counts)]
            reports[one.name] = json.loads(report.read_text()) if report.is_file() else None
            print(f"{one.name}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped in "
                  f"{time.monotonic() - start:.0f} s", flush=True)
            for line in lines:
                print(f"  {line}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(reports, indent=1) + "\n")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
