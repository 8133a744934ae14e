"""Each slot once, whatever the clock, the process and other processes do; on both databases, by a virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hermes_ops.schedule import clockwork
from hermes_ops.schedule.clockwork import Clockwork, Timed
from hermes_ops.schedule.workdays import Calendar
from memory import Memory, Schedules
from orchestrator.errors import HermesError

SHANGHAI, BERLIN = "Asia/Shanghai", "Europe/Berlin"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE = datetime(2026, 11, 30, 1, tzinfo=UTC)  # Monday, 09:00 in Shanghai
DAILY = Timed("daily", "0 9 * * *", SHANGHAI, False, None)


@dataclass
class Clock:
    at: datetime

    def __call__(self) -> datetime:
        return self.at


@dataclass
class Rig:
    """A clockwork on a clock that a test moves. `fails`: raised as often as it lies there."""

    memory: Memory
    clock: Clock
    plan: list[Timed]
    days: Calendar = field(default_factory=lambda: Calendar(None))
    alone: bool = True
    done: list[tuple[str, datetime]] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    fails: list[Exception] = field(default_factory=list)
    gate: asyncio.Event | None = None

    def __post_init__(self) -> None:
        self.store = Schedules(self.memory.db, self.clock)
        self.works = self.fresh()

    def fresh(self) -> Clockwork:
        async def planned() -> Sequence[Timed]:
            return self.plan

        async def work(timed: Timed, slot: datetime) -> None:
            if self.gate is not None:
                await self.gate.wait()
            if self.fails:
                raise self.fails.pop(0)
            self.done.append((timed.name, slot))

        async def alarm(timed: Timed, slot: datetime, reason: str) -> None:
            self.alarms.append(reason)

        return Clockwork(self.store, planned, work, alarm, self.days, self.alone)

    async def at(self, when: datetime) -> list[tuple[str, datetime]]:
        """What was done by then, and hadn't been before."""
        before = len(self.done)
        self.clock.at = when
        await self.works.resume()
        await self.works.look()
        await self.rest()
        return self.done[before:]

    async def rest(self) -> None:
        for _ in range(200):
            if not self.works.figures["running"]:
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it doesn't end")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clockwork, "AGAIN", (0.0, 0.0))


def rig(memory: Memory, *plan: Timed, at: datetime = NINE - DAY, **more: object) -> Rig:
    return Rig(memory, Clock(at), list(plan or (DAILY,)), **more)  # type: ignore[arg-type]


async def test_a_slot_is_done_once_and_nothing_before_it_was_known(memory: Memory) -> None:
    r = rig(memory)
    assert await r.at(NINE - HOUR) == []  # first seen; yesterday's wasn't missed
    assert await r.at(NINE) == [("daily", NINE)]
    assert await r.at(NINE + timedelta(seconds=2)) == []
    r.works = r.fresh()
    assert await r.at(NINE + HOUR) == []
    assert await r.at(NINE + DAY) == [("daily", NINE + DAY)]
    last = await r.store.last("daily", NINE + 2 * DAY)
    assert last is not None
    assert (last.slot, last.state) == (NINE + DAY, "done")


async def test_the_latest_missed_slot_is_caught_up_when_younger_than_a_day(memory: Memory) -> None:
    r = rig(memory)
    await r.at(NINE - HOUR)
    r.works = r.fresh()  # away for three mornings
    assert await r.at(NINE + 2 * DAY + 5 * HOUR) == [("daily", NINE + 2 * DAY)]
    weekly = Timed("weekly", "0 9 * * 1", SHANGHAI, False, None)
    r = rig(memory, weekly)
    await r.at(NINE - HOUR)
    r.works = r.fresh()
    assert await r.at(NINE + DAY + HOUR) == []  # Monday's is older than a day
    assert await r.at(NINE + 7 * DAY) == [("weekly", NINE + 7 * DAY)]


async def test_a_clock_that_is_put_back_or_jumps_ahead_does_nothing_twice(memory: Memory) -> None:
    r = rig(memory)
    await r.at(NINE - HOUR)
    assert await r.at(NINE) == [("daily", NINE)]
    for step in range(0, 61, 20):  # put back an hour: nine comes again
        assert await r.at(NINE - HOUR + timedelta(minutes=step)) == []
    assert await r.at(NINE + 23 * HOUR + timedelta(minutes=30)) == []
    assert await r.at(NINE + DAY + HOUR) == [("daily", NINE + DAY)]  # an hour ahead of the truth
    assert await r.at(NINE + DAY) == []
    assert await r.at(NINE + 400 * DAY) == [("daily", NINE + 400 * DAY)]  # years ahead by mistake, and back
    assert await r.at(NINE + DAY + 2 * HOUR) == []
    assert await r.at(NINE + 2 * DAY) == [("daily", NINE + 2 * DAY)]


async def test_a_restart_while_the_clock_is_an_hour_off(memory: Memory) -> None:
    r = rig(memory)
    await r.at(NINE - 2 * HOUR)
    r.works = r.fresh()
    assert await r.at(NINE) == [("daily", NINE)]  # in truth it is eight
    r.works = r.fresh()
    assert await r.at(NINE - HOUR) == []
    assert await r.at(NINE) == []


async def test_two_processes_share_the_slots(memory: Memory) -> None:
    r, other = rig(memory), rig(memory)
    await asyncio.gather(r.at(NINE - HOUR), other.at(NINE - HOUR))
    for n in range(4):
        got = await asyncio.gather(r.at(NINE + n * DAY), other.at(NINE + n * DAY))
        assert sum(map(len, got)) == 1


