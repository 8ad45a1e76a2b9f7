# SPDX-License-Identifier: BSD-2-Clause
"""What a Raspberry Pi 5 would do with a stream, from instructions that were counted and from V3D's modelled times.
Every assumption is a constant of this file; where one is not known well it has a low and a high value, and so has every
result."""

import functools
import re
from dataclasses import astuple, dataclass

from . import paths

CPU_HZ = 2.4e9
CORES = 4
BUSY = 0.9  # of the cores' time that frame threads can fill
COUNTED_PIXELS = 1920 * 1080

# Instructions a cycle of a Cortex-A76: (pessimistic, optimistic). Entropy decoding is a chain of dependent loads and
# branches that are hard to predict; SIMD code waits for memory at 1080p. A published decode of stock FFmpeg on this
# board (138 frames a second of 1080p on 2.15 cores: 15.6 ms a frame) with 25 to 40 million instructions is 0.7 to 1.1
# over all.
PARSING, SIMD, RECORDING = (0.7, 1.2), (0.8, 1.8), (0.9, 1.8)

SYNC_NS_A_LINE = (10.0, 3.0)  # DMA_BUF_IOCTL_SYNC goes over a picture by lines of 64 bytes
HANDOVER_MS = (0.4, 0.15)  # a submit, the interrupt and the waiting thread's wake-up, of two phases

# Stages of the counts: which can go to V3D, and of what kind the rest is.
MOVES = {"motion compensation": "mc", "transforms": "itx", "loop filter": "lf", "deblocking": "lf", "CDEF": "cdef",
         "restoration": "lr"}
RECORDS = {"recording: predictions": "mc", "recording: residuals": "itx", "recording: loop filter": "lf",
           "recording: filters": "lf"}
SIMD_STAGES = {*MOVES, "intra", "film grain"}
# a frame's has to end before the next one's
SERIAL = {"coefficients", "modes, vectors", "modes", "deblocking masks", "vectors of references"}
# V3D's kernels by what their names hold.
V3D_STAGES = {"mc": r"_(mc|pair|overlap|warp|difference)", "itx": r"_(itx|wht)", "lf": r"_(lf|deblock)",
              "cdef": r"_(cdef|copy)", "lr": r"_(wiener|self_guided)"}
BETWEEN = ("intra", "transforms")  # what the CPU does of these after the predictions that V3D made
AS_FAST = 1.02  # plans that differ by less are told apart by their CPU time
PICTURE_BYTES = {8: 1.5, 10: 3.0}  # a pixel


def v3d_stage(kernel: str) -> str:
    """"": of none."""
    return next((stage for stage, names in V3D_STAGES.items() if re.search(names, kernel)), "")


@dataclass(frozen=True)
class Material:
    """Of a codec and depth at 1080p: instructions a frame by stage, of stock and of everything on V3D; V3D's
    milliseconds by stage and clock."""
    codec: str
    depth: int
    stock: dict[str, float]
    gpu: dict[str, float]
    v3d_ms: dict[str, dict[str, float]]


def materials(record: dict) -> list[Material]:
    """Of docs/pi-figures.json."""
    named = ((*name.split("-"), row) for name, row in record.items())
    return [Material(codec, int(depth), row["stock"], row["gpu"], row["v3d_ms"]) for codec, depth, row in named]


@dataclass(frozen=True)
class Stream:
    name: str
    width: int
    height: int
    rate: float

    def scale(self) -> float:
        return self.width * self.height / COUNTED_PIXELS


STREAMS = (Stream("1080p30", 1920, 1080, 30), Stream("1080p60", 1920, 1080, 60), Stream("1440p60", 2560, 1440, 60),
           Stream("2160p30", 3840, 2160, 30), Stream("2160p60", 3840, 2160, 60))


@dataclass(frozen=True)
class Candidate:
    """As plugin/scheduler/plan_table.h has them."""
    on_gpu: frozenset[str] = frozenset()
    every: int = 1
    between: frozenset[str] = frozenset()

    def name(self) -> str:
        def listed(stages: frozenset[str]) -> str:
            return ", ".join(stage for stage in V3D_STAGES if stage in stages) or "nothing"
        often = f", every {self.every} frames" if self.every > 1 else ""
        return listed(self.on_gpu) + often + (f"; {listed(self.between)} in the others" if self.between else "")


@functools.cache
def plan_table(codec: str) -> tuple[Candidate, ...]:
    """What plan `auto` chooses from on V3D."""
    text = (paths.ROOT / "plugin" / "scheduler" / "plan_table.cpp").read_text()
    stages = {name: frozenset({stage.lower()}) for name, stage in re.findall(r"(k\w+) = 1u << DD_STAGE_(\w+)", text)}

    def union(names: str) -> frozenset[str]:
        return frozenset().union(*(stages[name.strip()] for name in names.split("|") if name.strip() != "0"))
    for name, names in re.findall(r"(k\w+) = (k\w+ \| k\w+)", text):
        stages[name] = union(names)
    rows = re.search(rf"k{codec.capitalize()}V3d\[\] = (.*?);", text, re.S)[1]
    columns = (row.split(",") for row in re.findall(r"{([^{}]+)}", rows))
    return tuple(Candidate(union(row[0]), *map(int, row[1:2]), *map(union, row[2:])) for row in columns)


