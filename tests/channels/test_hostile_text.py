"""Texts made to be slow: what is read on the event loop costs about what plain text of that length does."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from hermes_ops.channels.feishu.markdown import count_tables, plain, safe
from hermes_ops.quoted import alert_in
from orchestrator.scope import Catalogue, Service

NOW = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)
KNOWN = Catalogue(tuple(Service(n) for n in ("checkout", "payment")))
LONG = 8_000  # characters
DEARER = 40  # times plain text: a quadratic pattern is hundreds of times as dear

PLAIN = "the checkout service answers slowly since two o'clock, and nobody knows why\n"
REPEATED = (
    *(
        " ",
        "\t",
        "\n",
        "\r",
        "a ",
        "a\n",
        "a:\n",
        "**a**\n",
        "-",
        "|-",
        "| ",
        "--|",
        "`",
        "`a",
        "``a ",
        "*",
        "** ",
        "[",
    ),
    *(
        "[](",
        "[](<",
        "[a](b ",
        '[](a "',
        "a",
        "a:",
        "a=",
        ": ",
        "= ",
        "9",
        "9.",
        "9 ",
        "1:",
        "P1 ",
        "P1",
        "://",
        "a://",
    ),
    *("a.b-", ".", "service ", "_ ", "，", "告警", "时间 ", '"', "】", "{", '{"a":', "[["),
)
HEADS = ("", "告警触发 ", "sent at: 2026-11-29T14:00:00Z\nlasted: ")


def quoted(text: str) -> None:
    if alert := alert_in(text, NOW, "Asia/Shanghai"):
        alert.scope(KNOWN)


def shown(text: str) -> None:
    safe(text)
    plain(text)
    count_tables(text)


def cpu(read: Callable[[str], None], text: str) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began


def texts() -> list[str]:
    return [f"{head}{unit * (LONG // len(unit))}"[:LONG] + "x" for unit in REPEATED for head in HEADS]


@pytest.mark.slow
@pytest.mark.parametrize("read", [quoted, shown])
def test_no_text_costs_much_more_than_a_plain_one_of_its_length(read: Callable[[str], None]) -> None:
    most = DEARER * max(min(cpu(read, (PLAIN * LONG)[:LONG]) for _ in range(3)), 0.0005)
    slow = [text[:40] for text in texts() if all(cpu(read, text) > most for _ in range(3))]
    assert slow == []
