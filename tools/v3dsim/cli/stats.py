# SPDX-License-Identifier: BSD-2-Clause
"""Prints what the driver's compiler makes of every kernel, and what its own statistics leave out. With a program
behind --, also the memory traffic of the kernels' jobs in that program's run."""
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cli import docs, environment
from cli.benchmarks import bench_path
from cli.paths import REPO_DIR, build_dir
from cli.report import ToolError, say
from cli.run import add_target_arguments
from cli.runner import run_kernels

RECORD = REPO_DIR / "docs" / "kernel-stats.json"
VARIANTS = REPO_DIR / "kernels" / "variants.json"
STATIC = ("instructions", "threads", "temps", "spills", "uniforms", "multop", "scratch stores",
          "partial spills", "wgs/sg")
TRAFFIC = ("words read", "words written", "shared words", "scratch words")
# Kernels that V3D never runs: of profile wide, whose compilation takes minutes, and of devices with memory of their
# own.
NOT_ON_V3D = ("vp9_intra_", "vp9_lf_inner_",
              "vp9_lf_superblock_", "tile_sync")
BETTER_WHEN_HIGHER = ("threads", "wgs/sg")
HASH_DIGITS = 16
BLOCK_BYTES = 64  # traffic is given for as much work as stores this many bytes: an 8x8 block of 8-bit pixels


def add_arguments(parser) -> None:
    add_target_arguments(parser)
    parser.add_argument("--kernels", metavar="DIR", type=Path, help="folder of SPIR-V modules (default: the build's)")
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file")
    parser.add_argument("--write", action="store_true", help="record them in docs/")
    parser.add_argument("--check", action="store_true", help="fail if a figure is worse than the recorded one")
    parser.add_argument("--changed", action="store_true",
                        help="only kernels whose SPIR-V isn't the one that was recorded; what is recorded of the "
                             "others stays")
    parser.add_argument("--traffic", action="store_true",
                        help="also the memory traffic on the random work of tools/bench, with 8, 10 and 12 bits")
    parser.add_argument("program", nargs="*", metavar="PROGRAM", help="a program whose run shows the traffic")


def kernel_requests(folder: Path) -> list:
    """One request for each module, or for each of its variants: specialization constants by name of the variant."""
    modules = sorted(m for m in folder.glob("*.spv") if not m.stem.startswith(NOT_ON_V3D))
    if not modules:
        raise ToolError(f"no SPIR-V modules in {folder}: build the project first")
    variants = json.loads(VARIANTS.read_text()) if VARIANTS.exists() else {}
    unknown = set(variants) - {module.stem for module in modules}
    if unknown:
        raise ToolError(f"{VARIANTS.name} names kernels that the build has not: {', '.join(sorted(unknown))}")
    requests = []
    for module in modules:
        for suffix, constants in variants.get(module.stem, {"": {}}).items():
            name = f"{module.stem}:{suffix}" if suffix else module.stem
            requests.append({"name": name, "spirv": str(module), "constants": constants, "groups": [1, 1, 1]})
    return requests


def hashes_of(requests: list) -> dict:
    """Of all that the compiler is given, by kernel."""
    def digest(request: dict) -> str:
        constants = json.dumps(request["constants"], sort_keys=True).encode()
        return hashlib.sha256(Path(request["spirv"]).read_bytes() + constants).hexdigest()[:HASH_DIGITS]
    return {request["name"]: digest(request) for request in requests}


def static_figures(result: dict) -> dict:
    """From the compiler's line, and from one workgroup that found no work (scratch is written before that)."""
    compiler, job = result["compiler"], result["job"]
    missing = {"inst", "threads", "uniforms", "max-temps", "spills"} - set(compiler)
    if missing:
        raise ToolError(f"the compiler did not report on {result['name']}: no {', '.join(sorted(missing))}")
    if "error" in job:
        raise ToolError(f"{result['name']} was stopped: {job['error']}")
    scratch = job["tmu"].get("scratch_store", {"ops": 0})["ops"]
    return {
        "instructions": compiler["inst"], "threads": compiler["threads"], "temps": compiler["max-temps"],
        "spills": compiler["spills"] + compiler["fills"], "uniforms": compiler["uniforms"],
        "multop": job["program"]["multop"], "scratch stores": round(scratch / job["batches"], 2),
        "partial spills": job["program"]["partial_spills"],
        "wgs/sg": job["workgroups_per_supergroup"],
    }


def _words(jobs: list, *kinds: str) -> int:
    return sum(job["tmu"].get(kind, {"words": 0})["words"] for job in jobs for kind in kinds)


