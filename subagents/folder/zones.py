"""By which clock times without an offset were written, where no setting says it: told by the folder's other files, else
by the question's "now". Reads no clock itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from subagents.folder.clocks import ahead
from subagents.folder.records import Row

_SLACK = 300.0  # seconds by which clocks of machines differ
_LONG = 3600.0  # shorter files begin and end together by chance
Span = tuple[float, float]


class Asker(NamedTuple):
    """Of who asks: the zone, by IANA name, and the question's "now", seconds since 1970."""

    zone: str
    now: float


def assumed(surveys: Sequence[Row], asker: Asker | None) -> tuple[str, bool]:
    """(zone of a folder's files without offsets, "" = UTC; whether the other files show it), from their first look,
    which took them as UTC.

    The one clock by which they meet the files with offsets in time: UTC, the offset that those state, or the asker's.
    Where several do, the one by which they begin and end together, as files of one export do.
    Where that doesn't tell: the offset, if the folder's files state one alone, and it puts no records after the asker's
    now; else UTC, unless it does and the asker's own zone doesn't.
    """
    local = [(row["since"], row["until"]) for row in surveys if not row["zoned"] and row["since"] is not None]
    stated = [row for row in surveys if row["zoned"] and row["since"] is not None and row["kind"]]
    if not local:
        return "", True
    at, asked = local[0][0], [asker.zone] if asker else []
    offsets = sorted({offset for row in stated for offset in (*row.get("offsets", ()), *row.get("stated", ()))})
    candidates = _apart(["", *asked, *offsets], at)
    fitting = [zone for zone in candidates if _meet(local, stated, zone)]
    together = [zone for zone in fitting if _together(local, stated, zone)]
    if stated and len(one := fitting if len(fitting) == 1 else together) == 1:
        return one[0], True
    [own, *others] = _apart(offsets, at) or [""]
    same = next(zone for zone in candidates if ahead("", zone, at) == ahead("", own, at))
    if offsets and not others and same in (fitting or candidates) and _past(local, same, asker):
        return same, False
    late = asker and not _past(local, "", asker) and _past(local, asker.zone, asker)
    return asker.zone if asker and late else "", False


def _past(local: Sequence[Span], zone: str, asker: Asker | None) -> bool:
    """Whether all of it lies before the question's now."""
    return asker is None or _shifted(local, zone)[1] <= asker.now + _SLACK


def _apart(zones: Iterable[str], at: float) -> list[str]:
    """Of those that show the same time, the first."""
    return list({ahead("", zone, at): zone for zone in list(zones)[::-1]}.values())[::-1]


def _meet(local: Sequence[Span], stated: Sequence[Row], zone: str) -> bool:
    """Whether each file without offsets has a time in common with some file that has them."""
    shifted = [_shifted([span], zone) for span in local]
    return all(any(row["since"] <= end and row["until"] >= start for row in stated) for start, end in shifted)


def _together(local: Sequence[Span], stated: Sequence[Row], zone: str) -> bool:
    """Whether each file without offsets begins and ends with some file that has them."""
    shifted = [_shifted([span], zone) for span in local]
    return all(
        any(abs(row["since"] - start) <= _SLACK >= abs(row["until"] - end) for row in stated) and end - start > _LONG
        for start, end in shifted
    )


def _shifted(spans: Sequence[Span], zone: str) -> Span:
    """The reach of spans that were read as UTC, by another clock."""
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    return start - ahead("", zone, start), end - ahead("", zone, end)
