# SPDX-License-Identifier: BSD-2-Clause
"""A GPU that is opened while the stream is decoded. Plan auto does that; DAEDALUS_OPEN_LATE has it done under any plan,
after so many milliseconds."""

import contextlib
import re
import subprocess
import time
from fractions import Fraction
from pathlib import Path

from daedalus_tools import decode, paths, statistics
from program import DEVICE, DecodeCase, first_of, hwaccel, long, run, small

AV1 = ("av1/dav1d/8-bit/mfmv/av1-1-b8-06-mfmv.ivf", "av1-aom-352x288.webm")
RESIZED = ("vp9/libvpx/vp90-2-21-resize_inter_320x180_5_1-2.webm", "vp9-rt.webm")
NEVER = {"DAEDALUS_PLAN": "gpu", "DAEDALUS_OPEN_LATE": "600000"}
EARLY = re.compile(r"(\d+) frames stayed on the CPU: they began before the GPU was ready")


def workers(pid: int) -> int:
    """Threads of dav1d."""
    names = []
    for path in Path("/proc", str(pid), "task").glob("*/comm"):
        with contextlib.suppress(OSError):
            names.append(path.read_text().strip())
    return names.count("dav1d-worker")


class GoesOver(DecodeCase):
    """Packets come so slowly that the GPU is there long before the last ones, and so late that it isn't for the first
    ones."""

    SECONDS = 5
    LATE = {"DAEDALUS_PLAN": "gpu", "DAEDALUS_OPEN_LATE": "1200"}

    def frames_a_second(self, stream: Path) -> float:
        done = subprocess.run([str(paths.PATCHED.with_name("ffprobe")), "-v", "error", "-of", "csv=p=0",
                               "-show_entries",
                               "stream=r_frame_rate", str(stream)], capture_output=True, text=True, check=True)
        return float(Fraction(done.stdout.strip()))

    def paced(self, stream: Path, loops: int, *arguments: str) -> None:
        plain = run(["-stream_loop", str(loops - 1), "-i", str(stream)], program=paths.STOCK, level="error")
        seconds = len(plain.frames) / self.frames_a_second(stream)
        rate = max(seconds / self.SECONDS, 0.5)
        ours = run([*hwaccel(None, *arguments, "-hwaccel_device", DEVICE), "-stream_loop", str(loops - 1), "-readrate",
                    f"{rate:.3f}", "-i", str(stream)], self.LATE)
        self.assertEqual((ours.code, ours.frames), (0, plain.frames), ours.log[-2000:])
        self.assertEqual(ours.ours("warning", "error", "fatal"), [])
        found, early = statistics.parse(ours.log), EARLY.search(ours.log)
        self.assertIsNotNone(early, "every frame waited for the GPU")
        self.assertGreater(found.gpu_frames, 0, "no frame came after the GPU")
        self.assertEqual(int(early[1]) + found.gpu_frames, found.frames)
        self.assertEqual(found.rerun_frames, 0)
        self.assertEqual(ours.said("plan gpu (ready at frame "), 1, ours.log)
        self.assertEqual(ours.said(f"(ready at frame {early[1]}:"), 1, ours.log)

    def test_one_thread(self):
        self.paced(long(), 1, "-threads", "1")

    def test_frame_threads(self):
        for count in ("2", "4"):
            with self.subTest(threads=count):
                self.paced(long(), 1, "-threads", count)

    def test_slice_threads(self):
        self.paced(long(), 1, "-threads", "2", "-thread_type", "slice")

    def test_changes_of_size(self):
        """References in plain memory are of another size than the frame."""
        for count in ("1", "3"):
            with self.subTest(threads=count):
                self.paced(first_of(RESIZED), 8, "-threads", count)

    def test_av1(self):
        # With the last two, frames in flight stay as many as they are.
        for threads in ("1", "2", "4 -max_frame_delay 2", "40"):
            with self.subTest(threads=threads):
                self.paced(first_of(AV1), 40, "-threads", *threads.split())

    def test_av1_gets_more_threads(self):
        """dav1d has 2 threads and 2 frames in flight at first, then 3 frames, and a thread more for each."""
        child = subprocess.Popen([str(paths.PATCHED), "-nostdin", "-v", "error", *hwaccel(), "-threads", "2",
                                  "-stream_loop", "-1",
                                  "-readrate", "1", "-i", str(first_of(AV1)), "-f", "null", "-"],
                                 stdin=subprocess.DEVNULL, env={**decode.clean_environment(), **self.LATE})
        try:
            most, end = [], time.monotonic() + 30
            while child.poll() is None and time.monotonic() < end and most[-1:] != [5]:
                now = workers(child.pid)
                most += [now] if now > max(most, default=0) else []
                time.sleep(0.01)
        finally:
            child.kill()
            child.wait()
        self.assertIn(2, most)
        self.assertEqual(most[-1], 5)


class NeverThere(DecodeCase):
    def test_a_stream_that_is_shorter(self):
        start = time.monotonic()
        done = self.decodes(hwaccel(), NEVER)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(done.ours("warning", "error", "fatal"), [])
        self.assertEqual(done.said("before the GPU was ready"), 1, done.log)
        self.assertIsNone(statistics.parse(done.log))

    def test_ctrl_c(self):
        log = self.interrupted(NEVER, 1)
        self.assertIn("before the GPU was ready", log)

    def test_an_unknown_device(self):
        # slowly, since otherwise the stream may be over before drivers have said what they have
        done = self.decodes(hwaccel("no-such-device", "-readrate", "5"),
                            {"DAEDALUS_PLAN": "gpu", "DAEDALUS_OPEN_LATE": "0"}, long())
        self.assertEqual(done.said("no-such-device': decoding on the CPU"), 1, done.log)

    def test_an_unknown_word_is_an_error_at_once(self):
        done = run([*hwaccel(), "-i", str(small())], {"DAEDALUS_PLAN": "mc=tpu", "DAEDALUS_OPEN_LATE": "0"})
        self.assertNotEqual(done.code, 0)
        self.assertTrue([line for line in done.lines("error", "fatal") if "mc=tpu" in line], done.log[-2000:])
