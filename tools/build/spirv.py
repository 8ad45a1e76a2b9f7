#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""One kernel: glslang, spirv-opt, spirv-val. A warning of the compiler is an error."""

import argparse
import subprocess
import sys
from pathlib import Path

TARGET = "vulkan1.2"


def run(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def refuse_warnings(text: str) -> None:
    if "WARNING:" in text:
        sys.exit(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--glslang", default="glslangValidator")
    parser.add_argument("--opt", default="spirv-opt")
    parser.add_argument("--val", default="spirv-val")
    parser.add_argument("--depfile", type=Path, required=True)
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("source", type=Path)
    parser.add_argument("output", type=Path)
    args = parser.parse_args()

    raw = args.output.with_suffix(".raw.spv")
    flags = [f"-I{folder}" for folder in args.include] + [f"-D{define}" for define in args.define]
    refuse_warnings(run(args.glslang, "--target-env", TARGET, "--depfile", str(args.depfile), *flags,
                        "-o", str(raw), str(args.source)))
    # glslang names the raw module as the target.
    args.depfile.write_text(args.depfile.read_text().replace(str(raw), str(args.output), 1))
    run(args.opt, f"--target-env={TARGET}", "-O", "--strip-debug", str(raw), "-o", str(args.output))
    run(args.val, "--target-env", TARGET, str(args.output))
    raw.unlink()


if __name__ == "__main__":
    main()
