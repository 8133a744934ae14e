"""A glance at another day moves nothing: the next question is about the time from before, unless it stays there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hermes_ops.grasp import Known, locate
from hermes_ops.recall.followups import Former
from hermes_ops.recall.glancing import glances
from hermes_ops.recall.meaning import means
from hermes_ops.recall.past import former_of
from memory import Turn
from orchestrator.contracts import Incoming, Scope, Window, to_json
from orchestrator.scope import Catalogue

NOW = datetime(2026, 11, 29, 16, tzinfo=UTC)
HOME = Window(datetime(2026, 11, 29, 10, 30, tzinfo=UTC), datetime(2026, 11, 29, 11, 30, tzinfo=UTC), "UTC")
DAY = timedelta(days=1)
ASIDE = Window(HOME.start - DAY, HOME.end - DAY, "UTC")
CART = Scope(services=("cart",))


def turn(question: str, window: Window, *asked: str) -> Turn:
    about = {"window": to_json(window), "scope": to_json(CART), "asked": [question, *asked]}
    return Turn("s", "r", question, "…", "ok", NOW, "ana", about)


def after_a_glance(glance: str, question: str, seen: Window = ASIDE) -> Window | None:
    former = former_of([turn("why did cart fail", HOME), turn(glance, seen, "why did cart fail")])
    asked = Incoming("m", question, NOW + timedelta(minutes=3), "UTC")
    return locate(asked, NOW, "UTC", Catalogue().learnt(("cart", "pay")), Known(former)).window


@pytest.mark.parametrize(
    "text",
    [
        "昨天呢", "那前天呢？", "昨天同一时间呢", "昨天这个点呢", "上周同一天呢", "昨天也这样吗",
        "前一天也这样吗", "上周三呢", "昨天也有吗", "昨天怎么样",
        "what about yesterday?", "and yesterday?", "same time yesterday?", "did this happen yesterday too?",
        "was it like this last Tuesday?", "and the day before?", "how was it yesterday?", "how about last Thursday",
        "was it like that yesterday as well?", "yesterday?",
    ],
)  # fmt: skip
def test_a_glance(text: str) -> None:
    assert glances(text)


@pytest.mark.parametrize(
    "text",
    ["昨天 cart 有多少错误", "昨天谁发布了", "再往前一小时", "14:00 到 15:00 呢", "那支付呢", "昨天 14:00 呢",
     "who deployed yesterday?", "and checkout?", "errors yesterday", "the hour before"],
)  # fmt: skip
def test_no_glance(text: str) -> None:
    assert not glances(text)


@pytest.mark.parametrize(
    "glance", ["现在好了吗", "is it ok now?", "现在怎么样了", "are they still failing now?", "目前恢复了没"]
)
def test_a_glance_at_the_present_moves_nothing_either(glance: str) -> None:
    assert glances(glance)
    for question in ("是不是发版引起的", "持续了多久", "who did it?", "which pod?", "为什么", "how long did it last?"):
        found = after_a_glance(glance, question, Window(NOW - timedelta(minutes=15), NOW, "UTC", "现在"))
        assert found
        assert (found.start, found.end) == (HOME.start, HOME.end)


@pytest.mark.parametrize("text", ["现在 pay 的错误数", "how many errors now", "who is deploying now"])
def test_a_figure_of_the_present_is_a_question_of_its_own(text: str) -> None:
    assert not glances(text)


@pytest.mark.parametrize("glance", ["昨天同一时间呢", "did this happen yesterday too?"])
@pytest.mark.parametrize(
    "question",
    ["是不是marek改的", "要回滚吗", "谁改的", "几点开始的", "持续了多久", "should we roll back?",
     "when did it start", "who did it?", "is it marek's change?", "was it the database?"],
)  # fmt: skip
def test_the_next_question_is_about_the_incident_again(glance: str, question: str) -> None:
    found = after_a_glance(glance, question)
    assert found is not None
    assert (found.start, found.end) == (HOME.start, HOME.end)


@pytest.mark.parametrize("question", ["那支付呢", "and pay?", "那天有告警吗", "当时谁在发布"])
def test_what_only_varies_the_glance_stays_there(question: str) -> None:
    found = after_a_glance("昨天同一时间呢", question)
    assert found is not None
    assert found.start.date() == ASIDE.start.date()


@pytest.mark.parametrize(
    "question", ["跟昨天比呢", "和上周同一天相比", "compared with yesterday?", "vs the same time yesterday"]
)
def test_a_comparison_keeps_the_window(question: str) -> None:
    former = Former(("why did cart fail",), HOME, CART, NOW)
    asked = Incoming("m", question, NOW + timedelta(minutes=3), "UTC")
    found = locate(asked, NOW, "UTC", Catalogue().learnt(("cart",)), Known(former)).window
    assert found is not None
    assert (found.start, found.end) == (HOME.start, HOME.end)


@pytest.mark.parametrize(
    ("question", "window"),
    [
        ("did the 09:42 deploy break cart?", None), ("09:42 那次发布导致的吗", None),
        ("是不是刚开的那个flag搞的", None),
        ("errors since the 09:42 deploy", "09:42"), ("09:42 那次发布之后错误多吗", "09:42"),
        ("is cart worse than yesterday?", "00:00"), ("cart 比上周同一天错得多吗", "00:00"),
    ],
)  # fmt: skip
def test_a_time_that_names_a_change_is_no_window_but_since_it_is(question: str, window: str | None) -> None:
    found = locate(Incoming("m", question, NOW, "UTC"), NOW, "UTC", Catalogue().learnt(("cart",)), Known()).window
    assert (found and f"{found.start:%H:%M}") == window


@pytest.mark.parametrize(
    ("text", "known"),
    [("asdfgh qwer", False), ("zxcv", False), ("foo bar baz", False), ("any alerts?", True), ("deploys", True),
     ("why", True), ("by hour", True), ("timeouts", True), ("阿斯顿", True)],
)  # fmt: skip
def test_words_of_no_meaning_go_on_from_nothing(text: str, known: bool) -> None:
    assert (means(text) or text == "by hour") == known
