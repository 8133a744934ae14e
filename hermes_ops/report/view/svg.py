"""Charts as inline SVG on plain numbers: stacked columns, columns beside a line, a bar against an objective.

Widths are percent, heights are pixels, so that letters keep their size from a phone to a desk. What colours tell,
patterns, outlines and labels tell too. Each chart has a title and a description for those who hear it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element

from hermes_ops.report.view.markup import el
from hermes_ops.report.view.timeline import Column, Timeline, blank, first, total

HEIGHT, TOP, BOTTOM = 190.0, 22.0, 24.0
PLOT = HEIGHT - TOP - BOTTOM
FILLED = 0.72  # of a column's width
FLOORS = (99.99, 99.95, 99.9, 99.8, 99.5, 99.0, 98.0, 97.0, 96.0, 95.0, 90.0, 80.0, 50.0, 0.0)


def defs() -> Element:
    """The patterns that all charts of a page share."""
    hatch = _pattern("warn", 6, el("path", d="M-1 1 L1 -1 M0 6 L6 0 M5 7 L7 5", cls="stripe"))
    dots = _pattern("calm", 5, el("circle", cx=2.5, cy=2.5, r=1.2, cls="dot"))
    cross = _pattern("rest", 6, el("path", d="M0 3 H6 M3 0 V6", cls="stripe"))
    nothing = _pattern("nothing", 8, el("path", d="M-2 2 L2 -2 M0 8 L8 0 M6 10 L10 6", cls="void"), ground=False)
    lost = _pattern("lost", 5, el("path", d="M0 0 L5 5 M-1 4 L1 6 M4 -1 L6 1", cls="stripe"))
    return el(
        "svg", el("defs", hatch, dots, cross, nothing, lost), width=0.0, height=0.0, aria_hidden="true", cls="defs"
    )


def stacked(timeline: Timeline, tones: Sequence[str], id: str, title: str, about: str) -> Element:
    """The worst stands at the bottom, where lengths compare best."""
    scale = ticks(max((total(c) for c in timeline.columns), default=0))
    slot = 100 / max(1, len(timeline.columns))
    marks: list[Element] = []
    for n, column in enumerate(timeline.columns):
        group, base = el("g", el("title", _told(column, timeline.names))), 0
        if blank(column):
            group.append(_rect(n * slot, slot, TOP, PLOT, "fill-nothing"))
        for value, tone in zip(column.values, tones, strict=False):
            if value:
                group.append(_bar(n * slot, slot, base, base + value, scale[-1], f"fill-{tone}"))
                base += value
        marks.append(group)
    top = _label(timeline, slot, scale[-1], total)
    return _frame(id, title, about, [*_grid(scale), *marks, *top, *_ticks(timeline.columns, slot)])


def compared(timeline: Timeline, id: str, title: str, about: str) -> Element:
    """Columns of the first value, a stepped line of the second; hatched where the first isn't known."""
    known = [v for c in timeline.columns for v in c.values if v is not None]
    scale = ticks(max(known, default=0))
    slot = 100 / max(1, len(timeline.columns))
    marks: list[Element] = []
    for n, column in enumerate(timeline.columns):
        group = el("g", el("title", _told(column, timeline.names)))
        value = column.values[0]
        if value is None:
            group.append(_rect(n * slot, slot, TOP, PLOT, "fill-nothing"))
        elif value:
            group.append(_bar(n * slot, slot, 0, value, scale[-1], "fill-partial" if column.partial else "fill-now"))
        marks.append(group)
    line = _steps([c.values[1] for c in timeline.columns], scale[-1])
    top = _label(timeline, slot, scale[-1], first)
    return _frame(id, title, about, [*_grid(scale), *marks, line, *top, *_ticks(timeline.columns, slot)])


def bar(percent: float | None, objective: float | None, floor: float, said: str) -> Element:
    """One availability from `floor` to 100 %: what was lost is hatched from the right, the objective a mark across."""
    parts: list[Element] = [el("title", said)]
    if percent is None:
        parts.append(el("rect", x="0", y=2.0, width="100%", height=12.0, rx=2.0, cls="fill-nothing outlined"))
    else:
        good = _share(percent, floor)
        missed = objective is not None and percent < objective
        parts.append(el("rect", x="0", y=2.0, width="100%", height=12.0, rx=2.0, cls="track"))
        parts.append(el("rect", x="0", y=2.0, width=f"{good:.2f}%", height=12.0, rx=2.0, cls="fill-good"))
        tone = "fill-lost" if missed else "fill-spent"
        parts.append(el("rect", x=f"{good:.2f}%", y=2.0, width=f"{100 - good:.2f}%", height=12.0, cls=tone))
    if objective is not None:
        at = f"{_share(objective, floor):.2f}%"
        parts.append(el("line", x1=at, x2=at, y1=0.0, y2=16.0, cls="goal"))
    return el("svg", *parts, width="100%", height=16.0, role="img", aria_label=said, cls="bar")


