"""Work that breaks off without a word: lines and calls that no longer come."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from random import Random

import pytest

from hermes_ops.testing.sources import MemoryChanges, MemoryLogs
from orchestrator.contracts import Scope
from subagents.cause import facts
from subagents.cause.analyse import analyse
from subagents.cause.facts import NEARBY, Facts
from subagents.cause.missing import Broken, missing, request_of
from subagents.sources import Level, LogLine, Sources, Span
from tests.subagents.changes.test_ranking import change
from tests.subagents.rig import at, by_time, window

ONSET = "13:00"
ORDER = ("shop", "got the order"), ("pay", "asks the bank"), ("pay", "charged the card"), ("shop", "placed the order")


def line(when: datetime, service: str, text: str, request: str = "", level: Level = "info") -> LogLine:
    return LogLine(when, service, level, text, "a.log:1", {"trace_id": request} if request else {})


def requests(start: str, n: int, *steps: tuple[str, str], name: str = "r", known: bool = True) -> list[LogLine]:
    """One request every 20 s; each of its steps, (service, words), a second after the one before."""
    return [
        line(at(start) + timedelta(seconds=20 * k + s), service, f"{words} {k}", f"{name}{start}-{k}" if known else "")
        for k in range(n)
        for s, (service, words) in enumerate(steps)
    ]


def cries(start: str, n: int, service: str, text: str) -> list[LogLine]:
    """An error line in each of the same requests, a while after their first step."""
    rows = ((k, at(start) + timedelta(seconds=20 * k + 5)) for k in range(n))
    return [line(when, service, text, f"r{start}-{k}", "error") for k, when in rows]


def found(*lines: LogLine, spans: tuple[Span, ...] = (), parted: str = ONSET) -> list[Broken]:
    return missing(Facts(window(), nearby=tuple(lines), parted=at(parted), spans=spans))


def test_who_stops_before_its_last_line_is_told_with_figures():
    [broken] = found(*requests("12:00", 40, *ORDER), *requests("13:00", 30, ORDER[0], ORDER[1]))
    assert (broken.service, broken.lacks, broken.of) == ("pay", 29, 29)  # the last may go on behind the data
    assert "‘charged the card" in broken.text
    assert "in 40 of 40 requests before; since 13:00 it lacks in" in broken.text


def test_what_comes_behind_the_break_is_not_blamed():
    """The shop's last line lacks as well, but only since the card isn't charged."""
    after = requests("13:00", 30, ORDER[0], ORDER[1])
    assert [b.service for b in found(*requests("12:00", 40, *ORDER), *after)] == ["pay"]


def test_a_kind_of_request_that_stops_coming_takes_nothing_along():
    search = ("shop", "searches"), ("index", "reads the index"), ("shop", "shows what it found")
    before = requests("12:00", 40, *ORDER) + requests("12:00", 40, *search, name="s")
    assert found(*before, *requests("13:00", 30, *ORDER)) == []


def test_few_requests_are_no_proof():
    assert found(*requests("12:00", 5, *ORDER), *requests("13:00", 4, ORDER[0], ORDER[1])) == []


def test_errors_that_are_no_longer_logged_are_no_harm():
    steps = (("shop", "got the order"), ("shop", "placed it"))
    before = requests("12:00", 40, *steps) + cries("12:00", 40, "shop", "failed")
    assert found(*before, *requests("13:00", 30, *steps)) == []


def test_a_complaint_in_the_request_says_more_than_a_missing_line():
    steps = (ORDER[0], ("ledger-pay", "asks the bank"), ORDER[3])
    usual, after = requests("12:00", 40, *steps), requests("13:00", 30, ORDER[0])
    assert [b.service for b in found(*usual, *after)] == ["ledger-pay"]
    complained = cries("13:00", 30, "shop", "no instance of ledger-pay")
    assert "ledger-pay" not in [b.service for b in found(*usual, *after, *complained)]


def test_a_request_that_never_reached_a_service_says_nothing_of_it():
    usual, after = requests("12:00", 40, *ORDER), requests("13:00", 30, ORDER[0])
    spans = tuple(Span(x.fields["trace_id"], "1", None, "shop", "order", x.at or at(ONSET), 1.0) for x in after)
    assert "pay" in [b.service for b in found(*usual, *after)]
    assert "pay" not in [b.service for b in found(*usual, *after, spans=spans)]


def test_two_statements_of_the_same_words_are_two():
    twice = (("pay", "Pay.java:31 done in"), ("pay", "Pay.java:57 done in"))
    [broken] = found(*requests("12:00", 40, *twice), *requests("13:00", 30, twice[0]))
    assert broken.line.startswith("Pay.java:57")


def uneven(start: str, minutes: int, *steps: str, seed: int = 1) -> list[LogLine]:
    """Between 3 and 30 requests a minute, whose lines bear no id."""
    rng, rows = Random(seed), []
    for minute in range(minutes):
        for _ in range(rng.randint(3, 30)):
            begun = at(start) + timedelta(minutes=minute, seconds=rng.uniform(0, 55))
            rows += [line(begun + timedelta(seconds=s), "pay", words) for s, words in enumerate(steps)]
    return rows


def test_without_ids_what_was_equally_many_is_missed():
    before = uneven("12:20", 30, "got the order", "charged the card")
    [broken] = found(*before, *uneven("13:00", 10, "got the order"))
    assert broken.text.startswith("‘charged the card")
    assert " 0 since 13:00, while ‘got the order" in broken.text


def test_without_ids_what_was_equally_many_by_chance_is_not_missed():
    before = uneven("12:20", 30, "got the order") + uneven("12:20", 30, "searched the index", seed=2)
    assert found(*before, *uneven("13:00", 10, "got the order")) == []


def call(n: int, start: str, callees: tuple[str, ...], failed: bool = False) -> list[Span]:
    begun, trace = at(start) + timedelta(seconds=20 * n), f"t{start}-{n}"
    rows = [Span(trace, "0", None, "shop", "POST /orders", begun, 2.0, "failed" if failed else "")]
    for k, callee in enumerate(callees, 1):
        rows.append(Span(trace, str(k), "0", callee, "do", begun + timedelta(milliseconds=100 * k), 0.1))
    return rows


@pytest.mark.parametrize(("failed", "told"), [(False, [("shop", "call of mail: do")]), (True, [])])
def test_calls_that_are_no_longer_made_are_their_callers_doing(failed: bool, told: list[tuple[str, str]]):
    """But behind a failure they say nothing of their own."""
    spans = [s for n in range(40) for s in call(n, "12:00", ("pay", "mail"))]
    spans += [s for n in range(30) for s in call(n, "13:00", ("pay",), failed)]
    assert [(b.service, b.line) for b in found(spans=tuple(spans))] == told


def test_lines_say_their_request_in_a_field_or_in_words():
    assert request_of(line(at("12:00"), "pay", "done", "abc123")) == "abc123"
    assert request_of(line(at("12:00"), "pay", "done requestId=77af-21 in 3 ms")) == "77af-21"
    assert request_of(line(at("12:00"), "pay", "done")) == ""


async def test_an_early_return_is_found_from_the_folder_of_logs_alone():
    calm = requests("12:00", 180, *ORDER)
    broken = requests("13:00", 90, ORDER[0], ORDER[1])
    logs = MemoryLogs("files", lines=by_time(calm, broken, cries("13:00", 90, "shop", "order was not placed")))
    result = await analyse(Sources(logs=(logs,)), window(), Scope())
    assert result.cause.first_failing == "pay"
    assert any(r.signal == "missing" and "charged the card" in r.text for r in result.cause.reasons)


async def test_no_more_lines_are_read_than_some_thousands_on_each_side(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(facts, "NEARBY", 400)
    busy = [line(at("12:20") + timedelta(seconds=5 * k), "pay", f"served {k}") for k in range(960)]
    failed = cries("13:00", 120, "pay", "boom")
    asked: list[tuple[timedelta, int]] = []

    class Counted(MemoryLogs):
        async def search(self, q, limit=50, context=0, cursor=None):  # type: ignore[no-untyped-def]
            asked.append((q.window.end - q.window.start, limit))
            return await super().search(q, limit, context, cursor)

    await analyse(Sources(logs=(Counted("files", lines=by_time(busy, failed)),)), window(), Scope())
    near = [length for length, limit in asked if limit == 400 and length < timedelta(hours=1)]
    assert near == [timedelta(minutes=33), timedelta(minutes=27)], "400 lines, and so much more as fills a minute"


async def test_a_change_that_touches_the_vanished_line_is_blamed_before_others():
    calm, broken = requests("12:00", 180, *ORDER), requests("13:00", 90, ORDER[0], ORDER[1])
    lines = by_time(calm, broken, cries("13:00", 90, "shop", "order was not placed"))
    rows = [
        change("deploy", "pay", "12:59", "1", title="return early when the card is already charged"),
        change("deploy", "shop", "12:59", "2", title="another colour of the button"),
    ]
    sources = Sources(logs=(MemoryLogs("files", lines=lines),), changes=(MemoryChanges("git", rows=rows),))
    result = await analyse(sources, window(), Scope())
    ranked = [s.id for s in result.ranked if s.verdict == "change"]
    assert ranked[0] == "1"
    wording = [r.text for s in result.ranked if s.id == "1" for r in s.reasons if r.signal == "wording"]
    assert any("charged" in text for text in wording)


def test_some_thousands_of_lines_are_read_in_time():
    steps = tuple((f"s{n % 9}", f"Step.java:{n} goes on") for n in range(80))
    lines = (*requests("10:00", NEARBY // 80, *steps), *requests("13:00", NEARBY // 80, *steps[:60]))
    start = time.process_time()
    [broken] = found(*lines)
    assert time.process_time() - start < 2.0
    assert broken.lacks >= 40
