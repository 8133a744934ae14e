"""Nezha's Train Ticket faults: each incident's minutes of logs and traces beside a minute without a fault.

The data set is IntelligentDDS/Nezha (MIT). Each case becomes a folder of copies that the program reads as any other.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from orchestrator.contracts import Scope, Window
from subagents.cause.analyse import analyse, since
from subagents.cause.model import Analysis
from subagents.folder.folder import open_folder
from subagents.topology import Topology


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    fault: str
    service: str
    at: datetime
    files: tuple[Path, ...]


def cases(root: Path, fault: str, kind: str) -> Iterator[Case]:
    """Those of a fault ("cpu_contention", "exception", "return") that have files of a kind ("logs", "traces")."""
    calm = {"logs": "08_50_log.csv.gz", "traces": "08_50_trace.csv.gz"}[kind]
    for item in json.loads((root / "truth.json").read_text(encoding="utf-8")):
        if item["fault"] == fault and item[kind]:
            day = root / Path(item[kind][0]).parts[0]
            files = (day / "faultfree" / calm, *(root / name for name in item[kind]))
            at = datetime.fromisoformat(item["inject_time_utc"].replace("Z", "+00:00"))
            yield Case(item["id"], fault, item["service"], at, files)


async def analysed(root: Path, case: Case, metrics: bool = False) -> Analysis:
    """`metrics`: with the whole day's of all pods beside, as `hermes-ops analyze --since` is asked."""
    rows = csv.DictReader((root / "graph.csv").read_text(encoding="utf-8").splitlines())
    graph = Topology((r["caller"], r["callee"]) for r in rows)
    with TemporaryDirectory() as made:
        for n, file in enumerate(case.files):
            copyfile(file, Path(made) / f"{n}_{file.name}")
        day = root / case.files[-1].relative_to(root).parts[0]
        for file in sorted((day / "metric").glob("*")) if metrics else ():
            copyfile(file, Path(made) / file.name)
        folder = open_folder(Path(made))
        try:
            cover = folder.coverage()
            assert cover.since is not None
            assert cover.until is not None
            if metrics:
                return await since(folder.sources(), Window(case.at, cover.until), Scope(), graph)
            window = Window(cover.since, cover.until)
            return await analyse(folder.sources(), window, Scope(), None, graph, case.at)
        finally:
            folder.close()
