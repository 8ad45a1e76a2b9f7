# SPDX-License-Identifier: BSD-2-Clause
"""Lines of FFmpeg's log."""

import re


def speaks_of_us(line: str) -> bool:
    """Whether a line names the project. A file that lies in a folder of that name doesn't."""
    return "daedalus" in re.sub(r"\S*/\S*", "", line).lower()
