"""The odd files of the data pack: time, level and message of every record against what a person reads in the file.

`odd/NAME.json` was written by reading the files, not by this program: [line, time, level, message] of each record; a
level of null is one that the file doesn't state (we may say unknown, or syslog's usual info), a time of null one that
nobody can tell. `near`: the day on which the file is read, where its dates have no year.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from subagents.folder import files, recognise, scan
from subagents.folder.folder import dated
from subagents.folder.index import Index
from subagents.folder.records import Hints, Row
from subagents.folder.survey import survey
from subagents.folder.work import Pool
from tests.shared import shared

TRUTH = Path(__file__).parent / "odd"
NAMES = sorted(path.name.removesuffix(".json") for path in TRUTH.glob("*.json"))
NOT_STATED = ("unknown", "info")


def read(path: Path, near: float | None) -> tuple[Row, list[scan.Found]]:
    """What the program finds in a file, read on a given day."""
    found = files.Found(str(path), path.stat().st_size, path.stat().st_mtime_ns, files.packing(path))
    row = survey(found.path, found.packed, None)
    beside = files.Found("beside", 0, 0, "")
    day = {"kind": "log", "dated": True, "until": near}
    surveys = [(found, row)] if near is None else [(found, row), (beside, day)]
    row = dated(surveys, Pool(), Index(None, str), "")[1][0][1]
    if row["kind"] != "log":
        return row, []
    hints = Hints("", row.get("near"), row["shape"])
    part = scan.Part(found.path, found.packed, 0, 0, None)
    ask = scan.Ask(None, None, (), (), ())
    return row, list(scan.records(part, recognise.log_format(row["name"]), hints, ask))


def flat(text: str) -> str:
    return " ".join(text.split())


def wrong(record: scan.Found, said: list[Any]) -> str:
    """How a record differs from what a person reads, "" where it doesn't."""
    _, at, level, message = said
    if (at is None) != (record.rec.at is None):
        return f"time {record.rec.at} for {at}"
    if at is not None and abs(datetime.fromisoformat(at).timestamp() - (record.rec.at or 0.0)) > 0.001:
        return f"time {record.rec.at} for {at}"
    if record.rec.level not in (NOT_STATED if level is None else (level,)):
        return f"level {record.rec.level} for {level}"
    text = flat("\n".join([record.message, *record.more]))
    return "" if flat(message) in text else f"message {text[:80]!r} for {message!r}"


@pytest.mark.parametrize("name", NAMES)
def test_every_record_as_a_person_reads_it(name: str) -> None:
    truth = json.loads((TRUTH / f"{name}.json").read_text(encoding="utf-8"))
    folder = "lnav-odd" if name.startswith("logfile_") else "journal-syslog"
    near = datetime.fromisoformat(truth["near"]).timestamp() if "near" in truth else None
    row, found = read(shared(f"data/logs/{folder}") / name, near)
    if "nothing" in truth:
        assert row["kind"] == ""
        assert truth["nothing"] in row["why"]
    assert [f.line for f in found] == [said[0] for said in truth["records"]]
    faults = [(said[0], w) for f, said in zip(found, truth["records"], strict=True) if (w := wrong(f, said))]
    assert not faults, faults[:5]
    assert row["undated"] == sum(1 for said in truth["records"] if said[1] is None)


def test_no_file_of_the_pack_is_left_out() -> None:
    folders = (shared("data/logs/lnav-odd"), shared("data/logs/journal-syslog"))
    assert {p.name for f in folders for p in f.iterdir()} - {"LICENSE"} == set(NAMES)
