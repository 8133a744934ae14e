"""Alerts that were told by web hook, as episodes. Alertmanager forgets what is over; this doesn't.

An alert that wasn't told of again for long may be over without a word (its sender died): then its end isn't known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from orchestrator.contracts import Json
from subagents import paging
from subagents.sources import AlertQuery, Answered, Coverage, Episode, Health
from subagents.store import kept
from subagents.store.kept import Record, Records
from subagents.web.links import allowed

SILENT = 24.0  # hours


class StoredAlerts:
    """`hooks` () = all. An open alert says in its body for how many hours its hook may be silent (`silent`)."""

    caps = frozenset({"history", "current"})

    def __init__(
        self, name: str, records: Records, hooks: Sequence[str] = (), zone: str = "UTC",
        runbooks: Sequence[str] = (), clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:  # fmt: skip
        self.name = name
        self._records, self._hooks = records, tuple(hooks)
        self._zone, self._runbooks, self._clock = zone, tuple(runbooks), clock

    async def probe(self) -> Health:
        return await kept.ask(self.name, kept.health(self._records, "alert", self._hooks))

    async def coverage(self) -> Coverage:
        return await kept.ask(self.name, kept.coverage(self._records, "alert", self._hooks, self._zone, self._clock()))

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        return await self._answered(q, "alerts")

    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        """Those that are open, or not known to be over, at the window's end."""
        return await self._answered(q, "alerts open at the end of", lambda e: e.end is None or e.end >= q.window.end)

    async def _answered(
        self, q: AlertQuery, what: str, keep: Callable[[Episode], bool] = lambda e: True
    ) -> Answered[tuple[Episode, ...]]:
        page = await kept.ask(self.name, self._records.find("alert", q.window, q.services, self._hooks))
        found = (self._episode(r) for r in page.rows)
        rows = tuple(e for e in found if _fits(e, q) and keep(e))
        since = await kept.ask(self.name, kept.gaps(self._records, "alert", self._hooks, q.window))
        gaps = list(since)
        if unsure := sum(1 for e in rows if e.end is None and not e.end_known):
            gaps.append(f"{unsure} of these alerts weren't told of again for long, and may be over")
        if page.total > len(page.rows):
            gaps.append(f"only the last {len(page.rows):,} of {page.total:,} alerts are counted")
        named = f" by {', '.join(self._hooks)}" if self._hooks else ""
        query = f"{what} {kept.span(q.window)} received{named}"
        whole = page.total == len(page.rows) and not since
        return Answered(rows, query, q.window, total=len(rows), complete=whole, gaps=tuple(gaps))

    def _episode(self, r: Record) -> Episode:
        notes = r.body.get("annotations") or {}
        silent = timedelta(hours=float(r.body.get("silent") or SILENT))
        quiet = r.seen is not None and self._clock() - r.seen > silent
        return Episode(
            name=r.body.get("name", ""),
            service=r.service,
            severity=r.body.get("severity", ""),
            start=r.at or self._clock(),
            end=r.until,
            labels=r.body.get("labels") or {},
            annotations=notes,
            link=r.body.get("link", ""),
            notified=_notified(r.body),
            end_known=r.until is not None or not quiet,
            runbook=allowed(notes.get("runbook_url", ""), self._runbooks),
        )


def _notified(body: Json) -> tuple[tuple[str, str], ...]:
    """A sender that names no receiver, or no group of its own, leaves it open."""
    receiver, key = str(body.get("receiver") or ""), str(body.get("group") or "")
    return ((receiver, paging.group_of_key(key)),) if receiver else ()


def _fits(e: Episode, q: AlertQuery) -> bool:
    return (not q.names or e.name in q.names) and (not q.severities or e.severity in q.severities)
