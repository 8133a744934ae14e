"""Two to five sentences about a report, by rule, in Chinese and English: the words where no model is asked, and where a
model's words don't bear out. Pure.
"""

from __future__ import annotations

from datetime import timedelta

from hermes_ops.report.model import Amount, Availability, CauseSaid, Compared, Incident, Lang, Report
from hermes_ops.report.view.figures import clock, edge, share, spoken
from hermes_ops.report.view.missing import calm, unseen
from hermes_ops.report.view.words import bracket
from hermes_ops.report.words import dated, joined, plural, say, spaced

MOST = 5
LATE = timedelta(hours=1)  # from the end of a window, after which "yet" would be about another time


def sentences(report: Report) -> tuple[str, ...]:
    lines = [
        _head(report),
        *[_incident(report, i) for i in report.incidents[:2]],
        _availability(report),
        _compared(report),
        _blind(report),
    ]
    said = list(filter(None, lines))
    return tuple(said if len(said) > 1 else [*said, _todo(report)])[:MOST]


def _zh(report: Report) -> bool:
    return report.lang == "zh"


def when_said(report: Report) -> str:
    w = report.window
    if report.kind == "day":
        return dated(w, report.lang)
    dash = "–" if report.kind == "shift" else (" 至 " if _zh(report) else " to ")
    if report.kind == "week":
        last = report.days[-1].window if report.days else w
        return f"{dated(w, report.lang)}{dash}{dated(last, report.lang)}"
    first, last_at = clock(w.start, w), clock(w.end, w)
    gap = "" if _zh(report) else " "
    return f"{dated(w, report.lang)}{gap}{first[-5:]}{dash}{last_at}"


def _head(report: Report) -> str:
    lang, n = report.lang, len(report.incidents)
    a, errors, within = report.alerts.fired, report.errors.total, _within(report)
    if within:
        a, errors = (Amount(amount.value) for amount in (a, errors))
    nothing = say("none_seen" if unseen(report) and not within else "none_happened", lang)
    if _zh(report):
        alerts = "没有告警触发" if a == Amount(0) else _numbered("告警触发", spoken(a, lang), "次")
        parts = [f"{n} 起事故" if n else nothing, alerts, _numbered("错误日志", spoken(errors, lang), "条")]
        gap = "" if report.kind == "day" else " "
        said = f"{within}，其间{spaced('，'.join(parts))}" if within else "，".join(parts)
        return f"{when_said(report)}{gap}{say(report.verdict.rating, lang)}：{said}。"
    alerts = "no alert fired" if a == Amount(0) else _several(spoken(a, lang), "alert firing")
    parts = [_several(n, "incident") if n else nothing, alerts, _several(spoken(errors, lang), "error line")]
    seen = f" ({within})" if within else ""
    return f"{when_said(report)} was {say(report.verdict.rating, lang)}{seen}: {', '.join(parts)}."


def _within(report: Report) -> str:
    """The one part of the time that alerts and errors are known of: then what was counted in it is exact."""
    a, errors = report.alerts.fired, report.errors.total
    same = a.sure == errors.sure == "least" and a.why == errors.why
    return a.why if same and not report.errors.sampled else ""


def _numbered(what: str, number: str, unit: str) -> str:
    """ "错误日志 874 条", "错误日志约 856 条", "错误日志未知"."""
    if not any(c.isdigit() for c in number):
        return f"{what}{number}"
    return f"{what}{'' if number[0] in '约至' else ' '}{number} {unit}"


def _several(number: object, what: str) -> str:
    """ "1 incident", "at least 2 incidents", "incidents unknown"."""
    told = str(number)
    return f"{told} {what}{plural(told.split()[-1])}" if any(map(str.isdigit, told)) else f"{what}s {told}"


def _incident(report: Report, i: Incident) -> str:
    lang, w = report.lang, report.window
    first = i.first_failing or next(iter(i.services), "?")
    others = [s for s in i.services if s != first]
    start, over = clock(i.onset or i.start, w), _over(report, i)
    what = cause(i.cause, lang)
    if _zh(report):
        reach = f"，波及 {joined(others, lang)}" if others else ""
        return f"{start} 起 {first} 出错{reach}，{over}；{what}。"
    reach = f", reaching {joined(others, lang)}" if others else ""
    return f"From {start} {first} failed{reach}, {over}; {what}."


