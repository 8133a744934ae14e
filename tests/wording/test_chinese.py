"""Answers in Chinese hold no English sentences but what is quoted, named or an id; answers to odd orders and times."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops import timewords
from hermes_ops.app import App, open_app
from hermes_ops.loading import load
from hermes_ops.render import remarks
from orchestrator import when
from orchestrator.contracts import Answer, Incoming
from subagents.cause.rules import RULES
from subagents.changes.chinese import in_words, operational
from tests.e2e.place import folder
from tests.shared import shared

QUOTED = re.compile(r"`[^`]*`|“[^”]*”|《[^》]*》")
WORDS = re.compile(r"(?:\b[a-z]{2,}\b[ ,]+){2,}\b[a-z]{2,}\b")  # three English words in a row, in small letters


def english(text: str) -> list[str]:
    """Pieces of a Chinese answer that read as English."""
    return [m[0] for line in text.splitlines() for m in WORDS.finditer(QUOTED.sub("「」", line))]


async def ask(app: App, text: str, at: datetime, locale: str = "zh") -> Answer:
    asked = Incoming(f"m-{text}", text, at, zone="Asia/Shanghai", locale=locale, anchored=True)
    return await app.answer(asked, session=text, new=True)


def settings(place: Path) -> dict[str, str]:
    return {"HERMES_OPS_DATA_DIR": str(place / "data"), "HERMES_OPS_ZONE": "Asia/Shanghai"}


AT = datetime(2026, 11, 30, 1, tzinfo=UTC)
QUESTIONS = (
    "昨天 checkout 为什么报错？", "昨天有哪些告警？", "昨天谁回滚了什么？", "昨天有哪些变更？",
    "昨天 payment 的日志有什么错误？",
    "昨天 checkout 的可用率是多少？", "最近怎么样", "昨天 catalog 有多少条 ERROR？", "从14:00到13:00有哪些变更？",
    "上周一怎么样",
    "nosuch 服务昨天正常吗？", "帮我重启 payment",
)  # fmt: skip


async def test_a_small_folder_is_told_of_in_chinese(tmp_path: Path) -> None:
    async with open_app(load(settings(tmp_path)), folder(tmp_path / "exported"), offline=True) as app:
        for question in QUESTIONS[:4]:
            answer = await ask(app, question, AT)
            assert english(answer.text) == [], question
            assert english("\n".join(remarks(answer)[:-1])) == [], question


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_day_is_told_of_in_chinese(tmp_path: Path) -> None:
    day = shared("data/days/2026-11-29/input")
    async with open_app(load(settings(tmp_path)), day, offline=True) as app:
        for question in QUESTIONS if os.environ.get("NIGHTLY") == "1" else QUESTIONS[:3]:
            answer = await ask(app, question, AT)
            assert english(answer.text) == [], question
            assert english("\n".join(remarks(answer)[:-1])) == [], question


async def test_odd_questions_are_answered_for_what_they_are(tmp_path: Path) -> None:
    async with open_app(load(settings(tmp_path)), folder(tmp_path / "exported"), offline=True) as app:
        order = await ask(app, "restart payment please", AT, "")
        assert "only read" in order.text
        back = await ask(app, "帮我把 payment 回滚到 2.4.0", AT)
        assert back.text.startswith("我只能查询")
        backwards = await ask(app, "errors since 14:00 to 13:00?", AT, "")
        assert (backwards.status, "ends before it begins" in backwards.text) == ("needs_input", True)
        assert "结束早于开始" in (await ask(app, "从14:00到13:00有哪些变更？", AT)).text


@pytest.mark.parametrize(("said", "hours"), [("22:00 to 6:00", 8), ("昨晚22:00到今早6:00", 8), ("18:00到8:00", 14)])
def test_a_night_goes_over_midnight(said: str, hours: int) -> None:
    window = when.resolve(said, AT, "Asia/Shanghai").window
    assert window is not None
    assert (window.end - window.start).total_seconds() == hours * 3600


@pytest.mark.parametrize("said", ["14:00 to 13:00", "from 9am to 8am", "昨天15:00到14:00", "between 10:30 and 10:00"])
def test_a_range_that_ends_before_it_begins_is_asked_back(said: str) -> None:
    reading = when.resolve(said, AT, "Asia/Shanghai")
    assert reading.window is None
    assert "ends before it begins" in reading.unread[0]


@pytest.mark.parametrize("said", ["昨天", "14:00到15:00", "最近2小时", "昨晚",
    "上周五下午", "since 9am", "今天9点前", "刚才",
                                  "2026-11-29 14:03", "13月40日", "2月30日", "25:00",
    "明年", "周三14点", "中午"])  # fmt: skip
def test_each_reason_of_the_time_grammar_has_chinese_words(said: str) -> None:
    reading = when.resolve(said, AT, "Asia/Shanghai")
    if reading.window:
        assert not re.search(r"[a-z]{3,} [a-z]{3,}", timewords.reasons(reading.window.why, "zh"))
    for told in reading.unread:
        assert not re.search(r"[a-z]{3,} [a-z]{3,}", timewords.unread(told, "zh"))


def test_what_the_analysis_says_of_content() -> None:
    moved = "pool size `max_connections` 40 → 4 (less, 10-fold): can bring pool, timeout"
    assert in_words(moved, True) == "连接池大小 `max_connections` 40 → 4（减少，10 倍），可能引起连接池、超时方面的问题"
    assert in_words(moved, False) == moved
    assert in_words("a sentence that is in no table", True) == "`a sentence that is in no table`"


@pytest.mark.parametrize(("kind", "title"), [*((r.kind, r.title) for r in RULES), ("traffic surge", "more than usual")])
def test_what_is_no_change_is_named_in_both_languages(kind: str, title: str) -> None:
    assert not re.search("[A-Za-z]", operational(kind, title, zh=True))
    assert operational(kind, title, zh=False) == title


def test_planned_work_and_a_provider_are_named_as_quotes() -> None:
    assert operational("planned work", "drain `node` 7", zh=True) == "计划内操作 `drain node 7`"
    assert operational("provider outage", "acme.io is out or slow", zh=True) == "外部供应商故障 `acme.io`"
