"""The recorded day: every figure equals the truth beside it, also when no file name tells anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subagents.folder.folder import Folder, open_folder
from subagents.sources import AlertQuery, ChangeQuery, LogQuery
from tests.shared import shared
from tests.subagents.folder.helpers import counted, hashed, window

DAY = window("2026-11-29", "2026-11-30")


@pytest.fixture(scope="module", params=["named", pytest.param("hashed", marks=pytest.mark.slow)])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    root = shared("data/days/2026-11-29/input")
    if request.param == "hashed":
        root = hashed(root, tmp_path_factory.mktemp("day") / "h")
    opened = open_folder(root)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared("data/days/2026-11-29/truth") / "truth.json").read_text())
    return found


async def test_log_lines_by_service_and_level(folder: Folder, truth: dict[str, Any]) -> None:
    assert folder.skipped == ()
    counts = await counted(folder, "service", "level", q=LogQuery(DAY))
    frontend = {k: n for k, n in counts.items() if k[0] == "frontend"}
    assert {f"{s}:{level.upper()}": n for (s, level), n in counts.items() if s != "frontend"} == truth["log_lines"]
    assert sum(frontend.values()) == truth["availability"]["frontend"]["requests"]
    assert frontend["frontend", "error"] == truth["availability"]["frontend"]["server_errors"]


async def test_errors_by_service_and_hour(folder: Folder, truth: dict[str, Any]) -> None:
    q = LogQuery(DAY, levels=("error", "fatal"), services=("checkout",))
    hours = await counted(folder, "hour", q=q)
    assert {h: n for (h,), n in hours.items()} == {h: n for h, n in truth["checkout_errors_per_hour"].items() if n}
    codes = await counted(folder, "code", q=q)
    assert codes == {("502",): truth["requests"]["checkout:502"]}


async def test_availability(folder: Folder, truth: dict[str, Any]) -> None:
    answer = await folder.sources().metrics[0].ratio((), DAY)
    found = {r.service: {"requests": r.total, "server_errors": r.bad} for r in answer.rows}
    expected = {s: {k: v[k] for k in ("requests", "server_errors")} for s, v in truth["availability"].items()}
    assert found == expected
    for ratio in answer.rows:
        assert round((ratio.percent or 0) / 100, 6) == truth["availability"][ratio.service]["availability"]


async def test_alert_episodes(folder: Folder) -> None:
    told = json.loads((shared("data/days/2026-11-29/truth") / "alerts-truth.json").read_text())
    answer = await folder.sources().alerts[0].episodes(AlertQuery(DAY))
    found = [(dict(e.labels), e.start.timestamp(), e.end.timestamp() if e.end else None) for e in answer.rows]
    assert sorted(found, key=str) == sorted(((a["labels"], a["startsAt"], a["endsAt"]) for a in told), key=str)


async def test_changes(folder: Folder, truth: dict[str, Any]) -> None:
    rows = (await folder.sources().changes[0].list(ChangeQuery(DAY))).rows
    cause = next(c for c in rows if c.kind == "deploy" and c.version == "2.4.1")
    assert (cause.service, cause.sha) == (truth["root_cause"]["service"], truth["root_cause"]["sha"])
    undone = next(c for c in rows if c.kind == "deploy" and c.version == "2.4.2")
    assert undone.reverts == cause.id
    expected = [(e["kind"], e["service"]) for e in truth["events"] if e["kind"] in ("deploy", "ticket")]
    assert sorted((c.kind, c.service) for c in rows if c.kind != "commit") == sorted(expected)


async def test_the_search_finds_the_cause_with_its_stack_trace(folder: Folder, truth: dict[str, Any]) -> None:
    q = LogQuery(DAY, services=("payment",), levels=("error",), text=("QueuePool",))
    answer = await folder.sources().logs[0].search(q, limit=1000)
    assert answer.total == len(answer.rows) == truth["log_lines"]["payment:ERROR"]
    assert sum("Traceback" in r.message for r in answer.rows) == truth["tracebacks"]
    hashes = [r.origin for r in answer.rows]
    assert len(set(hashes)) == len(hashes)


async def test_seven_minutes_live() -> None:
    root = shared("data/days/live-7min")
    opened = open_folder(root / "input")
    truth = json.loads((root / "truth/truth.json").read_text())
    minutes = window("2026-11-30T07:53:40", "2026-11-30T08:01:00")
    counts = await counted(opened, "service", "level", q=LogQuery(minutes))
    found = {f"{s}:{level.upper()}": n for (s, level), n in counts.items()}
    assert {k: n for k, n in found.items() if k in truth["log_lines"]} == truth["log_lines"]
    assert not opened.skipped
    names = {e.name for e in (await opened.sources().alerts[0].episodes(AlertQuery(minutes))).rows}
    assert names <= {a["alertname"] for a in truth["expected_alerts"]}
    assert "CheckoutHighErrorRate" in names
    opened.close()


def test_everything_is_there(folder: Folder) -> None:
    cover = folder.coverage()
    assert cover.until is not None
    assert (cover.until.isoformat(), cover.zone) == ("2026-11-30T00:00:00+00:00", "UTC")
    assert set(cover.services) == {"frontend", "checkout", "payment", "catalog", "inventory"}


@pytest.mark.slow
def test_names_play_no_part(tmp_path: Path) -> None:
    root = shared("data/incidents/rootcausebench/cases/upstream-payment-provider-outage")
    named, nameless = open_folder(root), open_folder(hashed(root, tmp_path / "h"))
    assert named.coverage() == nameless.coverage()
