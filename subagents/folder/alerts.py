"""Alerts of a folder as episodes: from Alertmanager lists, recorded webhooks, single records and ALERTS series.

The same alert told by several (or by many notifications) is one episode. Suppressed ones are kept and marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from subagents import paging
from subagents.folder import times
from subagents.folder.material import Material, covering, times_of
from subagents.folder.records import Row
from subagents.folder.survey import GAP
from subagents.folder.wording import query
from subagents.paging import Hold
from subagents.sources import AlertQuery, Answered, Coverage, Episode, Health

_SAME = timedelta(seconds=90)  # a series' first sample and a notification tell the same start this far apart
_NOT_IDENTITY = frozenset(("alertstate", "prometheus", "replica", "prometheus_replica", "monitor"))


class FolderAlerts:
    name = "folder alerts"

    def __init__(self, material: Material) -> None:
        rows = material.of("alert")
        until = material.coverage().until
        end = until.timestamp() if until else 0.0
        self._material = material
        told = any(row.get("holds") for row in rows)  # lists of the API tell it, bodies of web hooks and series don't
        self.caps = frozenset(("history", "current", *(["suppressed"] if told else [])))
        names = {row["id"]: row["name"] for row in rows if row.get("id")}
        holds = _Holds(names, {row["id"]: row for row in material.of("silence")})
        self._episodes = _merged(_episode(row, end, holds.said(row["by"])) for row in _latest(_lapsed(rows)))

    async def probe(self) -> Health:
        n = len(self._episodes)
        return Health(n > 0, f"{n} alert episode(s) in {self._material.root}" if n else self._material.none("alerts"))

    async def coverage(self) -> Coverage:
        """Alerts are known for the time that any record of the folder covers."""
        whole = self._material.coverage()
        own = covering(
            (at for row in self._material.of("alert") for at in times_of(row)),
            (e.service for e in self._episodes),
            whole.notes,
            whole.zone,
        )
        return replace(own, until=whole.until, sparse=True) if own.since else own

    async def episodes(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        rows = tuple(e for e in self._episodes if _fits(e, q))
        return self._answered(q, rows, "alerts")

    async def current(self, q: AlertQuery) -> Answered[tuple[Episode, ...]]:
        """Those that are open, or not known to be over, at the end of the window."""
        rows = tuple(e for e in self._episodes if _fits(e, q) and (e.end is None or e.end >= q.window.end))
        return self._answered(q, rows, "alerts open at the end of")

    def _answered(self, q: AlertQuery, rows: tuple[Episode, ...], kind: str) -> Answered[tuple[Episode, ...]]:
        said = query(kind, q.window, name=q.names, service=q.services, severity=q.severities)
        unsure = sum(1 for e in rows if not e.end_known)
        gaps = (f"the files don't say whether {unsure} of these alerts are over",) if unsure else ()
        return Answered(rows, said, q.window, total=len(rows), gaps=(*gaps, *self._material.gaps("alerts", len(rows))))


def _fits(e: Episode, q: AlertQuery) -> bool:
    if e.start >= q.window.end or (e.end is not None and e.end <= q.window.start and e.end != e.start):
        return False
    if e.end is not None and e.end == e.start and e.start < q.window.start:
        return False
    named = not q.names or e.name in q.names
    severe = not q.severities or e.severity in q.severities
    return named and severe and (not q.services or e.service in q.services)


class _Holds:
    """What holds alerts back, told by its id, in words: `names` of alerts by fingerprint, exported silences by id."""

    def __init__(self, names: Mapping[str, str], silences: Mapping[str, Row]) -> None:
        self._names, self._silences = names, silences

    def said(self, by: str) -> str:
        return paging.together(map(self._one, paging.holds(by)))

    def _one(self, hold: Hold) -> Hold:
        if hold.how == "inhibited":
            return replace(hold, who=self._names.get(hold.who, hold.who))
        if hold.how == "silenced" and (known := self._silences.get(hold.who)):
            until = None if known["until"] is None else times.aware(known["until"])
            return Hold(hold.how, known["who"], until, known["why"])
        return hold


def _lapsed(rows: Iterable[Row]) -> list[Row]:
    """Those of a list that nobody told of again before its newest word: they were over when their time ran out."""
    rows, newest = list(rows), dict[str, float]()
    for row in rows:
        newest[row["file"]] = max(newest.get(row["file"], 0.0), row.get("told") or 0.0)
    ends = [row["lapses"] if row["end"] is None and row.get("lapses") else None for row in rows]
    return [
        row if end is None or not row["start"] <= end <= newest[row["file"]] else {**row, "end": end}
        for row, end in zip(rows, ends, strict=True)
    ]


def _latest(rows: Iterable[Row]) -> list[Row]:
    """One row for each (labels, start): a later notification that says the end wins over earlier ones. Whom it went to
    comes from all of them."""
    kept: dict[object, Row] = {}
    for row in rows:
        key = (row["name"], row["service"], tuple(sorted(row["labels"].items())), row["start"])
        old = kept.get(key)
        routed = [*(old or {}).get("notified", ()), *row.get("notified", ())]
        if old is None or (old["end"] is None and row["end"] is not None):
            kept[key] = {**row, "suppressed": row["suppressed"] or bool(old and old["suppressed"]),
                         "by": row["by"] or (old or {}).get("by", "")}  # fmt: skip
        elif row["suppressed"] and not old["suppressed"]:
            kept[key] = {**old, "suppressed": True, "by": row["by"]}
        kept[key]["notified"] = routed
    return list(kept.values())


def _episode(row: Row, until: float, by: str) -> Episode:
    end = row["end"]
    if row.get("series") and end - row["step"] + GAP * row["step"] > until:
        end = None  # the last sample lies so near the end of the data that it may fire on
    return Episode(
        name=row["name"],
        service=row["service"],
        severity=row["severity"],
        start=times.aware(row["start"]),
        end=None if end is None else times.aware(end),
        suppressed=row["suppressed"],
        by=by,
        labels=row["labels"],
        annotations=row["annotations"],
        link=row["link"],
        end_known=row["end_known"],
        notified=paging.once(map(tuple, row.get("notified", ()))),
    )


def _merged(episodes: Iterable[Episode]) -> tuple[Episode, ...]:
    """By start; the same labels at nearly the same start are one, with what each of the tellers knows."""
    out: list[Episode] = []
    newest: dict[object, int] = {}
    for e in sorted(episodes, key=lambda e: (e.start, e.name, e.service)):
        key = (e.name, e.service, frozenset(i for i in e.labels.items() if i[0] not in _NOT_IDENTITY))
        at = newest.get(key)
        if at is not None and e.start - out[at].start <= _SAME:
            out[at] = _both(out[at], e)
            continue
        newest[key] = len(out)
        out.append(e)
    return tuple(out)


def _both(a: Episode, b: Episode) -> Episode:
    return replace(
        a,
        end=a.end if b.end is None else b.end if a.end is None else max(a.end, b.end),
        suppressed=a.suppressed or b.suppressed,
        by=a.by or b.by,
        annotations={**b.annotations, **a.annotations},
        link=a.link or b.link,
        end_known=a.end_known or b.end_known,
        notified=paging.once((*a.notified, *b.notified)),
    )
