# SPDX-License-Identifier: BSD-2-Clause
"""-threads, -thread_type, -hwaccel_output_format, low delay: the same frames whatever they say."""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from program import DEVICE, DecodeCase, decode, frame_parallel, hwaccel, long, paths, run, stock_frames

GPU = {"DAEDALUS_PLAN": "gpu"}


class Threads(DecodeCase):
    def test_any_number_of_threads(self):
        for kind in ("frame", "slice", "frame+slice"):
            for count in ("0", "1", "2", "3", "4", "8", "16", "64"):
                with self.subTest(threads=count, kind=kind):
                    self.decodes(hwaccel(None, "-threads", count, "-thread_type", kind), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_default(self):
        self.decodes(hwaccel(), GPU, long())

    def parsed(self, threads: str) -> list[dict]:
        """What plan `parse`, which keeps no thread waiting for the GPU, does with a stream in frame-parallel mode, for nobody
        who could be slow to take the frames."""
        with tempfile.TemporaryDirectory(prefix="dd-threads-") as folder:
            trace = Path(folder, "trace.json")
            environment = {"DAEDALUS_PLAN": "parse", "DAEDALUS_DEVICE": DEVICE, "DAEDALUS_TRACE": str(trace)}
            subprocess.run([str(paths.PATCHED), "-nostdin", "-loglevel", "fatal", *hwaccel(None, "-threads", threads),
                            "-stream_loop", "4", "-i", str(frame_parallel()), "-f", "null", "-"],
                           env={**decode.clean_environment(), **environment}, check=True, timeout=120)
            spans = json.loads(trace.read_text())
        return sorted((span for span in spans if span["name"] == "parse"), key=lambda span: span["ts"])

    def test_frames_without_adaptation_are_parsed_side_by_side(self):
        def early() -> float:
            """Share of frames that were begun before half of the one before was parsed."""
            spans = self.parsed("4")
            begun = sum(span["ts"] < before["ts"] + before["dur"] / 2 for before, span in zip(spans, spans[1:]))
            return begun / len(spans)

        # Half of them on two cores, a tenth at most where parsing is a chain. A machine that is busy with other things gets a minute to be less so.
        for attempt in range(20):
            time.sleep(attempt / 4)
            if early() > 0.3:
                return
        self.fail("no two frames were parsed at once")

    def test_number_of_threads(self):
        """As many as are asked for; two for each core, and two, where none are."""
        cores = len(os.sched_getaffinity(0))
        for asked, expected in (("4", 4), ("0", 3 if cores == 1 else min(2 * cores + 2, 16))):
            with self.subTest(asked=asked):
                self.assertEqual(len({span["tid"] for span in self.parsed(asked)}), expected)

    def test_low_delay(self):
        self.decodes(hwaccel(None, "-flags", "low_delay"), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_output_format_of_system_memory(self):
        self.decodes(hwaccel(None, "-hwaccel_output_format", "yuv420p"), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_seek(self):
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
