#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The plugin, FFmpeg and dav1d built with sanitizers, in a build folder of their own beside build/; then conformance,
hostile input and many decoders with them. A report of a sanitizer is a failure, wherever it comes from.

With --few, only what needs no program of FFmpeg's, over a few streams: libavcodec with two decoders is built in some
minutes. The plugin's own tests run first: they show in seconds what any stream would trip over.

address: AddressSanitizer and UndefinedBehaviorSanitizer    thread: ThreadSanitizer
function: UndefinedBehaviorSanitizer of clang 19, which sees calls through pointers to functions of other types
"""

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools" / "lib"), str(ROOT / "tools" / "build")]

import programs
from daedalus_tools import counts

HERE = ROOT / "tests" / "stress"
STOCK_BUILD = Path(os.environ.get("DAEDALUS_BUILD", ROOT / "build")).resolve()
WANTED = ("tests/stress/decode_list", "tests/stress/decode_threads")
UNIT_TESTS = "tests/plugin/test_plugin"
UNIT_TEST_PARTS = ("[faults]", "~[faults]")  # that take as long
SMALL = "*vp9[0-3]-2-[02]*-[!r]*"
AV1_SMALL = "*/dav1d/*/[dfmqs]*/*"


@dataclass(frozen=True)
class Kind:
    flags: str
    environment: dict[str, str]
    prefix: list[str]  # before every program
    compiler: str = ""  # a clang


# GCC sees uninitialized values in code that sanitizers instrument. Ordinary builds have warnings as errors.
OPTIONS = ("-Dwerror=false",)
# FFmpeg and dav1d get the same flags by `only_decoders`.
FEW_OPTIONS = ("-Donly_decoders=true", "-Dtools=false", "-Doptimization=1", f"-Dc_args={programs.FEW_FLAGS}",
               f"-Dcpp_args={programs.FEW_FLAGS}")
# The check of virtual tables needs clang's C++ runtime, which its C driver doesn't link FFmpeg's programs with.
CLANG_OPTIONS = ("-Dcpp_args=-fno-sanitize=vptr",)

UBSAN = f"print_stacktrace=1:halt_on_error=0:suppressions={HERE / 'sanitizers' / 'undefined.txt'}"

# What drivers, LLVM and stock FFmpeg do is not ours to judge: the files beside this one name it.
KINDS = {
    "address": Kind("address,undefined", {
        "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": UBSAN,
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={HERE / 'sanitizers' / 'leaks.txt'}"}, []),
    # TSan needs its addresses free: no randomisation of the layout.
    "thread": Kind("thread", {
        "TSAN_OPTIONS": f"halt_on_error=0:second_deadlock_stack=1:suppressions={HERE / 'sanitizers' / 'threads.txt'}"},
        ["setarch", "-R"]),
    "function": Kind("undefined", {"UBSAN_OPTIONS": UBSAN}, [], "clang-19"),
}


def build(folder: Path, flags: str, compiler: str, targets: list[str], options: tuple[str, ...] = ()) -> None:
    """`compiler`: a clang, which warns of other things than the compiler that the project is kept clean with."""
    environment = {**os.environ, **({"CC": compiler, "CXX": compiler.replace("clang", "clang++")} if compiler else {})}
    if not (folder / "build.ninja").is_file():
        subprocess.run(["meson", "setup", str(folder), str(ROOT), f"-Db_sanitize={flags}", "-Db_lundef=false",
                        "-Dbuildtype=debugoptimized", "-Dprograms=patched", "-Dtests=true", "-Dtest_hooks=true",
                        *OPTIONS, *(CLANG_OPTIONS if compiler else ()), *options],
                       check=True, stdout=sys.stderr, env=environment)
    subprocess.run(["ninja", "-C", str(folder), *targets], check=True, stdout=sys.stderr, env=environment)


def few_commands(kind: str, folder: Path) -> list[tuple[str, list[str]]]:
    programs, stock = folder / "tests" / "stress", str(STOCK_BUILD / "tests" / "stress" / "decode_list_stock")
    with_lists = ["--program", str(programs / "decode_list"), "--stock", stock, "--timeout", "300"]
    hostile = [sys.executable, str(HERE / "hostile.py"), *with_lists, "--packets", "100"]
    damage = [sys.executable, str(HERE / "damage.py"), *with_lists, "--cases", "8", "--runs", "2", "--stock-runs", "3",
              "--ways", "2", "--threads", "3", "--plans", "gpu"]
    name, command = ("hostile input", hostile) if kind == "address" else ("damaged streams", damage)
    return [(f"{codec}, {name}", [*command, "--codec", codec]) for codec in ("vp9", "av1")]


def commands(kind: str, folder: Path, quick: bool) -> list[tuple[str, list[str]]]:
    programs = folder / "tests" / "stress"
    ffmpeg, stock = folder / "install" / "bin" / "ffmpeg", STOCK_BUILD / "stock" / "bin" / "ffmpeg"
    av1 = [sys.executable, str(ROOT / "tools" / "conformance"), "--ffmpeg", str(ffmpeg), "--stock", str(stock),
           "--device", "llvmpipe", "--plan", "gpu", "--tier", "core", "--require-gpu", "--codec", "av1"]
    conformance = [*av1[:-1], "vp9"]
    decoders = [sys.executable, str(HERE / "decoders.py"), "--program", str(programs / "decode_threads")]
    hostile = [sys.executable, str(HERE / "hostile.py"), "--program", str(programs / "decode_list"), "--stock",
               str(STOCK_BUILD / "tests" / "stress" / "decode_list_stock"), "--packets", "200" if quick else "2000"]
    faults = [sys.executable, str(HERE / "faults.py"), "--ffmpeg", str(ffmpeg), "--patience", "8000"]
    few = ["--filter", SMALL] if quick else []
    av1 += ["--filter", AV1_SMALL] if quick else []
    more = [("AV1, 4 threads", [*av1, "--threads", "4"]), ("AV1, decoders", [*decoders, "--codec", "av1"])]
    if kind == "function":
        return [("one thread", [*conformance, "--filter", SMALL]), ("AV1", [*av1, "--filter", AV1_SMALL]),
                ("AV1, 4 threads", [*av1, "--filter", AV1_SMALL, "--threads", "4"]),
                ("AV1, faults", [*faults, "--codec", "av1", "--kind", "submit"])]
    if kind == "thread":
        unlucky = [*faults, "--kind", "submit", "--kind", "wait", "--kind", "lost"]
        again = [(f"{codec}, decoded again, {n} threads", [*unlucky, "--codec", codec, "--threads", str(n)])
                 for codec in ("vp9", "av1") for n in (1, 2, 4)]
        return [*again, ("frame threads", [*conformance, *few, "--threads", "4"]),
                ("slice threads", [*conformance, *few, "--threads", "4", "--thread-type", "slice"]),
                ("decoders", decoders), *more]
    return [("one thread", [*conformance, *few]), ("frame threads", [*conformance, *few, "--threads", "4"]),
            ("hostile input", hostile), ("decoders", decoders), ("faults", faults),
            ("AV1, one thread", av1), ("AV1, hostile input", [*hostile, "--codec", "av1"]),
            ("AV1, faults", [*faults, "--codec", "av1"]), *more]


def run(name: str, command: list[str], kind: str) -> list[int]:
    chosen = KINDS[kind]
    return counts.run(f"{kind}, {name}", [*chosen.prefix, *command], {**os.environ, **chosen.environment})


def run_unit_tests(program: Path) -> list[int]:
    """Two parts side by side. The first report ends a part."""
    sanitizers = {name: options.replace("halt_on_error=0", "halt_on_error=1")
                  for name, options in KINDS["address"].environment.items()}
    environment = {**os.environ, **sanitizers, "DAEDALUS_DEVICE": "llvmpipe"}
    running = [subprocess.Popen([program, tests], env=environment, stdout=sys.stderr) for tests in UNIT_TEST_PARTS]
    failed = sum(part.wait() != 0 for part in running)
    print(f"address, tests of the plugin: {'failed' if failed else 'passed'}", flush=True)
    return [len(running) - failed, failed, 0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--quick", action="store_true", help="small streams and a tenth of the mutated packets")
    parser.add_argument("--few", action="store_true", help="in a folder of its own: a few streams and no programs")
    parser.add_argument("--build", type=Path, help="build folder (default: build-KIND, with --few build-KIND-few)")
    parser.add_argument("--only", metavar="TEXT", help="only what has this in its name")
    args = parser.parse_args()
    folder = (args.build or ROOT / f"build-{args.kind}{'-few' if args.few else ''}").resolve()
    with_unit_tests = args.kind == "address" and not args.only
    targets = [*([UNIT_TESTS] if with_unit_tests else []), *([] if args.few else ["patched.stamp"]), *WANTED]
    build(folder, KINDS[args.kind].flags, KINDS[args.kind].compiler, targets, FEW_OPTIONS if args.few else ())
    total = run_unit_tests(folder / UNIT_TESTS) if with_unit_tests else [0, 0, 0]
    for name, command in few_commands(args.kind, folder) if args.few else commands(args.kind, folder, args.quick):
        if args.only and args.only not in name:
            continue
        total = [a + b for a, b in zip(total, run(name, command, args.kind))]
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
