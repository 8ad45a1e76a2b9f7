# SPDX-License-Identifier: BSD-2-Clause
"""-hwaccels, -hwaccel, -hwaccel_device, -init_hw_device and the environment's names of devices."""

import subprocess

from daedalus_tools import paths, statistics
from program import DEVICE, DecodeCase, hwaccel, small


class Listing(DecodeCase):
    def listed(self, program) -> list[str]:
        return subprocess.run([str(program), "-hide_banner", "-hwaccels"], capture_output=True,
                              text=True).stdout.split()

    def test_hwaccels_names_it(self):
        self.assertIn("daedalus", self.listed(paths.PATCHED))

    def test_stock_does_not(self):
        self.assertNotIn("daedalus", self.listed(paths.STOCK))


class Names(DecodeCase):
    def gpu_blocks(self, log: str) -> int:
        found = statistics.parse(log)
        return sum(stage.gpu_blocks for stage in found.stages.values()) if found else 0

    def on_gpu(self, arguments, environment=None):
        done = self.decodes(arguments, {"DAEDALUS_PLAN": "gpu", **(environment or {})})
        self.assertGreater(self.gpu_blocks(done.log), 0, done.log[-2000:])

    def on_cpu(self, arguments, environment=None):
        done = self.decodes(arguments, {"DAEDALUS_PLAN": "gpu", **(environment or {})})
        self.assertEqual(self.gpu_blocks(done.log), 0, done.log[-2000:])
        return done

    def test_part_of_a_name(self):
        self.on_gpu(hwaccel(DEVICE))

    def test_part_of_a_name_in_any_case(self):
        self.on_gpu(hwaccel(DEVICE.upper()))

    def test_cpu(self):
        done = self.on_cpu(hwaccel("cpu"))
        self.assertEqual(done.ours("warning", "error"), [])

    def test_environment(self):
        self.on_gpu(hwaccel(None), {"DAEDALUS_DEVICE": DEVICE})

    def test_option_wins_over_environment(self):
        self.on_cpu(hwaccel("cpu"), {"DAEDALUS_DEVICE": DEVICE})

    def test_hwaccel_auto(self):
        self.decodes(["-hwaccel", "auto"])

    def test_init_hw_device_by_reference(self):
        self.on_gpu(["-init_hw_device", f"daedalus=dd:{DEVICE}", "-hwaccel", "daedalus", "-hwaccel_device", "dd"])

    def test_init_hw_device_alone(self):
        self.on_gpu(["-init_hw_device", f"daedalus:{DEVICE}", "-hwaccel", "daedalus"])

    def test_init_hw_device_with_options(self):
        done = self.decodes(["-init_hw_device", f"daedalus=dd:{DEVICE},plan=gpu,profile=v3d", "-hwaccel", "daedalus",
                             "-hwaccel_device", "dd"])
        self.assertGreater(self.gpu_blocks(done.log), 0)

    def test_options_win_over_environment(self):
        done = self.decodes(["-init_hw_device", f"daedalus=dd:{DEVICE},plan=cpu", "-hwaccel", "daedalus",
                             "-hwaccel_device", "dd"], {"DAEDALUS_PLAN": "gpu"})
        self.assertEqual(self.gpu_blocks(done.log), 0)

    def test_unknown_name_warns_once_and_decodes(self):
        done = self.on_cpu(hwaccel("no-such-device"))
        self.assertEqual(len(done.ours("warning")), 1, done.ours("warning"))
        self.assertIn("no-such-device", done.ours("warning")[0])

    def test_index_out_of_range_warns_once_and_decodes(self):
        done = self.on_cpu(hwaccel("77"))
        self.assertEqual(len(done.ours("warning")), 1, done.ours("warning"))

    def test_two_inputs_share_a_device(self):
        from program import run, stock_frames
        done = run([*hwaccel(), "-i", str(small()), *hwaccel(), "-i", str(small())], {"DAEDALUS_PLAN": "gpu"})
        self.assertEqual(done.code, 0, done.log[-2000:])
        self.assertEqual(done.frames, stock_frames(small()))
