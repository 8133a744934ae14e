"""Text and JSON on stdout that may hold anything: nothing in it can steer the terminal, hide, or turn the direction.

On a terminal lines are coloured by rich, in a pipe they are plain; what they say is the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.cleaning import clean
from orchestrator.contracts import Json

# what JSON leaves as it is, and a terminal or a reader doesn't; half surrogates can't be printed at all
_UNSEEN = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Line:
    """`style`: a rich style for a terminal; "" as it comes."""

    text: str
    style: str = ""


def safe(text: str) -> str:
    """As it can be printed."""
    return clean(text).encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, most: int = 300) -> str:
    """The text in one line, cut; a cut one says how long it is."""
    flat = " ".join(safe(text[: 4 * most]).split())
    if len(flat) <= most and len(text) <= 4 * most:
        return flat
    return f"{flat[:most]}… ({len(text):,} characters)"


def print_json(value: Json) -> None:
    """One JSON value; what can't be seen is escaped, so that nothing is lost."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    print(_UNSEEN.sub(lambda m: json.dumps(m[0])[1:-1], text), flush=True)


def print_lines(lines: Iterable[Line]) -> None:
    if not sys.stdout.isatty():
        for line in lines:
            print(safe(line.text))
        sys.stdout.flush()
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text(safe(line.text), style=line.style), soft_wrap=True)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The last column takes what room there is on a terminal; in a pipe nothing is cut."""
    cells = [[safe(cell).replace("\n", " ") for cell in row] for row in rows]
    if sys.stdout.isatty():
        _drawn(heads, cells)
        return
    widths = [max(map(_width, column)) for column in zip(heads, *cells, strict=True)]
    for row in (heads, *cells):
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(padded).rstrip())
    sys.stdout.flush()


def _drawn(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for n, head in enumerate(heads):
        last = n == len(heads) - 1
        table.add_column(head, no_wrap=True, overflow="ellipsis" if last else "fold", ratio=1 if last else None)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(highlight=False, markup=False, emoji=False).print(table)


def _width(text: str) -> int:
    """Cells on a terminal."""
    from rich.cells import cell_len

    return cell_len(text)
