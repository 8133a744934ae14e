"""What a question is about, over a real folder: a time that is only "recently" is the usual window, said to be so."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.grasp import grasp, trouble
from orchestrator.contracts import Incoming, Window, from_json
from orchestrator.scope import Catalogue
from subagents.folder.folder import open_folder

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)


async def grasped(root: Path, text: str) -> Any:
    (root / "cart.log").write_text(
        "2026-03-04T12:00:00Z INFO cart: served\n2026-03-04T13:00:00Z ERROR cart: failed\n", encoding="utf-8"
    )
    folder = open_folder(root)
    try:
        return grasp(Incoming("1", text, NOW), folder.coverage(), Catalogue())
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
