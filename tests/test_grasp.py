"""What a question is about, over a real folder: a time that is only "recently" is the usual window, said to be so."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_ops import timewords
from hermes_ops.grasp import grasp, trouble
from orchestrator.contracts import Incoming, Window, from_json
from orchestrator.scope import Catalogue
from subagents.folder.folder import open_folder
from subagents.sources import Coverage

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)


async def grasped(root: Path, text: str, at: datetime = NOW) -> Any:
    (root / "cart.log").write_text(
        "2026-03-04T12:00:00Z INFO cart: served\n2026-03-04T13:00:00Z ERROR cart: failed\n", encoding="utf-8"
    )
    folder = open_folder(root)
    try:
        return grasp(Incoming("1", text, at), folder.coverage(), Catalogue())
    finally:
        folder.close()


@pytest.mark.parametrize(
    ("text", "said"), [("最近改了什么？", "最近"), ("what changed recently?", "recently"), ("改了什么", "")]
)
async def test_recently_alone_is_the_usual_window(tmp_path: Path, text: str, said: str):
    known = await grasped(tmp_path, text)
    window = from_json(Window, known["window"])
    assert trouble(known, known["lang"]) == ""
    assert (window.start, window.end) == (
        datetime(2026, 3, 4, 12, tzinfo=UTC),
        datetime(2026, 3, 4, 13, 0, 1, tzinfo=UTC),
    )
    assert window.said == said
    assert window.why.endswith("all that the folder holds")


async def test_a_time_that_cannot_be_read_is_still_asked_back(tmp_path: Path):
    known = await grasped(tmp_path, "那天 cart 怎么了")
    assert "看不懂时间" in trouble(known, "zh")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("明天 cart 会有告警吗", "“明天”在将来，还没有数据可查。"),
        ("cart errors tomorrow", "'tomorrow' lies in the future: there is no data yet."),
        ("4月1日 cart 的告警", "“4月1日”在将来，还没有数据可查。若指往年，请写明年份。"),
    ],
)
async def test_a_time_in_the_future_is_said_to_be_so(tmp_path: Path, text: str, said: str):
    known = await grasped(tmp_path, text)
    assert trouble(known, known["lang"]) == said


@pytest.mark.parametrize(
    ("at", "text", "start", "why"),
    [
        (datetime(2026, 3, 5, 9, tzinfo=UTC), "昨天 cart 的报错", datetime(2026, 3, 4, tzinfo=UTC), ""),
        (
            datetime(2026, 3, 4, 18, tzinfo=UTC),
            "errors since 12:30",
            datetime(2026, 3, 4, 12, 30, tzinfo=UTC),
            "",
        ),
        (
            datetime(2026, 3, 5, 9, tzinfo=UTC),
            "2026-03-04 12:00 到 13:00 的报错",
            datetime(2026, 3, 4, 12, tzinfo=UTC),
            "",
        ),
        (
            datetime(2026, 3, 9, 9, tzinfo=UTC),
            "过去一小时 cart 的报错",
            datetime(2026, 3, 4, 12, tzinfo=UTC),
            "从数据的最后一条记录 2026-03-04 13:00 起算",
        ),
        (
            datetime(2026, 3, 9, 9, tzinfo=UTC),
            "cart errors yesterday",
            datetime(2026, 3, 3, tzinfo=UTC),
            "counted from the last record, 2026-03-04 13:00",
        ),
    ],
)
async def test_of_data_that_ended_a_time_counts_by_the_clock_where_that_meets_data(
    tmp_path: Path, at: datetime, text: str, start: datetime, why: str
):
    known = await grasped(tmp_path, text, at)
    window = from_json(Window, known["window"])
    assert (window.start, timewords.reasons(window.why, known["lang"])) == (start, why)


@pytest.mark.parametrize(
    ("now", "window"),
    [
        ("12:30:00.250", ("12:00:00", "12:30:00")),  # in the midst of the data: up to then
        ("11:00:00", ("10:00:00", "11:00:00")),  # before all of it
        ("18:00:00", ("12:00:00", "13:00:02")),  # after it
    ],
)
def test_the_usual_window_ends_at_the_time_of_the_question_and_on_a_whole_second(now: str, window: tuple[str, str]):
    def at(clock: str) -> datetime:
        return datetime.fromisoformat(f"2026-03-04T{clock}+00:00")

    held = Coverage(at("12:00:00.106"), at("13:00:00.845"), "UTC", ("cart",))
    asked = Incoming("1", "why did cart fail", at(now), anchored=True)
    found = from_json(Window, grasp(asked, held, Catalogue())["window"])
    assert (found.start, found.end) == tuple(map(at, window))
    loose = grasp(Incoming("1", "cart errors in the last 15 minutes", at(now)), held, Catalogue())
    assert "." not in loose["note"]["window"]
    assert "." not in loose["note"]["now"]
