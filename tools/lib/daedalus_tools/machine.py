# SPDX-License-Identifier: BSD-2-Clause
"""What a machine is, and how its clocks and temperature are while it works. A Raspberry Pi has vcgencmd for that; what
isn't there is left out."""

import os
import platform
import re
import shutil
import subprocess
import threading
from pathlib import Path

from . import apt

INTERVAL = 0.5  # seconds


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace").strip("\0\n ").splitlines()[0]
    except (OSError, IndexError):
        return ""


def _output(*command: str) -> str:
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode else done.stdout.strip()


def facts() -> dict:
    cpuinfo = Path("/proc/cpuinfo").read_text(errors="replace")
    model = re.search(r"^(?:model name|Model)\s*:\s*(.*)$", cpuinfo, re.M)
    memory = re.search(r"^MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    found = {
        "model": _first_line("/proc/device-tree/model") or (model[1] if model else ""),
        "architecture": platform.machine(),
        "cores": os.cpu_count(), "memory_mib": int(memory[1]) // 1024 if memory else 0, "kernel": platform.release(),
        "system": apt.os_release().get("PRETTY_NAME", ""),
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "mesa": _output("dpkg-query", "-W", "-f", "${Version}", "mesa-vulkan-drivers"),
        "firmware": _output("vcgencmd", "version")[:200],
        "dma_heaps": sorted(path.name for path in Path("/dev/dma_heap").iterdir()) if Path("/dev/dma_heap").is_dir()
        else [], "render_nodes": sorted(path.name for path in Path("/dev/dri").glob("renderD*")),
    }
    return {name: value for name, value in found.items() if value}


def sample() -> dict[str, float]:
    found = {}
    for name, clock in (("v3d_mhz", "v3d"), ("arm_mhz", "arm")):
        if match := re.search(r"=(\d+)", _output("vcgencmd", "measure_clock", clock)):
            found[name] = int(match[1]) / 1e6
    if match := re.search(r"=(0x[0-9a-f]+)", _output("vcgencmd", "get_throttled")):
        found["throttled"] = int(match[1], 16)
    if text := _first_line("/sys/class/thermal/thermal_zone0/temp"):
        found["celsius"] = int(text) / 1000
    return found


class Watch:
    """Samples while a `with` block runs."""

    def __init__(self, wanted: bool):
        self.wanted, self.samples, self.over = wanted, [], threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self.over.wait(INTERVAL):
            self.samples.append(sample())

    def __enter__(self) -> "Watch":
        if self.wanted:
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        if self.wanted:
            self.thread.join()

    def seen(self) -> dict[str, list[float]]:
        """Lowest and highest of each figure; of what the firmware says of throttling, all bits."""
        found: dict[str, list[float]] = {}
        for name in {name for row in self.samples for name in row}:
            values = [row[name] for row in self.samples if name in row]
            found[name] = [min(values), max(values)]
        return found
