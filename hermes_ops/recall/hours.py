"""Hours without a unit in a question that goes on from another: "same for cart, 2 to 3" after "errors from 1am to 2am".

By themselves such numbers are no time; after a question about some hours they are hours of that day, of the half of it
that lies nearer. Words and calendar only.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from orchestrator.contracts import Window

_BARE = re.compile(
    r"(?<![\w.:/-])(?:from |between )?(\d{1,2})\s?(?:to|until|till|and|-|–|~|到|至)\s?(\d{1,2})"
    r"(?=\s*(?:呢)?\s*[?？.。!！]*$)"
)
_DAY, _NOON = timedelta(hours=26), 12


def spelled(text: str, former: Window | None, zone: str) -> str:
    """The text with such hours at its end as times of the day that `former` (the window of the question before) was in;
    unchanged where there are none, or the former spanned more than a day."""
    found = _BARE.search(text)
    if former is None or found is None or former.end - former.start > _DAY:
        return text
    first, last = int(found[1]), int(found[2])
    if not first < last <= 24:
        return text
    start = former.start.astimezone(ZoneInfo(zone))
    midnight = datetime(start.year, start.month, start.day)
    halves = [0, _NOON] if last <= _NOON else [0]
    more = min(halves, key=lambda h: abs(midnight + timedelta(hours=first + h) - start.replace(tzinfo=None)))
    a, b = (midnight + timedelta(hours=h + more) for h in (first, last))
    return f"{text[: found.start()]}{a:%Y-%m-%d %H:%M} to {b:%Y-%m-%d %H:%M}{text[found.end() :]}"
