"""One exported directory, recognised once, behind the five protocols of `subagents.sources`.

Answers come from what stands in the files; their names play no part (only where a log's lines don't say whose they
are, and nothing else in the folder does, is a service's name looked for in its file's and directories' names). Only
this module reads the clock, and only for a folder in which no date has a year.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.errors import ConfigError
from orchestrator.guard import AllowAll
from subagents.folder import files, gitrepo, owners, survey, times, zones
from subagents.folder.alerts import FolderAlerts
from subagents.folder.changes import FolderChanges
from subagents.folder.clocks import ahead
from subagents.folder.formats.sampled import SAMPLES
from subagents.folder.index import Index
from subagents.folder.jobs import Job
from subagents.folder.logs import FolderLogs
from subagents.folder.material import LogFile, Material, MetricFile
from subagents.folder.metrics import FolderMetrics
from subagents.folder.missed import Missed
from subagents.folder.records import Hints, Row
from subagents.folder.spans import FolderSpans
from subagents.folder.work import Pool
from subagents.sources import Coverage, Sources

_UNREAD = (  # as packing, files and unrolling say it
    "it can't be opened", "the archive breaks off", "it is zstd-compressed", "its JSON is broken", "only the first",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder. `skipped`: {path, why} of each file that nothing recognised; `close` ends worker processes."""

    path: Path
    material: Material
    skipped: tuple[Mapping[str, str], ...]
    _sources: Sources = field(repr=False)

    def sources(self) -> Sources:
        """One source of each kind, also where the folder holds nothing of it (it then answers that)."""
        return self._sources

    def coverage(self) -> Coverage:
        """From the first to the last record of any kind; "the last hour" of a folder ends at `until`."""
        return self.material.coverage()

    def close(self) -> None:
        self.material.pool.close()


def open_folder(
    path: Path, cache_dir: Path | None = None, mask: Callable[[str], str] | None = None, zone: str = "",
    asker: zones.Asker | None = None,
) -> Folder:  # fmt: skip
    """Recognise every file below `path`. Blocks while it looks; large folders are read by worker processes.

    `cache_dir` keeps what was found out between runs, its texts through `mask`; `zone`: of times that state no offset;
    "" lets the files and who asks tell (`zones`). Raises ConfigError where there is nothing to open.
    """
    root = path.expanduser()
    if not root.exists():
        raise ConfigError(f"The folder {path} doesn't exist: give the directory that holds the exported files.")
    if not root.is_dir():
        raise ConfigError(f"{path} is a file, not a directory: give the directory that holds the exported files.")
    try:
        listed, repositories = list(files.listing(root)), list(files.repositories(root))
    except OSError as e:
        raise ConfigError(f"The folder {path} can't be read ({e.strerror or e}): check its permissions.") from e
    if not listed and not repositories:
        raise ConfigError(f"The folder {path} is empty: put exported alerts, logs, metrics or changes into it.")
    pool, index = Pool(), Index(cache_dir, mask or AllowAll().mask)
    surveys = survey_all(listed, pool, index, zone)
    notes, surveys = dated(surveys, pool, index, zone)
    told: list[str] = []
    if not zone:
        zone, shown = zones.assumed([row for _, row in surveys], asker)
        surveys = _again(surveys, pool, index, zone) if zone else surveys
        if zone or (asker and not shown and ahead("", asker.zone, asker.now)):
            told = [note for note in said(surveys, zone) if "without a zone" in note]
    told += _ahead(surveys, asker)
    return _assembled(root, surveys, repositories, pool, index, notes, zone, told, _clock(surveys, zone, asker))


_TURN = 90 * 86_400.0  # seconds: lines are never that much out of order
Surveys = list[tuple[files.Found, Row]]


def survey_all(
    listed: Sequence[files.Found], pool: Pool, index: Index, zone: str, near: float | None = None,
    full: int = survey.FULL,
) -> Surveys:  # fmt: skip
    """The first look at each file, or what an earlier one found. Blocks."""
    known = [(file, index.get(file, ("survey", near, zone))) for file in listed]
    missing = [file for file, row in known if row is None]
    jobs = [Job("survey", survey.weight(f), (f.path, f.packed, near, zone, full)) for f in missing]
    fresh = dict(zip(missing, pool.now(jobs), strict=True))
    for file, row in fresh.items():
        index.put(file, ("survey", near, zone), row)
    return [(file, fresh[file] if row is None else row) for file, row in known]


def dated(surveys: Surveys, pool: Pool, index: Index, zone: str) -> tuple[list[str], Surveys]:
    """Files whose dates have no year are read once more, with the end of the others as the time they lie before; and
    again where that puts a file's last record months before its other ones: then the year changed in between."""
    loose = [file for file, row in surveys if row["kind"] == "log" and not row["dated"]]
    if not loose:
        return [], surveys
    ends = [row["until"] for _, row in surveys if row["until"] is not None]
    near = max(ends) if ends else float(int(time.time()))
    again = {file: {**row, "near": near} for file, row in survey_all(loose, pool, index, zone, near)}
    for file, row in again.items():
        if row["last"] is not None and row["until"] - row["last"] > _TURN:
            again[file] = {**survey_all([file], pool, index, zone, row["last"])[0][1], "near": row["last"]}
    said = "the other files of the folder" if ends else "today, as no date in the folder has one"
    note = f"{len(loose)} file(s) have dates without a year; it was taken from {said}"
    if not any(row["dated"] for row in again.values()):
        note = f"{len(loose)} file(s) have no times that can be placed on a calendar"
    return [note], [(file, again.get(file, row)) for file, row in surveys]


