# SPDX-License-Identifier: BSD-2-Clause
"""The statistics that a decoder logs when it closes, and what they have to prove."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from .decode import Offload
from .truth import Truth

STAGES = ("mc", "itx", "lf", "cdef", "lr")
VP9_STAGES = ("mc", "itx", "lf")
# A device profile's limits for one frame.
LIMITS = {"v3d": {"max_dispatches": 12, "max_submits": 2}, "wide": {"max_submits": 2}, "auto": {"max_submits": 2}}
AV1_DISPATCHES = 16  # instead of those, for AV1


@dataclass
class Stage:
    gpu_blocks: int = 0
    gpu_frames: int = 0
    cpu_frames: int = 0


@dataclass
class Statistics:
    """Of one or more streams."""
    frames: int = 0
    gpu_frames: int = 0
    rerun_frames: int = 0
    out_of_range: int = 0
    rested: int = 0  # frames whose residuals the CPU kept because of such frames before them
    recon_refused: int = 0  # AV1: inter blocks that the GPU can't predict
    refused: int = 0  # AV1: frames that are the CPU's whole
    max_submits: int = 0
    max_dispatches: int = 0
    given_up: bool = False
    devices: list[str] = field(default_factory=list)
    stages: dict[str, Stage] = field(default_factory=dict)

    def as_json(self) -> dict:
        return asdict(self)

    def add(self, other: "Statistics") -> None:
        for name in ("frames", "gpu_frames", "rerun_frames", "out_of_range", "rested", "recon_refused", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("max_submits", "max_dispatches", "given_up"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))
        self.devices += [device for device in other.devices if device not in self.devices]
        for name, stage in other.stages.items():
            mine = self.stages.setdefault(name, Stage())
            for number in ("gpu_blocks", "gpu_frames", "cpu_frames"):
                setattr(mine, number, getattr(mine, number) + getattr(stage, number))


FRAMES = re.compile(r"(\d+) frames, (\d+) with work on (.+), (\d+) run again on the CPU(; the GPU was given up)?$")
STAGE = re.compile(r"\b(mc|itx|lf|cdef|lr): (\d+) (?:predictions|transforms|superblocks) in (\d+) frames on .+, "
                   r"(\d+) frames on the CPU$")
RANGE = re.compile(r"(\d+) frames had residuals out of the range")
RESTED = re.compile(r"(\d+) frames' residuals stayed on the CPU after")
RECON_REFUSED = re.compile(r"(\d+) frames were reconstructed on the CPU: ")
REFUSED = re.compile(r"(\d+) frames stayed on the CPU: ")
DISPATCHES = re.compile(r"[\d.]+ submits and [\d.]+ dispatches a frame with GPU work, at most (\d+) and (\d+)$")


def _line(found: Statistics, line: str) -> bool:
    if match := FRAMES.search(line):
        numbers = Statistics(frames=int(match[1]), gpu_frames=int(match[2]), rerun_frames=int(match[4]),
                             given_up=bool(match[5]), devices=[match[3]])
    elif match := STAGE.search(line):
        numbers = Statistics(stages={match[1]: Stage(*map(int, match.groups()[1:]))})
    elif match := RANGE.search(line):
        numbers = Statistics(out_of_range=int(match[1]))
    elif match := RESTED.search(line):
        numbers = Statistics(rested=int(match[1]))
    elif match := RECON_REFUSED.search(line):
        numbers = Statistics(recon_refused=int(match[1]))
    elif match := REFUSED.search(line):
        numbers = Statistics(refused=int(match[1]))
    elif match := DISPATCHES.search(line):
        numbers = Statistics(max_submits=int(match[1]), max_dispatches=int(match[2]))
    else:
        return False
    found.add(numbers)
    return True


def parse(log: str) -> Statistics | None:
    """The sum over all streams that closed; None where none did."""
    found = Statistics()
    lines = [_line(found, line) for line in log.splitlines()]
    return found if any(lines) else None


def on_gpu(plan: str, stages: Iterable[str] = VP9_STAGES) -> set[str]:
    """The stages that a plan gives to the GPU for every frame; `stages`: those that the codec has."""
    av1 = "cdef" in stages
    if plan == "gpu":
        return set(STAGES if av1 else VP9_STAGES)
    named = {part.split("=")[0] for part in re.split("[,+]", plan) if part.endswith("=gpu")}
    # AV1's residuals follow their predictions.
    return named - {"itx"} if av1 and "mc" not in named else named


def on_cpu(plan: str) -> set[str]:
    """The stages that a plan never gives to the GPU. A list's silence about a stage says nothing."""
    if plan == "cpu":
        return set(STAGES)
    return {part.split("=")[0] for part in re.split("[,+]", plan) if part.endswith("=cpu")}


