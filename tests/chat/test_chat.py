"""A conversation on a real terminal: answers, progress, commands, pastes, Ctrl-C, the queue; and through a pipe."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hermes_ops.testing.script import Step, says
from hermes_ops.testing.scripted_server import ScriptedServer
from orchestrator.contracts import Json, Message
from tests.chat.pty_process import OnTerminal
from tests.e2e.place import QUESTION, WHEN, folder, play

pytestmark = pytest.mark.slow

LINES = "\n".join(f"2026-11-29T14:0{n}:00Z ERROR pool exhausted, order {n}" for n in range(5))
COUNT = "how many errors do the logs hold?"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HERMES_OPS_DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "incident")


def test_a_question_its_trace_and_memory_on_a_terminal(place: Path, env: dict[str, str]) -> None:
    with OnTerminal("chat", "--folder", str(place), "--offline", *WHEN, env=env) as chat:
        chat.wait("› ")
        chat.line(QUESTION)
        chat.wait("asks logs")
        chat.wait("logs: count_errors")
        chat.wait("No language model was used")
        run = re.search(r"Run (\S+), ok", chat.wait(", ok."))
        assert run
        chat.line("/trace")
        shown = chat.wait("answer · ok")
        assert run[1] in shown
        assert "route, turn 1" in shown
        chat.line("/trace 1")
        chat.wait("Step 1 · ")
        chat.line("/trace 9999")
        chat.wait("There is no step '9999'")
        chat.line("/memory")
        chat.wait("Nothing is kept of you")
        chat.line("/forget all")
        chat.wait("Nothing is kept of you")
        chat.line("/nonsense")
        chat.wait("There is no /nonsense")
        chat.line("/stop")
        chat.wait("Nothing is running")
        chat.line("/help")
        chat.wait("/quit")
        chat.line("/quit")
        assert chat.end() == 0
        assert "Traceback" not in chat.seen


@pytest.mark.slow
def test_history_is_kept_privately_and_without_secrets(place: Path, env: dict[str, str]) -> None:
    history = Path(env["HERMES_OPS_DATA_DIR"]) / "chat-history"
    with OnTerminal("chat", "--folder", str(place), "--offline", *WHEN, env=env) as chat:
        chat.wait("› ")
        chat.line("/memory")
        chat.wait("Nothing is kept")
        chat.line("password=hunter2hunter2 why does login fail?")
        chat.wait("Run ")
        chat.type("\x04")
        assert chat.end() == 0
    assert history.read_text().split() == ["/memory"]
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    with OnTerminal("chat", "--folder", str(place), "--offline", *WHEN, env=env) as chat:
        chat.wait("› ")
        chat.type("\x1b[A\r")  # the arrow up brings the last line back
        chat.wait("Nothing is kept")


def test_a_marked_paste_becomes_a_log_file_for_the_question_after_it(env: dict[str, str]) -> None:
    with OnTerminal("chat", "--offline", *WHEN, env=env) as chat:
        chat.wait("Paste log lines beside a question")
        chat.wait("› ")
        chat.line(COUNT)
        chat.wait("There is nothing to look things up in")
        chat.paste(LINES)
        chat.wait("Attached: 5 lines")
        chat.line(COUNT)
        assert "5" in chat.wait("[L1]")
        chat.wait(", ok.")
        chat.line(f'{COUNT} """')
        for line in LINES.split("\n")[:3]:
            chat.line(line)
        chat.line('"""')
        assert "3" in chat.wait("[L1]")
        chat.wait(", ok.")
        chat.line("/quit")
        assert chat.end() == 0
    pastes = Path(env["HERMES_OPS_DATA_DIR"]) / "pastes"
    assert list(pastes.iterdir()) == []


