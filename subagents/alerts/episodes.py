"""Episodes made readable: duplicates dropped, repeated ones grouped, flapping marked, and the group that began the
trouble found. Pure; suppressed episodes count like all others, since the first signal is often the inhibited one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from orchestrator.contracts import Json, Window
from subagents.paging import once
from subagents.severity import CALM, MAJOR, rank
from subagents.sources import Episode

TOGETHER = timedelta(minutes=15)  # starts that follow each other so closely belong together
SAME = timedelta(seconds=90)  # a series' first sample and a notification tell the same start this far apart
FLAPS, QUIET = 3, timedelta(minutes=15)  # so many episodes with pauses no longer than that are one flapping alert


@dataclass(frozen=True, slots=True)
class Group:
    """All episodes of one alert of one service, by start."""

    name: str
    service: str
    severity: str
    episodes: tuple[Episode, ...]

    @property
    def start(self) -> datetime:
        return self.episodes[0].start

    @property
    def end(self) -> datetime | None:
        """The last end; None while one is open."""
        ends = [e.end for e in self.episodes]
        return None if None in ends else max(e for e in ends if e is not None)

    @property
    def end_known(self) -> bool:
        return all(e.end is not None or e.end_known for e in self.episodes)

    @property
    def suppressed(self) -> bool:
        return any(e.suppressed for e in self.episodes)

    @property
    def by(self) -> str:
        return next((e.by for e in self.episodes if e.by), "")

    @property
    def flapping(self) -> bool:
        pairs = zip(self.episodes, self.episodes[1:], strict=False)
        short = [b.start - a.end <= QUIET for a, b in pairs if a.end is not None]
        return len(self.episodes) >= FLAPS and len(short) >= FLAPS - 1 and all(short)


def distinct(rows: Iterable[Episode]) -> list[Episode]:
    """By start; the same firing told by several sources, or for several label sets of no interest, stands once."""
    kept: list[Episode] = []
    told: dict[tuple[str, ...], list[int]] = {}
    for e in sorted(rows, key=lambda e: (e.start, e.name, e.service)):
        where = e.labels.get("instance") or e.labels.get("pod") or ""
        near = told.setdefault((e.name, e.service, e.severity, where), [])
        near[:] = [i for i in near if e.start - kept[i].start <= SAME]
        same = next((i for i in near if _same(kept[i], e)), None)
        if same is None:
            near.append(len(kept))
            kept.append(e)
        else:
            kept[same] = _both(kept[same], e)
    return kept


def _same(a: Episode, b: Episode) -> bool:
    """One firing: it starts alike, or nearly so where two sources look at different moments (one label set holds the
    other, and it can't fire twice at once)."""
    if a.start == b.start:
        return True
    more, less = sorted((a.labels.items(), b.labels.items()), key=len, reverse=True)
    return less <= more and (a.end is None or b.start < a.end)


def as_of(rows: Iterable[Episode], now: datetime) -> tuple[Episode, ...]:
    """As they stood at a moment: nothing that began later, and what ends later is open still."""
    return tuple(replace(e, end=None) if e.end and e.end > now else e for e in rows if e.start <= now)


def _both(a: Episode, b: Episode) -> Episode:
    """One source knows the end, another who silenced it."""
    main, other = (b, a) if a.end is None and b.end is not None else (a, b)
    return replace(
        main,
        start=min(a.start, b.start),
        suppressed=a.suppressed or b.suppressed,
        by=main.by or other.by,
        annotations={**other.annotations, **main.annotations},
        link=main.link or other.link,
        runbook=main.runbook or other.runbook,
        notified=once((*a.notified, *b.notified)),
    )


def grouped(rows: Sequence[Episode]) -> list[Group]:
    """By first start."""
    found: dict[tuple[str, str, str], list[Episode]] = {}
    for e in rows:
        found.setdefault((e.name, e.service, e.severity), []).append(e)
    groups = [Group(*key, tuple(sorted(es, key=lambda e: e.start))) for key, es in found.items()]
    return sorted(groups, key=lambda g: (g.start, g.name, g.service))


def clusters(rows: Sequence[Episode]) -> list[list[Episode]]:
    """Episodes whose starts follow each other closely."""
    found: list[list[Episode]] = []
    for e in sorted((e for e in rows if rank(e.severity) < CALM), key=lambda e: e.start):
        if found and e.start - found[-1][-1].start <= TOGETHER:
            found[-1].append(e)
        else:
            found.append([e])
    return found


def trouble(rows: Sequence[Episode], asked: Sequence[str], window: Window) -> list[Episode]:
    """The cluster that a question is about: it touches the window and holds an asked service (any, where none was
    asked), begins inside the window if one does, and is the worst of those. Empty when there is none."""
    found = [
        c for c in clusters(rows)
        if any(e.start < window.end and (e.end is None or e.end > window.start) for e in c)
        and (not asked or any(e.service in asked for e in c))
    ]  # fmt: skip
    return min(found, key=lambda c: (not any(e.start in window for e in c), _worst(c), -len(c), c[0].start), default=[])


def incidents(rows: Sequence[Episode], asked: Sequence[str], window: Window) -> list[Json]:
    """The separate troubles that begin in the window: {onset, services}. A lone warning is none; with services asked,
    only those that touch one."""
    found = []
    for cluster in clusters([e for e in rows if e.start in window]):
        services = list(dict.fromkeys(e.service for e in cluster if e.service))
        heavy = _worst(cluster) <= MAJOR or len({e.name for e in cluster}) > 1
        if heavy and (not asked or any(s in asked for s in services)):
            found.append({"onset": cluster[0].start.isoformat(), "services": services})
    return found


def _worst(cluster: Sequence[Episode]) -> int:
    return min(rank(e.severity) for e in cluster)


def group_json(g: Group) -> Json:
    return {
        "name": g.name,
        "service": g.service,
        "severity": g.severity,
        "start": g.start.isoformat(),
        "end": g.end.isoformat() if g.end else None,
        "end_known": g.end_known,
        "n": len(g.episodes),
        "suppressed": g.suppressed,
        "by": g.by,
        "flapping": g.flapping,
        "runbook": next((e.runbook for e in g.episodes if e.runbook), ""),
    }
