# SPDX-License-Identifier: BSD-2-Clause
"""Command line of the simulator's front end."""
import argparse
import sys

from cli import run, setup, stats, timing
from cli.report import ToolError
from daedalus_tools.apt import AptError

COMMANDS = {
    "run": (run, "run a program on the simulated device"),
    "setup": (setup, "fetch and build the drivers"),
    "stats": (stats, "what the compiler makes of each kernel"),
    "time": (timing, "modelled time on the device"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="v3dsim", description="Stock v3dv over a simulated V3D 7.1.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, text) in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=module.__doc__)
        module.add_arguments(sub)
        sub.set_defaults(entry=module.main)
    args = parser.parse_args()
    try:
        return args.entry(args)
    except (AptError, ToolError) as error:
        print(f"v3dsim: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
