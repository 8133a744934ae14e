"""How words are given to a search as one argument each, and the kinds of lines that hold them. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from subagents.folder.mining import WILD, gist, masked
from subagents.near import Words
from subagents.sources import LogLine

_ID = re.compile(r"(?<![\w-])[\w-]*\d[\w-]*")


def near(words: Sequence[str]) -> Words:
    """ "login|log in", "fail" → each with its ways of being written."""
    given = (tuple(way.strip() for way in word.split("|") if way.strip()) for word in words)
    return tuple(ways for ways in given if ways)


def kinds(rows: Sequence[LogLine]) -> list[tuple[str, int]]:
    """What lines say, without numbers and ids, most frequent first, and how many say it."""
    return Counter(" ".join(_ID.sub(WILD, masked(gist(row.message))).split()) for row in rows).most_common()
