"""A report by plain words: without a model, with one, and by the model's own tool; one code path, figures by code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.channels.typed import Reading
from hermes_ops.schedule import asking
from hermes_ops.testing.script import Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Message
from tests.e2e.place import folder, hermes
from tests.recall.talking import Place

DAY = "2026-11-29"
PROSE = says("昨天触发 1 个告警。")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"生成 {DAY} 的运维日报", "运维日报"),
        pytest.param("生成昨天的运维日报", "运维日报", marks=pytest.mark.slow),
        (f"/report {DAY}", "运维日报"),
        pytest.param("yesterday's ops report", "Ops report", marks=pytest.mark.slow),
    ],
)
async def test_without_a_model_code_answers_at_once(tmp_path: Path, text: str, title: str) -> None:
    place = Place(tmp_path, HERMES_OPS_TEAM__NAME="shop", HERMES_OPS_ZONE="UTC")
    answer = await place.ask(text, locale="zh" if text.startswith("/") else "")
    assert answer.status == "ok"
    assert title.lower() in answer.text.lower()
    assert "shop" in answer.text
    assert DAY in answer.text
    assert answer.window is not None
    assert f"{answer.window.start:%Y-%m-%d %H:%M}" == f"{DAY} 00:00"
    assert [e.id for e in answer.evidence] == ["R1"]
    assert ("alerts fired", 1) in {(f.name, f.value) for f in answer.evidence[0].result.figures}


async def test_a_time_that_cant_be_had_is_asked_back(tmp_path: Path) -> None:
    place = Place(tmp_path, HERMES_OPS_ZONE="UTC")
    answer = await place.ask("/report 明天")
    assert (answer.status, "明天" in answer.text) == ("needs_input", True)


async def test_an_interrupted_report_is_not_made_again(tmp_path: Path) -> None:
    place = Place(tmp_path, HERMES_OPS_ZONE="UTC")
    async with place.app() as app:
        question = place.message("生成昨天的运维日报")
        first = await app.answer(question, run="r1")
        again = await app.answer(question, run="r1")
        assert first == again
        made = app.reports.pop("r1")
        assert made is not None
        assert isinstance(made.card, dict)
        assert app.reports.pop("r1") is None


def model(answer: str) -> Any:
    """A supervisor that asks for the report and then says `answer`; whoever has no tools writes prose."""

    def play(messages: list[Message], tools: list[Any]) -> Step:
        names = {t["function"]["name"] for t in tools}
        if "daily_report" not in names:
            return PROSE
        told = [m for m in messages if m["role"] == "tool"]
        return says(answer) if told else calls(("daily_report", {"time": DAY}))

    return play


@pytest.mark.slow
async def test_with_a_model_the_tool_gives_figures_that_the_answer_is_held_to(tmp_path: Path) -> None:
    said = "昨天触发了 1 个告警 [R1]，错误日志 30 条 [R1]，99 个工单 [R1]。"
    async with ScriptedServer(model(said)) as server:
        place = Place(tmp_path, server=server, HERMES_OPS_ZONE="UTC", HERMES_OPS_MEMORY__NOTES="false")
        answer = await place.ask(f"看看 {DAY} 的整体情况，和之前比怎么样，顺便给我日报里的重点")
        assert [e.id for e in answer.evidence] == ["R1"]
        assert [r.subagent for r in answer.route] == ["report"]
        assert ["99" in said for said in answer.unverified] == [True]
        tool = next(m for m in server.requests[-1]["messages"] if m["role"] == "tool")
        assert "[R1]" in tool["content"]


async def test_with_a_model_a_plain_request_costs_only_the_prose(tmp_path: Path) -> None:
    async with ScriptedServer(model("")) as server:
        place = Place(tmp_path, server=server, HERMES_OPS_ZONE="UTC", HERMES_OPS_MEMORY__NOTES="false")
        answer = await place.ask("生成昨天的运维日报")
        assert DAY in answer.text
        assert server.count == 1
        sent = json.dumps(server.requests, ensure_ascii=False)
        assert "pool exhausted" not in sent  # figures go to the model, raw logs don't


async def test_the_commands_of_a_terminal_are_questions(tmp_path: Path) -> None:
    reading = Reading()
    typed = reading.take("/report 昨天")
    assert typed is not None
    assert (typed.text, typed.command) == ("/report 昨天", "")
    assert asking.read("/handover") is not None


@pytest.mark.slow
async def test_the_command_line_answers_with_the_report(tmp_path: Path) -> None:
    where = folder(tmp_path / "incident")
    env = {"HERMES_OPS_DATA_DIR": str(tmp_path / "data"), "HERMES_OPS_ZONE": "UTC"}
    asked = ("ask", "--folder", str(where), "--offline", "--now", "2026-11-30T09:00Z", "生成昨天的运维日报", "--json")
    found = (await hermes(*asked, env=env)).json
    assert DAY in found["answer"]
    assert found["evidence"][0]["id"] == "R1"
