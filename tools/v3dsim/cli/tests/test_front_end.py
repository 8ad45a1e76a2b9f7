# SPDX-License-Identifier: BSD-2-Clause
"""The front end's own logic: what counts as worse, where the mirror comes from, which route a program takes."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOL_DIR = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOOL_DIR), str(TOOL_DIR.parent / "lib")]

from cli import benchmarks, environment, runner, stats  # noqa: E402
from cli.report import ToolError  # noqa: E402
from daedalus_tools import apt  # noqa: E402
from routes import pins  # noqa: E402

LINE = ("SHADER-DB-0123 - MESA_SHADER_COMPUTE shader: 241 inst, 2 threads, 0 loops, 49 uniforms, 40 max-temps, "
        "1:2 spills:fills, 0 sfu-stalls, 241 inst-and-stalls, 6 nops")


class CompilerLine(unittest.TestCase):
    def test_belongs_to_the_kernel_before_it(self):
        text = f"{LINE.replace('241', '8')}\nkernel a\n{LINE}\nkernel b\n"
        found = runner._shaderdb_by_kernel(text)
        self.assertEqual(list(found), ["a"])
        self.assertEqual(found["a"]["inst"], 241)
        self.assertEqual((found["a"]["spills"], found["a"]["fills"]), (1, 2))

    def test_a_silent_compiler_is_an_error(self):
        with self.assertRaises(ToolError):
            stats.static_figures({"name": "a", "compiler": {}, "job": {}})


class Comparison(unittest.TestCase):
    recorded = {"k": {"instructions": 100, "threads": 4}}

    def findings(self, **row):
        return stats.compare({"k": {**self.recorded["k"], **row}}, self.recorded, {"k"})

    def test_equal_and_better_pass(self):
        self.assertEqual(self.findings(), [])
        self.assertEqual(self.findings(instructions=90), [])

    def test_worse_is_found_in_either_direction(self):
        self.assertEqual(len(self.findings(instructions=101)), 1)
        self.assertEqual(len(self.findings(threads=2)), 1)

    def test_new_and_lost_kernels_are_found(self):
        self.assertEqual(len(stats.compare({"new": {}}, self.recorded, {"new"})), 2)

    def test_a_kernel_that_was_not_compiled_is_not_lost(self):
        self.assertEqual(stats.compare({}, self.recorded, {"k"}), [])

    def test_hashes_tell_modules_and_constants_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder, "a.spv"), Path(folder, "b.spv")
            one.write_bytes(b"1")
            other.write_bytes(b"2")
            requests = [{"name": str(i), "spirv": str(path), "constants": constants}
                        for i, (path, constants) in enumerate(((one, {}), (other, {}), (one, {"0": 1})))]
            hashes = stats.hashes_of(requests)
        self.assertEqual(len(set(hashes.values())), 3)


class Traffic(unittest.TestCase):
    def test_words_for_each_64_stored_bytes(self):
        job = {"tmu": {"store": {"words": 32, "bytes": 128}, "load": {"words": 90}, "scratch_store": {"words": 4}}}
        figures = stats.traffic_figures([job, job])
        self.assertEqual(figures["words written"], 16)
        self.assertEqual(figures["words read"], 45)
        self.assertEqual(figures["scratch words"], 2)

    def test_nothing_stored_gives_no_figures(self):
        self.assertEqual(stats.traffic_figures([]), {})


class Report(unittest.TestCase):
    def test_kernels_that_a_board_timed(self):
        row = {"kernel": "a", "pixels": 6400, "blocks": 100, "gpu": 64e6, "dispatches": 1, "gpu_clock": True,
               "problem": ""}
        rows = [row, {**row, "kernel": "b", "dispatches": 2}, {**row, "kernel": "c", "gpu_clock": False},
                {**row, "kernel": "d", "problem": "x"}]
        self.assertEqual(benchmarks.measured_on_board({"kernels": {"8": {"kernels": rows}}}, 8), {"a": 1000.0})
        self.assertEqual(benchmarks.measured_on_board({}, 8), {})


class Mirror(unittest.TestCase):
    def mirror(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            return list(apt._stanzas(path))

    def test_both_formats_of_sources(self):
        stanza = ("# a remark\nTypes: deb deb-src\nURIs: https://mirror.example/debian\n"
                  "Suites: x x-updates\nComponents: main\n")
        self.assertEqual(self.mirror("a.sources", stanza),
                         [(["deb", "deb-src"], ["https://mirror.example/debian"], ["x", "x-updates"], ["main"])])
        line = "# a remark\ndeb [signed-by=/k] https://mirror.example/debian x main contrib\n"
        self.assertEqual(self.mirror("a.list", line),
                         [(["deb"], ["https://mirror.example/debian"], ["x"], ["main", "contrib"])])

    def test_a_named_mirror_wins(self):
        with mock.patch.dict(os.environ, {"DAEDALUS_DEBIAN_MIRROR": "https://mirror.example/"}):
            self.assertEqual(apt.system_mirror(), "https://mirror.example/")


class Pins(unittest.TestCase):
    def test_another_hash_is_refused_and_the_file_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            path.write_text("not what was pinned")
            with self.assertRaises(ToolError):
                pins.check_sha256(path, "00" * 32)
            self.assertFalse(path.exists())

    def test_every_version_is_pinned(self):
        for version, pin in pins.PINS["mesa"].items():
            with self.subTest(version):
                hashes = [*pin["arm64_sha256"].values(), *([pin["source_sha256"]] if "source_sha256" in pin else [])]
                self.assertTrue(hashes and all(len(sha) == 64 for sha in hashes))

    def test_the_default_has_both_routes(self):
        self.assertIn("source_sha256", pins.mesa_pin(pins.DEFAULT_MESA))


class Route(unittest.TestCase):
    def elf(self, machine):
        file = tempfile.NamedTemporaryFile()
        file.write(b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little"))
        file.flush()
        self.addCleanup(file.close)
        return file.name

    def test_the_program_decides(self):
        self.assertEqual(environment.choose_route("auto", self.elf(183), "v"), "arm64")
        self.assertEqual(environment.choose_route("auto", self.elf(62), "v"), "x86")

    def test_the_wrong_route_is_refused(self):
        with self.assertRaises(ToolError):
            environment.choose_route("x86", self.elf(183), "v")
        with self.assertRaises(ToolError):
            environment.choose_route("arm64", self.elf(62), "v")
        with self.assertRaises(ToolError):
            environment.choose_route("auto", "/nonexistent/program", "v")


if __name__ == "__main__":
    unittest.main()
