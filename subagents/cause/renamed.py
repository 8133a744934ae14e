"""What of a diff stands in another place, or under another name, as it did before: that runs as it ran. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from subagents.cause.edits import SETTINGS, Edit

LEAST = 12  # characters: shorter values are equal by chance
_HEAD = re.compile(  # of a function in one line, a local name, or what is given back; a field of a message is none
    r"(?:(?:export|public|private|protected|static|final|async|pub|override)\s+)*+"
    r"(?:(?:def|defp|fn|func|fun|function)\b[^={]*+(?:do:|=>|[={:])|(?:const|let|var|val|auto)?\s*+\w+\s*+:?=(?![=>])|return\b)\s*+"
)
_END = " \t;,{}"


def unmoved(found: list[Edit]) -> list[Edit]:
    """The hunks without such lines. Another order within a hunk is no such thing, nor are settings:
    their file and name say what they are for."""
    gone = Counter(body for edit in found for _, body in _bodies(edit, edit.removed, edit.added))
    come = Counter(body for edit in found for _, body in _bodies(edit, edit.added, edit.removed))
    moved = gone & come
    if not moved:
        return found
    left = {"-": moved.copy(), "+": moved.copy()}
    return [_without(edit, left) for edit in found]


def _without(edit: Edit, left: dict[str, Counter[str]]) -> Edit:
    removed, stood = _split(edit.removed, _bodies(edit, edit.removed, edit.added), left["-"])
    added, stands = _split(edit.added, _bodies(edit, edit.added, edit.removed), left["+"])
    return replace(edit, removed=removed, added=added, kept=(*edit.kept, *stands)) if stood or stands else edit


def _split(
    lines: tuple[str, ...], bodies: Iterable[tuple[int, str]], left: Counter[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What changed, and what only moved."""
    moved = set()
    for n, body in bodies:
        if left[body] > 0:
            left[body] -= 1
            moved.add(n)
    return tuple(x for n, x in enumerate(lines) if n not in moved), tuple(lines[n] for n in sorted(moved))


def _bodies(edit: Edit, lines: tuple[str, ...], others: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(which line, what it does) of those that the other side of the same hunk doesn't have as they are."""
    if SETTINGS.search(edit.file):
        return
    same = Counter(x.strip() for x in others)
    for n, line in enumerate(lines):
        bare = line.strip()
        if same[bare] > 0:
            same[bare] -= 1
            continue
        head = _HEAD.match(bare)
        if len(body := bare[head.end() if head else 0 :].strip(_END)) >= LEAST:
            yield n, body
