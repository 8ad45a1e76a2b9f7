# SPDX-License-Identifier: BSD-2-Clause
"""Everything that a Pi runs (FFmpeg, dav1d, the plugin, the tests), built here for aarch64 with NEON."""
import os
import re
import shutil
from pathlib import Path

from cli.paths import REPO_DIR, TOOL_DIR, build_dir, cache_dir
from cli.report import ToolError, run_logged, say
from daedalus_tools.apt import PrivateApt, os_release, unpack
from routes import sysroot_arm64

TRIPLET = "aarch64-linux-gnu"
TOOLS = ("gcc", "g++", "ar", "nm", "ranlib", "strip", "objcopy", "ld")
# Headers and libraries that the project links, of the release that the compiler belongs to.
LIBRARIES = ["libvulkan-dev", "libdrm-dev", "catch2", "nlohmann-json3-dev", "libcli11-dev", "libspdlog-dev"]


def pi_build_dir() -> Path:
    return build_dir() / "pi"


def _toolchain() -> dict:
    """Paths of the cross tools: the system's if installed, else a private copy of the same packages."""
    if shutil.which(f"{TRIPLET}-g++"):
        return {tool: shutil.which(f"{TRIPLET}-{tool}") for tool in TOOLS}
    root = cache_dir() / "cross" / "toolchain"
    if not (root / "complete").exists():
        _fetch_toolchain(root)
    return {tool: str(root / "bin" / f"{TRIPLET}-{tool}") for tool in TOOLS}


def _fetch_toolchain(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    say("fetching the aarch64 cross compiler")
    # Against the machine's own list of installed packages: the tools run on its libraries.
    apt = PrivateApt(cache_dir() / "apt" / "cross", os_release()["VERSION_CODENAME"], "amd64",
                     status=Path("/var/lib/dpkg/status"))
    unpack(apt.download_closure([f"g++-{TRIPLET}"]), root)
    _relocate_linker_scripts(root / "usr" / TRIPLET / "lib")
    (root / "bin").mkdir()
    # Where the linker finds what a library needs that it links: libstdc++ for the plugin, when C links it.
    indirect = f"-Wl,-rpath-link,{root}/usr/{TRIPLET}/lib"
    for tool in TOOLS:
        wrapper = root / "bin" / f"{TRIPLET}-{tool}"
        options = indirect if tool in ("gcc", "g++") else ""
        wrapper.write_text(f"#!/bin/sh\nexport LD_LIBRARY_PATH={root}/usr/lib/x86_64-linux-gnu\n"
                           f"exec {root}/usr/bin/{TRIPLET}-{tool} {options} \"$@\"\n")
        wrapper.chmod(0o755)
    (root / "complete").touch()


def _relocate_linker_scripts(lib: Path) -> None:
    """libc.so and its like are texts that name their parts by absolute path."""
    for script in lib.glob("*.so"):
        if not script.is_symlink() and script.read_bytes()[:4] != b"\x7fELF":
            script.write_text(script.read_text().replace(f"/usr/{TRIPLET}/lib/", f"{lib}/"))


def _libraries() -> Path:
    root = cache_dir() / "cross" / "libraries"
    if (root / "complete").exists():
        return root
    shutil.rmtree(root, ignore_errors=True)
    say("fetching the aarch64 libraries to link against")
    suite = os_release()["VERSION_CODENAME"]
    apt = PrivateApt(cache_dir() / "apt" / f"{suite}-arm64", suite, "arm64")
    unpack(apt.download_closure(LIBRARIES), root)
    for pc in root.glob("usr/**/pkgconfig/*.pc"):
        text = re.sub(r"(?m)^prefix=/usr$", f"prefix={root}/usr", pc.read_text())
        pc.write_text(re.sub(r"(?m)=/usr/", f"={root}/usr/", text))
    (root / "complete").touch()
    return root


def write_cross_file(mesa: str) -> Path:
    tools, libraries = _toolchain(), _libraries()
    missing = [name for name, path in tools.items() if not path]
    if missing:
        raise ToolError(f"incomplete cross compiler, missing: {', '.join(missing)}")
    pkgconfig = [libraries / "usr/lib" / TRIPLET / "pkgconfig", libraries / "usr/share/pkgconfig",
                 libraries / "usr/lib/pkgconfig"]
    lines = [
        "[binaries]", f"c = '{tools['gcc']}'", f"cpp = '{tools['g++']}'", f"ar = '{tools['ar']}'",
        f"nm = '{tools['nm']}'", f"ranlib = '{tools['ranlib']}'", f"strip = '{tools['strip']}'",
        "pkgconfig = 'pkg-config'", "pkg-config = 'pkg-config'",
        f"exe_wrapper = ['{sysroot_arm64.qemu()}', '-L', '{sysroot_arm64.sysroot(mesa)}']", "",
        "[properties]", f"pkg_config_libdir = {[str(path) for path in pkgconfig]}", "",
        "[host_machine]", "system = 'linux'", "cpu_family = 'aarch64'", "cpu = 'cortex-a76'", "endian = 'little'", "",
    ]
    path = cache_dir() / "cross" / "aarch64.ini"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))
    return path


# What the suites of tools/test need of it.
SUITE_TARGETS = ("patched.stamp", "tools/v3dsim/libv3dsim.so", "tests/kernels/vp9_ffmpeg", "tests/kernels/av1_kernels")


def setup(mesa: str, jobs: int, targets: tuple = ()) -> Path:
    """Builds the project and the patched decoder for aarch64, or only these targets; returns the build directory."""
    sysroot_arm64.setup(mesa)
    build, log = pi_build_dir(), cache_dir() / "cross" / "pi.log"
    cross = write_cross_file(mesa)
    log.unlink(missing_ok=True)
    if not (build / "build.ninja").exists():
        run_logged(["meson", "setup", build, REPO_DIR, f"--cross-file={cross}", f"-Dprogram_cross_file={cross}",
                    "-Dprograms=patched", "-Dtests=true", "-Dtest_hooks=true"],
                   log, "configuring the aarch64 build")
    say(f"building for aarch64 in {build} (log in {log})")
    run_logged(["ninja", "-C", build, f"-j{jobs}", *targets], log, "the aarch64 build", env=dict(os.environ))
    for program in ("ffmpeg", "ffprobe"):
        write_wrapper(build / "bin" / program, build / "install" / "bin" / program, mesa)
    return build


def write_wrapper(wrapper: Path, program: Path, mesa: str) -> None:
    """A program that tools written for this machine can call: it runs the aarch64 one on the simulated device."""
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    # Its caller's DAEDALUS_BUILD may be another one than that of the simulator.
    simulator = f'env DAEDALUS_BUILD="{build_dir()}" "{TOOL_DIR}/v3dsim" run --route arm64 --mesa {mesa}'
    wrapper.write_text(f'#!/bin/sh\nexec {simulator} -- "{program}" "$@"\n')
    wrapper.chmod(0o755)
