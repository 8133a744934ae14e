"""A report from a source that knows the present only (Alertmanager): alone, and beside one that keeps history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from hermes_ops.report.model import Amount
from hermes_ops.testing.sources import MemoryAlerts
from orchestrator.contracts import Window
from subagents.sources import AlertQuery, Answered, Coverage, Episode, Sources
from tests.report.staged import alert, at, report, sources
from tests.report.test_reach import forms


@dataclass
class Present(MemoryAlerts):
    """It forgets an alert when it is over."""

    caps: frozenset[str] = frozenset(("current", "suppressed"))

    async def coverage(self) -> Coverage:
        return Coverage(None, None)

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        found = await super().episodes(q)
        rows = tuple(e for e in found.rows if e.end is None)
        gap = f"{self.name} keeps no history: alerts that are over aren't in it"
        return replace(found, rows=rows, total=len(rows), complete=False, gaps=(gap,))


def beside_the_present(*kept: MemoryAlerts, fires: bool = False) -> Sources:
    pager = Present("pager", rows=[alert("Slow", "cart", 23, None)] if fires else [])
    return replace(sources(), alerts=(*kept, pager))


@pytest.mark.parametrize("late", [True, False])
async def test_what_nobody_looked_at_is_unknown_though_somebody_knows_what_fires_now(late: bool):
    """The other source's data begin after the report's day, or there is none."""
    kept = [MemoryAlerts("prod", since=at(24))] if late else []
    for kind in ("day", "shift"):
        found = await report(beside_the_present(*kept), kind, Window(at(0), at(24), "UTC"))
        assert found.alerts.fired.value is None
        assert [c.alerts.value for c in found.comparison] == [None, None]
        assert not [text for text in forms(found).values() if "0 alert firings" in text or "Alerts: 0" in text]
    seen = await report(beside_the_present(*kept, fires=True))
    assert (seen.alerts.fired.value, seen.alerts.fired.sure) == (1, "least")


async def test_beside_a_source_that_keeps_history_it_makes_nothing_uncertain():
    """Where one source covers all of the day, its counts are exact."""
    kept = MemoryAlerts("prod", rows=[alert("Slow", "cart", 3), alert("Down", "pay", 7)], since=at(-24 * 60))
    found = await report(beside_the_present(kept))
    assert found.alerts.fired == Amount(2)
    assert not [g for g in found.gaps if g.where == "alerts"]


async def test_an_early_end_of_the_day_is_no_later_than_the_report():
    now = at(7) + timedelta(minutes=28, seconds=40)
    found = await report(sources([alert("A", "cart", 2)], since=at(1)), "shift", Window(at(-14), now, "UTC"))
    assert found.alerts.fired.why == "11-25 01:00–07:28 only"