def traffic_figures(jobs: list) -> dict:
    """32-bit words that the memory unit moved, for each block's worth of stored bytes."""
    stored = sum(job["tmu"].get(kind, {"bytes": 0})["bytes"] for job in jobs for kind in ("store", "texture_store"))
    if not stored:
        return {}
    blocks = stored / BLOCK_BYTES
    groups = {"words read": ("load", "texture_load", "uniform_load"),
              "words written": ("store", "texture_store", "atomic"),
              "shared words": ("shared_load", "shared_store", "shared_atomic"),
              "scratch words": ("scratch_load", "scratch_store")}
    return {name: round(_words(jobs, *kinds) / blocks, 2) for name, kinds in groups.items()}


def run_program(program: list, args) -> list:
    """The simulator's counts for every job of a program's run."""
    target = environment.target("auto", program[0], args.mesa, args.library)
    with tempfile.TemporaryDirectory() as scratch:
        jobs = Path(scratch) / "jobs.json"
        argv, env = target.command(program, {"V3DSIM_STATS": str(jobs)})
        if subprocess.run(argv, env=env, stdout=sys.stderr).returncode:
            raise ToolError(f"{program[0]} failed")
        return [json.loads(line) for line in jobs.read_text().splitlines()] if jobs.exists() else []


def bench_jobs(args) -> list:
    """Jobs of a fixed piece of work: the same kernels make the same traffic every time."""
    jobs = []
    for depth in (8, 10, 12):
        say(f"running tools/bench with {depth} bits")
        jobs += run_program([str(bench_path()), "--device", "V3D", "--size", "256x128", "--seconds", "0",
                             "--depth", str(depth)], args)
    return jobs


def add_traffic(figures: dict, codes: dict, jobs: list) -> None:
    for name, code in codes.items():
        figures[name].update(traffic_figures([job for job in jobs if job["code"] == code]))
    unknown = {job["code"] for job in jobs} - set(codes.values())
    if unknown:
        say(f"{len(unknown)} programs of the run are none of the kernels' (variants missing in {VARIANTS.name}?)")


def table(figures: dict) -> str:
    columns = [c for c in (*STATIC, *TRAFFIC) if any(c in row for row in figures.values())]
    lines = [f"| kernel | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name, row in figures.items():
        lines.append(f"| {name} | {' | '.join(f'{row[c]:g}' if c in row else '' for c in columns)} |")
    return "\n".join(lines)


def worse(name: str, column: str, now: float, before: float) -> str:
    is_worse = now < before if column in BETTER_WHEN_HIGHER else now > before
    return f"{name}: {column} {before:g} -> {now:g}" if is_worse else ""


def compare(figures: dict, recorded: dict, names: set) -> list:
    """What is worse than recorded, or not recorded, or gone: not among the build's `names`."""
    findings = [f"{name}: recorded, but the build has no such kernel" for name in recorded if name not in names]
    for name, row in figures.items():
        if name not in recorded:
            findings.append(f"{name}: not recorded")
            continue
        findings += [worse(name, c, row[c], recorded[name][c]) for c in row if c in recorded[name]]
    return [finding for finding in findings if finding]


def read_record(mesa: str) -> dict:
    if not RECORD.exists():
        raise ToolError(f"{RECORD} is missing: record it with --write")
    record = json.loads(RECORD.read_text())
    if record["mesa"] != mesa:
        raise ToolError(f"{RECORD.name} was recorded with Mesa {record['mesa']}")
    return record


def check(figures: dict, record: dict, names: set) -> int:
    findings = compare(figures, record["kernels"], names)
    for finding in findings:
        print(f"worse: {finding}")
    print(f"{len(names)} kernels, of which {len(figures)} were compiled, {len(findings)} figures worse than recorded")
    return 1 if findings else 0


def main(args) -> int:
    target = environment.target("x86", mesa=args.mesa, library=args.library)
    requests = kernel_requests(args.kernels or build_dir() / "kernels")
    hashes = hashes_of(requests)
    recorded = read_record(args.mesa) if args.check or args.changed else {}
    if args.changed:
        requests = [r for r in requests if recorded["spirv"].get(r["name"]) != hashes[r["name"]]]
    results = run_kernels(requests, target) if requests else []
    figures = {result["name"]: static_figures(result) for result in results}
    codes = {result["name"]: result["job"]["code"] for result in results}
    if args.traffic:
        add_traffic(figures, codes, bench_jobs(args))
    if args.program:
        add_traffic(figures, codes, run_program(args.program, args))
    print(table(figures))
    if args.check:
        return check(figures, recorded, set(hashes))
    if args.changed:
        figures = {name: figures.get(name) or recorded["kernels"][name] for name in hashes}
    record = json.dumps({"mesa": args.mesa, "block_bytes": BLOCK_BYTES, "spirv": hashes, "kernels": figures},
                        indent=1) + "\n"
    if args.json:
        Path(args.json).write_text(record)
    if args.write:
        RECORD.write_text(record)
        docs.write_section("stats", table(figures))
    return 0
