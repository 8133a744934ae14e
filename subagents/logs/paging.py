"""Where a page of lines ends: at the last line's own moment, without the lines of that moment that were given, since
several may share it. So none is lost between two pages, and none is given twice. It knows no server.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, TypeVar

from subagents.sources import SourceError

Row = TypeVar("Row")
At = TypeVar("At", int, str)


@dataclass(frozen=True, slots=True)
class Page(Generic[At]):
    """Where one begins. `given`: marks of the lines at that moment that stood on pages before."""

    at: At
    given: tuple[str, ...] = ()

    @property
    def cursor(self) -> str:
        return json.dumps([self.at, self.given])


@dataclass(frozen=True, slots=True)
class Paging(Generic[Row, At]):
    """`at`: a line's moment, as the server writes it; `text`: all that tells a line from another."""

    at: Callable[[Row], At]
    text: Callable[[Row], str]

    def opened(self, cursor: str, kind: Callable[[Any], At], source: str) -> Page[At]:
        """What `Page.cursor` was. `kind` makes a moment. Raises SourceError (bad_query)."""
        try:
            at, given = json.loads(cursor)
            return Page(kind(at), tuple(map(str, given)))
        except (ValueError, TypeError) as e:
            raise SourceError(source, f"{cursor!r} is no cursor of a former answer", "bad_query") from e

    def fresh(self, rows: Sequence[Row], page: Page[At]) -> list[Row]:
        """The rows that weren't given before; of equal ones, as many as are more."""
        left, found = Counter(page.given), []
        for row in rows:
            mark = self._mark(row) if self.at(row) == page.at else ""
            if left[mark] > 0:
                left[mark] -= 1
            else:
                found.append(row)
        return found

    def after(self, shown: Sequence[Row], page: Page[At]) -> Page[At]:
        """The page behind the last of `shown`, which stood on `page`."""
        last: At = self.at(shown[-1])
        mine: tuple[str, ...] = tuple(self._mark(row) for row in shown if self.at(row) == last)
        return Page(last, (*page.given, *mine) if last == page.at else mine)

    def _mark(self, row: Row) -> str:
        return sha256(self.text(row).encode("utf-8", "surrogatepass")).hexdigest()[:12]
