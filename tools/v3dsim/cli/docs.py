# SPDX-License-Identifier: BSD-2-Clause
"""Tables that the tool itself keeps in docs/."""
import re

from cli.paths import REPO_DIR

PAGES = {"fit": "v3dsim.md", "stats": "v3d-kernels.md", "kernels": "v3d-kernels.md"}


def write_section(name: str, text: str) -> None:
    """Replaces what stands between the marks of that name."""
    path = REPO_DIR / "docs" / PAGES[name]
    page = path.read_text()
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(page):
        raise ValueError(f"{path.name} has no section {name}")
    path.write_text(pattern.sub(lambda _: begin + text + end, page))
