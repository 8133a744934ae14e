"""The three agents over a recorded day, against its known truth: without a model, from files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from orchestrator.contracts import Findings, Window
from subagents import alerts, changes, logs
from subagents.folder.folder import open_folder
from subagents.sources import Sources
from tests.shared import shared
from tests.subagents.rig import context, findings

pytestmark = pytest.mark.slow

DAY = "data/days/2026-11-29"


@pytest.fixture(scope="module")
def sources() -> Iterator[Sources]:
    folder = open_folder(shared(f"{DAY}/input"))
    yield folder.sources()
    folder.close()


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    return json.loads(shared(f"{DAY}/truth/truth.json").read_text())


def window(start: str, end: str, zone: str = "UTC") -> Window:
    return Window(datetime.fromisoformat(start).astimezone(UTC), datetime.fromisoformat(end).astimezone(UTC), zone)


async def ask(sources: Sources, span: Window, lang: Literal["zh", "en"] = "en") -> dict[str, Findings]:
    words = {"zh": "为什么昨天 14:00 之后 checkout 报错变多？", "en": "why did checkout errors rise after 14:00?"}[lang]
    found: dict[str, Findings] = {}
    for make in (alerts.make, logs.make, changes.make):
        agent = make(sources)
        found[agent.name] = await findings(agent, context(span, ["checkout"], words, lang), list(found.values()))
    return found


def value(found: Findings, name: str, **labels: str) -> Any:
    [figure] = {f.value for f in found.figures if f.name == name and dict(f.labels) == labels}
    return figure


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_the_cause_the_times_and_the_figures_are_the_true_ones(
    sources: Sources, truth: dict[str, Any], lang: Literal["zh", "en"]
):
    found = await ask(sources, window("2026-11-29T14:00Z", "2026-11-30T00:00Z"), lang)
    verdict = found["changes"].summary.splitlines()[0]
    assert "payment 2.4.1" in verdict
    assert truth["root_cause"]["sha"][:12] in verdict
    assert truth["root_cause"]["sha"] in found["changes"].summary
    assert not any(decoy in verdict for decoy in ("catalog", "4929ab03", "92bdc179", "CHG-2041"))
    assert value(found["logs"], "errors", service="checkout") == truth["log_lines"]["checkout:ERROR"]
    assert value(found["logs"], "errors", service="payment") == truth["log_lines"]["payment:ERROR"]
    assert value(found["logs"], "errors", service="checkout", code="502") == truth["requests"]["checkout:502"]
    assert found["logs"].onset == datetime(2026, 11, 29, 14, 3, tzinfo=UTC)
    assert "14:47" in found["logs"].summary


async def test_alerts_are_the_true_ones_with_their_starts(sources: Sources):
    expected = json.loads(shared(f"{DAY}/truth/alerts-truth.json").read_text())
    found = await findings(
        alerts.make(sources), context(window("2026-11-29T00:00Z", "2026-11-30T00:00Z"), ["checkout"])
    )
    fired = {a["name"]: datetime.fromisoformat(a["start"]).timestamp() for a in found.evidence[0].result.data["alerts"]}
    assert fired == {a["labels"]["alertname"]: a["startsAt"] for a in expected}
    assert found.summary.startswith("PaymentPoolExhausted (payment, warning, first) fired at 14:03:30 UTC")


async def test_availability_of_the_day(sources: Sources, truth: dict[str, Any]):
    found = await findings(
        alerts.make(sources), context(window("2026-11-29T00:00Z", "2026-11-30T00:00Z"), ["checkout"])
    )
    for service, row in truth["availability"].items():
        assert value(found, "requests", service=service) == row["requests"]
        assert value(found, "bad requests", service=service) == row["server_errors"]
        assert value(found, "availability", service=service) == pytest.approx(100 * row["availability"], abs=1e-3)


async def test_the_askers_zone_counts_and_the_data_clock_is_offered(sources: Sources):
    span = window("2026-11-29T14:00+08:00", "2026-11-30T00:00+08:00", "Asia/Shanghai")
    found = await ask(sources, span, "zh")
    said = found["logs"].summary.splitlines()[0]
    assert said.startswith(
        "14:00 +08:00 附近没有错误开始增多；checkout 的错误从 22:03 +08:00（数据自身时钟 14:03 UTC）开始"
    )
    assert "payment 2.4.1" in found["changes"].summary.splitlines()[0]


async def test_nothing_at_all_in_the_hour_that_was_asked(sources: Sources):
    span = window("2026-11-29T14:00+08:00", "2026-11-29T15:00+08:00", "Asia/Shanghai")
    found = await ask(sources, span)
    assert found["logs"].summary.startswith(
        "Nothing begins in 2026-11-29 14:00–15:00 +08:00; errors of checkout begin at 22:03"
    )
    assert found["logs"].onset is None
    assert found["changes"].summary.startswith("The likeliest cause of what began at 22:03 +08:00 is payment")


async def test_a_calm_day_part_blames_nobody(sources: Sources):
    found = await ask(sources, window("2026-11-29T05:00Z", "2026-11-29T06:00Z"))
    assert found["logs"].onset is None
    assert found["alerts"].onset is None
