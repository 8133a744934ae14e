"""The same figures of the day before and of the same weekday last week: from stored reports, else from the sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hermes_ops.report import alerting, erring, serving
from hermes_ops.report.day import IsWorkday, date_of, shifted
from hermes_ops.report.desk import Desk
from hermes_ops.report.model import Against, Amount, Compared, Kind, Report, unknown
from hermes_ops.report.words import say
from orchestrator.contracts import Window

Find = Callable[[Kind, Window], Awaitable[Report | None]]
EARLIER: tuple[tuple[Against, int], ...] = (("day_before", -1), ("week_before", -7))


@dataclass(frozen=True, slots=True)
class Now:
    """What this report has counted already."""

    kind: Kind
    fired: alerting.Fired
    like: erring.Counted | None


async def compared(
    desk: Desk, now: Now, services: tuple[str, ...], core: tuple[str, ...], is_workday: IsWorkday, find: Find
) -> tuple[Compared, ...]:
    worked = is_workday(date_of(desk.window))
    rows = []
    for against, days in EARLIER:
        window = shifted(desk.window, days)
        like = is_workday(date_of(window)) == worked
        stored = None if services else await find(now.kind, window)
        row = _stored(stored, against, like) if stored else None
        if row is None or (row.alerts.value is None and row.errors.value is None):
            row = await _asked(desk, now, window, against, like, services, core)
        rows.append(row)
    return tuple(rows)


def _stored(report: Report, against: Against, like: bool) -> Compared:
    slos = {a.service: round(a.percent.value, 4) for a in report.availability if a.percent.value is not None}
    return Compared(against, report.window, report.alerts.fired, report.errors.total, slos, like)


async def _asked(
    desk: Desk,
    now: Now,
    window: Window,
    against: Against,
    like: bool,
    services: tuple[str, ...],
    core: tuple[str, ...],
) -> Compared:
    lacks = {kind: desk.lacks(kind, window, say(against, desk.lang)) for kind in ("alerts", "logs", "metrics")}
    alerts = unknown(why) if (why := lacks["alerts"]) else await alerting.count(desk, now.fired, window, services)
    errors = unknown(why) if (why := lacks["logs"]) else await _errors(desk, now, window, services)
    slos = {} if lacks["metrics"] else (await serving.served(desk, window, core)).percents()
    if alerts.value is None and errors.value is None and not slos:
        told = [why for kind in ("logs", "alerts") if (why := lacks[kind]) and not desk.reaches[kind].empty]
        why = told[0] if told else say("no_data_of", desk.lang, of=say(against, desk.lang))
        return Compared(against, None, alerts, errors, like=like, why_not=why)
    return Compared(against, window, alerts, errors, slos, like)


async def _errors(desk: Desk, now: Now, window: Window, services: tuple[str, ...]) -> Amount:
    same = now.like is not None and (now.like.window.start, now.like.window.end) == (window.start, window.end)
    of = now.like if same and now.like is not None else await erring.counted(desk, window, services)
    return erring.amount(desk, of.total, of)
