from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from hermes_ops.cli.commands import app
from hermes_ops.demo.generate import generate
from hermes_ops.demo.truth import Truth
from hermes_ops.demo.variant import parse
from orchestrator.errors import ConfigError


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    folder = tmp_path_factory.mktemp("incident")
    return folder, generate(folder, 7030, datetime(2026, 11, 30, 9, tzinfo=UTC), parse("deploy:null", 7030))


def run(home: Path, *args: str) -> str:
    result = CliRunner().invoke(app, ["analyze", *args], env={"HERMES_OPS_DATA_DIR": str(home)})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.mark.slow
def test_json_has_the_promised_fields(incident: tuple[Path, Truth], tmp_path: Path):
    folder, truth = incident
    found = json.loads(run(tmp_path, "--folder", str(folder), "--service", truth.trouble.service, "--json"))
    wanted = {
        "verdict",
        "change",
        "service",
        "first_failing",
        "blast_radius",
        "signature",
        "onset",
        "confidence",
        "reasons",
    }
    assert wanted <= found["cause"].keys()
    assert found["cause"]["change"] == truth.trouble.cause.change
    assert found["ranked"][0]["probability"] == found["cause"]["confidence"]
    assert {t["decision"] for t in found["triage"]} <= {"page", "suppress"}


@pytest.mark.slow
def test_the_text_says_the_cause_first(incident: tuple[Path, Truth], tmp_path: Path):
    folder, truth = incident
    said = run(tmp_path, "--folder", str(folder), "--zone", "UTC")
    assert said.startswith("Cause: the deploy ")
    assert truth.trouble.cause.change in said.splitlines()[0]


@pytest.mark.slow
def test_clock_times_are_the_askers(incident: tuple[Path, Truth], tmp_path: Path):
    told = {zone: run(tmp_path, "--folder", str(incident[0]), "--zone", zone) for zone in ("UTC", "Asia/Kathmandu")}
    onset = incident[1].trouble.onset
    for zone, said in told.items():
        hours = {int(h) for h in re.findall(r"(?:at|since) (\d\d):\d\d", said)}
        there = onset.astimezone(ZoneInfo(zone)).hour
        assert hours
        assert all((h - there + 12) % 24 in range(10, 15) for h in hours), said


@pytest.mark.parametrize(
    ("option", "value", "said"), [("--service", "nosuch", "It knows: "), ("--since", "x", "--since")]
)
def test_what_the_folder_does_not_know_is_refused(
    incident: tuple[Path, Truth], tmp_path: Path, option: str, value: str, said: str
):
    with pytest.raises(ConfigError, match=said):
        run(tmp_path, "--folder", str(incident[0]), option, value)


def test_a_start_after_the_data_is_refused(incident: tuple[Path, Truth], tmp_path: Path):
    with pytest.raises(ConfigError, match="lies after the folder's last record"):
        run(tmp_path, "--folder", str(incident[0]), "--since", "2027-01-01T00:00Z")
