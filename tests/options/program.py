# SPDX-License-Identifier: BSD-2-Clause
"""Runs of the two ffmpeg programs, and streams small enough to run them often."""

import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import decode, manifest, paths
from daedalus_tools.log_lines import speaks_of_us

DEVICE = os.environ.get("DAEDALUS_TEST_DEVICE", "llvmpipe")
WANTED = ("vp9/libvpx/vp90-2-02-size-66x66.webm", "vp9-odd-97x61.webm")
WANTED_LONG = ("vp9/cros-codecs/test-25fps.vp9", "vp9-352x288.webm")
# In frame-parallel mode, with frames that take longer to parse than a thread takes to wake up.
WANTED_FRAME_PARALLEL = ("vp9/libvpx/vp90-2-08-tile_1x2_frame_parallel.webm", "vp9/serenity/vp9_in_webm.webm",
                         "vp9-tiles-1280x720.webm")
NO_DRIVER = {"VK_ICD_FILENAMES": os.devnull, "VK_DRIVER_FILES": os.devnull}


@dataclass
class Run:
    code: int
    log: str
    frames: list[str]

    def lines(self, *levels: str) -> list[str]:
        """The log's lines of these levels, addresses left out."""
        wanted = re.compile(r"\[(?:" + "|".join(levels) + r")\] ")
        return [re.sub(r" @ 0x[0-9a-f]+", "", line) for line in self.log.splitlines() if wanted.search(line)]

    def ours(self, *levels: str) -> list[str]:
        """Those of them that speak of daedalus."""
        return [line for line in self.lines(*levels) if speaks_of_us(line)]

    def said(self, text: str) -> int:
        """How often we said this. A line of the device's own thread may lack its level: it can come in the middle of
        another one, which FFmpeg writes in parts."""
        return len(re.findall(f"daedalus: [^\n]*{re.escape(text)}", self.log))


def run(arguments: list[str], environment: dict[str, str] | None = None, program: Path = paths.PATCHED,
        level: str = "verbose", timeout: float = 120) -> Run:
    """Arguments up to and with the input; the first video stream's frames are summed."""
    with tempfile.TemporaryDirectory(prefix="dd-options-") as folder:
        sums = Path(folder, "sums")
        command = [str(program), "-nostdin", "-hide_banner", "-nostats", "-loglevel", f"repeat+level+{level}",
                   *arguments, *decode.AS_DECODED, "-f", "framemd5", str(sums)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=timeout, env={**decode.clean_environment(), **(environment or {})})
        return Run(done.returncode, done.stderr, decode.rows_of(sums.read_text()) if sums.is_file() else [])


def hwaccel(device: str | None = DEVICE, *more: str) -> list[str]:
    return ["-hwaccel", "daedalus", *(["-hwaccel_device", device] if device else []), *more]


@functools.cache
def _streams() -> dict[str, Path]:
    return {stream.name: stream.path for stream in manifest.find([])}


def first_of(names: tuple[str, ...]) -> Path:
    return next(_streams()[name] for name in names if name in _streams())


def small() -> Path:
    return first_of(WANTED)


def long() -> Path:
    return first_of(WANTED_LONG)


def frame_parallel() -> Path:
    return first_of(WANTED_FRAME_PARALLEL)


@functools.cache
def stock_frames(stream: Path) -> list[str]:
    found = run(["-i", str(stream)], program=paths.STOCK, level="error")
    if found.code or not found.frames:
        raise RuntimeError(f"stock FFmpeg can't decode {stream}: {found.log}")
    return found.frames


class DecodeCase(unittest.TestCase):
    maxDiff = 2000

    def interrupted(self, environment: dict[str, str], seconds: float, *options: str) -> str:
        """What it says when Ctrl-C comes after so long in a stream without end, which it has to understand."""
        child = subprocess.Popen([str(paths.PATCHED), "-nostdin", "-hide_banner", "-nostats", "-loglevel",
                                  "repeat+level+verbose", *hwaccel(None, *options, "-hwaccel_device", DEVICE),
                                  "-stream_loop", "-1", "-i", str(long()), "-f", "null", "-"],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 env={**decode.clean_environment(), **environment})
        time.sleep(seconds)
        self.assertIsNone(child.poll(), "it ended before it was interrupted")
        child.send_signal(signal.SIGINT)
        try:
            log = child.communicate(timeout=30)[1]
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            self.fail("it goes on after Ctrl-C")
        self.assertEqual(child.returncode, 255, log[-2000:])  # as stock ffmpeg
        return log

    def decodes(self, arguments: list[str], environment: dict[str, str] | None = None,
                stream: Path | None = None) -> Run:
        """Decodes and expects stock's frames."""
        stream = stream or small()
        done = run([*arguments, "-i", str(stream)], environment)
        self.assertEqual(done.code, 0, done.log[-2000:])
        self.assertEqual(done.frames, stock_frames(stream))
        return done
