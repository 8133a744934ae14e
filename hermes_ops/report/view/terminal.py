"""The report for a terminal, as a renderable of rich: the same first screen, sparklines, and tables of the worst.

It reads well from 40 to 120 columns, in Chinese too, and without colours: a verdict has a sign, a miss has a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hermes_ops.report.model import Availability, Report
from hermes_ops.report.view import digest, figures, likeness, missing, svg, timeline
from hermes_ops.report.view.tiles import tiles
from hermes_ops.report.view.words import bracket, say

SPARKS = "▁▂▃▄▅▆▇█"
STYLE = {"bad": "bold red", "watch": "bold yellow", "incomplete": "bold magenta", "quiet": "bold green"}
SIGN = {"bad": "✖", "watch": "!", "incomplete": "?", "quiet": "✔"}
NEEDS, ROWS, SERVICES = 10, 12, 10
BAR = 24  # cells of an availability
NARROW, LABEL = 60, 24  # columns below which bars and peaks have no room, and that labels take there


def render(report: Report, width: int = 80) -> RenderableType:
    """`width`: columns there are, from 40. Names of others are text to it, never markup."""
    return Group(*_parts(report, width))


def spark(values: Sequence[int | None], top: int = 0) -> str:
    """ "▁▃█·": `top` (0: the highest) is full, zero a blank, the unknown a dot; something is never shown as nothing."""
    top = top or max((v for v in values if v is not None), default=0)
    return "".join(_cell(v, top) for v in values)


def bar(a: Availability, floor: float, cells: int) -> str:
    """ "█████░░|░": what was good, what was lost, and where the objective stands."""
    if a.percent.value is None:
        return "·" * cells

    def place(percent: float) -> int:
        return max(0, min(cells, int(cells * (percent - floor) / (100 - floor))))

    drawn = ["█" if n < place(a.percent.value) else "░" for n in range(cells)]
    if a.objective is not None:
        drawn[min(cells - 1, place(a.objective))] = "|"
    return "".join(drawn)


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    lang, rating = report.lang, report.verdict.rating
    yield Text(digest.title(report), style="bold")
    yield Text(figures.clean(digest.DOT.join(digest.about(report))), style="dim")
    yield Text()
    head = digest.DOT.join([f"{SIGN[rating]} {say(rating, lang)}", *missing.unseen(report)])
    yield Text(figures.clean(head), style=STYLE[rating])
    if report.prose.sentences:
        yield Text(figures.clean(digest.prose(report)))
    for gap in missing.gap_lines(report):
        yield Text(f"⚠ {figures.clean(gap)}", style="yellow")
    yield Text()
    needs = [figures.clean(a.text) for a in report.attention] or [missing.calm(report)]
    yield from _list(say("attention", lang), needs, NEEDS, lang)
    if report.handover:
        for key, lines in digest.handover(report.handover, report):
            yield from _list(say(key, lang), lines or [digest.none(key, report)], NEEDS, lang)
    yield _numbers(report)
    yield from _trends(report, width)
    yield from _days(report)
    yield from _incidents(report)
    yield from _available(report, width)
    yield from _list(say("alerts", lang), [digest.alert(r, report) for r in report.alerts.rows], ROWS, lang)
    yield from _erring(report)
    yield from _list(say("changes", lang), [digest.change(c, report) for c in report.changes.rows], ROWS, lang)
    yield from _list(say("comparison", lang), digest.comparisons(report), ROWS, lang)
    rules = [f"{say(r.rating, lang)}{digest.DOT}{figures.clean(r.text)}" for r in report.verdict.rules]
    yield from _list(say("rules", lang), rules, ROWS, lang)
    yield Text(figures.clean(digest.authored(report)), style="dim")


def _numbers(report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True, style="bold")
    table.add_column(style="dim", overflow="fold")
    for t in tiles(report):
        table.add_row(t.label, Text(t.value, style="bold red" if t.alarm else "bold"), Text(t.note))
    return Padding(table, (0, 0, 1, 0), expand=False)


def _trends(report: Report, width: int) -> Iterator[RenderableType]:
    """Alerts and errors over the window, one cell a column of the timeline."""
    lang = report.lang
    narrow = width < NARROW
    most = max(12, width - LABEL) if narrow else 48
    alerts, errors = timeline.alerts(report, most), timeline.errors(report, most)
    rows: list[tuple[str, str, str]] = []
    if alerts.names:
        rows.append(
            (say("alerts", lang), spark([timeline.total(c) for c in alerts.columns]), _peak(alerts, lang, True))
        )
    if not errors.empty:
        now, before = ([c.values[n] for c in errors.columns] for n in (0, 1))
        top = max((v for v in (*now, *before) if v is not None), default=0)  # both on one scale
        sample = bracket(likeness.drawn(report), lang) if report.errors.sampled else ""
        rows.append((f"{say('errors', lang)} {errors.names[0]}", spark(now, top), _peak(errors, lang, False) + sample))
        if likeness.known(report):
            rows.append((f"{say('errors', lang)} {errors.names[1]}", spark(before, top), ""))
    if not rows:
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for label, line, note in rows:
        table.add_row(label, Text(line), "" if narrow else note)
    shown = alerts.columns or errors.columns
    table.add_row("", Text(_axis(shown), style="dim"), "")
    yield Padding(table, (0, 0, 1, 0), expand=False)


def _axis(columns: Sequence[timeline.Column]) -> str:
    """Labels below the cells that they speak of, where there is room."""
    line = ""
    for n, column in enumerate(columns):
        if column.tick and n >= len(line) + bool(line):
            line = line.ljust(n) + column.tick
    return line


def _peak(line: timeline.Timeline, lang: str, all_: bool) -> str:
    of = timeline.total if all_ else timeline.first
    found = line.peak(of)
    return say("peak", lang, at=found.said, n=f"{of(found):,}") if found else ""


def _days(report: Report) -> Iterator[RenderableType]:
    if report.days:
        yield from _list(say("by_day", report.lang), digest.days(report), len(report.days), report.lang)


def _incidents(report: Report) -> Iterator[RenderableType]:
    lang = report.lang
    found = []
    for i in report.incidents:
        lines = [figures.clean(digest.incident(i, report)), figures.clean(digest.cause(i.cause, report))]
        lines += [f"· {figures.clean(p.text, 200)}" for p in i.proof[:3]]
        if i.cleared:
            cleared = say("and", lang).join(i.cleared[:5])
            lines.append(f"{say('cleared', lang)}{say('colon', lang)}{figures.clean(cleared, 200)}")
        found.append("\n".join(lines))
    yield from _list(say("incidents", lang), found, NEEDS, lang)


def _available(report: Report, width: int) -> Iterator[RenderableType]:
    lang, rows = report.lang, digest.ranked(report.availability)
    if not rows:
        return
    shown = rows[:SERVICES]
    floor = svg.floor([v for a in shown for v in (a.percent.value, a.objective) if v is not None])
    cells = BAR if width >= 80 else BAR // 2 if width >= NARROW else 0
    axis = f"  {say('axis', lang, low=f'{floor:g}%')}" if cells else ""
    yield Text(say("availability", lang) + axis, style="bold")
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(14, width - cells - 40))
    table.add_column(no_wrap=True, min_width=cells)
    table.add_column(justify="right", no_wrap=True, min_width=8)
    table.add_column(style="dim", no_wrap=True, overflow="ellipsis")
    for a in shown:
        missed = digest.missed(a)
        value = Text(figures.percent(a.percent), style="bold red" if missed else "")
        mark = "▼ " if missed else "  "
        drawn, goal = (Text(bar(a, floor, cells)), digest.standing(a, lang)) if cells else ("", "")
        table.add_row(Text(mark + figures.clean(a.service)), drawn, value, goal)
    yield Padding(table, (0, 0, 0, 2), expand=False)
    if len(rows) > len(shown):
        yield Text("  " + say("more_services", lang, n=f"{len(rows) - len(shown):,}"), style="dim")
    yield Text()


def _erring(report: Report) -> Iterator[RenderableType]:
    e, lang = report.errors, report.lang
    rows = []
    for r in e.rows:
        moved = figures.change(r.n, r.before)
        whose = figures.clean(r.service, 60) or say("no_service", lang)
        rows.append(f"{whose} {figures.count(r.n)}" + (f" ({moved})" if moved else ""))
    yield from _list(say("errors", lang), rows, SERVICES, lang)
    new = say("new_pattern", lang)
    found = [f"{f'[{new}] ' if p.new else ''}{p.n:,} × {figures.clean(p.template, 160)}" for p in e.patterns]
    yield from _list(say("top_patterns", lang), found, 5, lang)


def _list(title: str, lines: Sequence[str], most: int, lang: str, mark: str = "•") -> Iterator[RenderableType]:
    """A heading and its lines, the overlong ones hanging; nothing where there are none."""
    if not lines:
        return
    yield Text(title, style="bold")
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=len(mark) or 1, no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines[:most]:
        table.add_row(mark, Text(line))
    yield Padding(table, (0, 0, 0, 1), expand=False)
    if len(lines) > most:
        yield Text("  " + say("more", lang, n=f"{len(lines) - most:,}"), style="dim")
    yield Text()


def _cell(value: int | None, top: int) -> str:
    if value is None:
        return "·"
    if value == 0 or top == 0:
        return " "
    return SPARKS[min(len(SPARKS) - 1, (value * len(SPARKS) - 1) // top)]
