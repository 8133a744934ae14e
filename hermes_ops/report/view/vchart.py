"""The three charts as VChart definitions for a Feishu card: plain JSON, no functions, drawn by every client that draws.

Source: the chart component's documentation (VChart 1.2 to 1.12). Patterns fail on phones there, so names stand in the
legend and numbers in the labels. Nothing depends on what an older client would ignore.
"""

from __future__ import annotations

from collections.abc import Sequence

from hermes_ops.report.model import Availability, Report
from hermes_ops.report.view import digest, figures, likeness, svg, timeline
from hermes_ops.report.view.words import say
from orchestrator.contracts import Json

COLUMNS = 31  # of one chart: a phone's width, and bytes of the card
COLORS = {"bad": "#D93026", "warn": "#E8A33D", "calm": "#4A90D9", "rest": "#8F959E"}
NOW, BEFORE, GOOD, UNKNOWN = "#4A6FA5", "#8F959E", "#3A9D7B", "#BBBFC4"
LEGEND: Json = {"visible": True, "orient": "bottom"}


def alerts(report: Report) -> Json | None:
    """Columns by severity; None where there is nothing to draw."""
    line = timeline.alerts(report, COLUMNS)
    if not line.names:
        return None
    names = [figures.clean(n, 24) for n in line.names]
    values = [
        {"at": c.said, "n": n, "severity": name}
        for c in line.columns
        for name, n in zip(names, c.values, strict=True)
        if n or name == names[0]
    ]
    colors = [COLORS[t] for t in timeline.tones(line.names)]
    return _chart({
        "type": "bar",
        "title": {"text": timeline.alerts_title(line, report.lang)},
        "data": [{"id": "alerts", "values": values}],
        "xField": "at",
        "yField": "n",
        "seriesField": "severity",
        "stack": True,
        "color": _colors(names, colors),
        "legends": LEGEND,
        "axes": _axes(),
    })  # fmt: skip


def errors(report: Report) -> Json | None:
    """Columns of this window, a dashed line of the like day."""
    line = timeline.errors(report, COLUMNS)
    if line.empty or not any(v for c in line.columns for v in c.values):
        return None
    now, before = line.names
    sets = [
        {"id": id, "values": [{"at": c.said, "n": c.values[i], "who": name} for c in line.columns]}
        for i, (id, name) in enumerate((("now", now), ("before", before)))
    ]
    series: list[Json] = [{"type": "bar", "dataId": "now", "xField": "at", "yField": "n", "seriesField": "who"}]
    if not likeness.known(report):
        sets = sets[:1]
    else:
        style = {"style": {"lineDash": [4, 2], "lineWidth": 2}}
        hidden = {"visible": False}
        series.append({**series[0], "type": "line", "dataId": "before", "line": style, "point": hidden})
    return _chart({
        "type": "common",
        "title": {"text": likeness.title(report)},
        "data": sets,
        "series": series,
        "color": _colors([now, before], [NOW, BEFORE]),
        "legends": LEGEND,
        "axes": _axes(),
    })  # fmt: skip


def availability(report: Report, most: int) -> Json | None:
    """Bars across, the worst first; their names say the numbers, for who can't tell the colours."""
    rows = [a for a in digest.ranked(report.availability) if a.percent.value is not None][:most]
    if not rows:
        return None
    lang = report.lang
    floor = svg.floor([v for a in rows for v in (a.percent.value, a.objective) if v is not None])
    values = [_row(a, n, floor, lang) for n, a in enumerate(rows)]
    states = [say("met", lang), say("missed", lang), say("no_objective", lang)]
    goals = {a.objective for a in rows if a.objective is not None}
    spec: Json = {
        "type": "bar",
        "title": {"text": say("availability_bars", lang)},
        "direction": "horizontal",
        "data": [{"id": "availability", "values": values}],
        "xField": "percent",
        "yField": "service",
        "seriesField": "state",
        "color": _colors(states, [GOOD, COLORS["bad"], UNKNOWN]),
        "legends": LEGEND,
        "axes": [
            {"orient": "left", "type": "band", "inverse": True},
            {"orient": "bottom", "type": "linear", "min": floor, "max": 100},
        ],
    }
    if len(goals) == 1:
        goal = goals.pop()
        dashes = {"style": {"lineDash": [4, 2]}}
        spec["markLine"] = [{"x": goal, "line": dashes, "label": {"text": f"{say('objective', lang)} {goal:g}%"}}]
    return _chart(spec, f"{min(420, 120 + 30 * len(rows))}px")


def _row(a: Availability, n: int, floor: float, lang: str) -> Json:
    state = "no_objective" if a.objective is None else "missed" if digest.missed(a) else "met"
    # two names that are cut to the same stay two bars
    name = f"{figures.clean(a.service, 18)} {figures.percent(a.percent)}" + "\u200b" * (n if len(a.service) > 18 else 0)
    return {"service": name, "percent": max(floor, round(a.percent.value or 0.0, 4)), "state": say(state, lang)}


def _chart(spec: Json, height: str = "240px") -> Json:
    return {"tag": "chart", "chart_spec": spec, "height": height, "preview": True}


def _axes() -> list[Json]:
    return [{"orient": "left", "type": "linear", "min": 0}, {"orient": "bottom", "type": "band", "sampling": True}]


def _colors(names: Sequence[str], colors: Sequence[str]) -> Json:
    return {"type": "ordinal", "domain": list(names), "range": list(colors)}
