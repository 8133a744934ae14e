"""What a file holds that nobody meant: it costs that record alone, and is told."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from subagents.folder import files, survey, unrolling
from subagents.folder.index import Index
from subagents.sources import LogQuery
from tests.subagents.folder.helpers import ALL, folder_of

AT = "2026-11-29T14:00:00Z"
DEEP = '{"a":' * 20_000
ODD: tuple[Any, ...] = ("²", "9" * 5000, "٣", "-1", "1e999", "", [], {}, [1], {"a": 1}, True, 10**400, -1, float("inf"))
SPAN = {"trace_id": "t", "span_id": "a", "service": "web", "name": "GET", "duration_ms": 50, "start": AT}
ALERT = {
    "labels": {"alertname": "Slow"},
    "annotations": {},
    "startsAt": AT,
    "endsAt": AT,
    "status": {"state": "active"},
}


async def test_no_value_of_a_log_line_takes_the_others_with_it(tmp_path: Path) -> None:
    """A few digits are a level; many, or those of another script, say none."""
    plain = {"time": AT, "level": "info", "message": "x"}
    odd = [{**plain, key: value} for key in ("level", "status", "time", "message") for value in ODD]
    timed = [{**plain, "time": {"epochSecond": value}} for value in ODD]
    broken = [DEEP, '{"a": 012, "time": "2026-11', '{"time": "' + AT + '", "message": ' + DEEP]
    text = "\n".join([*(json.dumps(row) for row in [plain] * 100 + odd + timed), *broken])
    folder = folder_of(tmp_path, {"app.log": text})
    [logs] = folder.sources().logs
    answer = await logs.search(LogQuery(ALL, (), ("info",)))
    assert answer.total is not None
    assert answer.total >= 100
    folder.close()


@pytest.mark.parametrize(("whole", "key"), [(SPAN, "duration_ms"), (ALERT, "annotations"), (ALERT, "status")])
async def test_a_record_that_cannot_be_meant_is_left_out_and_told(tmp_path: Path, whole: Any, key: str) -> None:
    folder = folder_of(tmp_path, {"x": json.dumps([whole, {**whole, key: ["²"]}, whole])})
    sources = folder.sources()
    rows = await sources.spans[0].spans(ALL) if whole is SPAN else None
    assert rows is None or rows.total == 2
    assert not folder.skipped
    assert any("1 record(s) in recognised files were of no known kind" in note for note in folder.material.notes)


def test_of_a_document_over_its_bound_the_first_part_is_read_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unrolling, "LARGEST", 1 << 20)
    path = tmp_path / "x.json"
    rows = [{"timestamp": AT, "level": "info", "message": "m" * 1000} for _ in range(1500)]
    path.write_text(json.dumps(rows))
    packed = files.packing(path)
    assert packed == "json-document"
    got: list[tuple[int, bytes]] = []
    with pytest.raises(files.Unreadable, match="only the first 1 MB"):
        got.extend(files.lines(str(path), packed))
    assert 900 < len(got) < 1100
    told = survey.survey(str(path), packed, None)
    assert told["kind"] == "log"
    assert "only the first 1 MB" in told["why"]


def read(path: Path, packed: str) -> tuple[list[bytes], str]:
    """Its lines, and why there are no more."""
    got: list[bytes] = []
    try:
        got.extend(line for _, line in files.lines(str(path), packed))
    except files.Unreadable as e:
        return got, str(e)
    return got, ""


def test_of_a_document_with_broken_records_the_others_are_read(tmp_path: Path) -> None:
    good, bad = json.dumps({"timestamp": AT, "level": "info", "message": "m"}), '{"timestamp": tru'
    path = tmp_path / "x.json"
    path.write_text("[" + ",".join([good, bad] * 40 + [good]) + "]")
    got, why = read(path, "json-document")
    assert (sum(b'"message": "m"' in line for line in got), why) == (41, "")
    path.write_text("[" + ",".join([good, bad] * 5000) + "]")
    got, why = read(path, "json-document")
    assert got
    assert "its JSON is broken in" in why


def test_a_line_of_no_object_goes_through_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    batch = json.dumps({"events": [{"timestamp": AT, "message": "m"}]})
    path.write_text("\n".join([batch, "123", '"text"', batch]))
    got, why = read(path, "json-lines")
    assert (len(got), got[1:3], why) == (4, [b"123", b'"text"'], "")


def test_an_index_that_cannot_write_goes_on_from_memory(tmp_path: Path) -> None:
    index, file = Index(tmp_path / "index", str), files.Found(str(tmp_path / "x"), 1, 1, "")
    shutil.rmtree(tmp_path / "index")
    index.put(file, ["a"], {"n": 1})
    assert index.get(file, ["a"]) == {"n": 1}


def test_threads_do_not_write_the_same_file_beside(tmp_path: Path) -> None:
    file = files.Found(str(tmp_path / "x"), 1, 1, "")
    failed: list[BaseException] = []

    def put(n: int) -> None:
        try:
            index = Index(tmp_path / "index", str)
            for i in range(30):
                index.put(file, [n], {"n": i, "text": "x" * 10_000})
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=put, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    [kept] = (tmp_path / "index").iterdir()
    assert json.loads(kept.read_text())["file"] == list(file)
