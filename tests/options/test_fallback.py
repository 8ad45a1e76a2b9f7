# SPDX-License-Identifier: BSD-2-Clause
"""Nothing to run on, or nothing that is ours to run: plain decoding, with one warning or none."""

import subprocess
import sys
import tempfile
from pathlib import Path

from daedalus_tools import decode, paths
from program import NO_DRIVER, DecodeCase, hwaccel, long, run, small


class NoGpu(DecodeCase):
    def warned_once(self, arguments, environment=NO_DRIVER):
        # At once: these streams would be over before plan auto looks for a GPU.
        done = self.decodes(arguments, {**environment, "DAEDALUS_OPEN_LATE": "0"})
        self.assertEqual(done.said(": decoding on the CPU"), 1, done.log)
        self.assertLessEqual(len(done.ours("warning")), 1, done.log)
        self.assertEqual(done.ours("error", "fatal"), [])

    def test_no_driver(self):
        self.warned_once(hwaccel(None))

    def test_no_driver_with_frame_threads(self):
        self.warned_once(hwaccel(None, "-threads", "4"))

    def test_no_driver_with_slice_threads(self):
        self.warned_once(hwaccel(None, "-threads", "4", "-thread_type", "slice"))

    def test_no_driver_and_a_forced_plan(self):
        self.warned_once(hwaccel("llvmpipe"), {**NO_DRIVER, "DAEDALUS_PLAN": "gpu"})

    def test_init_hw_device_without_driver(self):
        self.warned_once(["-init_hw_device", "daedalus=dd", "-hwaccel", "daedalus", "-hwaccel_device", "dd"])

    def test_forced_plan_at_once(self):
        done = self.decodes(hwaccel(None), {**NO_DRIVER, "DAEDALUS_PLAN": "gpu"})
        self.assertEqual(len(done.ours("warning")), 1, done.log[-3000:])

    def test_quiet_says_nothing(self):
        done = run([*hwaccel(None), "-i", str(small())], NO_DRIVER, level="quiet")
        self.assertEqual((done.code, done.log), (0, ""))


class OtherCodecs(DecodeCase):
    """A codec without a share for the GPU decodes as if nothing had been asked."""

    def made(self, folder: str, encoder: str, suffix: str) -> Path:
        path = Path(folder, "clip" + suffix)
        subprocess.run([str(paths.STOCK), "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i",
                        "testsrc2=size=128x96:rate=10:duration=1", "-c:v", encoder, str(path)], check=True,
                       env=decode.clean_environment())
        return path

    def silent(self, stream: Path):
        plain = run(["-i", str(stream)], program=paths.STOCK)
        ours = run([*hwaccel(), "-i", str(stream)])
        self.assertEqual((ours.code, ours.frames), (0, plain.frames), ours.log[-2000:])
        self.assertEqual(ours.lines("warning", "error", "fatal"), plain.lines("warning", "error", "fatal"))

    def test_mpeg4(self):
        with tempfile.TemporaryDirectory() as folder:
            self.silent(self.made(folder, "mpeg4", ".mkv"))

    def test_rawvideo(self):
        with tempfile.TemporaryDirectory() as folder:
            self.silent(self.made(folder, "rawvideo", ".avi"))

    def test_vp8(self):
        with tempfile.TemporaryDirectory() as folder:
            clip = Path(folder, "clip.webm")
            made = subprocess.run([sys.executable, str(paths.ROOT / "tools" / "clips" / "make"), "--codec", "vp8",
                                   "--size", "176x144", "--frames", "10", "-o", str(clip)],
                                  capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.silent(clip)


class TooLarge(DecodeCase):
    def test_av1(self):
        """A picture wider than any that the library makes is the CPU's. (libvpx can't encode such a one.)"""
        with tempfile.TemporaryDirectory() as folder:
            clip = Path(folder, "wide.ivf")
            made = subprocess.run([sys.executable, str(paths.ROOT / "tools" / "clips" / "make"), "--codec", "aom",
                                   "--size", "16448x64", "--frames", "2", "-o", str(clip), "--", "--ivf",
                                   "--cpu-used=8"],
                                  capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            plain = run(["-i", str(clip)], program=paths.STOCK)
            ours = run([*hwaccel(), "-i", str(clip)], {"DAEDALUS_PLAN": "gpu"})
        self.assertEqual(len(plain.frames), 2, plain.log[-2000:])
        self.assertEqual((ours.code, ours.frames), (0, plain.frames), ours.log[-2000:])


class BrokenFiles(DecodeCase):
    def same_as_stock(self, data: bytes, suffix: str):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "broken" + suffix)
            path.write_bytes(data)
            plain = run(["-i", str(path)], program=paths.STOCK)
            ours = run([*hwaccel(), "-i", str(path)], {"DAEDALUS_PLAN": "gpu"})
        self.assertEqual((ours.code, ours.frames), (plain.code, plain.frames), ours.log[-2000:])
        self.assertEqual(sorted(ours.lines("error", "fatal")), sorted(plain.lines("error", "fatal")))

    def test_truncated_file(self):
        data = long().read_bytes()
        self.same_as_stock(data[:len(data) * 3 // 5], long().suffix)

    def test_cut_inside_the_first_frame(self):
        self.same_as_stock(small().read_bytes()[:600], small().suffix)

    def test_empty_file(self):
        self.same_as_stock(b"", ".webm")

    def test_garbage_in_the_middle(self):
        data = bytearray(long().read_bytes())
        data[len(data) // 2:len(data) // 2 + 64] = bytes(range(64))
        self.same_as_stock(bytes(data), long().suffix)
