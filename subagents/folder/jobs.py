"""What worker processes do: one table of jobs. It imports only what they need, so that they start in little time."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from subagents.folder import recognise, scan, scan_counts, scan_metrics, scan_patterns, scan_rows, survey
from subagents.folder.records import Hints, Row

_LOGS: dict[str, Callable[..., Row]] = {
    "count": scan_counts.count,
    "search": scan_rows.search,
    "batch": scan_rows.batch,
    "patterns": scan_patterns.patterns,
}


class Job(NamedTuple):
    """`name` of the job, what it weighs (bytes read line by line), its arguments: all picklable."""

    name: str
    weight: int
    args: tuple[Any, ...]


def run(job: Job) -> Row:
    """One job, here."""
    if job.name == "survey":
        return survey.survey(*job.args)
    if job.name in ("series", "ratio"):
        return scan_metrics.JOBS[job.name](*job.args)
    part, form, hints, ask, *rest = job.args
    return _LOGS[job.name](scan.Part(*part), recognise.log_format(form), Hints(*hints), scan.Ask(*ask), *rest)


def begin(parent: int) -> None:
    """In a new worker. A Ctrl-C on a terminal reaches the whole group: the parent decides what it means. A parent that
    was killed decides nothing any more, and its workers must not stay behind, holding its stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
