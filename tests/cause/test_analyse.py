from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_ops.demo.generate import generate
from hermes_ops.demo.truth import Truth
from hermes_ops.demo.variant import parse
from hermes_ops.testing.sources import MemoryChanges, MemoryLogs, MemoryMetrics
from orchestrator.contracts import Scope, Window, from_json, to_json
from subagents.cause.analyse import analyse
from subagents.cause.model import Analysis
from subagents.folder.folder import open_folder
from subagents.sources import Series, Sources
from subagents.topology import Topology, learnt
from tests.subagents.changes.test_ranking import SHA, change
from tests.subagents.rig import at, by_time, calm, errors, window

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


async def of(folder: Path, variant: str, seed: int) -> tuple[Analysis, Truth, float]:
    chosen = replace(parse(variant, seed), hours=7, per_minute=14)
    truth = generate(folder, seed, NOW, chosen)
    opened = open_folder(folder)
    cover, sources = opened.coverage(), opened.sources()
    assert cover.since is not None
    assert cover.until is not None
    span = Window(cover.since, cover.until + timedelta(seconds=1))
    graph = Topology(await learnt(sources.spans, None))
    start = time.process_time()
    found = await analyse(sources, span, Scope(services=(truth.trouble.service,)), topology=graph)
    took = time.process_time() - start
    opened.close()
    return found, truth, took


@pytest.mark.parametrize(
    ("variant", "seed"),
    [
        ("deploy:pool", 7001),
        pytest.param("deploy:memory", 7002, marks=pytest.mark.slow),
        pytest.param("config:dns", 7003, marks=pytest.mark.slow),
        pytest.param("flag", 7004, marks=pytest.mark.slow),
    ],
)
async def test_a_generated_change_is_named_with_where_and_when(tmp_path: Path, variant: str, seed: int):
    found, truth, took = await of(tmp_path, variant, seed)
    c, trouble = found.cause, truth.trouble
    assert c.verdict == "change"
    assert c.change in trouble.cause.ids
    assert c.first_failing == trouble.first_failing
    assert set(c.blast_radius) == set(trouble.blast_radius) - {trouble.first_failing}
    assert c.onset is not None
    assert abs(c.onset - trouble.onset) <= timedelta(minutes=4)
    assert c.confidence >= 0.5
    assert any(r.query for r in c.reasons), "a reason says what was asked"
    assert took < 5.0  # seconds of CPU, which a busy machine makes longer
    assert from_json(Analysis, to_json(found)) == found


@pytest.mark.parametrize(("variant", "kind"), [
    pytest.param("certificate", "certificate", marks=pytest.mark.slow),
    pytest.param("upstream:provider", "provider outage", marks=pytest.mark.slow),
    pytest.param("traffic", "traffic surge", marks=pytest.mark.slow),
])  # fmt: skip
async def test_what_is_no_change_is_named_as_what_it_is(tmp_path: Path, variant: str, kind: str):
    found, _, _ = await of(tmp_path, variant, 7010)
    assert (found.cause.verdict, found.cause.kind, found.cause.change) == ("operational", kind, "")


@pytest.mark.slow
async def test_without_an_explanation_no_change_is_blamed(tmp_path: Path):
    found, _, _ = await of(tmp_path, "none", 7020)
    assert found.cause.change == ""
    assert all(s.verdict == "unknown" or s.reasons or s.against for s in found.ranked)


async def test_two_alike_are_a_tie_not_a_guess():
    lines = by_time(calm("pay"), errors("pay", "13:03", 20, 8, "boom 7"))
    pair = [change("deploy", "pay", "13:01", n, version=n, title="tune it") for n in ("1.0.1", "1.0.2")]
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), changes=(MemoryChanges("git", rows=pair),))
    found = (await analyse(sources, window(), Scope(services=("pay",)))).cause
    assert found.verdict == "unknown"
    assert found.change == ""


