"""RootCauseBench and NoiseBench: each case is a folder; what is right stands beside it in `truth/`.

The data sets are edgedelta/root-cause-bench and edgedelta/noise-bench (Apache-2.0).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from orchestrator.contracts import Window
from subagents.cause.analyse import analyse
from subagents.cause.model import Analysis
from subagents.folder.folder import open_folder
from subagents.topology import Topology, learnt


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    folder: Path
    truth: dict[str, Any]


def cases(root: Path) -> Iterator[Case]:
    for folder in sorted(p for p in (root / "cases").iterdir() if p.is_dir()):
        yield Case(
            folder.name, folder, json.loads((root / "truth" / f"{folder.name}.json").read_text(encoding="utf-8"))
        )


async def analysed(folder: Path) -> Analysis:
    """As `hermes-ops analyze --folder` does: the whole folder, no service named."""
    opened = open_folder(folder)
    try:
        cover, sources = opened.coverage(), opened.sources()
        assert cover.since is not None
        assert cover.until is not None
        window = Window(cover.since, cover.until + timedelta(seconds=1))
        return await analyse(sources, window, topology=Topology(await learnt(sources.spans, None)))
    finally:
        opened.close()


def jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0


def passed(found: Analysis, truth: dict[str, Any]) -> tuple[bool, list[str]]:
    """(F1 reached with no must-page missed, the labels that are wrong) of a NoiseBench case."""
    got = {t.id: t.decision for t in found.triage}
    wrong = [id for id, label in truth["labels"].items() if got.get(id) != label]
    pages = {id for id, label in truth["labels"].items() if label == "page"}
    said = {id for id in truth["labels"] if got.get(id) == "page"}
    f1 = 2 * len(pages & said) / max(1, len(pages) + len(said))
    return f1 >= truth["f1_threshold"] and set(truth["must_page"]) <= said, wrong
