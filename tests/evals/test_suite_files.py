"""Suites are read strictly: what would silently check nothing is refused with one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_ops.evals.case import Span
from hermes_ops.evals.suite import load
from orchestrator.errors import ConfigError

pytestmark = pytest.mark.slow

CASE = 'question = "errors?"\nseed = 1\nroute = ["logs"]\n'


def written(path: Path, text: str, name: str = "my.toml") -> str:
    (path / name).write_text(text, encoding="utf-8")
    return str(path / name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no cases"),
        ("[thresholds]\nroute = 1.0\n", "has no cases"),
        ("cases = 1", "cases: Input should be a valid list"),
        ("not toml", "is no TOML"),
        (f"[[cases]]\n{CASE}rout = []\n", "rout: "),
        ('[[cases]]\nquestion = "errors?"\nseed = 1\n', "checks nothing"),
        ('[[cases]]\nquestion = "errors?"\nroute = []\n', "neither a folder nor a seed"),
        (f"[[cases]]\n{CASE}now = 2026-11-30T09:00:00\n", "must have an offset"),
        (f'[[cases]]\n{CASE}id = "a"\n[[cases]]\n{CASE}id = "a"\n', "two cases of one id"),
        ("[[made]]\nseeds = 0\n", "made.0.seeds"),
    ],
)
def test_a_suite_that_would_check_nothing_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, text))
    assert says in str(caught.value)


def test_an_unknown_suite_names_those_there_are() -> None:
    with pytest.raises(
        ConfigError, match=r"no suite 'rooting'. Built-in: cause, demo, figures, followup, routing, time"
    ):
        load("rooting")


def test_defaults_go_into_cases_that_do_not_say_otherwise(tmp_path: Path) -> None:
    text = f'[defaults]\nzone = "Asia/Shanghai"\nverified = true\n[[cases]]\n{CASE}[[cases]]\n{CASE}zone = "UTC"\n'
    suite = load(written(tmp_path, text))
    assert [(c.id, c.zone, c.verified) for c in suite.cases] == [("001", "Asia/Shanghai", True), ("002", "UTC", True)]


def test_a_window_may_be_a_pair_or_a_word(tmp_path: Path) -> None:
    text = 'window = ["2026-11-29T14:00:00Z", "2026-11-29T15:00:00Z"]\n[[cases]]\nseed = 1\nquestion = "now?"\n'
    suite = load(written(tmp_path, f'[[cases]]\nseed = 1\nquestion = "then?"\n{text}window = "present"\n'))
    assert [type(c.window) for c in suite.cases] == [Span, str]
    with pytest.raises(ConfigError, match="window"):
        load(written(tmp_path, '[[cases]]\nseed = 1\nquestion = "then?"\nwindow = "sometime"\n'))


def test_lines_of_json_and_folders_of_cases(tmp_path: Path) -> None:
    rows = [{"thresholds": {"route": 0.5}}, {"question": "errors?", "folder": "day", "route": ["logs"]}]
    suite = load(written(tmp_path, "\n".join(map(json.dumps, rows)), "my.jsonl"))
    assert suite.thresholds == {"route": 0.5}
    assert suite.cases[0].folder == str((tmp_path / "day").resolve())

    (tmp_path / "night").mkdir()
    written(tmp_path / "night", 'question = "errors?"\nfacts = ["3"]\n', "case.toml")
    suite = load(str(tmp_path))
    assert [c.id for c in suite.cases] == ["night"]
    assert suite.cases[0].folder == str((tmp_path / "night" / "input").resolve())


def test_limits_and_repetitions_keep_ids_apart(tmp_path: Path) -> None:
    suite = load(written(tmp_path, "[[made]]\nseeds = 5\nabout = ['cause', 'errors']\n"))
    assert [c.id for c in suite.cases[:3]] == ["seed-0-cause-zh", "seed-0-errors-zh", "seed-1-cause-en"]
    assert [c.id for c in suite.first(1).repeated(2).cases] == ["seed-0-cause-zh#1", "seed-0-cause-zh#2"]


# ── the command ───────────────────────────────────────────────────────────────────────────────

LOG = '{"timestamp": "2026-11-29T14:00:02Z", "level": "ERROR", "service": "zeta", "message": "no"}\n'


def evaluate(path: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hermes_ops", "eval", path, "--offline", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("wanted", "code"), [(60, 0), (61, 1)])
def test_a_suite_of_ones_own_is_measured_and_kept(tmp_path: Path, home: Path, wanted: int, code: int) -> None:
    (tmp_path / "day").mkdir()
    (tmp_path / "day" / "log").write_text(LOG * 60, encoding="utf-8")
    figure = f'{{ name = "errors", value = {wanted}, labels = {{ service = "zeta" }} }}'
    case = f'question = "errors of zeta?"\nfolder = "day"\nroute = ["logs"]\nfigures = [{figure}]\n'
    done = evaluate(written(tmp_path, f"[thresholds]\nfigures = 1.0\n[[cases]]\n{case}"), "--json")
    assert done.returncode == code, done.stderr
    result = json.loads(done.stdout)
    assert result["ok"] is (code == 0)
    assert {r["name"]: r["hits"] for r in result["rates"]}["route"] == 1
    kept = list(home.rglob("evals/my-*.json"))
    assert [json.loads(p.read_text(encoding="utf-8")) for p in kept] == [result]


def test_a_case_that_breaks_is_a_failed_case(tmp_path: Path) -> None:
    """Its folder is there, but holds nothing to open: the other cases go on."""
    (tmp_path / "day").mkdir()
    (tmp_path / "day" / "log").write_text(LOG, encoding="utf-8")
    (tmp_path / "void").mkdir()
    both = "".join(f'[[cases]]\nquestion = "errors?"\nfolder = "{f}"\nroute = ["logs"]\n' for f in ("void", "day"))
    done = evaluate(written(tmp_path, both + "[thresholds]\nanswered = 1.0\n"))
    assert done.returncode == 1
    assert "001: answered: " in done.stdout
    assert "1/2" in done.stdout
