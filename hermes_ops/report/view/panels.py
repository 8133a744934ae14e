"""The panels behind the page's first screen, one function each. They only lay out; words come from `digest`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from hermes_ops.report.model import Availability, Incident, Lang, Report, ServiceErrors
from hermes_ops.report.view import digest, figures, likeness, missing, timeline
from hermes_ops.report.view.markup import Node, el, link, name
from hermes_ops.report.view.words import say

ROWS = 500  # of one table; the counts above it cover all


def panels(report: Report) -> Iterator[Element]:
    if report.days:
        yield week(report)
    yield incidents(report)
    yield alerts(report)
    yield availability(report)
    yield errors(report)
    yield changes(report)
    if report.comparison:
        yield comparison(report)
    yield rules(report)


def incidents(report: Report) -> Element:
    lang = report.lang
    shown: list[Node] = [_incident(i, report) for i in report.incidents]
    known = not figures.hidden(report.alerts.fired)
    none = "" if shown else say("no_incidents" if known else "unknown", lang)
    value = f"{len(shown)}" if shown or known else figures.DASH
    return panel("incidents", report, value, *shown, _none(none), opened=bool(shown))


def alerts(report: Report) -> Element:
    a, lang = report.alerts, report.lang
    list_ = [(say(key, lang), figures.count(amount)) for key, amount in digest.alert_facts(a)]
    times = (("resolve_median", a.resolve_median), ("resolve_p90", a.resolve_p90))
    list_ += [(say(key, lang), figures.lasted(amount, lang)) for key, amount in times]
    rows = [
        (
            el("td", link(r.link, name(r.name)) if r.link else name(r.name), _small(r.why), cls="long"),
            el("td", name(r.service)),
            el("td", _tag(r.severity)),
            el("td", f"{r.fired:,}", cls="n"),
            el("td", digest.when_alert(r, report), cls="nowrap"),
            el("td", digest.lasted(r, lang) or figures.DASH, cls="n"),
            el("td", digest.state(r, report)),
        )
        for r in a.rows[:ROWS]
    ]
    heads = ("name", "service", "severity", "count", "time", "duration", "state")
    rest = int(a.distinct.value or len(a.rows)) - len(rows)
    by = list(a.by_service.items())
    services = _line(say("by_service", lang), digest.counted(by, lang, 12)) if by else None
    none = _none("" if rows else missing.nothing(a.fired, "no_alerts", lang))
    body = (el("dl", *_facts(list_), cls="facts"), services, table(heads, rows, rest, lang), none)
    return panel("alerts", report, figures.count(a.fired), *body)


def availability(report: Report) -> Element:
    lang, rows = report.lang, digest.ranked(report.availability)
    cells = [_available(a, report) for a in rows[:ROWS]]
    heads = ("service", "availability", "objective", "budget_left", "requests")
    good = sum(a.percent.value is not None and not digest.missed(a) for a in rows)
    none = _none("" if rows else say("no_slo", lang))
    value = say("met_count", lang, n=good, of=len(rows)) if rows else figures.DASH
    return panel("availability", report, value, table(heads, cells, len(rows) - len(cells), lang), none)


def errors(report: Report) -> Element:
    e, lang = report.errors, report.lang
    rows = [_erring(r, lang) for r in e.rows[:ROWS]]
    heads = ("service", "lines", "like_day", "change")
    patterns = [
        (
            el("td", el("code", " ".join(p.template.split())), cls="long"),
            el("td", name(p.service or say("no_service", lang))),
            el("td", f"{p.n:,}", cls="n"),
            el("td", figures.DASH if p.before is None else f"{p.before:,}", cls="n"),
            el("td", el("strong", say("new_pattern", lang), cls="tag") if p.new else None),
        )
        for p in e.patterns[:ROWS]
    ]
    found = el("h4", say("top_patterns", lang)) if patterns else None
    more = len(e.patterns) - len(patterns)
    none = _none("" if rows else missing.nothing(e.total, "no_errors", lang))
    body = (
        _line(say("like_day", lang), likeness.day(report)),
        table(heads, rows, len(e.rows) - len(rows), lang),
        found,
        table(("pattern", "service", "count", "like_day", "state"), patterns, more, lang),
        none,
    )
    return panel("errors", report, figures.count(e.total), *body)


def changes(report: Report) -> Element:
    c, lang = report.changes, report.lang
    rows = [
        (
            el("td", figures.clock(r.at, report.window), cls="nowrap"),
            el("td", digest.change_kind(r.kind, lang)),
            el("td", name(" ".join((r.service, r.version))) if r.service or r.version else None),
            el("td", name(r.title), _small("" if r.id.isdigit() else r.id), cls="long"),
            el("td", name(r.author) if r.author else None),
            el("td", el("strong" if r.blamed else "span", near) if (near := digest.nearness(r, lang)) else None),
        )
        for r in c.rows[:ROWS]
    ]
    none = _none("" if rows else missing.nothing(c.total, "no_changes", lang))
    heads = ("time", "kind", "service", "title", "author", "state")
    rest = int(c.total.value or len(c.rows)) - len(rows)
    return panel("changes", report, figures.count(c.total), table(heads, rows, rest, lang), none)


def comparison(report: Report) -> Element:
    lang = report.lang
    heads = [say("now", lang), *(digest.against(c, report) for c in report.comparison)]
    lines = [
        (say("alerts_fired", lang), report.alerts.fired, [c.alerts for c in report.comparison]),
        (say("error_lines", lang), report.errors.total, [c.errors for c in report.comparison]),
    ]
    rows = [
        el(
            "tr",
            el("th", label, scope="row"),
            el("td", figures.count(now), cls="n"),
            *(el("td", figures.count(b), _small(figures.change(now, b)), cls="n") for b in before),
        )
        for label, now, before in lines
    ]
    for a in digest.ranked(report.availability)[:8]:
        earlier = [c.availability.get(a.service) for c in report.comparison]
        cells = [el("td", figures.DASH if v is None else figures.share(v), cls="n") for v in earlier]
        rows.append(
            el("tr", el("th", name(a.service), scope="row"), el("td", figures.percent(a.percent), cls="n"), *cells)
        )
    top = el("thead", el("tr", el("td"), *(el("th", h, scope="col", cls="n") for h in heads)))
    notes = [
        _line(label, why.removeprefix(label))
        for c in report.comparison if (label := say(c.against, lang)) and (why := digest.unlike(c, lang))
    ]  # fmt: skip
    body = el("div", el("table", top, el("tbody", *rows), cls="compare"), cls="scroll")
    if not digest.compared(report):
        return panel("comparison", report, say("no_like", lang), *notes)
    return panel("comparison", report, "", body, *notes)


def rules(report: Report) -> Element:
    lang = report.lang
    lines = [
        el("li", el("strong", say(r.rating, lang), cls=f"tag {r.rating}"), " ", r.text, " ", _small(r.name))
        for r in report.verdict.rules
    ]
    return panel("rules", report, say(report.verdict.rating, lang), el("ul", *lines), _none("" if lines else "—"))


def week(report: Report) -> Element:
    lang = report.lang
    rows = [
        (
            el("td", figures.day(d.window, lang), cls="nowrap"),
            el("td", say("missing_day" if d.missing else d.rating or "unknown", lang), cls=d.rating or ""),
            *(el("td", figures.count(n), cls="n") for n in (d.alerts, d.errors, d.incidents)),
        )
        for d in report.days
    ]
    heads = ("time", "rating", "alerts", "errors", "incidents")
    return panel("by_day", report, say("days", lang, n=len(report.days)), table(heads, rows, 0, lang), opened=True)


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


def panel(key: str, report: Report, value: str, *body: Node, opened: bool = False) -> Element:
    """Folded, with its figure in the line that opens it, and the gaps of this part at its head."""
    gaps = missing.gaps(report, key)
    mark = el("span", "⚠", cls="flag", title="; ".join(gaps)) if gaps else None
    head = el("summary", el("h3", say(key, report.lang)), mark, el("span", value, cls="value"))
    holes = [el("p", "⚠ ", name(g), cls="gap") for g in gaps]
    return el("details", head, el("div", *holes, *body, cls="inside"), id=key, open=opened)


def table(heads: Sequence[str], rows: Sequence[Sequence[Element]], rest: int, lang: str) -> Element | None:
    """Cells know their heading: on a phone a row is a block of its own, without the line of headings."""
    if not rows:
        return None
    named = [say(h, lang) for h in heads]
    numbers = {n for n, cell in enumerate(rows[0]) if cell.get("class") == "n"}
    top = [el("th", h, scope="col", cls="n" if n in numbers else None) for n, h in enumerate(named)]
    for row in rows:
        for cell, label in zip(row, named, strict=True):
            if cell.get("class") != "long":
                cell.set("data-label", label)
    body = el("tbody", *(el("tr", *cells) for cells in rows))
    more = el("p", say("more", lang, n=f"{rest:,}"), cls="rest") if rest > 0 else None
    return el("div", el("table", el("thead", el("tr", *top)), body, cls="listed"), more, cls="scroll")


def _incident(i: Incident, report: Report) -> Element:
    lang = report.lang
    facts = [
        (say("first_failing", lang), i.first_failing),
        (say("reached", lang), say("and", lang).join(i.reached)),
        (say("cleared", lang), say("and", lang).join(i.cleared)),
    ]
    proof = [
        el("li", name(p.text), link(p.link, el("code", " ".join(p.query.split()))) if p.query else None)
        for p in i.proof
    ]
    onset = say("onset", lang, at=figures.clock(i.onset, report.window)) if i.onset else ""
    return el(
        "article",
        el("h4", name(digest.incident(i, report))),
        el("p", name(digest.cause(i.cause, report)), cls=f"cause {i.cause.kind}"),
        el("p", onset, cls="soft") if onset else None,
        el("dl", *_facts([(k, v) for k, v in facts if v]), _alerted(i, lang), cls="pairs"),
        el("h5", say("evidence", lang)) if proof else None,
        el("ul", *proof, cls="proof") if proof else None,
    )


def _alerted(i: Incident, lang: str) -> Element | None:
    """Each alert on a line of its own."""
    if not i.alerts:
        return None
    shown = [el("dd", name(figures.clean(a, 120))) for a in i.alerts[:12]]
    rest = len(i.alerts) - len(shown)
    more = el("dd", say("more", lang, n=rest)) if rest else None
    return el("div", el("dt", say("alerts", lang)), el("div", *shown, more))


def _available(a: Availability, report: Report) -> tuple[Element, ...]:
    lang = report.lang
    fails = say("failed_of", lang, bad=figures.count(a.bad), total=figures.count(a.total))
    left = figures.budget(a.budget_left)
    spent = a.budget_left.value is not None and a.budget_left.value < 0
    return (
        el("td", name(a.service), cls="long"),
        el("td", el("strong", figures.percent(a.percent)), cls="n"),
        el("td", digest.standing(a, lang), cls="bad" if digest.missed(a) else None),
        el("td", left, _small(say("overspent", lang)) if spent else None, cls="n"),
        el("td", fails if a.total.value is not None else figures.DASH, cls="n"),
    )


def _erring(r: ServiceErrors, lang: Lang) -> tuple[Element, ...]:
    return (
        el("td", name(r.service or say("no_service", lang)), cls="long"),
        el("td", figures.count(r.n), cls="n"),
        el("td", figures.count(r.before), cls="n"),
        el("td", figures.change(r.n, r.before), cls="n"),
    )


def _facts(pairs: Sequence[tuple[str, str]]) -> list[Node]:
    return [el("div", el("dt", key), el("dd", name(value))) for key, value in pairs]


def _tag(severity: str) -> Element:
    tone = timeline.tones([severity])[0]
    return el("span", name(severity), cls=f"tag sev-{tone}")


def _line(label: str, text: str) -> Element:
    return el("p", el("span", label, cls="soft"), " ", name(text))


def _small(text: str) -> Element | None:
    return el("small", name(text)) if text else None


def _none(text: str) -> Element | None:
    return el("p", text, cls="soft") if text else None
