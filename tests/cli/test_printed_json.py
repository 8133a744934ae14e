"""Every command's JSON: whatever stands in it, nothing reaches a terminal that steers or hides, and nothing is lost."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hermes_ops.cli import commands
from hermes_ops.cli.report import _text
from hermes_ops.render import show
from hermes_ops.trace import exporting
from hermes_ops.trace.html import embedded
from hermes_ops.trace.printing import json_text
from memory import RunInfo
from orchestrator.contracts import Answer, Evidence, Incoming, ToolResult
from tests.inspect.hostile import NOW, events_of, hostile_story
from tests.report import samples

UNSEEN = "".join(c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Cc", "Cf") and ord(c) > 31)
HOSTILE = "a\x9b31m\u202egnp.exe\u200b\x7f\x1b[2J\u2066\ufeff 为什么"
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
CLI = Path(commands.__file__).parent


def test_an_answers_json_is_safe_to_print_and_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    result = ToolResult("ok", HOSTILE, query=HOSTILE, gaps=(HOSTILE,))
    show(Answer(HOSTILE, "ok", HOSTILE, evidence=(Evidence("L1", "logs", "t", {HOSTILE: 1}, result),)), as_json=True)
    printed = capsys.readouterr().out
    assert not STEERS.search(printed)
    assert json.loads(printed)["evidence"][0]["query"] == HOSTILE


@pytest.mark.parametrize("format", ["json", "card"])
def test_a_reports_json_is_safe_to_print(format: str) -> None:
    report = replace(samples.hostile(), team=HOSTILE)
    text = _text(report, format, full=False)  # type: ignore[arg-type]
    assert not STEERS.search(text)
    if format == "json":
        assert json.loads(text)["team"] == HOSTILE


def test_an_exports_lines_and_spans_are_safe_to_print() -> None:
    info = RunInfo("r", Incoming("m", HOSTILE, NOW, user=HOSTILE), HOSTILE, HOSTILE, "done", NOW)
    events = events_of("r", HOSTILE, "half \ud83d")
    lines = list(exporting.json_lines(info, events))
    told = exporting.otlp([hostile_story(HOSTILE)], texts=True)
    spans = json_text(told, None)
    assert not STEERS.search("".join(lines).replace("\n", "") + spans)
    assert json.loads(lines[0])["question"] == HOSTILE
    assert [json.loads(line)["texts"] for line in lines[1:]] == [[ref.text for ref in e.blobs] for e in events]
    assert json.loads(spans) == told


def test_what_a_reader_or_a_terminal_would_not_show_is_escaped_and_all_else_is_not() -> None:
    text = f"{HOSTILE}{UNSEEN}\ud83d"
    assert json.loads(json_text(text)) == text
    assert not STEERS.search(json_text(text))
    assert json_text("为什么 é 👍") == '"为什么 é 👍"'


def test_no_command_writes_json_in_a_way_of_its_own() -> None:
    """What goes to stdout comes from `printing`; files of ours and a setting's value don't."""
    ours = {"demo.py", "demo_feishu.py", "replaying.py"}
    for file in (f for f in CLI.glob("*.py") if f.name not in ours):
        calls = [ast.unparse(n.func) for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Call)]
        assert "json.dumps" not in calls, file.name


@pytest.mark.slow
def test_a_hostile_folder_steers_no_terminal_by_any_commands_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = [
        {
            "time": f"2026-11-30T09:{n:02}:00Z",
            "level": "error",
            "service": "checkout",
            "message": f"{HOSTILE} failed {n}",
        }
        for n in range(30)
    ]
    (folder / "checkout.jsonl").write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")
    monkeypatch.setenv("HERMES_OPS_DATA_DIR", str(tmp_path / "data"))
    where = ("--folder", str(folder))
    for args in (
        ("ask", "errors of checkout 09:00 to 10:00 UTC?", *where, "--offline", "--json", "--now", "2026-11-30T10:00Z"),
        ("report", *where, "--date", "2026-11-30", "--now", "2026-12-01T01:00Z", "--zone", "UTC", "--format", "json"),
        ("analyze", *where, "--json"),
        ("trace", "export", "last"),
        ("trace", "export", "last", "--format", "otlp", "--texts"),
        ("trace", "show", "last", "--json"),
    ):  # fmt: skip
        done = CliRunner().invoke(commands.app, list(args))
        assert done.exit_code == 0, done.output
        assert not STEERS.search(done.stdout.replace("\n", "")), args
        json.loads(done.stdout.splitlines()[0] if "jsonl" in args or args[:2] == ("trace", "export") else done.stdout)
        assert "\\u202e" in done.stdout or args[0] == "analyze", args


def test_a_number_that_is_none_breaks_no_reader() -> None:
    told = {"a": float("nan"), "b": [float("inf"), (-float("inf"), 1.5)], "c": {"d": 1}}
    wanted = {"a": "NaN", "b": ["Infinity", ["-Infinity", 1.5]], "c": {"d": 1}}
    for written in (json_text(told), json_text(told, None), embedded(told)):
        assert json.loads(written, parse_constant=pytest.fail) == wanted
