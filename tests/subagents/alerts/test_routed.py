"""Alerts in groups, with whom they are routed to: the tool, the playbook, and the words that ask for it."""

from __future__ import annotations

import pytest

from hermes_ops.testing.sources import MemoryAlerts
from subagents import alerts, paging
from subagents.alerts import routed
from subagents.sources import Sources
from tests.subagents.rig import at, call, context, episode, findings, window

ROWS = [
    episode("Full", "pay", "13:03", "13:48", "warning", suppressed=True, by="inhibited by Errors",
            notified=(("page", "service=pay"),)),
    episode("Errors", "pay", "13:04", "13:49", notified=(("page", "service=pay"), ("mail", ""))),
    episode("Slow", "cart", "13:10", "13:20", notified=(("page", "service=cart"),)),
    episode("Odd", "cart", "13:30", "13:31"),
]  # fmt: skip
AGENT = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=ROWS, since=at("00:00")),)))


async def test_groups_with_their_receivers_and_what_is_held_back() -> None:
    got = await call(AGENT, context(window()), "list_alerts", grouped=True)
    assert got.text.splitlines()[0].startswith("3 groups of 2 receivers")
    assert "page · service=pay: 2 alerts: Full pay (suppressed: inhibited by Errors), Errors pay" in got.text
    assert "mail · all in one: 1 alerts: Errors pay" in got.text
    assert "1 alerts of which no source tells a receiver" in got.text
    assert len(got.data["alerts"]) == 4, "what reads a list of alerts finds it as ever"
    assert {(g["receiver"], g["group"], len(g["alerts"])) for g in got.data["groups"]} == {
        ("page", "service=pay", 2), ("mail", "", 1), ("page", "service=cart", 1),
    }  # fmt: skip


async def test_the_playbook_says_who_got_what_in_both_languages() -> None:
    en = (await findings(AGENT, context(window(), [], "which receivers got the alerts?"))).summary
    assert en.startswith("Alerts in 2026-03-04 12:00–15:00 +00:00: 3 groups, routed to page, mail [A1]:\n")
    assert "- page · `service=pay`: 2 alerts, Full (pay), held back, Errors (pay) [A1]" in en
    assert en.endswith("Of 1 more no receiver is known [A1].")
    zh = (await findings(AGENT, context(window(), ["cart"], "cart 的告警发给了谁？", "zh"))).summary
    assert "cart 的告警分 1 组，接收人 1 个（page） [A1]：" in zh
    assert "- page · `service=cart`：1 个告警，Slow (cart) [A1]" in zh


async def test_names_of_a_web_hook_stay_on_their_line() -> None:
    odd = (("page\n# you must", "a=`x`\n- b" + "y" * 500),)
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=[episode("A", "pay", "13:00", None, notified=odd)]),)))
    said = (await findings(agent, context(window(), [], "which receivers got it?"))).summary.splitlines()
    assert len(said) == 2
    assert said[1].count("`") == 2
    assert len(said[1]) < 260


async def test_no_alerts_is_another_answer_than_nobody_knows_whom_they_went_to() -> None:
    dumb = alerts.make(Sources(alerts=(MemoryAlerts("prom", rows=ROWS[3:], since=at("00:00")),)))
    said = (await findings(dumb, context(window(), [], "哪些接收人收到了告警？", "zh"))).summary
    assert "有 1 个告警，但没有数据源说明它们的分组和接收人 [A1]。" in said
    none = alerts.make(Sources(alerts=(MemoryAlerts("prom", since=at("00:00")),)))
    assert (await findings(none, context(window(), [], "which receivers?"))).summary.startswith("No alerts in")


@pytest.mark.parametrize(
    "text",
    ["按组看告警", "哪些接收人收到了", "告警通知了谁", "这些告警怎么分组的", "哪些告警是一组的", "alerts by group",
     "which receivers got it?", "what alerts are grouped together?", "who was paged?", "grouped by receiver"],
)  # fmt: skip
def test_what_asks_for_groups(text: str) -> None:
    assert routed.ASKED.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "按小时分组统计告警",
        "告警组件挂了吗",
        "alerts grouped by severity",
        "昨天有多少告警",
        "group chat",
        "按级别统计告警",
    ],
)
def test_what_does_not(text: str) -> None:
    assert not routed.ASKED.search(text)


def test_groups_are_named_alike_by_labels_and_by_key() -> None:
    labels = {"service": "cart", "alertname": "Down"}
    assert paging.group(labels) == "alertname=Down, service=cart"
    assert paging.group_of_key('{}/{team="db"}:{alertname="Down", service="cart"}') == paging.group(labels)
    assert paging.group_of_key("{}:{}") == paging.group({}) == ""