class Slow:
    """A model that takes its time for the first question. `asked`: what it was told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def __call__(self, messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        last = str(messages[-1].get("content"))
        self.said.append(last)
        return says("Hello there.", latency=30.0 if "slow" in last else 0.0)


async def on_terminal(
    work: Callable[[OnTerminal], None], model: Callable[..., Step], env: dict[str, str], *args: str
) -> ScriptedServer:
    """The conversation in a thread of its own, beside the scripted server."""

    def talk() -> None:
        with OnTerminal("chat", *args, *WHEN, env=whole) as chat:
            chat.wait("› ")
            work(chat)

    async with ScriptedServer(model) as server:
        whole = {**env, "HERMES_OPS_BASE_URL": server.url, "HERMES_OPS_MODEL": "scripted"}
        await asyncio.to_thread(talk)
        return server


@pytest.mark.slow
async def test_a_question_may_be_typed_while_one_runs_and_stop_ends_that_one(place: Path, env: dict[str, str]) -> None:
    def work(chat: OnTerminal) -> None:
        chat.line("hello, be slow")
        chat.line("hello, be quick")
        chat.wait("Queued: 1 before it")
        chat.line("/stop")
        chat.wait("Stopping")
        chat.wait(", cancelled.")
        chat.wait("Hello there.")
        chat.wait(", ok.")
        chat.line("/quit")
        assert chat.end() == 0

    model = Slow()
    await on_terminal(work, model, env, "--folder", str(place))
    assert any("quick" in said for said in model.said)


@pytest.mark.slow
async def test_ctrl_c_stops_the_question_and_leaves_at_an_idle_prompt(place: Path, env: dict[str, str]) -> None:
    def work(chat: OnTerminal) -> None:
        chat.line("hello, be slow")
        chat.wait("hello, be slow")
        chat.wait("› ")  # it is being worked on, and the next line may be typed
        chat.type("half a li")
        chat.wait("half a li")
        chat.type("\x03")
        chat.wait("Stopping")
        chat.wait(", cancelled.")
        chat.line("hello again")
        chat.wait("Hello there.")
        chat.wait(", ok.")
        chat.type("\x03")
        chat.wait("Ctrl-C again or /quit leaves")
        chat.type("\x03")
        assert chat.end() == 0
        assert "Traceback" not in chat.seen

    await on_terminal(work, Slow(), env, "--folder", str(place))


@pytest.mark.slow
def test_a_ctrl_c_right_behind_a_key_is_never_missed(place: Path, env: dict[str, str], nightly: bool) -> None:
    """The moment in which readline draws a key and doesn't look for signals."""
    with OnTerminal("chat", "--folder", str(place), "--offline", *WHEN, env=env) as chat:
        chat.wait("› ")
        for n in range(300 if nightly else 30):
            chat.type(f"key{n}x")
            chat.wait(f"key{n}x")
            chat.type("\x03")
            chat.wait("leaves.")
            chat.wait("› ")
            chat.line("/stop")
            chat.wait("Nothing is running")
            chat.wait("› ")
        chat.line("/quit")
        assert chat.end() == 0


@pytest.mark.slow
async def test_what_is_being_typed_survives_output_above_it(place: Path, env: dict[str, str]) -> None:
    def work(chat: OnTerminal) -> None:
        chat.line(QUESTION)
        chat.type("hello")
        chat.wait(", ok.")
        chat.line(" again")
        chat.wait("Hello there.")
        chat.line("/quit")
        assert chat.end() == 0

    def model(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
        asked = [m["content"] for m in messages if m["role"] == "user"]
        return says("Hello there.") if "hello again" in asked[-1] else play(messages, tools)

    await on_terminal(work, model, env, "--folder", str(place))


@pytest.mark.slow
async def test_the_model_sees_the_paste_fenced(place: Path, env: dict[str, str]) -> None:
    def work(chat: OnTerminal) -> None:
        chat.paste(f"what is this?\n{LINES}")
        chat.wait("Hello there.")
        chat.line("/quit")
        assert chat.end() == 0

    model = Slow()
    await on_terminal(work, model, env, "--folder", str(place))
    assert any("<data" in said and "order 3" in said and "what is this?" in said for said in model.said)


@pytest.mark.slow
async def test_a_hanging_application_is_left_behind(place: Path, env: dict[str, str]) -> None:
    def work(chat: OnTerminal) -> None:
        chat.line("hello, be slow")
        chat.wait("hello, be slow")
        chat.line("/quit")
        assert chat.end() == 0

    await on_terminal(work, Slow(), env, "--folder", str(place))


@pytest.mark.parametrize("last", ["", "/quit\n"])
def test_through_a_pipe_everything_is_answered_and_stdout_has_the_answers_alone(
    place: Path, env: dict[str, str], last: str
) -> None:
    command = [sys.executable, "-m", "hermes_ops", "chat", "--folder", str(place), "--offline", *WHEN]
    asked = f'{QUESTION}\nhow many errors were there? """\n{LINES}\n"""\n{last}'
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False, env=_with(env))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("No language model was used") == 2
    assert "Queued: 1 before it" in done.stderr
    assert "›" not in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_store_that_cannot_be_opened_is_one_sentence(place: Path, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", "hermes_ops", "chat", "--folder", str(place)]
    bad = {**env, "HERMES_OPS_DATABASE_URL": f"sqlite:///{tmp_path}/file/x.db"}
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False, env=_with(bad))
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def _with(env: dict[str, str]) -> dict[str, str]:
    return {**os.environ, **env}
