"""The logs agent's tools: counts, patterns, lines, spans. All counting happens in the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from orchestrator.contracts import ToolResult, Window
from orchestrator.ports import Context
from orchestrator.tool import tool
from subagents.asking import Merged, around, ask_all, before, covered, services_of, unheld, usual, window_of, within
from subagents.compared import aside
from subagents.logs import fielded, forms, shown, silence, worded
from subagents.logs.counting import Errors, by_service, edge, hourly, measure, until
from subagents.logs.silence import Silence
from subagents.sources import Count, Coverage, Level, LogQuery, Sources

ERRORS: tuple[Level, ...] = ("fatal", "error")
TROUBLE: tuple[Level, ...] = ("fatal", "error", "warn", "unknown")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
FINE = timedelta(hours=72)  # longer stretches are counted by the hour
ROWS = 20
SORTED = 5_000  # lines that are sorted into kinds
Field = Literal[
    "pod", "instance", "host", "node", "broker", "region", "zone", "version", "tenant", "namespace", "cluster",
    "partition", "topic", "task", "path", "user",
]  # fmt: skip
NO_BASELINE = "the logs don't reach back over the baseline"


class LogTools:
    def __init__(self, sources: Sources) -> None:
        self.logs, self.spans = sources.logs, sources.spans

    @tool(permission="logs.read", timeout=60)
    async def count_errors(
        self,
        ctx: Context,
        services: tuple[str, ...] = (),
        by: tuple[Literal["level", "code"], ...] = (),
        window: str = "",
    ) -> ToolResult:
        """Error lines (error and fatal) by service and hour, against the time before, with begin and end of the rise.
        Call this first for "how many", "since when", "is it over". Not for the lines themselves.

        Args:
            services: Empty: those in question, then others that rose with them.
            by: Also by level (all levels) or by status code.
            window: A narrower one, e.g. 14:00-14:30; "compared": the time that the question compares with.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        cover = await covered(self.logs)
        counted, found, data = await self._errors(ctx, span, tuple(services), cover, before(span))
        if asked and not any(e.service in asked for e in found):  # a machine's lines count under their programs' names
            found = [*found, *(await self._errors(ctx, span, asked, cover, before(span)))[1]]
        mine = [e for e in found if e.service in asked] if asked else found
        if (
            any(e.rise and not e.rise.end for e in mine) and data.end >= span.end
        ):  # when did it end, if not in the window
            _, later, _ = await self._errors(ctx, span, tuple(services), cover, before(span), DAY)
            found = until(found, later)
            mine = [e for e in found if e.service in asked] if asked else found
        if not any(e.rise for e in mine):  # look further: the trouble may lie at another time
            _, wide, _ = await self._errors(ctx, span, asked, cover, DAY, DAY)
        else:
            wide = found
        more = await self._breakdowns(span, asked, by)
        lines = await self._lines(span, asked, cover) if not sum(e.n for e in mine) else None
        counted = replace(counted, gaps=tuple(dict.fromkeys((*counted.gaps, *unheld(span, cover, "logs")))))
        return aside(shown.Counted(span, data, cover, asked, found, wide, more, lines).result(counted), window)

    async def _errors(
        self,
        ctx: Context,
        span: Window,
        services: tuple[str, ...],
        cover: Coverage,
        back: timedelta,
        on: timedelta = timedelta(),
    ) -> tuple[Merged[Count], list[Errors], Window]:
        """Errors of each service in the window, counted together with the stretch around it."""
        wide = around(span, ctx.now, back, on)
        unit, width = ("minute", MINUTE) if wide.end - wide.start <= FINE else ("hour", HOUR)
        query = LogQuery(wide, services, ERRORS)
        counted = await ask_all(self.logs, "logs", lambda s: s.count(query, ("service", unit)))
        groups = by_service(counted.rows, unit)
        spoken = within(wide, cover)
        first = edge(span, width)
        cut = {name: bins[first.start] for name, bins in groups.items() if bins[first.start]}
        early: Counter[str] = Counter()
        if cut and spoken.start < span.start and first.start < first.end:  # some of the first bin may be too early
            part, early = await self._named(first, services, ERRORS)
            counted = counted.beside(part)  # type: ignore[arg-type]
        early &= Counter(cut)
        known = usual(span, cover) is not None
        found = [measure(name, bins, span, spoken, width, early[name], known) for name, bins in groups.items()]
        return counted, sorted(found, key=lambda e: (-e.n, e.service)), spoken

    async def _breakdowns(
        self, span: Window, asked: tuple[str, ...], by: Sequence[Literal["level", "code"]]
    ) -> dict[str, Merged[Count]]:
        found: dict[str, Merged[Count]] = {}
        for dimension in by:
            query = LogQuery(span, asked, () if dimension == "level" else ERRORS)
            keys = ("service", dimension, "hour") if hourly(span) else ("service", dimension)
            found[dimension] = await ask_all(self.logs, "logs", lambda s, q=query, k=keys: s.count(q, k))  # type: ignore[misc]
        return found

    async def _lines(self, span: Window, asked: tuple[str, ...], cover: Coverage) -> Silence:
        """How many lines of any level there are: tells "no errors" from "no logs"."""
        _, searched = await self._named(span, asked)
        return silence.of(asked, searched, span, cover)

    async def _named(
        self, span: Window, services: tuple[str, ...], levels: tuple[Level, ...] = ()
    ) -> tuple[Merged[Count], Counter[str]]:
        """Lines in the window, by service."""
        query, found = LogQuery(span, services, levels), Counter[str]()
        counted = await ask_all(self.logs, "logs", lambda s: s.count(query, ("service",)))
        for row in counted.rows:
            found[row.keys["service"]] += row.n
        return counted, found

    @tool(permission="logs.read", timeout=60)
    async def patterns(
        self, ctx: Context, services: tuple[str, ...] = (), levels: tuple[Level, ...] = TROUBLE, window: str = ""
    ) -> ToolResult:
        """Message templates with their count in the window and before it, first and last time; new ones are marked;
        also which other services the messages name. For "what kind of errors", "what is new". Not for totals.

        Args:
            services: Empty: those in question.
            levels: Only these levels.
            window: A narrower one, e.g. 14:00-14:30.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        query = LogQuery(span, asked, levels)
        cover = await covered(self.logs)
        baseline = usual(span, cover)
        mined = await ask_all(self.logs, "logs", lambda s: s.patterns(query, baseline, ROWS))
        if baseline is None:
            mined = replace(mined, gaps=tuple(dict.fromkeys((*mined.gaps, NO_BASELINE))))
        return shown.patterns(mined, span, cover.services, asked)

    @tool(permission="logs.read", timeout=60)
    async def search_logs(
        self,
        ctx: Context,
        text: tuple[str, ...] = (),
        words: tuple[str, ...] = (),
        services: tuple[str, ...] = (),
        levels: tuple[Level, ...] = (),
        context: int = 0,
        limit: int = 20,
        window: str = "",
    ) -> ToolResult:
        """The log lines themselves, oldest first: for an id, an exact message, or lines around an error. Not for
        counting: the total is exact, but count_errors is cheaper. With `words` also what kinds of lines, and whose.

        Args:
            text: Literal strings that must all occur; no patterns.
            words: Up to 3 stems that stand near each other, in any order, joined by space, _ or -; other ways of
                writing one after "|": ["login|sign in", "fail|denied"].
            services: Empty: those in question.
            levels: Empty: all.
            context: Neighbouring lines on each side, at most 10.
            limit: Lines to show, at most 50.
            window: A narrower one, e.g. 14:00-14:30.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        query = LogQuery(span, asked, levels, text, forms.near(words))
        most, around = max(1, min(limit, 50)), max(0, min(context, 10))
        found = await ask_all(self.logs, "logs", lambda s: s.search(query, SORTED if words else most, around))
        if not words:
            return shown.lines(found, span, most, asked, text)
        whole = found.total is None or found.total <= len(found.rows)
        counted = None if whole else await ask_all(self.logs, "logs", lambda s: s.count(query, ("service", "minute")))
        return worded.lines(found, counted, span, most, asked, (*text, *words))

    @tool(permission="logs.read", timeout=60)
    async def count_field(
        self, ctx: Context, field: Field, services: tuple[str, ...] = (), window: str = ""
    ) -> ToolResult:
        """Error lines by what one of their fields holds: which pod, host, region or version fails, and how many
        different users the failing lines name (these are only counted). Not for codes or levels (count_errors).

        Args:
            field: The kind of field, whatever the lines call it.
            services: Empty: those in question.
            window: A narrower one, e.g. 14:00-14:30.
        """
        query = LogQuery(window_of(ctx, window), services_of(ctx, services), ERRORS)
        found = await ask_all(self.logs, "logs", lambda s: s.search(query, SORTED))
        return fielded.values(found, query.window, field)

    @tool(permission="logs.read", timeout=60)
    async def count_requests(
        self, ctx: Context, path: str, services: tuple[str, ...] = (), window: str = ""
    ) -> ToolResult:
        """Requests to one path and how many of them failed (5xx), out of access logs: the error rate of a route. Not
        for a whole service (availability).

        Args:
            path: As requests name it, e.g. /api/v1/orders.
            services: Empty: those in question.
            window: A narrower one, e.g. 14:00-14:30.
        """
        query = LogQuery(window_of(ctx, window), services_of(ctx, services), (), (path,))
        found = await ask_all(self.logs, "logs", lambda s: s.search(query, SORTED))
        counted = await ask_all(self.logs, "logs", lambda s: s.count(query, ("code",)))
        return fielded.requests(found, counted, query.window, path)

    @tool(permission="traces.read", timeout=60)
    async def slow_spans(
        self, ctx: Context, services: tuple[str, ...] = (), limit: int = 10, window: str = ""
    ) -> ToolResult:
        """The slowest and the failed spans of traces, and who calls whom. For "where is the time lost", "which call
        fails". Not for error counts.

        Args:
            services: Empty: those in question.
            limit: Spans to show, at most 30.
            window: A narrower one, e.g. 14:00-14:30.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        found = await ask_all(self.spans, "spans", lambda s: s.spans(span, asked, 200))
        edges = await ask_all(self.spans, "spans", lambda s: s.edges(span))
        calls = [[e.caller, e.callee, e.calls] for e in edges.rows]
        return shown.spans(found, span, max(1, min(limit, 30)), calls, asked)
