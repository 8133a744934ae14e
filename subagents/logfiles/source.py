"""Log files where programs write them, behind the log protocol: found by patterns of names at each question, read where
the window lies, and counted as in a folder.

Rotation: a file and its copy (copytruncate, or a .gz beside what is being packed) are read once; what changes its place
while it is read is read again. Names mean nothing: which file holds what is told by what stands in it.
"""

from __future__ import annotations

import asyncio
import glob
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from orchestrator.contracts import Window
from subagents.folder import files
from subagents.folder.folder import Surveys, said, survey_all
from subagents.folder.index import Index
from subagents.folder.logs import FolderLogs
from subagents.folder.material import LogFile, Material
from subagents.folder.records import Hints
from subagents.folder.work import Pool
from subagents.sources import Answered, Count, Coverage, Health, LogLine, LogQuery, Pattern, SourceError
from subagents.web.links import filled

T = TypeVar("T")
MOST = 2_000  # files of one source
_SAME = 4 << 10  # bytes at the beginning by which two files are one
_SURE = 512  # fewer bytes than these may be alike by chance
_TRIES = 3
_LOOK = 256 << 10  # bytes of a file that are read to know what it is, since it changes all the time
Print = dict[str, tuple[int, int, bytes]]  # path → (inode, size, how it begins)


@dataclass(frozen=True, slots=True)
class Where:
    """`paths`: patterns of names (`**` = any depth), `exclude`: the same for what to leave out; `service`: whose files
    they are where the lines don't say so; `zone`: of times that state no offset; `format`: "" = told by content."""

    paths: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    service: str = ""
    zone: str = "UTC"


class LogFiles:
    """`close` ends the worker processes."""

    caps = FolderLogs.caps

    def __init__(self, name: str, where: Where, link: str = "") -> None:
        self.name, self._where, self._link = name, where, link
        self._pool, self._index = Pool(), Index(None, str)

    def close(self) -> None:
        self._pool.close()

    async def probe(self) -> Health:
        try:
            found, notes = await asyncio.to_thread(self._material)
        except SourceError as e:
            return Health(False, str(e))
        n = len(found.logs)
        if not n:
            why = f" ({notes[0]})" if notes else ""
            return Health(False, f"none of the files of {', '.join(self._where.paths)} is a log that is known{why}")
        return Health(True, f"{n} log file(s){'; ' + '; '.join(notes) if notes else ''}")

    async def coverage(self) -> Coverage:
        material, notes = await asyncio.to_thread(self._material)
        cover = await self._logs(material).coverage()
        return replace(cover, until=None, zone=self._where.zone, notes=(*cover.notes, *notes))

    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]:
        return await self._asked(q, lambda logs: logs.count(q, by))

    async def search(
        self, q: LogQuery, limit: int = 50, context: int = 0, cursor: str | None = None
    ) -> Answered[tuple[LogLine, ...]]:
        return await self._asked(q, lambda logs: logs.search(q, limit, context, cursor))

    async def patterns(self, q: LogQuery, baseline: Window | None, limit: int = 20) -> Answered[tuple[Pattern, ...]]:
        return await self._asked(q, lambda logs: logs.patterns(q, baseline, limit))

    async def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]:
        material, _ = await asyncio.to_thread(self._material)
        async for lines in self._logs(material).batches(q):
            yield lines

    async def _asked(self, q: LogQuery, call: Callable[[FolderLogs], Awaitable[Answered[T]]]) -> Answered[T]:
        """Again where a file was rotated while it was read; after some times it is said."""
        for tried in range(_TRIES):
            before = await asyncio.to_thread(self._prints)
            material, notes = await asyncio.to_thread(self._material)
            answer = await call(self._logs(material))
            moved = rotated(before, await asyncio.to_thread(self._prints))
            if not moved or tried == _TRIES - 1:
                break
        gaps = (*answer.gaps, *notes)
        if moved:
            gaps = (*gaps, f"{len(moved)} file(s) were rotated while they were read; lines may be missing or double")
        link = filled(self._link, answer.query, q.window)
        return replace(answer, gaps=gaps, complete=answer.complete and not moved, link=link)

    def _logs(self, material: Material) -> FolderLogs:
        return FolderLogs(material, None, True, self.name)

    # ── which files ───────────────────────────────────────────────────────────────────────────

    def _names(self) -> list[str]:
        """Raises SourceError where no file has such a name."""
        out = {path for pattern in self._where.exclude for path in _globbed(pattern)}
        found = sorted({path for pattern in self._where.paths for path in _globbed(pattern)} - out)
        if not found and (closed := [d for d in map(_place, self._where.paths) if _closed(d)]):
            raise SourceError(self.name, f"it may not look into {', '.join(closed)}. Check its rights.", "denied")
        if not found:
            raise SourceError(self.name, f"no file is named like {', '.join(self._where.paths)}: check its paths.")
        return found

    def _prints(self) -> Print:
        return prints(self._names())

    def _material(self) -> tuple[Material, tuple[str, ...]]:
        """What the files hold, and what must be said of them. Blocks."""
        names = self._names()
        listed, notes = _listed(names[:MOST])
        if len(names) > MOST:
            notes.append(f"{len(names) - MOST:,} of {len(names):,} files were left out")
        zone = "" if self._where.zone == "UTC" else self._where.zone
        surveys: Surveys = []
        for file, row in survey_all(listed, self._pool, self._index, zone, None, _LOOK):
            if row["kind"] == "log" and not row["dated"]:  # no year: it was written at the latest when it was changed
                near = file.mtime / 1e9
                row = {**survey_all([file], self._pool, self._index, zone, near, _LOOK)[0][1], "near": near}
            surveys.append((file, row))
        unread = [Path(f.path).name for f, row in surveys if row["kind"] != "log" and f.size]
        if unread:
            notes.append(f"{len(unread)} file(s) hold no log that is known ({', '.join(unread[:3])})")
        kept = [(f, row) for f, row in surveys if row["kind"] == "log"]
        logs = tuple(
            LogFile(n, f, f.path, row, Hints("" if any(row["services"]) else self._where.service, row.get("near"),
                                             row["shape"], zone))
            for n, (f, row) in enumerate(kept)
        )  # fmt: skip
        told = (*notes, *said(kept, zone))
        return Material(Path("/"), (), (), logs, (), (), self._pool, self._index), told