@dataclass(frozen=True)
class Cost:
    """Milliseconds a frame, on average over the frames of a candidate."""
    cpu: float
    serial: float
    v3d: float = 0.0
    chain: float = 0.0  # V3D, hand-over and what the CPU does between its phases

    def frame_ms(self) -> float:
        return max(self.cpu / (CORES * BUSY), self.serial, self.chain)

    def fps(self) -> float:
        return 1000 / self.frame_ms()


def milliseconds(instructions: float, rate: tuple[float, float], side: int) -> float:
    return instructions / rate[side] / CPU_HZ * 1e3


def kind_of(stage: str) -> tuple[float, float]:
    return SIMD if stage in SIMD_STAGES else RECORDING if stage in RECORDS else PARSING


def synchronisations(material: Material, stages: frozenset[str]) -> int:
    """Of a frame that a program reads: before the first submit and after the last one; for the CPU's intra blocks
    between recon and filters; and for the frames that refer to it, where the CPU filters last. A display's frame needs
    two less."""
    filters = {"lf", "cdef", "lr"}
    recon = bool({"mc", "itx"} & stages)
    left = any(moved in filters - stages and material.stock.get(name) for name, moved in MOVES.items())
    return 2 + 2 * (recon and bool(filters & stages)) + (recon and left)


def usable(material: Material) -> frozenset[str]:
    """Stages that the stream and the modelled frame have."""
    return frozenset(stage for stage in V3D_STAGES if any(times.get(stage) for times in material.v3d_ms.values())
                     and any(moved == stage and material.stock.get(name) for name, moved in MOVES.items()))


def frame_cost(material: Material, stream: Stream, stages: frozenset[str], clock: str, side: int) -> Cost:
    """Of a frame with these stages on V3D. `side`: 0 pessimistic, 1 optimistic."""
    scale = stream.scale()
    cpu = sum(milliseconds(n, kind_of(stage), side) for stage, n in material.stock.items())
    serial = sum(milliseconds(n, kind_of(stage), side) for stage, n in material.stock.items() if stage in SERIAL)
    if not stages:
        return Cost(cpu * scale, serial * scale)
    parsing = sum(milliseconds(material.gpu.get(stage, 0) - material.stock.get(stage, 0), PARSING, side)
                  for stage in SERIAL)
    cpu, serial = cpu + parsing, serial + parsing
    for name, moved in MOVES.items():
        if moved in stages:
            cpu -= milliseconds(material.stock.get(name, 0) - material.gpu.get(name, 0), SIMD, side)
    cpu += sum(milliseconds(material.gpu.get(name, 0), RECORDING, side) for name, of in RECORDS.items() if of in stages)
    lines = COUNTED_PIXELS * PICTURE_BYTES[material.depth] / 64
    cpu += synchronisations(material, stages) * lines * SYNC_NS_A_LINE[side] / 1e6
    v3d = sum(material.v3d_ms[clock].get(stage, 0) for stage in stages)
    on_cpu = [name for name in BETWEEN if MOVES.get(name) not in stages] if stages & {"mc", "itx"} else []
    between = sum(milliseconds(material.stock.get(name, 0), SIMD, side) for name in on_cpu)
    return Cost(cpu * scale, serial * scale, v3d * scale, (v3d + between) * scale + HANDOVER_MS[side])


def cost(material: Material, stream: Stream, candidate: Candidate, clock: str, side: int) -> Cost:
    here, between = (frame_cost(material, stream, stages & usable(material), clock, side)
                     for stages in (candidate.on_gpu, candidate.between))
    return Cost(*((a + (candidate.every - 1) * b) / candidate.every for a, b in zip(astuple(here), astuple(between))))


def choose(material: Material, stream: Stream, clock: str, goal: str, side: int) -> Candidate:
    """What plan `auto` takes if it measures well: the most frames a second, or the least CPU where the stream's rate
    (60 at most) is reached."""
    found = [(candidate, cost(material, stream, candidate, clock, side)) for candidate in plan_table(material.codec)]
    enough = [one for one in found if goal == "cpu" and one[1].fps() >= min(60, stream.rate)]
    if not enough:
        fastest = min(one.frame_ms() for _, one in found)
        enough = [one for one in found if one[1].frame_ms() <= fastest * AS_FAST]
    return min(enough, key=lambda one: one[1].cpu)[0]