def explained(found: Statistics, stage: str) -> int:
    """Frames whose share of a stage has a reason to be on the CPU."""
    recon = found.recon_refused if stage in ("mc", "itx") else 0
    return found.rerun_frames + found.refused + recon + (found.rested if stage == "itx" else 0)


def wrong_place(found: Statistics, plan: str) -> list[str]:
    """Stages that ran where the plan did not put them."""
    problems = []
    for name, stage in found.stages.items():
        if name in on_gpu(plan, found.stages) and stage.cpu_frames > explained(found, name):
            problems.append(f"{name}: {stage.cpu_frames} frames on the CPU, "
                            f"{explained(found, name)} of them for a reason")
        if name in on_cpu(plan) and stage.gpu_frames:
            problems.append(f"{name}: {stage.gpu_frames} frames on the GPU under plan {plan}")
    return problems


def missing_work(found: Statistics, plan: str, truth: Truth) -> list[str]:
    """Work that the stream's headers ask for and the statistics don't show."""
    problems = []
    for name, wanted in (("mc", truth.inter), ("itx", truth.inter), ("lf", truth.filtered)):
        stage = found.stages.get(name, Stage())
        if stage.gpu_frames + stage.cpu_frames != wanted:
            problems.append(f"{name}: {stage.gpu_frames + stage.cpu_frames} frames counted, the headers have {wanted}")
        if name in on_gpu(plan) and wanted > explained(found, name) and not stage.gpu_blocks and name != "itx":
            problems.append(f"{name}: no block ran on the GPU")
    if found.frames != truth.frames:
        problems.append(f"{found.frames} frames counted, the headers have {truth.frames}")
    return problems


def problems(found: Statistics, offload: Offload, truth: Truth | None) -> list[str]:
    """What the statistics of a stream fail to prove. A stream may have inter frames without a single residual: that
    itx has blocks is asked of the sum over streams, in problems_of_sum."""
    wrong = wrong_place(found, offload.plan)
    if truth:
        wrong += missing_work(found, offload.plan, truth)
    if found.given_up:
        wrong.append("the GPU was given up")
    if found.rerun_frames > found.out_of_range:
        wrong.append(f"{found.rerun_frames} frames run again on the CPU, {found.out_of_range} had residuals out of "
                     "range")
    limits = dict(LIMITS.get(offload.profile, {}))
    if "max_dispatches" in limits and "cdef" in found.stages:
        limits["max_dispatches"] = AV1_DISPATCHES
    wrong += [f"{name}: {getattr(found, name)}, at most {most} allowed" for name, most in limits.items()
              if getattr(found, name) > most]
    return wrong


def total(parts: list[Statistics]) -> Statistics:
    whole = Statistics()
    for part in parts:
        whole.add(part)
    return whole


def problems_of_sum(whole: Statistics, plan: str) -> list[str]:
    return [f"{name}: not one block of all streams ran on the GPU" for name, stage in whole.stages.items()
            if name in on_gpu(plan, whole.stages) and not stage.gpu_blocks]


def line(whole: Statistics) -> str:
    """What ran where, for people."""
    stages = ", ".join(f"{name} {stage.gpu_blocks} blocks in {stage.gpu_frames} frames on the GPU and "
                       f"{stage.cpu_frames} "
                       f"frames on the CPU" for name, stage in whole.stages.items())
    return (f"{whole.frames} frames, {whole.gpu_frames} with GPU work, {whole.rerun_frames} run again on the CPU "
            f"({whole.out_of_range} out of range); {stages}; at most {whole.max_submits} submits and "
            f"{whole.max_dispatches} dispatches a frame; on {', '.join(whole.devices) or 'no device'}")
