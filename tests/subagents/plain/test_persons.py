"""Who did it, who took it back, who made it end: a name with its evidence, or that none is known."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.contracts import Json
from tests.subagents.plain.test_answers import ENDED, at, changed, fired, ranked, said, suspect


def back(clock: str = "14:44") -> Json:
    return {"at": at(clock), "what": "cart 5.0.9"}


def change(id: str, clock: str, author: str, **more: Any) -> Json:
    return suspect(id, "cart", "", at=at(clock), author=author, inside=True, **more)


UNDONE = {**change("r1", "14:44", "ulla"), "of": "cart 5.1.0", "of_title": "pool 4"}


@pytest.mark.parametrize("question", ["who rolled it back and when", "who reverted it", "谁回滚的", "谁撤回的"])
def test_who_took_it_back_also_beside_a_cause(question: str) -> None:
    results = (ENDED, fired(), ranked(suspect("a", "cart", "5.1.0", back=back())), changed(undone=(UNDONE,)))
    [line] = said(question, *results, lang="en" if question.isascii() else "zh")
    assert line.startswith("14:44 ulla")


@pytest.mark.parametrize("question", ["who fixed it", "who resolved this?", "谁修复的", "谁解决的", "谁恢复的"])
def test_who_made_it_end(question: str) -> None:
    lang = "en" if question.isascii() else "zh"
    rows = changed(change("x", "13:50", "mei"), change("r1", "14:44", "ulla"))
    by_undoing = said(question, ENDED, fired(), ranked(suspect("a", "cart", "5.1.0", back=back())), rows, lang=lang)
    assert "ulla" in by_undoing[0]
    assert "took the cause back" in by_undoing[0] or "撤回了起因" in by_undoing[0]
    shortly_before = said(question, ENDED, fired(), ranked(), rows, lang=lang)
    assert "ulla" in shortly_before[0]
    assert "isn't settled" in shortly_before[0] or "没有定论" in shortly_before[0]
    [nobody] = said(question, ENDED, fired(), ranked(), changed(change("x", "13:50", "mei")), lang=lang)
    assert nobody.startswith(
        ("No change is known that ended it (it ended at 14:47)", "查到的变更里没有让它结束的（14:47 结束）")
    )


@pytest.mark.parametrize("question", ["who did it", "谁干的"])
def test_whose_it_was_isnt_told_where_nothing_explains_it(question: str) -> None:
    lines = said(question, ENDED, fired(), ranked(), changed(), lang="en" if question.isascii() else "zh")
    assert len(lines) == 2
    assert lines[1].startswith(("So nobody can be named", "因此说不出是谁"))
    [named] = said(question, ENDED, fired(), ranked(suspect("a", "cart", "5.1.0")), changed())[:1]
    assert named.startswith("mei")


@pytest.mark.parametrize(
    "question",
    [
        "昨晚有变更回滚吗",
        "回滚了吗",
        "有没有人回滚过",
        "was it rolled back?",
        "did anyone revert it",
        "has it been reverted?",
    ],
)
def test_whether_something_was_rolled_back(question: str) -> None:
    lang = "en" if question.isascii() else "zh"
    assert said(question, changed(undone=(UNDONE,)), lang=lang)[0].startswith(("Yes: 14:44 ulla", "有，14:44 ulla"))
    assert said(question, changed(), lang=lang)[0].startswith(("No: ", "没有，"))


def test_a_person_is_meant_also_without_the_apostrophe() -> None:
    rejected = {**suspect("b", "auth", "2.3.1"), "author": "lena", "against": "cant"}
    rejected["against"] = "after_onset"
    found = ranked(suspect("a", "cart", "5.1.0"), rejected=(rejected,))
    for question in ("was it lenas deploy?", "was it lena's deploy?", "was it lena?"):
        assert said(question, ENDED, found, changed())[0].startswith("No: not likely auth 2.3.1 deploy")


def open_(name: str, start: str, end: str = "", known: bool = True) -> Json:
    times = {"start": at(start), "end": at(end) if end else None, "end_known": known}
    return {"name": name, "service": "cart", "severity": "p1", "lead": True, "n": 1, **times}


@pytest.mark.parametrize(
    "question", ["有哪些告警还没恢复", "哪些告警未恢复", "which alerts are not resolved yet?", "unresolved alerts"]
)
def test_alerts_that_are_open_are_told_alone(question: str) -> None:
    lang = "en" if question.isascii() else "zh"
    rows = (open_("Done", "14:00", "14:40"), open_("Open", "14:05"), open_("Lost", "14:06", known=False))
    lines = said(question, fired(*rows), lang=lang)
    assert len(lines) == 2
    assert "Open (cart)" in lines[0]
    assert "Lost (cart)" in lines[1]
    assert "Done" not in "".join(lines)
    [none] = said(question, fired(rows[0]), lang=lang)
    assert none.startswith(("None is open; the last ended at 14:40", "没有未恢复的"))
