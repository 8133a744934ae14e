"""The report as one page that stands alone: no script, nothing loaded; for phone and desk, light and dark, and paper.

First what it comes to, what needs a person and the key numbers; then three charts; then panels. It counts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from xml.etree.ElementTree import Element

from hermes_ops.report.model import Attention, Report
from hermes_ops.report.view import digest, figures, likeness, missing, panels, svg, timeline
from hermes_ops.report.view.markup import Node, el, name, page
from hermes_ops.report.view.tiles import Tile, tiles
from hermes_ops.report.view.words import say

NEEDS, GAPS = 5, 6  # of what needs a person and of what is missing, before the rest is folded
BARS = 8  # availabilities that are drawn; all stand in the panel
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
SHAPES = {  # of a verdict, told by its outline as well as its colour
    "bad": "M8 1 H16 L23 8 V16 L16 23 H8 L1 16 V8 Z",
    "watch": "M12 2 L23 22 H1 Z",
    "incomplete": "M4 1 H20 A3 3 0 0 1 23 4 V20 A3 3 0 0 1 20 23 H4 A3 3 0 0 1 1 20 V4 A3 3 0 0 1 4 1 Z",
    "quiet": "M12 1 A11 11 0 1 1 11.99 1 Z",
}
SIGNS = {
    "bad": "M8 8 L16 16 M16 8 L8 16",
    "watch": "M12 9.5 V15 M12 18 V18.2",
    "incomplete": "M8.5 9 A3.5 3.5 0 1 1 12 12.5 V14.5 M12 18 V18.2",
    "quiet": "M7 12.5 L10.5 16 L17 8.5",
}


def render(report: Report) -> str:
    """The file's text, UTF-8 to be."""
    css = resources.files(__package__).joinpath("page.css").read_text("utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("title", digest.title(report)),
        el("style", css),
    )
    body = el(
        "body",
        svg.defs(),
        el(
            "main",
            _top(report),
            _verdict(report),
            _needs(report),
            _handover(report),
            _tiles(report),
            _charts(report),
            el("section", *panels.panels(report), cls="panels"),
            el("footer", el("p", digest.authored(report))),
        ),
    )
    return page(el("html", head, body, lang="zh-CN" if report.lang == "zh" else "en"))


def _top(report: Report) -> Element:
    team = figures.clean(report.team, 60)
    whose = (name(team), digest.DOT) if team else ()
    eyebrow = el("p", *whose, digest.kind(report), cls="eyebrow")
    facts = [el("span", name(part)) for part in digest.about(report)]
    return el("header", eyebrow, el("h1", figures.day(report.window, report.lang)), el("p", *facts, cls="about"))


def _verdict(report: Report) -> Element:
    rating, lang = report.verdict.rating, report.lang
    shape = el("path", d=SHAPES[rating], cls="shape")
    icon = el("svg", shape, el("path", d=SIGNS[rating], cls="sign"), viewBox="0 0 24 24", aria_hidden="true")
    words = el("p", name(digest.prose(report)), cls="prose") if report.prose.sentences else None
    beside = missing.unseen(report)
    head = el("p", name(digest.DOT.join(beside)), cls="beside") if beside else None
    return el("section", el("h2", icon, say(rating, lang)), head, words, _gaps(report), cls=f"verdict {rating}")


def _gaps(report: Report) -> Element | None:
    """What is missing stands open beside the verdict; only a long list is folded behind its first lines."""
    lines = [el("li", name(line)) for line in missing.gap_lines(report)]
    if not lines:
        return None
    first, rest = lines[:GAPS], lines[GAPS:]
    head = el("p", "⚠ ", say("gaps_count", report.lang, n=len(lines)))
    folded = el("details", el("summary", say("more", report.lang, n=len(rest))), el("ul", *rest)) if rest else None
    return el("div", head, el("ul", *first), folded, cls="holes")


def _needs(report: Report) -> Element:
    lang, all_ = report.lang, report.attention
    if not all_:
        return el("section", el("h2", say("attention", lang)), el("p", missing.calm(report), cls="soft"), cls="needs")
    first, rest = all_[:NEEDS], all_[NEEDS:]
    folded = None
    if rest:
        head = el("summary", say("more", lang, n=len(rest)))
        folded = el("details", head, el("ul", *map(_need, rest[: panels.ROWS])), cls="plain")
    title = el("h2", say("attention", lang), el("span", f"{len(all_)}", cls="badge"))
    return el("section", title, el("ul", *map(_need, first)), folded, cls="needs some")


def _need(a: Attention) -> Element:
    return el("li", name(a.text))


def _handover(report: Report) -> Element | None:
    """A shift's own first screen: what is open, kept quiet, in flight, and to be watched."""
    h, lang = report.handover, report.lang
    if h is None:
        return None
    parts = digest.handover(h, report)
    blocks = [el("div", el("h3", say(key, lang)), _list(lines, digest.none(key, report), lang)) for key, lines in parts]
    return el("section", el("h2", say("handover", lang)), el("div", *blocks, cls="blocks"), cls="handover")


