# SPDX-License-Identifier: BSD-2-Clause
"""-threads, -thread_type, -hwaccel_output_format, low delay: the same frames whatever they say."""

import json
import tempfile
from pathlib import Path

from program import DEVICE, DecodeCase, hwaccel, long, run, stock_frames

GPU = {"DAEDALUS_PLAN": "gpu"}


class Threads(DecodeCase):
    def test_any_number_of_threads(self):
        for kind in ("frame", "slice", "frame+slice"):
            for count in ("0", "1", "2", "3", "4", "8", "16", "64"):
                with self.subTest(threads=count, kind=kind):
                    self.decodes(hwaccel(None, "-threads", count, "-thread_type", kind), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_default(self):
        self.decodes(hwaccel(), GPU, long())

    def test_frames_without_adaptation_are_parsed_side_by_side(self):
        """Both streams are in frame-parallel mode. Plan `parse` keeps no thread waiting for the GPU."""
        with tempfile.TemporaryDirectory(prefix="dd-threads-") as folder:
            trace = Path(folder, "trace.json")
            done = run([*hwaccel(None, "-threads", "4"), "-i", str(long())],
                       {"DAEDALUS_PLAN": "parse", "DAEDALUS_DEVICE": DEVICE, "DAEDALUS_TRACE": str(trace)})
            self.assertEqual(done.code, 0, done.log[-2000:])
            spans = json.loads(trace.read_text())
        parsed = sorted((span["ts"], span["dur"]) for span in spans if span["name"] == "parse")
        early = sum(begin < before + took / 2 for (before, took), (begin, _) in zip(parsed, parsed[1:]))
        self.assertGreater(early, len(parsed) / 10, "frames that were begun before half of the one before was parsed")

    def test_low_delay(self):
        self.decodes(hwaccel(None, "-flags", "low_delay"), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_output_format_of_system_memory(self):
        self.decodes(hwaccel(None, "-hwaccel_output_format", "yuv420p"), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_seek(self):
        from daedalus_tools import paths
        plain = run(["-ss", "3.2", "-i", str(long())], program=paths.STOCK)
        for threads in ("1", "4"):
            ours = run([*hwaccel(None, "-threads", threads), "-ss", "3.2", "-i", str(long())],
                       {**GPU, "DAEDALUS_DEVICE": DEVICE})
            self.assertEqual((ours.code, ours.frames), (0, plain.frames))

    def test_looped(self):
        ours = run([*hwaccel(None, "-stream_loop", "2"), "-i", str(long())], {**GPU, "DAEDALUS_DEVICE": DEVICE})
        self.assertEqual(ours.code, 0, ours.log[-2000:])
        sums = [row.rsplit(",", 1)[1] for row in ours.frames]
        self.assertEqual(sums, 3 * [row.rsplit(",", 1)[1] for row in stock_frames(long())])
