#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every patch of both series alone: the tree with all patches up to it compiles, with libdaedalus where it has the
option, and without. The whole trees also pass their upstreams' own tests: dav1d's programs, FFmpeg's checkasm of VP9,
and FATE's VP9 decoding of those samples that the vectors hold. Works in build-patches beside build/, whose plugin is
linked."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "build"), str(ROOT / "tools" / "lib")]

from daedalus_tools import manifest, paths

import programs
import sources

LIBRARIES = ("libavcodec/libavcodec.a", "libavutil/libavutil.a")
FATE = re.compile(r"^fate-vp9\S*$", re.M)


class Failed(Exception):
    pass


def call(command: list[str], folder: Path, log: Path) -> str:
    """What it prints is kept in a log, whose end is the error where it fails."""
    environment = {**os.environ,
                   "PKG_CONFIG_PATH": f"{paths.BUILD}/install/lib/pkgconfig:{log.parent}/prefix/lib/pkgconfig",
                   "LD_LIBRARY_PATH": f"{paths.BUILD}/install/lib"}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    with open(log, "a") as out:
        out.write(f"$ {' '.join(map(str, command))}\n{done.stdout}")
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command[:3]))} … in {folder.name}: {done.stdout.strip()[-1500:]}")
    return done.stdout


class Dav1d:
    name = "dav1d"

    def __init__(self, folder: Path, jobs: int, release: str):
        self.folder, self.jobs, self.release, self.log = folder, jobs, release, folder / "dav1d.log"
        self.tree = folder / "src" / "dav1d"

    def compile(self, with_us: bool, options: tuple[str, ...] = ()) -> Path:
        objects = self.folder / ("dav1d-with" if with_us else "dav1d-without")
        ours = ["-Ddaedalus=enabled"] if with_us else []
        if not (objects / "build.ninja").is_file() or options:
            again = ["--reconfigure"] if objects.is_dir() else []
            call(["meson", "setup", *again, "--buildtype=release", "-Denable_tests=false", "-Denable_tools=false",
                  "-Ddefault_library=static", "-Dlibdir=lib", f"-Dprefix={self.folder / 'prefix'}", *ours, *options,
                  str(objects), str(self.tree)], self.folder, self.log)
        call(["ninja", "-C", str(objects), f"-j{self.jobs}"], self.folder, self.log)
        return objects

    def has_option(self) -> bool:
        return "'daedalus'" in (self.tree / "meson_options.txt").read_text()

    def finish(self) -> list[str]:
        """dav1d's own tests, whose programs can't be linked with libdaedalus; and an installed library for FFmpeg."""
        call(["meson", "install", "-C", str(self.folder / "dav1d-with")], self.folder, self.log)
        objects = self.compile(False, ("-Denable_tests=true", "-Denable_tools=true"))
        call(["meson", "test", "-C", str(objects), "--print-errorlogs"], self.folder, self.log)
        return ["dav1d's own tests"]


class FFmpeg:
    name = "ffmpeg"

    def __init__(self, folder: Path, jobs: int, release: str):
        self.folder, self.jobs, self.release, self.log = folder, jobs, release, folder / "ffmpeg.log"
        self.tree = folder / "src" / "ffmpeg"

    def objects(self, with_us: bool) -> Path:
        return self.folder / ("ffmpeg-with" if with_us else "ffmpeg-without")

    def compile(self, with_us: bool) -> Path:
        objects = self.objects(with_us)
        objects.mkdir(exist_ok=True)
        key, stamp = repr([(self.tree / f).read_bytes() for f in programs.CONFIGURE_INPUTS]), objects / "configured"
        if not stamp.is_file() or stamp.read_text() != key:
            call([str(self.tree / "configure"), "--disable-everything", "--disable-autodetect", "--disable-doc",
                  "--disable-network", "--enable-libdav1d", "--pkg-config-flags=--static",
                  *programs.component_options(programs.Job(self.folder, "patched", "", None, self.jobs)),
                  *(["--enable-libdaedalus", "--enable-libdrm"] if with_us else [])], objects, self.log)
            stamp.write_text(key)
        call(["make", f"-j{self.jobs}", *LIBRARIES], objects, self.log)
        return objects

    def has_option(self) -> bool:
        return "libdaedalus" in (self.tree / "configure").read_text()

    def finish(self) -> list[str]:
        objects = self.objects(with_us=False)
        call(["make", f"-j{self.jobs}", "ffmpeg", "ffprobe", "tests/checkasm/checkasm"], objects, self.log)
        call(["tests/checkasm/checkasm", "--test=vp9dsp"], objects, self.log)
        samples = self.folder / "samples" / "vp9-test-vectors"
        samples.mkdir(parents=True, exist_ok=True)
        for stream in manifest.find([], codec="vp9"):
            link = samples / stream.path.name
            if not link.exists():
                link.symlink_to(stream.path.resolve())
        tests = FATE.findall(call(["make", "fate-list", f"SAMPLES={samples.parent}"], objects, self.log))
        there = [test for test in tests if self.has_sample(test, samples)]
        if there:
            call(["make", f"-j{self.jobs}", *there, f"SAMPLES={samples.parent}"], objects, self.log)
        return ["FFmpeg's checkasm of VP9", *(f"FATE: {test}" for test in there)]

    def has_sample(self, test: str, samples: Path) -> bool:
        """FATE's list has no file names: make says what a test would run."""
        asked = call(["make", "-n", test, f"SAMPLES={samples.parent}"], self.objects(False), self.log)
        files = re.findall(rf"{re.escape(str(samples))}/\S+\.webm", asked)
        return bool(files) and all(Path(file).is_file() for file in files)


def one_series(project: Dav1d | FFmpeg) -> tuple[list[str], list[str]]:
    passed, failed = [], []
    project.tree.parent.mkdir(parents=True, exist_ok=True)
    if not project.tree.is_dir():
        sources.unpack(sources.read_wrap(project.name, project.release), project.tree.parent).rename(project.tree)
        sources.add_new_files(project.name, project.tree)
    for patch in sources.patches_of(project.name, project.release):
        sources.apply_patches(project.tree, [patch])
        for with_us in (False, True) if project.has_option() else (False,):
            try:
                project.compile(with_us)
                passed.append(patch.name)
            except Failed as problem:
                failed.append(f"{patch.name}, {'with' if with_us else 'without'} libdaedalus: {problem}")
    try:
        passed += project.finish()
    except Failed as problem:
        failed.append(f"{project.name}: {problem}")
    return passed, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build-patches", help="an empty folder, or none")
    parser.add_argument("--release", choices=tuple(sources.RELEASES), default=sources.DEFAULT,
                        help="of FFmpeg (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    folder = args.build.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    passed, failed = [], []
    for project in (Dav1d(folder, args.jobs, args.release), FFmpeg(folder, args.jobs, args.release)):
        good, bad = one_series(project)
        passed += good
        failed += bad
    for problem in failed:
        print(f"  failed: {problem}")
    print(f"{len(passed)} passed, {len(failed)} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
