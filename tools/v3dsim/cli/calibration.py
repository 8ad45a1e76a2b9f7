# SPDX-License-Identifier: BSD-2-Clause
"""Runs the rebuilt forms of the kernels that were measured on hardware, and fits the timing model to them."""
import json
import subprocess
import tempfile
from pathlib import Path

from cli import environment
from cli.paths import TOOL_DIR, build_dir
from cli.report import ToolError, capture, say
from cli.runner import run_kernels

TIMING = Path("tools/v3dsim/cli/v3dsim-timing")
COPY = Path("tools/v3dsim/v3dsim-copy")
MEASURED = TOOL_DIR / "timing" / "measured.json"
MODEL = TOOL_DIR / "timing" / "model.json"
BATCHES = 384  # of 16 invocations: enough for a steady state of any kernel here
PICTURE_WIDTH = 1920
CHECKED_CLOCKS = (960, 500)  # MHz


def timing_path() -> Path:
    path = build_dir() / TIMING
    if not path.exists():
        raise ToolError(f"{path} is not built: run `ninja -C {build_dir()}` first")
    return path


def measured_rows() -> list:
    return json.loads(MEASURED.read_text())["rows"]


def compile_kernel(row: dict, into: Path) -> Path:
    spirv = into / f"{row['name'].replace(' ', '_').replace(',', '')}.spv"
    defines = [f"-D{name}={value}" for name, value in row["defines"].items()]
    source = TOOL_DIR / "timing" / "kernels" / f"{row['source']}.comp"
    capture(["glslangValidator", "-V", "--target-env", "vulkan1.2", *defines, "-o", spirv, source], "glslangValidator")
    return spirv


