# SPDX-License-Identifier: BSD-2-Clause
"""Compiles and dispatches single kernels on the simulated device, through the program in runner/."""
import json
import re
import subprocess
import tempfile
from pathlib import Path

from cli import environment
from cli.paths import build_dir
from cli.report import ToolError

RUNNER = Path("tools/v3dsim/cli/v3dsim-runner")
# SHADER-DB-<hash> - MESA_SHADER_COMPUTE shader: 241 inst, 2 threads, …, 0:0 spills:fills, …
SHADERDB = re.compile(r"SHADER-DB-.*?shader: (.*)$")


def runner_path() -> Path:
    path = build_dir() / RUNNER
    if not path.exists():
        raise ToolError(f"{path} is not built: run `ninja -C {build_dir()}` first")
    return path


def _shaderdb_figures(text: str) -> dict:
    figures = {}
    for part in text.split(", "):
        value, name = part.split(" ", 1)
        if name == "spills:fills":
            figures["spills"], figures["fills"] = map(int, value.split(":"))
        else:
            figures[name] = int(value)
    return figures


def _shaderdb_by_kernel(stderr: str) -> dict:
    """The last line of the compiler's behind each line "kernel NAME"; the driver's own shaders come before."""
    found, name = {}, None
    for line in stderr.splitlines():
        if line.startswith("kernel "):
            name = line[len("kernel "):]
        match = SHADERDB.search(line)
        if match and name:
            found[name] = _shaderdb_figures(match[1])
    return found


def run_kernels(kernels: list, target: environment.Target, trace: Path = None, variables: dict = None) -> list:
    """Runs the request (see runner/main.cpp). Returns for each kernel its name, the driver's statistics, the
    compiler's own line, and the simulator's counts of its dispatch where it had one."""
    with tempfile.TemporaryDirectory() as scratch:
        request, jobs = Path(scratch) / "request.json", Path(scratch) / "jobs.json"
        request.write_text(json.dumps({"kernels": kernels}))
        wanted = {"V3DSIM_STATS": str(jobs), "V3D_DEBUG": "shaderdb",
                  "MESA_SHADER_CACHE_DISABLE": "true", **(variables or {})}
        if trace:
            wanted["V3DSIM_TRACE"] = str(trace)
        argv, env = target.command([str(runner_path()), str(request)], wanted)
        done = subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace")
        if done.returncode:
            tail = [line for line in done.stderr.splitlines() if not SHADERDB.search(line)][-10:]
            raise ToolError("the kernels did not run:\n" + "\n".join(tail))
        results = json.loads(done.stdout)["kernels"]
        counts = [json.loads(line) for line in jobs.read_text().splitlines()] if jobs.exists() else []
    dispatched = [kernel["name"] for kernel in kernels if "groups" in kernel]
    if len(counts) != len(dispatched):
        raise ToolError(f"{len(dispatched)} dispatches, but the simulator reports {len(counts)} jobs")
    by_name, compiled = dict(zip(dispatched, counts)), _shaderdb_by_kernel(done.stderr)
    return [{**result, "compiler": compiled.get(result["name"], {}), "job": by_name.get(result["name"])}
            for result in results]
