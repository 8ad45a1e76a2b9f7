#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the build's own scripts: patched trees, counting of suites, checks of the tree, embedding of kernels."""

import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "tools" / "build"
sys.path.insert(0, str(SCRIPTS))

import check_tree  # noqa: E402
import copy_tree  # noqa: E402
import programs  # noqa: E402
import sources  # noqa: E402
import suites  # noqa: E402


class Programs(unittest.TestCase):
    def options(self, **values: object) -> list[str]:
        job = programs.Job(Path("/b"), "patched", "", None, 1, values.pop("only_decoders", False), **values)
        with mock.patch.object(programs, "is_here", lambda probe, cross=None: probe in ("opus", "x264")):
            return programs.configure_options(job, Path("/nowhere"))

    def setUp(self) -> None:
        patcher = mock.patch.object(Path, "read_text", lambda path: "libdaedalus")
        patcher.start()
        self.addCleanup(patcher.stop)

    def test_minimal(self) -> None:
        options = self.options()
        self.assertIn("--disable-everything", options)
        self.assertIn("--enable-libdaedalus", options)
        self.assertNotIn("--enable-shared", options)

    def test_full(self) -> None:
        options = self.options(full=True, final_prefix="/opt/x")
        for wanted in ("--enable-shared", "--prefix=/opt/x", "--enable-libopus", "--enable-libdav1d",
                       "--enable-libdaedalus"):
            self.assertIn(wanted, options)
        for unwanted in ("--disable-everything", "--enable-gpl", "--enable-libx264", "--enable-libass"):
            self.assertNotIn(unwanted, options)

    def test_gpl(self) -> None:
        options = self.options(full=True, gpl=True)
        self.assertIn("--enable-gpl", options)
        self.assertIn("--enable-libx264", options)

    def test_no_folder_of_the_build_is_shown(self) -> None:
        self.assertFalse([option for option in self.options(full=True) if "/b/" in option])
        self.assertIn("--enable-sand", self.options(full=True, configure=("--enable-sand",)))

    def test_only_decoders(self) -> None:
        options = self.options(only_decoders=True)
        self.assertIn("--enable-decoder=libdav1d,vp9", options)
        self.assertFalse([option for option in options if option.startswith("--enable-demuxer")])


class Copies(unittest.TestCase):
    def test_links_and_files_in_use(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "from"), Path(folder, "to")
            (source / "lib").mkdir(parents=True)
            (source / "lib" / "libx.so.1").write_text("new")
            (source / "lib" / "libx.so").symlink_to("libx.so.1")
            (target / "lib").mkdir(parents=True)
            (target / "lib" / "libx.so.1").write_text("old")
            with open(target / "lib" / "libx.so.1") as in_use:
                for _ in range(2):
                    copy_tree.copy(source, target)
                self.assertEqual(in_use.read(), "old")
            self.assertEqual((target / "lib" / "libx.so.1").read_text(), "new")
            self.assertEqual((target / "lib" / "libx.so").readlink(), Path("libx.so.1"))
            self.assertEqual(len(list((target / "lib").iterdir())), 2)


