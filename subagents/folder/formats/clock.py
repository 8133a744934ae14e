"""Lines that begin with a time of day and no date, perhaps after one word (strace, TCF, home-made ones). Each is a
record whose day nobody can tell: it lies in no window, and is counted as having no time."""

from __future__ import annotations

import re

from subagents.folder import levels
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(
    r"[\[(]?(?:[A-Z]{2,6} |\d{1,7} )?[\[(]?(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d\d:\d\d\.\d{3,9})[\])]?[: ] ?(.*)"
)


def shape(lines: list[str]) -> str | None:
    found = sum(1 for line in lines if _LINE.match(line))
    return "day" if found and found * 2 >= len(lines) else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        match = _LINE.match(line)
        if match is None:
            return None
        word = levels.WORD.search(match[2], 0, 40)
        level = levels.level(word.group(1)) if word and word.group(1).isupper() else levels.labelled(match[2])
        return Rec(None, hints.service, level, match[2].strip(), "", {"time": match[1]})

    return read


FORMAT = LogFormat("times of day", shape, parser)
