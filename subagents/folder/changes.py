"""Changes of a folder: commits, deploys, releases, flags, config changes, tickets, each tied to the others."""

from __future__ import annotations

from dataclasses import replace

from subagents.folder import gitrepo, links, times
from subagents.folder.material import Material, covering
from subagents.folder.records import Row
from subagents.folder.wording import query
from subagents.pages import paged
from subagents.sources import Answered, Change, ChangeQuery, Coverage, Health, SourceError


class FolderChanges:
    name = "folder changes"
    caps = frozenset(("list", "diff"))

    def __init__(self, material: Material) -> None:
        self._material = material
        self._rows = links.linked(material.of("change"), material.services)
        self._changes = [change_of(row) for row in self._rows]

    async def probe(self) -> Health:
        n = len(self._changes)
        return Health(n > 0, f"{n} change(s) in {self._material.root}" if n else self._material.none("changes"))

    async def coverage(self) -> Coverage:
        found = covering(
            (r["at"] for r in self._rows), (c.service for c in self._changes), self._material.notes, self._material.zone
        )
        return replace(found, sparse=True)

    async def list(self, q: ChangeQuery, limit: int = 200, cursor: str | None = None) -> Answered[tuple[Change, ...]]:
        """Those that took effect in the window, and planned work that runs in it. `cursor` is the last answer's."""
        rows = [c for c in self._changes if _fits(c, q)]
        shown, further = paged(rows, limit, cursor)
        return Answered(
            shown,
            query("changes", q.window, kind=q.kinds, service=q.services),
            q.window,
            total=len(rows),
            complete=not further,
            gaps=self._material.gaps("changes", len(rows)),
            cursor=further,
        )

    async def diff(self, id: str, cap: int = 4000) -> Answered[str]:
        """The patch of a commit, or of the commit that a deploy carries, cut to `cap` characters."""
        row = next((r for r in self._rows if r["id"] == id), None)
        if row is None:
            row = next((r for r in self._rows if len(id) >= 7 and r["sha"].startswith(id)), None)
        if row is None:
            raise SourceError(self.name, f"there is no change {id!r} in this folder", "bad_query")
        commit = row if row["change"] == "commit" else self._commit(row["sha"])
        text, whole = (commit or {}).get("diff", ""), True
        if not text and commit is not None and "repository" in commit:
            text, whole = await gitrepo.diff(commit["repository"], commit["sha"], 4 * cap)
        gaps: tuple[str, ...] = () if text else ("the folder holds no diff of this change",)
        if len(text) > cap:
            gaps = (f"the first {cap:,} of {len(text):,} characters",)
        if not whole:
            gaps = (f"only the first {cap:,} characters",)
        said, total = f"folder changes: diff {id}", len(text) if whole else None
        return Answered(text[:cap], said, None, total=total, complete=not gaps, gaps=gaps)

    def _commit(self, sha: str) -> Row | None:
        return next((r for r in self._rows if r["change"] == "commit" and r["sha"] == sha), None) if sha else None


def _fits(c: Change, q: ChangeQuery) -> bool:
    planned = c.until is not None and c.at < q.window.end and c.until > q.window.start
    if c.at not in q.window and not planned:
        return False
    return (not q.kinds or c.kind in q.kinds) and (not q.services or c.service in q.services)


def change_of(row: Row) -> Change:
    until = row.get("until")
    return Change(
        id=row["id"],
        kind=row["change"],
        service=row["service"],
        at=times.aware(row["at"]),
        title=row["title"],
        author=row["author"],
        until=None if until is None else times.aware(until),
        version=row.get("version", ""),
        sha="" if row["change"] == "commit" else row.get("sha", ""),
        environment=row.get("environment", ""),
        files=tuple(row.get("files", ())),
        commits=tuple(row.get("commits", ())),
        reverts=row.get("reverts", ""),
        body=row.get("body", ""),
        outcome=row.get("outcome", ""),
        has_diff=bool(row.get("diff")) or "repository" in row,
    )
