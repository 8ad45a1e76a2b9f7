# SPDX-License-Identifier: BSD-2-Clause
"""Batches that are saved while a stream is decoded, and what tools/replay makes of them."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from daedalus_tools import manifest, paths
from program import DEVICE, hwaccel, run

REPLAY = paths.BUILD / "tools" / "replay-src" / "replay"
# Of each codec the first that is there; of AV1 with 10 bits, whose kernels have other names, too.
WANTED = {"vp9": (("vp90-2-02-size-66x66.webm", "vp9-odd-97x61.webm"),),
          "av1": (("av1-1-b8-01-size-66x66.ivf", "av1-aom-352x288.webm"), ("00000676.ivf", "av1-aom-10bit.webm"))}
BATCHES = 4


def streams(codec: str) -> list[Path]:
    found = {stream.path.name: stream.path for stream in manifest.find([], codec=codec)}
    return [next(found[name] for name in names if name in found) for names in WANTED[codec]]


class Replays(unittest.TestCase):
    def replays(self, stream: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="dd-replay-") as outer:
            folder = Path(outer, "made", "here")
            done = run([*hwaccel(), "-i", str(stream)],
                       {"DAEDALUS_PLAN": "gpu", "DAEDALUS_SAVE_BATCH": f"{folder}:{BATCHES}"})
            self.assertEqual(done.code, 0, done.log)
            files = sorted(folder.glob("*.ddb"))
            self.assertTrue(0 < len(files) <= BATCHES, f"{len(files)} files")
            self.assertTrue(any("filter" in file.name or "frame" in file.name for file in files))
            replayed = subprocess.run([REPLAY, "--device", DEVICE, "--runs", "1", *files], capture_output=True,
                                      text=True)
            self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)
            self.assertEqual(replayed.stdout.count("exact in 1 of 1 runs"), len(files), replayed.stdout)

    def test_vp9(self):
        for stream in streams("vp9"):
            with self.subTest(stream=stream.name):
                self.replays(stream)

    def test_av1(self):
        for stream in streams("av1"):
            with self.subTest(stream=stream.name):
                self.replays(stream)

    def test_a_folder_that_cannot_be_made(self):
        with tempfile.NamedTemporaryFile() as file:
            done = run([*hwaccel(), "-i", str(streams("vp9")[0])],
                       {"DAEDALUS_PLAN": "gpu", "DAEDALUS_SAVE_BATCH": f"{file.name}/below"})
        self.assertEqual(done.code, 0, done.log)
        self.assertEqual(len(done.ours("error")), 1, done.log)
        self.assertEqual(done.said("can't be written; no more batches are saved"), 1, done.log)
