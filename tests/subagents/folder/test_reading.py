"""What of a large file is read for a question, and that it makes no difference to the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.contracts import Window
from subagents.folder import planning, seek, survey
from subagents.folder.files import Found
from subagents.folder.folder import Folder
from subagents.folder.material import LogFile
from subagents.folder.records import Hints
from subagents.folder.scan import Ask
from subagents.sources import Level, LogQuery
from tests.subagents.folder.helpers import folder_of

START = datetime(2026, 11, 29, tzinfo=UTC)
DAY, STEP, LONG = 86_400, 3, " " + "and on " * 30  # seconds, and what makes a line long
WINDOWS = [(11_407, 26_490), (11_405, 11_411), (50_001, 57_201)]  # some cut a minute
ERRORS: tuple[Level, ...] = ("error", "fatal")
ASKED: tuple[tuple[Level, ...], ...] = (ERRORS, (), ERRORS)  # the second tells where in the file which times are


def line(n: int) -> str:
    at, level = START + timedelta(seconds=n), "error" if n % 50 == 0 else "info"
    said = (f"order {n} of shop {n % 7} failed" if n % 50 == 0 else f"order {n} placed") + LONG
    return f'{{"time": "{at:%Y-%m-%dT%H:%M:%SZ}", "level": "{level}", "service": "pay-{n % 4}", "msg": "{said}"}}\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """A file over `survey.FULL`, its two halves the wrong way round: its times are in no order."""
    text = "".join(line(n) for n in (*range(DAY // 2, DAY, STEP), *range(0, DAY // 2, STEP)))
    assert len(text) > survey.FULL
    opened = folder_of(tmp_path_factory.mktemp("reading"), {"app.log": text})
    yield opened
    opened.close()


def lines(start: int, end: int) -> list[int]:
    return [n for n in range(0, DAY, STEP) if start <= n < end]


def window(start: int, end: int) -> Window:
    return Window(START + timedelta(seconds=start), START + timedelta(seconds=end))


async def test_a_window_that_cuts_minutes_is_counted_exactly(folder: Folder) -> None:
    [logs] = folder.sources().logs
    for levels in ASKED:
        for start, end in WINDOWS[:2]:
            found = await logs.count(LogQuery(window(start, end), (), levels), ("service", "minute"))
            right = Counter((f"pay-{n % 4}", n // 60) for n in lines(start, end) if not levels or n % 50 == 0)
            minutes = ((START + timedelta(minutes=m), who) for who, m in right)
            assert {(r.keys["minute"], r.keys["service"]): r.n for r in found.rows} == {
                (at.isoformat().replace("+00:00", "Z"), who): right[who, int((at - START).total_seconds() // 60)]
                for at, who in minutes
            }
            assert (found.total, found.complete) == (sum(right.values()), True)


async def test_rows_and_patterns_are_the_same_where_only_a_part_is_read(folder: Folder) -> None:
    [logs] = folder.sources().logs
    await logs.count(LogQuery(window(0, DAY)), ("service", "minute"))
    for start, end in WINDOWS[2:]:
        found = await logs.search(LogQuery(window(start, end), (), ERRORS), 1_000)
        assert [r.at for r in found.rows] == [START + timedelta(seconds=n) for n in lines(start, end) if n % 50 == 0]
        mined = await logs.patterns(LogQuery(window(start, end)), window(start - 3_600, start), 50)
        assert sum(p.n for p in mined.rows) == len(lines(start, end))
        assert sum(p.before or 0 for p in mined.rows) == 3_600 // STEP
        assert min(p.first for p in mined.rows if p.first) == START + timedelta(seconds=lines(start - 3_600, start)[0])
        assert max(p.last for p in mined.rows if p.last) == START + timedelta(seconds=lines(start, end)[-1])


def test_stretches_that_hold_a_window_are_put_together() -> None:
    spans = [[0, 0.0, 60.0], [10, 60.0, 180.0], [20, 0.0, 120.0], [30, 300.0, 360.0], [40, 120.0, 180.0]]
    assert seek.within(spans, 50, 60.0, 120.0) == [(10, 30)]
    assert seek.within(spans, 50, 170.0, 310.0) == [(10, 20), (30, 50)]
    assert seek.within(spans, 50, 400.0, 500.0) == []


@pytest.mark.parametrize(
    ("size", "packed", "until", "narrow"),
    [(planning.LARGE, "", 3_600, True), (planning.LARGE - 1, "", 3_600, False), (planning.LARGE, "gz", 3_600, False),
     (planning.LARGE, "", 86_400, False)],
)  # fmt: skip
def test_of_a_large_file_a_narrow_window_is_read_alone(size: int, packed: str, until: float, narrow: bool) -> None:
    survey = {"name": "JSON-lines log", "since": 0.0, "until": 86_400.0}
    file = LogFile(0, Found("app.log", size, 0, packed), "app.log", survey, Hints(shape="field"))
    asked = planning.counts(file, Ask(0.0, until, (), (), ()), ("service", "minute"), False)
    assert [w.ask.until for w in asked] == [until if narrow else None]
