"""JSON documents and JSON lines of records (alerts, changes, spans, patterns, points) as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from subagents.folder import files
from subagents.folder.formats import json_lines
from subagents.folder.records import Row
from subagents.folder.walking import walk

DOCUMENT_MAX = 64 << 20
ROWS_MAX = 200_000  # of one file


class Loaded:
    """What came out of a file of records: rows, the formats by number of objects, and what nothing knew."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.formats: dict[str, int] = {}
        self.unknown = 0
        self.left = 0  # rows over `ROWS_MAX`

    def take(self, found: Iterator[tuple[str, list[Row]]]) -> None:
        for name, rows in found:
            if name:
                self.formats[name] = self.formats.get(name, 0) + 1
                room = max(0, ROWS_MAX - len(self.rows))
                self.rows += rows[:room]
                self.left += len(rows[room:])
            else:
                self.unknown += 1


def load_document(path: str, packed: str) -> Loaded:
    """The rows of one JSON document. Raises files.Unreadable where it isn't valid JSON or is over 64 MB."""
    data = bytearray()
    for block in files.blocks(path, packed):
        data += block
        if len(data) > DOCUMENT_MAX:
            raise files.Unreadable("a JSON document over 64 MB: export it as JSON lines")
    loaded = Loaded()
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as e:
        raise files.Unreadable(f"it begins like JSON but isn't valid: {e}") from e
    if isinstance(value, dict | list):
        loaded.take(walk(value, {}))
    return loaded


def load_lines(path: str, packed: str) -> Loaded:
    """The rows of a file of JSON lines."""
    loaded = Loaded()
    for _, line in files.lines(path, packed):
        item = json_lines.decode(line.decode("utf-8", "replace").strip())
        if item is not None:
            loaded.take(walk(item, {}))
        elif line.strip():
            loaded.unknown += 1
    return loaded


def load_table(names: Sequence[str], rows: Iterator[Sequence[str]]) -> Loaded:
    """The rows of a CSV whose columns carry the keys of records."""
    loaded = Loaded()
    for cells in rows:
        if len(cells) == len(names):
            loaded.take(walk(dict(zip(names, cells, strict=True)), {}))
    return loaded
