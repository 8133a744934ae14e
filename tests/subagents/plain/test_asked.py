"""What a question is after where its form is short or loose: slowness, other times, tickets, times alone. Words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hermes_ops.recall.glossary import with_chinese
from orchestrator import scope, when
from orchestrator.contracts import Window
from orchestrator.planner import choose
from orchestrator.scope import Catalogue
from subagents import alerts, changes, logs
from subagents.compared import against, also
from subagents.logs.playbook import TOP
from subagents.plain.accused import suffering
from subagents.plain.aims import aim
from subagents.plain.kinds import SINCE_CHANGE, kinds, subject
from subagents.sources import Sources

AGENTS = tuple(made(Sources()) for made in (alerts.make, logs.make, changes.make))


@pytest.mark.parametrize(
    "text",
    ["tax 今天慢不慢", "接口响应时间多少", "p95 高吗", "is tax sluggish?", "why are requests taking so long",
     "rt 高不高", "latency of tax", "页面好卡"],
)  # fmt: skip
def test_slowness_is_its_own_question(text: str) -> None:
    assert "slow" in kinds(text)


@pytest.mark.parametrize(
    "text",
    ["show slow queries", "tax 的慢查询", "什么时候开始慢的", "when did it get slow", "replication lag",
     "slowest spans", "看下慢日志", "慢调用链路"],
)  # fmt: skip
def test_what_is_only_called_slow_is_none(text: str) -> None:
    assert "slow" not in kinds(text)


def test_a_comparison_of_slowness_is_a_comparison() -> None:
    assert kinds("tax 比昨天慢吗")[:2] == ("compare", "slow")
    assert kinds("is it slower than yesterday?")[0] == "compare"


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("昨天也有这么多报错吗", True),
        ("上周五也是这样吗", True),
        ("前天流量也这么高吗", True),
        ("was it as bad last week?", True),
        ("were there this many alerts yesterday?", True),
        ("did it also happen on Monday?", True),
        ("did this happen last Tuesday too?", True),
        ("did anything happen last night?", False),
        ("昨天也发布了吗", False),
        ("昨天有这么个告警", False),
    ],
)
def test_whether_another_time_was_like_this_one(text: str, yes: bool) -> None:
    assert also(text) is yes


def test_the_other_side_is_the_present_stretch_of_the_clock() -> None:
    now = datetime(2026, 11, 30, 16, tzinfo=UTC)
    day = Window(datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC), "UTC")
    hour = Window(datetime(2026, 11, 29, 14, tzinfo=UTC), datetime(2026, 11, 29, 15, tzinfo=UTC), "UTC")
    late = Window(datetime(2026, 11, 28, 20, tzinfo=UTC), datetime(2026, 11, 28, 21, tzinfo=UTC), "UTC")
    said = [when.say(found) for w in (day, hour, late) if (found := against("昨天也这么多请求吗", w, now, "UTC"))]
    assert said == [
        "2026-11-30 00:00–16:00 +00:00",
        "2026-11-30 14:00–15:00 +00:00",
        "2026-11-29 20:00–21:00 +00:00",  # today's has yet to come
    ]


def asked(text: str) -> set[str]:
    return {a.name for a, _ in choose(text, AGENTS, False, aim(text))}


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("is everything slow?", {"alerts", "logs"}),
        ("anything overnight?", {"alerts", "logs"}),
        ("anything since 6am?", {"alerts", "logs"}),
        ("wtf is going on since 3pm", {"alerts", "logs", "changes"}),
        ("昨晚九点什么情况", {"alerts", "logs", "changes"}),
        ("OPS-311 是什么", {"alerts", "logs", "changes"}),
        ("mei 昨晚干了啥", {"changes"}),
        ('translate "see you soon" into spanish', set()),
        ("把“早安”翻译成法语", set()),
        ("anything else?", set()),
    ],
)
def test_whom_it_concerns(text: str, who: set[str]) -> None:
    assert asked(text) == who


@pytest.mark.parametrize(
    ("text", "name"),
    [("anything on ledger today?", "ledger"), ("any news about the ledger?", "ledger"), ("anything on fire?", "fire")],
)
def test_the_word_that_is_asked_after(text: str, name: str) -> None:
    assert subject(text) == name


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("是不是 tax 那次上线把 cart 弄挂了", ("cart",)),
        ("did the tax rollout break cart?", ("cart",)),
        ("cart 把 tax 打挂了吗", ("tax",)),
        ("cart 和 tax 怎么了", ("cart", "tax")),
    ],
)
def test_whose_change_is_suspected_is_not_who_suffers(text: str, left: tuple[str, ...]) -> None:
    assert suffering(text, ("cart", "tax")) == left


def test_a_change_is_named_by_its_service() -> None:
    assert SINCE_CHANGE.search("errors since the tax release")
    assert SINCE_CHANGE.search("自从 tax 上线，cart 一直报错")
    assert not SINCE_CHANGE.search("deploys since yesterday")


@pytest.mark.parametrize(
    "text", ["top 10 errors", "今天最多的报错", "报错排名", "most common exceptions", "昨天 top3 的错误"]
)
def test_the_most_frequent_messages(text: str) -> None:
    assert TOP.search(text)
    assert not TOP.search("errors on top of that")


def test_more_words_that_services_are_named_after() -> None:
    known = with_chinese(Catalogue().learnt(("courier-api", "tile-cache", "push-gw")))
    found = [scope.resolve(t, known).scope.services for t in ("骑手接口挂了", "瓦片加载慢", "推送失败")]
    assert found == [("courier-api",), ("tile-cache",), ("push-gw",)]


def test_a_files_long_name_is_no_service_that_is_named_after_a_word_in_it() -> None:
    known = with_chinese(Catalogue().learnt(("fetch_logs_login_shop-namespace-7_web-5cb4d984fd-t6prp", "web")))
    assert scope.resolve("有多少次登录失败？", known).scope.services == ()
