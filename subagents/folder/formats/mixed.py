"""Files whose lines are in several formats, such as JSON lines between a program's plain ones.

Only lines that state a time are told apart; all others belong to the record before them, as everywhere.
"""

from __future__ import annotations

import re

from subagents.folder.formats import several
from subagents.folder.records import Hints, LineParser, LogFormat, Search


def shape(lines: list[str]) -> str | None:
    found = several.told(lines)
    if len(found) < 2:
        return None
    sound = [found[0], *(one for one in found[1:] if one[0] not in several.FREE or one[1] in ("0", "klog"))]
    return several.written(sound) if len(sound) > 1 else None


def parser(hints: Hints) -> LineParser:
    return several.parser(hints.shape, hints)


def errors(shape: str) -> Search | None:
    """Where any of the formats would look; None where one of them can't tell."""
    searches = [form.errors(inner) for form, inner in several.read(shape)]
    known = [search for search in searches if search is not None]
    if len(known) < len(searches):
        return None
    return lambda block: sorted(place for search in known for place in search(block))


def alike(shape: str, line: bytes) -> re.Pattern[bytes] | None:
    form, inner = several.read(shape)[0]
    return form.alike(inner, line)


FORMAT = LogFormat("mixed log", shape, parser, errors, alike)
