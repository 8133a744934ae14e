"""Log files where programs write them: rotation while they are read, seeking, names without meaning."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.contracts import Window
from subagents.folder import seek
from subagents.folder.formats import text
from subagents.folder.records import Hints
from subagents.logfiles import source as logfiles
from subagents.logfiles.source import LogFiles, Where
from subagents.sources import LogQuery, SourceError

T0 = datetime(2026, 11, 29, 14, tzinfo=UTC)
HOUR = Window(T0, T0 + timedelta(hours=1))
PAD = "x" * 200
LONG = "x" * 700


def lines(first: int, last: int, step: float = 1.0, pad: str = PAD) -> str:
    stamps = ((n, T0 + timedelta(seconds=n * step)) for n in range(first, last))
    return "".join(f"{at:%Y-%m-%d %H:%M:%S},000 {'ERROR' if n % 10 == 0 else 'INFO'} n{n} {pad}\n" for n, at in stamps)


@asynccontextmanager
async def opened(*paths: Path | str, **more: str) -> AsyncIterator[LogFiles]:
    files = LogFiles("app", Where(tuple(map(str, paths)), **more))  # type: ignore[arg-type]
    try:
        yield files
    finally:
        files.close()


async def total(files: LogFiles) -> int | None:
    return (await files.count(LogQuery(HOUR), ())).total


async def test_what_is_appended_is_there_at_the_next_question(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_text(lines(0, 50))
    async with opened(tmp_path / "*.log") as files:
        assert await total(files) == 50
        with log.open("a") as f:
            f.write(lines(50, 80))
        assert await total(files) == 80


async def test_rotation_by_renaming_loses_and_doubles_nothing(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_text(lines(0, 50))
    async with opened(tmp_path / "app.log*") as files:
        assert await total(files) == 50
        log.rename(tmp_path / "app.log.1")
        log.write_text(lines(50, 60))
        assert await total(files) == 60


async def test_a_copy_that_isnt_cut_off_yet_is_read_once(tmp_path: Path) -> None:  # copytruncate
    log, copy = tmp_path / "app.log", tmp_path / "app.log.1"
    log.write_text(lines(0, 50))
    shutil.copy(log, copy)
    with log.open("a") as f:
        f.write(lines(50, 55))
    async with opened(tmp_path / "app.log*") as files:
        answer = await files.count(LogQuery(HOUR), ())
        assert answer.total == 55
        assert "1 file(s) are copies of others and were read once" in answer.gaps
        log.write_text(lines(55, 60))  # now it is cut
        copy.write_text(lines(0, 55))
        assert await total(files) == 60


async def test_a_file_and_its_archive_are_read_once_and_names_of_archives_are_reused(tmp_path: Path) -> None:
    log, packed = tmp_path / "app.log.1", tmp_path / "app.log.1.gz"
    log.write_text(lines(0, 50))
    packed.write_bytes(gzip.compress(lines(0, 50).encode())[:700])  # still being written
    async with opened(tmp_path / "app.log*") as files:
        assert await total(files) == 50
        log.unlink()
        packed.write_bytes(gzip.compress(lines(0, 50).encode()))
        assert await total(files) == 50
        packed.write_bytes(gzip.compress(lines(60, 100).encode()))
        assert await total(files) == 40


async def test_a_rotation_in_the_middle_of_reading_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, turns = tmp_path / "app.log", [0]
    log.write_text(lines(0, 50))
    real = logfiles.prints

    def prints(names: list[str]) -> logfiles.Print:
        turns[0] += 1
        if turns[0] == 2:  # after the first reading
            log.rename(tmp_path / "app.log.1")
            log.write_text(lines(50, 60))
        return real(names)

    monkeypatch.setattr(logfiles, "prints", prints)
    async with opened(tmp_path / "app.log*") as files:
        answer = await files.count(LogQuery(HOUR), ())
        assert (answer.total, answer.complete) == (60, True)


def test_growing_is_no_rotation_and_cutting_is() -> None:
    before = {"a": (1, 100, b"begin"), "b": (2, 10, b"begin"), "c": (3, 5, b"x"), "d": (4, 5, b"x")}
    after = {"a": (1, 120, b"begin"), "b": (9, 10, b"begin"), "c": (3, 2, b"x"), "d": (4, 9, b"other")}
    assert logfiles.rotated(before, after) == ["b", "c", "d"]


async def test_patterns_of_names_and_what_is_left_out(tmp_path: Path) -> None:
    for place, part in (("a", lines(0, 10)), ("b", lines(10, 20)), ("old", lines(20, 30))):
        (tmp_path / "x" / place).mkdir(parents=True)
        (tmp_path / "x" / place / "app.log").write_text(part)
    async with opened(tmp_path / "**" / "*.log", exclude=(str(tmp_path / "x/old/*"),)) as files:  # type: ignore[arg-type]
        assert await total(files) == 20
        (tmp_path / "x" / "a" / "same.log").hardlink_to(tmp_path / "x" / "a" / "app.log")
        assert await total(files) == 20
    async with opened(tmp_path / "no*") as files:
        with pytest.raises(SourceError, match="no file is named like"):
            await total(files)
        assert not (await files.probe()).ok


async def test_whose_files_they_are_and_by_which_clock(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("2026-11-29 22:30:00,000 ERROR it failed\n")
    async with opened(tmp_path / "x", service="pay", zone="Asia/Shanghai") as files:
        (line,) = (await files.search(LogQuery(HOUR, services=("pay",)))).rows
        assert (line.at, line.service) == (T0 + timedelta(minutes=30), "pay")
        assert (await files.coverage()).services == ("pay",)


async def test_a_year_that_isnt_written_is_that_of_the_files_change(tmp_path: Path) -> None:
    log = tmp_path / "syslog"
    log.write_text("Nov 29 14:10:00 web pay[1]: error: gone\n")
    os.utime(log, (T0.timestamp() + 900, T0.timestamp() + 900))
    async with opened(log) as files:
        (line,) = (await files.search(LogQuery(HOUR))).rows
        assert line.at == T0 + timedelta(minutes=10)


# ── seeking ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three days, a line every forty seconds, over `seek.LEAST`."""
    path = tmp_path_factory.mktemp("large") / "app.log"
    with path.open("w") as f:
        for n in range(0, 6_500, 500):
            f.write(lines(n, n + 500, 40.0, LONG))
    assert path.stat().st_size > seek.LEAST
    return path


