"""Reasons of the analysis in a Chinese report are Chinese: those about time, in every form the analysis writes."""

from __future__ import annotations

import re

import pytest

from hermes_ops.report.reasons import CAUSE
from subagents.phrasebook import phrase


@pytest.mark.parametrize(
    "text",
    [
        "5 min before the first signs at 09:47", "5 min before the onset at 10:22",
        "its first midnight, at 00:00, is just before the onset", "planned work that was going on at the onset",
    ],
)  # fmt: skip
def test_a_reason_of_time_has_no_english_left(text: str) -> None:
    said = phrase(text, CAUSE)
    assert said is not None
    assert not re.search(r"[A-Za-z]{3,}", said)
    assert all(clock in said for clock in re.findall(r"\d\d:\d\d", text))
