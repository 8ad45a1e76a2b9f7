#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The mails of docs/upstream: they apply to the pristine releases without fuzz, and those compile; FFmpeg's checkasm of
VP9 passes."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "build"))

import sources

RELEASE = "9.0"
MAILS = ROOT / "docs" / "upstream"
FFMPEG = ("--disable-everything", "--disable-autodetect", "--disable-doc", "--disable-network", "--disable-programs",
          "--enable-decoder=vp9")
DAV1D = ("-Denable_tools=false", "-Denable_examples=false", "-Denable_docs=false")


def run(*command: object, cwd: Path) -> None:
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}\n0 passed, 1 failed, 0 skipped")


def main() -> None:
    jobs, passed = f"-j{os.cpu_count() or 1}", 0
    subprocess.run([str(ROOT / "tools/build/fetch-sources"), "--release", RELEASE], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="dd-upstream-") as folder:
        for name in ("ffmpeg", "dav1d"):
            wrap = sources.read_wrap(name, RELEASE)
            mails = sorted((MAILS / wrap.directory).glob("*.patch"))
            tree = sources.unpack(wrap, Path(folder))
            sources.apply_patches(tree, mails)
            if name == "ffmpeg":
                run("./configure", *FFMPEG, cwd=tree)
                run("make", jobs, "tests/checkasm/checkasm", cwd=tree)
                run("tests/checkasm/checkasm", "--test=vp9dsp", cwd=tree)
            else:
                run("meson", "setup", "build", *DAV1D, cwd=tree)
                run("ninja", "-C", "build", cwd=tree)
            passed += len(mails)
    print(f"{passed} passed, 0 failed, 0 skipped")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