class PatchedTrees(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fresh, self.kept = Path(folder.name, "fresh"), Path(folder.name, "kept")
        for tree in (self.fresh, self.kept):
            (tree / "sub").mkdir(parents=True)
            (tree / "same.c").write_text("same\n")
            os.utime(tree / "same.c", (1, 1))
        (self.fresh / "sub" / "changed.c").write_text("new\n")
        (self.kept / "sub" / "changed.c").write_text("old\n")
        (self.fresh / "added.c").write_text("added\n")
        (self.kept / "gone.c").write_text("gone\n")

    def test_only_what_differs_is_touched(self) -> None:
        self.assertEqual(sources.synchronise(self.fresh, self.kept), 3)
        self.assertEqual((self.kept / "same.c").stat().st_mtime, 1)
        self.assertEqual((self.kept / "sub" / "changed.c").read_text(), "new\n")
        self.assertEqual(sources.files_below(self.kept), sources.files_below(self.fresh))
        self.assertEqual(sources.synchronise(self.fresh, self.kept), 0)

    def test_a_patch_that_does_not_apply_is_an_error(self) -> None:
        patch = self.fresh.parent / "0001-x.patch"
        patch.write_text("--- a/same.c\n+++ b/same.c\n@@ -1 +1 @@\n-other\n+new\n")
        with self.assertRaises(SystemExit):
            sources.apply_patches(self.fresh, [patch])

    def test_a_changed_tarball_is_refused(self) -> None:
        wrap = sources.read_wrap("dav1d")
        (self.fresh / "t").write_text("not it")
        self.assertFalse(sources.is_genuine(self.fresh / "t", wrap))

    def test_the_key_follows_the_patches(self) -> None:
        wrap, patch = sources.read_wrap("dav1d"), self.fresh.parent / "p"
        patch.write_text("1")
        first = sources.tree_key(wrap, [patch])
        patch.write_text("2")
        self.assertNotEqual(first, sources.tree_key(wrap, [patch]))
        self.assertNotEqual(first, sources.tree_key(wrap, []))

    def test_patches_of_others_go_ahead(self) -> None:
        """The series changes what the others' patch makes of a file."""
        folder = self.fresh.parent
        for name, old, new in (("before", "same", "theirs"), ("ours", "theirs", "ours")):
            (folder / name).mkdir()
            (folder / name / "1.patch").write_text(f"--- a/same.c\n+++ b/same.c\n@@ -1 +1 @@\n-{old}\n+{new}\n")
            (folder / name / "series").write_text("1.patch  # a comment\n")
        tarball, tree = folder / "x.tar", folder / "trees" / "x"
        with tarfile.open(tarball, "w") as tar:
            tar.add(self.fresh, "x-1")
        wrap = sources.Wrap("x", "x-1", "", "x.tar", sources.sha256_of(tarball))
        with mock.patch.multiple(sources, CACHE=folder, read_wrap=lambda *_: wrap, new_files_of=lambda _: [],
                                 patches_of=lambda *_: sources.patches_in(folder / "ours")):
            sources.prepare_tree("x", True, tree, before=sources.patches_in(folder / "before"))
        self.assertEqual((tree / "same.c").read_text(), "ours\n")

    def test_the_header_follows_the_sources(self) -> None:
        job = programs.Job(self.fresh.parent, "patched", "", None, 1)
        header = self.fresh.parent / "built.h"
        for name in ("ffmpeg", "dav1d"):
            job.tree(name).parent.mkdir(exist_ok=True)
            sources.key_file(job.tree(name)).write_text("1")
        programs.write_header(job, header)
        os.utime(header, (1, 1))
        programs.write_header(job, header)
        self.assertEqual(header.stat().st_mtime, 1)
        sources.key_file(job.tree("dav1d")).write_text("2")
        programs.write_header(job, header)
        self.assertNotEqual(header.stat().st_mtime, 1)


class Running(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("ROOT", "LOGS"):
            change = mock.patch.object(suites, name, Path(folder.name))
            change.start()
            self.addCleanup(change.stop)
        quiet = mock.patch.multiple(suites, say=lambda text: None, print=lambda *_, **__: None, create=True)
        quiet.start()
        self.addCleanup(quiet.stop)

    def suite(self, name: str, cores: str, script: str, limit: float = 60) -> suites.Suite:
        return suites.Suite(name, "quick", limit, cores, ["sh", "-c", script])

    def test_neighbours_with_few_cores_run_side_by_side(self) -> None:
        meets = "touch {0}; while ! [ -e {1} ]; do sleep 0.01; done"
        with mock.patch("os.cpu_count", return_value=2):
            done = suites.run_all([self.suite("a", "few", meets.format("a", "b"), 20),
                                   self.suite("b", "few", meets.format("b", "a"), 20)])
        self.assertEqual([(suite.name, count.passed) for suite, count in done], [("a", 1), ("b", 1)])

    def test_others_run_alone_and_in_order(self) -> None:
        alone = "echo {0} in >> order; sleep 0.1; echo {0} out >> order"
        suites.run_all([self.suite(name, cores, alone.format(name))
                        for name, cores in (("a", "few"), ("b", "all"), ("c", "all"), ("d", "few"))])
        self.assertEqual((suites.ROOT / "order").read_text().split("\n")[:-1],
                         [f"{name} {way}" for name in "abcd" for way in ("in", "out")])

    def test_a_suite_that_hangs_is_ended_with_its_children(self) -> None:
        ((_, count),) = suites.run_all([self.suite("a", "all", "(sleep 1.5; touch outlived) & wait", 0.3)])
        self.assertEqual(count.failed, 1)
        time.sleep(1.5)
        self.assertFalse((suites.ROOT / "outlived").exists())

    def test_nothing_begins_after_a_stop(self) -> None:
        runner = suites.Runner()
        runner.stop()
        runner.run(self.suite("a", "all", "touch begun"))
        self.assertFalse((suites.ROOT / "begun").exists())


class Counting(unittest.TestCase):
    def check(self, text: str, code: int, *wanted: int) -> None:
        self.assertEqual(suites.counts_of(text, code), suites.Count(*wanted))

    def test_the_last_line_counts(self) -> None:
        self.check("1 passed, 0 failed, 0 skipped\n7 passed, 2 failed, 1 skipped\n", 1, 7, 2, 1)

    def test_meson(self) -> None:
        self.check("Ok:                 5   \nExpected Fail:      0\nFail:               1\nSkipped:  2\nTimeout: 1\n",
                   1, 5, 2, 2)

    def test_silent(self) -> None:
        self.check("", 0, 1, 0, 0)
        self.check("", 3, 0, 1, 0)

    def test_an_exit_code_is_never_hidden(self) -> None:
        self.check("9 passed, 0 failed, 0 skipped\n", -11, 9, 1, 0)


class Tree(unittest.TestCase):
    def test_addresses(self) -> None:
        mirror = "http" + "://mirror.example.org/debian"
        self.assertTrue(check_tree.wrong_words(Path("a.md"), f"see {mirror}"))
        self.assertFalse(check_tree.wrong_words(Path("a.md"), "see https" + "://ffmpeg.org/releases"))

    def test_paths(self) -> None:
        self.assertTrue(check_tree.wrong_words(Path("a.md"), "in /ro" + "ot/x"))
        self.assertFalse(check_tree.wrong_words(Path("a.md"), "${x}/ro" + "ot/x and docs/wo" + "rk/"))

    def test_licence(self) -> None:
        self.assertTrue(check_tree.licence_missing(Path("a.cpp"), "int x;\n"))
        self.assertFalse(check_tree.licence_missing(Path("a.cpp"), f"// {check_tree.LICENCE}\n"))

    def test_widths(self) -> None:
        def wide(name: str, text: str) -> list[str]:
            return check_tree.wide_lines(Path(name), text)

        for name in ("a.c", "a.cpp", "a.h", "a.comp", "a.glsl", "a.py", "a.sh", "meson.build", "meson_options.txt"):
            self.assertFalse(wide(name, f"{'x' * 120}\n"), name)
            self.assertEqual(len(wide(name, f"{'x' * 120}\n{'x' * 121}\n")), 1, name)
        self.assertTrue(wide("script", f"#!/bin/sh\n{'x' * 121}\n"))
        self.assertFalse(wide("data.json", f"{'x' * 121}\n"))
        prose, much = "x" * 100, "x" * 101
        self.assertFalse(wide("a.md", f"{prose}\n"))
        self.assertEqual(wide("a.md", f"{prose}\n{much}\n"), ["line 2: 101 columns, at most 100"])
        for excepted in (f"| {much} |", f"```\n{much}\n```", f"<!-- stats -->\n{much}\n<!-- end of stats -->",
                         f"[a link]({much}.md)", f"see https://ffmpeg.org/{much}"):
            self.assertFalse(wide("a.md", f"{excepted}\n{prose}\n"), excepted)
            self.assertTrue(wide("a.md", f"{excepted}\n{much}\n"), excepted)
        self.assertTrue(wide("a.md", f"{prose} [a link](a.md)\n"))

    def test_lists(self) -> None:
        self.assertTrue(check_tree.unsorted_lists(Path("meson.build"), "x_sources = files(\n  'b',\n  'a',\n)\n"))
        self.assertFalse(check_tree.unsorted_lists(Path("meson.build"), "x_sources = files(\n  'a',\n  'b',\n)\n"))


class Embedding(unittest.TestCase):
    def embed(self, folder: Path, words: tuple[int, ...]) -> subprocess.CompletedProcess:
        (folder / "k.spv").write_bytes(struct.pack(f"<{len(words)}I", *words))
        return subprocess.run([sys.executable, str(SCRIPTS / "embed.py"), str(folder / "out.cpp"),
                               str(folder / "k.spv")],
                              capture_output=True, text=True)

    def test_words(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.embed(Path(folder), (0x07230203, 5)).returncode, 0)
            self.assertIn("0x7230203, 0x5", Path(folder, "out.cpp").read_text())

    def test_no_module(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertNotEqual(self.embed(Path(folder), (1, 2)).returncode, 0)


def main() -> None:
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed or not result.testsRun else 0)


if __name__ == "__main__":
    main()
