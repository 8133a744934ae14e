"""Loki behind the log protocol: counted there, read in pages, mined here.

- A series' point at t counts lines of (t - step, t]; asked with an offset of 1 ns it counts whole steps as everybody
  reads them. Where a server doesn't take that, a line stamped exactly on a minute counts in the one before: it is said.
- Loki gives at most 5,000 lines at once. Pages go on at the last line's nanosecond, since several may share it.
- It asks its ingesters for young lines only (`query_ingesters_within`, 3 h). Older ones that it hasn't flushed yet are
  in no answer, and Loki doesn't say so; we do. (Observed on 3.4.6: 330 of 874 errors until the flush.)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from orchestrator.contracts import Scope, Window
from subagents.logs import remote
from subagents.logs.paging import Page, Paging
from subagents.loki.api import LIMIT, Api, Entry
from subagents.loki.logql import Labels, quoted
from subagents.sources import Answered, Count, Coverage, Health, Level, LogLine, LogQuery, Pattern, SourceError
from subagents.web import Caller
from subagents.web.links import filled

T = TypeVar("T")
INGESTERS = timedelta(hours=3)
FLUSHED = timedelta(hours=2)  # max_chunk_age: when a chunk is in the store at the latest
RECENT = timedelta(days=7)
LONGEST = timedelta(days=7)  # of one query; max_query_length is 30 days
NEIGHBOURED = 10  # lines that get their neighbours
OFFSET = " offset 1ns"
EDGES = "a line stamped exactly on a minute, hour or day counts in the one before it"
LATE = "Loki leaves out lines of 3 to 5 h ago that it hasn't flushed yet, and doesn't say so; counts may still grow"


PAGES: Paging[Entry, int] = Paging(lambda e: e.ns, lambda e: repr(e.key()))


class Loki:
    caps = frozenset(("count", "search", "patterns", "context"))

    def __init__(
        self, name: str, caller: Caller, labels: Labels, zone: str = "UTC", link: str = "",
        exact: bool = True, now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:  # fmt: skip
        self.name, self._api, self._labels = name, Api(caller), labels
        self._zone, self._link, self._now, self._exact = zone, link, now, exact

    async def probe(self) -> Health:
        try:
            version, services = await asyncio.gather(self._api.ready(), self._services())
        except SourceError as e:
            return Health(False, str(e))
        if not services:
            asked = f"the label {self._labels.service}"
            return Health(False, f"Loki {version} answers, and has no values of {asked}: check this source's service.")
        return Health(True, f"Loki {version}, {len(services)} service(s) by {self._labels.service}")

    async def coverage(self) -> Coverage:
        """Loki can't say when its lines begin."""
        return Coverage(None, None, self._zone, await self._services(), (LATE,))

    async def _services(self) -> tuple[str, ...]:
        now = self._now()
        return await self._api.values(self._labels.service, now - RECENT, now)

    # ── counting ──────────────────────────────────────────────────────────────────────────────

    async def count(self, q: LogQuery, by: tuple[str, ...]) -> Answered[tuple[Count, ...]]:
        """Groups by service, level, code, and one of minute, hour, day. Raises SourceError (bad_query) for others."""
        remote.checked(self.name, by, self._labels.names())
        tally, query = remote.Tally(by), self._labels.query(q.services, q.levels, q.text, q.near)
        if remote.unit_of(by):
            said = await self._over_time(q.window, query, by, tally)
        else:
            said = await self._at_once(q.window.start, q.window.end, query, by, tally)
        unsure = remote.unit_of(by) and not self._exact
        return self._answered(tally.counts(), said, q, tally.total, (EDGES,) if unsure else ())

    async def _over_time(self, window: Window, query: str, by: tuple[str, ...], tally: remote.Tally) -> str:
        """Whole steps as a series, what is left at both ends by itself."""
        step = remote.STEPS[remote.unit_of(by)]
        said = self._counting(query, by, _length(step))
        inner = remote.whole(window, step)
        for start, end in remote.chunks(*inner, min(LONGEST, timedelta(seconds=step * 10_000))) if inner else ():
            await self._stepwise(said, start, end, step, tally)
        for start, end in remote.edges(window, step):
            await self._at_once(start, end, query, by, tally)
        return said

    async def _stepwise(self, query: str, start: datetime, end: datetime, step: int, tally: remote.Tally) -> None:
        if self._exact:
            try:
                await self._series(f"{query.removesuffix('))')}{OFFSET}))", start, end, step, tally)
                return
            except SourceError as e:  # a refusal comes before any point
                if e.kind != "bad_query" or "offset" not in str(e):
                    raise
                self._exact = False
        await self._series(query, start, end, step, tally)

    async def _series(self, query: str, start: datetime, end: datetime, step: int, tally: remote.Tally) -> None:
        async with aclosing(self._api.range(query, start, end, step)) as points:
            async for point in points:
                at = point.at - timedelta(seconds=step)
                if start <= at < end:  # the first point counts the step before the window
                    tally.add(self._named(point.labels), at, int(point.value))

    async def _at_once(
        self, start: datetime, end: datetime, query: str, by: tuple[str, ...], tally: remote.Tally
    ) -> str:
        said = self._counting(query, by, _length((end - start).total_seconds()))
        for begin, finish in remote.chunks(start, end, LONGEST):
            said = self._counting(query, by, _length((finish - begin).total_seconds()))
            for point in await self._api.instant(said, round(finish.timestamp() * 1e6) * 1000 - 1):
                tally.add(self._named(point.labels), begin, int(point.value))
        return said

    def _counting(self, query: str, by: tuple[str, ...], length: str) -> str:
        names = [self._labels.names()[d] for d in by if d not in remote.STEPS]
        grouped = f"sum by ({','.join(names)})" if names else "sum"
        return f"{grouped}(count_over_time({query}[{length}]))"

    def _named(self, labels: object) -> dict[str, str]:
        assert isinstance(labels, dict)
        return {ours: labels.get(theirs, "") for ours, theirs in self._labels.names().items()}

    # ── lines ─────────────────────────────────────────────────────────────────────────────────

    async def search(
        self, q: LogQuery, limit: int = 50, context: int = 0, cursor: str | None = None
    ) -> Answered[tuple[LogLine, ...]]:
        query, page = self._labels.query(q.services, q.levels, q.text, q.near), self._page(q, cursor)
        found, counted = await asyncio.gather(self._read(query, page, q.window, limit), self.count(q, ()))
        entries, after, gaps = found
        lines = self._lines(entries)
        for n, entry in enumerate(entries[:NEIGHBOURED] if context else ()):
            lines[n] = replace(lines[n], context=await self._around(entry, context))
        more = after is not None and len(entries) >= limit
        answer = self._answered(tuple(lines), query, q, counted.total, gaps)
        told = after.cursor if after and more else None
        return replace(answer, complete=answer.complete and not more, cursor=told)

    async def batches(self, q: LogQuery) -> AsyncIterator[tuple[LogLine, ...]]:
        query, page = self._labels.query(q.services, q.levels, q.text, q.near), self._page(q, None)
        while True:
            entries, after, _ = await self._read(query, page, q.window, LIMIT)
            if entries:
                yield tuple(self._lines(entries))
            if after is None:
                return
            page = after

    async def _read(
        self, query: str, page: Page[int], window: Window, limit: int
    ) -> tuple[list[Entry], Page[int] | None, tuple[str, ...]]:
        """(lines, the next page if there may be one, gaps)."""
        end = round(window.end.timestamp() * 1e6) * 1000
        wanted = min(LIMIT, limit + len(page.given))
        got = await self._api.lines(query, page.at, end, wanted, "forward")
        fresh = PAGES.fresh(got, page)
        last = got[-1].ns if got else page.at
        if len(got) < wanted:
            return fresh[:limit], (PAGES.after(fresh[:limit], page) if len(fresh) > limit else None), ()
        if fresh[:limit]:
            return fresh[:limit], PAGES.after(fresh[:limit], page), ()
        if wanted < LIMIT:
            return await self._read(query, page, window, LIMIT)
        # a full page of one nanosecond: what else it holds can't be asked for
        entries, after, gaps = await self._read(query, Page(last + 1), window, limit)
        return entries, after, (*gaps, f"more than {LIMIT:,} lines share one nanosecond; Loki gives no more of them")

    def _page(self, q: LogQuery, cursor: str | None) -> Page[int]:
        if cursor is None:
            return Page(round(q.window.start.timestamp() * 1e6) * 1000)
        return PAGES.opened(cursor, int, self.name)

    async def _around(self, entry: Entry, n: int) -> tuple[str, ...]:
        """The lines of its stream before and after it."""
        own = [(k, v) for k, v in entry.labels.items() if k in self._stream_labels(entry)]
        stream = "{" + ",".join(f"{k}={quoted(v)}" for k, v in own) + "}"
        day = 86_400 * 10**9
        before, after = await asyncio.gather(
            self._api.lines(stream, entry.ns - day, entry.ns, n),
            self._api.lines(stream, entry.ns + 1, entry.ns + day, n, "forward"),
        )
        return tuple(e.line for e in (*before[-n:], *after[:n]))

    def _stream_labels(self, entry: Entry) -> set[str]:
        made = {"detected_level", "__error__", "__error_details__"}
        return set(entry.labels) - made if not self._labels.pipeline else {self._labels.service} & set(entry.labels)

    def _lines(self, entries: list[Entry]) -> list[LogLine]:
        texts = remote.Texts([entry.line for entry in entries])
        return [self._line(entry, *texts.read(entry.line)) for entry in entries]

    def _line(self, entry: Entry, message: str, inside: Level) -> LogLine:
        keys = self._named(dict(entry.labels))
        level = remote.level_of(keys["level"] or entry.labels.get("detected_level", ""))
        origin = "{" + ", ".join(f"{k}={quoted(v)}" for k, v in sorted(entry.labels.items())) + "}"
        return LogLine(
            entry.at, keys["service"], inside if level == "unknown" else level, message, origin, dict(entry.labels)
        )

    # ── templates ─────────────────────────────────────────────────────────────────────────────

    async def patterns(self, q: LogQuery, baseline: Window | None, limit: int = 20) -> Answered[tuple[Pattern, ...]]:
        """Mined from the lines; where they are too many, from the first of them and from what Loki mined itself."""
        mine = remote.Mine()
        counted = (await self.count(q, ())).total or 0
        read = await mine.take(self.batches(q), baseline=False)
        gaps: tuple[str, ...] = ()
        if read < counted:
            gaps = (f"templates come from the first {read:,} of {counted:,} lines",)
        if baseline is not None:
            earlier = await mine.take(self.batches(remote.of(q, baseline)), baseline=True)
            if earlier >= remote.MINED:
                gaps = (*gaps, f"of the time before, the first {earlier:,} lines were compared")
        rows = mine.patterns(baseline is not None)
        if read < counted and not (q.text or q.near):
            rows += await self._own(q, {p.template for p in rows})
        answer = self._answered(
            tuple(rows[:limit]), self._labels.query(q.services, q.levels, q.text, q.near), q, len(rows), gaps
        )
        return replace(answer, complete=not gaps and len(rows) <= limit)

    async def _own(self, q: LogQuery, known: set[str]) -> list[Pattern]:
        """What Loki mined; it isn't there in every Loki."""
        try:
            found = await self._api.patterns(self._labels.stream(q.services, ()), q.window.start, q.window.end, 60)
        except SourceError:
            return []
        rows = [(template.replace("<_>", "<*>"), remote.level_of(level), n) for template, level, n in found]
        service = q.services[0] if len(q.services) == 1 else ""
        return [
            Pattern(template, service, level, n, None, None, None, template)
            for template, level, n in sorted(rows, key=lambda row: -row[2])
            if template not in known and (not q.levels or level in q.levels)
        ]

    def _answered(
        self, rows: tuple[T, ...], query: str, q: LogQuery, total: int | None, gaps: tuple[str, ...] = ()
    ) -> Answered[tuple[T, ...]]:
        now = self._now()
        if q.window.start < now - INGESTERS and q.window.end > now - INGESTERS - FLUSHED:
            gaps = (*gaps, LATE)
        scope = Scope(services=q.services)
        link = filled(self._link, query, q.window)
        return Answered(rows, query, q.window, scope, link, total, gaps=gaps)


def _length(seconds: float) -> str:
    whole = {86_400: "1d", 3600: "1h", 60: "1m"}.get(int(seconds), "") if seconds == int(seconds) else ""
    return whole or (f"{int(seconds)}s" if seconds == int(seconds) else f"{round(seconds * 1e6)}us")
