"""Changes that were told by web hook: deploys, releases, commits, and what others post. There are no diffs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from subagents.pages import paged
from subagents.sources import Answered, Change, ChangeQuery, Coverage, Health, SourceError
from subagents.store import kept
from subagents.store.kept import Record, Records

FIELDS = ("author", "version", "sha", "environment", "reverts", "body")


class StoredChanges:
    """`hooks` () = all."""

    caps = frozenset({"list"})

    def __init__(self, name: str, records: Records, hooks: Sequence[str] = (), zone: str = "UTC") -> None:
        self.name = name
        self._records, self._hooks, self._zone = records, tuple(hooks), zone

    async def probe(self) -> Health:
        return await kept.ask(self.name, kept.health(self._records, "change", self._hooks))

    async def coverage(self) -> Coverage:
        now = datetime.now(UTC)
        return await kept.ask(self.name, kept.coverage(self._records, "change", self._hooks, self._zone, now))

    async def list(self, q: ChangeQuery, limit: int = 200, cursor: str | None = None) -> Answered[tuple[Change, ...]]:
        """`cursor` is the last answer's."""
        page = await kept.ask(self.name, self._records.find("change", q.window, q.services, self._hooks))
        rows = [c for c in map(_change, page.rows) if not q.kinds or c.kind in q.kinds]
        shown, further = paged(rows, limit, cursor)
        gaps = await kept.ask(self.name, kept.gaps(self._records, "change", self._hooks, q.window))
        if page.total > len(page.rows):
            gaps = (*gaps, f"only the last {len(page.rows):,} of {page.total:,} changes are looked at")
        named = f" by {', '.join(self._hooks)}" if self._hooks else ""
        return Answered(
            shown,
            f"changes {kept.span(q.window)} received{named}",
            q.window,
            total=len(rows),
            complete=not further and not gaps,
            gaps=gaps,
            cursor=further,
        )

    async def diff(self, id: str, cap: int = 4000) -> Answered[str]:
        raise SourceError(self.name, "web hooks bring no diffs; set up a source of kind git for them", "bad_query")


def _change(r: Record) -> Change:
    given = {name: r.body[name] for name in FIELDS if r.body.get(name)}
    return Change(
        id=r.series,
        kind=r.body.get("kind", "deploy"),
        service=r.service,
        at=r.at or datetime.now(UTC),
        title=r.body.get("title", ""),
        until=r.until,
        files=tuple(r.body.get("files") or ()),
        commits=tuple(r.body.get("commits") or ()),
        **given,
    )
