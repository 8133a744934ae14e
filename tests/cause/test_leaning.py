"""Who suffers from whom: stores from their users, a callee from a caller that sends more than it gets."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hermes_ops.testing.sources import MemoryAlerts, MemoryChanges, MemoryLogs, MemoryMetrics
from orchestrator.contracts import Scope
from subagents.cause.analyse import analyse, judge
from subagents.cause.facts import Facts
from subagents.cause.model import Analysis
from subagents.sources import Pattern, Series, Sources
from subagents.topology import Topology
from tests.cause.test_analyse import measured
from tests.subagents.changes.test_ranking import change
from tests.subagents.rig import at, by_time, calm, episode, errors, window


def since(service: str, name: str, usual: float, later: float, start: str) -> Series:
    points = ((at("11:00") + timedelta(minutes=n)) for n in range(240))
    return Series(name, service, "gauge", "", tuple((t, later if t >= at(start) else usual) for t in points))


def judged(series: list[Series], *calls: tuple[str, str], crying: str = "") -> Analysis:
    fired = (episode("slow", crying, "13:10", None),) if crying else ()
    return judge(Facts(window(), topology=Topology(calls), series=tuple(series), episodes=fired), Scope())


@pytest.mark.parametrize(
    ("metric", "first"),
    [
        ("lock_wait_seconds_p95", "stock-api"),
        ("queue_oldest_message_age_seconds", "stock-api"),
        ("query_duration_p99_ms", "stock-db"),
    ],
)
def test_a_store_where_one_waits_for_another_or_whose_queue_grows_isnt_first(metric: str, first: str):
    series = [since("stock-db", metric, 1.0, 90.0, "13:02"), since("stock-api", "error_ratio", 0.01, 0.4, "13:03")]
    assert judged(series, ("stock-api", "stock-db")).cause.first_failing == first


@pytest.mark.parametrize(("callers", "first"), [(200.0, "quote"), (800.0, "price")])
def test_who_sends_a_callee_more_than_it_gets_itself_is_first(callers: float, first: str):
    """Requests that are tried again and again: the callee that they wear down is the victim."""
    series = [
        since("quote", "requests_per_sec", 200.0, callers, "13:00"),
        since("price", "requests_per_sec", 200.0, 800.0, "13:00"),
        since("quote", "deadline_exceeded_per_sec", 0.1, 300.0, "13:01"),
        since("price", "http_server_duration_p99_ms", 90.0, 700.0, "13:03"),
    ]
    assert judged(series, ("quote", "price"), crying="price").cause.first_failing == first


@pytest.mark.parametrize(("failed", "first"), [("13:00", "price"), ("13:02", "quote")])
def test_who_tries_a_failing_callee_again_and_again_isnt_first(failed: str, first: str):
    series = [
        since("quote", "requests_per_sec", 200.0, 200.0, "13:00"),
        since("price", "requests_per_sec", 200.0, 800.0, "13:02"),
        since("quote", "deadline_exceeded_per_sec", 0.1, 300.0, "13:01"),
        since("price", "http_server_duration_p99_ms", 90.0, 700.0, failed),
    ]
    assert judged(series, ("quote", "price"), crying="price").cause.first_failing == first


def test_who_fails_only_in_what_it_calls_isnt_first():
    series = [
        since("shop", "upstream_call_error_ratio", 0.01, 0.7, "13:03"),
        since("price", "error_ratio", 0.01, 0.7, "13:03"),
    ]
    assert judged(series).cause.first_failing == "price"


@pytest.mark.parametrize(("said", "first"), [("token is expired", "gate"), ("no such user", "user")])
def test_a_caller_that_fails_first_and_in_the_same_words_waits_for_nobody(said: str, first: str):
    patterns = tuple(
        Pattern(text, name, "error", 900, 0, at(clock), at("14:00"), text)
        for name, clock, text in (("gate", "13:01", "token is expired"), ("user", "13:02", said))
    )
    series = [since(n, "http_401_ratio", 0.01, 0.5, clock) for n, clock in (("gate", "13:01"), ("user", "13:02"))]
    facts = Facts(window(), topology=Topology([("gate", "user")]), series=tuple(series), patterns=patterns)
    assert judge(facts, Scope()).cause.first_failing == first


async def test_a_service_of_which_no_call_is_known_is_reached_where_it_fails_with_the_others():
    told = (("pay", "13:03", "boom 7"), ("cart", "13:03", "pay answered 503"), ("desk", "13:05", "held back"))
    lines = by_time(*(calm(s) for s, _, _ in told), *(errors(s, start, 40, 6, message) for s, start, message in told))
    sources = Sources(logs=(MemoryLogs("files", lines=lines),))
    found = await analyse(sources, window(), Scope(services=("cart",)), topology=Topology([("cart", "pay")]))
    assert (found.cause.first_failing, found.cause.blast_radius) == ("pay", ("cart", "desk"))


async def test_what_comes_every_hour_began_the_first_time():
    lines = by_time(calm("stock"), *(errors("stock", f"{h}:00", 5, 6, "lock wait timeout") for h in (12, 13, 14)))
    rows = [change("deploy", "stock", clock, id) for clock, id in (("11:40", "early"), ("13:55", "late"))]
    fired = MemoryAlerts("alerts", rows=[episode("slow", "stock", "14:03", None)])
    sources = Sources(
        logs=(MemoryLogs("files", lines=lines),), alerts=(fired,), changes=(MemoryChanges("git", rows=rows),)
    )
    found = await analyse(sources, window("11:00", "14:30"))
    assert found.cause.onset == at("12:00")
    assert {s.id: s.against for s in found.ranked if s.verdict == "change"} == {"early": "", "late": "after_onset"}


async def test_trouble_that_shows_in_warnings_only_is_found():
    warned = [replace(x, level="warn") for x in errors("pay", "13:03", 40, 6, "too slow")]
    found = await analyse(Sources(logs=(MemoryLogs("files", lines=by_time(calm("pay"), warned)),)), window())
    assert found.cause.first_failing == "pay"
    assert any("240 warnings" in r.text for r in found.cause.reasons)


async def test_where_the_first_to_fail_gets_no_more_the_requests_come_from_no_surge():
    lines = by_time(
        *(calm(s) for s in ("quote", "price")),
        errors("quote", "13:03", 60, 8, "gave up on a basket"),
        errors("price", "13:09", 60, 8, "queue full, request shed"),
    )
    loads = [measured(s, "requests_per_second", 100.0, later) for s, later in (("quote", 100.0), ("price", 600.0))]
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), metrics=(MemoryMetrics("metrics", rows=loads),))
    found = await analyse(sources, window(), Scope(services=("quote",)))
    assert found.cause.first_failing == "quote"
    assert [s.kind for s in found.ranked if s.kind == "traffic surge"] == []
