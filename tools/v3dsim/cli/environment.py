# SPDX-License-Identifier: BSD-2-Clause
"""A command line and an environment in which a program's Vulkan device is the simulated one."""
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from cli.paths import build_dir, cache_dir
from cli.report import ToolError
from routes import mesa_x86, sysroot_arm64
from routes.pins import DEFAULT_MESA

LIBRARY = Path("tools/v3dsim/libv3dsim.so")
ELF_MACHINES = {62: "x86", 183: "arm64"}


@dataclass(frozen=True)
class Target:
    """A route with everything that it needs in place."""

    route: str
    mesa: str
    library: Path

    @property
    def icd(self) -> Path:
        return (mesa_x86 if self.route == "x86" else sysroot_arm64).icd_file(self.mesa)

    def command(self, argv, variables: dict) -> tuple:
        """Returns (argv, environment). Variables of the simulator reach the program on either route."""
        driver = {"VK_DRIVER_FILES": str(self.icd), "VK_ICD_FILENAMES": str(self.icd)}
        # The driver's own cache of compiled kernels, apart from the user's.
        driver["MESA_SHADER_CACHE_DIR"] = str(cache_dir() / "shaders" / self.route)
        # Simulated work takes its time: the plugin's patience is meant for hardware.
        variables = {"DAEDALUS_TIMEOUT_MS": os.environ.get("DAEDALUS_TIMEOUT_MS", "3600000"), **variables}
        if self.route == "x86":
            preload = ":".join(filter(None, (str(self.library), os.environ.get("LD_PRELOAD"))))
            return list(argv), {**os.environ, **driver, **variables, "LD_PRELOAD": preload}
        guest = ["-E", f"LD_PRELOAD={self.library}", "-L", str(sysroot_arm64.sysroot(self.mesa))]
        return [sysroot_arm64.qemu(), *guest, *argv], {**os.environ, **driver, **variables}


def library_of(route: str) -> Path:
    root = build_dir() if route == "x86" else build_dir() / "pi"
    return root / LIBRARY


def machine_of(program: str) -> str:
    """Route that a program's own machine code asks for; scripts run on x86."""
    path = shutil.which(program) or program
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError as error:
        raise ToolError(f"cannot run {program}: {error.strerror}") from None
    return ELF_MACHINES.get(int.from_bytes(head[18:20], "little"), "other") if head[:4] == b"\x7fELF" else "script"


def choose_route(wanted: str, program: str, mesa: str) -> str:
    machine = machine_of(program)
    if wanted == "auto":
        return "arm64" if machine == "arm64" else "x86"
    if wanted == "arm64" and machine != "arm64":
        raise ToolError(f"{program} is no aarch64 program: build one with `v3dsim setup --pi` (lies in build/pi)")
    if wanted == "x86" and machine == "arm64":
        raise ToolError(f"{program} is an aarch64 program: use --route arm64")
    return wanted


def target(wanted: str = "auto", program: str = "/bin/true", mesa: str = DEFAULT_MESA, library: Path = None) -> Target:
    route = choose_route(wanted, program, mesa)
    ready = mesa_x86.is_built if route == "x86" else sysroot_arm64.is_ready
    if not ready(mesa):
        raise ToolError(f"the {route} driver of Mesa {mesa} is not there: run `v3dsim setup --route {route}"
                        f"{'' if mesa == DEFAULT_MESA else ' --mesa ' + mesa}` first")
    library = (library or library_of(route)).resolve()
    if not library.exists():
        how = "ninja -C build" if route == "x86" else "v3dsim setup --pi"
        raise ToolError(f"the simulator {library} is not built: run `{how}` first")
    return Target(route, mesa, library)
