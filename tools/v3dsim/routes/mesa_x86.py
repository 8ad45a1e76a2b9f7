# SPDX-License-Identifier: BSD-2-Clause
"""The fast route: v3dv alone, built for this machine from Debian's Mesa source package."""
import json
import os
import platform
import shutil
from pathlib import Path

from cli.paths import cache_dir
from cli.report import ToolError, capture, run_logged, say
from daedalus_tools.apt import PrivateApt, os_release, unpack
from routes.pins import PINS, check_sha256, mesa_pin

# Only the compute driver and its compiler: no window system, no GL, no LLVM.
MESON_OPTIONS = [
    "--buildtype=release", "--libdir=lib", "-Db_ndebug=true", "-Dvulkan-drivers=broadcom", "-Dgallium-drivers=",
    "-Dplatforms=", "-Dopengl=false", "-Dgles1=disabled", "-Dgles2=disabled", "-Degl=disabled", "-Dglx=disabled",
    "-Dgbm=disabled", "-Dllvm=disabled", "-Dvalgrind=disabled", "-Dlibunwind=disabled", "-Dlmsensors=disabled",
    "-Dzstd=disabled", "-Dxmlconfig=disabled", "-Dexpat=disabled", "-Dshader-cache=enabled", "-Dvideo-codecs=",
    "-Dtools=", "-Dvulkan-layers=", "-Dbuild-tests=false",
]
# Taken from the release that the machine runs, since they are linked against its libraries.
HOST_PACKAGES = ["bison", "flex", "m4", "libsigsegv2", "libdrm-dev", "libdrm2", "zlib1g-dev", "zlib1g"]
HOST_TOOLS = ["gcc", "g++", "ninja", "pkg-config", "dpkg-deb", "patch", "glslangValidator"]
PYTHON_PACKAGES = ["meson", "python3-mako", "python3-packaging", "python3-markupsafe", "python3-yaml"]


def driver_dir(version: str) -> Path:
    return cache_dir() / "x86" / version


def is_built(version: str) -> bool:
    return (driver_dir(version) / "lib" / "libvulkan_broadcom.so").exists()


def icd_file(version: str) -> Path:
    return driver_dir(version) / "icd.json"


def _need_host_tools() -> None:
    if platform.machine() != "x86_64":
        raise ToolError("the x86 route needs an x86-64 machine; use --route arm64")
    missing = [tool for tool in HOST_TOOLS if not shutil.which(tool)]
    if missing:
        raise ToolError(f"missing on this machine: {', '.join(missing)} (packages build-essential, ninja-build, "
                        "pkg-config, patch, glslang-tools)")


def _build_tools() -> Path:
    root = cache_dir() / "build-tools"
    if (root / "complete").exists():
        return root
    shutil.rmtree(root, ignore_errors=True)
    host = PrivateApt(cache_dir() / "apt" / "host", os_release()["VERSION_CODENAME"], "amd64")
    newer = PrivateApt(cache_dir() / "apt" / "tools", PINS["build_tools"]["suite"], "amd64")
    say("fetching the tools that build Mesa")
    debs = newer.download(PYTHON_PACKAGES, root / "debs" / "python")
    for name, sha256 in PINS["build_tools"]["sha256"].items():
        for deb in debs:
            if deb.name.startswith(name + "_"):
                check_sha256(deb, sha256)
    debs += host.download(HOST_PACKAGES, root / "debs" / "host")
    unpack(debs, root)
    (root / "complete").touch()
    return root


def _build_env(tools: Path) -> dict:
    libs = tools / "usr/lib/x86_64-linux-gnu"
    return {
        **os.environ,
        "PATH": f"{tools}/usr/bin:/usr/bin:/bin",
        "PYTHONPATH": f"{tools}/usr/lib/python3/dist-packages",
        "LD_LIBRARY_PATH": str(libs),
        "BISON_PKGDATADIR": f"{tools}/usr/share/bison",
        "M4": f"{tools}/usr/bin/m4",
        "PKG_CONFIG_LIBDIR": f"{libs}/pkgconfig:{tools}/usr/share/pkgconfig",
        "PKG_CONFIG_SYSROOT_DIR": str(tools),
    }


def _fetch_source(version: str) -> Path:
    """Unpacks the pinned release with the Debian revision's patches on top."""
    pin = mesa_pin(version)
    work = cache_dir() / "x86" / f"source-{version}"
    tree = work / f"mesa-{version}"
    if (work / "complete").exists():
        return tree
    shutil.rmtree(work, ignore_errors=True)
    say(f"fetching Debian's Mesa {version} source package")
    PrivateApt(cache_dir() / "apt" / pin["suite"], pin["suite"], "amd64").source_files("mesa", version, work)
    orig = work / f"mesa_{version}.orig.tar.xz"
    check_sha256(orig, pin["source_sha256"])
    log = work / "source.log"
    run_logged(["tar", "-C", work, "-xf", orig], log, "unpacking Mesa")
    packaging = next(iter(work.glob(f"mesa_{version}-*.debian.tar.*")))
    run_logged(["tar", "-C", work, "-xf", packaging], log, "unpacking Debian's patches")
    for line in (work / "debian/patches/series").read_text().splitlines():
        name = line.split("#")[0].strip()
        if name:
            with open(work / "debian/patches" / name, "rb") as patch:
                run_logged(["patch", "-d", tree, "-p1", "-s"], log, f"patch {name}", stdin=patch)
    (work / "complete").touch()
    return tree


def setup(version: str, jobs: int) -> Path:
    """Builds the driver unless the cache has it; returns the file that the Vulkan loader wants."""
    if is_built(version):
        return icd_file(version)
    if "source_sha256" not in mesa_pin(version):
        raise ToolError(f"Mesa {version} is pinned for the arm64 route alone: use --route arm64")
    _need_host_tools()
    tools = _build_tools()
    tree = _fetch_source(version)
    build, out = cache_dir() / "x86" / f"build-{version}", driver_dir(version)
    shutil.rmtree(build, ignore_errors=True)
    env, log = _build_env(tools), build.with_suffix(".log")
    log.unlink(missing_ok=True)
    meson = ["/usr/bin/python3", tools / "usr/bin/meson"]
    say(f"building v3dv {version} (a few minutes; log in {log})")
    run_logged([*meson, "setup", build, tree, f"--prefix={out}", *MESON_OPTIONS], log, "configuring Mesa", env=env)
    run_logged(["ninja", "-C", build, f"-j{jobs}"], log, "building Mesa", env=env)
    run_logged([*meson, "install", "-C", build, "--no-rebuild"], log, "installing Mesa", env=env)
    shutil.rmtree(build)
    shutil.rmtree(tree.parent)
    _write_icd(version)
    return icd_file(version)


def _write_icd(version: str) -> None:
    library = driver_dir(version) / "lib" / "libvulkan_broadcom.so"
    icd = {"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": str(library)}}
    icd_file(version).write_text(json.dumps(icd, indent=2) + "\n")


def _self_check(version: str) -> str:
    """Names what the driver still needs from the machine, for the message of a failed run."""
    needs = capture(["ldd", driver_dir(version) / "lib/libvulkan_broadcom.so"], "ldd")
    return "\n".join(line for line in needs.splitlines() if "not found" in line)


def setup_checked(version: str, jobs: int) -> Path:
    icd = setup(version, jobs)
    missing = _self_check(version)
    if missing:
        raise ToolError(f"the built driver misses libraries (package libdrm2):\n{missing}")
    return icd
