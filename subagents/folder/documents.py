"""JSON documents and JSON lines of records (alerts, changes, spans, patterns, points) as rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from subagents.folder import files, times
from subagents.folder.formats import json_lines
from subagents.folder.records import Row
from subagents.folder.walking import walk

DOCUMENT_MAX = 64 << 20
_DEEP = 8  # storeys of a value
ROWS_MAX = 200_000  # of one file


_LOCAL = re.compile(
    r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[T _]{1,2}\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?"
    r"|\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?"
)


_OFFSET = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?([+-]\d\d:?\d\d)")


def is_local(text: str) -> bool:
    """Whether it is a time that states no offset."""
    return 11 < len(text) < 40 and _LOCAL.fullmatch(text.strip()) is not None


def offset(text: str) -> str:
    """The offset that a time states; "" for UTC, which APIs write whatever clock people go by."""
    match = _OFFSET.fullmatch(text.strip()) if 18 < len(text) < 40 else None
    return match[1] if match and match[1].strip("+-0:") else ""


class Loaded:
    """What came out of a file of records: rows, the formats by number of objects, and what nothing knew. `zone`: of its
    times that state no offset; `local`: whether there are such; `offsets`: that the others state."""

    def __init__(self, zone: str = "") -> None:
        self.zone, self.local, self.offsets = zone, False, set[str]()
        self.rows: list[Row] = []
        self.formats: dict[str, int] = {}
        self.unknown = 0
        self.left = 0  # rows over `ROWS_MAX`

    def walk(self, value: Any) -> None:
        """The rows of a JSON value or of a table's row."""
        self.take(walk(self._stated(value), {}))

    def _stated(self, value: Any, depth: int = 0) -> Any:
        """The same with an offset for each time that states none, where the zone is known."""
        if isinstance(value, str):
            here = is_local(value)
            self.local = self.local or here
            self.offsets.update(filter(None, (offset(value),)))
            at = times.parse(value, times.Clock(zone=self.zone)) if here and self.zone else None
            return value if at is None else times.iso(at)
        if depth > _DEEP or (self.local and not self.zone):
            return value
        if isinstance(value, dict):
            return {k: self._stated(v, depth + 1) for k, v in value.items()}
        return [self._stated(v, depth + 1) for v in value] if isinstance(value, list) else value

    def take(self, found: Iterator[tuple[str, list[Row]]]) -> None:
        for name, rows in found:
            if name:
                self.formats[name] = self.formats.get(name, 0) + 1
                room = max(0, ROWS_MAX - len(self.rows))
                self.rows += rows[:room]
                self.left += len(rows[room:])
            else:
                self.unknown += 1


def whole(path: str, packed: str) -> str:
    """The text of a file that is read at once. Raises files.Unreadable where it is over 64 MB."""
    data = bytearray()
    for block in files.blocks(path, packed):
        data += block
        if len(data) > DOCUMENT_MAX:
            raise files.Unreadable("a JSON document over 64 MB: export it as JSON lines")
    return data.decode("utf-8-sig", "replace")


def parsed(text: str) -> Any:
    """Its JSON. Raises files.Unreadable where it isn't valid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise files.Unreadable(f"it begins like JSON but isn't valid: {e}") from e


def load_document(path: str, packed: str, zone: str = "") -> Loaded:
    """The rows of one JSON document. Raises files.Unreadable where it isn't valid JSON or is over 64 MB."""
    loaded = Loaded(zone)
    value = parsed(whole(path, packed))
    if isinstance(value, dict | list):
        loaded.walk(value)
    return loaded


def load_lines(path: str, packed: str, zone: str = "") -> Loaded:
    """The rows of a file of JSON lines."""
    loaded = Loaded(zone)
    for _, line in files.lines(path, packed):
        item = json_lines.decode(line.decode("utf-8", "replace").strip())
        if item is not None:
            loaded.walk(item)
        elif line.strip():
            loaded.unknown += 1
    return loaded


def load_table(names: Sequence[str], rows: Iterator[Sequence[str]], zone: str = "") -> Loaded:
    """The rows of a CSV whose columns carry the keys of records."""
    loaded = Loaded(zone)
    for cells in rows:
        if len(cells) == len(names):
            loaded.walk(dict(zip(names, cells, strict=True)))
    return loaded
