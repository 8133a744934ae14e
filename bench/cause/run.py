"""The analysis measured on all sets, as JSON: `python -m bench.cause.run ../shared/data/incidents --seeds 200`."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.cause import edgedelta, nezha, petshop
from hermes_ops.demo.generate import generate
from hermes_ops.demo.variant import draw
from hermes_ops.evals.rates import Rate
from orchestrator.contracts import Scope, Window
from subagents.cause.analyse import analyse, judge
from subagents.cause.model import Analysis
from subagents.folder.folder import open_folder
from subagents.topology import Topology, learnt

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Tally:
    """Hits of tries by measure, and what failed."""

    def __init__(self) -> None:
        self.tries: Counter[str] = Counter()
        self.hits: Counter[str] = Counter()
        self.failed: list[str] = []

    def add(self, measure: str, hit: bool, failure: str = "") -> None:
        self.tries[measure] += 1
        self.hits[measure] += hit
        if failure and not hit:
            self.failed.append(f"{measure}: {failure}")

    def as_json(self) -> dict[str, Any]:
        return {"rates": [Rate(m, self.hits[m], n).as_json() for m, n in self.tries.items()], "failed": self.failed}


async def rootcausebench(root: Path) -> dict[str, Any]:
    tally, overlaps = Tally(), []
    for case in edgedelta.cases(root):
        c, truth = (await edgedelta.analysed(case.folder)).cause, case.truth
        said, want = c.change or "none", truth["root_cause_commit"]
        tally.add("top 1", said == want, f"{case.id} blames {said}")
        tally.add("no decoy", said not in truth["decoy_deploy_commits"], case.id)
        tally.add("first failing", c.first_failing == truth["first_failing_service"], f"{case.id}: {c.first_failing}")
        if c.verdict != "unknown":
            tally.add("precise", said == want, case.id)
        overlaps.append(edgedelta.jaccard(set(c.blast_radius), set(truth["blast_radius"])))
    return {**tally.as_json(), "blast radius": round(sum(overlaps) / len(overlaps), 3)}


async def noisebench(root: Path) -> dict[str, Any]:
    tally = Tally()
    for case in edgedelta.cases(root):
        good, wrong = edgedelta.passed(await edgedelta.analysed(case.folder), case.truth)
        tally.add("passed", good, f"{case.id}: {', '.join(wrong)}")
        tally.add("no must-page missed", not set(case.truth["must_page"]) & set(wrong), case.id)
    return tally.as_json()


async def petshops(root: Path) -> dict[str, Any]:
    tally = Tally()
    for case in petshop.cases(root):
        found = judge(case.facts, Scope(services=(case.target,)), case.at)
        _ranks(tally, found, case.root, case.id)
    return tally.as_json()


async def nezhas(root: Path) -> dict[str, Any]:
    tally = Tally()
    for fault, kind in (("cpu_contention", "traces"), ("exception", "logs"), ("return", "logs")):
        for case in nezha.cases(root, fault, kind):
            _ranks(tally, await nezha.analysed(root, case), case.service, case.id, f"{fault} ")
    return tally.as_json()


def _ranks(tally: Tally, found: Analysis, wanted: str, id: str, of: str = "") -> None:
    names = [p.service for p in found.services]
    for n in (1, 3, 5):
        tally.add(f"{of}top {n}", wanted in names[:n], f"{id}: {', '.join(names[:2])}")


async def generated(seeds: int, first: int) -> dict[str, Any]:
    tally = Tally()
    for seed in range(first, first + seeds):
        with tempfile.TemporaryDirectory() as home:
            truth = generate(Path(home), seed, NOW, draw(seed))
            folder = open_folder(Path(home))
            cover, sources = folder.coverage(), folder.sources()
            assert cover.since is not None
            assert cover.until is not None
            window = Window(cover.since, cover.until + timedelta(seconds=1))
            graph = Topology(await learnt(sources.spans, None))
            scope = Scope(services=(truth.trouble.service,))
            c = (await analyse(sources, window, scope, topology=graph)).cause
            folder.close()
        right = c.change in truth.trouble.cause.ids if truth.trouble.cause.verdict == "change" else not c.change
        tally.add("cause or none", right, f"seed {seed} ({truth.variant.cause}:{truth.variant.fault}): {c.verdict}")
        tally.add("no wrong change blamed", right or not c.change, f"seed {seed}")
        tally.add("first failing", c.first_failing == truth.trouble.first_failing, f"seed {seed}")
    return tally.as_json()


SETS: dict[str, Callable[[Path], Any]] = {
    "rootcausebench": rootcausebench,
    "noisebench": noisebench,
    "petshop": petshops,
    "nezha-train-ticket": nezhas,
}


async def measured(root: Path, seeds: int, first: int) -> dict[str, Any]:
    found = {name: await run(root / name) for name, run in SETS.items() if (root / name).exists()}
    return {**found, "generated": await generated(seeds, first)} if seeds else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found = asyncio.run(measured(given.root, given.seeds, given.first))
    print(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
