"""What a summary says that it needs from the person: one line of it, found in good time."""

from __future__ import annotations

import time

import pytest

from orchestrator.findings import NEEDS


@pytest.mark.parametrize(
    "text",
    [
        "NEEDS: which cluster?",
        "Nothing found.\n\n  NEEDS : which cluster?\nThat is all.",
        "没有找到。\n\u3000需要用户补充：which cluster?",
        "NEEDS:\nwhich cluster?",
    ],
)
def test_what_is_needed_is_found(text: str) -> None:
    found = NEEDS.search(text)
    assert found is not None
    assert found[1].strip() == "which cluster?"


@pytest.mark.parametrize("text", ["", "It NEEDS: nothing", "NEEDS:   \n \n"])
def test_nothing_is_needed(text: str) -> None:
    assert NEEDS.search(text) is None


@pytest.mark.parametrize("filler", ["\n", " ", "\n ", "\t\n", "NEEDS\n", "NEEDS:\n"])
def test_a_long_summary_is_searched_in_good_time(filler: str) -> None:
    begun = time.process_time()
    NEEDS.search(filler * 100_000)
    assert time.process_time() - begun < 1.0
