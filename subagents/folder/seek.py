"""Where in a large file a window's records lie, by seeking: some dozens of small reads, whatever the file's size.

Only for plain files whose records are in order of time, but for `SLACK`; that is checked at some places.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

from subagents.folder import files
from subagents.folder.records import Hints, LineParser, LogFormat

LEAST = 4 << 20  # bytes of a file that it is worth for
SLACK = 600.0  # seconds by which records may be out of order
_PLACES = 64  # where the order is checked
_READ = 64 << 10
_FAR = 4 << 20  # bytes after which a place has no time


def span(path: str, form: LogFormat, hints: Hints, since: float, until: float) -> tuple[int, int] | None:
    """The bytes `[start, end)` in which all records of `[since, until)` begin; None where the whole file must be read.
    Raises files.Unreadable."""
    parse = form.parser(hints)
    try:
        size = os.path.getsize(path)
        with open(path, "rb", buffering=0) as f:
            places = [_after(f.fileno(), size * n // _PLACES, parse) for n in range(_PLACES)]
            times = [at for at in places if at is not None]
            if len(times) < 2 or any(b < a - SLACK for a, b in pairwise(times)):
                return None
            start = _first(f.fileno(), size, since - SLACK, parse)
            end = _first(f.fileno(), size, until + SLACK, parse) + 2 * _READ
            return start, size if end >= size else end
    except OSError as e:
        raise files.Unreadable(f"it can't be read: {e.strerror or e}") from e


def within(spans: Sequence[Sequence[float]], size: int, since: float, until: float) -> list[tuple[int, int]]:
    """The same of a file of which it is known where which times are, in whatever order: (first byte, first and last
    time) of stretches that follow each other."""
    out: list[tuple[int, int]] = []
    for (start, first, last), end in zip(spans, [*(s[0] for s in spans[1:]), size], strict=True):
        if first >= until or last <= since:
            continue
        if out and out[-1][1] == start:
            start = out.pop()[0]
        out.append((int(start), int(end)))
    return out


def _first(fd: int, size: int, wanted: float, parse: LineParser) -> int:
    """A place, to `_READ` bytes, before which all records are older than `wanted`; the size where all are."""
    low, high = 0, size
    while high - low > _READ:
        middle = (low + high) // 2
        at = _after(fd, middle, parse)
        if at is not None and at < wanted:
            low = middle
        else:
            high = middle
    return low


def _after(fd: int, place: int, parse: LineParser) -> float | None:
    """The time of the first record after a place that has one."""
    kept, begun, at = b"", place == 0, place
    while at - place < _FAR and (block := os.pread(fd, _READ, at)):
        at += len(block)
        *lines, kept = (kept + block).split(b"\n")
        for line in lines:
            if begun and (rec := parse(line.decode("utf-8", "replace").rstrip("\r"))) and rec.at is not None:
                return rec.at
            begun = True
        kept = kept[: files.LINE_CAP]
    return None
