"""The key numbers of a report's first screen: what they are called, what they say, whether they are over a line."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_ops.report.model import Report
from hermes_ops.report.view import figures, likeness
from hermes_ops.report.view.digest import DOT, cause, counted, kinds, missed, ranked, standing
from hermes_ops.report.view.words import bracket, say


@dataclass(frozen=True, slots=True)
class Tile:
    """One key number. `place`: the part of the report that it stands for; `alarm`: it is over a line."""

    place: str
    label: str
    value: str
    note: str
    alarm: bool = False


def tiles(report: Report) -> list[Tile]:
    return [_alerts(report), _incidents(report), _lowest(report), _errors(report), _changes(report), _resolve(report)]


def _alerts(report: Report) -> Tile:
    a, lang = report.alerts, report.lang
    note = counted(list(a.by_severity.items()), lang, 3)
    open_ = f"{say('still_open', lang)} {figures.count(a.still_open)}" if a.still_open.value else ""
    alarm = bool(a.deserved.value) or bool(a.still_open.value)
    parts = (figures.lacking(a.fired, lang), note, open_)
    return Tile("alerts", say("alerts_fired", lang), figures.count(a.fired), DOT.join(filter(None, parts)), alarm)


def _incidents(report: Report) -> Tile:
    known = not figures.hidden(report.alerts.fired) or bool(report.incidents)
    value = f"{len(report.incidents):,}" if known else figures.DASH
    note = cause(report.incidents[0].cause, report, short=True) if report.incidents else ""
    return Tile("incidents", say("incidents", report.lang), value, note, bool(report.incidents))


def _lowest(report: Report) -> Tile:
    lang, rows = report.lang, ranked(report.availability)
    known = [a for a in rows if a.percent.value is not None]
    worst = known[0] if known else None
    if worst is None:
        return Tile("availability", say("lowest", lang), figures.DASH, say("unknown" if rows else "no_slo", lang))
    aims = [a for a in rows if a.objective is not None]
    good = sum(a.percent.value is not None and not missed(a) for a in aims)
    note = say("met_count", lang, n=good, of=len(aims)) if aims else standing(worst, lang)
    lacks = figures.lacking(worst.total, lang) if worst.total.value else ""
    note = DOT.join(filter(None, (lacks, figures.clean(worst.service, 24), note)))
    return Tile("availability", say("lowest", lang), figures.percent(worst.percent), note, missed(worst))


def _errors(report: Report) -> Tile:
    e, lang = report.errors, report.lang
    moved = figures.change(e.total, e.before)
    like = f"{say('like_day', lang)} {figures.count(e.before)}{bracket(moved, lang)}"
    note = figures.lacking(e.total, lang) or (like if moved else likeness.absent(report))
    return Tile("errors", say("error_lines", lang), figures.count(e.total), note)


def _changes(report: Report) -> Tile:
    c, lang = report.changes, report.lang
    blamed = sum(row.blamed for row in c.rows)
    suspects = say("blamed_count", lang, n=blamed) if blamed else ""
    parts = (figures.lacking(c.total, lang), suspects, counted(kinds(c.by_kind, lang), lang, 3))
    note = DOT.join(filter(None, parts))
    return Tile("changes", say("changes", lang), figures.count(c.total), note)


def _resolve(report: Report) -> Tile:
    a, lang = report.alerts, report.lang
    longest = f"{say('longest', lang)} {figures.lasting(a.longest.firing, lang)}" if a.longest else ""
    still = say("still_open", lang) if a.longest and a.longest.open else ""  # the median counts those that ended
    return Tile(
        "resolve",
        say("resolve_median", lang),
        figures.lasted(a.resolve_median, lang),
        DOT.join(filter(None, (longest, still))),
    )
