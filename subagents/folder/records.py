"""Shapes that pass between formats, scans and worker processes: plain, small, without the contracts' weight."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from subagents.folder.times import Clock

Row = dict[str, Any]  # one alert, change, span, pattern or point as JSON; times in seconds; its "kind" says which


class Rec(NamedTuple):
    """The head line of one log record. `at`: seconds since 1970, None where the line tells no time."""

    at: float | None
    service: str
    level: str
    message: str
    code: str = ""
    fields: Mapping[str, Any] | None = None


class Hints(NamedTuple):
    """What a file's lines don't say themselves.

    `service`: whose file it is; `near`: the time before which a date without a year lies; `shape`: what the format
    found out about this file's layout when it was recognised; `zone`: of times that state no offset ("" = UTC).
    """

    service: str = ""
    near: float | None = None
    shape: str = ""
    zone: str = ""

    @property
    def clock(self) -> Clock:
        return Clock(self.near, self.zone)


Search = Callable[[bytes], list[int]]  # where in a block of whole lines it was found, in order
LineParser = Callable[[str], Rec | None]  # None: the line continues the record before it


class LogFormat(NamedTuple):
    """One log format. `shape` looks at head lines and says None (not mine) or the layout that `parser` needs.

    `errors(shape)`: a byte search that hits every head line of level error or fatal (others too), or None where
    there is no such sound one. `alike(shape, line)`: a pattern for whole lines, made from one; lines that it matches
    with equal groups are of the same minute, service, level and code, so that one of them tells for all. Its named
    groups are the time's, and no others: the minute hangs on them alone, the rest on the others alone.
    `native`: the same as an expression (`expressions`) for lines that `errors` would hit; b"" where it has none.
    `inner(line)`: what a line that continues a record adds to its text; None: nothing, it is of the file's making.
    """

    name: str
    shape: Callable[[list[str]], str | None]
    parser: Callable[[Hints], LineParser]
    errors: Callable[[str], Search | None] = lambda shape: None
    alike: Callable[[str, bytes], re.Pattern[bytes] | None] = lambda shape, line: None
    inner: Callable[[str], str | None] = lambda line: line
    native: bytes = b""


class Doc(NamedTuple):
    """One format of records that are read whole: `kind` of its rows, its test on one item, its reader.

    `read(item, around)`: the item's rows; `around` holds the scalars of what encloses it.
    """

    name: str
    kind: str
    matches: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any], Mapping[str, Any]], list[Row]]
