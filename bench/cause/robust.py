"""How far an answer depends on the form of what is known: each incident as it is, and altered in many ways.

`python -m bench.cause.robust ../shared/data/incidents/rootcausebench` prints a table, a row for each alteration of
`bench.cause.altered`. An answer may become "can't tell"; it may not become a wrong one. The exit code is 1 where a
wrong cause or a decoy is named, or a rate is below the last stored result (`robust.json`, which `--keep` writes anew).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.cause import edgedelta
from bench.cause.altered import ALTERATIONS, Alteration
from bench.cause.edgedelta import Case

LAST = Path(__file__).with_name("robust.json")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`named`: one cause was named; `right`: it was the right one, or rightly none; `blast`: Jaccard."""

    case: str
    named: bool
    right: bool
    decoy: bool
    first: bool
    blast: float
    said: str

    @property
    def wrong(self) -> bool:
        return self.named and not self.right


async def outcome(case: Case, altered: Alteration) -> Outcome:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "incident"
        shutil.copytree(case.folder, folder, copy_function=shutil.copyfile)
        for place in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
            place.chmod(0o755)
        truth = altered(folder, case.truth)
        cause = (await edgedelta.analysed(folder)).cause
    hidden = truth.get("hidden", False)  # then only "can't tell" is right
    right = cause.verdict == "unknown" if hidden else (cause.change or "none") == truth["root_cause_commit"]
    return Outcome(
        case.id,
        cause.verdict != "unknown",
        right,
        cause.change in truth["decoy_deploy_commits"],
        cause.first_failing == truth["first_failing_service"],
        edgedelta.jaccard(set(cause.blast_radius), set(truth["blast_radius"])),
        cause.change[:12] or cause.kind or cause.verdict,
    )


async def measured(root: Path, only: Iterable[str] = ALTERATIONS) -> dict[str, list[Outcome]]:
    cases = list(edgedelta.cases(root))
    return {name: [await outcome(case, ALTERATIONS[name]) for case in cases] for name in only}


def summed(found: list[Outcome]) -> dict[str, Any]:
    return {
        "of": len(found),
        "right": sum(o.right for o in found),
        "wrong": sum(o.wrong for o in found),
        "decoys": sum(o.decoy for o in found),
        "first": sum(o.first for o in found),
        "blast": round(sum(o.blast for o in found) / max(1, len(found)), 2),
    }


def faults(rows: dict[str, dict[str, Any]], last: dict[str, dict[str, Any]]) -> list[str]:
    """Wrong causes and decoys, and what is worse than in the last stored result over the same cases."""
    found = [f"{name}: {row['wrong']} wrong, {row['decoys']} decoys" for name, row in rows.items() if _harm(row)]
    for name, row in rows.items():
        before = last.get(name, {})
        if before.get("of") == row["of"]:
            keys = ("right", "first", "blast")
            found += [f"{name}: {k} {row[k]}, last {before[k]}" for k in keys if row[k] < before[k]]
    return found


def _harm(row: dict[str, Any]) -> bool:
    return bool(row["wrong"] or row["decoys"])


def table(rows: dict[str, dict[str, Any]]) -> str:
    keys = ("right", "wrong", "decoys", "first", "blast")
    lines = [f"{'':26}" + "".join(f"{k:>8}" for k in keys)]
    return "\n".join([*lines, *(f"{n:26}" + "".join(f"{row[k]:>8}" for k in keys) for n, row in rows.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--only", action="append", choices=list(ALTERATIONS))
    parser.add_argument("--keep", action="store_true", help="store the result, for others to be compared with")
    parser.add_argument("--rates", action="store_true", help="leave out which cases failed")
    given = parser.parse_args()
    found = asyncio.run(measured(given.root, given.only or ALTERATIONS))
    rows = {name: summed(outcomes) for name, outcomes in found.items()}
    print(table(rows), flush=True)
    if not given.rates:
        for name, outcomes in found.items():
            for o in outcomes:
                if not (o.right and o.first):
                    print(f"  {name}: {o.case}: {o.said}{'' if o.first else ', begins elsewhere'}")
    last = json.loads(LAST.read_text(encoding="utf-8")) if LAST.is_file() else {}
    worse = faults(rows, last)
    if given.keep:
        LAST.write_text(json.dumps({**last, **rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print("\n".join(worse), file=sys.stderr)
    sys.exit(bool(worse))


if __name__ == "__main__":
    main()
