"""By which clock times without an offset were written, where no setting says it: told by the folder's other files, else
by the question's "now". Reads no clock itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from subagents.folder.clocks import ahead
from subagents.folder.records import Row

_SLACK = 300.0  # seconds by which clocks of machines differ
Span = tuple[float, float]


class Asker(NamedTuple):
    """Of who asks: the zone, by IANA name, and the question's "now", seconds since 1970."""

    zone: str
    now: float


def assumed(surveys: Sequence[Row], asker: Asker | None) -> str:
    """The zone ("" = UTC) of a folder's files without offsets, from their first look, which took them as UTC.

    The one clock by which they meet the files with offsets in time: UTC, the offset that those state, or the asker's.
    Where that doesn't tell: UTC, unless it puts records after the asker's now and the asker's own zone doesn't.
    """
    local = [(row["since"], row["until"]) for row in surveys if not row["zoned"] and row["since"] is not None]
    stated = [row for row in surveys if row["zoned"] and row["since"] is not None and row["kind"]]
    if not local:
        return ""
    offsets = (offset for row in stated for offset in row.get("offsets", ()))
    candidates = _apart(chain([""], offsets, [asker.zone] if asker else []), local[0][0])
    fitting = [zone for zone in candidates if _meet(local, stated, zone)]
    if len(fitting) == 1 and stated:
        return fitting[0]
    if asker is None or _shifted(local, "")[1] <= asker.now + _SLACK:
        return ""
    return asker.zone if _shifted(local, asker.zone)[1] <= asker.now + _SLACK else ""


def _apart(zones: Iterable[str], at: float) -> list[str]:
    """Of those that show the same time, the first."""
    return list({ahead("", zone, at): zone for zone in list(zones)[::-1]}.values())[::-1]


def _meet(local: Sequence[Span], stated: Sequence[Row], zone: str) -> bool:
    """Whether each file without offsets has a time in common with some file that has them."""
    shifted = [_shifted([span], zone) for span in local]
    return all(any(row["since"] <= end and row["until"] >= start for row in stated) for start, end in shifted)


def _shifted(spans: Sequence[Span], zone: str) -> Span:
    """The reach of spans that were read as UTC, by another clock."""
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    return start - ahead("", zone, start), end - ahead("", zone, end)
