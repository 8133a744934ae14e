"""Which change a question means, what came after it, and that what nobody finds is said."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.contracts import Json
from subagents.plain.aims import aim
from subagents.plain.kinds import kinds
from tests.subagents.plain.test_answers import ENDED, at, changed, counted, errors, fired, ranked, said, suspect

OUTAGE: Json = {"verdict": "operational", "kind": "provider outage", "title": "bank is out or slow", "service": "cart",
                "first_failing": "cart"}  # fmt: skip


def row(id: str, kind: str, clock: str, title: str, **more: Any) -> Json:
    return suspect(id, "cart", "", kind=kind, at=at(clock), title=title, what=id, inside=True, related=True, **more)


COMMIT = row("c0ffee1a2b", "commit", "13:52", "cart 4.12.0: keep all results", sha="c0ffee1a2b")
FLAG = row("flg-7", "flag", "13:58", "wallet-share: 30 → 100")
LATE = row("flg-8", "flag", "14:44", "backup-share: 30 → 100")


@pytest.mark.parametrize(
    ("question", "lang", "begins"),
    [
        ("is it the cart 4.12.0 release?", "en", "Yes: most likely c0ffee1a2b commit"),
        ("did 4.12.0 cause this?", "en", "Yes: most likely c0ffee1a2b commit"),
        ("did the 13:50 deploy cause this?", "en", "Yes: most likely c0ffee1a2b commit"),
        ("is the 13:55 commit responsible?", "en", "Yes: most likely c0ffee1a2b commit"),
        ("was it the flag that was just turned on?", "en", "No: not likely flg-7 flag"),
        ("was it the 9.9.9 release?", "en", "Can't tell: no change that was searched is called `9.9.9`"),
        ("是不是 4.12.0 这个版本", "zh", "是，最可能就是 c0ffee1a2b 提交"),
        ("13:52 那次提交是不是根因", "zh", "是，最可能就是 c0ffee1a2b 提交"),
        ("是不是刚开的那个flag搞的", "zh", "否，不像是 flg-7 开关"),
        ("是不是mei改的", "zh", "是，最可能就是 c0ffee1a2b 提交"),
        ("要回滚cart 4.12.0吗", "zh", "由人决定"),
        ("要不要把 4.12.0 回退掉", "zh", "由人决定"),
    ],
)
def test_a_change_is_meant_by_its_title_its_time_its_author_or_as_the_latest(question: str, lang: str, begins: str):
    other = {**FLAG, "clear": False, "against": "cannot", "author": "li"}
    lines = said(question, ENDED, fired(), ranked(COMMIT, rejected=(other,)), changed(COMMIT, other), lang=lang)
    assert lines[0].startswith(begins)
    assert aim(question) in ("cause", "judged")


@pytest.mark.parametrize("question", ["was it 4.12.0?", "是不是 4.12.0"])
def test_beside_a_settled_cause_no_change_is_called_possible(question: str) -> None:
    weak = {**COMMIT, "clear": False}
    lines = said(question, ENDED, ranked(weak, cause=OUTAGE), changed(weak), lang="zh" if "是" in question else "en")
    assert lines[0].startswith(("No: ", "否，"))
    assert not any(word in lines[0] for word in ("possible", "可能的起因之一"))


@pytest.mark.parametrize(
    "question",
    ["since the 13:50 deploy?", "errors after the 13:50 release", "13:50 那次发布之后呢", "13点50的上线以后错误多了吗"],
)
def test_since_a_change_tells_the_change_and_the_errors_before_and_since(question: str) -> None:
    both = counted(errors("cart", 90, "14:03", "14:47", before=2), base=[at("06:00"), at("13:50")])
    lines = said(question, both, ranked(COMMIT), changed(COMMIT))
    assert "since" in kinds(question)
    assert lines[0].startswith("c0ffee1a2b commit")
    assert "cart 2 → 90" in lines[1]


def test_no_change_near_the_named_time_is_said() -> None:
    lines = said("since the 06:00 deploy?", counted(errors("cart", 90)), ranked(COMMIT), changed(COMMIT))
    assert lines[0].startswith("No change was found near 06:00")


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("did switching to backup help?", "Yes: the errors ended soon after it: flg-8"),
        ("did raising backup-share fix it?", "Yes: the errors ended soon after it: flg-8"),
        ("did turning on xyzzy help?", "Can't tell: no change that names `xyzzy` was found"),
        ("切到 backup 有用吗", "Yes: the errors ended soon after it: flg-8"),
        ("把 xyzzy 关掉之后管用吗", "Can't tell: no change that names `xyzzy` was found"),
    ],
)
def test_whether_a_measure_helped_needs_the_measure(question: str, begins: str) -> None:
    lines = said(question, ENDED, fired(), ranked(COMMIT), changed(COMMIT, FLAG, LATE))
    assert lines[0].startswith(begins)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("is web affected too?", "Yes: "), ("was web impacted as well?", "Yes: "), ("web也受影响吗", "Yes: "),
        ("web 有没有受到波及", "Yes: "), ("is ledger affected?", "No: "), ("ledger 受影响了吗", "No: "),
    ],
)  # fmt: skip
def test_whether_a_service_is_affected_is_told_by_its_own_errors(question: str, first: str) -> None:
    both = counted(errors("web", 9, "14:03", "14:47"), errors("cart", 90, "14:03", "14:47"))
    service = "web" if "web" in question else "ledger"
    assert said(question, both, fired(), services=(service,))[0].startswith(first)
    assert aim(question) == "state"


@pytest.mark.parametrize(
    "text",
    [
        "wtf is going on with search?? errors since last night", "what's happening with cart, it keeps failing",
        "what is up with cart, so many errors", "what's the matter with cart? timeouts", "cart 什么情况，一直报错",
        "search 咋回事，从昨晚开始报错", "搜索搞什么啊，全是超时", "cart 啥情况 错误这么多", "怎么搞的，支付老是失败",
        "cart 到底咋了，全失败",
    ],
)  # fmt: skip
def test_what_is_going_on_beside_trouble_asks_for_a_cause(text: str) -> None:
    assert aim(text) == "cause"