def _again(surveys: Surveys, pool: Pool, index: Index, zone: str) -> Surveys:
    """The files whose times state no offset, read by another clock than UTC."""
    local = [(file, row.get("near")) for file, row in surveys if row["kind"] and not row["zoned"]]
    nears = {near for _, near in local}
    read = {near: survey_all([f for f, n in local if n == near], pool, index, zone, near) for near in nears}
    again = {file: row if near is None else {**row, "near": near} for near, rows in read.items() for file, row in rows}
    return [(file, again.get(file, row)) for file, row in surveys]


def _ahead(surveys: Surveys, asker: zones.Asker | None) -> list[str]:
    """That records lie after the question's now: a clock is wrong, or was taken for another one."""
    last = max((row["until"] for _, row in surveys if row["until"] is not None and row["kind"]), default=0.0)
    if asker is None or last <= asker.now + 300:
        return []
    return [f"records lie after the question's time, up to {times.iso(last)}"]


def _assembled(
    root: Path, surveys: Surveys, repositories: list[Path], pool: Pool, index: Index, notes: list[str], zone: str,
    told: list[str], clock: str,
) -> Folder:  # fmt: skip
    surveys = sorted(surveys, key=_by_content)
    rows = [{**r, "file": _relative(f, root)} for f, row in surveys for r in row["rows"]]
    skipped = [{"path": _relative(f, root), "why": row["why"]} for f, row in surveys if not row["kind"]]
    skipped.sort(key=lambda s: s["path"])
    for repository in repositories:
        commits, why = gitrepo.commits(repository)
        rows += commits
        skipped += [{"path": str(repository.relative_to(root)), "why": why}] if why else []
    metrics = tuple(MetricFile(f, row, zone) for f, row in surveys if row["kind"] in (*SAMPLES, "csv"))
    known = owners.known_services(row for _, row in surveys)
    logs: list[LogFile] = []
    for f, row, owner in owners.of_logs(surveys, metrics, known, pool, root):
        hints, host = Hints(owner, row.get("near"), row["shape"], zone), owners.machine(f, row, known)
        logs.append(LogFile(len(logs), f, _relative(f, root), row, hints, host))
    unread = tuple(f"{s['path']}: {s['why']}" for s in skipped if s["why"].startswith(_UNREAD))
    material = Material(
        root, tuple(rows), metrics, tuple(logs), known, (*notes, *said(surveys, zone)), pool, index, unread,
        clock, _missed(surveys, root), tuple(told),
    )  # fmt: skip
    sources = Sources(
        alerts=(FolderAlerts(material),),
        metrics=(FolderMetrics(material),),
        logs=(FolderLogs(material),),
        spans=(FolderSpans(material),),
        changes=(FolderChanges(material),),
        skipped=tuple(skipped),
    )
    return Folder(root, material, tuple(skipped), sources)


def _missed(surveys: Surveys, root: Path) -> tuple[Missed, ...]:
    """By name. Empty files hold nothing that could be missed."""
    rows = ((_relative(f, root), row) for f, row in surveys if not row["kind"] and "about" in row)
    return tuple(sorted(Missed(name, tuple(row["about"]), row["structured"]) for name, row in rows))


def _clock(surveys: Surveys, zone: str, asker: zones.Asker | None) -> str:
    """The clock that the folder is written in, as far as it is one: also the asker's, where logs state its offset."""
    stated = {(offset, row["since"]) for _, row in surveys for offset in row.get("offsets", ()) if row["since"]}
    if asker and stated and all(ahead("", o, at) == ahead("", asker.zone, at) for o, at in stated):
        return asker.zone
    local = any(row["kind"] and not row["zoned"] for _, row in surveys)
    return zone if local and zone and zone[0] not in "+-" else "UTC"


def _by_content(surveyed: tuple[files.Found, Row]) -> tuple[str, str, float, float, int]:
    """An order that doesn't depend on names, so that ties among records don't either."""
    file, row = surveyed
    return (row["kind"], row["name"], row["since"] or 0.0, row["until"] or 0.0, file.size)


def _relative(file: files.Found, root: Path) -> str:
    return str(Path(file.path).relative_to(root))


def said(surveys: Surveys, zone: str) -> list[str]:
    """What a person must know about how the files were read."""
    notes = []
    zoneless = sum(1 for _, row in surveys if row["kind"] and not row["zoned"])
    if zoneless:
        notes.append(f"{zoneless} file(s) write times without a zone; they were read as {zone or 'UTC'}")
    undated = [row for _, row in surveys if row["kind"] == "log" and row["undated"]]
    if undated:
        n = sum(row["undated"] for row in undated)
        notes.append(f"{n:,} log record(s) in {len(undated)} file(s) have no time and are in no window")
    broken = [row for _, row in surveys if row["kind"] == "log" and row["broken"]]
    if broken:
        n = sum(row["broken"] for row in broken)
        notes.append(f"{n:,} character(s) in {len(broken)} log file(s) could not be decoded; they show as \ufffd")
    unknown = sum(row["unknown"] for _, row in surveys if row["kind"])
    if unknown:
        notes.append(f"{unknown} record(s) in recognised files were of no known kind and were left out")
    partly = [row["why"] for _, row in surveys if row["kind"] and row["why"]]
    if partly:
        notes.append(f"{len(partly)} file(s) could be read in part only ({partly[0]})")
    return notes
