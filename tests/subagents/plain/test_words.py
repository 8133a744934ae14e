"""What a question asks, by its words alone: kinds, aims, whom it suspects, text to search for, whose changes."""

from __future__ import annotations

import pytest

from orchestrator.contracts import Json
from subagents.changes.picked import picked
from subagents.plain.accused import suffering
from subagents.plain.aims import aim
from subagents.plain.kinds import kinds, subject
from subagents.plain.sought import sought


@pytest.mark.parametrize(
    ("kind", "questions"),
    [
        (
            "over",
            (
                "现在好了吗",
                "恢复了吗？",
                "问题解决了没",
                "is it fixed now?",
                "Has cart recovered?",
                "回滚之后好了吗",
                "did the revert help?",
                "are we back to normal?",
            ),
        ),
        ("still", ("还在报错吗", "cart 还有错误吗", "is it still failing?", "are there still errors?")),
        (
            "began",
            (
                "什么时候开始的",
                "cart 几点开始报错的",
                "从什么时候开始慢的",
                "when did it start?",
                "since when is cart down?",
                "what time did cart go down",
                "when did cart get slow",
            ),
        ),
        ("ended", ("什么时候恢复的", "cart 几点好的", "when did it end?", "when was it resolved?", "恢复时间")),
        (
            "lasted",
            ("持续了多久", "cart 挂了多久", "how long did it last?", "how long was cart down?", "故障持续多长时间"),
        ),
        (
            "rollback",
            ("要不要回滚", "该不该撤回 cart？", "需要回滚吗", "should we roll back?", "do we need to revert this?"),
        ),
        (
            "undone",
            ("昨晚有变更回滚吗", "回滚了吗", "was it rolled back?", "did anyone roll it back", "has it been reverted"),
        ),
        (
            "unresolved",
            (
                "哪些告警还没恢复",
                "未恢复的告警",
                "列出还没恢复的告警",
                "alerts that haven't recovered",
                "which alerts are still open",
            ),
        ),
        (
            "who",
            (
                "谁发的版",
                "谁改的",
                "who fixed it",
                "谁修复的",
                "有没有人改过配置",
                "who deployed cart?",
                "最近一次发布是谁发的",
            ),
        ),
        ("first", ("哪个服务最先坏", "cart 和 tax 哪个先报错", "which failed first?", "where did it start?")),
        ("longest", ("哪个告警最长", "which alert lasted longest?")),
        ("compare", ("cart 和 tax 比谁的错误多", "和昨天比呢", "errors compared to yesterday", "cart vs tax")),
        ("threshold", ("错误率超过 5% 了吗", "SLO 达标吗", "did cart meet its SLO?", "is availability below 99%?")),
        (
            "impact",
            ("多少用户受影响", "影响范围多大", "how many customers were affected?", "how many orders were lost"),
        ),
        (
            "blame",
            ("是不是数据库的问题", "是证书过期吗", "was it cart 1.2.3?", "did OPS-12 cause this?", "跟发布有关吗"),
        ),
        ("brief", ("一句话总结", "给老板说说", "tl;dr", "in one sentence please")),
        ("trouble", ("昨晚有问题吗", "有没有异常", "any alerts right now?", "is cart down?")),
        ("sound", ("一切正常吗", "is cart healthy?", "is everything ok?")),
    ],
)
def test_what_a_text_asks(kind: str, questions: tuple[str, ...]) -> None:
    assert [q for q in questions if kind not in kinds(q)] == []


