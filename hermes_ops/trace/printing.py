"""Text and JSON on stdout that may hold anything: nothing in it can steer the terminal, hide, or turn the direction.

On a terminal lines are coloured by rich, in a pipe they are plain; what they say is the same.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.cleaning import HIDDEN, clean
from orchestrator.contracts import Json

# what JSON leaves as it is, and a terminal or a reader doesn't; half surrogates can't be printed at all
_UNSEEN = re.compile(f"[{HIDDEN}\ud800-\udfff]")


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
    print(json_text(value), flush=True)


def json_text(value: Json, indent: int | None = 2) -> str:
    """As JSON that may be shown anywhere: the one way from a value to what a command prints or writes."""
    return visible_json(strict_json(value, indent=indent))


def strict_json(value: Json, **form: Any) -> str:
    """JSON as its standard has it, which Python's isn't: a number that is none (NaN, an infinity) becomes text."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, **form)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, **form)


def _finite(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return json.dumps(value) if isinstance(value, float) and not math.isfinite(value) else value


def visible_json(text: str) -> str:
    """JSON text in which every character that can't be seen is escaped."""
    return _UNSEEN.sub(lambda m: json.dumps(m[0])[1:-1], text)


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
    """On a terminal the last column is cut to what room there is; in a pipe nothing is cut."""
    from rich.cells import cell_len, set_cell_size  # Chinese is two cells wide

    cells = [[safe(cell).replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns - sum(width + 2 for width in widths[:-1])
        widths[-1] = max(20, min(widths[-1], room))
    lines = ("  ".join(map(set_cell_size, row, widths)).rstrip() for row in (heads, *cells))
    print_lines(Line(line, "bold" if n == 0 else "") for n, line in enumerate(lines))
