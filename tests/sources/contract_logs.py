"""The log contract: what every source of logs does alike, whatever lies behind it. Each source's tests run all of it:

    @pytest.mark.parametrize("rule", contract_logs.RULES)
    async def test_the_contract(rule): await rule(make)

`make(lines)` is an async context manager that gives a source holding these lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.contracts import Window
from subagents.sources import Answered, Count, Level, LogLine, LogQuery, LogSource, SourceError

Make = Callable[[Sequence[LogLine]], AbstractAsyncContextManager[LogSource]]
T0 = datetime(2026, 11, 29, 14, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
ODD = "we\"b\\}{$ '|`*"  # a name that would end a string, a selector or a pattern


def line(at: datetime, service: str = "pay", level: Level = "error", message: str = "it failed") -> LogLine:
    return LogLine(at, service, level, message, "")


LINES = (
    line(T0 - SECOND, message="before"),
    line(T0, message="charge 17 failed: pool exhausted"),
    line(T0 + 30.5 * SECOND, level="info", message="charge 18 ok"),
    line(T0 + 90 * SECOND, service="cart", level="warn", message="stock (low) for [A] 100%"),
    line(T0 + 90 * SECOND, service="cart", message="支付失败 订单 7"),
    line(T0 + 3 * MINUTE, message="charge 19 failed: Pool exhausted"),
    line(T0 + HOUR, message="exactly at the end"),
)
HOUR_OF_LINES = Window(T0, T0 + HOUR)


def query(window: Window = HOUR_OF_LINES, **more: object) -> LogQuery:
    return replace(LogQuery(window), **more)  # type: ignore[arg-type]


def counts(answer: Answered[tuple[Count, ...]], *by: str) -> dict[tuple[str, ...], int]:
    return {tuple(row.keys[d] for d in by): row.n for row in answer.rows}


async def a_window_is_half_open(make: Make) -> None:
    async with make(LINES) as source:
        found = await source.search(query())
        assert [r.at for r in found.rows] == [r.at for r in LINES[1:-1]]
        assert found.total == 5
        assert found.complete
        assert found.window == HOUR_OF_LINES
        assert found.query


async def counts_are_grouped_and_their_sum_is_the_total(make: Make) -> None:
    async with make(LINES) as source:
        by_level = await source.count(query(), ("service", "level"))
        assert counts(by_level, "service", "level") == {
            ("pay", "error"): 2, ("pay", "info"): 1, ("cart", "warn"): 1, ("cart", "error"): 1,
        }  # fmt: skip
        assert by_level.total == 5
        whole = await source.count(query(), ())
        assert (whole.rows[0].n, whole.total) == (5, 5)


async def counts_by_time_are_named_by_the_start_of_the_step(make: Make) -> None:
    async with make(LINES) as source:
        for unit, wanted in (("hour", {"14:00": 5}), ("minute", {"14:00": 2, "14:01": 2, "14:03": 1})):
            found = counts(await source.count(query(), (unit,)), unit)
            assert {datetime.fromisoformat(k).strftime("%H:%M"): n for (k,), n in found.items()} == wanted
        (day,) = (await source.count(query(), ("day",))).rows
        assert datetime.fromisoformat(day.keys["day"]) == T0.replace(hour=0)
        assert day.n == 5


async def a_window_that_cuts_minutes_is_counted_exactly(make: Make) -> None:
    lines = [line(T0 + n * SECOND + timedelta(milliseconds=500)) for n in range(300)]
    window = Window(T0 + 17 * SECOND, T0 + 229 * SECOND)
    async with make(lines) as source:
        found = counts(await source.count(query(window), ("minute",)), "minute")
        assert sorted(found.values()) == [43, 49, 60, 60]
        assert sum(found.values()) == 212
        assert (await source.count(query(window), ())).total == 212
        assert (await source.search(query(window))).total == 212


async def filters_hold_together(make: Make) -> None:
    async with make(LINES) as source:
        assert (await source.count(query(services=("pay",)), ())).total == 3
        assert (await source.count(query(services=("pay", "cart"), levels=("error",)), ())).total == 3
        assert (await source.count(query(levels=("error", "fatal", "warn")), ())).total == 4
        assert (await source.count(query(text=("POOL",)), ())).total == 2
        assert (await source.count(query(text=("pool", "17")), ())).total == 1
        assert (await source.count(query(text=("支付",)), ())).total == 1
        assert (await source.count(query(text=("(low) for [A] 100%",)), ())).total == 1
        assert (await source.count(query(text=("17.failed",)), ())).total == 0
        assert (await source.count(query(near=(("exhaust",), ("charge",))), ())).total == 2
        assert (await source.count(query(near=(("lake", "pool"), ("exhaust",))), ())).total == 2


async def names_and_words_are_never_part_of_a_query_language(make: Make) -> None:
    lines = [line(T0, service="pay"), line(T0, service=ODD, message=f"{ODD} said")]
    async with make(lines) as source:
        assert (await source.count(query(services=(ODD,)), ())).total == 1
        assert (await source.count(query(services=(ODD, "pay")), ())).total == 2
        assert (await source.count(query(text=(ODD,)), ())).total == 1
        assert (await source.count(query(services=('pay"} or {x="y',)), ())).total == 0
        found = await source.search(query(services=(ODD,)))
        assert [r.service for r in found.rows] == [ODD]


async def nothing_is_an_answer(make: Make) -> None:
    async with make(LINES) as source:
        for window in (
            Window(T0 + 10 * HOUR, T0 + 11 * HOUR), Window(T0 + 2 * MINUTE, T0 + 3 * MINUTE),
            Window(datetime(2099, 1, 1, tzinfo=UTC), datetime(2099, 1, 2, tzinfo=UTC)),
            Window(T0 + 90 * SECOND + timedelta(microseconds=1), T0 + 91 * SECOND),
        ):  # fmt: skip
            found = await source.search(query(window))
            assert (found.rows, found.total, found.complete) == ((), 0, True)
            assert (await source.count(query(window), ("service", "hour"))).total == 0
            assert (await source.patterns(query(window), None)).rows == ()
        assert (await source.count(query(services=("nobody",)), ("service",))).rows == ()


async def one_moment_is_a_window(make: Make) -> None:
    async with make(LINES) as source:
        window = Window(T0 + 90 * SECOND, T0 + 90 * SECOND + timedelta(microseconds=1))
        assert {r.level for r in (await source.search(query(window))).rows} == {"warn", "error"}
        assert (await source.count(query(window), ())).total == 2


async def lines_come_oldest_first_and_pages_lose_none(make: Make) -> None:
    lines = [line(T0 + (n // 7) * SECOND, message=f"n {n}") for n in range(50)]
    async with make(lines) as source:
        got: list[LogLine] = []
        cursor, pages = None, 0
        while True:
            page = await source.search(query(), 6, cursor=cursor)
            got += page.rows
            pages += 1
            assert page.total == 50
            assert len(page.rows) <= 6
            assert page.complete == (page.cursor is None)
            cursor = page.cursor
            if cursor is None:
                break
        assert Counter(r.message for r in got) == Counter(r.message for r in lines)
        assert pages >= 9
        times = [r.at for r in got if r.at]
        assert times == sorted(times)


async def a_cursor_of_something_else_is_refused(make: Make) -> None:
    async with make(LINES) as source:
        with pytest.raises(SourceError, match="no cursor") as e:
            await source.search(query(), cursor="x")
        assert e.value.kind == "bad_query"


async def an_unknown_dimension_is_refused(make: Make) -> None:
    async with make(LINES) as source:
        with pytest.raises(SourceError, match="can't count by"):
            await source.count(query(), ("colour",))


async def a_hundred_thousand_lines_are_counted_and_read(make: Make) -> None:
    lines = [
        line(T0 + n * timedelta(milliseconds=30) + timedelta(milliseconds=1), "pay" if n % 4 else "cart")
        for n in range(100_000)
    ]
    async with make(lines) as source:
        assert counts(await source.count(query(), ("service",)), "service") == {("pay",): 75_000, ("cart",): 25_000}
        by_hour = await source.count(query(), ("service", "hour"))
        assert by_hour.total == 100_000
        assert sum([len(batch) async for batch in source.batches(query())]) == 100_000


async def a_day_of_25_hours_is_counted_once(make: Make) -> None:
    start, end = datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC)  # Berlin's 25 October
    lines = [line(start + n * HOUR + MINUTE + SECOND) for n in range(25)]
    async with make(lines) as source:
        by_hour = await source.count(query(Window(start, end, "Europe/Berlin")), ("hour",))
        assert len(by_hour.rows) == 25
        assert by_hour.total == 25


async def templates_are_told_with_what_was_before(make: Make) -> None:
    lines = [line(T0 - (n + 1) * MINUTE, message=f"slow query {n} ms on shard {n % 3}") for n in range(4)]
    lines += [line(T0 + n * MINUTE, message=f"slow query {n} ms on shard {n % 3}") for n in range(6)]
    lines += [line(T0 + n * MINUTE, message=f"pool of size 2 exhausted after {n}") for n in range(20)]
    async with make(sorted(lines, key=lambda r: r.at or T0)) as source:
        found = await source.patterns(query(), Window(T0 - HOUR, T0))
        told = {p.template.split()[0]: (p.n, p.before) for p in found.rows}
        assert told == {"pool": (20, 0), "slow": (6, 4)}
        assert found.rows[0].first == T0
        assert found.rows[0].service == "pay"
        assert found.rows[0].level == "error"


async def what_lies_ahead_of_the_clock_is_there_all_the_same(make: Make) -> None:
    ahead = datetime.now(UTC).replace(microsecond=0) + 20 * MINUTE
    async with make([line(ahead)]) as source:
        assert (await source.count(query(Window(ahead - HOUR, ahead + HOUR)), ())).total == 1


async def services_are_told(make: Make) -> None:
    now = datetime.now(UTC).replace(microsecond=0) - HOUR
    async with make([line(now), line(now, service="cart")]) as source:
        assert set((await source.coverage()).services) == {"pay", "cart"}
        assert (await source.probe()).ok


RULES = (
    a_window_is_half_open,
    counts_are_grouped_and_their_sum_is_the_total,
    counts_by_time_are_named_by_the_start_of_the_step,
    a_window_that_cuts_minutes_is_counted_exactly,
    filters_hold_together,
    names_and_words_are_never_part_of_a_query_language,
    nothing_is_an_answer,
    one_moment_is_a_window,
    lines_come_oldest_first_and_pages_lose_none,
    a_cursor_of_something_else_is_refused,
    an_unknown_dimension_is_refused,
    a_day_of_25_hours_is_counted_once,
    templates_are_told_with_what_was_before,
    what_lies_ahead_of_the_clock_is_there_all_the_same,
    services_are_told,
)
HEAVY = (a_hundred_thousand_lines_are_counted_and_read,)
