"""The limits of a card, and what a card may refer to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Lookup:
    """Whether a picture and a person exist for the app that sends, and whether @all is allowed where it is sent."""

    image: Callable[[str], bool]
    person: Callable[[str], bool]
    everyone: bool = True


@dataclass
class Rules:
    """The limits. `tables` is what was seen live, for components and markdown together; the documentation says 5.

    `charts` is what the documentation recommends; what the platform does beyond is not known, here it is refused.
    """

    tables: int = 3
    tables_in_markdown: int = 4
    charts: int = 5
    columns: int = 50
    elements: int = 200
    size: int = 30 << 10  # bytes
    depth: int = 5
