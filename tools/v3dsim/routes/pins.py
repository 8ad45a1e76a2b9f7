# SPDX-License-Identifier: BSD-2-Clause
"""What is pinned: Mesa's versions and the tools that build it."""
import hashlib
import json
from pathlib import Path

from cli.report import ToolError

PINS = json.loads((Path(__file__).parent / "pins.json").read_text())
DEFAULT_MESA = PINS["default"]


def mesa_pin(version: str) -> dict:
    if version not in PINS["mesa"]:
        raise ToolError(f"Mesa {version} is not pinned; known: {', '.join(PINS['mesa'])}")
    return PINS["mesa"][version]


def check_sha256(path: Path, expected: str) -> None:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != expected:
        path.unlink()
        raise ToolError(f"{path.name} has sha256 {digest}, pinned is {expected}; the file was removed")
