"""What is typed and pasted, taken apart."""

from __future__ import annotations

import pytest

from hermes_ops.channels.typed import Reading, Typed

pytestmark = pytest.mark.slow

LOG = "2026-11-29 14:03 ERROR a\n2026-11-29 14:04 ERROR b"


def taken(*lines: str) -> list[Typed]:
    reading = Reading()
    return [typed for line in lines if (typed := reading.take(line)) is not None]


@pytest.mark.parametrize(
    ("lines", "typed"),
    [
        (["why?"], [Typed("why?")]),
        (["", "   "], []),
        (["/stop", " /trace 12 "], [Typed(command="stop"), Typed(command="trace", rest="12")]),
        (["/var/log/messages is full, why?"], [Typed("/var/log/messages is full, why?")]),
        (["a", "b"], [Typed("a"), Typed("b")]),
        ([LOG], [Typed(pasted=LOG)]),
        ([f"为什么？\n{LOG}"], [Typed("为什么？", LOG)]),
        ([f"{LOG}\nwhat is this?\n"], [Typed("what is this?", LOG)]),
        (['"""', *LOG.split("\n"), '"""'], [Typed(pasted=LOG)]),
        (['why? """', *LOG.split("\n"), '"""'], [Typed("why?", LOG)]),
        (['"""', *LOG.split("\n"), '""" why?'], [Typed("why?", LOG)]),
        (['"""one line""" why?'], [Typed("why?", "one line")]),
        (['"""', LOG, '"""'], [Typed(pasted=LOG)]),
        (['"""', "/stop", "", "x", '"""'], [Typed(pasted="/stop\n\nx")]),
    ],
)
def test_lines(lines: list[str], typed: list[Typed]) -> None:
    assert taken(*lines) == typed


def test_a_block_that_is_dropped_leaves_nothing_behind() -> None:
    reading = Reading()
    assert reading.take('why? """') is None
    assert reading.open
    reading.drop()
    assert not reading.open
    assert reading.take("and payment?") == Typed("and payment?")
