"""VictoriaLogs behind the log protocol: counted there (`stats`, `hits`), read in pages by time, mined here.

A page goes on at the last line's own time, without the lines of that time that were given, since several may share it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from orchestrator.contracts import Scope, Window
from subagents.logs import remote
from subagents.logs.paging import Page, Paging
from subagents.sources import Answered, Count, Coverage, Health, Level, LogLine, LogQuery, Pattern, SourceError
from subagents.victorialogs.api import Api
from subagents.victorialogs.logsql import Fields, moment, name, within
from subagents.web import Caller
from subagents.web.links import filled

T = TypeVar("T")
RECENT = timedelta(days=7)
BATCH = 5_000
SAME = 50_000  # lines of one time that a page can hold
NEIGHBOURED = 10  # lines that get their neighbours
_STEPS = {"minute": "1m", "hour": "1h", "day": "1d"}
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_OWN = frozenset(("_time", "_msg", "_stream", "_stream_id"))
Row = Mapping[str, str]
PAGES: Paging[Row, str] = Paging(lambda row: row["_time"], lambda row: json.dumps(row, sort_keys=True))


class VictoriaLogs:
    caps = frozenset(("count", "search", "patterns", "context"))

    def __init__(
        self, name: str, caller: Caller, fields: Fields, zone: str = "UTC", link: str = "",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:  # fmt: skip
        self.name, self._api, self._fields = name, Api(caller), fields
        self._zone, self._link, self._now = zone, link, now

    async def probe(self) -> Health:
        try:
            services = await self._services()
        except SourceError as e:
            return Health(False, str(e))
        asked = f"the field {self._fields.service}"
        if not services:
            return Health(False, f"it answers, and has no values of {asked} in the last 7 days: check its service.")
        return Health(True, f"VictoriaLogs answers, {len(services)} service(s) by {asked}")

    async def coverage(self) -> Coverage:
        return Coverage(None, None, self._zone, await self._services())

    async def _services(self) -> tuple[str, ...]:
        now = self._now()
        return await self._api.values(self._fields.service, now - RECENT, now)

    # ── counting ──────────────────────────────────────────────────────────────────────────────

    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]:
        """Groups by service, level, code, and one of minute, hour, day. Raises SourceError (bad_query) for others."""
        remote.checked(self.name, by, self._fields.names())
        tally, query = remote.Tally(by), self._fields.query(q.services, q.levels, q.text, q.near)
        unit, names = remote.unit_of(by), [self._fields.names()[d] for d in by if d not in remote.STEPS]
        if unit:
            said = await self._hits(q.window, query, unit, names, tally)
        else:
            grouped = f"by ({', '.join(map(_named, names))}) " if names else ""
            said = f"{within(query, q.window.start, q.window.end)} | stats {grouped}count() as lines"
            async for row in self._api.query(said, q.window.start, q.window.end):
                tally.add(self._ours(row), q.window.start, int(row["lines"]))
        return self._answered(tally.counts(), said, q, tally.total)

    async def _hits(self, window: Window, query: str, unit: str, names: list[str], tally: remote.Tally) -> str:
        step = remote.STEPS[unit]
        if any(True for _ in remote.edges(window, step)):
            query = within(query, window.start, window.end)
        async with aclosing(self._api.hits(query, window.start, window.end, _STEPS[unit], names)) as hits:
            async for hit in hits:
                if hit.at < window.end:  # the API's end takes in a second more
                    tally.add(self._ours(hit.fields), hit.at, hit.n)
        return query

    def _ours(self, row: Row) -> dict[str, str]:
        return {ours: str(row.get(theirs, "")) for ours, theirs in self._fields.names().items()}

    # ── lines ─────────────────────────────────────────────────────────────────────────────────

    async def search(
        self, q: LogQuery, limit: int = 50, context: int = 0, cursor: str | None = None
    ) -> Answered[tuple[LogLine, ...]]:
        page = self._page(q, cursor)
        query = self._fields.query(q.services, q.levels, q.text, q.near)
        wanted = limit + len(page.given) + 1
        rows, counted = await asyncio.gather(self._sorted(query, page.at, q.window, wanted), self.count(q, ()))
        fresh = PAGES.fresh(rows, page)
        shown, more = fresh[:limit], len(fresh) > limit
        lines = self._lines(shown)
        for n, row in enumerate(shown[:NEIGHBOURED] if context else ()):
            lines[n] = replace(lines[n], context=await self._around(row, context))
        answer = self._answered(tuple(lines), within(query, q.window.start, q.window.end), q, counted.total)
        told = self._next(shown, page) if more else None
        return replace(answer, complete=not more, cursor=told)

    async def _sorted(self, query: str, since: str, window: Window, limit: int) -> list[Row]:
        said = f"{within(query, since, window.end)} | sort by (_time) limit {limit}"
        rows = [row async for row in self._api.query(said, window.start, window.end)]
        return sorted(rows, key=lambda row: _key(row["_time"]))

    def _page(self, q: LogQuery, cursor: str | None) -> Page[str]:
        return Page(moment(q.window.start)) if cursor is None else PAGES.opened(cursor, _stamp, self.name)

    def _next(self, shown: list[Row], page: Page[str]) -> str:
        """Raises SourceError where a page can't get past one moment."""
        after = PAGES.after(shown, page)
        if len(after.given) > SAME:
            raise SourceError(
                self.name, f"more than {SAME:,} lines share the time {after.at}: narrow the query", "bad_query"
            )
        return after.cursor

    async def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]:
        """As the server gives them: in one answer, in no order."""
        query = within(self._fields.query(q.services, q.levels, q.text, q.near), q.window.start, q.window.end)
        held: list[Row] = []
        async with aclosing(self._api.query(query, q.window.start, q.window.end)) as rows:
            async for row in rows:
                held.append(row)
                if len(held) >= BATCH:
                    yield tuple(self._lines(held))
                    held = []
        if held:
            yield tuple(self._lines(held))

    async def _around(self, row: Row, n: int) -> tuple[str, ...]:
        """The lines of its stream before and after it."""
        at, stream = row["_time"], row.get("_stream") or "{}"
        day = timedelta(days=1)
        moment_ = datetime.fromisoformat(at[:19] + "+00:00")
        start, end = moment_ - day, moment_ + day
        before = f"{stream} _time:[{moment(start)}, {at}) | sort by (_time desc) limit {n}"
        after = f"{stream} _time:({at}, {moment(end)}) | sort by (_time) limit {n}"
        earlier, later = [[r async for r in self._api.query(said, start, end)] for said in (before, after)]
        found = sorted([*earlier, *later], key=lambda r: _key(r["_time"]))
        return tuple(r.get("_msg", "") for r in found)

    def _lines(self, rows: list[Row]) -> list[LogLine]:
        texts = remote.Texts([row.get("_msg", "") for row in rows])
        return [self._line(row, *texts.read(row.get("_msg", ""))) for row in rows]

    def _line(self, row: Row, message: str, inside: Level) -> LogLine:
        keys = self._ours(row)
        level = remote.level_of(keys["level"])
        at = datetime.fromtimestamp(_key(row["_time"]) // 1000 / 1e6, UTC)
        fields = {k: v for k, v in row.items() if k not in _OWN}
        return LogLine(
            at,
            keys["service"],
            inside if level == "unknown" else level,
            message,
            row.get("_stream", ""),
            fields,
        )

    # ── templates ─────────────────────────────────────────────────────────────────────────────

    async def patterns(self, q: LogQuery, baseline: Window | None, limit: int = 20) -> Answered[tuple[Pattern, ...]]:
        """Mined from the lines; where they are too many, the server's own (`collapse_nums`) stand beside them."""
        mine, gaps = remote.Mine(), list[str]()
        counted = (await self.count(q, ())).total or 0
        read = await mine.take(self.batches(q), baseline=False)
        if read < counted:
            gaps.append(f"templates come from {read:,} of {counted:,} lines")
        if baseline is not None and await mine.take(self.batches(remote.of(q, baseline)), True) >= remote.MINED:
            gaps.append(f"of the time before, {remote.MINED:,} lines were compared")
        rows = mine.patterns(baseline is not None)
        query = within(self._fields.query(q.services, q.levels, q.text, q.near), q.window.start, q.window.end)
        if read < counted:
            rows += await self._own(query, q, limit)
        answer = self._answered(tuple(rows[:limit]), query, q, len(rows), tuple(gaps))
        return replace(answer, complete=not gaps and len(rows) <= limit)

    async def _own(self, query: str, q: LogQuery, limit: int) -> list[Pattern]:
        service, level = map(_named, (self._fields.service, self._fields.level))
        said = f"{query} | collapse_nums | top {limit} by (_msg, {service}, {level})"
        found = []
        async for row in self._api.query(said, q.window.start, q.window.end):
            template, keys = row.get("_msg", "").replace("<N>", "<*>"), self._ours(row)
            found.append(
                Pattern(
                    template,
                    keys["service"],
                    remote.level_of(keys["level"]),
                    int(row["hits"]),
                    None,
                    None,
                    None,
                    template,
                )
            )
        return found

    def _answered(
        self, rows: tuple[T, ...], query: str, q: LogQuery, total: int | None, gaps: tuple[str, ...] = ()
    ) -> Answered[tuple[T, ...]]:
        link = filled(self._link, query, q.window)
        return Answered(rows, query, q.window, Scope(services=q.services), link, total, gaps=gaps)


def _named(field: str) -> str:
    return name(field)


def _key(stamp: str) -> int:
    """Nanoseconds since 1970 of `2026-11-29T14:03:48.977123456Z`."""
    whole, _, fraction = stamp.rstrip("Z").partition(".")
    seconds = int(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0")[:9])


def _stamp(said: object) -> str:
    """Raises ValueError where it is no moment and nothing else: it goes into a query."""
    if not _STAMP.fullmatch(str(said)):
        raise ValueError(said)
    return str(said)
