"""Where time was lost, told by spans: at a service, or on the way to and from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from subagents.cause.facts import Facts
from subagents.cause.shares import slower
from subagents.sources import Span
from tests.subagents.rig import at, window

CALLS = ("left", "mid"), ("right", "mid"), ("mid", "deep"), ("left", "other"), ("right", "deep")


def call(n: int, caller: str, callee: str, way: float, work: float) -> Iterator[Span]:
    """A call on its way for `way` seconds besides the `work` of the called one."""
    begun = at("12:00") + timedelta(seconds=n)
    one = Span(f"t{n}{caller}{callee}", "root", None, caller, "op", begun, 0.01 + way + work)
    out = replace(one, id="out", parent="root", name=f"GET {callee}", seconds=way + work)
    yield from (one, out, replace(one, id="in", parent="out", service=callee, name="serve", seconds=work))


@pytest.mark.parametrize("ill", ["mid", "deep", "other"])
@pytest.mark.parametrize("part", ["way", "work"])
def test_who_stands_at_all_slow_calls_or_works_longer_adds_most(ill: str, part: str):
    spans: list[Span] = []
    for late in (False, True):
        for n in range(60):
            for caller, callee in CALLS:
                slow = late and (ill == callee or (part == "way" and ill == caller))
                way, work = 0.002 + 0.2 * (slow and part == "way"), 0.01 + 0.2 * (slow and part == "work")
                spans += call(n + 3600 * late, caller, callee, way, work)
    found = slower(Facts(window(), spans=tuple(spans)), at("13:00"))
    assert max(found, key=lambda s: found[s].own) == ill


def test_a_span_that_waits_for_one_beside_it_has_no_time_of_its_own():
    spans: list[Span] = []
    for n in range(600):
        begun = at("12:00") + timedelta(seconds=6 * n + (60 if n >= 300 else 0))
        took = 0.5 if n >= 300 else 0.1
        root = Span(f"t{n}", "root", None, "edge", "/*", begun, took)
        asked = replace(root, id="c", parent="root", name="GET")
        spans += [root, replace(root, id="h", parent="root", name="handle"), asked]
        spans.append(replace(root, id="s", parent="c", service="shop", name="serve"))
    found = slower(Facts(window(), spans=tuple(spans)), at("12:30"))
    assert max(found, key=lambda s: found[s].own) == "shop"
