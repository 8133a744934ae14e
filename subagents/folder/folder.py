"""One exported directory, recognised once, behind the five protocols of `subagents.sources`.

Answers come from what stands in the files; their names play no part (only where a log's lines don't say whose they
are, and nothing else in the folder does, is a known service's name looked for in its file's name). Only this module
reads the clock, and only for a folder in which no date has a year.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.errors import ConfigError
from orchestrator.guard import AllowAll
from subagents.folder import files, gitrepo, owners, survey
from subagents.folder.alerts import FolderAlerts
from subagents.folder.changes import FolderChanges
from subagents.folder.index import Index
from subagents.folder.jobs import Job
from subagents.folder.logs import FolderLogs
from subagents.folder.material import LogFile, Material, MetricFile
from subagents.folder.metrics import FolderMetrics
from subagents.folder.records import Hints, Row
from subagents.folder.spans import FolderSpans
from subagents.folder.work import Pool
from subagents.sources import Coverage, Sources


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


def open_folder(path: Path, cache_dir: Path | None = None, mask: Callable[[str], str] | None = None) -> Folder:
    """Recognise every file below `path`. Blocks while it looks; large folders are read by worker processes.

    `cache_dir` keeps what was found out between runs, its texts through `mask`.
    Raises ConfigError where there is nothing to open.
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
    surveys = _surveyed(listed, pool, index, None)
    notes, surveys = _dated(surveys, pool, index)
    return _assembled(root, surveys, repositories, pool, index, notes)


Surveys = list[tuple[files.Found, Row]]


def _surveyed(listed: Sequence[files.Found], pool: Pool, index: Index, near: float | None) -> Surveys:
    known = [(file, index.get(file, ("survey", near))) for file in listed]
    missing = [file for file, row in known if row is None]
    jobs = [Job("survey", survey.weight(f), (f.path, f.packed, near)) for f in missing]
    fresh = dict(zip(missing, pool.now(jobs), strict=True))
    for file, row in fresh.items():
        index.put(file, ("survey", near), row)
    return [(file, fresh[file] if row is None else row) for file, row in known]


def _dated(surveys: Surveys, pool: Pool, index: Index) -> tuple[list[str], Surveys]:
    """Files whose dates have no year are read once more, with the end of the others as the time they lie before."""
    loose = [file for file, row in surveys if row["kind"] == "log" and not row["dated"]]
    if not loose:
        return [], surveys
    ends = [row["until"] for _, row in surveys if row["until"] is not None]
    near = max(ends) if ends else float(int(time.time()))
    again = dict(_surveyed(loose, pool, index, near))
    for row in again.values():
        row["near"] = near
    said = "the other files of the folder" if ends else "today, as no date in the folder has one"
    note = f"{len(loose)} file(s) have dates without a year; it was taken from {said}"
    if not any(row["dated"] for row in again.values()):
        note = f"{len(loose)} file(s) have no times that can be placed on a calendar"
    return [note], [(file, again.get(file, row)) for file, row in surveys]


def _assembled(
    root: Path, surveys: Surveys, repositories: list[Path], pool: Pool, index: Index, notes: list[str]
) -> Folder:
    surveys = sorted(surveys, key=_by_content)
    rows = [{**r, "file": _relative(f, root)} for f, row in surveys for r in row["rows"]]
    skipped = [{"path": _relative(f, root), "why": row["why"]} for f, row in surveys if not row["kind"]]
    skipped.sort(key=lambda s: s["path"])
    for repository in repositories:
        commits, why = gitrepo.commits(repository)
        rows += commits
        skipped += [{"path": str(repository.relative_to(root)), "why": why}] if why else []
    metrics = tuple(MetricFile(f, row) for f, row in surveys if row["kind"] in ("openmetrics", "csv"))
    known = owners.known_services(row for _, row in surveys)
    logs = tuple(
        LogFile(n, f, _relative(f, root), row, Hints(owner, row.get("near"), row["shape"]))
        for n, (f, row, owner) in enumerate(owners.of_logs(surveys, metrics, known, pool))
    )
    material = Material(root, tuple(rows), metrics, logs, known, (*notes, *_notes(surveys)), pool, index)
    sources = Sources(
        alerts=(FolderAlerts(material),),
        metrics=(FolderMetrics(material),),
        logs=(FolderLogs(material),),
        spans=(FolderSpans(material),),
        changes=(FolderChanges(material),),
        skipped=tuple(skipped),
    )
    return Folder(root, material, tuple(skipped), sources)


def _by_content(surveyed: tuple[files.Found, Row]) -> tuple[str, str, float, float, int]:
    """An order that doesn't depend on names, so that ties among records don't either."""
    file, row = surveyed
    return (row["kind"], row["name"], row["since"] or 0.0, row["until"] or 0.0, file.size)


def _relative(file: files.Found, root: Path) -> str:
    return str(Path(file.path).relative_to(root))


def _notes(surveys: Surveys) -> list[str]:
    notes = []
    zoneless = sum(1 for _, row in surveys if row["kind"] == "log" and not row["zoned"])
    if zoneless:
        notes.append(f"{zoneless} log file(s) write times without a zone; they were read as UTC")
    unknown = sum(row["unknown"] for _, row in surveys if row["kind"])
    if unknown:
        notes.append(f"{unknown} record(s) in recognised files were of no known kind and were left out")
    broken = [row["why"] for _, row in surveys if row["kind"] and row["why"]]
    if broken:
        notes.append(f"{len(broken)} file(s) could be read in part only ({broken[0]})")
    return notes
