"""Opening folders for questions that come at once: each folder once, each question as long as it may wait."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_ops import host
from hermes_ops.channels import keeping
from hermes_ops.sourcing import opener as desks
from hermes_ops.sourcing.opener import Opener
from hermes_ops.sourcing.settings import SourceSettings
from orchestrator import work
from orchestrator.contracts import Incoming
from orchestrator.errors import ConfigError, Stopped
from orchestrator.stop import Stop

QUESTION = Incoming("m", "what failed?", datetime(2026, 11, 30, tzinfo=UTC))


class Opening:
    """Opens folders when told to: each waits for its own gate."""

    def __init__(self) -> None:
        self.gates: dict[str, threading.Event] = {}
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.broken: set[str] = set()

    def __call__(self, path: Path, **more: Any) -> Any:
        self.opened.append(path.name)
        self.gates.setdefault(path.name, threading.Event()).wait(30)
        if path.name in self.broken:
            raise ConfigError("it can't be read")
        return SimpleNamespace(path=path, close=lambda: self.closed.append(path.name))

    def let(self, *names: str) -> None:
        for name in names:
            self.gates.setdefault(name, threading.Event()).set()


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Opening:
    made = Opening()
    monkeypatch.setattr(desks, "open_folder", made)
    return made


@pytest.fixture
async def opener(tmp_path: Path, opening: Opening) -> AsyncIterator[Opener]:
    threads = work.Threads()
    made = Opener(SourceSettings(), tmp_path / "a", tmp_path / "index", str, threads)
    yield made
    opening.let(*opening.gates)
    await made.aclose()
    threads.close()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():
            await asyncio.sleep(0.001)


async def test_an_open_folder_waits_for_no_other(opener: Opener, opening: Opening, tmp_path: Path) -> None:
    opening.let("a")
    first = await opener._open(tmp_path / "a", Stop(), QUESTION)
    slow = asyncio.create_task(opener._open(tmp_path / "b", Stop(), QUESTION))
    await until(lambda: "b" in opening.opened)
    assert await opener._open(tmp_path / "a", Stop(), QUESTION) is first
    opening.let("c")
    await opener._open(tmp_path / "c", Stop(), QUESTION)  # nor one that isn't open yet
    assert not slow.done()
    opening.let("b")
    await slow
    assert opening.opened == ["a", "b", "c"]


async def test_each_waits_as_long_as_it_may_and_the_folder_is_opened_once(
    opener: Opener, opening: Opening, tmp_path: Path
) -> None:
    short, long = Stop(), Stop()
    gone = asyncio.create_task(opener._open(tmp_path / "a", short, QUESTION))
    late = asyncio.create_task(opener._open(tmp_path / "a", Stop(hard=0.01), QUESTION))
    stays = asyncio.create_task(opener._open(tmp_path / "a", long, QUESTION))
    await until(lambda: "a" in opening.opened)
    short.cancel()
    for ended in (gone, late):
        with pytest.raises(Stopped):
            await ended
    assert not stays.done()
    opening.let("a")
    await stays
    assert opening.opened == ["a"]
    assert (await opener.places(QUESTION, "", Stop())).folder is stays.result()


async def test_a_folder_that_could_not_be_opened_is_tried_again(
    opener: Opener, opening: Opening, tmp_path: Path
) -> None:
    opening.broken.add("a")
    opening.let("a")
    both = [opener._open(tmp_path / "a", Stop(), QUESTION) for _ in range(2)]
    assert [type(e) for e in await asyncio.gather(*both, return_exceptions=True)] == [ConfigError] * 2
    opening.broken.clear()
    await opener._open(tmp_path / "a", Stop(), QUESTION)
    assert opening.opened == ["a", "a"]


async def test_what_is_left_while_it_is_opened_is_closed(opener: Opener, opening: Opening, tmp_path: Path) -> None:
    stop = Stop()
    asked = asyncio.create_task(opener._open(tmp_path / "b", stop, QUESTION))
    await until(lambda: "b" in opening.opened)
    stop.cancel()
    with pytest.raises(Stopped):
        await asked
    opener.leave(tmp_path / "b")
    opening.let("b")
    await until(lambda: opening.closed == ["b"])


async def test_a_messages_files_are_out_of_the_way_at_once_and_removed_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, where = keeping.place_of(tmp_path, "m"), []
    removed = shutil.rmtree

    def rmtree(path: Path, **more: Any) -> None:
        where.append(threading.current_thread() is threading.main_thread())
        removed(path, **more)

    monkeypatch.setattr(shutil, "rmtree", rmtree)
    keeping.keep(place, "app.log", b"x\n", str, "en")
    nothing = SimpleNamespace(nudge=lambda: None, leave=lambda path: None)
    ours = object.__new__(host.Host)
    ours.__dict__ |= {"_files": tmp_path, "deliveries": nothing, "_app": SimpleNamespace(opener=nothing),
                      "_loop": asyncio.get_running_loop()}  # fmt: skip
    ours._ended(SimpleNamespace(question=QUESTION))  # type: ignore[arg-type]
    assert not place.exists()
    keeping.keep(place, "again.log", b"x\n", str, "en")
    await until(lambda: [p.name for p in tmp_path.iterdir()] == [place.name])
    assert [p.name for p in place.iterdir()] == ["again.log"]
    assert where == [False]


async def test_a_folder_is_read_by_the_zone_of_the_settings_and_of_who_asks(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "pay.log").write_text("2026-11-30 10:04:20.000 ERROR [main] c.P - failed\n")
    asked = Incoming("m", "what failed?", datetime(2026, 11, 30, 3, tzinfo=UTC), "Asia/Shanghai")
    for zone, hour in (("", 2), ("UTC", 10), ("Europe/Berlin", 9)):
        settings = SourceSettings.model_validate({"folder": folder, "folder_zone": zone})
        opener = Opener(settings, None, tmp_path / "index", str, work.Threads())
        until = (await (await opener.places(asked, "", Stop())).coverage()).until
        assert until == datetime(2026, 11, 30, hour, 4, 20, tzinfo=UTC)
        await opener.aclose()
