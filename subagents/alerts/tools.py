"""The alerts agent's tools: alerts in time, their counts, what fires now, availability, and the metrics behind them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from orchestrator.contracts import ToolResult, Window
from orchestrator.ports import Context
from orchestrator.tool import tool
from subagents.alerts import gauges, measured, quantiles, routed, shown
from subagents.alerts.episodes import as_of, distinct, trouble
from subagents.asking import Merged, around, ask_all, before, covered, services_of, widened, window_of
from subagents.compared import aside
from subagents.gaps import unread
from subagents.sources import AlertQuery, AlertSource, Answered, Episode, MetricQuery, Ratio, Sources

NOW = timedelta(minutes=5)  # a window that ended no longer ago reaches to the present
LOOK = timedelta(hours=24)  # how far around the window an alert is looked for when nothing begins in it


class AlertTools:
    def __init__(self, sources: Sources) -> None:
        self.alerts, self.metrics = sources.alerts, sources.metrics

    async def _episodes(
        self, ctx: Context, span: Window, services: tuple[str, ...], grouped: bool = False
    ) -> Merged[Episode]:
        """What only knows the present adds to what keeps a history: that it keeps none is no gap then."""
        asked = AlertQuery(span, services, grouped=grouped)
        kept = any("history" in s.caps for s in self.alerts)

        async def ask(source: AlertSource) -> Answered[tuple[Episode, ...]]:
            if not kept or "history" in source.caps:
                return await source.episodes(asked)
            found = await source.current(asked)
            rows = tuple(e for e in found.rows if e.start < span.end)
            return replace(found, rows=rows, total=len(rows), complete=True, gaps=())

        found = await ask_all(self.alerts, "alerts", ask)
        return replace(found, rows=as_of(distinct(found.rows), ctx.now))

    async def _blind(self, ctx: Context, span: Window, found: Merged[Episode]) -> bool:
        """Whether no source can know what fired in a window: it keeps no history, or its data begin later; or nothing
        was found, and files that may hold alerts weren't read."""
        if not found.rows and unread(found.gaps):
            return True
        kept = await asyncio.gather(*(covered([s]) for s in self.alerts if "history" in s.caps))
        past = ctx.now - span.end > NOW
        begun = (c.since is not None and not c.sparse and span.end <= c.since for c in kept)
        return past and bool(self.alerts) and all(begun)

    @tool(permission="alerts.read", timeout=30)
    async def list_alerts(
        self, ctx: Context, services: tuple[str, ...] = (), window: str = "", grouped: bool = False
    ) -> ToolResult:
        """Alerts that fired in the window, with start and end, suppressed and flapping ones marked; which came first.
        Call this first. Not for numbers over many alerts (count_alerts) nor for now (firing_now).

        Args:
            services: Empty: all, those in question marked.
            window: A narrower one, e.g. 14:00-14:30.
            grouped: Tell the groups they are notified in, with their receivers: what goes together, to whom.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        found = await self._episodes(ctx, span, services, grouped)
        cover = await covered(self.alerts)
        wide: tuple[Episode, ...] = ()
        group = trouble(found.rows, asked, span)
        if not any(e.start in span for e in group):
            wide = (await self._episodes(ctx, around(span, ctx.now, LOOK, LOOK), services)).rows
        result = shown.alerts(found, wide, span, asked, cover, await self._blind(ctx, span, found))
        return routed.added(result, found.rows, asked) if grouped else result

    @tool(permission="alerts.read", timeout=30)
    async def count_alerts(
        self,
        ctx: Context,
        by: tuple[Literal["severity", "service", "name", "hour"], ...] = ("severity", "service", "hour"),
        services: tuple[str, ...] = (),
        window: str = "",
    ) -> ToolResult:
        """How many alerts began in the window, by severity, service, name or hour. For "how many", "which service has
        the most". Not for when a single one fired.

        Args:
            by: What to count by; each on its own.
            services: Empty: those in question.
            window: A narrower one, e.g. 14:00-14:30; "compared": the time that the question compares with.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        found = await self._episodes(ctx, span, asked)
        return aside(shown.counts(found, span, by, asked, await self._blind(ctx, span, found)), window)

    @tool(permission="alerts.read", timeout=30)
    async def firing_now(
        self, ctx: Context, services: tuple[str, ...] = (), suppressed_only: bool = False
    ) -> ToolResult:
        """Alerts that fire at this moment, suppressed ones marked, by whom and why. Only for "now"; not for the past.

        Args:
            services: Empty: those in question.
            suppressed_only: Only those that are silenced or inhibited.
        """
        asked = services_of(ctx, services)
        zone = ctx.window.zone if ctx.window else ctx.question.zone
        until = await self._until(ctx)
        now = Window(until - NOW, until, zone)
        found = await ask_all(self.alerts, "alerts", lambda s: s.current(AlertQuery(now, asked)))
        rows = tuple(e for e in as_of(distinct(found.rows), until) if e.suppressed or not suppressed_only)
        link = next((e.link for e in rows if e.link), found.link) if suppressed_only else found.link
        found = replace(found, rows=rows, link=link)
        untold = suppressed_only and not any("suppressed" in s.caps for s in self.alerts)
        return shown.firing(found, now, asked, suppressed_only, until < ctx.now, untold)

    async def _until(self, ctx: Context) -> datetime:
        """Up to when is known what fires: now, but the last record where all sources' data ended before."""
        ends = [c.until for c in await asyncio.gather(*(covered([s]) for s in self.alerts))]
        known = [end for end in ends if end is not None]
        last = max(known) if known and len(known) == len(ends) else ctx.now
        return last if ctx.now - last > NOW else ctx.now

    @tool(permission="metrics.read", timeout=30)
    async def availability(self, ctx: Context, services: tuple[str, ...] = (), window: str = "") -> ToolResult:
        """Requests, bad requests and availability in percent of each service over the window. Not for error messages.

        Args:
            services: Empty: all that have the metric.
            window: A narrower one, e.g. 14:00-14:30; "compared": the time that the question compares with.
        """
        span = window_of(ctx, window)
        found: Merged[Ratio] = await ask_all(self.metrics, "metrics", lambda s: s.ratio(services, span))
        return aside(shown.ratios(found, span, services_of(ctx, services)), window)

    @tool(permission="metrics.read", timeout=30)
    async def metric(
        self,
        ctx: Context,
        services: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        like: tuple[str, ...] = (),
        quantile: float = 0.0,
        window: str = "",
    ) -> ToolResult:
        """Metric series against their level before the window: which left it, when, from what to what; counters as
        rates. For "which metric moved", "since when", and percentiles (p99). Not for availability.

        Args:
            services: Empty: those in question.
            names: Only metrics of these names; empty: all, the most changed first.
            like: Only metrics whose names hold the words of one of these, e.g. "queue length"; with highest and lowest.
            quantile: 0.99 for p99, out of histograms.
            window: A narrower one, e.g. 14:00-14:30; "compared": the time that the question compares with.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        wide = widened(span, before(span, most=timedelta(hours=3)))
        query = MetricQuery(wide, asked, names)
        found = await ask_all(self.metrics, "metrics", lambda s: s.series(query))
        if quantile:
            buckets = tuple(f"{n.removesuffix(quantiles.SUFFIX)}{quantiles.SUFFIX}" for n in names)
            query = replace(query, names=buckets or quantiles.histograms(found.rows))
            found = await ask_all(self.metrics, "metrics", lambda s: s.series(query)) if query.names else found
            return quantiles.percentiles(found, min(quantile / 100 if quantile > 1 else quantile, 1.0), span, asked)
        if like:
            found = replace(found, rows=tuple(s for s in found.rows if gauges.holds(s.name, like)))
        result = measured.moved(found, span, asked, (*names, *like))
        if like and isinstance(result.data, dict):
            rows, figures = gauges.levels(found.rows, span)
            result = replace(result, data={**result.data, "levels": rows}, figures=(*result.figures, *figures))
        return aside(result, window)
