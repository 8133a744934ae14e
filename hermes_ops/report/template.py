"""Two to five sentences about a report, by rule, in Chinese and English: the words where no model is asked, and where a
model's words don't bear out. Pure.
"""

from __future__ import annotations

from hermes_ops.report.model import Availability, CauseSaid, Compared, Incident, Lang, Report
from hermes_ops.report.view.figures import clock, share, spoken
from hermes_ops.report.words import dated, joined, plural, say

MOST = 5


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
    return f"{dated(w, report.lang)} {first[-5:]}{dash}{last_at}"


def _head(report: Report) -> str:
    lang = report.lang
    rating, a, n = say(report.verdict.rating, lang), report.alerts, len(report.incidents)
    fired, errors = spoken(a.fired, lang), spoken(report.errors.total, lang)
    if _zh(report):
        alerts = "没有告警触发" if a.fired.value == 0 else _numbered("告警触发", fired, "次")
        parts = [f"{n} 起事故" if n else "没有事故", alerts, _numbered("错误日志", errors, "条")]
        gap = "" if report.kind == "day" else " "
        return f"{when_said(report)}{gap}{rating}：{'，'.join(parts)}。"
    alerts = "no alert fired" if a.fired.value == 0 else _several(fired, "alert firing")
    parts = [_several(n, "incident") if n else "no incident", alerts, _several(errors, "error line")]
    return f"{when_said(report)} was {rating}: {', '.join(parts)}."


def _numbered(what: str, number: str, unit: str) -> str:
    """ "错误日志 874 条", "错误日志约 856 条", "错误日志未知"."""
    if not any(c.isdigit() for c in number):
        return f"{what}{number}"
    return f"{what}{'' if number.startswith('约') else ' '}{number} {unit}"


def _several(number: object, what: str) -> str:
    """ "1 incident", "2 incidents"."""
    return f"{number} {what}{plural(number)}"


def _incident(report: Report, i: Incident) -> str:
    lang, w = report.lang, report.window
    first = i.first_failing or next(iter(i.services), "?")
    others = [s for s in i.services if s != first]
    start, end = clock(i.onset or i.start, w), clock(i.end, w) if i.end else ""
    what = cause(i.cause, lang)
    if _zh(report):
        reach = f"，波及 {joined(others, lang)}" if others else ""
        return f"{start} 起 {first} 出错{reach}，{f'{end} 恢复' if end else '至今未恢复'}；{what}。"
    reach = f", reaching {joined(others, lang)}" if others else ""
    return f"From {start} {first} failed{reach}, {f'over at {end}' if end else 'not over yet'}; {what}."


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
    if not missed:
        lowest = rows[0]
        assert lowest.percent.value is not None
        if _zh(report):
            return f"核心服务可用性全部达标，最低是 {lowest.service} {share(lowest.percent.value)}。"
        return f"All core services met their objective; the lowest was {lowest.service}, {share(lowest.percent.value)}."
    names = joined((_missed(a) for a in missed), report.lang, 3)
    if _zh(report):
        return f"可用性未达标：{names}。"
    return f"Below objective: {names}."


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
        return f"{_numbered('变更', changes, '项')}，{f'{n} 件事需要人处理' if n else '没有需要人处理的事项'}。"
    needed = f"for a person: {_several(n, 'thing')}" if n else "nothing needs a person"
    return f"{_several(changes, 'change')}; {needed}."


def _blind(report: Report) -> str:
    """The figures that nobody knows, by name."""
    kinds = [say(k, report.lang) for k, a in (("alerts", report.alerts.fired), ("errors", report.errors.total),
                                              ("changes", report.changes.total)) if a.value is None]  # fmt: skip
    if not kinds:
        return ""
    names = joined(kinds, report.lang)
    return f"{names}的数据取不到，不等于没有。" if _zh(report) else f"Nothing is known of {names}: that is not zero."
