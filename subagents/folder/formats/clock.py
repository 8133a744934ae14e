"""Lines that begin with a time of day and no date, or with the seconds since a machine began (dmesg), perhaps after one
word (strace, TCF, home-made ones). Each is a record whose day nobody can tell: it lies in no window, and is counted as
having no time."""

from __future__ import annotations

import re

from subagents.folder import levels
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(
    r"(?:<\d{1,3}>)?[\[(]?(?:[A-Z]{2,6} |\d{1,7} )?[\[(]?("
    r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d\d:\d\d\.\d{3,9}|\d\d?:\d\d(?::\d\d)?[AP]M"
    r"|(?<=\[) {0,10}\d{1,10}\.\d{6}(?=\]))[\])]?[: ] ?(.*)"  # the kernel's, in seconds since it began
)


def shape(lines: list[str]) -> str | None:
    heads = [line for line in lines if not line[0].isspace()]
    found = sum(1 for line in heads if _LINE.match(line))
    return "day" if found and found * 2 >= len(heads) else None


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
