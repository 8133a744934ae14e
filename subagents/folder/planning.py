"""Which questions to a log file answer a count, what of it is read for one, and in which pieces: one for each job.

A count of a window is taken from one of the whole file wherever that can be: others can reuse it. Of a large file only
the part is read in which a narrow window lies. Knows no format.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from subagents.folder import native, recognise, seek
from subagents.folder.files import Unreadable, unpacked
from subagents.folder.jobs import Job
from subagents.folder.material import LogFile
from subagents.folder.scan import ERRORS, Ask, finder

PIECE = 8 << 20  # bytes of a plain file that one job reads
MINED = 512 << 10  # bytes of a plain file from which on mining a window of it seeks the window first
LARGE = 64 << 20  # bytes of a plain file that isn't read as a whole for a window of
NARROW = 8  # times less than what it reaches over
SPARSE = 16  # so much less work is a byte search for errors than reading every line
_MINUTES_DAYS = 3  # files up to this long are summed up by minute, longer ones by hour

Spans = Sequence[Sequence[float]]  # [first byte, first and last time] of each stretch of a file (`scan_counts`)
Place = tuple[str, str, int, int, int | None, bool]  # a `scan.Part`


class Wanted(NamedTuple):
    """A question to a file: a job and its arguments. `fits`: of a count, which groups are meant; None: all."""

    file: LogFile
    ask: Ask
    name: str
    args: tuple[Any, ...]
    fits: Ask | None = None

    @property
    def of_all(self) -> bool:
        """Whether it counts every record of the file."""
        return self.name == "count" and self.ask[:5] == (None, None, (), (), ())


def counts(file: LogFile, ask: Ask, by: tuple[str, ...], known: bool) -> list[Wanted]:
    """A count of the whole file by its finest time step, and of the steps that the window cuts; or, where that costs
    more, of the window alone. Errors are counted apart from all levels, since finding them is cheap. `known`: it is
    known where in the file which times are."""
    survey = file.survey
    days = ((survey["until"] or 0) - (survey["since"] or 0)) / 86_400
    exact = "groups" in survey
    grain, step = ("minute", 60) if days <= _MINUTES_DAYS or exact else ("hour", 3600)
    since, until = ask.since or 0.0, ask.until or 0.0
    start, end = -(-since // step) * step, until // step * step
    errors = bool(ask.levels) and ERRORS.issuperset(ask.levels) and not exact
    cut = [ask._replace(since=a, until=b) for a, b in ((since, start), (end, until)) if a < b]
    scattered = bool(cut) and (exact or bool(file.found.packed) or start >= end or (errors and not known))
    if ask.worded or scattered or (not known and narrow(file, since, until)) or (grain == "hour" and "minute" in by):
        return [Wanted(file, ask, "count", (by,))]
    whole = Ask(None, None, (), ("error", "fatal") if errors else (), ())
    inner = Wanted(file, whole, "count", (("service", "level", grain, "code"),), ask._replace(since=start, until=end))
    return [inner, *(Wanted(file, edge, "count", (by,)) for edge in cut)]


def places(wanted: Wanted, seeks: bool, spans: Spans | None) -> list[Place]:
    """What of a file is to be read. `seeks`: where the window lies, by trying. Blocks. Raises nothing: a job says what
    can't be read."""
    file, ask, name, args, _ = wanted
    path, size, _, packed = file.found
    ranges = [(0, size)]
    if not packed and ask.since is not None and ask.until is not None:
        since = min([ask.since, *(a[0] for a in args if isinstance(a, tuple) and a and isinstance(a[0], float))])
        there = seeks or _mined_there(file, ask, name) or narrow(file, since, ask.until)
        ranges = _ranges(file, since, ask.until, there, spans)
    if name == "count" and ranges == [(0, size)] and _natively(file, ask):
        return [(path, packed, file.number, 0, None, True)]
    if packed or (ranges == [(0, size)] and size <= PIECE):
        return [(path, packed, file.number, 0, None, False)]
    return [
        (path, packed, file.number, at, None if seeks and at + PIECE >= size else min(end, at + PIECE), False)
        for start, end in ranges
        for at in range(start, end, PIECE)
    ]


def _ranges(file: LogFile, since: float, until: float, seeks: bool, spans: Spans | None) -> list[tuple[int, int]]:
    path, size, _, _ = file.found
    if spans is not None:
        return seek.within(spans, size, since, until)
    found = None
    if seeks:
        with contextlib.suppress(Unreadable):
            found = seek.span(path, recognise.log_format(file.survey["name"]), file.hints, since, until)
    return [found or (0, size)]


def narrow(file: LogFile, since: float, until: float) -> bool:
    """Whether a window is a small part of a large file."""
    first, last = file.survey["since"], file.survey["until"]
    if file.found.packed or file.found.size < LARGE or first is None:
        return False
    return bool((until - since) * NARROW <= last - first)


def _mined_there(file: LogFile, ask: Ask, name: str) -> bool:
    """Mining parses each line of a file, a count or a search for errors doesn't: it reads where the window lies."""
    if name != "patterns" or file.found.size < MINED:
        return False
    return finder(recognise.log_format(file.survey["name"]), file.hints, ask) is None


def _natively(file: LogFile, ask: Ask) -> bool:
    """Whether `grep` may look through the whole file for errors."""
    form = recognise.log_format(file.survey["name"])
    if file.found.packed or file.found.size < native.LEAST or ask.worded or not form.native:
        return False
    return finder(form, file.hints, ask) is not None and native.grep() != ""


def job(wanted: Wanted, place: Place, deadline: float) -> Job:
    file, ask, name, args, _ = wanted
    form = file.survey["name"]
    size = unpacked((place[4] or file.found.size) - place[3], place[1])
    if name == "count" and not ask.worded and finder(recognise.log_format(form), file.hints, ask):
        size //= SPARSE
    return Job(name, size, (place, form, tuple(file.hints), tuple(ask._replace(deadline=deadline)), *args))
