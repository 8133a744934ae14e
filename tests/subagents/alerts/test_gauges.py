"""A metric called by words of its name is what is asked: now against before, since when, the extremes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryMetrics
from orchestrator.planner import choose
from subagents import alerts
from subagents.alerts import gauges
from subagents.plain.aims import aim
from subagents.sources import Series, Sources
from tests.subagents.rig import at, context, findings, window


def series(name: str, *values: float, start: str = "12:00", service: str = "lobby") -> Series:
    points = tuple((at(start) + timedelta(minutes=5 * n), v) for n, v in enumerate(values))
    return Series(name, service, "gauge", "", points)


class Named(MemoryMetrics):
    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.rows)


def agent(*rows: Series):
    return alerts.make(Sources(alerts=(MemoryAlerts("am"),), metrics=(Named("prom", rows=list(rows)),)))


CCU = series("game_ccu", *[12000.0, 12010.0] * 9, *[9400.0] * 18)
PARTITIONS = series("kafka_UnderReplicatedPartitions", *[0.0] * 12, *[12.0] * 12, *[0.0] * 12, service="")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("ccu", "lobby `game_ccu` 12000 → 9400 since 13:30; highest 12010"),
        ("ccu max?", "lobby `game_ccu` 12000 → 9400 since 13:30; highest 12010"),
        ("under replicated partitions max?", "`kafka_UnderReplicatedPartitions` "),
        ("game_ccu now", "lobby `game_ccu` "),
    ],
)
async def test_a_series_is_told_by_words_of_its_name(question: str, start: str) -> None:
    asked = agent(CCU, PARTITIONS)
    assert [a.name for a, _ in choose(question, (asked,), False, aim(question))] == ["alerts"]
    found = await findings(asked, context(window(), (), question))
    assert found.summary.splitlines()[0].startswith(start)


async def test_in_chinese_and_where_it_stayed() -> None:
    found = await findings(
        agent(series("room_dau", *[5.0] * 40, start="11:00")), context(window(), (), "dau 多少", "zh")
    )
    assert found.summary.startswith("lobby `room_dau` 没有离开之前的水平；最高 5（")


async def test_a_kind_of_metric_is_asked_of_all() -> None:
    queue = series("broker_VolumeQueueLength", *[1.0] * 24, *[64.0] * 12, start="11:00", service="")
    found = await findings(agent(queue, CCU), context(window(), (), "队列积压", "zh"))
    assert found.summary.startswith("`broker_VolumeQueueLength` 1 → 64")


def test_which_words_call_a_metric() -> None:
    assert gauges.cues(["http_requests_total", "cart_size"]) == (
        "http requests",
        "http_requests_total",
        "cart size",
        "cart_size",
    )
    assert "ccu" in gauges.cues(["game_ccu"])
    assert "game" not in gauges.cues(["game_ccu"])
    assert not {"up", "rate", "lag", "time"} & {*gauges.cues(["up", "x_rate", "y_lag", "z_time"])}
