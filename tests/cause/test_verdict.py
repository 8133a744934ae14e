"""Which of several explanations is named: ties, switches' names, mistakes that sleep, surges that a caller makes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryChanges, MemoryLogs, MemoryMetrics
from orchestrator.contracts import Scope
from subagents.cause.analyse import analyse, judge
from subagents.cause.candidates import candidates
from subagents.cause.facts import Facts
from subagents.cause.midnight import midnight, zones
from subagents.cause.model import Cause
from subagents.sources import Episode, Pattern, Series, Sources
from tests.cause.test_analyse import measured
from tests.subagents.changes.test_ranking import change
from tests.subagents.rig import at, by_time, calm, errors, window

BUSY = "all workers busy, request queued for 9 s"


def settings(first: tuple[str, str], second: tuple[str, str], later: str = "13:01") -> Cause:
    """Of a service whose workers are busy since 13:03: two settings, (key, old → new), the second at `later`."""
    rows = tuple(
        replace(change("config", "pay", when, str(n), title=f"{key}: {values}"), has_diff=False)
        for n, ((key, values), when) in enumerate(((first, "13:01"), (second, later)), 1)
    )
    busy = Pattern(BUSY, "pay", "error", 90, 0, at("13:03"), at("13:30"), BUSY)
    bins = {at("12:00") + timedelta(minutes=m): 6 for m in range(60, 90)}
    lines = {at("11:00") + timedelta(minutes=m): 6 for m in range(150)}
    facts = Facts(window(), errors={"pay": bins}, lines={"pay": lines}, patterns=(busy,), changes=rows)
    return judge(facts, Scope(services=("pay",)), at("13:04")).cause


def test_two_settings_of_one_deploy_that_bring_the_same_tie_whatever_words_they_bear():
    tied = settings(("workers", "16 → 2"), ("threads", "16 → 2"))
    assert (tied.verdict, tied.change) == ("unknown", "")
    assert set(tied.tied) == {"1", "2"}


@pytest.mark.parametrize(
    ("second", "later"),
    [(("threads", "16 → 15"), "13:01"), (("log_level", "info → warn"), "13:01"), (("threads", "16 → 2"), "11:20")],
)
def test_settings_that_differ_in_what_they_bring_or_when_do_not_tie(second: tuple[str, str], later: str):
    found = settings(("workers", "16 → 2"), second, later)
    assert found.change == "1"


@pytest.mark.parametrize(
    ("key", "said", "named"),
    [
        ("pay_engine_b", "engine_b: no rate for card", True),
        ("pay.engine-b", "engine-b: no rate for card", True),
        ("engine_b", "engine_b: no rate for card", True),
        ("pay_engine_b", "engine: no rate for card", False),
        ("pay_on", "based on a card", False),
    ],
)
async def test_failing_lines_name_a_switch_without_its_services_name(key: str, said: str, named: bool):
    lines = by_time(calm("pay"), errors("pay", "13:03", 30, 8, said))
    rows = [change("flag", "pay", "13:02", f"{key}@1", title=f"{key}: 5%->50%")]
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), changes=(MemoryChanges("flags", rows=rows),))
    found = await analyse(sources, window(), Scope(services=("pay",)))
    told = [r.text for s in found.ranked for r in s.reasons if r.signal == "named"]
    assert bool(told) == named


def surge(calls: bool) -> Sources:
    """Six times as many requests of stock, and no more of who complains of it, or of anybody."""
    told = "stock answered 503" if calls else "the page was not shown"
    lines = by_time(
        *(calm(s) for s in ("basket", "stock")),
        errors("stock", "13:03", 60, 8, "queue full, request shed"),
        errors("basket", "13:03", 60, 8, told),
    )
    each = (("stock", 100.0, 600.0), ("basket", 60.0, 60.0))
    loads = [measured(service, "requests_per_second", *levels) for service, *levels in each]
    return Sources(logs=(MemoryLogs("files", lines=lines),), metrics=(MemoryMetrics("metrics", rows=loads),))


@pytest.mark.parametrize(("calls", "kinds"), [(False, ["traffic surge"]), (True, [])])
async def test_more_requests_of_a_caller_with_no_more_to_do_are_no_surge(calls: bool, kinds: list[str]):
    found = await analyse(surge(calls), window(), Scope(services=("stock",)))
    assert [s.kind for s in found.ranked if s.kind == "traffic surge"] == kinds


@pytest.mark.parametrize(
    ("text", "deployed", "failed", "night"),
    [
        ("datetime.utcnow().date()", "2026-03-04T14:00", "2026-03-05T00:02", "2026-03-05T00:00"),
        ('now(ZoneInfo("Asia/Shanghai"))', "2026-03-04T09:00", "2026-03-04T16:03", "2026-03-04T16:00"),
        ('now(ZoneInfo("Asia/Shanghai"))', "2026-03-04T09:00", "2026-03-04T15:00", ""),
        ("datetime.utcnow().date()", "2026-03-02T14:00", "2026-03-05T00:02", ""),
        ("datetime.utcnow().date()", "2026-03-04T14:00", "2026-03-04T23:50", ""),
        ("return a / b", "2026-03-04T14:00", "2026-03-05T00:02", ""),
    ],
)
def test_a_mistake_with_dates_sleeps_until_the_date_changes(text: str, deployed: str, failed: str, night: str):
    begun, onset = (datetime.fromisoformat(t).replace(tzinfo=UTC) for t in (deployed, failed))
    found = midnight(text, begun, onset)
    assert (f"{found:%Y-%m-%dT%H:%M}" if found else "") == night


def test_words_that_are_no_zone_are_none():
    assert [str(z) for z in zones("Europe/Nowhere Asia/Shanghai And/Or")] == ["Asia/Shanghai"]


@pytest.mark.parametrize(
    ("metric", "moved"),
    [("node_disk_io_time_seconds", True), ("node_pressure_io_waiting", True), ("node_eventloop_lag_seconds", False),
     ("node_network_receive_bytes", False), ("by_node_requests", False)],
)  # fmt: skip
async def test_only_what_is_a_nodes_own_trouble_speaks_for_the_node(metric: str, moved: bool):
    lines = by_time(calm("pay"), errors("pay", "13:03", 60, 8, "kernel: request took too long"))
    rows: list[Series] = [measured("pay", metric, 1.0, 40.0)]
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), metrics=(MemoryMetrics("metrics", rows=rows),))
    found = await analyse(sources, window(), Scope(services=("pay",)))
    [node] = [s for s in found.ranked if s.kind == "node"]
    assert ("metric" in [r.signal for r in node.reasons]) == moved


@pytest.mark.parametrize(
    ("on", "fits", "named"), [("edge-envoy", True, True), ("edge-envoy", False, False), ("reports", True, False)]
)
async def test_what_stands_before_all_by_its_name_may_be_the_cause(on: str, fits: bool, named: bool):
    lines = by_time(calm("login"), errors("login", "13:03", 120, 8, "rate limit reached for client 10.8.0.4"))
    diff = "-  xff_num_trusted_hops: 1\n+  xff_num_trusted_hops: 0" if fits else "+  note: seen"
    rows = [replace(change("deploy", on, "13:02", "edge1"), has_diff=True)]
    changes = MemoryChanges("git", rows=rows, diffs={"edge1": diff})
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=lines),), changes=(changes,)), window())
    assert (found.cause.change == "edge1") == named


async def test_a_metric_that_an_alert_watches_does_harm():
    lines = by_time(calm("writer"), calm("map"))
    rows: list[Series] = [measured("writer", "orders_left_open", 2.0, 90.0)]
    alert = Episode("open-orders", "writer", "critical", at("13:06"), None, labels={"metric": "orders_left_open"})
    for alerts, verdict in (((), ""), ((alert,), "writer")):
        sources = Sources(
            logs=(MemoryLogs("files", lines=lines),),
            metrics=(MemoryMetrics("metrics", rows=rows),),
            alerts=(MemoryAlerts("alerts", rows=alerts),),
        )
        found = await analyse(sources, window())
        assert found.cause.first_failing == verdict
        onset = found.cause.onset
    assert onset is not None
    assert onset < at("13:06")


async def test_code_behind_a_flag_works_since_it_was_switched_and_the_change_is_named_not_the_switch():
    lines = by_time(calm("fare"), errors("fare", "13:03", 60, 8, "price check failed: currency differs"))
    code = '-  get(f"q1:{q.currency}:{q.route}")\n+  if flags.on("quote_cache_v2"): get(f"q2:{q.route}")'
    rows = [
        replace(change("deploy", "fare", "09:40", "code1", title="second cache"), has_diff=True),
        replace(change("flag", "fare", "13:01", "flag2", title="banner_colour: off->on"), has_diff=False),
        replace(change("flag", "fare", "13:02", "flag1", title="quote_cache_v2: off->on"), has_diff=False),
    ]
    changes = MemoryChanges("git", rows=rows, diffs={"code1": code})
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=lines),), changes=(changes,)), window())
    assert found.ranked[0].id == "code1"
    assert "its flag quote_cache_v2 was switched at 13:02, 1 min before the onset" in [
        r.text for r in found.ranked[0].reasons
    ]
    assert "what it switches came with code1" in [r.text for s in found.ranked for r in s.reasons if s.id == "flag1"]


async def test_a_rights_rollout_is_on_the_services_that_its_files_name():
    said = "AccessDenied: not authorized to perform kms:Decrypt"
    lines = by_time(calm("doc-vault"), errors("doc-vault", "13:03", 60, 8, said))
    row = replace(change("deploy", "terraform-iam", "12:40", "iam1"), has_diff=True, files=("iam/doc_vault.tf",))
    changes = MemoryChanges("git", rows=[row], diffs={"iam1": '-      "kms:Decrypt",'})
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=lines),), changes=(changes,)), window())
    assert found.cause.change == "iam1"


def test_a_shared_librarys_commit_is_weighed_with_each_deploy_that_carries_it():
    shared = change("commit", "", "11:50", "abcdef1234", title="sub-second leases")
    rolled = [
        replace(change("deploy", who, when, f"d-{who}"), sha="abcdef1234")
        for who, when in (("tariff", "12:10"), ("settler", "12:40"))
    ]
    carried = [(c.id, c.service) for c in candidates([shared, *rolled], ("tariff", "settler"))]
    assert carried == [("abcdef1234", "tariff"), ("abcdef1234", "settler")]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ('nextval: reached maximum value of sequence "entries_id_seq" (2147483647)', "numbers used up"),
        ("PutItem bids throttled, attempt 3/3", "quota"),
        ("cpu throttled by a neighbour on the shared node", "noisy neighbour"),
        ("AccessDenied for arn:aws:iam:eu-central-1:123:role/x", ""),
        ("eu-central-1 is down: region outage", "region"),
        ("consumer poll timeout: raise max.poll.interval.ms", ""),
    ],
)
async def test_what_failing_lines_say_of_an_operational_cause(said: str, kind: str):
    lines = by_time(calm("pay"), errors("pay", "13:03", 60, 8, said))
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=lines),)), window())
    assert {s.kind for s in found.ranked if s.verdict == "operational"} == ({kind} if kind else set())