async def test_work_whose_process_died_is_begun_again(memory: Memory) -> None:
    r = rig(memory)
    await r.at(NINE - HOUR)
    r.gate, r.clock.at = asyncio.Event(), NINE
    await r.works.look()
    await r.works.close(grace=0.0)  # as a kill would
    assert r.done == []
    r.gate, r.works = None, r.fresh()
    assert await r.at(NINE + timedelta(minutes=1)) == [("daily", NINE)]
    assert await r.at(NINE + timedelta(minutes=2)) == []


async def test_beside_other_processes_only_what_is_long_dead_is_taken_over(memory: Memory) -> None:
    r = rig(memory, alone=False)
    await r.at(NINE - HOUR)
    await r.store.take("daily", NINE)  # by a process that dies
    r.clock.at = NINE
    await r.store.settle("daily", NINE, "taken")
    assert await r.at(NINE + timedelta(minutes=5)) == []
    others = rig(memory, alone=False)
    late = NINE + timedelta(minutes=20)
    got = await asyncio.gather(r.at(late), others.at(late))
    assert sum(map(len, got)) == 1


async def test_failed_work_is_tried_again_and_alarmed_once(memory: Memory) -> None:
    r = rig(memory)
    await r.at(NINE - HOUR)
    r.fails = [HermesError("the source is down"), RuntimeError("odd")]
    assert await r.at(NINE) == [("daily", NINE)]
    assert r.alarms == []
    r.fails = [HermesError("the source is down")] * 3
    assert await r.at(NINE + DAY) == []
    r.works = r.fresh()
    assert await r.at(NINE + DAY + HOUR) == []
    assert r.alarms == ["the source is down"]
    last = await r.store.last("daily", NINE + 2 * DAY)
    assert last is not None
    assert (last.state, last.reason) == ("failed", "the source is down")


@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
async def test_a_job_at_half_past_two_on_the_day_of_a_clock_change(memory: Memory, day: date) -> None:
    night = Timed("night", "30 2 * * *", BERLIN, False, None)
    start = datetime.combine(day - DAY, datetime.min.time(), ZoneInfo(BERLIN)).astimezone(UTC)
    r = rig(memory, night, at=start)
    nights = [start + n * DAY + step * timedelta(minutes=15) for n in range(3) for step in range(24)]
    for step, at in enumerate(nights):  # put back half an hour now and then
        await r.at(at)
        if step % 7 == 0:
            await r.at(at - timedelta(minutes=30))
    days = [slot.astimezone(ZoneInfo(BERLIN)).date() for _, slot in r.done]
    assert days == [day - DAY, day, day + DAY]


async def test_only_on_workdays(memory: Memory, tmp_path: Path) -> None:
    (file := tmp_path / "days").write_text("2026-12-01 off\n2026-12-05 work\n")
    r = rig(memory, Timed("daily", "0 9 * * *", SHANGHAI, True, None), days=Calendar(file))
    await r.at(NINE - HOUR)
    done = [slot for n in range(7) for _, slot in await r.at(NINE + n * DAY)]
    assert [slot.astimezone(ZoneInfo(SHANGHAI)).day for slot in done] == [30, 2, 3, 4, 5]


async def test_a_changed_file_of_workdays_counts_at_once_and_a_broken_one_not_at_all(
    memory: Memory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (file := tmp_path / "days").write_text("2026-12-01 off\n")
    r = rig(memory, Timed("daily", "0 9 * * *", SHANGHAI, True, None), days=Calendar(file))
    assert len(await r.at(NINE)) == 0  # it is known from now on, and the next is on Wednesday
    assert r.works.figures["next"] == (NINE + 2 * DAY).isoformat()
    file.write_text("2026-12-02 off\n")
    assert [slot for _, slot in await r.at(NINE + DAY)] == [NINE + DAY]
    file.write_text("2026-12-02 whatever\n")
    assert await r.at(NINE + 2 * DAY) == []
    assert [m for m in caplog.messages if "stay as they were" in m] == [caplog.messages[-1]]
    file.unlink()
    assert await r.at(NINE + 2 * DAY + HOUR) == []


async def test_a_schedule_made_at_its_own_time_waits_for_the_next_and_one_that_is_gone_is_left(memory: Memory) -> None:
    own = Timed("own.1", "0 9 * * *", SHANGHAI, False, None, since=NINE - timedelta(seconds=3))
    r = rig(memory, own)
    assert await r.at(NINE + timedelta(seconds=1)) == [("own.1", NINE)]  # three seconds before it
    late = Timed("own.2", "0 9 * * *", SHANGHAI, False, None, since=NINE + timedelta(seconds=5))
    r.plan = [late]
    assert await r.at(NINE + timedelta(seconds=10)) == []
    await r.store.take("gone", NINE)
    assert await r.at(NINE + timedelta(seconds=20)) == []
    assert [s.name for s in await r.store.left(NINE - DAY)] == []


async def test_the_loop_runs_until_it_is_closed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clockwork, "LOOK", 0.01)
    r = rig(memory, at=NINE - timedelta(seconds=1))
    task = asyncio.create_task(r.works.run())
    while not await r.store.first("daily"):
        await asyncio.sleep(0.01)
    assert r.works.figures["next"] == NINE.isoformat()
    r.clock.at = NINE
    while not r.done:
        await asyncio.sleep(0.01)
    await r.works.close()
    await asyncio.wait_for(task, 5)
    assert r.done == [("daily", NINE)]
