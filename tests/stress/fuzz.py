#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""libFuzzer on the C interface and on whole decoders, in build-fuzz beside build/, with AddressSanitizer and
UndefinedBehaviorSanitizer. The decoders' corpus are the first packets of the manifest's small streams. Inputs that were
worth keeping, and those that fail, lie in build-fuzz/corpus and build-fuzz/failures, a run's whole log in
build-fuzz/logs. Needs clang 19 and its runtime."""

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from daedalus_tools import decode, ivf, manifest

import mutate
import sanitized

TARGETS = ("interface", "decoder")
PACKETS, LARGEST = 6, 40_000  # of a stream, bytes of an input
DONE = re.compile(r"^Done (\d+) runs", re.M)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="*", choices=(*TARGETS, []), help="default: both")
    parser.add_argument("--minutes", type=float, default=10, help="for each target (default: 10)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("--build", type=Path, default=ROOT / "build-fuzz")
    return parser.parse_args()


def write_seeds(target: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if target == "interface":  # libFuzzer's own start is too short to begin a frame
        for n in range(32):
            (folder / f"seed-{n}").write_bytes(random.Random(n).randbytes(1 << 10))
        return
    for codec in ("vp9", "av1"):
        for stream in manifest.find([], codec=codec, tier="core"):
            if stream.path.stat().st_size > 1_000_000:
                continue
            source = mutate.load(stream.path, most=PACKETS)
            path = folder / f"seed-{codec}-{stream.path.stem}"
            ivf.write(path, source.header, [ivf.Packet(data, i) for i, data in enumerate(source.packets)])
            if path.stat().st_size > LARGEST:
                path.unlink()


def run(target: str, args: argparse.Namespace) -> list[str]:
    corpus, failures = args.build / "corpus" / target, args.build / "failures" / target
    log = args.build / "logs" / f"fuzz-{target}.log"
    for folder in (failures, log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    write_seeds(target, corpus)
    command = [str(args.build / "tests" / "stress" / f"fuzz_{target}"), f"-max_total_time={round(60 * args.minutes)}",
               f"-seed={args.seed}", "-timeout=60", "-rss_limit_mb=6000", f"-max_len={LARGEST}",
               f"-artifact_prefix={failures}/", "-print_final_stats=1", str(corpus)]
    # The driver keeps what it has for the life of the process: that is no leak of an input.
    environment = {**decode.clean_environment(), "DAEDALUS_USER_CACHE": "off", "DAEDALUS_PLAN": "gpu",
                   "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
                   "UBSAN_OPTIONS": sanitized.UBSAN}
    with open(log, "w") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
    text = log.read_text(errors="replace")
    runs = DONE.search(text)
    print(f"{target}: seed {args.seed}, {runs[1] if runs else 'no'} inputs, log: {log}")
    if done.returncode or not runs:
        return [f"{target}: exit code {done.returncode}; {text.strip()[-600:]}"]
    reports = re.findall(r"^.*runtime error: .*$", text, re.M)
    return [f"{target}: {report}" for report in sorted(set(reports))]


def main() -> None:
    args = parse()
    args.build = args.build.resolve()
    targets = args.target or list(TARGETS)
    sanitized.build(args.build, "address,undefined", "clang-19", [f"tests/stress/fuzz_{target}" for target in targets],
                    ("-Dfuzzing=true", "-Dtools=false"))
    failed = 0
    for target in targets:
        problems = run(target, args)
        failed += bool(problems)
        for problem in problems:
            print(f"  failed: {problem}")
    print(f"{len(targets) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
