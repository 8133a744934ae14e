"""The command as a real process: bad input is one sentence and a code, and `--version` stays cheap."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hermes_ops.version import VERSION

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def command(*args: str, data: Path, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HERMES_OPS_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-m", "hermes_ops", *args],
        input=stdin,
        capture_output=True,
        env={**clean, "HERMES_OPS_DATA_DIR": str(data), "XDG_CONFIG_HOME": str(data), **env},
        cwd=ROOT,
        timeout=30,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "incident"
    path.mkdir()
    (path / "logs.jsonl").write_text('{"ts":"2026-11-29T14:00:00Z","level":"error","msg":"x"}\n')
    return path


def refused(done: subprocess.CompletedProcess[str], *words: str, code: int = 2) -> None:
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "went wrong inside" not in done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_version(tmp_path: Path) -> None:
    done = command("--version", data=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"hermes-ops {VERSION}\n")
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


def test_version_imports_next_to_nothing() -> None:
    heavy = "{'typer', 'pydantic', 'sqlalchemy', 'openai', 'rich', 'asyncio', 'importlib.metadata'}"
    code = "import sys; sys.argv = ['x', '--version']; from hermes_ops.cli.main import main; main(); "
    code += f"print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "set()"


def test_help_names_every_option(tmp_path: Path) -> None:
    done = command("ask", "--help", data=tmp_path)
    assert done.returncode == 0
    for option in "--folder --offline --now --zone --user --session --resume --new --json".split():  # noqa: SIM905
        assert option in done.stdout


def test_no_folder(tmp_path: Path) -> None:
    refused(command("ask", "errors?", data=tmp_path), "There is nothing to look things up in")


def test_folder_missing_file_or_empty(tmp_path: Path, folder: Path) -> None:
    refused(command("ask", "errors?", "--folder", str(tmp_path / "no"), data=tmp_path), "There is no folder")
    refused(command("ask", "errors?", "--folder", str(folder / "logs.jsonl"), data=tmp_path), "is a file, not a folder")
    (tmp_path / "empty").mkdir()
    refused(command("ask", "errors?", "--folder", str(tmp_path / "empty"), data=tmp_path), "is empty")


def test_empty_question(tmp_path: Path, folder: Path) -> None:
    refused(command("ask", " ", "--folder", str(folder), data=tmp_path), "question is empty")


def test_no_question_at_all(tmp_path: Path, folder: Path) -> None:
    refused(command("ask", "--folder", str(folder), data=tmp_path), "No question was given")


def test_100_kb_question(tmp_path: Path, folder: Path) -> None:
    refused(command("ask", "x" * 100_000, "--folder", str(folder), data=tmp_path), "8,000 characters", "into a file")
    done = command("ask", "-", "--folder", str(folder), data=tmp_path, stdin="错".encode() * 100_000)
    refused(done, "8,000 characters")


def test_empty_stdin(tmp_path: Path, folder: Path) -> None:
    refused(command("ask", "-", "--folder", str(folder), data=tmp_path), "question is empty")


def test_bad_now_and_zone(tmp_path: Path, folder: Path) -> None:
    asked = ("ask", "errors?", "--folder", str(folder))
    refused(command(*asked, "--now", "yesterday", data=tmp_path), "--now", "2026-11-30T09:00")
    refused(command(*asked, "--zone", "Asia/Shangai", data=tmp_path), "no time zone", "Asia/Shanghai")


def test_resume_and_new_exclude_each_other(tmp_path: Path, folder: Path) -> None:
    done = command("ask", "e?", "--folder", str(folder), "--resume", "r", "--new", data=tmp_path)
    refused(done, "--resume", "--new", "one of them")


def test_unknown_run(tmp_path: Path, folder: Path) -> None:
    done = command("ask", "--resume", "20260101-nope", data=tmp_path)
    refused(done, "no run 20260101-nope", code=3)


def test_bad_names(tmp_path: Path, folder: Path) -> None:
    refused(command("ask", "e?", "--folder", str(folder), "--session", "a\nb", data=tmp_path), "--session")
    refused(command("ask", "e?", "--folder", str(folder), "--user", "u" * 101, data=tmp_path), "--user")


def test_wrong_usage(tmp_path: Path) -> None:
    refused(command("ask", "e?", "--fold", "x", data=tmp_path), "--fold")
    refused(command("aks", data=tmp_path), "aks")


def test_bad_settings(tmp_path: Path, folder: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[model]\ntemprature = 1\n")
    done = command("ask", "e?", "--folder", str(folder), data=tmp_path, HERMES_OPS_CONFIG=str(config))
    refused(done, str(config), "model.temprature", "'temperature'")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_data_directory(tmp_path: Path, folder: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    refused(command("ask", "e?", "--folder", str(folder), data=closed), str(closed), "HERMES_OPS_DATA_DIR", code=3)


def test_data_directory_that_is_a_file(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").write_text("")
    done = command("ask", "e?", "--folder", str(folder), data=tmp_path / "file")
    refused(done, str(tmp_path / "file"), "HERMES_OPS_DATA_DIR", code=3)


def test_broken_pipe_is_quiet(tmp_path: Path) -> None:
    script = (
        "import sys; from dataclasses import replace; from pathlib import Path\n"
        "from tests.cli.fake_app import FakeApp, FULL, ask, Request, Settings\n"
        "app = FakeApp(answer=replace(FULL, text='x' * 1_000_000))\n"
        f"sys.exit(ask(Request('why?', None), Settings(data_dir=Path({str(tmp_path)!r})), app))\n"
    )
    shell = f'{sys.executable} -c "$SCRIPT" | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", shell], env={**os.environ, "SCRIPT": script}, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_terminal_without_chinese_gets_escapes_and_no_error(tmp_path: Path, folder: Path) -> None:
    asked = ("ask", "昨天有多少错误？", "--folder", str(folder), "--offline", "--now", "2026-11-30T09:00Z")
    done = command(*asked, data=tmp_path / "data", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "\\u9519\\u8bef" in done.stdout  # 错误
