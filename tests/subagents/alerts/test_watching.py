"""What monitoring looks at: rules and scrape targets, asked in both languages."""

from __future__ import annotations

from datetime import datetime

import pytest

from hermes_ops.testing.sources import MemoryAlerts
from orchestrator.agent import Agent
from orchestrator.contracts import Window
from subagents import alerts
from subagents.sources import Answered, Coverage, Health, SourceError, Sources
from subagents.watched import Rule, Target
from tests.subagents.rig import call, context, findings, window

RULES = (
    Rule("HighLatency", "vector(0) > 1", "cart", "warning", "inactive", 300.0),
    Rule("PoolFull", "db_pool_in_use >= db_pool_max", "pay", "critical", "firing"),
    Rule("Broken", "a * on() b", "", "warning", "", trouble="many-to-many matching"),
)
TARGETS = (
    Target("http://cart:8080/metrics", "cart", "apps", True),
    Target("http://pay:8080/metrics", "pay", "apps", False, "connection refused"),
)


class Watched:
    caps = frozenset({"rules", "targets"})

    def __init__(self, rules: tuple[Rule, ...] = (), targets: tuple[Target, ...] = (), down: str = "") -> None:
        self.name, self._rules, self._targets, self._down = "prom", rules, targets, down

    async def probe(self) -> Health:
        return Health(True, "in memory")

    async def coverage(self) -> Coverage:
        return Coverage(None, None)

    async def rules(self) -> Answered[tuple[Rule, ...]]:
        if self._down:
            raise SourceError(self.name, self._down)
        return Answered(self._rules, "rules", _span(), total=len(self._rules))

    async def targets(self) -> Answered[tuple[Target, ...]]:
        return Answered(self._targets, "targets", _span(), total=len(self._targets))


def _span() -> Window:
    return Window(datetime.fromisoformat("2026-03-05T17:00Z"), datetime.fromisoformat("2026-03-05T17:01Z"))


def agent(rules: tuple[Rule, ...] = RULES, targets: tuple[Target, ...] = TARGETS, down: str = "") -> Agent:
    return alerts.make(Sources(alerts=(MemoryAlerts("am"),), watched=(Watched(rules, targets, down),)))


async def said(text: str, lang: str = "en", made: Agent | None = None) -> list[str]:
    return (await findings(made or agent(), context(window(), [], text, lang))).summary.splitlines()


async def test_which_targets_are_down_with_why():
    assert await said("which targets are down?") == [
        "1 of 2 scrape targets are down [A1]:", "- pay `http://pay:8080/metrics`: `connection refused`",
    ]  # fmt: skip
    assert (await said("哪些抓取目标挂了？", "zh"))[0] == "2 个抓取目标中有 1 个没有应答 [A1]："
    assert await said("are all targets up?", made=agent(targets=TARGETS[:1])) == ["All 1 scrape targets answer [A1]."]
    assert await said("抓取正常吗？", "zh", agent(targets=())) == ["没有抓取目标 [A1]。"]


@pytest.mark.parametrize(
    "text", ["is there an alert rule for HighLatency?", "any rules about latency?", "alert rules for highlatency"]
)
async def test_whether_there_is_a_rule(text: str):
    assert await said(text) == [
        "1 alert rule [A1]:", "- HighLatency (cart, warning, inactive): `vector(0) > 1` for 300 s",
    ]  # fmt: skip


async def test_that_there_is_no_such_rule_says_among_how_many():
    assert await said("DiskFull 有告警规则吗？", "zh") == ["没有名称或条件含 DiskFull 的告警规则（共查 3 条） [A1]。"]
    assert await said("is there an alert rule for DiskFull?") == [
        "There is no alert rule that holds DiskFull, among 3 [A1]."
    ]


async def test_all_rules_begin_with_those_that_cannot_be_evaluated_and_those_that_fire():
    got = await call(agent(), context(window()), "alert_rules")
    assert [r["name"] for r in got.data["rules"]] == ["Broken", "PoolFull", "HighLatency"]
    assert "(can't be evaluated: many-to-many matching)" in got.text
    assert {f.name: f.value for f in got.figures} == {"rules": 3, "rules in all": 3, "failing rules": 1}


async def test_a_source_that_cannot_be_asked_is_no_lack_of_rules():
    found = await findings(agent(down="it refuses us."), context(window(), [], "alert rules for DiskFull?"))
    assert found.status == "failed"
    assert found.unreachable == ("alert_rules: prom: it refuses us.",)


async def test_other_questions_go_their_usual_way():
    for text in ("what fired?", "what is the target of pay's availability?", "告警有哪些"):
        tools = {e.tool for e in (await findings(agent(), context(window(), [], text))).evidence}
        assert not tools & {"scrape_targets", "alert_rules"}
    assert "alert_rules" not in alerts.make(Sources(alerts=(MemoryAlerts("am"),))).by_name
