"""Writing the files of a generated incident: plain or gz, the same bytes each time. Knows no content."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def put(folder: Path, name: str, lines: Iterable[str], packed: bool = False) -> str:
    """Writes the lines, and returns the path relative to the folder."""
    path = folder / (f"{name}.gz" if packed else name)
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(_gz(raw) if packed else raw)
    return path.relative_to(folder).as_posix()


def _gz(raw: bytes) -> bytes:
    """Without name and time in the header, which would differ."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=6) as file:
        file.write(raw)
    return buffer.getvalue()


def put_rows(folder: Path, name: str, rows: Iterable[Any], as_list: bool) -> None:
    """JSON objects, as one list or one a line."""
    found = list(rows)
    if found and as_list:
        put(folder, f"{name}.json", [json.dumps(found, ensure_ascii=False, indent=1)])
    elif found:
        put(folder, f"{name}.jsonl", (json.dumps(row, ensure_ascii=False) for row in found))


def iso(at: datetime, timespec: str = "seconds") -> str:
    """2026-11-29T14:02:10Z"""
    return at.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
