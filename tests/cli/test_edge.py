"""The command line around an application: what it hands over, what it prints, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.cli.faults import report
from hermes_ops.cli.inputs import Request
from hermes_ops.cli.progress import describe
from hermes_ops.render import answer_json, show
from hermes_ops.settings import Settings
from orchestrator.contracts import Answer, AnswerStatus, Event, Json
from orchestrator.errors import ConfigError, ModelError, StoreError
from tests.cli.fake_app import AT, FULL, FakeApp, ask

KEYS = ["answer", "status", "window", "scope", "cause", "evidence", "unverified", "route", "skipped", "usage", "model"]
KEYS += ["offline", "fallback", "run_id"]
ASK = Request("why?", None, zone="Asia/Shanghai")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


def test_json_is_one_object_with_the_promised_keys(settings: Settings, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(replace(ASK, as_json=True), settings, FakeApp()) == 0
    printed = json.loads(capfd.readouterr().out)
    assert list(printed) == KEYS
    assert printed["window"] == {
        "start": "2026-11-29T14:00:00Z",
        "end": "2026-11-29T15:00:00Z",
        "zone": "Asia/Shanghai",
        "said": "昨天",
        "why": "yesterday",
    }
    assert printed["scope"] == {"environment": "prod-sh", "services": ["checkout"]}
    assert printed["usage"] == {"model_calls": 2, "prompt_tokens": 100, "completion_tokens": 20}
    assert list(printed["route"][0]) == ["subagent", "task", "window", "reason", "status", "ms"]
    assert printed["evidence"][0]["id"] == "L1"
    assert printed["evidence"][0]["figures"][0]["value"] == 3
    assert printed["skipped"] == [{"path": "x.bin", "why": "unknown"}]


def test_json_keeps_chinese(settings: Settings, capfd: pytest.CaptureFixture[str]) -> None:
    ask(replace(ASK, as_json=True), settings, FakeApp())
    assert "昨天" in capfd.readouterr().out


def test_on_a_terminal_a_line_stays_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    show(replace(FULL, text="Verdict [L1].\nFirst.\n- a\n- b\n\nSecond."), as_json=False)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    assert lines[-5:] == ["Verdict [L1].", "First.", "• a", "• b", "Second."]


def test_an_empty_answer_has_all_keys_too() -> None:
    assert list(answer_json(Answer("r", "failed", ""))) == KEYS


def test_plain_answer_on_stdout_progress_and_remarks_on_stderr(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    assert ask(ASK, settings, FakeApp()) == 0
    out, err = capfd.readouterr()
    assert out == "prod-sh · checkout · 2026-11-29 22:00–23:00 +08:00\n\n**3** errors [L1]\n"
    assert "logs: count ok, 3 of 3 rows" in err
    assert "7 %" in err
    assert "x.bin (unknown)" in err
    assert "Time: 昨天, read as 2026-11-29 22:00–23:00 +08:00: yesterday." in err
    assert "Run 20261129-ab12, ok." in err


@pytest.mark.parametrize(
    ("status", "code"),
    [("ok", 0), ("partial", 0), ("no_evidence", 0), ("needs_input", 0), ("failed", 1), ("busy", 6), ("cancelled", 130)],
)
def test_exit_code_of_each_status(settings: Settings, status: AnswerStatus, code: int) -> None:
    assert ask(ASK, settings, FakeApp(answer=replace(FULL, status=status))) == code


def test_an_answer_that_had_to_do_without_its_model_says_so(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    assert ask(ASK, settings, FakeApp(answer=replace(FULL, offline=True, fallback="it is down."))) == 4
    assert "No language model was used: it is down." in capfd.readouterr().err


def test_the_message_is_masked_dated_and_zoned(settings: Settings) -> None:
    app = FakeApp()
    request = replace(ASK, text="password=hunter2 why?", now="2026-11-30T09:00", user="bob", session="s", new=True)
    ask(request, settings, app)
    (asked,) = app.asked
    assert asked.at == datetime(2026, 11, 30, 1, tzinfo=UTC)
    assert (asked.zone, asked.user, asked.anchored) == ("Asia/Shanghai", "bob", True)
    assert "hunter2" not in asked.text
    assert app.options == {"session": "s", "resume": None, "new": True}


def test_the_same_secret_reads_the_same_in_the_next_process(settings: Settings) -> None:
    first, second = FakeApp(), FakeApp()
    for app in (first, second):
        ask(replace(ASK, text="token=abc123def"), settings, app)
    assert first.asked[0].text == second.asked[0].text
    assert not first.asked[0].anchored


@pytest.mark.parametrize(("error", "code"), [(ConfigError("No."), 2), (StoreError("No."), 3), (ModelError("No."), 4)])
def test_our_errors_are_their_sentence(error: Exception, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert report(error) == code
    assert capfd.readouterr() == ("", "No.\n")


def test_an_unexpected_error_names_run_and_log(
    settings: Settings, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_OPS_DATA_DIR", str(settings.data_dir))
    monkeypatch.delenv("HERMES_OPS_DEBUG", raising=False)
    with pytest.raises(RuntimeError) as caught:
        ask(ASK, settings, FakeApp(error=RuntimeError("password=hunter2")))
    capfd.readouterr()
    assert report(caught.value) == 1
    err = capfd.readouterr().err
    log = settings.data_dir / "hermes-ops.log"
    assert err.count("\n") == 1
    assert "run r1" in err
    assert str(log) in err
    assert "Traceback" in log.read_text()
    assert "hunter2" not in log.read_text() + err


def test_debug_shows_the_traceback(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_OPS_DEBUG", "1")
    report(ConfigError("No."))
    assert "ConfigError: No." in capfd.readouterr().err


def test_errors_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    report(ConfigError("bad \x1b[2Jname"))
    assert capfd.readouterr().err == "bad name\n"


def _start(behaviour: str, tmp_path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.cli.fake_app", behaviour, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
    assert process.stderr is not None
    while "logs: count ok" not in (line := process.stderr.readline()):
        assert line, "it ended before it began"
    time.sleep(0.2)
    return process


def test_ctrl_c_prints_what_there_is(tmp_path: Path) -> None:
    process = _start("hang", tmp_path)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert out == "partial finding\n"
    assert "Traceback" not in err
    assert time.monotonic() - begun < 2


@pytest.mark.slow
def test_ctrl_c_twice_ends_what_does_not_listen(tmp_path: Path) -> None:
    process = _start("stuck", tmp_path)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    process.communicate(timeout=10)
    assert process.returncode == 130
    assert time.monotonic() - begun < 1


@pytest.mark.slow
def test_ctrl_c_once_ends_what_does_not_listen_too(tmp_path: Path) -> None:
    process = _start("stuck", tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        (
            "route",
            {"chosen": [{"agent": "logs", "task": "count\x1b[2J"}, {"agent": "alerts"}]},
            "asks logs (count), alerts",
        ),
        ("route", {"chosen": []}, "asks nobody"),
        ("plan", {"parts": [1, 2]}, "plans 2 parts"),
        ("branch", {"step": "1.0.logs", "ms": 1500}, "logs: done after 1.5 s"),
        ("tool", {"tool": "count", "status": "no_data", "total": None}, "logs: count no_data"),
        ("fallback", {"why": "down"}, "no language model: down"),
        ("something new", {}, ""),
    ],
)
def test_progress_in_words(kind: str, body: dict[str, Json], said: str) -> None:
    assert describe(Event("r", "supervisor/1.0.logs", 1, kind, AT, body)) == said