def _list(lines: Sequence[str], none: str, lang: str) -> Element:
    if not lines:
        return el("p", none, cls="soft")
    more = el("li", say("more", lang, n=len(lines) - 20), cls="soft") if len(lines) > 20 else None
    return el("ul", *(el("li", name(line)) for line in lines[:20]), more)


def _tiles(report: Report) -> Element:
    return el(
        "section", *(_tile(t, report) for t in tiles(report)), cls="tiles", aria_label=say("numbers", report.lang)
    )


def _tile(t: Tile, report: Report) -> Element:
    mark = el("span", " ⚠", cls="flag") if missing.gaps(report, t.place) else None
    target = "alerts" if t.place == "resolve" else t.place
    return el(
        "a",
        el("span", t.label, mark, cls="label"),
        el("strong", t.value, cls="value long" if len(t.value) > 7 else "value"),
        el("span", name(t.note), cls="note"),
        href=f"#{target}",
        cls="tile alarm" if t.alarm else "tile",
    )


# ── charts ────────────────────────────────────────────────────────────────────────────────────


def _charts(report: Report) -> Element:
    return el("section", _alerts(report), _errors(report), _availability(report), cls="charts")


def _alerts(report: Report) -> Element:
    lang, line = report.lang, timeline.alerts(report)
    title = timeline.alerts_title(line, lang)
    if not line.names:
        none = missing.nothing(report.alerts.fired, "no_alerts", lang)
        return _figure("alerts", report, title, None, el("p", none, cls="soft"))
    tones = timeline.tones(line.names)
    sums = line.sums()
    legend = [
        el("span", svg.swatch(tone), name(figures.clean(s, 24)), f" {n:,}")
        for s, tone, n in zip(line.names, tones, sums, strict=True)
    ]
    if any(map(timeline.blank, line.columns)):
        legend.append(el("span", svg.swatch("nothing"), say("no_data", lang)))
    peak = line.peak(timeline.total)
    about = say("total", lang, n=f"{sum(sums):,}")
    about += "; " + say("peak", lang, at=peak.said, n=timeline.total(peak)) if peak else ""
    return _figure("alerts", report, title, legend, svg.stacked(line, tones, "c-alerts", title, about))


def _errors(report: Report) -> Element:
    e, lang, line = report.errors, report.lang, timeline.errors(report)
    title = likeness.title(report)
    if line.empty or (figures.zero(e.total) and not e.before.value):
        none = missing.nothing(e.total, "no_errors", lang)
        return _figure("errors", report, title, None, el("p", none, cls="soft"))
    legend = [el("span", svg.swatch("now"), line.names[0], " ", likeness.drawn(report))]
    if likeness.known(report):
        legend.append(el("span", svg.swatch("line"), line.names[1], " ", figures.count(e.before)))
    if any(c.values[0] is None for c in line.columns):
        legend.append(el("span", svg.swatch("nothing"), say("no_data", lang)))
    if any(c.partial for c in line.columns):
        legend.append(el("span", svg.swatch("partial"), say("partial", lang)))
    peak = line.peak(timeline.first)
    about = say("total", lang, n=figures.count(e.total))
    about += "; " + say("peak", lang, at=peak.said, n=timeline.first(peak)) if peak else ""
    return _figure("errors", report, title, legend, svg.compared(line, "c-errors", title, about))


def _availability(report: Report) -> Element:
    lang, rows = report.lang, digest.ranked(report.availability)
    title = say("availability_bars", lang)
    if not rows:
        return _figure("availability", report, title, None, el("p", say("no_slo", lang), cls="soft"))
    shown = rows[:BARS]
    known = [v for a in shown for v in (a.percent.value, a.objective) if v is not None]
    floor = svg.floor(known)
    items: list[Node] = []
    for a in shown:
        value = figures.percent(a.percent)
        said = f"{figures.clean(a.service, 80)} {value} · {digest.standing(a, lang)}"
        mark = el("b", "▼", title=say("missed", lang)) if digest.missed(a) else None
        head = el("span", mark, name(figures.clean(a.service, 80)), cls="who")
        items.append(el("li", head, el("span", value, cls="much"), svg.bar(a.percent.value, a.objective, floor, said)))
    rest = len(rows) - len(shown)
    more = el("p", say("more_services", lang, n=rest), cls="rest") if rest > 0 else None
    legend = [
        el("span", el("i", cls="goal"), say("objective", lang)),
        el("span", svg.swatch("lost"), "▼ ", say("missed", lang)),
        el("span", say("axis", lang, low=f"{floor:g}%")),
    ]
    return _figure("availability", report, title, legend, el("ul", *items, cls="bars"), more)


def _figure(place: str, report: Report, title: str, legend: Sequence[Node] | None, *body: Node) -> Element:
    holes = [el("p", "⚠ ", name(g), cls="gap") for g in missing.gaps(report, place)]
    marks = el("p", *legend, cls="legend") if legend else None
    return el("figure", el("figcaption", el("h3", title), marks), *body, *holes, cls=None if legend else "none")
