# SPDX-License-Identifier: BSD-2-Clause
"""What the user is told: a line at the first frame, statistics at the end, little else. And Ctrl-C."""

from daedalus_tools import statistics
from program import DEVICE, DecodeCase, hwaccel, run, small

GPU = {"DAEDALUS_PLAN": "gpu"}


class Messages(DecodeCase):
    def info_lines(self, arguments) -> list[str]:
        done = run([*arguments, "-i", str(small())], GPU, level="info")
        self.assertEqual(done.code, 0)
        return done.ours("info")

    def test_one_line_names_device_and_plan(self):
        for threads in ("1", "4"):
            with self.subTest(threads=threads):
                lines = self.info_lines(hwaccel(None, "-threads", threads, "-hwaccel_device", DEVICE))
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(DEVICE.lower(), lines[0].lower())
                self.assertIn("plan gpu", lines[0])
                self.assertIn("first frame: intra, lf=gpu", lines[0])

    def test_no_statistics_at_info(self):
        done = run([*hwaccel(), "-i", str(small())], GPU, level="info")
        self.assertIsNone(statistics.parse(done.log))

    def test_statistics_at_verbose(self):
        done = self.decodes(hwaccel(), GPU)
        found = statistics.parse(done.log)
        self.assertIsNotNone(found, done.log[-2000:])
        self.assertEqual(set(statistics.VP9_STAGES) - set(found.stages), set())
        self.assertGreater(found.max_submits, 0)
        self.assertGreaterEqual(found.max_dispatches, found.max_submits)
        self.assertEqual(found.rerun_frames, 0)

    def test_nothing_wrong_no_warning(self):
        done = self.decodes(hwaccel(), GPU)
        self.assertEqual(done.ours("warning", "error", "fatal"), [])


class CtrlC(DecodeCase):
    def ends_well(self, threads: str):
        log = self.interrupted(GPU, 2, "-threads", threads)
        self.assertIn("Exiting normally", log)
        found = statistics.parse(log)
        self.assertIsNotNone(found, log[-2000:])
        self.assertGreater(found.frames, 0)

    def test_one_thread(self):
        self.ends_well("1")

    def test_frame_threads(self):
        self.ends_well("4")
