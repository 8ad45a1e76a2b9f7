# SPDX-License-Identifier: BSD-2-Clause
"""What players need that know nothing of Daedalus: a device by the environment, more threads than the one that they ask
for, frames in their own buffers."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from daedalus_tools import ivf, log_lines, manifest
from program import DEVICE, DecodeCase, decode, hwaccel, long, paths, run, small, stock_frames

ENABLED = {"DAEDALUS_ENABLE": "1", "DAEDALUS_DEVICE": DEVICE, "DAEDALUS_PLAN": "gpu"}
SAYS = "DAEDALUS_ENABLE is set: decoding with libdaedalus"
PROGRAM = paths.BUILD / "tests" / "options" / "own_buffers"


def av1() -> Path:
    return min((stream.path for stream in manifest.find([], codec="av1", tier="core")
                if stream.path.suffix in (".ivf", ".obu")),
               key=lambda path: path.stat().st_size)


class Environment(DecodeCase):
    def assert_stock(self, done) -> None:
        self.assertFalse([line for line in done.log.splitlines() if log_lines.speaks_of_us(line)])

    def test_a_device_is_opened(self):
        for stream in (small(), av1()):
            for threads in ("0", "4"):
                with self.subTest(stream=stream.name, threads=threads):
                    done = self.decodes(["-threads", threads], ENABLED, stream)
                    # the decoders that probe the stream have none
                    self.assertEqual(done.log.count(SAYS), 1, done.log[-2000:])
                    self.assertRegex(done.log, r"daedalus: .*\bgpu\b|daedalus: .*GPU")

    def test_not_where_one_thread_is_asked_for(self):
        """Those are what avformat_find_stream_info() opens."""
        self.assert_stock(self.decodes(["-threads", "1"], ENABLED))

    def test_not_without_the_variable(self):
        for value in ({}, {"DAEDALUS_ENABLE": ""}, {"DAEDALUS_ENABLE": "0"}):
            self.assert_stock(self.decodes([], {**ENABLED, "DAEDALUS_ENABLE": "0", **value}))

    def test_the_callers_device_stays(self):
        done = self.decodes(hwaccel(), {**ENABLED, "DAEDALUS_DEVICE": "cpu"})
        self.assertNotIn("DAEDALUS_ENABLE", done.log)

    def test_a_device_that_can_not_be_opened(self):
        done = self.decodes([], {**ENABLED, "DAEDALUS_PLAN": "mc=fpga"})
        self.assertEqual(done.log.count("DAEDALUS_ENABLE is set, but there is no device"), 1, done.log[-2000:])


class OneThread(DecodeCase):
    """Callers that give any decoder with a device one thread."""

    def threads(self, option: str, environment: dict[str, str], asked: str = "1") -> int:
        with tempfile.TemporaryDirectory(prefix="dd-players-") as folder:
            trace = Path(folder, "trace.json")
            done = run(["-cpucount", "2", "-init_hw_device", f"daedalus=d:{DEVICE},plan=parse{option}",
                        *hwaccel("d", "-threads", asked), "-i", str(long())],
                       {"DAEDALUS_TRACE": str(trace), **environment})
            self.assertEqual(done.code, 0, done.log[-2000:])
            return len({span["tid"] for span in json.loads(trace.read_text()) if span["name"] == "parse"})

    def test_threads(self):
        for option, environment, expected in ((",threads=4", {}, 4), ("", {"DAEDALUS_THREADS": "4"}, 4),
                                              (",threads=0", {}, 6),
                                              (",threads=5", {"DAEDALUS_THREADS": "4"}, 5), ("", {}, 3)):
            with self.subTest(option=option, environment=environment):
                self.assertEqual(self.threads(option, environment), expected)

    def test_more_than_one_is_left_alone(self):
        self.assertEqual(self.threads(",threads=8", {}, "2"), 2)

    def test_no_number(self):
        for value in ("x", "-1", "4x", "99999999999"):
            done = run(["-init_hw_device", f"daedalus=d:{DEVICE},threads={value}", "-i", str(small())])
            self.assertNotEqual(done.code, 0)
            self.assertIn(f"'{value}' is no number of threads", done.log)

    def test_frames(self):
        for stream in (small(), av1()):
            self.decodes(hwaccel(None, "-threads", "1"), {**ENABLED, "DAEDALUS_THREADS": "0"}, stream)


class OwnBuffers(DecodeCase):
    """A program whose frames lie in its own memory and carry its own `opaque`."""

    def own(self, stream: Path, *options: str, **environment: str) -> list[str]:
        done = subprocess.run([str(PROGRAM), str(ivf.remuxed(stream)), *options], capture_output=True, text=True,
                              timeout=120, env={**decode.clean_environment(), "DAEDALUS_PLAN": "gpu", **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split()[-1] for line in done.stdout.splitlines()]

    def sums(self, stream: Path) -> list[str]:
        return [re.split(r",\s*", row)[-1] for row in stock_frames(stream)]

    def streams(self) -> list[Path]:
        wanted = ("vp91-2-04-yuv444", "vp9-444", "vp92-2-20-10bit", "vp9-10bit", "vp90-2-21-resize_inter_320x180_5",
                  "vp9-rt")
        found = [stream.path for stream in manifest.find([], codec="vp9") if stream.path.name.startswith(wanted)]
        return [small(), *found[:4]]

    def test_vp9(self):
        for stream in self.streams():
            for threads in ("1", "3"):
                with self.subTest(stream=stream.name, threads=threads):
                    expected = self.sums(stream)
                    self.assertEqual(self.own(stream, "--threads", threads), expected)
                    self.assertEqual(self.own(stream, "--threads", threads, "--device", DEVICE), expected)
        self.assertEqual(self.own(small(), "--threads", "2", DAEDALUS_ENABLE="1", DAEDALUS_DEVICE=DEVICE),
                         self.sums(small()))

    def test_av1(self):
        """Stock's libdav1d decoder calls no get_buffer2() either."""
        self.assertEqual(self.own(av1(), "--never-asked"), self.sums(av1()))
        self.assertEqual(self.own(av1(), "--never-asked", "--device", DEVICE), self.sums(av1()))


if __name__ == "__main__":
    unittest.main()
