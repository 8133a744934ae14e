"""The answer must not hang on the form of what is known: the alterations themselves, and the bench over them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.cause import robust
from bench.cause.altered import ALTERATIONS
from tests.shared import shared

SHA = "ab" * 20
TRUTH = {
    "root_cause_commit": SHA,
    "first_failing_service": "cartservice",
    "blast_radius": ["web"],
    "decoy_deploy_commits": [],
}
FILES: dict[str, Any] = {
    "alert.json": {"service": "cartservice", "fired_at": "2026-06-20T13:53:00Z", "summary": "cartservice is slow"},
    "traces.json": [{"service": "web", "start": "2026-06-20T13:50:30Z"}],
    "patterns.json": [{"signature": "call of cartservice failed", "service": "web", "count": 9}],
    "context/commits.json": [
        {"sha": SHA, "message": "fix: pool size", "files_changed": ["services/cart/a.go"], "diff": "@@ a @@"},
        {"sha": "cd" * 20, "message": "feat: cartservicex", "files_changed": ["README.md"], "diff": None},
    ],
    "context/deploys.json": [{"timestamp": "2026-06-20T13:42:00Z", "service": "cartservice", "commit_sha": SHA}],
    "context/flags.json": [],
}
LOGS = [{"timestamp": f"2026-06-20T13:0{n}:00Z", "service": "web", "msg": f"m {n}", "trace_id": "t"} for n in range(9)]


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    (tmp_path / "context").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "logs.ndjson").write_text("".join(json.dumps(r) + "\n" for r in LOGS), encoding="utf-8")
    rows = "".join(f"2026-06-20T13:0{n}:00Z,cartservice,latency,{n}\n" for n in range(9))
    (tmp_path / "metrics.csv").write_text("timestamp,service,metric,value\n" + rows, encoding="utf-8")
    return tmp_path


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def test_neutral_names_are_the_same_everywhere_and_only_those_of_services_change(incident: Path):
    truth = ALTERATIONS["neutral names"](incident, TRUTH)
    cart, web = truth["first_failing_service"], truth["blast_radius"][0]
    assert {"cartservice", "web"} & {cart, web} == set()
    assert f"call of {cart} failed" in (incident / "patterns.json").read_text(encoding="utf-8")
    assert rows(incident, "context/commits.json")[0]["files_changed"] == [f"services/{cart}/a.go"]
    assert rows(incident, "context/commits.json")[1]["message"] == "feat: cartservicex"
    assert (incident / "metrics.csv").read_text(encoding="utf-8").count(f",{cart},") == 9


def test_times_move_by_whole_days_in_all_files(incident: Path):
    ALTERATIONS["later by days"](incident, TRUTH)
    assert rows(incident, "context/deploys.json")[0]["timestamp"] == "2026-07-07T13:42:00Z"
    assert "2026-06" not in "".join(p.read_text(encoding="utf-8") for p in incident.rglob("*") if p.is_file())


def test_without_its_record_the_cause_is_in_no_file_and_only_cant_tell_is_right(incident: Path):
    truth = ALTERATIONS["the cause unrecorded"](incident, TRUTH)
    assert (truth["root_cause_commit"], truth["hidden"]) == ("none", True)
    assert SHA not in "".join(p.read_text(encoding="utf-8") for p in incident.rglob("*") if p.is_file())


@pytest.mark.parametrize(
    ("name", "gone", "kept"),
    [
        ("no metrics", "metrics.csv", 7),
        ("logs in several files", "logs.ndjson", 9),
        ("logs as plain text", "logs.ndjson", 8),
        ("logs and changes only", "alert.json", 4),
        ("as it is", "", 8),
    ],
)
def test_what_is_left_out_is_gone_and_the_rest_stays(incident: Path, name: str, gone: str, kept: int):
    ALTERATIONS[name](incident, TRUTH)
    left = [p for p in incident.rglob("*") if p.is_file()]
    assert len(left) == kept
    assert not gone or not (incident / gone).exists()


@pytest.mark.parametrize(("name", "lines"), [("a third of the logs", 3), ("no trace ids", 9)])
def test_logs_are_thinned_or_lose_a_field(incident: Path, name: str, lines: int):
    ALTERATIONS[name](incident, TRUTH)
    found = (incident / "logs.ndjson").read_text(encoding="utf-8").splitlines()
    assert len(found) == lines
    assert all(("trace_id" in x) == (name != "no trace ids") for x in found)


def test_every_alteration_leaves_what_is_right_and_can_be_read_again(incident: Path, tmp_path_factory: Any):
    for name, altered in ALTERATIONS.items():
        copy = tmp_path_factory.mktemp("copy") / "incident"
        shutil.copytree(incident, copy)
        assert altered(copy, TRUTH).keys() >= TRUTH.keys(), name
        for path in copy.rglob("*.json"):
            json.loads(path.read_text(encoding="utf-8"))


def row(**more: float) -> dict[str, Any]:
    return {"of": 12, "right": 12, "wrong": 0, "decoys": 0, "first": 12, "blast": 0.9, **more}


def test_an_abstention_is_told_only_where_the_answer_was_right_before_and_a_wrong_cause_always():
    assert robust.faults({"no logs": row(right=11)}, {}) == []
    assert robust.faults({"no logs": row(right=11)}, {"no logs": row()}) == ["no logs: right 11, last 12"]
    assert robust.faults({"no logs": row(right=11, wrong=1)}, {}) == ["no logs: 1 wrong, 0 decoys"]
    assert robust.faults({"no logs": row(of=6, right=5)}, {"no logs": row()}) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_altered_incidents_become_unclear_but_never_wrong() -> None:
    found = await robust.measured(shared("data/incidents/rootcausebench"))
    last = json.loads(robust.LAST.read_text(encoding="utf-8"))
    assert robust.faults({name: robust.summed(rows) for name, rows in found.items()}, last) == []
