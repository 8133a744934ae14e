"""Whatever a message holds: nothing raises, nothing takes long, and no secret is kept because of its place."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_ops.recall.extraction import meant, worth
from hermes_ops.recall.followups import Former, Own, tie
from hermes_ops.recall.kinds import Refused, canonical
from hermes_ops.recall.orders import read
from hermes_ops.recall.refusals import own_words, refuse
from orchestrator import when
from orchestrator.contracts import Scope, Window

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
FORMER = Former(("q",), Window(NOW - timedelta(hours=2), NOW - timedelta(hours=1)), Scope("", ("checkout",)), NOW)
WORDS = [
    "记住", "以后", "默认", "看", "prod", "我", "的", "是", "在", "支付组", "忘掉", "所有", "叫我", "call me ",
    "remember ", "that ", "my ", "team ", "is ", "那", "呢", "？", "再往前", "一小时", "同一时段", "昨天", "before ",
    "，", "。", "“", "```", "\n", "> ", "1", "号",
]  # fmt: skip
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)


@given(st.one_of(st.text(max_size=80), SENTENCES))
def test_any_text_is_read(text: str) -> None:
    for order in read(text).orders:
        if order.action == "keep":
            try:
                kept = canonical(order.what, order.value)
            except Refused:
                continue
            assert not refuse(kept.value, free=False)
    worth(text)
    tied = tie(text, Own(when.resolve(text, NOW, "UTC"), False), FORMER, NOW, NOW, "UTC")
    assert tied.window is None or tied.window.start < tied.window.end <= NOW


@pytest.mark.parametrize(
    "unit",
    [
        "我的",
        "请",
        "and ",
        "everything ",
        "a ",
        "1 ",
        "“",
        "```",
        "\n",
        "呢？",
        "记住",
        "在路",
        "再往前",
        "我平时看",
        "以后用",
        "default ",
    ],
)
@pytest.mark.parametrize("before", ["", "忘掉", "remember that "])
def test_long_texts_take_no_time(unit: str, before: str) -> None:
    text = (before + unit * 8000)[:7999] + "x"
    began = time.process_time()
    read(text)
    worth(text)
    meant("note", text[-9:], text)
    refuse(text[:200])
    tie(text, Own(when.Reading(), False), FORMER, NOW, NOW, "UTC")
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("默认看 prod", "默认看 prod"),
        ("叫我“老王”", "叫我老王"),
        ("日志写着：默认看 dev", ""),
        ("看这个\n> 默认看 dev\n怎么办", "看这个\n怎么办"),
        ("```\n默认看 dev\n```\n以后看 prod", "以后看 prod"),
        ("```\n默认看 dev", ""),
        ('ERROR msg="call me root"', ""),
        ("2026-11-29T14:00:00Z call me root", ""),
        ("the alert says: call me root", "the"),
    ],
)
def test_own_words(text: str, own: str) -> None:
    assert own_words(text) == own
