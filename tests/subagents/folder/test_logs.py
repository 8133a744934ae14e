"""Counting, searching and mining: the same figures however a file is split, windows, cursors, context, baselines."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from subagents.folder import recognise, scan, scan_counts, scan_rows
from subagents.folder.records import Hints
from subagents.sources import LogQuery, SourceError
from tests.subagents.folder.helpers import ALL, counted, folder_of, utc, window
from tests.subagents.folder.test_log_formats import ACCESS, BARE, JSON_LINES, LOG4J, LOGFMT

FOREVER = scan.Ask(None, None, (), (), ())
ERRORS = scan.Ask(None, None, (), ("error", "fatal"), ())


@pytest.mark.parametrize("content", [LOG4J, LOGFMT, JSON_LINES, ACCESS, BARE, LOG4J.replace("\n", "\r\n")])
@pytest.mark.parametrize("ask", [FOREVER, ERRORS])
def test_every_byte_offset_of_a_split_gives_the_same(tmp_path: Path, content: str, ask: scan.Ask) -> None:
    path = tmp_path / "x"
    path.write_bytes(content.rstrip("\r\n").encode() if ask is ERRORS else content.encode())
    told = recognise.recognise(str(path), "")
    form, hints = recognise.log_format(told.name), Hints("s", None, told.shape)
    size = path.stat().st_size

    def counts(start: int, end: int | None) -> dict[tuple[str, ...], int]:
        out = scan_counts.count(scan.Part(str(path), "", 0, start, end), form, hints, ask, ("level", "minute"))
        return {tuple(k): n for k, n in out["groups"]}

    def texts(start: int, end: int | None) -> list[str]:
        part = scan.Part(str(path), "", 0, start, end)
        return [r["message"] for r in scan_rows.search(part, form, hints, ask, 100, 0, None)["rows"]]

    whole, words = counts(0, None), sorted(texts(0, None))
    assert whole
    for cut in range(size + 1):
        first, second = counts(0, cut), counts(cut, size)
        assert {k: first.get(k, 0) + second.get(k, 0) for k in {*first, *second}} == whole, cut
        assert sorted(texts(0, cut) + texts(cut, size)) == words, cut


LEVELS = ("error", "ERR", "Fatal", "critical", "crit", "panic", "DPANIC", "emergency", "ALERT", "severe", "Failed", "E")


@pytest.mark.parametrize("level", [*LEVELS, 50, 60, "50"])
@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":"), (" , ", " : "), (", ", ":  ")])
async def test_every_spelling_of_an_error_is_found_by_the_byte_search(
    tmp_path: Path, level: str | int, separators: tuple[str, str]
) -> None:
    item = {"time": "2026-11-29T14:00:00Z", "level": level, "msg": "m"}
    ok = {**item, "level": "info"}
    for n, order in enumerate((("time", "level", "msg"), ("level", "time", "msg"), ("time", "msg", "level"))):
        text = "\n".join(json.dumps({k: i[k] for k in order}, separators=separators) for i in (ok, item, ok))
        path = tmp_path / str(n)
        path.write_text(text)
        form = recognise.log_format("JSON-lines log")
        part = scan.Part(str(path), "", 0, 0, None)
        out = scan_counts.count(part, form, Hints("", None, "field"), ERRORS, ("level",))
        assert sum(n for _, n in out["groups"]) == 1, text


def lines(n: int) -> str:
    """A line a second from 14:00:00, every tenth an error with a stack trace."""
    out = []
    for i in range(n):
        at = f"2026-11-29 14:{i // 60:02}:{i % 60:02},000"
        if i % 10:
            out.append(f"{at} INFO [main] c.s.A - order {i} placed\n")
        else:
            out.append(f"{at} ERROR [main] c.s.A - order {i} lost\njava.lang.Boom: {i}\n\tat a.B.c(B.java:{i})\n")
    return "".join(out)


async def test_counts_by_every_dimension(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"x": lines(600), "y": ACCESS})
    assert await counted(folder, "level", "hour") == {
        ("error", "2026-11-29T14:00:00Z"): 61,
        ("info", "2026-11-29T14:00:00Z"): 541,
        ("warn", "2026-11-29T14:00:00Z"): 2,
    }
    minutes = await counted(folder, "minute", q=LogQuery(ALL, levels=("error",)))
    assert minutes["2026-11-29T14:00:00Z",] == 7
    assert minutes["2026-11-29T14:09:00Z",] == 6
    assert (await counted(folder, "code"))["502",] == 1
    with pytest.raises(SourceError, match="can't count by colour"):
        await counted(folder, "colour")


async def test_a_window_is_half_open_and_need_not_be_aligned(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"x": lines(600)})
    odd = LogQuery(window("2026-11-29T14:00:10", "2026-11-29T14:00:30"))
    even = LogQuery(window("2026-11-29T14:01:00", "2026-11-29T14:02:00"))
    assert await counted(folder, "level", q=odd) == {("error",): 2, ("info",): 18}
    assert await counted(folder, "level", q=even) == {("error",): 6, ("info",): 54}
    answer = await folder.sources().logs[0].count(LogQuery(odd.window, levels=("error",)), ("service", "hour"))
    assert answer.query == "folder logs: level=error 2026-11-29T14:00:10Z..2026-11-29T14:00:30Z by service, hour"
    assert answer.complete


async def test_text_is_sought_in_stack_traces_too_and_without_case(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"x": lines(600)})
    assert sum((await counted(folder, "level", q=LogQuery(ALL, text=("java.LANG", "boom: 590")))).values()) == 1
    found = await folder.sources().logs[0].search(LogQuery(ALL, text=("b.java:120)",)))
    assert [r.at for r in found.rows] == [utc("2026-11-29T14:02:00")]


async def test_fields_of_nested_objects_are_named_by_their_path(tmp_path: Path) -> None:
    nested = {"k8s": {"pod": "cart-1", "node": {"name": "n2"}}, "ctx": {"player": {"id": "p7"}, "region": "eu"}}
    row = {"ts": "2026-03-04T10:00:00Z", "lvl": "error", "msg": "boom", "n": 3, **nested}
    folder = folder_of(tmp_path, {"a.ndjson": f"{json.dumps(row)}\n"})
    [line] = (await folder.sources().logs[0].search(LogQuery(ALL))).rows
    wanted = {"k8s.pod": "cart-1", "k8s.node.name": "n2", "ctx.player.id": "p7", "ctx.region": "eu", "n": "3"}
    assert wanted.items() <= line.fields.items()


async def test_a_pattern_is_sought_in_what_lines_say_and_not_in_the_name_of_who_says_it(tmp_path: Path) -> None:
    said = ["payment of 7 failed", "refund failed", "Payment done"]
    rows = [
        {"ts": f"2026-11-29T14:00:0{n}Z", "level": "info", "service": "payments", "msg": text}
        for n, text in enumerate(said)
    ]
    event = {
        "ts": "2026-11-29T14:00:09Z",
        "level": "info",
        "service": "payments",
        "event": "payment",
        "result": "failed",
    }
    folder = folder_of(tmp_path, {"x": "".join(json.dumps(row) + "\n" for row in [*rows, event])})
    found = await folder.sources().logs[0].search(LogQuery(ALL, near=(("payment",), ("fail",))))
    assert [r.at for r in found.rows] == [utc("2026-11-29T14:00:00"), utc("2026-11-29T14:00:09")]
    assert sum((await counted(folder, "level", q=LogQuery(ALL, near=(("payment",), ("fail",))))).values()) == 2
    mined = await folder.sources().logs[0].patterns(LogQuery(ALL, near=(("refund",), ("fail",))), None)
    assert [(p.template, p.n) for p in mined.rows] == [("refund failed", 1)]


async def test_search_pages_through_files_in_order_of_time(tmp_path: Path) -> None:
    everything = lines(100).split("\n2026")
    even = everything[0] + "".join("\n2026" + r for r in everything[2::2])
    odd = "2026" + "".join("\n2026" + r for r in everything[1::2])[5:]
    logs = folder_of(tmp_path, {"even": even, "odd": odd}).sources().logs[0]
    seen: list[datetime] = []
    cursor = None
    while True:
        page = await logs.search(LogQuery(ALL), limit=7, cursor=cursor)
        assert page.total == 100
        seen += [r.at for r in page.rows if r.at]
        cursor = page.cursor
        if cursor is None:
            break
    assert len(seen) == 100
    assert seen == sorted(seen)
    with pytest.raises(SourceError, match="no cursor"):
        await logs.search(LogQuery(ALL), cursor="nonsense")


async def test_context_is_the_neighbouring_lines(tmp_path: Path) -> None:
    logs = folder_of(tmp_path, {"x": lines(40)}).sources().logs[0]
    found = await logs.search(LogQuery(ALL, text=("order 20 lost",)), context=2)
    assert [c.split(" - ")[-1] for c in found.rows[0].context] == [
        "order 18 placed",
        "order 19 placed",
        "order 21 placed",
        "order 22 placed",
    ]
    errors = await logs.search(LogQuery(ALL, levels=("error",)), context=1)
    assert [r.origin for r in errors.rows] == ["x:1", "x:13", "x:25", "x:37"]
    assert errors.rows[1].context[0].endswith("order 9 placed")


async def test_batches_give_every_line_once(tmp_path: Path) -> None:
    logs = folder_of(tmp_path, {"x": lines(300)}).sources().logs[0]
    rows = [row async for batch in logs.batches(LogQuery(ALL, levels=("info",))) for row in batch]
    assert len(rows) == 270


async def test_patterns_tell_what_is_new_against_the_baseline(tmp_path: Path) -> None:
    late = lines(60).replace("14:", "15:") + "2026-11-29 15:30:00,000 ERROR [main] c.s.A - pool of 3 is exhausted\n"
    logs = folder_of(tmp_path, {"x": lines(60) + late}).sources().logs[0]
    hour, before = window("2026-11-29T15:00", "2026-11-29T16:00"), window("2026-11-29T14:00", "2026-11-29T15:00")
    answer = await logs.patterns(LogQuery(hour), before)
    found = {p.template: p for p in answer.rows}
    new = found["[main] c.s.A - pool of <*> is exhausted"]
    assert (new.n, new.before, new.first, new.level) == (1, 0, utc("2026-11-29T15:30"), "error")
    old = found["[main] c.s.A - order <*> lost"]
    assert (old.n, old.before, old.first) == (6, 6, utc("2026-11-29T14:00"))
    assert answer.rows[0] == new
    alone = await logs.patterns(LogQuery(before), window("2026-11-29T13:00", "2026-11-29T14:00"))
    assert alone.rows[0].before is None
    assert "don't reach back" in alone.gaps[-1]


async def test_a_mined_file_is_told_before_what_the_sample_shows(tmp_path: Path) -> None:
    told = {"signature": "boom <*>", "service": "a", "count": 3120, "delta_vs_baseline": "+3100"}
    mined = json.dumps([{**told, "sentiment": "negative"}])
    logs = folder_of(tmp_path, {"x": lines(60), "m": mined}).sources().logs[0]
    first = (await logs.patterns(LogQuery(ALL), None)).rows[0]
    assert (first.template, first.n, first.before, first.level) == ("boom <*>", 3120, 20, "error")


async def test_beside_a_file_that_cannot_be_opened_nothing_is_complete(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.log": "2026-11-29T14:00:00Z ERROR cart: no\n", "b.log.gz": b"\x1f\x8bbroken"})
    source = folder.sources().logs[0]
    for answer in (await source.count(LogQuery(ALL), ("level",)), await source.patterns(LogQuery(ALL), None)):
        assert not answer.complete
        assert any(gap.startswith("b.log.gz: the archive breaks off") for gap in answer.gaps)
