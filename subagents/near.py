"""Words that stand near each other, in any form, joint and order: what a search of log lines takes them for. Pure.

Each word is given by its stems, one for each way of writing it; a space in one stands for any joint. Patterns are what
Python and RE2 have in common: rows of literals with bounded gaps, so that a search takes time by the length of a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import TypeAlias

Words: TypeAlias = tuple[tuple[str, ...], ...]

GAP = 50  # characters between two words that are said of each other
MOST = 3  # words that may stand in any order, since orders multiply; those after them aren't sought
SHORT = 3  # letters of a word that other words hold by chance: it must begin and end where it does
_JOINT = re.compile(r"[\s_.-]+")


def pattern(words: Words) -> str:
    """(("login", "log in"), ("fail",)) → a lower-case expression that matches both, in either order."""
    return "|".join(f".{{0,{GAP}}}".join(order) for order in permutations(map(_ways, words[:MOST])))


def needles(words: Words) -> Words:
    """Of each word the literals of which a text that holds it must hold one."""
    return tuple(tuple(max(_JOINT.split(way.lower().strip()), key=len) for way in ways) for ways in words[:MOST])


def holds(words: Words, text: str) -> bool:
    """Whether a lower-case text holds them near each other."""
    found, expression = _compiled(words)
    return all(any(n in text for n in ways) for ways in found) and expression.search(text) is not None


@lru_cache(maxsize=64)
def _compiled(words: Words) -> tuple[Words, re.Pattern[str]]:
    return needles(words), re.compile(pattern(words))


def _ways(ways: Sequence[str]) -> str:
    return f"(?:{'|'.join(map(_way, ways))})"


def _way(way: str) -> str:
    parts = [_escaped(p) for p in _JOINT.split(way.lower().strip()) if p]
    joined = "[ _.:/-]?".join(parts)
    whole = way.isascii() and sum(map(len, parts)) <= SHORT
    return f"(?:^|[^a-z]){joined}(?:s|es)?(?:$|[^a-z])" if whole else joined


def _escaped(text: str) -> str:
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)
