# SPDX-License-Identifier: BSD-2-Clause
"""The faithful route: Debian's own arm64 binaries in a private root for qemu-user."""
import json
import re
import shutil
from pathlib import Path

from cli.paths import cache_dir
from cli.report import ToolError, say
from daedalus_tools.apt import PrivateApt, host_architecture, os_release, unpack
from routes.pins import check_sha256, mesa_pin

PACKAGES = ["mesa-vulkan-drivers", "libvulkan1", "libstdc++6", "libc6"]
ICD_IN_ROOT = "usr/share/vulkan/icd.d/broadcom_icd.json"


def sysroot(version: str) -> Path:
    return cache_dir() / "arm64" / version


def is_ready(version: str) -> bool:
    return (sysroot(version) / "packages.json").exists()


def icd_file(version: str) -> Path:
    return sysroot(version) / "icd.json"


def _private_qemu() -> Path:
    return cache_dir() / "qemu" / "usr" / "bin" / "qemu-aarch64-static"


def qemu() -> str:
    found = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if found:
        return found
    if _private_qemu().exists():
        return str(_private_qemu())
    raise ToolError("qemu-aarch64 is missing: run `v3dsim setup --route arm64`, or install qemu-user-static")


def _fetch_qemu() -> None:
    if shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64") or _private_qemu().exists():
        return
    say("fetching qemu-user-static")
    apt = PrivateApt(cache_dir() / "apt" / "host", os_release()["VERSION_CODENAME"], host_architecture())
    unpack(apt.download(["qemu-user-static"], cache_dir() / "qemu" / "debs"), cache_dir() / "qemu")


def _check_driver(debs, version: str) -> None:
    pins = mesa_pin(version)["arm64_sha256"]
    driver = next((d for d in debs if d.name.startswith("mesa-vulkan-drivers_")), None)
    offered = driver.name.split("_")[1].replace("%3a", ":") if driver else "nothing"
    if offered not in pins:
        raise ToolError(f"the suite offers mesa-vulkan-drivers {offered}; pinned: {', '.join(pins)}. Add the new "
                        "revision to tools/v3dsim/routes/pins.json after a full run of the simulator's tests")
    check_sha256(driver, pins[offered])


def setup(version: str) -> Path:
    """Unpacks the driver and all that it depends on; returns the root."""
    _fetch_qemu()
    root = sysroot(version)
    if is_ready(version):
        return root
    pin = mesa_pin(version)
    shutil.rmtree(root, ignore_errors=True)
    say(f"fetching Debian's arm64 driver {version} and its libraries")
    apt = PrivateApt(cache_dir() / "apt" / f"{pin['suite']}-arm64", pin["suite"], "arm64", pin.get("base_suite"))
    debs = apt.download_closure(PACKAGES)
    _check_driver(debs, version)
    unpack(debs, root)
    _merge_usr(root)
    _write_icd(version)
    names = dict(re.match(r"([^_]+)_([^_]+)_", deb.name).groups() for deb in debs)
    (root / "packages.json").write_text(json.dumps(names, indent=2, sort_keys=True) + "\n")
    for deb in debs:
        deb.unlink()
    return root


def _merge_usr(root: Path) -> None:
    """The interpreter path of every program is /lib/ld-linux-aarch64.so.1; Debian's root has /lib as a link."""
    lib = root / "lib"
    if not lib.is_symlink():
        if lib.exists():
            shutil.copytree(lib, root / "usr/lib", dirs_exist_ok=True, symlinks=True)
            shutil.rmtree(lib)
        lib.symlink_to("usr/lib")


def _write_icd(version: str) -> None:
    packaged = json.loads((sysroot(version) / ICD_IN_ROOT).read_text())
    packaged["ICD"]["library_path"] = "/usr/lib/aarch64-linux-gnu/libvulkan_broadcom.so"
    icd_file(version).write_text(json.dumps(packaged, indent=2) + "\n")
