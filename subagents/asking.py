"""What all domains' tools do alike: ask every source of a kind, merge, name the one that failed; window and scope.

Doesn't know what is asked. One failed source among several is a gap; when all fail the tool fails, naming them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

from orchestrator.consult import narrowed
from orchestrator.contracts import Figure, Json, ToolResult, Window
from orchestrator.ports import Context
from subagents.compared import COMPARED, beside
from subagents.sources import Answered, Coverage, Source, SourceError

T = TypeVar("T")
S = TypeVar("S", bound=Source)

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
PART, LITTLE = 0.05, timedelta(minutes=10)  # of a window; what is missing of it and less isn't worth a word
HELD = 0.5  # so much of the time before must be held for a comparison with it


@dataclass(frozen=True, slots=True)
class Merged(Generic[T]):
    """The rows of all sources that answered, with their provenance side by side."""

    rows: tuple[T, ...] = ()
    source: str = ""
    query: str = ""
    total: int | None = None
    complete: bool = True
    approx: bool = False
    gaps: tuple[str, ...] = ()
    link: str = ""

    def result(
        self, text: str, window: Window, data: Json, figures: Sequence[Figure] = (), shown: int = 0, total: int = 0
    ) -> ToolResult:
        """A tool's result with this provenance; `total` 0 means that nothing was found."""
        return ToolResult(
            "ok" if total else "no_data", text, data, tuple(figures), self.source, self.query, window, self.link,
            min(shown, total), total, self.complete, self.gaps,
        )  # fmt: skip

    def beside(self, other: Merged[object]) -> Merged[T]:
        """The same rows, with another question's provenance added."""
        query = "; ".join(dict.fromkeys(q for q in (self.query, other.query) if q))
        gaps = tuple(dict.fromkeys((*self.gaps, *other.gaps)))
        return replace(self, query=query, gaps=gaps, complete=self.complete and other.complete)


async def ask_all(
    sources: Sequence[S], kind: str, call: Callable[[S], Awaitable[Answered[tuple[T, ...]]]]
) -> Merged[T]:
    """Raises SourceError when every one of them failed; none configured is a gap."""
    if not sources:
        return Merged(gaps=(f"no source of {kind} is configured, so nothing was searched",))
    results = await asyncio.gather(*(_try(call, s) for s in sources))
    good = [(s, r) for s, r in zip(sources, results, strict=True) if isinstance(r, Answered)]
    bad = [r for r in results if isinstance(r, SourceError)]
    if not good:
        raise bad[0] if len(bad) == 1 else SourceError(kind, "; ".join(map(str, bad)), bad[0].kind)
    totals = [r.total for _, r in good]
    said = [r.query if len(good) == 1 else f"{s.name}: {r.query}" for s, r in good]
    return Merged(
        rows=tuple(row for _, r in good for row in r.rows),
        source=", ".join(s.name for s, _ in good),
        query="; ".join(said),
        total=None if None in totals else sum(t for t in totals if t is not None),
        complete=not bad and all(r.complete for _, r in good),
        approx=any(r.approx for _, r in good),
        gaps=tuple(
            dict.fromkeys([g for _, r in good for g in r.gaps] + [f"not reached: {str(e).rstrip('.')}" for e in bad])
        ),
        link=next((r.link for _, r in good if r.link), ""),
    )


async def _try(
    call: Callable[[S], Awaitable[Answered[tuple[T, ...]]]], source: S
) -> Answered[tuple[T, ...]] | SourceError:
    try:
        return await call(source)
    except SourceError as e:
        return e


async def covered(sources: Sequence[Source]) -> Coverage:
    """What the sources can speak of together; those that can't say are left out."""
    found = [c for c in await asyncio.gather(*map(_covers, sources)) if c is not None]
    return Coverage(
        min((c.since for c in found if c.since), default=None),
        max((c.until for c in found if c.until), default=None),
        next((c.zone for c in found if c.zone), "UTC"),
        tuple(dict.fromkeys(s for c in found for s in c.services)),
        sparse=bool(found) and all(c.sparse for c in found),
    )


async def _covers(source: Source) -> Coverage | None:
    try:
        return await source.coverage()
    except SourceError:
        return None


# ── window and scope ──────────────────────────────────────────────────────────────────────────


def window_of(ctx: Context, said: str) -> Window:
    """The run's window or the part of it that a model named, or what the question compares it with; where the run has
    none, the last 24 hours. Raises ValueError where nothing is compared."""
    if said == COMPARED:
        if other := beside(ctx):
            return other
        raise ValueError("The question compares with no other time; leave the window empty or give a narrower one.")
    return narrowed(ctx, said) or Window(ctx.now - DAY, ctx.now, ctx.question.zone, why="no time was said: last 24 h")


def services_of(ctx: Context, services: Sequence[str]) -> tuple[str, ...]:
    """The services that were named, or else those the question is about; () = all."""
    return tuple(services) or ctx.scope.services


def before(window: Window, least: timedelta = HOUR, most: timedelta = DAY) -> timedelta:
    """How long a stretch before the window shows the usual level."""
    return min(max(window.end - window.start, least), most)


def widened(window: Window, back: timedelta, on: timedelta = timedelta()) -> Window:
    return replace(window, start=window.start - back, end=window.end + on)


def around(window: Window, now: datetime, back: timedelta, on: timedelta) -> Window:
    """Widened on both sides, but not into what lies in the future of the question."""
    wide = widened(window, back, on)
    return replace(wide, end=max(window.end, min(wide.end, now)))


def usual(window: Window, cover: Coverage) -> Window | None:
    """The stretch before a window that shows the usual level; None where the data doesn't hold most of it: a few
    minutes before are no level that a day can be set against."""
    back = before(window)
    stretch = replace(window, start=window.start - back, end=window.start)
    held = within(stretch, cover)
    return stretch if held.end - held.start >= HELD * back else None


def unheld(window: Window, cover: Coverage, kind: str) -> list[str]:
    """As gaps, in the window's zone: the parts of a window, if they are large ones, that the data doesn't hold."""
    least, held, zone = max(PART * (window.end - window.start), LITTLE), within(window, cover), ZoneInfo(window.zone)
    if cover.sparse or held.end <= held.start or held.start >= window.end:
        return []
    said = [("before", held.start)] if held.start - window.start >= least else []
    said += [("after", held.end)] if window.end - held.end >= least else []
    return [f"the {kind} hold nothing {side} {at.astimezone(zone):%Y-%m-%d %H:%M}" for side, at in said]


def within(window: Window, cover: Coverage) -> Window:
    """The part of a window that the data can speak of; all of it where that isn't known."""
    start = max(window.start, cover.since or window.start)
    end = min(window.end, cover.until + timedelta(seconds=1) if cover.until else window.end)
    return replace(window, start=start, end=max(start, end))


def other_reading(at: datetime, window: Window, zone: str) -> bool:
    """`at` lies far from the window's start, but reads like it on the clock the data was written in."""
    near = HOUR
    if abs(at - window.start) <= near:
        return False
    mine = window.start.astimezone(ZoneInfo(window.zone)).replace(tzinfo=None)
    return abs(at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) - mine) <= near
