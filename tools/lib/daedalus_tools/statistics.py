# SPDX-License-Identifier: BSD-2-Clause
"""The statistics that a decoder logs when it closes, and what they have to prove."""

import re
from collections import Counter
from dataclasses import asdict, dataclass, field

from .decode import Offload
from .truth import Truth

STAGES = ("mc", "itx", "lf", "cdef", "lr")
VP9_STAGES = ("mc", "itx", "lf")
# A device profile's limits for one frame.
LIMITS = {"v3d": {"max_dispatches": 12, "max_submits": 2}, "wide": {"max_submits": 2}}


@dataclass
class Stage:
    gpu_blocks: int = 0
    gpu_frames: int = 0
    cpu_frames: int = 0


@dataclass
class Statistics:
    frames: int = 0
    gpu_frames: int = 0
    rerun_frames: int = 0
    submits: int = 0
    dispatches: int = 0
    max_submits: int = 0
    max_dispatches: int = 0
    latched: int = 0
    stages: dict[str, Stage] = field(default_factory=dict)

    def as_json(self) -> dict:
        return asdict(self)


STAGE = re.compile(r"\b(?P<stage>mc|itx|lf|cdef|lr): (?P<gpu_blocks>\d+) \w+ in (?P<gpu_frames>\d+) frames on the GPU, "
                   r"(?P<cpu_frames>\d+) frames on the CPU")


def parse(log: str) -> Statistics | None:
    raise NotImplementedError


def on_gpu(plan: str) -> set[str]:
    """The stages that a forced plan gives to the GPU for every frame."""
    if plan == "gpu":
        return set(VP9_STAGES)
    return {part.split("=")[0] for part in plan.split(",") if part.endswith("=gpu")}


def on_cpu(plan: str) -> set[str]:
    if plan == "cpu":
        return set(STAGES)
    return {part.split("=")[0] for part in plan.split(",") if part.endswith("=cpu")}
