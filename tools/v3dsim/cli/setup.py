# SPDX-License-Identifier: BSD-2-Clause
"""Fetches and builds the drivers, and on demand the whole stack that a Pi runs."""
import os

from cli.report import say
from routes import cross_arm64, mesa_x86, sysroot_arm64
from routes.pins import DEFAULT_MESA, PINS


def add_arguments(parser) -> None:
    parser.add_argument("--route", choices=("x86", "arm64", "all"), default="x86",
                        help="x86: build v3dv for this machine (default); arm64: Debian's binary for qemu-user")
    parser.add_argument("--pi", action="store_true",
                        help="the arm64 driver, and FFmpeg, dav1d and this project built for aarch64 in build/pi")
    parser.add_argument("--suites", action="store_true",
                        help="what the suites of tools/test need: the x86 driver and that part of --pi")
    parser.add_argument("--mesa", choices=tuple(PINS["mesa"]), default=DEFAULT_MESA, help="pinned version of Mesa")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)


def main(args) -> int:
    if args.suites:
        say(f"x86 driver: {mesa_x86.setup_checked(args.mesa, args.jobs)}")
        say(f"aarch64 build: {cross_arm64.setup(args.mesa, args.jobs, cross_arm64.SUITE_TARGETS)}")
        return 0
    if args.pi:
        say(f"aarch64 build: {cross_arm64.setup(args.mesa, args.jobs)}")
        return 0
    if args.route in ("x86", "all"):
        say(f"x86 driver: {mesa_x86.setup_checked(args.mesa, args.jobs)}")
    if args.route in ("arm64", "all"):
        say(f"arm64 driver: {sysroot_arm64.setup(args.mesa)}")
    return 0
