"""`hermes-ops report` as a team lead runs it: on a folder, in each format, and what it refuses."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hermes_ops.cli.commands import app
from orchestrator.errors import ConfigError
from tests.report.test_making import folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("command") / "files")


def run(home: Path, *args: str) -> str:
    env = {"HERMES_OPS_DATA_DIR": str(home), "HERMES_OPS_TEAM__NAME": "shop"}
    result = CliRunner().invoke(app, ["report", *args], env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


OF = ("--date", "2026-11-25", "--zone", "UTC", "--offline")


@pytest.mark.slow
def test_each_format_has_the_same_figures(files: Path, tmp_path: Path):
    where = ("--folder", str(files), *OF)
    found = json.loads(run(tmp_path, *where, "--format", "json"))
    assert (found["schema"], found["alerts"]["fired"]["value"], found["errors"]["total"]["value"]) == (1, 2, 150)
    short, full = run(tmp_path, *where, "--lang", "zh"), run(tmp_path, *where, "--full", "--lang", "en")
    assert "错误日志：150" in short
    assert "payment 150" in full
    assert found["incidents"][0]["key"] in full
    page = tmp_path / "day.html"
    run(tmp_path, *where, "-o", str(page))
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads(run(tmp_path, *where, "--format", "card"))["schema"] == "2.0"


@pytest.mark.slow
def test_an_old_folder_is_reported_by_its_last_day(files: Path, tmp_path: Path):
    found = json.loads(
        run(tmp_path, "--folder", str(files), "--zone", "UTC", "--now", "2027-02-01", "--format", "json")
    )
    assert found["window"]["start"] == "2026-11-25T00:00:00Z"
    assert found["alerts"]["fired"]["value"] == 2


@pytest.mark.slow
def test_a_shift_and_one_service(files: Path, tmp_path: Path):
    args = ("--folder", str(files), "--window", "2026-11-25 09:00 到 2026-11-25 12:00", "--zone", "UTC", "--offline")
    found = json.loads(run(tmp_path, *args, "--services", "checkout", "--format", "json"))
    assert (found["kind"], found["services"]) == ("shift", ["checkout"])
    assert (found["alerts"]["fired"]["value"], found["errors"]["total"]["value"]) == (0, 0)
    assert found["handover"] is not None


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("--date", "blah"), "can't be read"),
        (("--window", "昨天", "--week"), "--window"),
        (("--lang", "fr"), "zh, en"),
        (("-o", "no/such/place.html"), "no directory"),
        (("-o", "."), "is a directory"),
        (("--date", "2999-01-01"), "not begun"),
        (("--services", "chekout"), "checkout"),
        (("--zone", "Mars/Base"), "time zone"),
        (("confirm", "payment"), "Say what the cause was"),
        (("confirm", "payment", "the pool"), "no one incident"),
    ],
)
def test_what_it_refuses_says_what_to_do(files: Path, tmp_path: Path, args: tuple[str, ...], word: str):
    where = () if args[0] == "confirm" else ("--folder", str(files))
    with pytest.raises(ConfigError, match=word):
        run(tmp_path, *where, *args)


@pytest.mark.slow
def test_confirmed_by_key_a_folder_report_gives_it(files: Path, tmp_path: Path):
    run(tmp_path, "confirm", "payment@2026-11-25T10:02Z", "连接池太小", "--user", "ana")
    found = json.loads(run(tmp_path, "--folder", str(files), *OF, "--format", "json"))
    (incident,) = found["incidents"]
    assert (incident["cause"]["kind"], incident["cause"]["title"], incident["cause"]["by"]) == (
        "confirmed", "连接池太小", "ana",
    )  # fmt: skip
    run(tmp_path, "confirm", "payment@2026-11-25T10:02Z", "--undo")
    again = json.loads(run(tmp_path, "--folder", str(files), *OF, "--format", "json"))
    assert again["incidents"][0]["cause"]["kind"] != "confirmed"


@pytest.mark.slow
def test_of_what_is_configured_it_is_stored_and_corrected_by_force(files: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HERMES_OPS_SOURCES__FOLDER", str(files))
    first = json.loads(run(tmp_path, *OF, "--format", "json"))
    assert json.loads(run(tmp_path, *OF, "--format", "json")) == first
    anew = json.loads(run(tmp_path, *OF, "--format", "json", "--force"))
    assert (first["corrected"], anew["corrected"]) == (False, True)
    assert json.loads(run(tmp_path, *OF, "--format", "json"))["corrected"]