def test_a_window_is_a_small_part_of_a_large_file(large: Path) -> None:
    since = (T0 + timedelta(hours=30)).timestamp()
    found = seek.span(str(large), text.FORMAT, Hints(shape="0"), since, since + 600)
    assert found is not None
    start, end = found
    assert 0 < start < end < large.stat().st_size
    assert end - start < 700_000
    part = large.read_bytes()[start:end].decode()
    stamps = {f"{datetime.fromtimestamp(since + n * 40, UTC):%Y-%m-%d %H:%M:%S}" for n in range(15)}
    assert all(stamp in part for stamp in stamps)


@pytest.mark.slow
@pytest.mark.parametrize("hours", [0, 29, 72, 200, -5])
async def test_what_is_found_by_seeking_is_what_is_there(large: Path, hours: int) -> None:
    window = Window(T0 + timedelta(hours=hours, seconds=5), T0 + timedelta(hours=hours + 1, seconds=5))
    stamps = (T0 + timedelta(seconds=n * 40) for n in range(6_500))
    wanted = sum(1 for at in stamps if window.start <= at < window.end)
    async with opened(large) as files:
        assert (await files.count(LogQuery(window), ("level", "minute"))).total == wanted
        assert (await files.search(LogQuery(window), 1)).total == wanted


@pytest.mark.slow
async def test_a_file_out_of_order_is_read_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(lines(3_250, 6_500, 40.0, LONG) + lines(0, 3_250, 40.0, LONG))
    assert seek.span(str(path), text.FORMAT, Hints(shape="0"), T0.timestamp(), T0.timestamp() + 60) is None
    async with opened(path) as files:
        assert await total(files) == 90


@contextmanager
def nobody() -> Iterator[None]:
    """As a user without rights, where the tests run as root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


async def test_what_may_not_be_read_is_said_and_is_no_lack_of_logs() -> None:
    with tempfile.TemporaryDirectory() as name:
        place, inner = Path(name), Path(name, "inner")
        place.chmod(0o755)
        (place / "open.log").write_text(lines(0, 20))
        (place / "closed.log").write_text(lines(20, 40))
        (place / "closed.log").chmod(0)
        inner.mkdir(0o700)
        (inner / "app.log").write_text(lines(0, 5))
        inner.chmod(0)
        with nobody():
            async with opened(place / "*.log") as files:
                found = await files.count(LogQuery(HOUR), ())
            async with opened(inner / "*.log") as files:
                with pytest.raises(SourceError, match=r"may not look into .*inner\. Check its rights") as e:
                    await files.count(LogQuery(HOUR), ())
        inner.chmod(0o700)
    assert found.total == 20
    assert any(gap.startswith("1 file(s) may not be read (") for gap in found.gaps)
    assert e.value.kind == "denied"


async def test_names_are_looked_for_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app.log").write_text(lines(0, 50))
    found, on_loop = logfiles._globbed, []

    def globbed(pattern: str) -> list[str]:
        on_loop.append(threading.current_thread() is threading.main_thread())
        return found(pattern)

    monkeypatch.setattr(logfiles, "_globbed", globbed)
    q = LogQuery(HOUR)
    async with opened(tmp_path / "*.log") as files:
        for asked in (files.probe(), files.coverage(), files.count(q, ()), files.search(q), files.patterns(q, None)):
            await asked
        assert [len(batch) async for batch in files.batches(q)] == [50]
    assert len(on_loop) >= 6
    assert not any(on_loop)
