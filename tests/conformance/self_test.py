#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tools have to notice what they are there to notice: programs that decode wrongly, drop frames, do nothing on the
GPU, crash or hang are put in the place of ffmpeg."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import forecast_model, ivf, manifest, paths, statistics, svg, truth
from daedalus_tools.decode import Offload

PLAIN = """
    import os, subprocess, sys
    words, arguments = iter(sys.argv[1:]), []
    for word in words:
        if word in ("-hwaccel", "-hwaccel_device"):
            next(words)
        else:
            arguments.append(word)
    sums = [arguments[i + 2] for i, word in enumerate(arguments[:-2]) if arguments[i:i + 2] == ["-f", "framemd5"]]
    code = subprocess.run([os.environ["SELF_TEST_STOCK"], *arguments]).returncode
"""
WRONG_FRAME = PLAIN + """
    for name in sums:
        text = open(name).read().rstrip()
        open(name, "w").write(text[:-1] + ("0" if text[-1] != "0" else "1") + "\\n")
    sys.exit(code)
"""
FEWER_FRAMES = PLAIN.replace("*arguments]", "*arguments[:arguments.index('-map')], '-t', '0.1', "
                                            "*arguments[arguments.index('-map'):]]")
LOG = """
    print("[verbose] daedalus: {frames} frames, {frames} with work on X (a, b), {rerun} run again on the CPU",
          file=sys.stderr)
    for stage, blocks in (("mc", {mc}), ("itx", 5), ("lf", 7)):
        unit = {{"mc": "predictions", "itx": "transforms", "lf": "superblocks"}}[stage]
        count = {filtered} if stage == "lf" else {inter}
        print(f"[verbose] daedalus: {{stage}}: {{blocks}} {{unit}} in {{count}} frames on X (a, b), "
              "0 frames on the CPU", file=sys.stderr)
    print("[verbose] daedalus: 2.00 submits and 9.00 dispatches a frame with GPU work, at most 2 and {dispatches}",
          file=sys.stderr)
    sys.exit(code)
"""


def stream() -> manifest.Stream:
    streams = manifest.find([], tier="core", codec="vp9")
    return min(streams, key=lambda one: one.path.stat().st_size)


class SelfTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stream = stream()
        cls.truth = truth.of(cls.stream)

    def run_tool(self, name: str, source: str, *options: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory(prefix="dd-self-") as folder:
            program = Path(folder, "ffmpeg")
            program.write_text(f"#!{sys.executable}\n" + textwrap.dedent(source))
            program.chmod(0o755)
            return subprocess.run([sys.executable, str(ROOT / "tools" / name), *options, "--ffmpeg", str(program),
                                   str(self.stream.path)], capture_output=True, text=True,
                                  env={**os.environ, "SELF_TEST_STOCK": str(paths.STOCK)})

    def conformance(self, source: str, *options: str) -> tuple[int, str, str]:
        done = self.run_tool("conformance", source, *options)
        return done.returncode, done.stdout.splitlines()[-1], done.stdout

    def claims(self, **changed: int) -> str:
        numbers = {"frames": self.truth.frames, "inter": self.truth.inter, "filtered": self.truth.filtered, "mc": 9,
                   "rerun": 0, "dispatches": 9, **changed}
        return PLAIN + LOG.format(**numbers)

    def proved(self, **changed: int) -> tuple[int, str, str]:
        return self.conformance(self.claims(**changed), "--plan", "gpu", "--require-gpu", "--profile", "v3d")

    def test_right_output_passes(self):
        self.assertEqual(self.conformance(PLAIN + "    sys.exit(code)\n")[:2], (0, "1 passed, 0 failed, 0 skipped"))

    def test_wrong_frame(self):
        code, last, text = self.conformance(WRONG_FRAME)
        self.assertEqual((code, last), (1, "0 passed, 1 failed, 0 skipped"))
        self.assertIn("differs", text)

    def test_missing_frames(self):
        self.assertEqual(self.conformance(FEWER_FRAMES)[0], 1)

    def test_other_exit_code(self):
        self.assertIn("exit code 3", self.conformance(PLAIN + "    sys.exit(3)\n")[2])

    def test_crash(self):
        self.assertIn("exit code -11", self.conformance("import os\nos.kill(os.getpid(), 11)\n")[2])

    def test_hang(self):
        self.assertIn("took longer", self.conformance("import time\ntime.sleep(60)\n", "--timeout", "3")[2])

    def test_sanitizer_report(self):
        source = PLAIN + "    print('x.c:1: runtime error: shift', file=sys.stderr)\n    sys.exit(code)\n"
        self.assertIn("sanitizers", self.conformance(source)[2])

    def test_no_layer(self):
        self.assertIn("was not loaded", self.conformance(PLAIN + "    sys.exit(code)\n", "--validation", "calls")[2])

    def test_proof_of_the_gpus_work(self):
        self.assertEqual(self.proved()[:2], (0, "1 passed, 0 failed, 0 skipped"))

    def test_no_statistics(self):
        self.assertIn("no closing statistics",
                      self.conformance(PLAIN + "    sys.exit(code)\n", "--plan", "gpu", "--require-gpu")[2])

    def test_frames_left_out(self):
        self.assertIn("the headers have", self.proved(inter=self.truth.inter - 1)[2])
        self.assertIn("the headers have", self.proved(filtered=self.truth.filtered + 1)[2])
        self.assertIn("the headers have", self.proved(frames=self.truth.frames - 1)[2])

    def test_no_block(self):
        self.assertIn("no block ran on the GPU", self.proved(mc=0)[2])

    def test_run_again_without_reason(self):
        self.assertIn("run again on the CPU", self.proved(rerun=1)[2])

    def test_too_many_dispatches(self):
        self.assertIn("max_dispatches: 13", self.proved(dispatches=13)[2])

    def test_stage_on_the_wrong_side(self):
        found = statistics.parse("daedalus: mc: 4 predictions in 2 frames on X, 0 frames on the CPU")
        self.assertTrue(statistics.problems(found, Offload(plan="mc=cpu,lf=gpu"), None))
        self.assertFalse(statistics.problems(found, Offload(plan="mc=gpu"), None))

    def test_ab_refuses_a_ratio(self):
        done = self.run_tool("ab", WRONG_FRAME, "--repeat", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no ratio: outputs differ", done.stdout)
        self.assertNotIn("ratio  ", done.stdout)

    def test_ab_notices_a_failed_run(self):
        done = self.run_tool("ab", PLAIN + "    sys.exit(0 if sums else 9)\n", "--repeat", "1")
        self.assertIn("ends with 9 in a timed run", done.stdout)

    def test_ab_gives_a_ratio(self):
        done = self.run_tool("ab", PLAIN + "    sys.exit(code)\n", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("ratio  ", done.stdout)

    def test_streams_are_remuxed_once_whoever_asks(self):
        webm = next(one.path for one in manifest.find([], tier="core", codec="vp9") if one.path.suffix == ".webm")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(paths, "CACHE", Path(folder)):
            with ThreadPoolExecutor(8) as pool:
                made = set(pool.map(lambda _: ivf.remuxed(webm), range(8)))
            self.assertEqual(list(made), list(Path(folder, "streams").iterdir()))
            self.assertTrue(ivf.read(made.pop())[1])

    def test_a_clip_is_made_again_when_its_line_has_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            names, clip = Path(folder, "clips.list"), Path(folder, "made", "a.webm")
            sizes = []
            for frames in (3, 3, 4):
                names.write_text(f"a.webm --codec vp9 --size 64x64 --frames {frames} # a comment\n")
                subprocess.run([sys.executable, str(paths.ROOT / "tools" / "clips" / "make"), "--list", str(names),
                                "-o", str(clip.parent)], check=True, capture_output=True)
                sizes.append((clip.stat().st_mtime_ns, clip.stat().st_size))
            self.assertEqual(sizes[0], sizes[1])
            self.assertNotEqual(sizes[1][1], sizes[2][1])

    def test_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "chart.svg")
            svg.write(path, "a < b", [svg.Panel("p", ["x"], {"s": [svg.Bar(2, 1, 3)], "t": [None]})])
            import xml.etree.ElementTree as tree
            self.assertTrue(tree.parse(path).getroot().tag.endswith("svg"))

    def test_timeline(self):
        import xml.etree.ElementTree as tree
        events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "a < b"}},
                  {"ph": "X", "name": "parse", "pid": 1, "tid": 7, "ts": 10.0, "dur": 500.0, "args": {"frame": 4}},
                  {"ph": "X", "name": "vp9_mc_8", "pid": 2, "tid": 1, "ts": 510.0, "dur": 90.0, "args": {"frame": 4}},
                  {"ph": "X", "name": "parse", "pid": 1, "tid": 7, "ts": 900.0, "dur": 1.0, "args": {"frame": 5}}]
        with tempfile.TemporaryDirectory() as folder:
            trace, picture = Path(folder, "trace.json"), Path(folder, "timeline.svg")
            trace.write_text(json.dumps(events))
            command = [sys.executable, str(paths.ROOT / "tools" / "timeline"), str(trace), str(picture), "--count", "1"]
            self.assertEqual(subprocess.run([*command, "--frame", "4"]).returncode, 0)
            titles = [node.text for node in tree.parse(picture).iter() if node.tag.endswith("title")]
            self.assertEqual(titles, ["parse, frame 4: 0.500 ms", "vp9_mc_8, frame 4: 0.090 ms"])
            missing = subprocess.run([*command, "--frame", "9"], capture_output=True, text=True)
            self.assertNotEqual(missing.returncode, 0)
            self.assertIn("nothing of frames 9", missing.stdout + missing.stderr)

    def test_the_forecast_knows_the_plans_of_auto(self):
        for codec in "vp9", "av1":
            table = forecast_model.plan_table(codec)
            self.assertIn(forecast_model.Candidate(), table)
            self.assertTrue(any(candidate.between for candidate in table))
            self.assertTrue(any(one.on_gpu >= {"mc", "itx", "lf"} and one.every == 1 for one in table))

    def test_no_stream_begins_with_a_plan_that_is_slower_than_the_cpu(self):
        record = json.loads((paths.ROOT / "docs" / "pi-figures.json").read_text())
        for material in forecast_model.materials(record):
            for stream in forecast_model.STREAMS:
                alone = forecast_model.cost(material, stream, forecast_model.Candidate(), "500", 0)
                first = forecast_model.cost(material, stream, forecast_model.plan_table(material.codec)[0], "500", 0)
                self.assertGreater(first.fps(), 0.98 * alone.fps(),
                                   f"{material.codec}-{material.depth}, {stream.name}")

    def test_kernels_have_stages_in_the_forecast(self):
        lines = (line.split("#")[0].split() for line in (ROOT / "kernels" / "kernels.list").read_text().splitlines())
        kernels = [words[0] for words in lines if words]
        without = [kernel for kernel in kernels if not forecast_model.v3d_stage(kernel)]
        unforeseen = {"p010", "tile_sync"}  # for displays, and for GPUs with memory of their own
        self.assertEqual([kernel for kernel in without if "intra" not in kernel and kernel not in unforeseen], [])
        self.assertEqual({forecast_model.v3d_stage(kernel) for kernel in kernels} - {""},
                         set(forecast_model.V3D_STAGES))


def main() -> None:
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return
    result = unittest.TextTestRunner(stream=sys.stderr).run(unittest.defaultTestLoader.loadTestsFromTestCase(SelfTest))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not result.testsRun else 0)


if __name__ == "__main__":
    main()
