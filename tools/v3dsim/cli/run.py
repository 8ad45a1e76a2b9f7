# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program whose Vulkan device is stock v3dv over the simulated V3D 7.1."""
import os
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
    parser.add_argument("--check", metavar="LIST",
                        help="find mistakes that hardware hides: undefined, bounds, race, order, or all")
    parser.add_argument("--order", help="order of workgroups: forward, reverse, random[:SEED]")
    parser.add_argument("--yield", dest="switch", action="store_true",
                        help="another batch goes on at every thread switch, not only at barriers")
    parser.add_argument("--verbose", action="store_true", help="a line for each compute job on stderr")
    parser.add_argument("program", nargs="+", metavar="PROGRAM", help="the program and its arguments, after --")


def variables_of(args) -> dict:
    wanted = {
        "V3DSIM_STATS": args.stats and str(Path(args.stats).resolve()),
        "V3DSIM_TRACE": args.trace and str(Path(args.trace).resolve()),
        "V3DSIM_CHECK": args.check,
        "V3DSIM_ORDER": args.order,
        "V3DSIM_YIELD": args.switch and "1",
        "V3DSIM_VERBOSE": args.verbose and "1",
    }
    return {name: value for name, value in wanted.items() if value}


def main(args) -> int:
    chosen = environment.target(args.route, args.program[0], args.mesa, args.library)
    if args.verbose:
        say(f"Mesa {chosen.mesa} ({chosen.route}) over {chosen.library}")
    argv, env = chosen.command(args.program, variables_of(args))
    try:
        os.execvpe(argv[0], argv, env)
    except OSError as error:
        raise ToolError(f"cannot run {argv[0]}: {error.strerror}") from None
