"""RootCauseBench as a suite of questions for the whole application, so that an answer's cause is measured as
`hermes-ops analyze`'s is.

    python -m bench.cause.suites ../shared/data/incidents/rootcausebench out/rootcausebench.jsonl
    hermes-ops eval out/rootcausebench.jsonl --offline
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.cause import edgedelta

QUESTIONS = ("What is the root cause of this incident?", "这次故障的根因是什么？")  # in turn
HEAD = {
    "name": "rootcausebench",
    "about": "Public incidents: the commit to blame or none, where it began, and no innocent commit blamed.",
    "thresholds": {"answered": 1.0, "cause": 0.75, "precise": 0.9, "no_decoy": 0.9, "first": 0.83},
    "defaults": {"verified": True, "status": ["ok", "partial"]},
}


def rows(root: Path) -> Iterator[dict[str, Any]]:
    yield HEAD
    for n, case in enumerate(edgedelta.cases(root)):
        commit, truth = case.truth["root_cause_commit"], case.truth
        ids = [commit] if commit != "none" else []
        cause = {"verdict": "change" if ids else "operational", "ids": ids, "decoys": truth["decoy_deploy_commits"]}
        cause |= {"first_failing": truth["first_failing_service"]}
        question = QUESTIONS[n % len(QUESTIONS)]
        yield {"id": case.id, "question": question, "folder": str(case.folder.resolve()), "cause": cause}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, out = map(Path, sys.argv[1:])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(root)), encoding="utf-8")


if __name__ == "__main__":
    main()