def _idct8(count: int) -> dict:
    columns = PICTURE_WIDTH // 8
    positions = [part for i in range(count) for part in (i % columns, i // columns)]
    rows = 8 * (count // columns + 1)
    return {"push": [count, columns, PICTURE_WIDTH, 0],
            "buffers": {"0": {"bytes": count * 128, "noise": 1}, "1": {"bytes": rows * PICTURE_WIDTH, "noise": 2},
                        "2": {"bytes": count * 8, "words": positions}}}


def _mc8h(count: int) -> dict:
    blocks = [word for i in range(count) for word in (i * 64, i * 128, i % 16, 0)]
    return {"push": [count, 8, 16, 0],
            "buffers": {"0": {"bytes": count * 16, "words": blocks}, "1": {"bytes": count * 64},
                        "2": {"bytes": count * 128 + 64, "noise": 3}}}


def _cdef8(count: int) -> dict:
    blocks = [word for i in range(count)
              for word in (i * 64, i % 15 + 1 | (i % 4 + 1) << 8 | (3 + i % 4) << 16, i * 256 + 52, i % 8)]
    return {"push": [count, 16, 8, 0],
            "buffers": {"0": {"bytes": count * 16, "words": blocks}, "1": {"bytes": count * 64},
                        "2": {"bytes": count * 512 + 4096, "noise": 4}}}


def _lf8(count: int) -> dict:
    edges = [word for i in range(count) for word in (i * 64 + 4, 0x2040 << 8 | 0x40, 0, 0)]
    return {"push": [count, 8, 1, 0],
            "buffers": {"0": {"bytes": count * 16, "words": edges}, "1": {"bytes": count * 64 + 64, "noise": 5}}}


INPUTS = {"idct8": _idct8, "mc8h": _mc8h, "cdef8": _cdef8, "lf8": _lf8}


def traced_rows(target: environment.Target, scratch: Path) -> list:
    """One trace for each measured kernel, as v3dsim-timing wants them."""
    rows = []
    for number, row in enumerate(measured_rows()):
        trace = scratch / f"{number}.trace"
        groups = BATCHES // row["batches"]
        kernel = {"name": row["name"], "spirv": str(compile_kernel(row, scratch)), "groups": [groups, 1, 1],
                  **INPUTS[row["source"]](groups * row["blocks"])}
        result = run_kernels([kernel], target, trace, {"V3DSIM_TRACE_SAMPLE": "all"})[0]
        per_supergroup = result["job"]["workgroups_per_supergroup"]
        rows.append({"name": row["name"], "trace": str(trace), "blocks": row["blocks"] * per_supergroup,
                     "ns": row["ns"]})
    return rows


def at_clock(parameters: dict, mhz: float) -> dict:
    """DRAM's rate is its own: it delivers more in a longer cycle."""
    longer = parameters["clock_mhz"] / mhz
    return {**parameters, "clock_mhz": mhz, "dram_bytes": parameters["dram_bytes"] * longer,
            "dram_latency": parameters["dram_latency"] / longer}


def _check_copy(row: dict, target: environment.Target, scratch: Path, models: list) -> dict:
    trace = scratch / "trace"
    program = [str(build_dir() / COPY), str(row["threads"]), str(row["mebiwords"])]
    argv, env = target.command(program, {"V3DSIM_TRACE": str(trace), "V3DSIM_TRACE_SAMPLE": "all"})
    if subprocess.run(argv, env=env).returncode:
        raise ToolError(f"{program[0]} failed")
    threads = "one thread" if row["threads"] == 1 else f"{row['threads']} threads"
    return {"name": f"copy of {4 * row['mebiwords']} MiB, {threads}", "unit": "ms", "measured": row["ms"],
            "modelled": [model_trace(trace, parameters)[0]["us"] / 1e3 for parameters in models]}


def _check_product(row: dict, target: environment.Target, spirv: Path, models: list) -> dict:
    """A quarter of the result, of which a few terms are computed: time goes with both."""
    size, full, few, more = 512, 1024, 32, 96
    columns, rows = row["tile"][1], row["tile"][0]

    def us(terms: int) -> list:
        constants = dict(enumerate([*row["lanes"], rows, columns]))
        kernel = {"name": "product", "spirv": str(spirv), "groups": [size // columns, size // rows, 1],
                  "constants": {str(number): value for number, value in constants.items()}, "push": [size, terms],
                  "buffers": {"0": {"bytes": size * terms * 4, "noise": 1},
                              "1": {"bytes": size * terms * 4, "noise": 2}, "2": {"bytes": size * size * 4}}}
        with tempfile.TemporaryDirectory() as name:
            trace = Path(name) / "trace"
            run_kernels([kernel], target, trace, {"V3DSIM_TRACE_SAMPLE": "6:4"})
            return [model_trace(trace, parameters)[0]["us"] for parameters in models]

    modelled = [(a + (b - a) / (more - few) * (full - few)) * (full / size) ** 2 / 1e6
                for a, b in zip(us(few), us(more))]
    return {"name": f"product, tile {rows}x{columns}, {row['lanes'][0]}x{row['lanes'][1]} lanes", "unit": "s",
            "measured": row["s"], "modelled": modelled}


def checked_rows(target: environment.Target, parameters: dict) -> list:
    """What the model says, at each clock, of measurements that it isn't fitted to."""
    measured = json.loads(MEASURED.read_text())
    models = [at_clock(parameters, mhz) for mhz in CHECKED_CLOCKS]
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        copies = [_check_copy(row, target, scratch, models) for row in measured["copies"]]
        plain = compile_kernel({"name": "product", "source": "product", "defines": {}}, scratch)
        optimised = scratch / "optimised.spv"
        capture(["spirv-opt", "-O", plain, "-o", optimised], "spirv-opt")
        return copies + [_check_product(row, target, optimised, models) for row in measured["products"]]


def fit(target: environment.Target, rows_of=traced_rows) -> dict:
    """`rows_of`: the measured kernels and their traces, by default the rebuilt forms."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        say("running the measured kernels")
        rows = scratch / "rows.json"
        rows.write_text(json.dumps(rows_of(target, scratch)))
        say("fitting the model, with every kernel left out in turn")
        model = json.loads(capture([timing_path(), "fit", rows], "v3dsim-timing fit"))
    return {**model, "checks": checked_rows(target, model["parameters"])}



def model_trace(trace: Path, parameters: dict) -> list:
    """Modelled time of every job of a trace."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(parameters, file)
        file.flush()
        done = subprocess.run([str(timing_path()), "--parameters", file.name, "model", str(trace)],
                              capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise ToolError(done.stderr.strip())
    return [json.loads(line) for line in done.stdout.splitlines()]
