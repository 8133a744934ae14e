"""What a question counts that is no service, time or level: the text to be found in log lines."""

from __future__ import annotations

import pytest

from subagents.plain.aims import aim
from subagents.plain.terms import counted


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("how many No space left errors between 03:00 and 04:00", ("No space left",)),
        ("number of could not write errors today", ("could not write",)),
        ("how often did we see connection refused since 03:00", ("connection refused",)),
        ("how many OutOfMemoryError since yesterday 20:00", ("OutOfMemoryError",)),
        ("count deadlocks of order-service today", ("deadlock",)),
        ("how many inventory conflict errors today", ("inventory conflict",)),
        ("how many charge failed errors 13:00-14:00", ("charge failed",)),
        ("how many ECONNRESET yesterday", ("ECONNRESET",)),
        ("when did OutOfMemoryError begin", ("OutOfMemoryError",)),
        ("total number of GC pauses last night", ("GC pauses",)),
        ("其中死锁多少", ("deadlock",)),
        ("OutOfMemoryError 出现了多少次", ("OutOfMemoryError",)),
        ("死锁是从几点开始的", ("deadlock",)),
        ("今天超时多少次", ("timeout",)),
        ("order-service 锁等待有多少条", ("lock wait",)),
        ("昨晚内存溢出几次", ("OutOfMemory",)),
        ("3点到4点磁盘满的报错有多少", ("no space left",)),
        ("昨晚 GC 停顿多少次", ("GC",)),
        ("空指针今天有几次", ("NullPointer",)),
        ("连接被拒绝了多少次", ("connection refused",)),
    ],
)
def test_the_text_that_is_counted(text: str, first: tuple[str, ...]) -> None:
    assert counted(text, ("order-service",))[0] == first
    assert aim(text) in ("plain", "state", "cause")  # never small talk


@pytest.mark.parametrize(
    "text",
    [
        "今天上午order-service有多少报错", "how many errors last night", "how many alerts fired yesterday",
        "昨天有多少个告警", "how many deploys today", "昨天多少次发布", "how many users are affected",
        "cart 每小时多少错误",
        "how many errors and warnings per hour between 10:00 and 12:00", "how many requests failed",
        "why did cart fail",
        "when did order-service break", "今天有多少条日志",
        "p95 延迟最高多少", "cart 的耗时多少毫秒", "how many rps did cart get",
        "what number of ms is the median response time",
        "cart 内存使用率多少",
    ],
)  # fmt: skip
def test_a_plain_number_counts_no_text(text: str) -> None:
    assert counted(text, ("order-service", "cart")) == ()
