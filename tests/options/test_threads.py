# SPDX-License-Identifier: BSD-2-Clause
"""-threads, -thread_type, -hwaccel_output_format, low delay: the same frames whatever they say."""

import json
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
                    self.decodes(hwaccel(None, "-threads", count, "-thread_type", kind),
                                 {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_default(self):
        self.decodes(hwaccel(), GPU, long())

    def parsed(self, stream: Path, threads: str, cores: int | None = None) -> list[dict]:
        """What plan `parse`, which keeps no thread waiting for the GPU, does with a stream, with no program that could
        be slow to take the frames. `cores`: how many FFmpeg believes in."""
        believed = [] if cores is None else ["-cpucount", str(cores)]
        with tempfile.TemporaryDirectory(prefix="dd-threads-") as folder:
            trace = Path(folder, "trace.json")
            environment = {"DAEDALUS_PLAN": "parse", "DAEDALUS_DEVICE": DEVICE, "DAEDALUS_TRACE": str(trace)}
            subprocess.run([str(paths.PATCHED), "-nostdin", "-loglevel", "fatal", *believed,
                            *hwaccel(None, "-threads", threads),
                            "-stream_loop", "4", "-i", str(stream), "-f", "null", "-"],
                           env={**decode.clean_environment(), **environment}, check=True, timeout=120)
            spans = json.loads(trace.read_text())
        return sorted((span for span in spans if span["name"] == "parse"), key=lambda span: span["ts"])

    def test_frames_without_adaptation_are_parsed_side_by_side(self):
        def early() -> float:
            """Share of frames that were begun before half of the one before was parsed."""
            spans = self.parsed(frame_parallel(), "4")
            begun = sum(span["ts"] < before["ts"] + before["dur"] / 2 for before, span in zip(spans, spans[1:]))
            return begun / len(spans)

        # Half of them on two cores, a tenth at most where parsing is a chain. A machine that is busy with other
        # things gets a minute to be less so.
        for attempt in range(20):
            time.sleep(attempt / 4)
            if early() > 0.3:
                return
        self.fail("no two frames were parsed at once")

    def test_number_of_threads(self):
        """As many as are asked for; where none are, more than cores."""
        for asked, cores, expected in ((4, 2, 4), (0, 1, 3), (0, 2, 6), (0, 3, 8), (0, 4, 9), (0, 6, 9), (0, 8, 10),
                                       (0, 64, 16)):
            with self.subTest(asked=asked, cores=cores):
                self.assertEqual(len({span["tid"] for span in self.parsed(long(), str(asked), cores)}), expected)

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
