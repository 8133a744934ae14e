"""The changes agent's tools: what was changed, the details of one change, and which may explain a symptom."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from orchestrator import when
from orchestrator.contracts import ToolResult, Window
from orchestrator.ports import Context
from orchestrator.tool import tool
from subagents.asking import Merged, ask_all, services_of, widened, window_of
from subagents.cause.analyse import analyse
from subagents.changes import shown
from subagents.changes.judged import judged, onset_of
from subagents.changes.ranking import MARGIN, Symptom, live, rank
from subagents.sources import Change, ChangeKind, ChangeQuery, ChangeSource, SourceError, Sources
from subagents.topology import Topology, declared, learnt

LOOK_BACK, DAY = 6.0, 24.0  # hours
JUDGED = timedelta(minutes=30)  # the analysis looks for trouble from so long before the onset on
AFTER = timedelta(hours=2)  # what followed may have taken the change back
FAR = timedelta(days=14)  # a change that is asked for by its id is looked for so far around the window
DIFF = 4_000  # characters
MOST = 1_000  # changes of one query; a source says when there are more
_CLOCK = re.compile(r"(?:(\d\d)-(\d\d) )?([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?\s?(UTC|[+-]\d\d:\d\d)?")


class ChangeTools:
    def __init__(self, sources: Sources, depends_on: Mapping[str, Sequence[str]]) -> None:
        self.sources, self.changes, self.spans = sources, sources.changes, sources.spans
        self.declared = declared(depends_on)

    async def _topology(self) -> Topology:
        return Topology(self.declared | await learnt(self.spans, None))

    async def _list(self, query: ChangeQuery) -> Merged[Change]:
        return await ask_all(self.changes, "changes", lambda s: s.list(query, MOST))

    @tool(permission="changes.read", timeout=30)
    async def list_changes(
        self,
        ctx: Context,
        services: tuple[str, ...] = (),
        kinds: tuple[ChangeKind, ...] = (),
        hours_before: float = LOOK_BACK,
        window: str = "",
    ) -> ToolResult:
        """Deploys, releases, flags, config, commits and tickets in the window and some hours before it; those of the
        services in question and of what they depend on first. For "what changed". Not to find a cause (suspects).

        Args:
            services: Empty: all, those in question first.
            kinds: Only these kinds.
            hours_before: How many hours before the window to include.
            window: A narrower one, e.g. 14:00-14:30.
        """
        asked, span = services_of(ctx, services), window_of(ctx, window)
        looked = widened(span, timedelta(hours=max(0.0, min(hours_before, 24 * 14))))
        found = await self._list(ChangeQuery(looked, services, kinds))
        topology = await self._topology()
        first = list(dict.fromkeys([*asked, *(d for s in asked for d in topology.downstream(s))]))
        return shown.changes(found, span, looked, first, asked)

    @tool(permission="changes.read", timeout=30)
    async def suspects(
        self, ctx: Context, onset: str, services: tuple[str, ...] = (), hours_before: float = DAY
    ) -> ToolResult:
        """Root-cause analysis: changes ranked by time, dependency and whether their content can bring the failures,
        with reasons for and against, beside operational causes (certificate, provider, traffic, node …); "no change
        explains this" is possible. For "why", once the onset is known. Not to list changes.

        Args:
            onset: When the trouble began: a time from the findings, ISO 8601 or 14:03.
            services: What fails, the likely origin first; empty: those in question.
            hours_before: How many hours before the onset to search, a day at least.
        """
        asked, span = services_of(ctx, services), window_of(ctx, "")
        began = moment(onset, span)
        back = timedelta(hours=max(DAY, min(hours_before, 24 * 14))) + JUDGED  # no less than the analysis looks at
        end = max(min(max(span.end, began + AFTER), ctx.now), began + MARGIN)
        looked = replace(span, start=began - back, end=end)
        found = await self._list(ChangeQuery(looked))
        topology = await self._topology()
        judging = replace(span, start=began - JUDGED, end=end)
        # of the asked services: among all that fail at the time there may be another incident
        meant = ctx.scope.environment or live(found.rows)
        scope = replace(ctx.scope, services=ctx.scope.services or asked, environment=meant)
        cause = await analyse(self.sources, judging, scope, None, topology, began)
        symptom = Symptom(onset_of(cause, began), asked, topology, meant)
        rows = judged(rank(found.rows, symptom), cause)
        return shown.ranked(found, rows, symptom, looked, cause)

    @tool(permission="changes.read", timeout=30)
    async def show_change(self, ctx: Context, id: str) -> ToolResult:
        """One change with message, files and diff. For a change that was already listed. Not to search.

        Args:
            id: Its id, its sha (7 characters or more) or its version, as listed.
        """
        span = window_of(ctx, "")
        looked = widened(span, FAR, FAR)
        found = await self._list(ChangeQuery(looked))
        matching = [c for c in found.rows if is_called(c, id)]
        if not matching:
            return found.result(f"no change {id!r} in {when.say(looked)}", looked, {"id": id})
        carriers = [c for c in matching if c.kind != "commit"]
        change = min(carriers or matching, key=lambda c: abs(c.at - span.start))
        commit = next((c for c in found.rows if c.kind == "commit" and shown.sha(change) == c.id), change)
        diff = await self._diff([change, commit])
        files = change.files or commit.files
        body = change.body or commit.body
        return shown.change(found, replace(change, files=files, body=body), diff, span)

    async def _diff(self, changes: Sequence[Change]) -> str:
        for change in changes:
            for source in self.changes if change.has_diff else ():
                if text := await _diff_of(source, change.id):
                    return text
        return ""


async def _diff_of(source: ChangeSource, id: str) -> str:
    """ "" from a source that doesn't have it; another may."""
    try:
        return (await source.diff(id, DIFF)).rows
    except SourceError:
        return ""


def is_called(c: Change, name: str) -> bool:
    wanted = name.strip().lower()
    shas = [s.lower() for s in (c.id, c.sha) if s]
    if wanted in (c.id.lower(), c.version.lower(), f"{c.service} {c.version}".lower()):
        return bool(wanted)
    return len(wanted) >= 7 and any(s.startswith(wanted) for s in shas)


def moment(said: str, span: Window) -> datetime:
    """An instant as a model writes it: ISO 8601, or a clock time as results print it, the next after the window's
    start. Raises ValueError that says which forms are read."""
    zone: tzinfo = ZoneInfo(span.zone)
    if found := _CLOCK.fullmatch(said.strip()):
        month, day, hour, minute, second, offset = found.groups()
        if offset:
            zone = datetime.fromisoformat(f"2000-01-01T00:00{offset.replace('UTC', '+00:00')}").tzinfo or zone
        start = span.start.astimezone(zone)
        at = start.replace(hour=int(hour), minute=int(minute), second=int(second or 0), microsecond=0)
        if month:
            return at.replace(month=int(month), day=int(day))
        return at if at >= start else at + timedelta(days=1)
    try:
        at = datetime.fromisoformat(said.strip())
    except ValueError:
        forms = "2026-11-29T14:03:00+00:00, or 14:03"
        raise ValueError(f"onset: {said!r} can't be read as a time; valid: {forms}") from None
    return at if at.tzinfo else at.replace(tzinfo=zone)
