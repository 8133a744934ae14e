"""What an effect of a change is: a sentence, and the kinds of trouble it can bring."""

from __future__ import annotations

from dataclasses import dataclass

MOST = 2.0


@dataclass(frozen=True, slots=True)
class Effect:
    """`strength` 0 to 2; `values`: numbers that the change puts in place, as logs would print them."""

    text: str
    families: frozenset[str]
    strength: float
    values: frozenset[str] = frozenset()
    about: str = ""  # what must be spoken of for it to be likely
    limit: float = 0.0  # seconds after which it now gives up, 0 for no such effect
    afar: bool = False  # it shows in those that read what the changed one sends, whoever they are