async def test_a_change_after_the_onset_is_ruled_out():
    lines = by_time(calm("pay"), errors("pay", "13:03", 20, 8, "boom 7"))
    late = change("deploy", "pay", "13:20", version="2", sha=SHA)
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), changes=(MemoryChanges("git", rows=[late]),))
    found = await analyse(sources, window())
    assert [s.against for s in found.ranked if s.verdict == "change"] == ["after_onset"]


async def test_calm_data_has_no_cause():
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=calm("pay")),)), window())
    assert found.cause.verdict == "unknown"
    assert found.cause.onset is None


async def test_a_failed_source_is_a_gap():
    broken = Sources(logs=(MemoryLogs("files", lines=calm("pay"), down="token expired"),))
    found = await analyse(broken, window())
    assert any("token expired" in gap for gap in found.gaps)


def measured(service: str, name: str, usual: float, later: float) -> Series:
    points = ((at("06:00") + timedelta(minutes=5 * n)) for n in range(108))
    return Series(name, service, "gauge", "", tuple((t, later if t >= at("13:03") else usual) for t in points))


@pytest.mark.parametrize("services", [("front", "ledger"), ("bay", "ledger"), ("zulu", "ledger")])
async def test_who_waits_for_another_adds_nothing_of_its_own(services: tuple[str, str]):
    """No graph, both slower by the same: what the caller's lines say of the callee tells whose time it is."""
    caller, callee = services
    lines = by_time(
        *(calm(s) for s in services),
        errors(caller, "13:03", 60, 6, f"call of {callee} failed: upstream returned 502"),
        errors(callee, "13:03", 60, 6, "timeout waiting for a database connection, pool of 2 in use"),
    )
    slow = [measured(s, "request_latency_seconds_mean", 0.1, 1.1) for s in services]
    loads = [measured(s, "requests_per_second", 50.0, 50.0) for s in services]
    sources = Sources(
        logs=(MemoryLogs("files", lines=lines),), metrics=(MemoryMetrics("metrics", rows=[*slow, *loads]),)
    )
    for end in ("13:30", "13:55"):
        found = await analyse(sources, window(end=end), Scope(services=services))
        assert found.cause.first_failing == callee
        (first, *others) = found.services
        assert {r.signal: r.weight for r in first.reasons}["own share"] > 0
        assert all(r.weight < 0 for p in others for r in p.reasons if r.signal == "own share")


async def test_a_store_that_nobody_is_known_to_call_comes_before_those_who_fail_with_it():
    lines = by_time(
        *(calm(s) for s in ("menu-api", "menu-db")),
        errors("menu-api", "13:03", 40, 6, "request took 2600 ms, gave up"),
        errors("menu-db", "13:03", 40, 6, "slow statement: 2600 ms"),
    )
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=lines),)), window())
    assert (found.cause.first_failing, found.cause.blast_radius) == ("menu-db", ("menu-api",))


async def test_of_a_name_that_cannot_be_resolved_its_bearer_is_not_to_blame():
    lines = by_time(
        *(calm(s) for s in ("billing", "ledger", "coredns")),
        errors("billing", "13:03", 40, 6, "lookup ledger.prod.svc: no such host"),
        errors("ledger", "13:03", 40, 6, "could not resolve host pg.prod: name resolution failed"),
        errors("coredns", "13:03", 40, 6, "dns: SERVFAIL for ledger.prod.svc"),
    )
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=lines),)), window())
    assert found.cause.first_failing == "coredns"
    assert set(found.cause.blast_radius) == {"billing", "ledger"}


async def test_who_took_a_change_back_is_said_by_service_and_version():
    lines = by_time(calm("pay"), errors("pay", "13:03", 20, 8, "boom 7"))
    rows = [
        change("deploy", "pay", "13:01", "9001", version="2.4.1"),
        change("deploy", "pay", "13:24", "9009", version="2.4.2", title="Revert the pool", reverts="9001"),
    ]
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), changes=(MemoryChanges("git", rows=rows),))
    found = await analyse(sources, window())
    assert "taken back at 13:24 by pay 2.4.2" in [r.text for s in found.ranked for r in s.reasons]
