# SPDX-License-Identifier: BSD-2-Clause
"""Frames that ask for more than a device may be given are the CPU's, each for itself: the GPU keeps the others."""

import functools
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from daedalus_tools import ivf
from program import DecodeCase, decode, hwaccel, paths, small

TOO_MUCH = "more work than the device may be given at once"
CLIPS = tempfile.TemporaryDirectory(prefix="dd-limits-")
# Scenes of a frame or two, at a high quality: small intra blocks in long chains, in frames that are no intra frames.
CRAFTED = ("--kbps", "30000", "--", "--disable-warning-prompt", "--disable-kf", "--passes=1", "--lag-in-frames=0")


@functools.cache
def clip(codec: str, *options: str) -> Path:
    """Six frames of 352x288."""
    path = Path(CLIPS.name, f"{len(list(Path(CLIPS.name).iterdir()))}-{codec}.webm")
    subprocess.run([sys.executable, str(paths.ROOT / "tools" / "clips" / "make"), "--codec", codec, "--frames", "6",
                    "--seed", "5", "-o", str(path), *options], check=True)
    return path


class Limits(DecodeCase):
    def refuses(self, limits, *arguments):
        for profile in ("wide", "v3d"):
            with self.subTest(profile=profile):
                done = self.decodes(hwaccel("llvmpipe", *arguments),
                                    {"DAEDALUS_PLAN": "gpu", "DAEDALUS_PROFILE": profile, "DAEDALUS_LIMITS": limits},
                                    small())
                self.assertEqual(done.said(TOO_MUCH), 1, done.log[-3000:])
                self.assertEqual(done.ours("warning", "error"), [])
                self.assertNotIn("given up", done.log)

    def test_workgroups(self):
        self.refuses("groups:0")

    def test_uploads(self):
        self.refuses("upload:2000")

    def test_time(self):
        self.refuses("time:20000", "-threads", "3")

    def test_without_them_nothing_is_refused(self):
        done = self.decodes(hwaccel("llvmpipe"), {"DAEDALUS_PLAN": "gpu"}, small())
        self.assertEqual(done.said(TOO_MUCH), 0)


class Crafted(DecodeCase):
    """Frames that keep a GPU busy for longer than others of their size."""

    def refused(self, stream: Path, profile: str, time_ns: int) -> int:
        done = self.decodes(hwaccel("llvmpipe"),
                            {"DAEDALUS_PLAN": "gpu", "DAEDALUS_PROFILE": profile, "DAEDALUS_LIMITS": f"time:{time_ns}"},
                            stream)
        self.assertEqual(done.ours("warning", "error"), [])
        self.assertNotIn("given up", done.log)
        counted = re.search(r"(\d+) frames stayed on the CPU: " + TOO_MUCH, done.log)
        return int(counted[1]) if counted else 0

    def test_chains_of_intra_blocks(self):
        chains = clip("vp9", "--cut", "1", *CRAFTED, "--auto-alt-ref=0", "--min-q=2", "--max-q=2")
        self.assertGreaterEqual(self.refused(chains, "wide", 3_000_000), 5)
        self.assertLessEqual(self.refused(clip("vp9"), "wide", 3_000_000), 1)

    def test_chains_of_edges(self):
        chains = clip("vp9", "--cut", "1", *CRAFTED, "--auto-alt-ref=0", "--min-q=16", "--max-q=16")
        most = 5 * 6 * 30_000  # of the superblocks, whatever their edges are
        self.assertGreaterEqual(self.refused(chains, "v3d", most), 5)
        self.assertEqual(self.refused(chains, "v3d", 10 * most), 0)

    def test_av1(self):
        for profile in ("wide", "v3d"):
            with self.subTest(profile=profile):
                self.assertGreaterEqual(self.refused(self.small_blocks(), profile, 20_000), 5)

    def small_blocks(self) -> Path:
        return clip("aom", "--cut", "2", *CRAFTED, "--min-partition-size=4", "--max-partition-size=4", "--min-q=12",
                    "--max-q=12")

    def test_threads_go_on_behind_refused_frames(self):
        """A frame whose filters are refused is decoded again, while others wait for its motion vectors. One decode in a
        hundred comes to that with a task of the first pass left."""
        stream = str(ivf.remuxed(self.small_blocks()))
        for threads in ("2", "5"):
            for limit in ("40000", "70000"):
                with self.subTest(threads=threads, limit=limit):
                    done = subprocess.run([str(paths.BUILD / "tests" / "stress" / "decode_list"), "--device",
                                           "llvmpipe", "--threads",
                                           threads, *[stream] * 60], capture_output=True, text=True, timeout=240,
                                          env={**decode.clean_environment(), "DAEDALUS_PLAN": "gpu",
                                               "DAEDALUS_LIMITS": f"time:{limit}"})
                    outputs = {re.sub(r"^file .*$", "", output) for output in done.stdout.split("\nend\n")[:-1]}
                    self.assertEqual((done.returncode, len(outputs)), (0, 1), done.stderr[-1000:])


if __name__ == "__main__":
    unittest.main()
