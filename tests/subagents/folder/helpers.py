"""Small folders for tests, and the words that every test of them needs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.contracts import Window
from subagents.folder.folder import Folder, open_folder
from subagents.sources import LogQuery


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def window(start: str, end: str) -> Window:
    return Window(utc(start), utc(end))


ALL = window("2000-01-01", "2100-01-01")


def folder_of(root: Path, files: Mapping[str, str | bytes], cache: Path | None = None) -> Folder:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_folder(root, cache)


def hashed(source: Path, target: Path) -> Path:
    """The same files in one directory under names that tell nothing."""
    target.mkdir()
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        name = hashlib.sha256(str(path.relative_to(source)).encode()).hexdigest()
        (target / name).write_bytes(path.read_bytes())
    return target


async def counted(folder: Folder, *by: str, q: LogQuery | None = None) -> dict[tuple[str, ...], int]:
    """{(key, …): n} of a folder's log lines."""
    answer = await folder.sources().logs[0].count(q or LogQuery(ALL), by)
    return {tuple(c.keys[d] for d in by): c.n for c in answer.rows}
