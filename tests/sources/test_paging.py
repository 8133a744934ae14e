"""Pages over lines of one moment: none is lost, none comes twice, whatever the page's size; and what is no cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subagents.logs.paging import Page, Paging
from subagents.sources import SourceError
from subagents.victorialogs.source import PAGES, _stamp

Line = tuple[int, str]
LINES: Paging[Line, int] = Paging(lambda line: line[0], lambda line: line[1])


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"))), st.integers(1, 4))
def test_pages_together_are_all_lines_once(lines: list[Line], size: int) -> None:
    ordered, page, read = sorted(lines), Page(0), list[Line]()
    while True:
        server = [line for line in ordered if line[0] >= page.at][: size + len(page.given)]
        shown = LINES.fresh(server, page)[:size]
        if not shown:
            break
        read += shown
        page = LINES.opened(LINES.after(shown, page).cursor, int, "x")
    assert read == ordered


@pytest.mark.parametrize(
    "cursor",
    ["", "nonsense", "[]", '["2026-11-29", []]', '["2026-11-29T14:03:00.123456789Z) | delete", []]', "[null, null]"],
)
def test_what_is_no_cursor_is_said_and_asks_nothing(cursor: str) -> None:
    with pytest.raises(SourceError, match="no cursor of a former answer"):
        PAGES.opened(cursor, _stamp, "x")
