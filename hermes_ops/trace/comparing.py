"""A comparison of two runs as lines of text: left and right in two columns, with a mark where they differ."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

from hermes_ops.trace.compare import Comparison, Row, values
from hermes_ops.trace.graph import plain
from hermes_ops.trace.printing import Line
from hermes_ops.trace.story import Story

BAD, QUIET, HEAD, FIRST = "yellow", "dim", "bold", "bold red"
NAME, LEAST = 12, 30


def lines(told: Comparison, a: Story, b: Story, everything: bool) -> Iterator[Line]:
    """`everything`: also the steps that are the same."""
    wide = max(LEAST, (shutil.get_terminal_size((140, 24)).columns - NAME - 14) // 2)
    yield Line(f"   {'':<{NAME}} {told.left:<{wide}}   {told.right}", HEAD)
    for row in told.head:
        yield _line(row, wide)
    yield Line("")
    yield Line(f"Steps: {_summary(told.steps)}", HEAD)
    for n, row in enumerate(told.steps):
        if n == told.first:
            yield Line(">> here they part first:", FIRST)
        if everything or row.why:
            yield _line(row, wide, FIRST if n == told.first else BAD)
        if n == told.first:
            yield from _parted(values(a, b, row))
    if told.first is None:
        yield Line("   No decision differs.", QUIET)
    yield Line("")
    for row in told.took:
        yield _line(row, wide)


def _summary(steps: Sequence[Row]) -> str:
    different = sum(bool(row.why) for row in steps)
    return f"{len(steps) - different} the same, {different} different"


def _line(row: Row, wide: int, style: str = BAD) -> Line:
    left = f"{row.a}  {row.left}" if row.a else row.left
    right = f"{row.b}  {row.right}" if row.b else row.right
    mark = "≠" if row.why else " "
    why = f"   ({', '.join(row.why)})" if row.why and row.a and row.b else ""
    cut = _padded(plain(left, wide), wide)
    return Line(f" {mark} {row.what:<{NAME}} {cut}   {plain(right, wide)}{why}", style if row.why else QUIET)


def _padded(text: str, wide: int) -> str:
    from rich.cells import cell_len  # Chinese is two cells wide

    return text + " " * max(0, wide - cell_len(text))


def _parted(found: Sequence[tuple[str, str, str]]) -> Iterator[Line]:
    for name, left, right in found:
        yield Line(f"      {name}", HEAD)
        yield Line(f"      < {plain(left, 1000) or '(nothing)'}")
        yield Line(f"      > {plain(right, 1000) or '(nothing)'}")