def _globbed(pattern: str) -> list[str]:
    return [p for p in glob.glob(os.path.expanduser(pattern), recursive=True) if os.path.isfile(p)]


def _place(pattern: str) -> str:
    """The nearest directory that is there, above what a pattern leaves open."""
    path = Path(os.path.expanduser(pattern))
    fixed = [p for p in (path, *path.parents) if not glob.has_magic(str(p))]
    return str(next((p for p in fixed if os.path.lexists(p) and p.is_dir()), path.anchor or "."))


def _closed(directory: str) -> bool:
    try:
        os.scandir(directory).close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _listed(names: Sequence[str]) -> tuple[list[files.Found], list[str]]:
    """Each file once, though it has two names or a copy beside it; and the notes on copies."""
    kept: dict[object, files.Found] = {}
    copies, closed = 0, list[str]()
    for name in names:
        try:
            stat, packed = os.stat(name), files.packing(Path(name))
            head = files.head(name, packed, _SAME)
        except (OSError, files.Unreadable) as e:  # gone since it was listed, or not for us
            closed += [name] if isinstance(e.__cause__ or e, PermissionError) else []
            continue
        found = files.Found(name, stat.st_size, stat.st_mtime_ns, packed)
        key: object = head if len(head) >= _SURE else (stat.st_dev, stat.st_ino)
        other = kept.get(key)
        copies += other is not None
        kept[key] = found if other is None else _fuller(other, found)
    notes = [f"{copies} file(s) are copies of others and were read once"] if copies else []
    notes += [f"{len(closed)} file(s) may not be read ({', '.join(closed[:3])})"] if closed else []
    return list(kept.values()), notes


def _fuller(one: files.Found, other: files.Found) -> files.Found:
    """Of a file and its copy that may not be whole yet: the one with more in it, the plain one of equals."""
    sizes = [files.unpacked(f.size, f.packed) if f.packed else f.size for f in (one, other)]
    if bool(one.packed) != bool(other.packed):
        return other if one.packed else one
    return other if sizes[1] > sizes[0] else one


def prints(names: Sequence[str]) -> Print:
    """By what a file is known again, whatever it is named."""
    found: Print = {}
    for name in names:
        try:
            with open(name, "rb") as f:
                stat = os.fstat(f.fileno())
                found[name] = (stat.st_ino, stat.st_size, f.read(256))
        except OSError:
            continue
    return found


def rotated(before: Print, after: Print) -> list[str]:
    """Names whose file was moved, replaced or cut meanwhile; one that grew was not."""
    moved = []
    for name, (inode, size, head) in before.items():
        now = after.get(name)
        if now is None or now[0] != inode or now[1] < size or not now[2].startswith(head[: len(now[2])]):
            moved.append(name)
    return moved
