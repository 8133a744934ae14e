"""Which days are workdays: Monday to Friday, and what a file says otherwise. No network, no built-in holidays.

The file is text, one line a day or a span of days, `#` begins a comment:

    week 1-5                        the usual workdays, 1 Monday to 7 Sunday; 1-5 without such a line
    2026-10-01..2026-10-08 off 国庆节
    2026-10-10 work 调休             a Saturday that is worked
    20261010,班,调休                 commas, tabs, plain digits do as well; so do 休, 放假, holiday, 班, 上班, 补班

A later line wins over an earlier one. It doesn't know what a workday is good for.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from orchestrator.errors import ConfigError

OFF = frozenset({"off", "holiday", "rest", "休", "休息", "放假", "假", "节假日"})
WORK = frozenset({"work", "workday", "班", "上班", "补班", "调休", "调休上班"})
LONGEST = 366  # days of one span
_DAY = r"(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?"
_SPAN = re.compile(rf"{_DAY}(?:\s*(?:\.\.|~|至|到|—|–)\s*{_DAY})?[\s,]+([^\s,]+)(?:[\s,]+(.*))?")
log = logging.getLogger("hermes_ops.schedule")
_WEEK = re.compile(r"week\s*[:=]?\s*([1-7](?:\s*[-,]\s*[1-7])*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Workdays:
    """`days`: where a day is not as its weekday says, with what the file calls it; `last`: the last day it names."""

    week: frozenset[int] = frozenset(range(1, 6))
    days: dict[date, bool] = field(default_factory=dict)
    names: dict[date, str] = field(default_factory=dict)

    def is_workday(self, day: date) -> bool:
        return self.days.get(day, day.isoweekday() in self.week)

    def name(self, day: date) -> str:
        """What the file calls the day, "" where it says nothing."""
        return self.names.get(day, "")

    @property
    def last(self) -> date | None:
        return max(self.days, default=None)


def read(text: str) -> Workdays:
    """Raises ValueError with the number of the line that can't be read."""
    week = frozenset(range(1, 6))
    days: dict[date, bool] = {}
    names: dict[date, str] = {}
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        line = raw.partition("#")[0].strip().replace("\t", " ")
        if not line:
            continue
        if found := _WEEK.fullmatch(line):
            week = frozenset(_weekdays(found[1]))
            continue
        for day, works, name in _line(line, number):
            days[day] = works
            names[day] = name
    return Workdays(week, days, names)


def load(path: Path | None) -> Workdays:
    """Without a path Monday to Friday. Raises ConfigError naming the file."""
    if path is None:
        return Workdays()
    path = path.expanduser()
    try:
        return read(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        reason = e.strerror if isinstance(e, OSError) else "it is no UTF-8 text"
        raise ConfigError(f"team.workdays: {path} can't be read: {reason}.") from None
    except ValueError as e:
        raise ConfigError(f"team.workdays: {path}, {e}.") from None


class Calendar:
    """The file's days, read again when the file changes. What can't be read then leaves them as they were, and is
    logged once. Raises ConfigError where it can't be read at first."""

    def __init__(self, path: Path | None) -> None:
        self._path = path.expanduser() if path else None
        self._seen = self._stamp()
        self._days = load(self._path)
        self._version = 0

    @property
    def version(self) -> int:
        """Another one after each change."""
        self._look()
        return self._version

    def is_workday(self, day: date) -> bool:
        self._look()
        return self._days.is_workday(day)

    def _look(self) -> None:
        if (stamp := self._stamp()) == self._seen:
            return
        self._seen = stamp
        try:
            self._days = load(self._path)
            self._version += 1
            log.info("schedule: the workdays were read again")
        except ConfigError as e:
            log.warning("schedule: %s The days stay as they were.", e)

    def _stamp(self) -> tuple[int, int]:
        try:
            found = self._path.stat() if self._path else None
        except OSError:
            return -1, -1
        return (found.st_mtime_ns, found.st_size) if found else (0, 0)


def _line(line: str, number: int) -> Iterator[tuple[date, bool, str]]:
    found = _SPAN.fullmatch(line)
    if found is None or found[7].lower() not in OFF | WORK:
        raise ValueError(f"line {number}: {line[:60]!r} is no day; write it like 2026-10-01..2026-10-08 off 国庆节")
    try:
        first = date(int(found[1]), int(found[2]), int(found[3]))
        last = date(int(found[4]), int(found[5]), int(found[6])) if found[4] else first
    except ValueError:
        raise ValueError(f"line {number}: there is no such day: {line[:60]!r}") from None
    if not timedelta(0) <= last - first < timedelta(days=LONGEST):
        raise ValueError(f"line {number}: the span must run forward, for a year at most")
    for n in range((last - first).days + 1):
        yield first + timedelta(days=n), found[7].lower() in WORK, (found[8] or "").strip()


def _weekdays(text: str) -> Iterator[int]:
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
