"""Sentences that code says in English, as Chinese says them: the look-up that several tables share.

A table holds pairs: a regular expression for a whole sentence, and the Chinese with its groups as `\\1`. The first that
fits counts; what isn't in it stays as it is. It knows no sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Phrases = Sequence[tuple[str, str]]


def phrase(text: str, phrases: Phrases, inner: Callable[[str], str] = str) -> str | None:
    """The Chinese of `text`, or None. `inner`: what becomes of each group, say a sentence within the sentence."""
    fits = ((re.fullmatch(pattern, text, re.DOTALL), said) for pattern, said in phrases)
    found, said = next(((found, said) for found, said in fits if found), (None, ""))
    if found is None:
        return None
    groups = [inner(group or "") for group in found.groups()]
    return re.sub(r"\\(\d)", lambda m: groups[int(m[1]) - 1], said)
