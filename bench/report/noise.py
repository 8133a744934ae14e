"""NoiseBench through the report's alert section: which fired alerts deserved a person, beside three trivial scripts.

`python -m bench.report.noise DIR` prints a table; DIR is edgedelta/noise-bench (Apache-2.0): `cases/`, `truth/`.
A row of the report that deserves a person counts for all of its firings.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.cause.edgedelta import Case, cases
from hermes_ops.report.build import Known, Order, build
from hermes_ops.report.model import Report
from subagents.severity import severe
from orchestrator.contracts import Window
from subagents.cause.triage import alert_id, is_record
from subagents.folder.folder import open_folder
from subagents.sources import AlertQuery, Episode

SCRIPTS: dict[str, Callable[[Episode], bool]] = {
    "page everything": lambda e: True,
    "page what is critical": lambda e: severe(e.severity),
    "page what is still open": lambda e: e.end is None,
}


@dataclass(frozen=True, slots=True)
class Score:
    """Over all labels of all cases. `missed`: must-pages that were not paged."""

    name: str
    f1: float
    missed: int
    labels: int
    right: int


async def scores(root: Path) -> list[Score]:
    """The report's first, then the scripts'."""
    found = [await _said(case) for case in cases(root)]
    truths = [case.truth for case in cases(root)]
    names = ["the report", *SCRIPTS]
    return [_score(name, [said[name] for said in found], truths) for name in names]


async def _said(case: Case) -> dict[str, set[str]]:
    """Who pages which alert of a case."""
    opened = open_folder(case.folder)
    try:
        cover = opened.coverage()
        assert cover.since is not None
        assert cover.until is not None
        window = Window(cover.since, cover.until + timedelta(seconds=1))
        report = await build(Order("shift", window, "en"), opened.sources(), Known(), datetime.now(UTC))
        rows = (await opened.sources().alerts[0].episodes(AlertQuery(window))).rows
    finally:
        opened.close()
    fired = [e for e in rows if not is_record(e)]
    scripts = {name: {alert_id(e) for e in fired if pages(e)} for name, pages in SCRIPTS.items()}
    return {"the report": _paged(report, fired), **scripts}


def _paged(report: Report, fired: Iterable[Episode]) -> set[str]:
    rows = {(r.name, r.service, r.severity) for r in report.alerts.rows if r.page}
    return {alert_id(e) for e in fired if (e.name, e.service, e.severity) in rows}


def _score(name: str, said: list[set[str]], truths: list[dict[str, object]]) -> Score:
    hit = paged = wanted = missed = right = labels = 0
    for ids, truth in zip(said, truths, strict=True):
        known, must = truth["labels"], truth["must_page"]
        assert isinstance(known, dict)
        assert isinstance(must, list)
        pages = {id for id, label in known.items() if label == "page"}
        mine = ids & known.keys()
        hit, paged, wanted = hit + len(mine & pages), paged + len(mine), wanted + len(pages)
        missed += len(set(must) - mine)
        right, labels = right + sum((id in mine) == (id in pages) for id in known), labels + len(known)
    return Score(name, 2 * hit / max(1, paged + wanted), missed, labels, right)


def main() -> None:
    print(f"{'who':26} {'F1':>5} {'missed':>7} {'right':>9}")
    for s in asyncio.run(scores(Path(sys.argv[1]))):
        print(f"{s.name:26} {s.f1:5.2f} {s.missed:7} {s.right:5}/{s.labels}")


if __name__ == "__main__":
    main()
