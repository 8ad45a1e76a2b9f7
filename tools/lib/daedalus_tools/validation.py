# SPDX-License-Identifier: BSD-2-Clause
"""The Khronos validation layer around one run: core and synchronization checks, and GPU-assisted ones, every message
counted."""

import os
import tempfile
from pathlib import Path

LAYER = "VK_LAYER_KHRONOS_validation"
ENABLE = "VK_VALIDATION_FEATURE_ENABLE_"
NONE, CALLS, SHADERS = "none", "calls", "shaders"
# What a shader touches is checked by code that the layer puts into it: llvmpipe takes minutes to compile that.
CHECKS = {CALLS: ("SYNCHRONIZATION_VALIDATION_EXT",), SHADERS: ("SYNCHRONIZATION_VALIDATION_EXT", "GPU_ASSISTED_EXT")}


class Layer:
    def __init__(self, level: str):
        self.level, self.wanted = level, level != NONE

    def __enter__(self) -> "Layer":
        if self.wanted:
            self.folder = tempfile.TemporaryDirectory(prefix="dd-validation-")
            self.log = Path(self.folder.name, "messages")
            Path(self.folder.name, "vk_layer_settings.txt").write_text(
                "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                f"khronos_validation.log_filename = {self.log}\n"
                "khronos_validation.report_flags = error,warn\n"
                "khronos_validation.enable_message_limit = false\n"
                f"khronos_validation.enables = {','.join(ENABLE + check for check in CHECKS[self.level])}\n")
        return self

    def __exit__(self, *_: object) -> None:
        if self.wanted:
            self.folder.cleanup()

    def environment(self) -> dict[str, str]:
        if not self.wanted:
            return {}
        return {"VK_INSTANCE_LAYERS": LAYER, "VK_LAYER_SETTINGS_PATH": self.folder.name,
                "VK_LOADER_DEBUG": os.environ.get("VK_LOADER_DEBUG", "layer")}

    def problems(self, log: str) -> list[str]:
        """The layer's messages, and whether it was there at all."""
        if not self.wanted:
            return []
        found = []
        if not any("nsert" in line and LAYER in line for line in log.splitlines()):
            found.append(f"{LAYER} was not loaded")
        messages = [line for line in self.log.read_text().splitlines() if "VUID" in line or "Validation" in line
                    or "SYNC-" in line] if self.log.is_file() else []
        if messages:
            found.append(f"{len(messages)} validation messages, the first: {messages[0][:300]}")
        return found