@pytest.mark.parametrize(
    "text",
    [
        "zeta 最常见的异常是什么？",
        "最近一次回滚是什么时候？",
        "昨天有哪些变更？",
        "发布是几点开始的？",
        "when did the deploy start?",
        "how long does a release take?",
        "how long ago was the last deploy",
        "预计什么时候能恢复",
        "why did cart fail?",
        "昨天 cart 有多少报错？",
        "昨天有几条错误？",
        "how many alerts were there with errors yesterday",
        "谢谢",
    ],
)
def test_other_questions_ask_none_of_it(text: str) -> None:
    assert set(kinds(text)) <= {"who"}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("支付挂了！！", "cause"),
        ("页面打不开", "cause"),
        ("users are getting 401", "cause"),
        ("we can't log in", "cause"),
        ("挂了吗？", ""),
        ("is it down?", ""),
        ("哪个服务一直报错", ""),
        ("是不是连接池满了", "cause"),
        ("was it rolled back?", "cause"),
        ("who fixed it", "cause"),
        ("谁修复的", "cause"),
        ("which pod?", "plain"),
        ("哪个版本", "state"),
        ("error rate of /api/v1/pay", "state"),
        ("is it the database?", "cause"),
        ("现在好了吗", "state"),
        ("有什么异常", "state"),
        ("日志里有什么异常", ""),
        ("今天是星期一吗", "judged"),
        ("你是机器人吗", ""),
        ("好了，谢谢", ""),
        ("it's fixed, thanks", ""),
    ],
)
def test_what_a_question_is_after(text: str, want: str) -> None:
    assert aim(text) == want


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("was it cart 5.1.0?", ()),
        ("是不是 cart 的问题", ()),
        ("tax 报错是不是 cart 的问题", ("tax",)),
        ("did OPS-7 cause the cart errors?", ("cart",)),
        ("是不是昨天的发布把 cart 搞挂了？", ("cart",)),
        ("Was it the deploy that broke cart?", ("cart",)),
        ("is cart down?", ("cart",)),
        ("is cart to blame for tax?", ("tax",)),
    ],
)
def test_whom_a_question_is_about_and_whom_it_suspects(text: str, left: tuple[str, ...]) -> None:
    named = tuple(s for s in ("cart", "tax") if s in text)
    assert suffering(text, named) == left


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("trace 993a50ad54bb8418 怎么回事", ("993a50ad54bb8418",)),
        ("订单 7742486 为什么失败", ("7742486",)),
        ("find lines with 'connection reset'", ("connection reset",)),
        ("搜一下 “余额不足”", ("余额不足",)),
        ("card declined 有多少", ("card declined",)),
        ("grep NullPointerException", ("NullPointerException",)),
        ("request id req-77a1f2 failed", ("req-77a1f2",)),
        ("why doesn't cart's cache work", ()),
        ("cart 5.1.0 的错误", ()),
        ("OPS-2041 是什么", ()),
        ("2026-11-29 14:00 的错误", ()),
        ("error log 有多少", ()),
        ("payment SLO 达标吗", ()),
        ("order-api p99 延迟现在多少", ()),
        ("order api 的吞吐多少", ()),
    ],
)
def test_text_that_is_to_be_found_word_for_word(text: str, strings: tuple[str, ...]) -> None:
    assert sought(text) == strings


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("redis 有没有问题", "redis"),
        ("is kafka down?", "kafka"),
        ("anything wrong with nginx?", "nginx"),
        ("cpu 正常吗", ""),
        ("is everything ok?", ""),
        ("这个服务怎么了", ""),
        ("which service is down?", ""),
    ],
)
def test_the_word_that_is_asked_after(text: str, word: str) -> None:
    assert subject(text) == word


def row(n: int, kind: str, author: str, **more: object) -> Json:
    return {
        "id": str(n),
        "kind": kind,
        "author": author,
        "at": f"2026-03-04T{10 + n}:00:00+00:00",
        "service": "cart",
        "what": f"cart 1.{n}",
        "sha": "",
        "title": "t",
        "version": f"1.{n}",
        "config": False,
        **more,
    }


ROWS = [
    row(0, "commit", "carlos.mendez"),
    row(1, "deploy", "mei"),
    row(2, "config", "omar"),
    row(3, "deploy", "omar"),
    row(4, "commit", "王伟", config=True),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("omar 昨天改了什么", "32"),
        ("what did carlos change", "0"),
        ("王伟改了什么", "4"),
        ("what did zoe deploy", ""),
        ("最近一次发布是谁发的", "3"),
        ("the latest deploy of cart", "3"),
        ("最近有没有人改过配置", "42"),
        ("谁提交的", "4310"),
        ("who deployed cart?", "31"),
        ("what did we deploy yesterday", "31"),
    ],
)
def test_which_changes_are_asked_for_newest_first(text: str, ids: str) -> None:
    assert "".join(r["id"] for r in picked(text, ROWS, ("cart",)).rows) == ids


def test_all_changes_are_asked_for() -> None:
    assert not picked("昨天有哪些变更？", ROWS, ()).any
