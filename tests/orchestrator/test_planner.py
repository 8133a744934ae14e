"""Without a model: whom a question concerns, and how the answer is put together from findings."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from orchestrator.agent import Agent, Taken, Turn
from orchestrator.contracts import Evidence, Findings, Json, ToolCall, ToolResult, to_json
from orchestrator.planner import choose
from subagents.joined import NO_MODEL_EN, NO_MODEL_ZH, compose
from tests.kit import DAY, context

AGENTS = (
    Agent("alerts", "d", "p", (), "A", cues=("alert", "告警")),
    Agent(
        "logs", "d", "p", (), "L", cues=("error", "报错"), wording=lambda gap, lang: f"<{gap}>" if lang == "zh" else gap
    ),
    Agent("changes", "d", "p", (), "C", cues=("change", "改了"), after=("alerts", "logs")),
)


def moment(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-29T{clock}+00:00").astimezone(UTC)


def finding(agent: str, summary: str, clock: str = "", **more: Any) -> Findings:
    onset = moment(clock) if clock else None
    data: Json = {"onset": onset.isoformat() if onset else None, **more.pop("data", {})}
    evidence = (Evidence(f"{agent[0].upper()}1", agent, "t", {}, ToolResult("ok", "", data)),)
    return Findings(agent, more.pop("status", "ok"), summary, evidence=evidence, onset=onset, **more)


def composed(*found: Findings, lang: Literal["zh", "en"] = "en") -> list[str]:
    """The answer's paragraphs."""
    rows = [{"asked": {}, "findings": to_json(f)} for f in found]
    taken = Taken("", ToolCall("1", "investigate", {}), ToolResult("ok", "", rows))
    turn = Turn(AGENTS[0], [], replace(context(window=DAY), lang=lang), taken=[taken])
    return compose(turn, AGENTS).split("\n\n")


def test_what_concludes_leads_then_the_heads_then_details():
    said = composed(
        finding("logs", "272 errors [L1].\n\nA pattern [L1]."),
        finding("alerts", "One alert [A1]."),
        finding("changes", "The cause is 2.4.1 [C1].\n\nWhy [C1]."),
    )
    assert said == [
        "The cause is 2.4.1 [C1].\n272 errors [L1].\nOne alert [A1].",
        "Why [C1].",
        "A pattern [L1].",
        NO_MODEL_EN,
    ]


def test_another_time_than_asked_is_the_first_line():
    other = {"data": {"elsewhere": {"onset": "x"}}}
    said = composed(
        finding("logs", "Nothing near 14:00; errors begin at 22:03 [L1].\nNone [L1].", **other),
        finding("alerts", "No alert near 14:00; one at 22:03 [A1].\nNo alerts [A1].\n\nMore [A1].", **other),
        finding("changes", "The cause is 2.4.1 [C1]."),
    )
    assert said[0].splitlines() == [
        "Nothing near 14:00; errors begin at 22:03 [L1].",
        "The cause is 2.4.1 [C1].",
        "None [L1].",
        "No alerts [A1].",
    ]
    assert said[1] == "No alert near 14:00; one at 22:03 [A1].\nMore [A1]."


def test_another_time_does_not_lead_where_something_begins_in_the_window():
    said = composed(
        finding("logs", "Elsewhere [L1].", data={"elsewhere": {"onset": "x"}}),
        finding("alerts", "An alert at 14:03 [A1].", "14:03"),
        finding("changes", "The cause is 2.4.1 [C1]."),
    )
    assert said[0].startswith("The cause is 2.4.1 [C1].")


def test_the_earliest_sign_names_its_source_where_two_differ():
    logs, alerts = finding("logs", "Errors [L1].", "14:05"), finding("alerts", "Alerts [A1].", "14:03:30")
    assert "Earliest sign: alerts 14:03:30 [A1], then logs 14:05 [L1]." in composed(logs, alerts)[0]
    assert "最早的信号：告警 14:03:30 [A1]，其次日志 14:05 [L1]。" in composed(logs, alerts, lang="zh")[0]
    assert "Earliest" not in composed(logs, finding("alerts", "Alerts [A1].", "14:05"))[0]


def test_two_incidents_are_said_to_be_two():
    rows = [
        {"onset": moment(c).isoformat(), "services": s} for c, s in (("12:30", ["cart", "pay"]), ("14:10", ["mail"]))
    ]
    said = composed(finding("logs", "Errors [L1].", data={"incidents": rows}))
    assert "There seem to be 2 incidents: 12:30 cart, pay; 14:10 mail [L1]." in said[0]
    assert "incidents" not in composed(finding("logs", "Errors [L1].", data={"incidents": rows[:1]}))[0]


def test_gaps_are_worded_by_the_agent_whose_they_are():
    found = finding("logs", "Errors [L1].", gaps=("half a file",))
    assert composed(found, lang="zh")[-2:] == ["数据缺口：<half a file>", NO_MODEL_ZH]
    assert composed(found)[-2] == "Gaps: half a file"


def test_what_could_not_be_asked_stands_before_details():
    said = composed(
        finding("logs", "", status="failed", unreachable=("loki: refused",)),
        finding("alerts", "One [A1].\n\nMore [A1]."),
    )
    assert said[:3] == ["One [A1].", "logs could not be fully asked: loki: refused", "More [A1]."]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("昨天 14:30 到 15:00 发生了什么", {"alerts", "logs", "changes"}),
        ("what happened between 14:30 and 15:00 yesterday?", {"alerts", "logs", "changes"}),
        ("what went wrong?", {"alerts", "logs", "changes"}),
        ("最近改了什么？", {"changes"}),
        ("过去一小时哪些服务有问题？", {"alerts", "logs"}),
        ("which services have problems?", {"alerts", "logs"}),
        ("which services are unhealthy", {"alerts", "logs"}),
        ("谢谢，没有问题了", set()),
        ("no problem, thanks", set()),
        ("为什么天是蓝的", set()),
        ("thanks!", set()),
    ],
)
def test_whom_a_question_without_a_service_concerns(text: str, names: set[str]):
    assert {a.name for a, _ in choose(text, AGENTS, False)} == names


@pytest.mark.parametrize("cited", [True, False])
def test_each_gap_names_its_evidence_where_the_text_does_not_cite_all_of_it(cited: bool):
    def told(id: str, agent: str, gap: str) -> Findings:
        said = f"Found [{id}]." if cited or agent == "alerts" else "Found."
        evidence = (Evidence(id, agent, "t", {}, ToolResult("ok", "", {}, gaps=(gap,))),)
        return Findings(agent, "ok", said, evidence=evidence, gaps=(gap,))

    said = composed(told("A1", "alerts", "2 lost"), told("L1", "logs", "3 unread"))
    expected = "Gaps: 2 lost; 3 unread" if cited else "Gaps: 2 lost [A1]; 3 unread [L1]"
    assert said[1] == expected


def test_what_something_is_now_is_no_general_knowledge():
    for text in ("what is silenced?", "what's deployed in prod?", "what are muted alerts"):
        assert choose(f"{text} alert", AGENTS, names_service=False), text
    assert choose("what is an alert", AGENTS, names_service=False) == []
