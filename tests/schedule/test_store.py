"""Reports, causes and people's schedules as they are stored; on both databases."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memory import Memory, Schedule, Stored, open_memory

DAY = timedelta(days=1)
START = datetime(2026, 10, 1, tzinfo=UTC)


def stored(day: int = 0, kind: str = "day", **figures: object) -> Stored:
    start = START + day * DAY
    return Stored("shop", kind, start, start + DAY, "UTC", "zh", {"n": day, **figures}, start + DAY)


def schedule(text: str = "错误数", user: str = "u1") -> Schedule:
    return Schedule("t", "feishu", user, "oc_1", "", True, "0 18 * * *", "UTC", False, "zh", text, START)


async def test_one_report_a_window_and_its_corrections_beside_it(memory: Memory) -> None:
    first, new = await memory.reports.put(stored(text="支付"))
    assert (new, first.corrected) == (True, 0)
    again, new = await memory.reports.put(stored(n=7))
    assert (new, again.figures) == (False, {"n": 0, "text": "支付"})
    fixed, new = await memory.reports.put(stored(n=8), force=True)
    assert (new, fixed.corrected) == (True, 1)
    fixed, _ = await memory.reports.put(stored(n=9), force=True)
    assert fixed.corrected == 2
    assert await memory.reports.find("shop", "day", START, START + DAY) == fixed
    assert await memory.reports.find("shop", "week", START, START + DAY) is None
    assert await memory.reports.find("other", "day", START, START + DAY) is None


async def test_the_days_of_a_week_and_the_latest(memory: Memory) -> None:
    for day in (3, 1, 2, 9):
        await memory.reports.put(stored(day))
    await memory.reports.put(stored(2, n=22), force=True)
    await memory.reports.put(stored(2, "shift"))
    week = await memory.reports.within("shop", "day", START, START + 7 * DAY)
    assert [r.figures["n"] for r in week] == [1, 22, 3]
    latest = await memory.reports.latest("shop")
    assert latest is not None
    assert latest.start == START + 9 * DAY


async def test_several_processes_store_one_report(memory: Memory, url: str) -> None:
    others = [open_memory(url) for _ in range(3)]
    got = await asyncio.gather(*(m.reports.put(stored(n=n)) for n, m in enumerate([memory, *others])))
    assert sum(new for _, new in got) == 1
    forced = await asyncio.gather(*(m.reports.put(stored(), force=True) for m in [memory, *others]))
    assert sorted(r.corrected for r, _ in forced) == [1, 2, 3, 4]
    for other in others:
        await other.close()


async def test_a_confirmed_cause_is_replaced_and_taken_back(memory: Memory) -> None:
    await memory.reports.confirm("shop", "i1", "payment 2.4.1 的连接池", "ana")
    await memory.reports.confirm("shop", "i1", "pool of payment 2.4.1", "bo")
    await memory.reports.confirm("shop", "i2", "a cable", "ana")
    await memory.reports.confirm("shop", "i2", "", "ana")
    found = await memory.reports.confirmed("shop")
    assert {key: (c.text, c.by) for key, c in found.items()} == {"i1": ("pool of payment 2.4.1", "bo")}
    assert await memory.reports.confirmed("other") == {}


async def test_old_reports_slots_and_causes_go_and_a_schedule_stays_known(memory: Memory) -> None:
    for day in range(4):
        await memory.reports.put(stored(day))
        await memory.schedules.take("daily", START + day * DAY, "done")
    await memory.schedules.take("rare", START, "known")
    await memory.reports.confirm("shop", "i1", "x", "ana")
    assert await memory.reports.prune(START + 2 * DAY + DAY) == 2
    assert len(await memory.reports.within("shop", "day", START, START + 9 * DAY)) == 2
    first = await memory.schedules.first("daily")
    assert first is not None
    assert first.slot == START + 3 * DAY
    assert await memory.schedules.first("rare") is not None
    assert list(await memory.reports.confirmed("shop")) == ["i1"]
    await memory.reports.prune(datetime.now(UTC) + DAY)
    assert await memory.reports.confirmed("shop") == {}


async def test_a_persons_schedules_are_numbered_bounded_and_their_own(memory: Memory) -> None:
    made = [await memory.schedules.add(schedule(str(n)), 3) for n in range(4)]
    assert [s.number if s else None for s in made] == [1, 2, 3, None]
    other = await memory.schedules.add(schedule("x", "u2"), 3)
    assert other is not None
    assert other.number == 1
    assert [s.text for s in await memory.schedules.cancel("t", "feishu", "u1", 2)] == ["1"]
    assert await memory.schedules.cancel("t", "feishu", "u1", 2) == []
    again = await memory.schedules.add(schedule("new"), 3)
    assert again is not None
    assert again.number == 2
    assert again.name not in {s.name for s in made if s}  # slots of the old one are not the new one's
    assert await memory.schedules.get(again.id) == again
    assert [s.number for s in await memory.schedules.of("t", "feishu", "u1")] == [1, 2, 3]
    assert await memory.schedules.of("t", "feishu", "u3") == []
    assert len(await memory.schedules.cancel("t", "feishu", "u1")) == 3
    assert await memory.schedules.all() == [other]


async def test_two_processes_dont_give_one_number_twice(memory: Memory, url: str) -> None:
    other = open_memory(url)
    made = await asyncio.gather(*(m.schedules.add(schedule(), 5) for m in (memory, other) * 4))
    assert sorted(s.number for s in made if s) == [1, 2, 3, 4, 5]
    await other.close()


async def test_a_slot_is_taken_once(memory: Memory, url: str) -> None:
    other = open_memory(url)
    took = await asyncio.gather(*(m.schedules.take("daily", START) for m in (memory, other) * 3))
    assert sum(took) == 1
    [left] = await other.schedules.left(START)
    over = await asyncio.gather(*(m.schedules.take_over(left) for m in (memory, other) * 3))
    assert sum(over) == 1
    assert not await memory.schedules.take_over(replace(left, at=left.at - DAY))
    await other.schedules.settle("daily", START, "failed", "the source is down")
    assert await memory.schedules.left(START) == []
    last = await memory.schedules.last("daily", START)
    assert last is not None
    assert (last.state, last.reason) == ("failed", "the source is down")
    assert await memory.schedules.last("daily", START - DAY) is None
    await other.close()
