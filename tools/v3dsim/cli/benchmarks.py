# SPDX-License-Identifier: BSD-2-Clause
"""Modelled time a block of every kernel that tools/bench knows, on its random work."""
import fnmatch
import json
import math
import subprocess
import tempfile
from pathlib import Path

from cli import calibration, environment
from cli.paths import build_dir
from cli.report import ToolError, capture, say

BENCH = Path("tools/bench-src/bench")
SIZE = "640x320"  # enough supergroups for a steady state
LEAST_ROWS = 6  # for five parameters
SHARES = ("issue_busy", "tmu_busy", "dram_busy")


def bench_path() -> Path:
    path = build_dir() / BENCH
    if not path.exists():
        raise ToolError(f"{path} is not built: run `ninja -C {build_dir()}` first")
    return path


def kernels(patterns: list) -> list:
    names = capture([bench_path(), "--list"], "bench --list").split()
    chosen = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    if not chosen:
        raise ToolError(f"no kernel of {BENCH.name} is called {' or '.join(patterns)}")
    return chosen


def first_jobs(trace: Path, count: int, into: Path) -> None:
    """The first run's dispatches; what follows are the same again, and the measurement of the overhead."""
    with open(trace) as source, open(into, "w") as target:
        for line in source:
            target.write(line)
            count -= line == "E\n"
            if not count:
                return


def part_of(job: dict, names: dict, blocks: float) -> dict:
    return {"kernel": names.get(job["code"], job["code"]), "ns a block": 1e3 * job["us"] / blocks,
            **{share: job[share] for share in SHARES}}


def traced(name: str, target: environment.Target, depth: int, scratch: Path, sample: str = "200:8") -> tuple:
    """Of the kernel's first run on its random work: the figures of tools/bench, the trace, and the simulator's counts
    of its jobs."""
    trace, head, figures, counts = scratch / "trace", scratch / "head", scratch / "figures.json", scratch / "jobs.json"
    program = [str(bench_path()), "--device", "V3D", "--size", SIZE, "--depth", str(depth), "--seconds", "0",
               "--json", str(figures), name]
    argv, env = target.command(program, {"V3DSIM_TRACE": str(trace), "V3DSIM_TRACE_SAMPLE": sample,
                                         "V3DSIM_STATS": str(counts)})
    done = subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise ToolError(f"{name} failed on the simulated device:\n{done.stdout.strip()}\n{done.stderr.strip()}")
    run = json.loads(figures.read_text())["kernels"][0]
    first_jobs(trace, run["dispatches"], head)
    jobs = [json.loads(line) for line in counts.read_text().splitlines()[:run["dispatches"]]]
    return run, head, jobs


def measured_on_board(report: dict, depth: int) -> dict:
    """Nanoseconds a block by kernel, of a report of tools/pi-report: kernels of one dispatch that the GPU's own clock
    timed."""
    rows = report.get("kernels", {}).get(str(depth), {}).get("kernels", [])
    return {row["kernel"]: 1e9 * row["pixels"] / row["blocks"] / row["gpu"] for row in rows
            if row["dispatches"] == 1 and row["gpu_clock"] and row["gpu"] and not row["problem"]}


def reported_rows(report: dict, target: environment.Target, scratch: Path, depth: int = 8) -> list:
    """One trace for each kernel of the report, as v3dsim-timing wants them."""
    found = []
    for name, ns in measured_on_board(report, depth).items():
        say(name)
        folder = scratch / name
        folder.mkdir()
        run, trace, jobs = traced(name, target, depth, folder)
        supergroups = math.ceil(math.prod(jobs[0]["workgroups"]) / jobs[0]["workgroups_per_supergroup"])
        found.append({"name": name, "trace": str(trace), "blocks": run["blocks"] / supergroups, "ns": ns})
    if len(found) < LEAST_ROWS:
        raise ToolError(f"the report has {len(found)} kernels that can be fitted to: {LEAST_ROWS} at least")
    return found


def modelled(name: str, target: environment.Target, parameters: dict, depth: int, names: dict) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        run, head, _ = traced(name, target, depth, Path(folder))
        jobs = calibration.model_trace(head, parameters)
    us = sum(job["us"] for job in jobs)
    main = max(jobs, key=lambda job: job["us"])
    return {"kernel": name, "depth": depth, "dispatches": run["dispatches"], "blocks": run["blocks"], "us": us,
            "ns a block": 1e3 * us / run["blocks"], "ns a pixel": 1e3 * us / run["pixels"],
            "parts": [part_of(job, names, run["blocks"]) for job in jobs], **{share: main[share] for share in SHARES}}


def time_kernels(patterns: list, target: environment.Target, parameters: dict, depth: int, names: dict) -> list:
    """A row for each kernel; one that fails on the simulated device has a problem instead of figures. `names`: of
    kernels, by the hash of their code."""
    rows = []
    for name in kernels(patterns):
        say(name)
        try:
            rows.append(modelled(name, target, parameters, depth, names))
        except ToolError as error:
            say(str(error))
            rows.append({"kernel": name, "depth": depth, "problem": str(error)})
    return rows


def shares_of(row: dict) -> str:
    return " | ".join(f"{100 * row[share]:.0f} %" for share in SHARES)


def table(rows: list) -> str:
    """Of work that takes several dispatches, each has a line of its own below the sum."""
    lines = ["| kernel | bits | dispatches | modelled ns a block | ns a pixel | issue | TMU | DRAM |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        if "problem" in row:
            lines.append(f"| {row['kernel']} | {row['depth']} | failed | | | | | |")
            continue
        lines.append(f"| {row['kernel']} | {row['depth']} | {row['dispatches']} | {row['ns a block']:.1f} | "
                     f"{row['ns a pixel']:.2f} | {shares_of(row)} |")
        for part in row["parts"] if row["dispatches"] > 1 else ():
            lines.append(f"| … {part['kernel']} | | | {part['ns a block']:.1f} | | {shares_of(part)} |")
    return "\n".join(lines)
