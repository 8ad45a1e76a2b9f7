# SPDX-License-Identifier: BSD-2-Clause
"""Decode a stream with an ffmpeg program and keep what has to be equal: each frame's md5, the md5 of all, the exit
code."""

import os
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import hooks


@dataclass(frozen=True)
class Offload:
    """How `-hwaccel daedalus` is to be used."""
    device: str = "auto"
    plan: str = "auto"
    profile: str = "auto"
    memory: str = ""  # "discrete": as on a device with memory of its own

    def arguments(self) -> list[str]:
        return ["-hwaccel", "daedalus", "-hwaccel_device", self.device]

    def environment(self) -> dict[str, str]:
        # By the environment, as commas within a plan would have to be quoted in the device's options.
        memory = {"DAEDALUS_MEMORY": self.memory} if self.memory else {}
        return {"DAEDALUS_PLAN": self.plan, "DAEDALUS_PROFILE": self.profile, **memory}


@dataclass(frozen=True)
class Threads:
    count: int = 1
    kind: str = "frame"
    delay: int = 0  # of libdav1d: frames that may be decoded at once; 0: its own choice

    def arguments(self) -> list[str]:
        delay = ["-max_frame_delay", str(self.delay)] if self.delay else []
        return ["-threads", str(self.count), "-thread_type", self.kind, *delay]


@dataclass
class Decoded:
    exit_code: int
    md5: str
    frames: list[str]  # framemd5's rows: stream, dts, pts, duration, bytes, md5
    log: str
    seconds: float
    timed_out: bool = False
    extra: dict = field(default_factory=dict)

    def as_json(self) -> dict:
        return asdict(self)

    def sums(self) -> list[str]:
        return [row.rsplit(",", 1)[1].strip() for row in self.frames]


# Frames leave as they were decoded: no scaling to the first one's size, none repeated or dropped.
AS_DECODED = ["-map", "0:v:0", "-noautoscale", "-fps_mode", "passthrough"]


# Where things lie: no decode depends on it.
KEPT = ("DAEDALUS_BUILD", "DAEDALUS_CACHE")


def clean_environment() -> dict[str, str]:
    """The environment without what would change a decode behind a test's back."""
    return {key: value for key, value in os.environ.items()
            if (not key.startswith("DAEDALUS_") or key in KEPT) and key != "AV_LOG_FORCE_COLOR"}


def rows_of(framemd5: str) -> list[str]:
    return [line for line in framemd5.splitlines() if line and not line.startswith("#")]


def command(program: Path, stream: Path, threads: Threads, offload: Offload | None, level: str,
            before: list[str], outputs: list[str]) -> list[str]:
    return [str(program), "-nostdin", "-hide_banner", "-nostats", "-loglevel", f"repeat+level+{level}",
            *(offload.arguments() if offload else []), *threads.arguments(), *before, "-i", str(stream), *outputs]


def decode(program: Path, stream: Path, *, threads: Threads = Threads(), offload: Offload | None = None,
           level: str = "verbose", before: list[str] | None = None, environment: dict[str, str] | None = None,
           timeout: float = 900, prefix: list[str] | None = None) -> Decoded:
    with tempfile.TemporaryDirectory(prefix="dd-decode-") as scratch:
        frames, total = Path(scratch, "frames"), Path(scratch, "total")
        outputs = [*AS_DECODED, "-f", "framemd5", str(frames), *AS_DECODED, "-f", "md5", str(total)]
        arguments = [*(prefix or []), *command(program, stream, threads, offload, level, before or [], outputs)]
        env = {**clean_environment(), **(offload.environment() if offload else {}), **(environment or {})}
        if offload:
            hooks.check(program, env)
        start = time.monotonic()
        timed_out = False
        try:
            done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, env=env)
            code, log = done.returncode, done.stderr
        except subprocess.TimeoutExpired as late:
            code, log, timed_out = -1, late.stderr or b"", True
        return Decoded(code, total.read_text().strip().removeprefix("MD5=") if total.is_file() else "",
                       rows_of(frames.read_text()) if frames.is_file() else [],
                       log.decode(errors="replace"), time.monotonic() - start, timed_out)
