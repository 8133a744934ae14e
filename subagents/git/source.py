"""Git repositories on disk behind the protocol of changes: commits and merges at committer time, tags as releases,
reverts with what they take back, patches.

They are read as they lie there; nothing is fetched. Whose a commit is, is told by its repository, else by its message
and paths (`subagents.folder.links`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from orchestrator.contracts import Window
from subagents.folder import links
from subagents.folder.changes import change_of
from subagents.folder.gitcommand import GitError
from subagents.folder.records import Row
from subagents.git.repository import Repository
from subagents.pages import paged
from subagents.sources import Answered, Change, ChangeQuery, Coverage, Health, SourceError
from subagents.web.links import filled

T = TypeVar("T")
NAMED = 10  # reverts whose commit is looked for by its title
_SHA = re.compile(r"[0-9a-f]{7,64}")
_TAG = re.compile(r"^(?:(?P<service>.+?)[-_/@])?v?\d+(?:\.\d+)*")
Found = tuple[list[Row], list[str]]  # rows, and what is missing, in words


@dataclass(frozen=True, slots=True)
class Code:
    """`repositories`: directories; `owners`: a repository's name → whose it is; `services`: the names to look for in
    those of several services; `branches`: () = all; `seconds`: for one question; `link`: a console's address."""

    repositories: tuple[Path, ...]
    owners: Mapping[str, str] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    seconds: float = 15.0
    zone: str = "UTC"
    environment: str = ""
    link: str = ""

    def owner(self, repository: Repository) -> str:
        return self.owners.get(repository.name, "")


class GitChanges:
    caps = frozenset(("list", "diff"))

    def __init__(self, name: str, code: Code) -> None:
        self.name, self._code = name, code
        self._all = tuple(Repository(path, code.branches, code.seconds) for path in code.repositories)

    async def probe(self) -> Health:
        found = await asyncio.gather(*(_tried(r, r.newest()) for r in self._all))
        bad = [said for said in found if isinstance(said, str)]
        if bad:
            return Health(False, "; ".join(bad))
        newest = [f"{r.name} to {at:%Y-%m-%d %H:%M} UTC" for r, at in zip(self._all, found, strict=True) if at]
        return Health(bool(newest), f"commits of {', '.join(newest)}" if newest else "no commits yet")

    async def coverage(self) -> Coverage:
        names = (*self._code.services, *self._code.owners.values())
        return Coverage(None, None, self._code.zone, tuple(dict.fromkeys(names)), sparse=True)

    async def list(self, q: ChangeQuery, limit: int = 200, cursor: str | None = None) -> Answered[tuple[Change, ...]]:
        """Oldest first. A repository that can't be read is a gap; raises SourceError when none can be."""
        found = await asyncio.gather(*(_tried(r, self._of(r, q.window)) for r in self._all))
        good = [f for f in found if isinstance(f, tuple)]
        bad = [f for f in found if isinstance(f, str)]
        if not good:
            raise SourceError(self.name, "; ".join(bad), "unreachable")
        changes = [change_of(row) for rows, _ in good for row in rows]
        rows = sorted((c for c in changes if _fits(c, q)), key=lambda c: (c.at, c.id))
        shown, further = paged(rows, limit, cursor)
        gaps = (*(gap for _, said in good for gap in said), *(f"not read: {said}" for said in bad))
        query = self._query(q)
        return Answered(
            shown, query, q.window, link=filled(self._code.link, query, q.window), total=len(rows),
            complete=not further and not gaps, gaps=gaps, cursor=further,
        )  # fmt: skip

    async def diff(self, id: str, cap: int = 4000) -> Answered[str]:
        """The patch of a commit by its sha, or of the commit that a tag names, cut to `cap` characters."""
        if not _SHA.fullmatch(id):
            id = await self._tagged(id)
        said = []
        for repository in self._all:
            text = await _tried(repository, repository.patch(id, 4 * cap))
            if isinstance(text, str):
                said.append(text)
                continue
            patch, whole = text[0], text[1] and len(text[0]) <= cap
            gaps = () if whole else (f"only the first {cap:,} characters",)
            query = f"git -C {repository.path} show {id}"
            return Answered(patch[:cap], query, None, total=len(patch) if whole else None, complete=whole, gaps=gaps)
        raise SourceError(self.name, f"there is no commit {id[:64]!r} ({'; '.join(said)})", "bad_query")

    async def _tagged(self, name: str) -> str:
        for repository in self._all:
            tags = await _tried(repository, repository.tags())
            found = next((t["sha"] for t in tags if t["id"] == name), "") if isinstance(tags, list) else ""
            if found:
                return str(found)
        raise SourceError(self.name, f"there is no commit or tag {name[:64]!r}", "bad_query")

    async def _of(self, repository: Repository, window: Window) -> Found:
        """All changes of a repository in the window, each tied to the others."""
        commits, gaps = await repository.commits(window)
        tags = await repository.tags()
        gaps += filter(None, [await repository.lags(window)])
        inside = [t for t in tags if window.start.timestamp() <= t["at"] < window.end.timestamp()]
        owner = self._code.owner(repository)
        rows = links.linked([*commits, *(_released(t, owner, self._code) for t in inside)], self._code.services)
        for row in rows:
            row["service"] = owner or row["service"]
        await _paired(repository, rows)
        return rows, gaps

    def _query(self, q: ChangeQuery) -> str:
        where = " ".join(str(r.path) for r in self._all)
        which = [f"kind={','.join(q.kinds)}"] * bool(q.kinds) + [f"service={','.join(q.services)}"] * bool(q.services)
        span = f"--since={q.window.start.isoformat()} --until={q.window.end.isoformat()}"
        return " ".join(("git log", span, f"({where})", *which))


async def _paired(repository: Repository, rows: list[Row]) -> None:
    """Reverts that name by title what lies before the window, as far as it is found soon."""
    named = [(row, links.taken_back(row)) for row in rows if row["change"] == "commit" and not row["reverts"]]
    with suppress(TimeoutError, GitError):
        async with asyncio.timeout(repository.seconds / 4):
            for row, title in [(row, title) for row, title in named if title][:NAMED]:
                row["reverts"] = await repository.titled(title, row["at"])


def _released(tag: Row, owner: str, code: Code) -> Row:
    """A tag of a repository with several services says whose it is: `payment-v1.2.0`, `payment/v1.2.0`."""
    said = _TAG.match(tag["id"])
    named = links.Names(code.services).find(said["service"] or "") if said else ""
    return {**tag, "service": owner or named, "environment": code.environment}


def _fits(c: Change, q: ChangeQuery) -> bool:
    return (not q.kinds or c.kind in q.kinds) and (not q.services or c.service in q.services)


async def _tried(repository: Repository, work: Awaitable[T]) -> T | str:
    """What came within the repository's time, or why nothing did."""
    try:
        async with asyncio.timeout(repository.seconds):
            return await work
    except GitError as e:
        return f"{repository.name}: {e}"
    except TimeoutError:
        return f"{repository.name}: git gave no answer within {repository.seconds:g} s"
