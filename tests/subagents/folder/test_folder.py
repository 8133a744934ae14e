"""Opening: what can't be opened, what is skipped and why, names that tell nothing, and what is remembered."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from orchestrator.errors import ConfigError
from subagents.folder.folder import open_folder
from subagents.sources import AlertQuery, ChangeQuery, LogQuery, MetricQuery
from tests.shared import shared
from tests.subagents.folder.helpers import ALL, counted, folder_of, utc
from tests.subagents.folder.test_log_formats import ACCESS, LOG4J


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="doesn't exist"):
        open_folder(tmp_path / "no")
    with pytest.raises(ConfigError, match="is empty"):
        open_folder(tmp_path)
    (tmp_path / "f").write_text("x")
    with pytest.raises(ConfigError, match="is a file"):
        open_folder(tmp_path / "f")


def test_what_is_not_recognised_is_listed_with_why(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a": "Hello, World!\nHow are you?\n", "b": b"\x00\x01\x02", "c": "", "d": '{"what": "is this"}', "e": "[]",
        "f": '[{"a": 1,\n', "g": b"\x1f\x8bbroken", "h": "name,age\nbob,7\n",
        "i/LICENSE": "Copyright 2026. All rights.\n",
    }  # fmt: skip
    skipped = {s["path"]: s["why"] for s in folder_of(tmp_path, files).skipped}
    assert set(skipped) == set(files)
    assert skipped["b"] == "it is binary"
    assert skipped["c"] == "it is empty"
    assert skipped["e"] == "it is an empty list"
    assert "isn't valid" in skipped["f"]
    assert "breaks off" in skipped["g"]


def test_links_and_the_files_of_repositories_are_not_evidence(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.write_text(LOG4J)
    folder = folder_of(root, {"x": LOG4J, "repo/.git/HEAD": "ref: x", "repo/fixture.log": LOG4J})
    assert [f.name for f in folder.material.logs] == ["x"]
    (root / "link").symlink_to(outside)
    assert [f.name for f in open_folder(root).material.logs] == ["x"]
    assert folder.skipped[0]["path"] == "repo"
    assert "git couldn't read" in folder.skipped[0]["why"]


async def test_a_log_belongs_to_the_known_service_that_its_lines_name(tmp_path: Path) -> None:
    line = "2026-11-29 14:00:00 ERROR x\n"
    known = json.dumps({"service": "catalog", "version": "2", "timestamp": "2026-11-29T15:00:00Z"})
    folder = folder_of(tmp_path, {"0f": LOG4J, "1f": known, "payments.log": line, "app.log": line})
    found = await counted(folder, "service", q=LogQuery(ALL, levels=("error",)))
    assert found == {("catalog",): 1, ("payments",): 1, ("",): 1}


async def test_an_access_log_belongs_to_the_service_whose_counters_agree(tmp_path: Path) -> None:
    t = 1795960800
    samples = [("web", "200", 1), ("web", "404", 1), ("web", "400", 1), ("web", "502", 1), ("pay", "200", 900)]
    text = "# TYPE http_requests counter\n" + "".join(
        f'http_requests_total{{service="{s}",code="{c}"}} {v} {at}\n'
        for s, c, n in samples
        for at, v in ((t - 30, 0), (t + 3.5, n))
    )
    folder = folder_of(tmp_path, {"0f": ACCESS, "1f": text + "# EOF\n"})
    assert await counted(folder, "service") == {("web",): 4}


async def test_the_same_question_twice_reads_no_file_again(tmp_path: Path) -> None:
    root, cache = tmp_path / "data", tmp_path / "cache"
    lines = "".join(f"2026-11-29 14:00:{i % 60:02},000 ERROR [main] c.S - no {i}\n" for i in range(500))
    q = LogQuery(ALL, text=("no 499",))
    first = await folder_of(root, {"x": lines}, cache).sources().logs[0].search(q)
    path = root / "x"
    stat = path.stat()
    path.write_text(lines.replace("no 499", "no ---"))  # the same size and time: as if it were the same file
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert (await open_folder(root, cache).sources().logs[0].search(q)).rows == first.rows
    path.write_text(lines.replace("no 499", "no -----"))
    assert (await open_folder(root, cache).sources().logs[0].search(q)).rows == ()


async def test_an_empty_kind_answers_that_it_has_nothing(tmp_path: Path) -> None:
    sources = folder_of(tmp_path, {"x": LOG4J}).sources()
    assert (await sources.alerts[0].episodes(AlertQuery(ALL))).total == 0
    assert not (await sources.alerts[0].probe()).ok
    assert (await sources.changes[0].list(ChangeQuery(ALL))).total == 0
    assert (await sources.metrics[0].series(MetricQuery(ALL))).total == 0
    assert (await sources.metrics[0].ratio((), ALL)).total == 0
    assert (await sources.spans[0].edges(None)).total == 0
    assert (await sources.logs[0].probe()).ok


def test_coverage_ends_with_the_last_record_of_any_kind(tmp_path: Path) -> None:
    flag = json.dumps({"flag": "x", "timestamp": "2026-11-30T01:00:00Z", "change": "on"})
    cover = folder_of(tmp_path, {"x": LOG4J, "y": flag}).coverage()
    assert (cover.since, cover.until) == (utc("2026-11-29T14:00:00.25"), utc("2026-11-30T01:00:00"))


async def test_every_incident_of_the_benchmark_loads() -> None:
    cases = shared("data/incidents/rootcausebench/cases")
    for case in sorted(cases.iterdir()):
        folder = open_folder(case)
        sources = folder.sources()
        assert folder.skipped == (), case.name
        alerts = (await sources.alerts[0].episodes(AlertQuery(ALL))).rows
        given = json.loads((case / "alert.json").read_text())
        assert given["service"] in {a.service for a in alerts}, case.name
        changes = (await sources.changes[0].list(ChangeQuery(ALL), limit=1000)).rows
        for kind in ("commit", "deploy", "flag"):
            listed = json.loads((case / "context" / f"{kind}s.json").read_text())
            assert sum(c.kind == kind for c in changes) == len(listed), case.name
        lines = (case / "logs.ndjson").read_text().count("\n")
        assert abs(sum((await counted(folder, "level")).values()) - lines) <= 1, case.name
        told = json.loads((case / "patterns.json").read_text())
        patterns = await sources.logs[0].patterns(LogQuery(ALL), None, limit=1000)
        assert {p["signature"] for p in told} <= {p.template for p in patterns.rows}, case.name
        spans = await sources.spans[0].spans(ALL, limit=10_000)
        assert spans.total == len(json.loads((case / "traces.json").read_text())), case.name
        points = sum(len(s.points) for s in (await sources.metrics[0].series(MetricQuery(ALL))).rows)
        assert points >= (case / "metrics.csv").read_text().count("\n") - 1, case.name
