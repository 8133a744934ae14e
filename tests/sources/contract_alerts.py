"""What every source of alerts keeps to, whatever lies behind it. A source passes by a subclass that gives `source`.

It holds two alerts of the night in which New York's clocks went back (2026-11-01): Early of cart, and Later of pay.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.contracts import Window
from subagents.sources import AlertQuery, AlertSource, Answered, Episode

DAY = datetime(2026, 11, 1, tzinfo=UTC)
HALF_MINUTE = timedelta(seconds=30)


def at(hours: float) -> datetime:
    return DAY + timedelta(hours=hours)


EARLY = Episode("Early", "cart", "critical", at(5.5), at(5.75))  # 01:30 in New York, summer time
LATER = Episode("Later", "pay", "warning", at(6.5), at(6.75))  # 01:30 again, an hour later
NIGHT = Window(at(4), at(29), "America/New_York")  # a local day of 25 hours


def answered(found: Answered[tuple[Episode, ...]], window: Window) -> list[str]:
    """The names, once what every answer states is checked."""
    assert found.query
    assert found.window == window
    assert found.total == len(found.rows)
    assert [e.start for e in found.rows] == sorted(e.start for e in found.rows)
    assert all(e.start.tzinfo and (e.end is None or e.end >= e.start) for e in found.rows)
    return [e.name for e in found.rows]


class AlertContract:
    @pytest.fixture
    def source(self) -> AlertSource:
        raise NotImplementedError

    async def test_a_day_of_25_hours(self, source: AlertSource) -> None:
        found = await source.episodes(AlertQuery(NIGHT))
        assert answered(found, NIGHT) == ["Early", "Later"]
        for got, meant in zip(found.rows, (EARLY, LATER), strict=True):
            assert (got.service, got.severity, got.start) == (meant.service, meant.severity, meant.start)
            assert got.end
            assert abs(got.end - (meant.end or got.start)) <= HALF_MINUTE

    async def test_the_same_clock_time_twice_is_two_times(self, source: AlertSource) -> None:
        first = Window(at(5.5), at(6.5), "America/New_York")
        second = Window(at(6.5), at(7.5), "America/New_York")
        assert answered(await source.episodes(AlertQuery(first)), first) == ["Early"]
        assert answered(await source.episodes(AlertQuery(second)), second) == ["Later"]

    async def test_an_empty_window(self, source: AlertSource) -> None:
        empty = Window(at(8), at(9))
        assert answered(await source.episodes(AlertQuery(empty)), empty) == []

    async def test_a_window_of_one_point(self, source: AlertSource) -> None:
        point = Window(at(5.6), at(5.6))
        assert set(answered(await source.episodes(AlertQuery(point)), point)) <= {"Early"}

    async def test_a_window_in_the_future(self, source: AlertSource) -> None:
        start = datetime.now(UTC) + timedelta(days=365)
        ahead = Window(start, start + timedelta(hours=1))
        assert answered(await source.episodes(AlertQuery(ahead)), ahead) == []

    async def test_services_names_and_those_that_nobody_knows(self, source: AlertSource) -> None:
        assert answered(await source.episodes(AlertQuery(NIGHT, ("pay",))), NIGHT) == ["Later"]
        assert answered(await source.episodes(AlertQuery(NIGHT, names=("Early",))), NIGHT) == ["Early"]
        assert answered(await source.episodes(AlertQuery(NIGHT, ("nobody",))), NIGHT) == []
        assert answered(await source.episodes(AlertQuery(NIGHT, ('a"b}',))), NIGHT) == []

    async def test_it_says_what_it_is(self, source: AlertSource) -> None:
        assert source.name
        assert (await source.probe()).detail
        assert isinstance((await source.coverage()).services, tuple)
