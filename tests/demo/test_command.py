"""`hermes-ops demo` as people run it: whole processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_ops.exits import ANSWERED
from orchestrator.errors import ConfigError

pytestmark = pytest.mark.slow

NOW = "2026-11-30T09:00Z"


def demo(*options: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hermes_ops", "demo", "--now", NOW, "--zone", "UTC", *options]
    environ = {**os.environ, "LC_ALL": "C.UTF-8", **env}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ)


def test_it_answers_names_question_and_folder_and_leaves_what_is_kept(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    done = demo("--keep", str(kept), "--json", LC_ALL="zh_CN.UTF-8")
    assert done.returncode == ANSWERED, done.stderr
    truth = json.loads((tmp_path / "kept.truth.json").read_text(encoding="utf-8"))
    assert truth["questions"][0]["text"] in done.stderr
    assert str(kept) in done.stderr
    answer = json.loads(done.stdout)
    assert answer["unverified"] == []
    assert answer["skipped"] == []
    assert answer["offline"] is True
    assert truth["trouble"]["cause"]["change"] in answer["answer"]
    assert not list(kept.rglob("*truth*"))


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = demo("--keep", str(tmp_path))
    assert done.returncode == ConfigError.exit_code
    assert "is not empty" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_a_variant_that_does_not_exist_is_refused_with_those_that_do() -> None:
    done = demo("--variant", "gremlins")
    assert done.returncode == ConfigError.exit_code
    assert "no cause 'gremlins'; choose one of deploy, config, flag" in done.stderr
