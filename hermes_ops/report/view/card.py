"""The report as a Feishu card (JSON 2.0): what it comes to, who is needed, key numbers, one chart; the rest in panels.

The richest form that is within the card's limits is taken, however many services there are: lists say how many more
there are, and counts cover all. What comes from outside is escaped, so that it can neither mention, link nor format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_ops.channels.feishu import fit
from hermes_ops.report.model import Report
from hermes_ops.report.view import digest, figures, missing, vchart
from hermes_ops.report.view.tiles import Tile, tiles
from hermes_ops.report.view.words import say
from orchestrator.contracts import Json

COLOR = {"bad": "red", "watch": "orange", "incomplete": "violet", "quiet": "green"}
SIGN = {"bad": "⛔", "watch": "⚠️", "incomplete": "❔", "quiet": "✅"}
SPECIAL = re.compile(r"[&<>*_~`\[\]()#|!\\$]|(?<=\w):(?=//)")
NEEDS = 5
SUMMARY = 120


@dataclass(frozen=True, slots=True)
class Level:
    """How much of it: lines of a list, characters of a name, charts at all."""

    lines: int
    name: int
    charts: bool = True


LEVELS = (
    Level(12, 120),
    Level(8, 80),
    Level(5, 60),
    Level(3, 40),
    Level(3, 40, charts=False),
    Level(0, 40, charts=False),
)


def render(report: Report) -> Json:
    """The richest card that fits."""
    for level in LEVELS:
        made = at(report, level)
        if not fit.troubles(made):
            break
    return made


def at(report: Report, level: Level) -> Json:
    body = [*_first(report, level), *_panels(report, level), _note(digest.authored(report))]
    rating = say(report.verdict.rating, report.lang)
    head = {
        "title": _text(digest.title(report)),
        "subtitle": _text(figures.clean(digest.DOT.join(digest.about(report)), 200)),
        "template": COLOR[report.verdict.rating],
        "text_tag_list": [{"tag": "text_tag", "text": _text(rating), "color": COLOR[report.verdict.rating]}],
    }
    summary = figures.clean(f"{rating}{say('colon', report.lang)}{digest.prose(report)}", SUMMARY)
    config = {"update_multi": True, "summary": {"content": summary}, "width_mode": "fill"}
    return {"schema": "2.0", "config": config, "header": head, "body": {"direction": "vertical", "elements": body}}


def text(report: Report) -> str:
    """The same without a card, for when none is taken: title, verdict, gaps, needs, numbers."""
    lang = report.lang
    rating = f"{SIGN[report.verdict.rating]} {say(report.verdict.rating, lang)}"
    head = digest.DOT.join([rating, *missing.unseen(report)])
    lines = [digest.title(report), figures.clean(head, 400), figures.clean(digest.prose(report), 2_000)]
    lines += [f"⚠ {figures.clean(line, 200)}" for line in missing.gap_lines(report)[:10]]
    lines += ["", say("attention", lang) + say("colon", lang)]
    lines += [f"- {figures.clean(a.text, 200)}" for a in report.attention[: 2 * NEEDS]] or [f"- {missing.calm(report)}"]
    if (rest := len(report.attention) - 2 * NEEDS) > 0:
        lines.append(say("more", lang, n=rest))
    lines += ["", *(f"{t.label} {t.value}" + (f"{digest.DOT}{t.note}" if t.note else "") for t in tiles(report))]
    return "\n".join(lines)


def escaped(words: str, most: int = 0) -> str:
    """For a markdown element: shown as it is."""
    return SPECIAL.sub(lambda m: f"&#{ord(m[0])};", figures.clean(words, most))


# ── the first screen ──────────────────────────────────────────────────────────────────────────


def _first(report: Report, level: Level) -> Iterator[Json]:
    lang, rating = report.lang, report.verdict.rating
    words = escaped(digest.prose(report), 1_200)
    head = "".join(f"{digest.DOT}{escaped(part, 200)}" for part in missing.unseen(report))
    yield _markdown(f"**{SIGN[rating]} {say(rating, lang)}**{head}" + (f"\n{words}" if words else ""))
    if report.gaps:
        found = missing.gap_lines(report)
        named = [f"⚠ {escaped(line, 160)}" for line in found[:4]]
        yield _markdown("\n".join(_more(named, len(found), lang)))
    needs = [f"- {escaped(a.text, level.name * 2)}" for a in report.attention[:NEEDS]]
    heading = f"**{say('attention', lang)}**" + (f" ({len(report.attention)})" if needs else "")
    yield _markdown("\n".join([heading, *_more(needs or [missing.calm(report)], len(report.attention), lang)]))
    yield from _handover(report, level)
    yield {"tag": "hr"}
    shown = tiles(report)
    for n in range(0, len(shown), 2):
        columns = [_tile(t) for t in shown[n : n + 2]]
        yield {"tag": "column_set", "flex_mode": "none", "columns": columns}
    if level.charts and (chart := vchart.alerts(report)):
        yield chart


def _handover(report: Report, level: Level) -> Iterator[Json]:
    h, lang, most = report.handover, report.lang, max(3, level.lines)
    if h is None:
        return
    for key, lines in digest.handover(h, report):
        shown = [f"- {escaped(line, 3 * level.name)}" for line in lines[:most]]
        body = _more(shown, len(lines), lang) if shown else [digest.none(key, report)]
        yield _markdown("\n".join([f"**{say(key, lang)}** ({len(lines)})", *body]))


# ── panels ────────────────────────────────────────────────────────────────────────────────────


def _panels(report: Report, level: Level) -> Iterator[Json]:
    lang = report.lang
    yield from _incidents(report, level)
    a = report.alerts
    lines = [digest.DOT.join(f"{say(key, lang)} {figures.count(n)}" for key, n in digest.alert_facts(a))]
    rows = [f"- {escaped(digest.alert(r, report, level.name))}" for r in a.rows[: level.lines]]
    lines += _more(rows, int(a.distinct.value or len(a.rows)), lang)
    yield _panel("alerts", figures.count(a.fired), report, [_markdown("\n".join(lines))])
    yield from _availability(report, level)
    yield from _errors(report, level)
    changes = [f"- {escaped(digest.change(c, report), 3 * level.name)}" for c in report.changes.rows[: level.lines]]
    body = _more(changes, int(report.changes.total.value or len(report.changes.rows)), lang)
    body = body or [missing.nothing(report.changes.total, "no_changes", lang)]
    yield _panel("changes", figures.count(report.changes.total), report, [_markdown("\n".join(body))])
    if compared := digest.comparisons(report):
        yield _panel("comparison", "", report, [_markdown("\n".join(f"- {escaped(c)}" for c in compared))])
    if report.days:
        days = "\n".join(f"- {escaped(line)}" for line in digest.days(report))
        yield _panel("by_day", "", report, [_markdown(days)])
    why = [f"- {say(r.rating, lang)} · {escaped(r.text, 3 * level.name)}" for r in report.verdict.rules]
    if why:
        yield _panel("rules", "", report, [_markdown("\n".join(_more(why[:12], len(why), lang)))])


def _incidents(report: Report, level: Level) -> Iterator[Json]:
    lang = report.lang
    most = max(1, min(level.lines, 5))
    shown = []
    for i in report.incidents[:most]:
        lines = [f"**{escaped(digest.incident(i, report))}**", escaped(digest.cause(i.cause, report))]
        lines += [f"- {escaped(p.text, 2 * level.name)}" for p in i.proof[: level.lines // 2]]
        if i.cleared and level.lines:
            cleared = say("and", lang).join(i.cleared[:5])
            lines.append(escaped(f"{say('cleared', lang)}{say('colon', lang)}{cleared}", 2 * level.name))
        shown.append("\n".join(lines))
    if shown:
        text = "\n\n".join(_more(shown, len(report.incidents), lang))
        yield _panel("incidents", f"{len(report.incidents)}", report, [_markdown(text)])


def _availability(report: Report, level: Level) -> Iterator[Json]:
    lang, rows = report.lang, digest.ranked(report.availability)
    if not rows:
        return
    lines = []
    for a in rows[: level.lines]:
        left = f"{digest.DOT}{say('budget_left', lang)} {figures.budget(a.budget_left)}" if a.objective else ""
        standing = f"{figures.percent(a.percent)} · {digest.standing(a, lang)}{left}"
        lines.append(f"- **{escaped(a.service, level.name)}** {escaped(standing)}")
    chart = vchart.availability(report, min(8, level.lines)) if level.charts else None
    body = _markdown("\n".join(_more(lines, len(rows), lang, "more_services")))
    good = sum(a.percent.value is not None and not digest.missed(a) for a in rows)
    yield _panel(
        "availability", say("met_count", lang, n=good, of=len(rows)), report, [*([chart] if chart else []), body]
    )


def _errors(report: Report, level: Level) -> Iterator[Json]:
    e, lang = report.errors, report.lang
    rows = []
    for r in e.rows[: level.lines]:
        moved = figures.change(r.n, r.before)
        whose = escaped(r.service, level.name) or say("no_service", lang)
        rows.append(f"- **{whose}** {figures.count(r.n)}" + (f" ({moved})" if moved else ""))
    lines = _more(rows, len(e.rows), lang, "more_services")
    if e.patterns and level.lines:
        new = f"**{say('new_pattern', lang)}** "
        found = [
            f"- {new if p.new else ''}{p.n:,} × {escaped(p.template, 2 * level.name)}"
            for p in e.patterns[: level.lines // 2]
        ]
        lines += [f"**{say('top_patterns', lang)}**", *_more(found, len(e.patterns), lang)]
    none = missing.nothing(e.total, "no_errors", lang)
    chart = vchart.errors(report) if level.charts else None
    body = _markdown("\n".join(lines or [none]))
    yield _panel("errors", figures.count(e.total), report, [*([chart] if chart else []), body])


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


def _more(lines: Sequence[str], all_: int, lang: str, key: str = "more") -> list[str]:
    rest = all_ - len(lines)
    return [*lines, *([say(key, lang, n=f"{rest:,}")] if rest > 0 else [])]


def _panel(key: str, value: str, report: Report, elements: list[Json]) -> Json:
    """Folded; the gaps of this part stand at its head."""
    holes = [f"⚠ {escaped(g, 160)}" for g in missing.gaps(report, key)[:3]]
    title = f"**{say(key, report.lang)}**" + (f" {escaped(value)}" if value else "") + (" ⚠" if holes else "")
    icon = {"tag": "standard_icon", "token": "down-small-ccm_outlined"}
    head = {"title": {"tag": "markdown", "content": title}, "icon": icon, "icon_position": "right"}
    inside = [*([_markdown("\n".join(holes))] if holes else []), *elements]
    border = {"color": "grey", "corner_radius": "5px"}
    return {"tag": "collapsible_panel", "expanded": False, "header": head, "border": border, "elements": inside}


def _tile(t: Tile) -> Json:
    """A key number, large between what it is and what it is made of; red when it is over a line."""
    value = f"<font color='red'>{escaped(t.value)}</font>" if t.alarm else escaped(t.value)
    parts = [
        {**_markdown(f"<font color='grey'>{escaped(t.label)}</font>"), "text_size": "notation"},
        {**_markdown(f"**{value}**"), "text_size": "heading"},
        *([{**_markdown(escaped(t.note, 60)), "text_size": "notation"}] if t.note else []),
    ]
    return {"tag": "column", "width": "weighted", "weight": 1, "vertical_spacing": "2px", "elements": parts}


def _markdown(content: str) -> Json:
    return {"tag": "markdown", "content": content or " "}


def _text(words: str) -> Json:
    return {"tag": "plain_text", "content": words}


def _note(words: str) -> Json:
    return {"tag": "div", "text": {**_text(figures.clean(words, 300)), "text_size": "notation", "text_color": "grey"}}
