# SPDX-License-Identifier: BSD-2-Clause
"""Plan and profile strings, right and wrong, by the environment and by the device's options."""

import itertools

from daedalus_tools import statistics
from program import DEVICE, DecodeCase, hwaccel, run, small

STAGES = statistics.VP9_STAGES


class Plans(DecodeCase):
    def blocks(self, plan: str) -> dict[str, int]:
        done = self.decodes(hwaccel(), {"DAEDALUS_PLAN": plan})
        found = statistics.parse(done.log)
        return {stage: found.stages[stage].gpu_blocks if found and stage in found.stages else 0 for stage in STAGES}

    def test_every_combination_of_sides(self):
        for sides in itertools.product(("cpu", "gpu"), repeat=len(STAGES)):
            plan = ",".join(f"{stage}={side}" for stage, side in zip(STAGES, sides))
            with self.subTest(plan=plan):
                for stage, side, blocks in zip(STAGES, sides, self.blocks(plan).values()):
                    self.assertEqual(blocks > 0, side == "gpu", f"{stage}: {blocks} blocks on the GPU")

    def test_gpu_and_cpu(self):
        self.assertTrue(all(self.blocks("gpu").values()))
        self.assertFalse(any(self.blocks("cpu").values()))

    def test_auto(self):
        self.decodes(hwaccel(), {"DAEDALUS_PLAN": "auto"})

    def test_profiles(self):
        for profile in ("auto", "v3d", "wide"):
            with self.subTest(profile=profile):
                self.decodes(hwaccel(), {"DAEDALUS_PLAN": "gpu", "DAEDALUS_PROFILE": profile})


class WrongWords(DecodeCase):
    """The program says which word it doesn't know, and stops."""

    def refused(self, arguments, environment, word):
        done = run([*arguments, "-i", str(small())], environment)
        self.assertNotEqual(done.code, 0)
        errors = [line for line in done.lines("error", "fatal") if word in line]
        self.assertTrue(errors, done.log[-2000:])

    def test_plans(self):
        for plan in ("foo", "mc", "mc=", "mc=tpu", "xx=gpu", "mc=gpu,", "mc=gpu;lf=cpu", "=gpu"):
            with self.subTest(plan=plan):
                self.refused(hwaccel(), {"DAEDALUS_PLAN": plan}, plan.split(",")[0])

    def test_plan_in_the_device_options(self):
        self.refused(["-init_hw_device", f"daedalus=dd:{DEVICE},plan=nonsense", "-hwaccel", "daedalus", "-hwaccel_device",
                      "dd"], {}, "nonsense")

    def test_profile(self):
        self.refused(hwaccel(), {"DAEDALUS_PROFILE": "narrow"}, "narrow")

    def test_unknown_option(self):
        self.refused(["-init_hw_device", f"daedalus=dd:{DEVICE},plna=gpu", "-hwaccel", "daedalus", "-hwaccel_device", "dd"],
                     {}, "plna")
