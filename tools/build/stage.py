#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Put the plugin's library, header and pkg-config file into a prefix that can be moved."""

import argparse
import filecmp
import shutil
from pathlib import Path

PKG_CONFIG = """\
prefix=${{pcfiledir}}/../..
libdir=${{prefix}}/lib
includedir=${{prefix}}/include

Name: daedalus
Description: Batched GPU reconstruction for VP9 and AV1 decoders
Version: {version}
Libs: -L${{libdir}} -ldaedalus
Cflags: -I${{includedir}}
"""


def copy_if_changed(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and filecmp.cmp(source, target, shallow=False):
        return
    scratch = target.with_name(f".{target.name}.new")  # a program may have the old one mapped
    shutil.copy(source, scratch)
    scratch.rename(target)


def link(target: Path, name: str) -> None:
    path = target.with_name(name)
    if path.is_symlink() and path.readlink() == Path(target.name):
        return
    path.unlink(missing_ok=True)
    path.symlink_to(target.name)


def stage_library(built: Path, folder: Path) -> None:
    """libNAME.so.X.Y.Z with the two names that linkers and loaders look for: the latter has the SOVERSION, 0.Y or X."""
    real = built.resolve()
    staged = folder / real.name
    copy_if_changed(real, staged)
    stem, version = real.name.split(".so", 1)
    major, minor, _ = version.strip(".").split(".")
    for name in (f"{stem}.so", f"{stem}.so.0.{minor}" if major == "0" else f"{stem}.so.{major}"):
        if name != staged.name:
            link(staged, name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--stamp", type=Path, required=True)
    parser.add_argument("library", type=Path)
    parser.add_argument("headers", type=Path, nargs="+")
    args = parser.parse_args()

    stage_library(args.library, args.prefix / "lib")
    for header in args.headers:
        copy_if_changed(header, args.prefix / "include" / "daedalus" / header.name)
    text = PKG_CONFIG.format(version=args.version)
    pc = args.prefix / "lib" / "pkgconfig" / "daedalus.pc"
    if not pc.is_file() or pc.read_text() != text:
        pc.parent.mkdir(parents=True, exist_ok=True)
        pc.write_text(text)
    args.stamp.touch()


if __name__ == "__main__":
    main()
