"""What every view says the same way: title, key numbers, who comes first, and lines about alerts, causes and changes.

Plain text that nobody has escaped yet, and numbers as `figures` writes them. Nothing is counted here that the report
hasn't counted, but for the length of its own lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from hermes_ops.report.model import (
    AlertRow,
    Alerts,
    Amount,
    Availability,
    CauseSaid,
    ChangeRow,
    Compared,
    Handover,
    Incident,
    Report,
)
from hermes_ops.report.view import figures
from hermes_ops.report.view.words import bracket, say
from subagents.changes.chinese import KINDS

DOT = " · "


def kind(report: Report) -> str:
    """ "运维日报", with what is special about it."""
    words = say(report.kind, report.lang)
    return words + bracket(say("corrected", report.lang), report.lang) if report.corrected else words


def title(report: Report) -> str:
    """ "shop · 运维日报 · 2026-11-29 周日"."""
    parts = (figures.clean(report.team, 40), kind(report), figures.day(report.window, report.lang))
    return DOT.join(filter(None, parts))


def about(report: Report) -> list[str]:
    """The zone, an odd length, what it is narrowed to, who is on call, when it was made."""
    w, lang = report.window, report.lang
    hours = figures.length(w)
    odd = figures.is_day(w) and round(hours, 2) != 24
    on_call = say("and", lang).join(o.who for o in report.on_call)
    narrowed = say("and", lang).join(report.services[:5]) + ("…" if len(report.services) > 5 else "")
    return [
        w.zone,
        *([say("hours_long", lang, n=round(hours, 2))] if odd else []),
        *([] if report.workday else [say("day_off", lang)]),
        *([say("scope", lang, what=narrowed)] if narrowed else []),
        *([f"{say('on_call', lang)}{say('colon', lang)}{on_call}"] if on_call else []),
        say("made_at", lang, at=figures.clock(report.made_at, w)),
    ]


def prose(report: Report) -> str:
    return ("" if report.lang == "zh" else " ").join(s.strip() for s in report.prose.sentences)


def authored(report: Report) -> str:
    """Who wrote the sentences, and what was dropped of them."""
    p, lang = report.prose, report.lang
    words = say("model_words", lang, model=p.model) if p.author == "model" else say("template_words", lang)
    dropped = say("dropped", lang, n=len(p.dropped)) if p.dropped else ""
    return " ".join(filter(None, (words, p.why, dropped)))


def ranked(rows: Sequence[Availability]) -> list[Availability]:
    """Those that missed their objective first, the worst of them first; then the unknown; then the others."""

    def place(a: Availability) -> tuple[int, float]:
        if a.percent.value is None:
            return 1, 0.0
        if a.objective is None:
            return 3, a.percent.value
        missing = (100 - a.percent.value) / max(1e-9, 100 - a.objective)
        return (0 if a.percent.value < a.objective else 2), -missing

    return sorted(rows, key=place)


def missed(a: Availability) -> bool:
    return a.percent.value is not None and a.objective is not None and a.percent.value < a.objective


def standing(a: Availability, lang: str) -> str:
    """ "目标 99.9% · 未达标"."""
    if a.objective is None:
        return say("no_objective", lang)
    goal = f"{say('objective', lang)} {a.objective:g}%"
    state = say("unknown" if a.percent.value is None else "missed" if missed(a) else "met", lang)
    return f"{goal}{DOT}{state}"


def counted(by: Sequence[tuple[str, int]], lang: str, most: int = 4) -> str:
    """ "critical 2 · warning 3 · …另有 1 项"."""
    shown = [f"{figures.clean(name, 30)} {n:,}" for name, n in by[:most]]
    rest = len(by) - most
    return DOT.join([*shown, *([say("more", lang, n=rest)] if rest > 0 else [])])


def cause(c: CauseSaid, report: Report, short: bool = False) -> str:
    """ "疑似原因：payment 2.4.1 · right-size the DB pool · omar · 22:02 · 把握 93%"; `short`: only what it is."""
    lang = report.lang
    if not c.found:
        nearest = DOT + say("nearest", lang, what=figures.clean(c.title, 160)) if c.title and not short else ""
        return say(c.kind if c.kind == "undecided" else "no_change_explains", lang) + nearest
    label = {"confirmed": "confirmed", "change": "suspect", "operational": "operational"}[c.kind]
    what = " ".join(filter(None, (figures.clean(c.service, 40), c.version)))
    if short:
        parts = [what if c.version else figures.clean(c.title, 60)]
    else:
        parts = [
            what,
            figures.clean(c.title, 160),
            c.author,
            figures.clock(c.changed_at, report.window) if c.changed_at else "",
            say("by", lang, who=c.by) if c.by else "",
            say("confidence", lang, n=round(100 * c.confidence)) if c.confidence is not None else "",
        ]
    return f"{say(label, lang)}{say('colon', lang)}{DOT.join(filter(None, parts))}"


def incident(i: Incident, report: Report, most: int = 4) -> str:
    """ "22:04–22:50 · critical · payment、checkout"."""
    services = [figures.clean(s, 40) for s in i.services[:most]]
    rest = len(i.services) - most
    named = say("and", report.lang).join(services) + (f" +{rest}" if rest > 0 else "")
    until = "ongoing" if i.open_known else "ongoing_unknown"
    return DOT.join(filter(None, (figures.span(i.start, i.end, report.window, report.lang, until), i.severity, named)))


def alert_facts(a: Alerts) -> list[tuple[str, Amount]]:
    """The counts that stand apart, by the key of their word."""
    keys = ("new", "recurring", "flapping", "still_open", "deserved", "carried", "inhibited", "silenced")
    return [(key, getattr(a, key)) for key in keys]


def state(row: AlertRow, report: Report) -> str:
    """ "抖动 · 新出现 · 值得叫人"; whether it is open stands in its time."""
    lang = report.lang
    marks = [
        say("flapping", lang) if row.flapping else "",
        "" if row.recurring is None else say("recurring" if row.recurring else "new", lang),
        say("page_yes", lang) if row.page else "",
    ]
    return DOT.join(filter(None, marks))


def alert(row: AlertRow, report: Report, most: int = 80) -> str:
    """ "CheckoutHighErrorRate (checkout) · critical · 22:04–22:49 · 44 分 30 秒 · 新出现"."""
    many = say("times", report.lang, n=row.fired) if row.fired > 1 else ""
    if not row.fired and not row.suppressed:
        many = say("carried", report.lang)
    parts = (
        whose(row.name, row.service, most),
        row.severity,
        when_alert(row, report),
        lasted(row, report.lang),
        many,
    )
    return DOT.join(filter(None, (*parts, state(row, report))))


def lasted(row: AlertRow, lang: str) -> str:
    """ "44 分 30 秒"; "" where nobody knows."""
    return figures.lasting(row.firing, lang) if row.firing or row.open_known else ""


def whose(name: str, service: str, most: int) -> str:
    """ "CheckoutHighErrorRate (checkout)"."""
    return figures.clean(name, most) + (f" ({figures.clean(service, 40)})" if service else "")


def when_alert(row: AlertRow, report: Report) -> str:
    return figures.span(row.first, row.end, report.window, report.lang, "open" if row.open_known else "open_unknown")


def change(row: ChangeRow, report: Report) -> str:
    """ "22:02 deploy payment 2.4.1 · right-size the DB pool · omar · 疑似原因"."""
    kind = change_kind(row.kind, report.lang)
    head = " ".join(filter(None, (figures.clock(row.at, report.window), kind, row.service, row.version)))
    return DOT.join(filter(None, (head, figures.clean(row.title, 120), row.author, nearness(row, report.lang))))


def change_kind(kind: str, lang: str) -> str:
    return KINDS.get(kind, kind) if lang == "zh" else kind


def kinds(by: Mapping[str, int], lang: str) -> list[tuple[str, int]]:
    return [(change_kind(kind, lang), n) for kind, n in by.items()]


def nearness(row: ChangeRow, lang: str) -> str:
    if row.blamed:
        near = say("blamed", lang)
    elif row.lead is not None:
        near = say("near_incident" if row.lead >= 0 else "after_incident", lang, time=figures.lasting(row.lead, lang))
    else:
        near = ""
    return near


def against(c: Compared, report: Report) -> str:
    """ "前一天 2026-11-28 周六"."""
    label = say(c.against, report.lang)
    return f"{label} {figures.day(c.window, report.lang)}" if c.window else label


def unlike(c: Compared, lang: str) -> str:
    """Why the two are no fair pair; "" where they are."""
    if c.window is None:
        return c.why_not or say("no_like", lang)
    return c.why_not or ("" if c.like else say("unlike", lang))


def compared(report: Report) -> bool:
    """Whether any of the earlier times has a figure."""
    return any(c.availability or c.alerts.value is not None or c.errors.value is not None for c in report.comparison)


def comparisons(report: Report) -> list[str]:
    """A line for each earlier time, and why it is no fair pair."""
    lang, found = report.lang, []
    for c in report.comparison:
        parts = [f"{against(c, report)}{say('colon', lang)}"]
        if c.window is not None:
            for key, now, before in (
                ("alerts_fired", report.alerts.fired, c.alerts),
                ("error_lines", report.errors.total, c.errors),
            ):
                moved = figures.change(now, before)
                parts.append(
                    f"{say(key, lang)} {figures.count(before)} → {figures.count(now)}"
                    + (f" ({moved})" if moved else "")
                )
        why = unlike(c, lang) if c.window is None else unlike(c, lang).removeprefix(say(c.against, lang))
        found.append(why if c.window is None else parts[0] + DOT.join([*parts[1:], *([why] if why else [])]))
    return found


def days(report: Report) -> list[str]:
    """A line for each day of a week."""
    lang, found = report.lang, []
    for d in report.days:
        rating = say("missing_day" if d.missing else d.rating or "unknown", lang)
        figures_ = [
            f"{say(key, lang)} {figures.count(n)}"
            for key, n in (("alerts", d.alerts), ("errors", d.errors), ("incidents", d.incidents))
        ]
        found.append(DOT.join([f"{figures.day(d.window, lang)} {rating}", *([] if d.missing else figures_)]))
    return found


def handover(h: Handover, report: Report) -> list[tuple[str, list[str]]]:
    """Heading and lines: what is open, kept quiet, in flight, to be watched."""
    w, lang = report.window, report.lang

    def until(end: datetime | None) -> str:
        return say("until", lang, at=figures.clock(end, w)) if end else say("until_unknown", lang)

    silences = [DOT.join(filter(None, (whose(s.name, s.service, 80), s.by, until(s.until)))) for s in h.silences]
    flying = [change(c, report) + (f"{DOT}{until(c.until)}" if c.until else "") for c in h.in_flight]
    return [
        ("still_open", [alert(r, report) for r in h.open]),
        ("silences", silences),
        ("in_flight", flying),
        ("to_watch", list(h.watch)),
    ]


def none(key: str, report: Report) -> str:
    """What stands under a heading of the hand-over that has no lines: none, none in the part that was seen, or that
    nobody knows."""
    told = report.changes.total if key == "in_flight" else report.alerts.still_open
    if told.value is None:
        return say("unknown", report.lang)
    return say("none" if told.sure == "known" else "none_known", report.lang)
