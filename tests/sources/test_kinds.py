"""Kinds of logs that programs in the field write, one small sample each: time, level and message of every record
against what a person reads, and the same when something breaks in between.

`kinds.json` was written from the programs' documentation and habits, not from what this program says: each record is
[line, time, level, message, service, host]; null: not stated; service and host where they are.
"""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.sources.test_odd_files import read, wrong

KINDS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "kinds.json").read_text(encoding="utf-8"))
NAMES = [kind["name"] for kind in KINDS]
BREAKS = {
    "zeros": b"\x00" * 5_000,
    "noise": bytes(n for n in random.Random(8).sample(range(14, 128), 60) if n != 27),
    "another encoding": b"caf\xe9 \xff\xfe",
}


def near(kind: dict[str, Any]) -> float | None:
    return datetime.fromisoformat(kind["near"]).timestamp() if kind["near"] else None


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_a_person_reads_the_same(tmp_path: Path, kind: dict[str, Any]) -> None:
    path = tmp_path / "0"
    path.write_bytes("\n".join(kind["lines"]).encode(kind["coding"]))
    row, found = read(path, near(kind))
    assert [f.line for f in found] == [said[0] for said in kind["records"]], row["why"]
    for record, said in zip(found, kind["records"], strict=True):
        assert not wrong(record, said[:4]), said
        fields = record.rec.fields or {}
        assert [record.rec.service, fields.get("host")][: len(said) - 4] == said[4:]
    assert row["undated"] == sum(1 for said in kind["records"] if said[1] is None)


@pytest.mark.parametrize("broken", BREAKS)
def test_nothing_else_is_lost_when_something_breaks(tmp_path: Path, broken: str) -> None:
    """A line of something else before the last record of each kind, and the file without its last line's end."""
    lost = []
    for kind in KINDS:
        lines = [line.encode(kind["coding"]) for line in kind["lines"]]
        place = kind["records"][-1][0] - 1
        if len(kind["records"]) < 2 or kind["coding"] != "utf-8" or lines[0][:1] in (b"[", b"{") or place < 2:
            continue
        path = tmp_path / kind["name"]
        path.write_bytes(b"\n".join([*lines[:place], BREAKS[broken], *lines[place:]]).rstrip(b"\n"))
        row, found = read(path, near(kind))
        if len(found) != len(kind["records"]):
            lost.append((kind["name"], len(found), row["why"]))
    assert not lost
