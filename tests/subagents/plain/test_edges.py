"""The first and the last line of something, what a matter without a service's name is about, and how far it reached."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.contracts import Json
from subagents.plain.edges import asked
from tests.subagents.plain.test_answers import at, counted, errors, fired, said


def pattern(service: str, template: str, first: str, last: str, level: str = "error", n: int = 5) -> Json:
    row: Json = {"template": template, "service": service, "level": level, "n": n, "before": 0, "new": True}
    return {**row, "first": at(first), "last": at(last), "stray": False}


def patterns(*rows: Json) -> tuple[str, Json]:
    return "patterns", {"patterns": list(rows), "names": [], "strays": 0}


FOUND = patterns(
    pattern("cart", "no space left on device", "14:10", "14:20"),
    pattern("cart", "upstream gave up", "14:03", "14:46"),
    pattern("cart", "slow response", "13:00", "15:00", "warn"),
    pattern("tax", "rates unreadable", "12:00", "16:00"),
)
COUNTS = counted(errors("cart", 9, "14:03", "14:47"), errors("tax", 4))


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("what was the first error of cart", "first"),
        ("earliest exception in cart?", "first"),
        ("cart 第一条报错是什么", "first"),
        ("首次出现死锁是几点", "first"),
        ("last error on cart?", "last"),
        ("the most recent stack trace of cart", "last"),
        ("cart 最后一次报错几点", "last"),
        ("latest timeout in tax", "last"),
        ("which service had the first error", ""),
        ("errors last night", ""),
        ("last 20 minutes of errors", ""),
        ("最近一小时的报错", ""),
        ("last week's failures in tax", ""),
        ("哪个服务最先报错", ""),
        ("which alert fired first", ""),
        ("cart 最近一次发布", ""),
        ("the last deploy of cart", ""),
    ],
)
def test_which_line_is_asked_for(question: str, end: str) -> None:
    assert asked(question) == end


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("first error of cart?", "The first: 14:03 UTC, cart: `upstream gave up` [E2]."),
        ("cart 最后一条错误", "最后一条：14:46 UTC，cart：`upstream gave up` [E2]。"),
        ("cart 第一次磁盘写满的日志", "最早的一条：14:10 UTC，cart：`no space left on device` [E2]。"),
    ],
)
def test_its_time_comes_first(question: str, line: str) -> None:
    lang = "en" if question.isascii() else "zh"
    assert said(question, COUNTS, FOUND, services=("cart",), lang=lang)[0] == line


TALK = patterns(
    pattern("mailer", "smtp relay answered 451", "15:00", "15:10"),
    pattern("cart", "upstream gave up", "14:03", "14:46"),
)
TWO = counted(errors("cart", 9, "14:03", "14:47"), errors("mailer", 4, "15:00", "15:12"))


def test_a_matter_that_is_no_service_is_found_in_what_services_wrote() -> None:
    lines = said("the smtp thing, when did it start", TWO, TALK, fired())
    assert lines[0].startswith("Since 15:00 UTC: errors of mailer")
    assert said("when did it start", TWO, TALK, fired())[0].startswith("Since 14:03 UTC")
    both = said("smtp trouble: when did it start and end", TWO, TALK, fired())
    assert both[0].startswith("12 min (15:00–15:12): errors of mailer")


@pytest.mark.parametrize(
    ("question", "lang"), [("blast radius of the cart outage?", "en"), ("cart 影响范围多大", "zh")]
)
def test_how_far_it_reached_names_those_that_failed_with_it(question: str, lang: Any) -> None:
    got = counted(errors("cart", 9, "14:03"), errors("shop", 8, "14:03"), errors("tax", 2), services=["cart", "shop"])
    lines = said(question, got, fired(), services=("cart",), lang=lang)
    assert any("shop 8" in line and "tax" not in line for line in lines)
