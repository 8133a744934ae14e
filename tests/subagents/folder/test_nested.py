"""Lines that an agent shipped as JSON, with the program's own JSON inside: the inner object is the record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from subagents.folder.nested import unwrapped
from subagents.sources import LogQuery
from tests.subagents.folder.helpers import ALL, counted, folder_of, utc


def line(outer: dict[str, object], key: str, inner: dict[str, object] | str) -> str:
    return json.dumps(outer | {key: inner if isinstance(inner, str) else json.dumps(inner)}) + "\n"


FLUENT_BIT = "".join(
    line(
        {"date": 1795960800.5 + i, "stream": "stdout", "kubernetes": {"pod_name": "ship-5f55b6cf68-77cfw"}},
        "log",
        {"time": f"2026-11-29T14:00:{i:02d}Z", "severity": "ERROR" if i % 3 == 0 else "INFO", "msg": f"parcel {i}"},
    )
    for i in range(30)
)
VECTOR = "".join(
    line(
        {"timestamp": f"2026-11-29T14:00:{i:02d}Z", "file": "/var/log/a.log", "container_name": "tax"},
        "message",
        {"ts": f"2026-11-29 22:00:{i:02d}", "level": "error" if i < 2 else "info", "message": "rate table", "a": i},
    )
    for i in range(30)
)
DOCKER = "".join(
    line(
        {"stream": "stdout", "time": f"2026-11-29T14:00:{i:02d}.5Z"},
        "log",
        json.dumps({"log": json.dumps({"level": 50 if i else 30, "name": "feed", "msg": f"deep {i}"})}) + "\n",
    )
    for i in range(30)
)


@pytest.mark.parametrize(
    ("text", "service", "errors"), [(FLUENT_BIT, "ship", 10), (VECTOR, "tax", 2), (DOCKER, "feed", 29)]
)
async def test_level_and_service_are_those_of_the_inner_object(
    tmp_path: Path, text: str, service: str, errors: int
) -> None:
    folder = folder_of(tmp_path, {"x.log": text})
    counts = await counted(folder, "service", "level")
    assert counts[service, "error"] == errors
    assert sum(counts.values()) == 30
    only = await counted(folder, "service", q=LogQuery(ALL, levels=("error",)))  # by the search for bytes
    assert only == {(service,): errors}


async def test_the_message_is_what_the_program_wrote_and_its_time_counts_where_it_is_exact(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.log": FLUENT_BIT, "b.log": VECTOR})
    found = await folder.sources().logs[0].search(LogQuery(ALL, text=("parcel 3",)), 1, 0)
    assert [(r.message, r.at) for r in found.rows] == [("parcel 3", utc("2026-11-29T14:00:03"))]
    found = await folder.sources().logs[0].search(LogQuery(ALL, services=("tax",)), 1, 0)
    assert found.rows[0].message == "rate table"
    assert found.rows[0].at == utc("2026-11-29T14:00:00")  # the inner time states no offset, the outer one does


async def test_a_file_of_both_kinds_counts_the_same_however_it_is_counted(tmp_path: Path) -> None:
    plain = {"time": "2026-11-29T14:05:00Z", "level": "info", "msg": "all well"}
    hidden = {"level": "error", "msg": "not so"}
    rows = [json.dumps(plain), json.dumps(plain | {"msg": json.dumps(hidden)})] * 40
    folder = folder_of(tmp_path, {"x.log": "\n".join(rows) + "\n"})
    assert await counted(folder, "level") == {("info",): 40, ("error",): 40}
    assert await counted(folder, "level", q=LogQuery(ALL, levels=("error",))) == {("error",): 40}


@pytest.mark.parametrize(
    "item",
    [
        {"level": "info", "msg": '{"order": 7, "total": "12.50"}'},  # a payload that somebody logged
        {"level": "info", "msg": '{"message": "only"}'},
        {"level": "info", "msg": "{not json}"},
        {"level": "info", "msg": '{"level":"error","msg":"' + "x" * 70_000 + '"}'},
        {"level": "info", "msg": "[" * 5_000},
        {"level": "info", "msg": '{"a":' * 5_000},
        {"level": "info", "msg": '["level", "error"]'},
    ],
)
def test_what_is_no_record_stays_text(item: dict[str, object]) -> None:
    assert unwrapped(dict(item)) == item


def test_depth_is_bounded() -> None:
    item: dict[str, object] = {"msg": "core", "level": "info"}
    for _ in range(10):
        item = {"msg": json.dumps(item), "level": "warn"}
    deep = unwrapped(item)
    assert str(deep["msg"]).startswith("{")


def test_a_part_of_the_program_does_not_take_the_services_place() -> None:
    inner = {"component": "http", "level": "warn", "msg": "slow"}
    assert "component" not in unwrapped({"service": "cart", "log": json.dumps(inner)})
    assert unwrapped({"log": json.dumps(inner)})["component"] == "http"