def swatch(tone: str) -> Element:
    """What stands in a legend: "line" is the stepped one."""
    mark = (
        el("path", d="M0 8 H6 V4 H14", cls="before")
        if tone == "line"
        else el("rect", x=0.5, y=0.5, width=11.0, height=11.0, rx=2.0, cls=f"fill-{tone}")
    )
    return el("svg", mark, width=14.0, height=12.0, aria_hidden="true", cls="swatch")


def floor(values: Sequence[float]) -> float:
    """Where bars begin: low enough that the worst still shows something good."""
    worst = min(values, default=100.0)
    return next(f for f in FLOORS if worst - f >= 0.2 * (100 - f) or f == 0.0)


def ticks(top: float) -> list[float]:
    """Round whole numbers from 0 to at least the top, two to five of them."""
    if top <= 1:
        return [0, 1]
    raw = top / 3
    size = 10 ** math.floor(math.log10(raw))
    step = max(1, next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= raw))
    step = math.ceil(step)
    return [n * step for n in range(math.ceil(top / step) + 1)]


def short(n: float) -> str:
    """ "1.2k", "3M"."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.3g}{unit}"
    return f"{n:g}"


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


def _pattern(tone: str, size: int, mark: Element, ground: bool = True) -> Element:
    base = el("rect", width=float(size), height=float(size), cls=f"ground-{tone}") if ground else None
    return el(
        "pattern", base, mark, id=f"p-{tone}", width=float(size), height=float(size), patternUnits="userSpaceOnUse"
    )


def _frame(id: str, title: str, about: str, parts: Sequence[Element]) -> Element:
    head = (el("title", title, id=f"{id}-t"), el("desc", about, id=f"{id}-d"))
    return el(
        "svg", *head, *parts, width="100%", height=HEIGHT, role="img", aria_labelledby=f"{id}-t {id}-d", cls="chart"
    )


def _y(value: float, top: float) -> float:
    return round(TOP + PLOT * (1 - value / top), 2)


def _bar(x: float, slot: float, low: float, high: float, top: float, cls: str) -> Element:
    """At least two pixels high: something isn't nothing."""
    y, bottom = _y(high, top), _y(low, top)
    y = min(y, bottom - 2)
    return _rect(x + slot * (1 - FILLED) / 2, slot * FILLED, y, bottom - y, cls)


def _rect(x: float, width: float, y: float, height: float, cls: str) -> Element:
    return el("rect", x=f"{x:.3f}%", y=round(y, 2), width=f"{width:.3f}%", height=round(height, 2), cls=cls)


def _grid(scale: Sequence[float]) -> list[Element]:
    """Lines with their numbers above them, inside the plot: no margin is lost on a phone."""
    parts: list[Element] = []
    for value in scale:
        y = _y(value, scale[-1])
        parts.append(el("line", x1="0", x2="100%", y1=y, y2=y, cls="axis" if value == 0 else "grid"))
        if value:
            parts.append(el("text", short(value), x="0", y=y - 3, cls="scale"))
    return parts


def _ticks(columns: Sequence[Column], slot: float) -> list[Element]:
    parts = []
    for n, column in enumerate(columns):
        if column.tick:
            middle = n * slot + slot / 2
            anchor = "start" if middle < 3 else "end" if middle > 97 else "middle"
            x = 0.0 if anchor == "start" else 100.0 if anchor == "end" else middle
            parts.append(el("text", column.tick, x=f"{x:.2f}%", y=HEIGHT - 7, text_anchor=anchor, cls="tick"))
    return parts


def _label(timeline: Timeline, slot: float, top: float, of: Callable[[Column], int]) -> list[Element]:
    """The highest column says its number."""
    column = timeline.peak(of)
    if column is None:
        return []
    n = timeline.columns.index(column)
    middle = n * slot + slot / 2
    anchor = "start" if middle < 8 else "end" if middle > 92 else "middle"
    return [
        el("text", f"{of(column):,}", x=f"{middle:.2f}%", y=_y(of(column), top) - 5, text_anchor=anchor, cls="peak")
    ]


def _told(column: Column, names: Sequence[str]) -> str:
    values = ", ".join(f"{n} {'—' if v is None else v}" for n, v in zip(names, column.values, strict=True))
    return f"{column.said}  {values}"


def _steps(values: Sequence[int | None], top: float) -> Element:
    """A line in its own stretched plane, broken where nothing is known; its stroke isn't stretched."""
    path, drawn = "", False
    for n, value in enumerate(values):
        if value is None:
            drawn = False
            continue
        y = f"{100 - 100 * value / top:.2f}"
        path += f"{'V' if drawn else f'M{n} '}{y}H{n + 1}"
        drawn = True
    line = el("path", d=path or "M0 0", vector_effect="non-scaling-stroke", cls="before")
    box = f"0 0 {max(1, len(values))} 100"
    return el(
        "svg",
        line,
        x="0",
        y=TOP,
        width="100%",
        height=PLOT,
        viewBox=box,
        preserveAspectRatio="none",
        overflow="visible",
    )


def _share(percent: float, floor: float) -> float:
    return max(0.0, min(100.0, 100 * (percent - floor) / (100 - floor)))
