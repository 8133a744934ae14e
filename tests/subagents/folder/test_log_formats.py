"""Each log format by small, nasty examples: what is a record, whose, how bad, when, and what belongs to it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest
import zstandard

from subagents.sources import LogLine, LogQuery
from tests.subagents.folder.helpers import ALL, counted, folder_of, utc

NAMELESS = '{"EndTimestamp":"x","timestamp":"2026-11-29T14:00:00Z","status":503,"service":"s"}'
JSON_LINES = """\
{"timestamp": "2026-11-29T14:00:00.5Z", "level": "INFO", "service": "cart", "message": "ok"}
{"time": "2026-11-29T22:00:01+08:00", "severity_text": "Error", "service.name": "cart", "msg": "no stock", "err": "E7"}
{"ts": 1795960802.25, "lvl": "warn", "svc": "cart", "msg": "slow"}
{"@timestamp": "2026-11-29T14:00:03Z", "log": {"level": "error"}, "service": {"name": "cart"}, "message": "ecs"}
{"time": 1795960804000, "level": 50, "app": "cart", "msg": "pino"}
this line is no JSON and belongs to the record before it
{"timestamp": "2026-11-29T14:00:05Z", "level": "FATAL", "service": "cart", "message": "结算失败"}
{"timestamp": "2026-11-29T14:00:06Z", "level": "INFO", "service": "cart", "message": "cut off in the mid
"""
LOGFMT = """\
ts=2026-11-29T14:00:00Z level=info svc=pay msg="charge ok" order=1
ts=2026-11-29T14:00:01Z level=error svc=pay msg="charge failed" err="said \\"no\\""
Traceback (most recent call last):
  File "/app/x.py", line 1, in f
ValueError: ERROR level=error
level=WARN t=2026-11-29T14:00:02Z svc=pay msg=late
"""
ACCESS = """\
10.0.0.1 - - [29/Nov/2026:14:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "curl" 0.1
10.0.0.1 - bob [29/Nov/2026:22:00:01 +0800] "POST /pay?x=\\"y\\" HTTP/1.1" 502 0 "-" "-"
10.0.0.1 - - [29/Nov/2026:14:00:02 +0000] "GET /500 HTTP/1.1" 404 500
10.0.0.1 - - [29/Nov/2026:14:00:03 +0000] "-" 400 0 "-" "-"
"""
LOG4J = """\
2026-11-29 14:00:00,250 WARN  [main] c.s.Search - slow query 857 ms
2026-11-29 14:00:01,250 ERROR [main] c.s.Item - Failed: no ERROR here
java.lang.NullPointerException: Cannot invoke "shop.catalog.Price.amount()"
\tat shop.catalog.Item.render(Item.java:88)
Caused by: java.lang.IllegalStateException: 2026 was a year
\t... 23 more
2026-11-29 14:00:02,250  INFO 12 --- [main] c.s.Item : fine
"""
SYSLOG_OLD = """\
Nov 29 14:00:00 host-1 pay[311]: sync finished
<11>Nov 29 14:00:01 host-1 pay[311]: it broke
Nov 29 14:00:02 host-1 pay: ERROR: no disk
"""
SYSLOG_NEW = """\
<165>1 2026-11-29T14:00:00.003Z host pay 8710 ID47 - started
<11>1 2026-11-29T14:00:01Z host pay - - [x@1 a="]b\\"c"] it broke
<12>1 2026-11-29T14:00:02Z host pay - - - \ufeffhm
"""
TEXT = """\
[2026-11-29 14:00:00] local.ERROR: Target missing {"exception":"x"}
[stacktrace]
#0 /var/www/x.php(3)
[2026-11-29 14:00:01] local.INFO: ok
"""
PYTHON = """\
2026-11-29 14:00:00,001 - app.views - ERROR - it failed
Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 'x'
2026-11-29 14:00:01,001 - app.views - INFO - it works
"""
BARE = """\
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    f()
ValueError: bad
Traceback (most recent call last):
  File "b.py", line 1, in <module>
pkg.errors.PoolTimeout: 3 s
"""
CSV = """\
Timestamp,PodName,TraceID,Log
2026-11-29T14:00:00Z,cart-64469b5b48-25zj6,t1,"{""log"":""14:00:00 INFO ok\\n"",""stream"":""stdout""}"
2026-11-29T14:00:01Z,cart-64469b5b48-25zj6,t2,"{""log"":""14:00:01 ERROR a, b\\n"",""stream"":""stdout""}"
"""


@pytest.mark.parametrize(
    ("content", "levels"),
    [
        (JSON_LINES, {"info": 2, "error": 3, "warn": 1, "fatal": 1}),
        (LOGFMT, {"info": 1, "error": 1, "warn": 1}),
        (ACCESS, {"info": 1, "error": 1, "warn": 2}),
        (LOG4J, {"warn": 1, "error": 1, "info": 1}),
        (SYSLOG_OLD, {"info": 1, "error": 2}),
        (SYSLOG_NEW, {"info": 1, "error": 1, "warn": 1}),
        (TEXT, {"error": 1, "info": 1}),
        (PYTHON, {"error": 1, "info": 1}),
        (CSV, {"info": 1, "error": 1}),
        (JSON_LINES.replace("\n", "\r\n"), {"info": 2, "error": 3, "warn": 1, "fatal": 1}),
        (LOG4J.replace("\n", "\r\n"), {"warn": 1, "error": 1, "info": 1}),
    ],
)
async def test_levels_of_each_format(tmp_path: Path, content: str, levels: dict[str, int]) -> None:
    year = '{"ts": "2026-11-29T15:00:00Z", "service": "z", "trace_id": "1", "span_id": "2", "duration_ms": 1}'
    folder = folder_of(tmp_path, {"a": content, "b": year})
    assert await counted(folder, "level") == {(k,): n for k, n in levels.items()}
    errors = LogQuery(ALL, levels=("error", "fatal"))
    bad = levels.get("error", 0) + levels.get("fatal", 0)
    assert sum((await counted(folder, "level", q=errors)).values()) == bad
    found = await folder.sources().logs[0].search(errors)
    assert found.total == bad == len(found.rows)
    assert not folder.skipped


async def lines(folder_content: dict[str, str | bytes], root: Path) -> tuple[LogLine, ...]:
    answer = await folder_of(root, folder_content).sources().logs[0].search(LogQuery(ALL))
    return answer.rows


async def test_json_lines_say_time_service_and_message(tmp_path: Path) -> None:
    rows = await lines({"x": JSON_LINES}, tmp_path)
    assert {r.service for r in rows} == {"cart"}
    assert [r.at for r in rows][:2] == [utc("2026-11-29T14:00:00.5"), utc("2026-11-29T14:00:01")]
    assert rows[1].message == "no stock: E7"
    assert "belongs to the record before" in rows[4].message
    assert rows[5].message.startswith("结算失败")


async def test_a_stack_trace_belongs_to_its_first_line(tmp_path: Path) -> None:
    rows = await lines({"x": LOG4J}, tmp_path)
    assert len(rows) == 3
    assert rows[1].message.count("\n") == 4
    assert rows[1].origin == "x:2"
    assert rows[2].origin == "x:7"


async def test_bare_tracebacks_have_no_clock_and_say_what_was_raised(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"x": BARE})
    answer = await folder.sources().logs[0].search(LogQuery(ALL))
    assert answer.rows == ()
    assert "no times" in answer.gaps[0]


async def test_a_syslog_severity_and_program_come_from_the_line(tmp_path: Path) -> None:
    rows = await lines({"x": SYSLOG_NEW}, tmp_path)
    assert [(r.service, r.level, r.message) for r in rows] == [
        ("pay", "info", "started"),
        ("pay", "error", "it broke"),
        ("pay", "warn", "hm"),
    ]


async def test_a_date_without_a_year_takes_it_from_the_rest_of_the_folder(tmp_path: Path) -> None:
    old = "Dec 31 23:59:59 h a[1]: last\nJan  1 00:00:01 h a[1]: first\n"
    commit = {"sha": "a" * 40, "author": "x", "committed": "2021-01-02T00:00:00Z", "message": "m"}
    folder = folder_of(tmp_path, {"x": old, "y": json.dumps(commit)})
    answer = await folder.sources().logs[0].search(LogQuery(ALL))
    assert [r.at for r in answer.rows] == [utc("2020-12-31T23:59:59"), utc("2021-01-01T00:00:01")]
    assert "without a year" in folder.coverage().notes[0]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress, zstandard.ZstdCompressor().compress])
async def test_packed_files_read_the_same(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    folder = folder_of(tmp_path, {"noname": pack(LOG4J.encode())})
    assert await counted(folder, "level") == {("warn",): 1, ("error",): 1, ("info",): 1}


async def test_a_broken_archive_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    many = "".join(f"2026-11-29 14:00:00,{i % 1000:03} ERROR [t{i * 7919 % 1013}] c.X - no {i}\n" for i in range(9000))
    folder = folder_of(tmp_path, {"x": gzip.compress(many.encode())[:-4000]})
    answer = await folder.sources().logs[0].count(LogQuery(ALL), ("level",))
    assert 0 < (answer.total or 0) < 9000
    assert not answer.complete
    assert "breaks off" in answer.gaps[0]


async def test_a_zone_is_heard_and_a_missing_one_is_said(tmp_path: Path) -> None:
    rows = await lines({"x": "2026-11-29 22:00:00 +0800 ERROR a\n2026-11-29T14:00:01Z ERROR b\n"}, tmp_path)
    assert [r.at for r in rows] == [utc("2026-11-29T14:00:00"), utc("2026-11-29T14:00:01")]
    (tmp_path / "y").write_text("2026-11-29 14:00:00 ERROR a\n")
    assert any("without a zone" in n for n in folder_of(tmp_path, {}).coverage().notes)


@pytest.mark.parametrize(
    "order", [("time", "level", "svc", "msg"), ("msg", "svc", "level", "time"), ("level", "msg", "time")]
)
async def test_one_very_long_json_line_is_cut_and_counted(tmp_path: Path, order: tuple[str, ...]) -> None:
    item = {"time": "2026-11-29T14:00:00Z", "level": "error", "svc": "a", "msg": "x" * 3_000_000}
    long = json.dumps({k: item[k] for k in order})
    short = '{"time": "2026-11-29T14:00:01Z", "level": "error", "svc": "a", "msg": "y"}'
    folder = folder_of(tmp_path, {"x": f"{short}\n{long}\n{short}\n"})
    assert await counted(folder, "level") == {("error",): 3}
    answer = await folder.sources().logs[0].search(LogQuery(ALL, levels=("error",)))
    assert [len(r.message) < 5000 for r in answer.rows] == [True] * 3
    assert answer.rows[0].message.startswith("xxx")


async def test_one_very_long_text_line_is_cut_and_counted(tmp_path: Path) -> None:
    text = f"2026-11-29 14:00:00 ERROR {'x' * 3_000_000}\n2026-11-29 14:00:01 ERROR y\n"
    folder = folder_of(tmp_path, {"x": text, "z": gzip.compress(text.encode())})
    assert await counted(folder, "level") == {("error",): 4}
    answer = await folder.sources().logs[0].search(LogQuery(ALL))
    assert all(len(r.message) < 5000 for r in answer.rows)
    assert answer.rows[3].message == "y"


@pytest.mark.parametrize(
    ("content", "service", "level", "message"),
    [
        ('{"t":{"$date":"2026-11-29T14:00:00.0+00:00"},"s":"E","svc":"db","msg":"m"}', "db", "error", "m"),
        (
            '{"instant":{"epochSecond":1795960800,"nanoOfSecond":0},"level":"WARN","app":"a","msg":"m"}',
            "a",
            "warn",
            "m",
        ),
        (
            '{"PRIORITY":"3","__REALTIME_TIMESTAMP":"1795960800000000","_SYSTEMD_UNIT":"pay.service","MESSAGE":[109,255]}',
            "pay",
            "error",
            "m\ufffd",
        ),
        (
            '{"time":"2026-11-29T14:00:00Z","fields":{"message":"m","level":"error"},"target":"x","service":"r"}',
            "r",
            "error",
            "m",
        ),
        (NAMELESS, "s", "error", NAMELESS),
        ('web-1  | {"level":"info","ts":1795960800.0,"msg":"m","service":"w"}', "w", "info", "m"),
        ('Date,Time,Level,Component,Content\n2026-11-29,"14:00:00,000",WARN,c,"a, b"', "c", "warn", "a, b"),
        ("E1129 14:00:00.000000 7 main.go:3] service=k gone", "", "error", "service=k gone"),
        ("\x1b[0m\x1b[32mNov 29 14:00:00\x1b[0m host pay(pam)[7]: error: m", "pay(pam)", "error", "error: m"),
        ("[Sun Nov 29 14:00:00 2026] [error] service=x m", "x", "error", "service=x m"),
        ("26/11/29 14:00:00 FATAL a.B: m", "", "fatal", "a.B: m"),
    ],
)
async def test_odd_lines(tmp_path: Path, content: str, service: str, level: str, message: str) -> None:
    flag = json.dumps({"flag": "x", "timestamp": "2026-11-29T15:00:00Z", "change": "on"})
    [row] = await lines({"x": content + "\n", "y": flag}, tmp_path)
    assert (row.at, row.service, row.level, row.message) == (utc("2026-11-29T14:00:00"), service, level, message)


POD, STAMP = "pay-64469b5b48-25zj6", "2026-11-29T14:00:00Z"
BEHIND = {
    "docker compose": "pay-1  | {}",
    "coloured": "\x1b[36mpay-1  |\x1b[0m {}",
    "kubectl": f"[pod/{POD}/app] {{}}",
    "kubectl, a stateful set": "[pod/pay-0/app] {}",
    "stern": f"{POD} app {{}}",
}
TEXTS = {
    "json": ('{"level":"error","ts":"2026-11-29T14:00:00Z","msg":"no stock"}', "no stock"),
    "json behind a time": (f'{STAMP} {{"level":"error","msg":"no stock"}}', "no stock"),
    "text": (f"{STAMP} [ERROR] no stock", "[ERROR] no stock"),
    "logfmt": (f'ts={STAMP} level=error msg="no stock"', "no stock"),
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("behind", BEHIND)
async def test_lines_behind_the_name_of_their_program(tmp_path: Path, behind: str, text: str) -> None:
    line, message = TEXTS[text]
    folder = folder_of(tmp_path, {"all.log": "".join(BEHIND[behind].format(line) + "\n" for _ in range(3))})
    rows = (await folder.sources().logs[0].search(LogQuery(ALL))).rows
    assert {(r.at, r.service, r.level, r.message) for r in rows} == {(utc(STAMP[:-1]), "pay", "error", message)}
    assert len(rows) == 3


async def test_lines_of_logcli_say_by_their_labels_whose_they_are_and_how_bad(tmp_path: Path) -> None:
    text = (
        f'{STAMP} {{app="pay", detected_level="error", note="a \\"b\\""}} no stock\n'
        f'{STAMP} {{app="cart"}} {{"level":"warn","msg":"slow"}}\n'
    )
    rows = (await folder_of(tmp_path, {"x": text}).sources().logs[0].search(LogQuery(ALL))).rows
    found = {(r.service, r.level, r.message) for r in rows}
    assert found == {("pay", "error", "no stock"), ("cart", "warn", "slow")}


async def test_words_before_a_text_are_no_pods(tmp_path: Path) -> None:
    line = f"{STAMP} order-12345678-abcde was paid twice\n"
    rows = (await folder_of(tmp_path, {"x": line * 3}).sources().logs[0].search(LogQuery(ALL))).rows
    assert {r.message for r in rows} == {"order-12345678-abcde was paid twice"}
