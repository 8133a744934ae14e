"""A small staged day for tests of the report: sources in memory, and the order for a report of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hermes_ops.report.build import Known, Order, build
from hermes_ops.report.day import local_day
from hermes_ops.report.model import Report
from hermes_ops.testing.sources import MemoryAlerts, MemoryChanges, MemoryLogs, MemoryMetrics, MemorySpans
from orchestrator.contracts import Window
from subagents.sources import Change, Edge, Episode, LogLine, Ratio, Sources

DAY = date(2026, 11, 25)  # a Wednesday
START = datetime(2026, 11, 25, tzinfo=UTC)
MADE = datetime(2026, 11, 26, 9, tzinfo=UTC)
LONG_AGO = START - timedelta(days=60)


def at(hour: float, day: int = 0) -> datetime:
    return START + timedelta(days=day, hours=hour)


def alert(name: str, service: str, hour: float, minutes: float | None = 10, severity: str = "warning", day: int = 0,
          **more: Any) -> Episode:  # fmt: skip
    end = None if minutes is None else at(hour, day) + timedelta(minutes=minutes)
    return Episode(name, service, severity, at(hour, day), end, **more)


def lines(service: str, hour: float, n: int, day: int = 0, said: str = "boom", level: Any = "error") -> list[LogLine]:
    first = at(hour, day)
    return [LogLine(first + timedelta(seconds=i), service, level, said, f"{service}.log:{i}") for i in range(n)]


def logs(*parts: Iterable[LogLine], **more: Any) -> MemoryLogs:
    rows = sorted((x for part in parts for x in part), key=lambda x: x.at or START)
    return MemoryLogs("loki", lines=rows, **{"since": LONG_AGO, **more})


def sources(
    alerts: Iterable[Episode] = (),
    errors: MemoryLogs | None = None,
    changes: Iterable[Change] = (),
    ratios: Iterable[Ratio] = (),
    calls: Iterable[tuple[str, str]] = (),
    **more: Any,
) -> Sources:
    """`more`: of the alert source."""
    rows = sorted(alerts, key=lambda e: e.start)
    told = errors or logs(lines("cart", 23.9, 1, level="info"))
    return Sources(
        alerts=(MemoryAlerts("am", rows=rows, **{"since": LONG_AGO, **more}),),
        metrics=(MemoryMetrics("prometheus", ratios=tuple(ratios), since=LONG_AGO),),
        logs=(told,),
        spans=(MemorySpans("tempo", calls=tuple(Edge(a, b, 1) for a, b in calls)),),
        changes=(MemoryChanges("git", rows=sorted(changes, key=lambda c: c.at), since=LONG_AGO),),
    )


async def report(
    of: Sources, kind: Any = "day", window: Window | None = None, zone: str = "UTC", lang: Any = "en",
    services: tuple[str, ...] = (), **known: Any,
) -> Report:  # fmt: skip
    order = Order(kind, window or local_day(DAY, zone), lang, "shop", services)
    return await build(order, of, Known(**known), MADE)