def _over(report: Report, i: Incident) -> str:
    """Whether it is over: of a report made long after its time, only as far as its data goes."""
    if i.end is not None:
        return say("over_at", report.lang, at=clock(i.end, report.window))
    if not i.open_known:
        return say("over_unknown", report.lang)
    if i.seen_until is None and report.made_at - report.window.end <= LATE:
        return say("over_not_yet", report.lang)
    return say("over_not_then", report.lang, at=edge(i.seen_until or report.window.end, report.window))


def cause(c: CauseSaid, lang: Lang) -> str:
    """What is known of an incident's cause, as half a sentence."""
    if not c.found:
        return say(f"caused_{c.kind}", lang)
    if c.kind == "confirmed":
        return say("confirmed_by", lang, by=c.by, what=c.title)
    if c.kind == "operational":
        return say("caused_operational", lang, what=c.title)
    what = say("caused_change", lang, service=c.service, version=c.version, title=c.title) if c.version else c.title
    return say("caused_by", lang, what=what if what.endswith("）") else f"{what} " if lang == "zh" else what)


def _availability(report: Report) -> str:
    rows = [a for a in report.availability if a.percent.value is not None]
    missed = [a for a in rows if a.objective is not None and (a.percent.value or 0) < a.objective]
    if not rows:
        return ""
    part = next((a.total.why for a in rows if a.total.sure == "least"), "")
    note = bracket(part, report.lang) if part and part != _within(report) else ""
    if missed:
        names = joined((_missed(a) for a in missed), report.lang, 3)
        return f"可用性未达标：{names}{note}。" if _zh(report) else f"Below objective: {names}{note}."
    lowest = rows[0]
    assert lowest.percent.value is not None
    whose = say("all_core" if len(rows) == len(report.availability) else "measured_core", report.lang)
    if _zh(report):
        return f"{whose}达标，最低是 {lowest.service} {share(lowest.percent.value)}{note}。"
    return f"{whose} met their objective; the lowest was {lowest.service}, {share(lowest.percent.value)}{note}."


def _missed(a: Availability) -> str:
    assert a.percent.value is not None
    return f"{a.service} {share(a.percent.value)}"


def _compared(report: Report) -> str:
    rows = [c for c in report.comparison if c.window is not None]
    if not rows:
        if not report.comparison:
            return ""
        if report.kind == "week":
            return "没有可对比的上一周数据。" if _zh(report) else "There is no earlier week to compare with."
        return "没有可对比的前一天或上周同日数据。" if _zh(report) else "There is no earlier day to compare with."
    row = next((r for r in rows if r.like), rows[0])
    parts = list(filter(None, (_side(report, row, "alerts"), _side(report, row, "errors"))))
    if not parts:
        return ""
    name = say(row.against, report.lang)
    return f"{name}：{'，'.join(parts)}。" if _zh(report) else f"On {name}: {', '.join(parts)}."


def _side(report: Report, row: Compared, what: str) -> str:
    then = row.alerts if what == "alerts" else row.errors
    if then.value is None:
        return ""
    number = spoken(then, report.lang)
    if what == "alerts":
        return _numbered("告警", number, "次") if _zh(report) else _several(number, "alert firing")
    return _numbered("错误日志", number, "条") if _zh(report) else _several(number, "error line")


def _todo(report: Report) -> str:
    """What a quiet day is worth saying beside: its changes, and whether anybody is needed."""
    changes, n = spoken(report.changes.total, report.lang), len(report.attention)
    if _zh(report):
        return f"{_numbered('变更', changes, '项')}，{f'{n} 件事需要人处理' if n else calm(report)}。"
    needed = f"for a person: {_several(n, 'thing')}" if n else calm(report)[0].lower() + calm(report)[1:]
    return f"{_several(changes, 'change')}; {needed}."


def _blind(report: Report) -> str:
    """The figures that nobody knows, by name."""
    kinds = [say(k, report.lang) for k, a in (("alerts", report.alerts.fired), ("errors", report.errors.total),
                                              ("changes", report.changes.total)) if a.value is None]  # fmt: skip
    if not kinds:
        return ""
    names = joined(kinds, report.lang)
    return f"{names}的数据取不到，不等于没有。" if _zh(report) else f"Nothing is known of {names}: that is not zero."
