"""Charts as inline SVG on plain numbers: stacked columns and lines over days, and a bar in a table's cell.

Widths are percent, so that letters keep their size from a phone to a desk. What a chart shows stands in a table too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree.ElementTree import Element

from hermes_ops.report.view.markup import Node, el

HEIGHT, TOP, BOTTOM = 180.0, 16.0, 22.0
PLOT = HEIGHT - TOP - BOTTOM
TICKS = 6  # dates below a chart
EDGE = 3  # percent at both sides where a date wouldn't fit


@dataclass(frozen=True, slots=True)
class Series:
    """`tone`: its colour; None: not known that day."""

    name: str
    tone: str
    values: Sequence[float | None]


def columns(days: Sequence[str], series: Sequence[Series], id: str, title: str, say: Callable[[float], str]) -> Element:
    """One column a day, the series on each other, the first at the bottom."""
    totals = [sum(s.values[n] or 0 for s in series) for n in range(len(days))]
    top, slot, marks = ceiling(max(totals, default=0)), 100 / max(1, len(days)), list[Node]()
    for n, day in enumerate(days):
        parts, base = list[Node](), 0.0
        for s in series:
            value = s.values[n] or 0
            if value:
                high, low = _y(base + value, top), _y(base, top)
                parts.append(_rect(n * slot + slot * 0.14, slot * 0.72, min(high, low - 1.5), low, s.tone))
                base += value
        told = ", ".join(f"{s.name} {say(s.values[n] or 0)}" for s in series)
        parts.append(_rect(n * slot, slot, TOP, TOP + PLOT, "hover"))
        marks.append(el("g", el("title", f"{day}: {told}"), *parts, cls="slot"))
    return _frame(id, title, days, series, [*_grid(top, say), *marks])


def lines(days: Sequence[str], series: Sequence[Series], id: str, title: str, say: Callable[[float], str]) -> Element:
    """A line for each of the series, through the middles of days, with a dot at each day that is known."""
    top = ceiling(max((v for s in series for v in s.values if v is not None), default=0))
    slot, marks = 100 / max(1, len(days)), list[Node]()
    for s in series:
        known = [(n * slot + slot / 2, _y(v, top)) for n, v in enumerate(s.values) if v is not None]
        for (x1, y1), (x2, y2) in pairwise(known):
            marks.append(el("line", x1=f"{x1:.2f}%", x2=f"{x2:.2f}%", y1=y1, y2=y2, cls=f"line {s.tone}"))
        marks += [el("circle", cx=f"{x:.2f}%", cy=y, r=2.5, cls=f"spot {s.tone}") for x, y in known]
    for n, day in enumerate(days):
        told = ", ".join(f"{s.name} {'–' if (v := s.values[n]) is None else say(v)}" for s in series)
        marks.append(
            el("g", el("title", f"{day}: {told}"), _rect(n * slot, slot, TOP, TOP + PLOT, "hover"), cls="slot")
        )
    return _frame(id, title, days, series, [*_grid(top, say), *marks])


def bar(share: float, tone: str = "t1") -> Element:
    """0 to 1 of a cell's width."""
    width = f"{100 * min(1.0, max(0.0, share)):.1f}%"
    return el("svg", el("rect", width=width, height="100%", rx=2.0, cls=tone), cls="bar", aria_hidden="true")


def ceiling(most: float) -> float:
    """A round number that is at least the most: 1, 2, 2.5 or 5 times a power of ten."""
    if most <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(most))
    return float(next((m * size for m in (1, 2, 2.5, 5, 10) if m * size >= most * 0.9999), 10 * size))


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


def _y(value: float, top: float) -> float:
    return round(TOP + PLOT * (1 - value / top), 1)


def _rect(x: float, width: float, y: float, end: float, cls: str) -> Element:
    return el("rect", x=f"{x:.2f}%", width=f"{width:.2f}%", y=y, height=round(end - y, 1), cls=cls)


def _grid(top: float, say: Callable[[float], str]) -> list[Node]:
    parts: list[Node] = []
    for part in (0.0, 0.5, 1.0):
        y = _y(top * part, top)
        parts.append(el("line", x1="0", x2="100%", y1=y, y2=y, cls="grid"))
        parts.append(el("text", say(top * part), x="0", y=y - 3, cls="scale") if part else None)
    return parts


def _frame(id: str, title: str, days: Sequence[str], series: Sequence[Series], parts: Sequence[Node]) -> Element:
    dates = [
        el("text", day[5:], x=f"{middle:.2f}%", y=HEIGHT - 6, text_anchor="middle", cls="tick")
        for day, middle in _dated(days)
    ]
    names = {"role": "img", "aria_labelledby": id, "cls": "chart"}
    picture = el("svg", *parts, *dates, width="100%", height=HEIGHT, **names)
    keys = [el("span", _swatch(s.tone), s.name, cls="key") for s in series]
    return el("figure", el("figcaption", el("strong", title, id=id), el("span", *keys, cls="keys")), picture)


def _dated(days: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Some days, the last among them, with the middles of their slots in percent; none where it would be cut off."""
    slot, every = 100 / max(1, len(days)), max(1, math.ceil(len(days) / TICKS))
    for n, day in enumerate(days):
        middle = n * slot + slot / 2
        if (len(days) - 1 - n) % every == 0 and EDGE < middle < 100 - EDGE:
            yield day, middle


def _swatch(tone: str) -> Element:
    return el("svg", el("rect", width="10", height="10", rx=2.0, cls=tone), width="10", height="10", aria_hidden="true")
