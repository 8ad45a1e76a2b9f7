# SPDX-License-Identifier: BSD-2-Clause
"""What a Raspberry Pi 5 would do with a stream, from instructions that were counted and from V3D's modelled times. Every assumption
is a constant of this file; where one is not known well it has a low and a high value, and so has every result."""

import re
from dataclasses import dataclass
from itertools import combinations

CPU_HZ = 2.4e9
CORES = 4
BUSY = 0.9  # of the cores' time that frame threads can fill
COUNTED_PIXELS = 1920 * 1080

# Instructions a cycle of a Cortex-A76: (pessimistic, optimistic). Entropy decoding is a chain of dependent loads and branches that
# are hard to predict; SIMD code waits for memory at 1080p. A published decode of stock FFmpeg on this board (138 frames a second of
# 1080p on 2.15 cores: 15.6 ms a frame) with 25 to 40 million instructions is 0.7 to 1.1 over all.
PARSING, SIMD, RECORDING = (0.7, 1.2), (0.8, 1.8), (0.9, 1.8)

SYNC_NS_A_LINE = (10.0, 3.0)  # DMA_BUF_IOCTL_SYNC goes over a picture by lines of 64 bytes
HANDOVER_MS = (0.4, 0.15)  # a submit, the interrupt and the waiting thread's wake-up, of two phases

# Stages of the counts: which can go to V3D, and of what kind the rest is.
MOVES = {"motion compensation": "mc", "transforms": "itx", "loop filter": "lf", "deblocking": "lf", "CDEF": "cdef", "restoration": "lr"}
RECORDS = {"recording: predictions": "mc", "recording: residuals": "itx", "recording: loop filter": "lf", "recording: filters": "lf"}
SIMD_STAGES = {*MOVES, "intra", "film grain"}
SERIAL = {"coefficients", "modes, vectors", "modes", "deblocking masks", "vectors of references"}  # a frame's has to end before the next one's
# V3D's kernels by what their names hold.
V3D_STAGES = {"mc": r"_(mc|pair|overlap|warp|difference)", "itx": r"_(itx|wht)", "lf": r"_(lf|deblock)", "cdef": r"_(cdef|copy)",
              "lr": r"_(wiener|self_guided)"}
TOGETHER = ({"cdef", "lr"},)  # on one side
NEEDS = {"itx": "mc"}  # AV1: residuals go with predictions
MIXES = (1.0, 0.5, 0.25)  # share of frames with the plan
PICTURE_BYTES = {8: 1.5, 10: 3.0}  # a pixel


def v3d_stage(kernel: str) -> str:
    """"": of none."""
    return next((stage for stage, names in V3D_STAGES.items() if re.search(names, kernel)), "")


@dataclass(frozen=True)
class Material:
    """Of a codec and depth at 1080p: instructions a frame by stage, of stock and of everything on V3D; V3D's milliseconds by stage and
    clock."""
    codec: str
    depth: int
    stock: dict[str, float]
    gpu: dict[str, float]
    v3d_ms: dict[str, dict[str, float]]


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
class Cost:
    """Milliseconds a frame, on average over the frames of a mix."""
    stages: tuple[str, ...] = ()
    mix: float = 1.0
    cpu: float = 0.0
    serial: float = 0.0
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


def synchronisations(material: Material, stages: tuple[str, ...]) -> int:
    """Of a frame that a program reads: before the first submit and after the last one; for the CPU's intra blocks between recon and
    filters; and for the frames that refer to it, where the CPU filters last. A display's frame needs two less."""
    filters = {"lf", "cdef", "lr"}
    recon = bool({"mc", "itx"} & set(stages))
    left = any(moved in filters - set(stages) and material.stock.get(name) for name, moved in MOVES.items())
    return 2 + 2 * (recon and bool(filters & set(stages))) + (recon and left)


def cost(material: Material, stream: Stream, stages: tuple[str, ...], mix: float, clock: str, side: int) -> Cost:
    """`side`: 0 pessimistic, 1 optimistic."""
    scale = stream.scale()
    cpu = sum(milliseconds(n, kind_of(stage), side) for stage, n in material.stock.items())
    serial = sum(milliseconds(n, kind_of(stage), side) for stage, n in material.stock.items() if stage in SERIAL)
    if not stages:
        return Cost(cpu=cpu * scale, serial=serial * scale)
    change = 0.0
    for name, moved in MOVES.items():
        if moved in stages:
            change -= milliseconds(material.stock.get(name, 0) - material.gpu.get(name, 0), SIMD, side)
    change += sum(milliseconds(material.gpu.get(name, 0), RECORDING, side) for name, of in RECORDS.items() if of in stages)
    lines = COUNTED_PIXELS * PICTURE_BYTES[material.depth] / 64
    change += synchronisations(material, stages) * lines * SYNC_NS_A_LINE[side] / 1e6
    v3d = sum(material.v3d_ms[clock].get(stage, 0) for stage in stages)
    between = milliseconds(material.stock.get("intra", 0), SIMD, side) if set(stages) & {"mc", "itx"} else 0.0
    chain = (v3d + between) * scale + HANDOVER_MS[side]
    return Cost(stages, mix, (cpu + mix * change) * scale, serial * scale, mix * v3d * scale, mix * chain)


def plans(material: Material) -> list[tuple[str, ...]]:
    names = [name for name in ("mc", "itx", "lf", "cdef", "lr") if any(moved == name and material.stock.get(stage) for stage, moved in MOVES.items())]
    found = []
    for n in range(1, len(names) + 1):
        for stages in combinations(names, n):
            if material.codec == "av1" and any(stage in stages and needed not in stages for stage, needed in NEEDS.items()):
                continue
            if any(len(together & set(stages)) == 1 and together <= set(names) for together in TOGETHER):
                continue
            if any(not any(times.get(stage) for times in material.v3d_ms.values()) for stage in stages):
                continue  # the modelled frame has none of it
            found.append(stages)
    return found


def candidates(material: Material, stream: Stream, clock: str, side: int) -> list[Cost]:
    return [cost(material, stream, (), 1.0, clock, side),
            *(cost(material, stream, stages, mix, clock, side) for stages in plans(material) for mix in MIXES)]


def choose(material: Material, stream: Stream, clock: str, goal: str, side: int) -> Cost:
    """What a perfect plan `auto` takes: the most frames a second, or the least CPU where the stream's rate (60 at most) is reached."""
    found = candidates(material, stream, clock, side)
    if goal == "cpu":
        reached = [one for one in found if one.fps() >= min(60, stream.rate)]
        return min(reached or found, key=(lambda one: one.cpu) if reached else Cost.frame_ms)
    fastest = min(one.frame_ms() for one in found)
    return min((one for one in found if one.frame_ms() <= fastest * 1.001), key=lambda one: one.cpu)
