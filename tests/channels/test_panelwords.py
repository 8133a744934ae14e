"""Panels and steps of a Chinese answer speak Chinese; what a source wrote, names, figures, times stay as they are."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.app import open_app
from hermes_ops.channels import panelwords, tracewords
from hermes_ops.channels.feishu.cards import final
from hermes_ops.channels.panelwords import worded
from hermes_ops.channels.tracewords import traced
from hermes_ops.channels.words import clock_after
from hermes_ops.loading import load
from hermes_ops.trace import finding, show, tree
from orchestrator.contracts import Incoming
from tests.e2e.place import folder

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
OURS = re.compile(  # words that only sentences of ours have; what sources write in the incident has none of them
    r"\b(?:the|of|before|window|searched|gaps?|episodes|no data|names|asks|asked|because|rows|begins|turns|route)\b"
)
WHY, WHICH = (f"2026-11-29 13:00 到 15:00 checkout {asked}？" for asked in ("为什么报错", "的 P99 延迟是多少"))


@pytest.mark.parametrize("table", [panelwords.PARTS, panelwords.LINES, tracewords.HEAD, tracewords.STEPS])
def test_what_a_table_puts_in_is_there(table: list[tuple[str, str]]) -> None:
    for pattern, said in table:
        assert all(int(n) <= re.compile(pattern).groups for n in re.findall(r"\\(\d)", said)), pattern


@pytest.mark.parametrize("text", [WHICH, pytest.param(WHY, marks=pytest.mark.slow)])
async def test_no_sentence_of_ours_is_english_beside_a_chinese_answer(tmp_path: Path, text: str) -> None:
    settings = load({"HERMES_OPS_DATA_DIR": str(tmp_path / "data"), "HERMES_OPS_ZONE": "UTC"})
    async with open_app(settings, folder(tmp_path / "incident"), offline=True) as app:
        answer = await app.answer(Incoming("m", text, AT, locale="zh"), new=True)
        shown = final(answer, "k", "zh", 1.0, 0).card["body"]["elements"]
        panels = [e["elements"][0]["content"] for e in shown if e["tag"] == "collapsible_panel"]
        told = re.sub(r"(?m)^`.*`$|（.*?）", "", "\n".join(panels[-2:]))  # queries are as they were asked
        assert "有结果" in told
        assert not OURS.search(told), OURS.search(told)
        info, events = await finding.one(app.memory, answer.run_id)
        steps = [line.text for line in show.lines(info, events, tree.build(events))]
        lines = [traced(line, "zh") for line in steps if not line.strip().lower().startswith("folder ")]
        assert not OURS.search("\n".join(lines)), OURS.search("\n".join(lines))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("checkout 30 (before 0) · up 14:04–14:30 ±60 s, peak 12 · 14:04 3, else 0",
         "checkout 30（之前 0） · 上升 14:04–14:30（±60 秒），峰值 12 · 14:04 3，其余为 0"),
        ("no error lines of a, b in the window, among 1,030 log lines searched there",
         "该时段没有 a, b 的错误日志，共查 1,030 行"),
        ("no error lines in the window, among 3 log lines searched there", "该时段没有错误日志，共查 3 行"),
        ("12× (new, 14:04–14:30) a error: lost · no alert in it",
         "12×（新出现, 14:04–14:30）a error: lost · no alert in it"),
        ("critical High a 14:04–open ×3 (first, flapping): no data",
         "critical High a 14:04–未恢复 ×3（最早，抖动）: no data"),
        ("a 99.2 % (3 bad of 412 requests; objective 99.9 %, 34 % of its error budget used)",
         "a 99.2%（412 个 requests 中 3 个失败；目标 99.9%，错误预算已用 34%）"),
        ("1. 13:40 deploy a 1.2 4929ab03a9c6: x — 14 min before the onset; on a, which fails; waits where it didn't",
         "1. 13:40 deploy a 1.2 4929ab03a9c6: x — 开始前 14 min；就在出错的 a 上；新增等待"),
        ("Connection refused: the window of retries is over", "Connection refused: the window of retries is over"),
    ],
)  # fmt: skip
def test_figures_names_and_what_sources_wrote_stay(said: str, meant: str) -> None:
    assert worded(said, "zh") == meant
    assert worded(said, "en") == said


def test_who_is_told_to_come_back_after_a_minute_finds_that_it_was_not_over_when_it_was_said() -> None:
    for second, said in ((0, "16:03"), (1, "16:04"), (59, "16:04")):
        assert clock_after(datetime(2026, 11, 30, 8, 3, second, tzinfo=UTC), "Asia/Shanghai") == said
