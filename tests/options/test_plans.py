# SPDX-License-Identifier: BSD-2-Clause
"""Plan and profile strings, right and wrong, by the environment and by the device's options."""

import itertools
import re
import tempfile
from pathlib import Path

from daedalus_tools import statistics
from program import DEVICE, DecodeCase, first_of, hwaccel, long, run, small, stock_frames

AV1 = ("av1/dav1d/8-bit/mfmv/av1-1-b8-06-mfmv.ivf", "av1-aom-352x288.webm")
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

    def test_auto_leaves_a_software_renderer_alone(self):
        self.assertFalse(any(self.blocks("auto").values()))

    def test_goals(self):
        for goal in ("speed", "cpu"):
            with self.subTest(goal=goal):
                self.decodes(hwaccel(), {"DAEDALUS_PLAN": "auto", "DAEDALUS_GOAL": goal})
                self.decodes(["-init_hw_device", f"daedalus=dd:{DEVICE},plan=auto,goal={goal}", *hwaccel("dd")])

    def test_profiles(self):
        for profile in ("auto", "v3d", "wide"):
            with self.subTest(profile=profile):
                self.decodes(hwaccel(), {"DAEDALUS_PLAN": "gpu", "DAEDALUS_PROFILE": profile})


class Recording(DecodeCase):
    """What tools/ab times to see what recording takes."""

    def test_records_what_the_gpu_would_get_and_reconstructs_nothing(self):
        for stream, threads in itertools.product((first_of(AV1), small()), ("1", "3")):
            with self.subTest(stream=stream.name, threads=threads):
                recorded, used = (self.statistics(stream, threads, plan) for plan in ("mc=gpu,itx=gpu,lf=none", "gpu"))
                for stage in ("mc", "itx"):
                    self.assertGreater(used.stages[stage].gpu_blocks, 0)
                    self.assertEqual(recorded.stages[stage], used.stages[stage])
                self.assertEqual(recorded.frames, used.frames)
                self.assertEqual((recorded.max_submits, recorded.rerun_frames), (0, 0))

    def statistics(self, stream: Path, threads: str, plan: str) -> statistics.Statistics:
        done = run([*hwaccel(DEVICE, "-threads", threads), "-i", str(stream)],
                   {"DAEDALUS_PLAN": plan, "DAEDALUS_PROFILE": "wide"})
        self.assertEqual(done.code, 0, done.log[-2000:])
        found = statistics.parse(done.log)
        self.assertIsNotNone(found, done.log[-2000:])
        return found


class Measured(DecodeCase):
    """Plan auto as on a real GPU; the device under test is one only for this plan."""

    PLAN = r"(\S+)(?: every \d frames(?: \(else \S+\))?)?"
    DECISION = re.compile(rf"frame \d+: plan auto: {PLAN}, [\d.]+ ms a frame, "
                          r"(gives way to|stays before|looks again at|saw its content change with) "
                          rf"{PLAN}: [\d.]+ of its time, [\d.]+ of its CPU time$")

    def setUp(self):
        self.cache = tempfile.TemporaryDirectory(prefix="dd-plans-")
        self.addCleanup(self.cache.cleanup)

    def decisions(self, stream: Path, threads: str = "2", loops: int = 0, environment: dict[str, str] | None = None):
        """What it says of its decisions."""
        done = run([*hwaccel(None, "-threads", threads, "-hwaccel_device", DEVICE), "-stream_loop", str(loops), "-i",
                    str(stream)],
                   {"DAEDALUS_PLAN": "measure", "XDG_CACHE_HOME": self.cache.name, **(environment or {})},
                   level="debug")
        self.assertEqual(done.code, 0, done.log[-2000:])
        if not loops:
            self.assertEqual(done.frames, stock_frames(stream))
        lines = [line for line in done.lines("debug") if "plan auto:" in line]
        found = [self.DECISION.search(line) for line in lines]
        self.assertNotIn(None, found, [line for line, match in zip(lines, found) if not match][:3])
        return found

    def test_candidates_have_their_turn(self):
        for threads in ("1", "4"):
            with self.subTest(threads=threads):
                found = self.decisions(long(), threads, 20, {"XDG_CACHE_HOME": "/dev/null"})
                self.assertIn("cpu", {match[3] for match in found} | {match[1] for match in found})

    def test_av1s_stages_that_belong_together_stay_together(self):
        found = self.decisions(first_of(AV1), "1", 100, {"DAEDALUS_PROFILE": "wide"})
        plans = {match[i] for match in found for i in (1, 3)}
        self.assertTrue(any("mc+itx" in plan for plan in plans), plans)
        self.assertIn("cpu", plans)
        self.assertFalse([plan for plan in plans if ("mc" in plan) != ("itx" in plan)])

    def kept(self) -> list[Path]:
        return sorted(Path(self.cache.name).glob("daedalus/*.plans"))

    def test_what_was_found_is_kept(self):
        self.decisions(long(), loops=20)
        self.assertEqual(len(self.kept()), 1)
        self.assertIn("incumbent 0 ", self.kept()[0].read_text())

    def test_a_damaged_file_does_no_harm(self):
        self.decisions(long(), loops=20)
        self.kept()[0].write_bytes(b"daedalus-plans-2\nincumbent nan\n\0\xff")
        self.decisions(long(), loops=20)
        self.assertIn("incumbent 0 ", self.kept()[0].read_text())

    def test_no_place_for_the_file(self):
        for cache in ("/dev/null", str(Path(self.cache.name, "absent/cache"))):
            with self.subTest(cache=cache):
                self.decisions(long(), environment={"XDG_CACHE_HOME": cache})


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
        self.refused(["-init_hw_device", f"daedalus=dd:{DEVICE},plan=nonsense", "-hwaccel", "daedalus",
                      "-hwaccel_device",
                      "dd"], {}, "nonsense")

    def test_goal(self):
        self.refused(hwaccel(), {"DAEDALUS_GOAL": "fast"}, "fast")
        self.refused(["-init_hw_device", f"daedalus=dd:{DEVICE},goal=fast", *hwaccel("dd")], {}, "fast")

    def test_profile(self):
        self.refused(hwaccel(), {"DAEDALUS_PROFILE": "narrow"}, "narrow")

    def test_unknown_option(self):
        self.refused(["-init_hw_device", f"daedalus=dd:{DEVICE},plna=gpu", "-hwaccel", "daedalus",
                      "-hwaccel_device", "dd"],
                     {}, "plna")
