# SPDX-License-Identifier: BSD-2-Clause
"""Modelled time on a Raspberry Pi 5: of the measured kernels (the fit), and of every dispatch of a program's run.
It ranks variants; the error printed with the fit says how little it may be trusted as a prediction."""
import hashlib
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from cli import benchmarks, calibration, docs, environment
from cli.paths import build_dir, cache_dir
from cli.report import ToolError
from cli.run import add_target_arguments
from cli.runner import run_kernels
from cli.stats import kernel_requests, BLOCK_BYTES


def add_arguments(parser) -> None:
    add_target_arguments(parser)
    parser.add_argument("--fit", action="store_true", help="run the measured kernels again and fit the model anew")
    parser.add_argument("--report", metavar="FILE", type=Path,
                        help="with --fit: to the kernels that tools/pi-report measured on a board, in its JSON file")
    parser.add_argument("--write", action="store_true",
                        help="keep what --fit finds as the model, and put tables into docs/")
    parser.add_argument("--bench", metavar="PATTERN", nargs="?", const="*", action="append", default=[],
                        help="also the kernels of tools/bench on its random work, all or those named so")
    parser.add_argument("--depth", type=int, choices=(8, 10, 12), default=8, help="bits a pixel for --bench")
    parser.add_argument("--sample", default="256:16", metavar="FIRST[:EVERY]",
                        help="supergroups of a dispatch that are modelled (default %(default)s, or all)")
    parser.add_argument("--kernels", metavar="DIR", type=Path, help="folder of SPIR-V modules (default: the build's)")
    parser.add_argument("--clock", metavar="MHZ", type=float,
                        help="of V3D (default: 960; some kernels leave it at 500)")
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file")
    parser.add_argument("program", nargs="*", metavar="PROGRAM",
                        help="a program whose dispatches are modelled, such as the replay of a saved batch")


def fit_table(model: dict) -> str:
    lines = ["| measured kernel | measured ns | modelled ns | left out ns |", "|---|---|---|---|"]
    for row in model["rows"]:
        lines.append(f"| {row['name']} | {row['measured']:g} | {row['modelled']:.0f} | {row['left_out']:.0f} |")
    lines.append(f"\nrms error of the fit {100 * model['rms']:.0f} %; of kernels left out of it "
                 f"{100 * model['left_out_rms']:.0f} %")
    fitted = ("latency", "operation", "word", "resident", "launch")
    lines.append("fitted: " + ", ".join(f"{name} {model['parameters'][name]:g}" for name in fitted))
    clocks = calibration.CHECKED_CLOCKS
    checked = " | ".join(f"{mhz} MHz" for mhz in clocks)
    lines.append(f"\n| checked, not in the fit | measured | {checked} | modelled / measured |")
    lines.append("|---" * (len(clocks) + 3) + "|")
    for row in model["checks"]:
        cells = [f"{value:.2f}" for value in (row["measured"], *row["modelled"])]
        ratios = ", ".join(f"{value / row['measured']:.2f}" for value in row["modelled"])
        lines.append(f"| {row['name']} | {cells[0]} {row['unit']} | {' | '.join(cells[1:])} | {ratios} |")
    return "\n".join(lines)


def trace_program(program: list, args, scratch: Path) -> tuple:
    """Runs the program; returns its trace and the simulator's counts of each job."""
    target = environment.target("auto", program[0], args.mesa, args.library)
    trace, jobs = scratch / "trace", scratch / "jobs.json"
    argv, env = target.command(program, {"V3DSIM_TRACE": str(trace), "V3DSIM_TRACE_SAMPLE": args.sample,
                                         "V3DSIM_STATS": str(jobs)})
    if subprocess.run(argv, env=env).returncode:
        raise ToolError(f"{program[0]} failed")
    if not trace.exists():
        raise ToolError(f"{program[0]} dispatched nothing on the simulated device")
    return trace, [json.loads(line) for line in jobs.read_text().splitlines()]


def request_key(request: dict, mesa: str) -> str:
    module = hashlib.sha256(Path(request["spirv"]).read_bytes()).hexdigest()
    return f"{mesa} {module} {json.dumps(request['constants'], sort_keys=True)}"


