"""A question through the real command line, the unmodified SDK and HTTP, to a scripted model; and without a model."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.testing.script import Fault, Step, calls, says
from hermes_ops.testing.scripted_server import ScriptedServer
from tests.e2e.place import QUESTION, WHEN, folder, hermes, play
from tests.processes import start
from tests.serve.bench import until


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "incident")


def env(tmp_path: Path, server: ScriptedServer | None = None, **more: str) -> dict[str, str]:
    found = {"HERMES_OPS_DATA_DIR": str(tmp_path / "data"), **more}
    if server:
        found |= {"HERMES_OPS_BASE_URL": server.url, "HERMES_OPS_MODEL": "scripted", "HERMES_OPS_API_KEY": "sk-test"}
    return found


async def test_three_domains_in_parallel_one_mended_one_failing_and_named(place: Path, tmp_path: Path) -> None:
    asked = [(f"ask_{n}", {"task": f"look into {n}", "reason": "r"}) for n in ("alerts", "logs", "changes")]
    lanes = {
        "ask_alerts": [
            calls(*asked),
            says("Checkout had 30 errors [L1]. 1 alert fired [A1]. I can't reach the changes.", contains=""),
        ],
        "list_alerts": [calls(("count_alerts", {})), says("1 alert fired [A1]")],
        "count_errors": [
            calls(("count_errors", {"by": "colour"})),
            calls(("count_errors", {"services": "checkout"}), contains="by"),
            says("30 errors [L2]"),
        ],
        "list_changes": [Step(fault=Fault.MODERATION)],
    }
    async with ScriptedServer(lanes, latency=0.05) as server:
        ran = await hermes("ask", QUESTION, "--folder", str(place), *WHEN, "--json", env=env(tmp_path, server))
        assert ran.code == 0, ran.err
        answer = ran.json
        assert {r["subagent"]: r["status"] for r in answer["route"]} == {
            "alerts": "ok",
            "logs": "ok",
            "changes": "failed",
        }
        assert answer["status"] == "partial"
        assert server.most_at_once == 3
        assert all(body["stream"] for body in server.requests)
        supervisor = server.requests[-1]["messages"]
        failed = next(m["content"] for m in supervisor if m["role"] == "tool" and "changes failed" in m["content"])
        assert "data_inspection_failed" in failed
        logs_saw = [m["content"] for b in server.requests for m in b["messages"] if m["role"] == "tool"]
        assert any("colour" in text and "valid: level" in text for text in logs_saw)
        assert answer["window"]["said"]
        assert answer["usage"]["model_calls"] == len(server.requests) - answer_failures(server)
        assert "asks alerts" in ran.err
        assert json.loads(ran.out)["offline"] is False


def answer_failures(server: ScriptedServer) -> int:
    return sum("list_changes" in str(b.get("tools")) for b in server.requests)


async def test_without_a_model_the_playbooks_answer_and_say_so(place: Path, tmp_path: Path) -> None:
    ran = await hermes("ask", QUESTION, "--folder", str(place), *WHEN, "--json", env=env(tmp_path))
    answer = ran.json
    assert (ran.code, answer["offline"], answer["status"]) == (0, True, "ok")
    assert "No language model was used" in answer["answer"]
    assert answer["unverified"] == []
    assert "2.4.1" in answer["answer"]
    assert "30" in answer["answer"]


async def test_an_unreachable_model_falls_back_and_the_answer_says_why(place: Path, tmp_path: Path) -> None:
    given = env(tmp_path, HERMES_OPS_BASE_URL="http://127.0.0.1:9/v1", HERMES_OPS_MODEL="m", HERMES_OPS_API_KEY="sk-x1")
    ran = await hermes("ask", QUESTION, "--folder", str(place), *WHEN, "--json", env=given)
    answer = ran.json
    assert ran.code == 4
    assert answer["offline"] is True
    assert "127.0.0.1:9" in answer["fallback"]
    assert "sk-x1" not in ran.out + ran.err
    assert answer["evidence"]


@pytest.mark.slow
async def test_a_model_that_only_makes_failing_calls_is_answered_for_by_rules(place: Path, tmp_path: Path) -> None:
    def only_failing(messages: Any, tools: Any) -> Step:
        if "investigate" not in str(messages):
            return calls(("investigate", {"parts": [{"agent": "metrics", "task": "t"}]}))
        return calls(("forget", {"what": "language"}))

    async with ScriptedServer(only_failing) as server:
        ran = await hermes("ask", QUESTION, "--folder", str(place), *WHEN, "--json", env=env(tmp_path, server))
    answer = ran.json
    assert (ran.code, answer["offline"], answer["status"]) == (4, True, "ok"), ran.err
    assert "only made calls that failed" in answer["fallback"]
    assert "30" in answer["answer"]
    assert answer["evidence"]
    again = await hermes("trace", "replay", answer["run_id"], env=env(tmp_path))
    assert (again.code, "identical" in again.out + again.err) == (0, True), again.out + again.err


@pytest.mark.slow
async def test_a_wrong_key_is_said_without_retry(place: Path, tmp_path: Path) -> None:
    async with ScriptedServer([Step(fault=Fault.UNAUTHORIZED)]) as server:
        ran = await hermes("ask", QUESTION, "--folder", str(place), *WHEN, env=env(tmp_path, server))
        assert server.count == 1
    assert ran.code == 4
    assert "HERMES_OPS_API_KEY" in ran.err
    assert "Traceback" not in ran.err
    assert ran.out.strip()


@pytest.mark.slow
async def test_ctrl_c_gives_the_partial_answer_and_the_same_command_goes_on(place: Path, tmp_path: Path) -> None:
    command = ("ask", QUESTION, "--folder", str(place), *WHEN, "--json")
    hold = {"on": True}

    def script(messages: Any, tools: Any) -> Step:
        step = play(messages, tools)
        stuck = hold["on"] and len(messages) > 5
        return Step(step.text, step.calls, latency=60) if stuck else step

    async with ScriptedServer(script) as server:
        process = await start(*command, env=env(tmp_path, server))
        await until(lambda: server.count >= 7, 50)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(30):  # the model would take 60
            out, err = await process.communicate()
        answer = json.loads(out)
        assert (process.returncode, answer["status"]) == (130, "cancelled"), err.decode()
        assert answer["evidence"]
        with sqlite3.connect(tmp_path / "data" / "hermes-ops.db") as db:
            assert db.execute("select status from runs").fetchall() == [("cancelled",)]
        hold["on"], before = False, server.count
        again = await hermes("ask", "--resume", answer["run_id"], "--json", env=env(tmp_path, server))
        assert again.json["status"] == "ok", again.err
        assert again.json["run_id"] == answer["run_id"]
        assert server.count - before < 14  # what was finished before isn't asked again
        assert not server.problems


@pytest.mark.slow
async def test_a_finished_run_resumed_costs_nothing(place: Path, tmp_path: Path) -> None:
    async with ScriptedServer(play) as server:
        command = ("ask", QUESTION, "--folder", str(place), *WHEN, "--json")
        first = (await hermes(*command, env=env(tmp_path, server))).json
        count = server.count
        second = (await hermes("ask", "--resume", first["run_id"], "--json", env=env(tmp_path, server))).json
        assert server.count == count == 14
        assert second["answer"] == first["answer"]
        assert second["usage"] == first["usage"]
        third = (await hermes(*command, env=env(tmp_path, server))).json
        assert third["run_id"] != first["run_id"]


@pytest.mark.slow
async def test_two_processes_on_one_session_lose_nothing(place: Path, tmp_path: Path) -> None:
    command = ("--folder", str(place), *WHEN, "--session", "s1", "--offline", "--json")
    given = env(tmp_path)
    both = await asyncio.gather(
        *(hermes("ask", f"how many errors has checkout, part {i}?", *command, env=given) for i in range(3))
    )
    assert [r.code for r in both] == [0, 0, 0], [r.err for r in both]
    with sqlite3.connect(tmp_path / "data" / "hermes-ops.db") as db:
        assert db.execute("select count(*), count(distinct run) from turns where session = 's1'").fetchone() == (3, 3)


@pytest.mark.slow
async def test_the_last_turns_are_given_to_the_model(place: Path, tmp_path: Path) -> None:
    async with ScriptedServer([says("Hello!"), says("As I said.")]) as server:
        common = ("--folder", str(place), "--session", "talk")
        await hermes("ask", "hello there", *common, env=env(tmp_path, server))
        await hermes("ask", "thanks", *common, env=env(tmp_path, server))
        sent = [m["content"] for m in server.requests[1]["messages"]]
        assert "Hello!" in sent
        assert any("hello there" in text for text in sent)


@pytest.mark.slow
async def test_secrets_in_sources_and_question_reach_neither_model_nor_store(place: Path, tmp_path: Path) -> None:
    secret = "ghp_" + "Zx81" * 9
    with (place / "checkout.log").open("a") as f:
        f.write(
            json.dumps(
                {"ts": "2026-11-29T14:10:00Z", "service": "checkout", "level": "error", "msg": f"token {secret}"}
            )
        )
    steps = {
        "ask_alerts": [calls(("ask_logs", {"task": "t", "reason": "r"})), says("31 errors [L1]")],
        "count_errors": [calls(("count_errors", {}), ("search_logs", {"text": "token"})), says("31 errors [L1]")],
    }
    async with ScriptedServer(steps) as server:
        ran = await hermes(
            "ask",
            f"{QUESTION} my token is {secret}",
            "--folder",
            str(place),
            *WHEN,
            "--json",
            env=env(tmp_path, server),
        )
        assert ran.code == 0, ran.err
        assert secret not in json.dumps(server.requests)
        assert "<secret:" in json.dumps(server.requests)
        assert secret not in ran.out + ran.err
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


@pytest.mark.slow
async def test_a_run_that_fell_back_stays_so_when_it_is_resumed(place: Path, tmp_path: Path) -> None:
    given = env(tmp_path, HERMES_OPS_BASE_URL="http://127.0.0.1:9/v1", HERMES_OPS_MODEL="scripted")
    command = ("ask", QUESTION, "--folder", str(place), *WHEN, "--json")
    first = (await hermes(*command, env=given)).json
    with sqlite3.connect(tmp_path / "data" / "hermes-ops.db") as db:  # as kill -9 just before the end leaves it
        db.execute("delete from events where kind in ('answer', 'branch') and path = 'supervisor'")
        db.execute("update runs set status = 'running', pid = 1, born = 'x'")
    async with ScriptedServer(play) as server:
        again = await hermes("ask", "--resume", first["run_id"], "--json", env=env(tmp_path, server))
        assert server.count == 0
    assert again.json["fallback"], again.err
    assert again.json["answer"] == first["answer"]


@pytest.mark.parametrize(
    "parts",
    [
        ["logs"],
        *(
            pytest.param(p, marks=pytest.mark.slow)
            for p in ([{"agent": "logs/alerts", "task": "t"}], "logs", [{"agent": 3}])
        ),
    ],
)
async def test_a_malformed_plan_goes_back_and_costs_nothing_else(place: Path, tmp_path: Path, parts: Any) -> None:
    script = [calls(("investigate", {"parts": parts})), says("I can't tell.")]
    async with ScriptedServer(script) as server:
        ran = await hermes("ask", "hello", "--folder", str(place), *WHEN, "--json", env=env(tmp_path, server))
        assert ran.code == 0, ran.err
        assert "parts" in server.requests[1]["messages"][-1]["content"]
