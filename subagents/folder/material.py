"""What a folder was found to hold, as the five sources share it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from subagents.folder import missed, times
from subagents.folder.files import Found
from subagents.folder.index import Index
from subagents.folder.missed import Missed
from subagents.folder.records import Hints, Row
from subagents.folder.work import Pool
from subagents.sources import Coverage


@dataclass(frozen=True, slots=True)
class LogFile:
    number: int
    found: Found
    name: str  # relative to the folder
    survey: Row
    hints: Hints
    host: str = ""  # the machine that it is of, where that can be asked for

    @property
    def services(self) -> list[str]:
        """Those of its lines, and the machine it is of: what may be asked for."""
        own = [s or self.hints.service for s in self.survey["services"]]
        return [*own, self.host] if self.host else own

    def called(self, service: str, asked: Sequence[str]) -> str:
        """Whose a line is: its service's; the machine's, where that is asked for."""
        return self.host if self.host and self.host in asked else service


@dataclass(frozen=True, slots=True)
class MetricFile:
    found: Found
    survey: Row
    zone: str = ""

    @property
    def where(self) -> tuple[str, str, str, str]:
        return (self.found.path, self.found.packed, self.survey["kind"], self.zone)


@dataclass(frozen=True, slots=True)
class Material:
    """`rows`: every alert, change, span, pattern and point; logs and metrics are read where they lie. `unread`: files
    that couldn't be opened, with the reason; what they hold isn't known, so it may be logs; `missed`: files that no
    format knows; `told`: what else each answer's reader must know."""

    root: Path
    rows: tuple[Row, ...]
    metrics: tuple[MetricFile, ...]
    logs: tuple[LogFile, ...]
    services: tuple[str, ...]
    notes: tuple[str, ...]
    pool: Pool
    index: Index
    unread: tuple[str, ...] = ()
    zone: str = "UTC"  # of times that state no offset
    missed: tuple[Missed, ...] = ()
    told: tuple[str, ...] = ()

    def of(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row["kind"] == kind]

    def gaps(self, domain: str, found: int) -> tuple[str, ...]:
        """What an answer of a domain leaves open, whatever was asked. `found`: rows."""
        return (*missed.unsearched(self.missed, domain, not found), *self.told)

    def none(self, domain: str) -> str:
        """That it holds nothing of a domain, as far as it was read."""
        return "; ".join((f"no {domain} in this folder", *missed.unsearched(self.missed, domain, True)))

    def coverage(self) -> Coverage:
        """Of the whole folder."""
        spans = [times_of(row) for row in self.rows if row["kind"] != "change"]
        spans += [[row["at"]] for row in self.rows if row["kind"] == "change"]
        spans += [_ends(f.survey) for f in self.logs] + [_ends(f.survey) for f in self.metrics]
        services = {s for f in self.logs for s in f.services} | set(self.services)
        return covering((at for span in spans for at in span), services, self.notes, self.zone)


def times_of(row: Row) -> list[float]:
    """The times at which a row says that something was."""
    if row["kind"] in ("change", "point"):
        return [row["at"]]
    return [t for key in ("start", "end", "seen", "first", "last") if (t := row.get(key)) is not None]


def _ends(survey: Row) -> list[float]:
    return [t for t in (survey["since"], survey["until"]) if t is not None]


def of_files(
    found: Iterable[LogFile | MetricFile], services: Iterable[str], notes: tuple[str, ...], zone: str = "UTC"
) -> Coverage:
    """The coverage of log or metric files."""
    return covering((at for f in found for at in _ends(f.survey)), services, notes, zone)


def covering(at: Iterable[float], services: Iterable[str], notes: tuple[str, ...], zone: str = "UTC") -> Coverage:
    """A coverage from the first to the last of some times."""
    ordered = sorted(at)
    since, until = (times.aware(ordered[0]), times.aware(ordered[-1])) if ordered else (None, None)
    return Coverage(since, until, zone, tuple(sorted({s for s in services if s})), notes)
