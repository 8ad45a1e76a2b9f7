# SPDX-License-Identifier: BSD-2-Clause
"""Tables that the tool itself keeps in docs/v3dsim.md."""
import re

from cli.paths import REPO_DIR

PAGE = REPO_DIR / "docs" / "v3dsim.md"


def write_section(name: str, text: str) -> None:
    """Replaces what stands between the marks of that name."""
    page = PAGE.read_text()
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(page):
        raise ValueError(f"{PAGE.name} has no section {name}")
    PAGE.write_text(pattern.sub(lambda _: begin + text + end, page))
