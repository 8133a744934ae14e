"""One story for both runtimes: many questions, each message pushed twice, processes killed at random moments; and what
came of it, as figures.

Order and the number in flight are told by the database itself, by triggers, in the transactions that change them.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from memory import Entry, Memory, open_memory
from memory.engine import make_engine
from orchestrator.contracts import Incoming
from orchestrator.errors import StoreError
from tests.cluster.worker import CALLS, QUESTIONS

COLUMNS = "state TEXT, seq BIGINT, conversation TEXT, owner TEXT, running INTEGER, at DOUBLE PRECISION"
RUNNING = "(SELECT count(*) FROM inbox o WHERE o.conversation = NEW.conversation AND o.state = 'running')"
ROW = (
    f"NEW.state, NEW.seq, NEW.conversation, CASE NEW.state WHEN 'running' THEN NEW.owner ELSE OLD.owner END, {RUNNING}"
)
WHEN = "NEW.state <> OLD.state AND NEW.state IN ('running', 'queued')"
SQLITE = f"""
CREATE TRIGGER watch AFTER UPDATE ON inbox WHEN {WHEN} BEGIN
  INSERT INTO watched SELECT {ROW}, (julianday('now') - 2440587.5) * 86400.0;
END"""
POSTGRES = f"""
CREATE FUNCTION watch() RETURNS trigger AS $$ BEGIN
  INSERT INTO watched SELECT {ROW}, extract(epoch from clock_timestamp());
  RETURN NULL;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER watch AFTER UPDATE ON inbox FOR EACH ROW WHEN ({WHEN}) EXECUTE FUNCTION watch()"""


@dataclass(frozen=True)
class Size:
    """`every`: seconds between kills; `gently`: which share of them by SIGTERM; `milliseconds` a call takes at most."""

    conversations: int
    questions: int
    kills: int
    every: float
    replicas: int = 1
    gently: float = 0.2
    milliseconds: int = 100


@dataclass
class Found:
    """`repeated`: calls made again though their result had been used; `unsaved`: though they had been answered, in the
    moment before their result was safe; `handed_twice`: parcels, which the platform knows by their key."""

    questions: int
    answered: int
    double_replies: int
    wrong_branch: int
    out_of_order: int
    most_in_flight: int
    kills: int
    taken_over: int
    back_p50: float
    back_max: float
    take_over_p50: float
    take_over_max: float
    calls: int
    repeated: int
    unsaved: int
    handed_twice: int
    seconds: float


@dataclass
class Fleet:
    """Worker processes, kept at their number."""

    mode: str
    url: str
    place: Path
    size: Size
    processes: list[asyncio.subprocess.Process] = field(default_factory=list)
    killed: dict[int, float] = field(default_factory=dict)  # process → when

    async def start(self) -> None:
        command = (sys.executable, "-m", "tests.cluster.worker", self.mode, self.url, str(self.place))
        with (self.place / "errors").open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *command, str(self.size.milliseconds), stdout=asyncio.subprocess.PIPE, stderr=errors
            )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"serves\n", (self.place / "errors").read_text()[-2000:]
        self.processes.append(process)

    async def strike(self) -> None:
        """One dies, and another is started."""
        victim = self.processes.pop(random.randrange(len(self.processes)))
        gently = random.random() < self.size.gently
        self.killed[victim.pid] = time.time()
        victim.send_signal(signal.SIGTERM if gently else signal.SIGKILL)
        await victim.wait()
        await self.start()

    async def hang(self) -> None:
        """One stands still for longer than the others wait, and then goes on."""
        victim = random.choice(self.processes)
        self.killed[victim.pid] = time.time()
        victim.send_signal(signal.SIGSTOP)
        await asyncio.sleep(6.0)
        victim.send_signal(signal.SIGCONT)

    async def end(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        await asyncio.gather(*(process.wait() for process in self.processes))


Strike = Callable[[Fleet], Awaitable[None]]


def watch(url: str) -> None:
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE watched ({COLUMNS})")
        connection.exec_driver_sql(SQLITE if engine.dialect.name == "sqlite" else POSTGRES)
    engine.dispose()


def messages(size: Size) -> Iterator[Entry]:
    for n in range(size.questions):
        now = datetime.now(UTC)
        chat = f"c{n // 3 % size.conversations}"  # people write several messages in a row
        asked = Incoming(f"m{n}", f"question {n}", now, chat=chat, channel="test", user="u")
        yield Entry(f"m{n}.0", "test", asked.chat, "question", asked, {}, f"run-{n}", now)


async def push(memory: Memory, size: Size) -> None:
    """Each message twice, in order within its conversation."""
    late: list[Entry] = []
    for entry in messages(size):
        await _put(memory, entry)
        late.append(entry)
        if len(late) > 20:
            await _put(memory, late.pop(random.randrange(len(late))))
    for entry in late:
        await _put(memory, entry)


async def _put(memory: Memory, entry: Entry) -> None:
    """As a platform does: again, as long as it isn't acknowledged."""
    while True:
        with suppress(StoreError):
            await memory.inbox.put(entry, 0)
            return
        await asyncio.sleep(0.1)


