"""Hours without a unit at the end of a question that goes on from one about some hours of a day."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hermes_ops.recall.hours import spelled
from orchestrator.contracts import Window

ZONE = "Asia/Shanghai"


def window(start: str, end: str) -> Window:
    a, b = (datetime.fromisoformat(f"2026-11-{t}").replace(tzinfo=ZoneInfo(ZONE)) for t in (start, end))
    return Window(a, b, ZONE)


@pytest.mark.parametrize(
    ("text", "former", "said"),
    [
        ("and cart, 3 to 4?", window("29T02:00", "29T03:00"), "and cart, 2026-11-29 03:00 to 2026-11-29 04:00?"),
        ("tax 呢，3-5", window("29T14:00", "29T15:00"), "tax 呢，2026-11-29 15:00 to 2026-11-29 17:00"),
        ("from 22 to 24", window("29T14:00", "29T15:00"), "2026-11-29 22:00 to 2026-11-30 00:00"),
        ("换成 9 到 11 呢", window("29T08:00", "29T09:00"), "换成 2026-11-29 09:00 to 2026-11-29 11:00 呢"),
    ],
)
def test_they_are_hours_of_that_day(text: str, former: Window, said: str) -> None:
    assert spelled(text, former, ZONE) == said


@pytest.mark.parametrize(
    ("text", "former"),
    [
        ("3 to 4", None),
        ("3 to 4", window("22T00:00", "29T00:00")),  # which of its days?
        ("scale cart from 3 to 4 replicas", window("29T02:00", "29T03:00")),
        ("p95 went from 3 to 40", window("29T02:00", "29T03:00")),
        ("errors 5 to 3", window("29T02:00", "29T03:00")),
        ("11-29 to 11-30", window("29T02:00", "29T03:00")),
        ("14:00-15:00", window("29T02:00", "29T03:00")),
    ],
)
def test_other_numbers_are_none(text: str, former: Window | None) -> None:
    assert spelled(text, former, ZONE) == text