def kernel_names(args) -> dict:
    """Names of the project's kernels by the hash of their compiled code. Remembered, as the compiler takes its time."""
    folder = args.kernels or build_dir() / "kernels"
    if not list(folder.glob("*.spv")):
        return {}
    store = cache_dir() / "compiled-kernels.json"
    known = json.loads(store.read_text()) if store.exists() else {}
    requests = {request_key(request, args.mesa): request for request in kernel_requests(folder)}
    new = {key: request for key, request in requests.items() if key not in known}
    if new:
        target = environment.target("x86", mesa=args.mesa, library=args.library)
        codes = {result["name"]: result["job"]["code"] for result in run_kernels(list(new.values()), target)}
        known.update({key: codes[request["name"]] for key, request in new.items()})
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(known, indent=1))
    return {known[key]: request["name"] for key, request in requests.items()}


def stored_blocks(job: dict) -> float:
    return sum(job["tmu"].get(kind, {"bytes": 0})["bytes"] for kind in ("store", "texture_store")) / BLOCK_BYTES


def dispatch_rows(modelled: list, jobs: list, names: dict, overhead_us: float) -> list:
    counts = {job["job"]: job for job in jobs}
    rows = []
    for one in modelled:
        job = counts[one["job"]]
        blocks = stored_blocks(job)
        rows.append({"kernel": names.get(one["code"], one["code"]), "us": one["us"] + overhead_us,
                     "ns a block": 1e3 * one["us"] / blocks if blocks else None, "workgroups": job["workgroups"],
                     **{share: one[share] for share in ("issue_busy", "tmu_busy", "dram_busy")}})
    return rows


def dispatch_table(rows: list) -> str:
    lines = ["| dispatch | kernel | modelled us | ns / 64 stored bytes | issue | TMU | DRAM |",
             "|---|---|---|---|---|---|---|"]
    for number, row in enumerate(rows):
        block = f"{row['ns a block']:.1f}" if row["ns a block"] else ""
        shares = " | ".join(f"{100 * row[s]:.0f} %" for s in ("issue_busy", "tmu_busy", "dram_busy"))
        lines.append(f"| {number} | {row['kernel']} | {row['us']:.0f} | {block} | {shares} |")
    by_kernel = defaultdict(float)
    for row in rows:
        by_kernel[row["kernel"]] += row["us"]
    lines.append("")
    lines += [f"{name}: {us / 1e3:.3f} ms" for name, us in sorted(by_kernel.items(), key=lambda item: -item[1])]
    lines.append(f"all {len(rows)} dispatches: {sum(row['us'] for row in rows) / 1e3:.3f} ms")
    return "\n".join(lines)


def time_program(args, parameters: dict) -> list:
    with tempfile.TemporaryDirectory() as scratch:
        trace, jobs = trace_program(args.program, args, Path(scratch))
        modelled = calibration.model_trace(trace, parameters)
    return dispatch_rows(modelled, jobs, kernel_names(args), parameters["dispatch_us"])


def main(args) -> int:
    if args.fit:
        target = environment.target("x86", mesa=args.mesa, library=args.library)
        if args.report:
            report = json.loads(args.report.read_text())
            model = calibration.fit(target, lambda target, scratch: benchmarks.reported_rows(report, target, scratch))
        else:
            model = calibration.fit(target)
        if args.write:
            calibration.MODEL.write_text(json.dumps(model, indent=1) + "\n")
            docs.write_section("fit", fit_table(model))
    else:
        model = json.loads(calibration.MODEL.read_text())
    print(fit_table(model))
    if args.clock:
        model = {**model, "parameters": calibration.at_clock(model["parameters"], args.clock)}
    figures = {"model": model}
    if args.bench:
        target = environment.target("x86", mesa=args.mesa, library=args.library)
        figures["kernels"] = benchmarks.time_kernels(args.bench, target, model["parameters"], args.depth,
                                                     kernel_names(args))
        print("\n" + benchmarks.table(figures["kernels"]))
        if args.write:
            docs.write_section("kernels", benchmarks.table(figures["kernels"]))
    if args.program:
        figures["dispatches"] = time_program(args, model["parameters"])
        print("\n" + dispatch_table(figures["dispatches"]))
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 1 if any("problem" in row for row in figures.get("kernels", [])) else 0
