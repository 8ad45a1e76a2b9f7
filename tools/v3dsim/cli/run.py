# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program whose Vulkan device is stock v3dv over the simulated V3D 7.1."""
import subprocess
from pathlib import Path

from cli import environment
from cli.report import ToolError, say
from routes.pins import DEFAULT_MESA, PINS


def add_target_arguments(parser) -> None:
    parser.add_argument("--mesa", choices=tuple(PINS["mesa"]), default=DEFAULT_MESA, help="pinned version of Mesa")
    parser.add_argument("--library", type=Path, help="another build of the simulator")


def add_arguments(parser) -> None:
    parser.add_argument("--route", choices=("auto", "x86", "arm64"), default="auto",
                        help="auto follows the program's own machine code")
    add_target_arguments(parser)
    parser.add_argument("--stats", metavar="FILE", help="append a line of JSON for each compute job")
    parser.add_argument("--trace", metavar="FILE", help="write the event trace that `v3dsim time` reads")
    parser.add_argument("program", nargs="+", metavar="PROGRAM", help="the program and its arguments, after --")


def variables_of(args) -> dict:
    variables = {}
    if args.stats:
        variables["V3DSIM_STATS"] = str(Path(args.stats).resolve())
    if args.trace:
        variables["V3DSIM_TRACE"] = str(Path(args.trace).resolve())
    return variables


def main(args) -> int:
    chosen = environment.target(args.route, args.program[0], args.mesa, args.library)
    say(f"Mesa {chosen.mesa} ({chosen.route}) over {chosen.library.name}")
    argv, env = chosen.command(args.program, variables_of(args))
    try:
        status = subprocess.run(argv, env=env).returncode
    except OSError as error:
        raise ToolError(f"cannot run {argv[0]}: {error.strerror}") from None
    return status if status >= 0 else 128 - status