async def play(mode: str, url: str, place: Path, size: Size, strikes: Sequence[Strike] = ()) -> Found:
    """`strikes`: what befalls them, else as many deaths as `size` says."""
    begun = time.time()
    memory = open_memory(url)
    watch(url)
    fleet = Fleet(mode, url, place, size)
    try:
        await asyncio.gather(*(fleet.start() for _ in range(size.replicas)))
        pushing = asyncio.create_task(push(memory, size))
        for strike in strikes or [Fleet.strike] * size.kills:
            await asyncio.sleep(size.every * (0.5 + random.random()))
            await _at_work(memory)
            await strike(fleet)
        await pushing
        await _done(memory, size)
    finally:
        await fleet.end()
        await memory.close()
    return found(url, place, size, fleet.killed, time.time() - begun)


async def _at_work(memory: Memory) -> None:
    """Until something is being worked on, or nothing is left."""
    while await memory.inbox.list(("queued",), 1) and not await memory.inbox.list(("running",), 1):
        await asyncio.sleep(0.05)


async def _done(memory: Memory, size: Size) -> None:
    """All ended, and all that was to be sent was sent."""
    left = True
    while left:
        await asyncio.sleep(0.2)
        with suppress(StoreError):
            left = bool(await memory.inbox.list(("queued", "running"), 1) or await memory.outbox.waiting())


def found(url: str, place: Path, size: Size, killed: dict[int, float], seconds: float) -> Found:
    engine = make_engine(url)
    with engine.connect() as connection:
        ended: dict[str, str] = {
            row.id: row.state for row in connection.execute(sa.text("SELECT id, state FROM inbox"))
        }
        seen = connection.execute(sa.text("SELECT * FROM watched ORDER BY at")).all()
    engine.dispose()
    lines = [json.loads(line) for line in (place / "log").read_text().splitlines()]
    replies = (place / "platform").read_text().split()
    calls, repeated, unsaved = _calls(lines)
    back, took = _taken_over(seen, killed)
    begun = [row for row in seen if row.state == "running"]
    known = Counter(key.partition(".")[0] for key in set(replies))
    return Found(
        questions=size.questions,
        answered=sum(state == "done" and f"{id}.finish" in replies for id, state in ended.items()),
        double_replies=sum(n - 1 for n in known.values()),
        wrong_branch=sum(bool(line.get("wrong")) for line in lines),
        out_of_order=_overtaken(begun),
        most_in_flight=max(row.running for row in begun),
        kills=len(killed),
        taken_over=len(took),
        back_p50=round(statistics.median(back), 2) if back else 0.0,
        back_max=round(max(back), 2) if back else 0.0,
        take_over_p50=round(statistics.median(took), 2) if took else 0.0,
        take_over_max=round(max(took), 2) if took else 0.0,
        calls=calls,
        repeated=repeated,
        unsaved=unsaved,
        handed_twice=len(replies) - len(set(replies)),
        seconds=round(seconds, 1),
    )


def _calls(lines: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Calls, those made again after their result was used, those made again after they were answered."""
    used: set[str] = set()
    answered: Counter[str] = Counter()
    repeated = 0
    for line in lines:
        if line["what"] == "used":
            used.add(line["call"])
        elif line["what"] == "answered":
            answered[line["call"]] += 1
            repeated += line["call"] in used
    return len(answered), repeated, sum(n - 1 for n in answered.values()) - repeated


def _overtaken(begun: Any) -> int:
    """Questions that were first begun after a later one of their conversation."""
    last: dict[str, int] = {}
    known: set[int] = set()
    wrong = 0
    for row in begun:
        if row.seq not in known:
            known.add(row.seq)
            wrong += row.seq < last.get(row.conversation, 0)
            last[row.conversation] = max(row.seq, last.get(row.conversation, 0))
    return wrong


def _taken_over(seen: Any, killed: dict[int, float]) -> tuple[list[float], list[float]]:
    """Seconds from the death of a process to when each question that it had was queued, and was begun again."""
    back: list[float] = []
    again: list[float] = []
    waiting: dict[int, float] = {}
    for row in seen:
        died = killed.get(int(row.owner.split("-")[-2]))
        if row.state == "queued" and died is not None and row.at > died:
            back.append(row.at - died)
            waiting[row.seq] = died
        elif row.state == "running" and row.seq in waiting:
            again.append(row.at - waiting.pop(row.seq))
    return back, again


def check(f: Found, repeated: int = 0) -> None:
    """`repeated`: so many calls may be, of a process that was held for dead and woke up."""
    print(json.dumps(asdict(f)))
    assert f.answered == f.questions, f
    assert f.calls == f.questions * CALLS, f
    assert (f.double_replies, f.wrong_branch, f.out_of_order) == (0, 0, 0), f
    assert f.repeated <= repeated, f
    assert f.most_in_flight <= 2, f
    assert f.unsaved <= f.kills * QUESTIONS * 3, f  # what was in flight, at the very most
    assert f.taken_over > 0 or f.kills < 10, f  # a few kills may all meet a moment at which nothing runs
