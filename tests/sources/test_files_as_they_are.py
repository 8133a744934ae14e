"""Log files as they really are: encodings, framings, long lines, traces, years and zones that aren't written down.

The numbers are those of the public reports that each test keeps us free of (docs/DECISIONS.md).
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrator.contracts import Window
from subagents.folder.folder import open_folder
from subagents.sources import LogLine, LogQuery

ALL = Window(datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
STAMP = "2026-11-29T14:00:0{}.000000000Z"


async def read(root: Path, content: str | bytes, name: str = "app.log", zone: str = "") -> list[LogLine]:
    (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    opened = open_folder(root, zone=zone)
    try:
        return list((await opened.sources().logs[0].search(LogQuery(ALL), 1000)).rows)
    finally:
        opened.close()


def notes(root: Path) -> str:
    return "; ".join(open_folder(root).coverage().notes)


def cri(second: int, stream: str, mark: str, text: str) -> str:
    return f"{STAMP.format(second)} {stream} {mark} {text}\n"


def docker(second: int, text: str, stream: str = "stdout") -> str:
    return json.dumps({"log": text, "stream": stream, "time": STAMP.format(second)}) + "\n"


# ── containers ────────────────────────────────────────────────────────────────────────────────


async def test_parts_of_a_long_cri_line_inside_a_trace_are_one_line(tmp_path: Path) -> None:  # 1
    text = cri(1, "stdout", "F", "2026-11-29 14:00:01,000 ERROR [main] c.s.Pay - charge failed")
    text += cri(1, "stdout", "P", "java.lang.IllegalStateException: " + "x" * 90)
    text += cri(1, "stdout", "P", "y" * 90) + cri(1, "stdout", "F", " end")
    text += cri(1, "stdout", "F", "\tat shop.Pay.charge(Pay.java:61)")
    text += cri(2, "stdout", "F", "2026-11-29 14:00:02,000 INFO [main] c.s.Pay - ok")
    first, second = await read(tmp_path, text)
    assert first.level == "error"
    assert first.message.splitlines()[1] == "java.lang.IllegalStateException: " + "x" * 90 + "y" * 90 + " end"
    assert first.message.endswith("\tat shop.Pay.charge(Pay.java:61)")
    assert second.message == "[main] c.s.Pay - ok"


async def test_a_line_of_the_other_stream_doesnt_tear_a_trace(tmp_path: Path) -> None:  # 2
    text = cri(1, "stdout", "F", "ERROR charge failed") + cri(1, "stdout", "F", "\tat a.B.c(B.java:1)")
    text += cri(1, "stderr", "F", "WARN: pool is full") + cri(1, "stdout", "F", "\tat a.B.d(B.java:2)")
    text += cri(2, "stdout", "F", "INFO next")
    found = {line.message.split("\n")[0]: line for line in await read(tmp_path, text)}
    assert found["ERROR charge failed"].message.count("\tat ") == 2
    assert found["WARN: pool is full"].level == "warn"
    assert len(found) == 3


async def test_a_docker_backtrace_with_blank_lines_is_one_record(tmp_path: Path) -> None:  # 3
    trace = [
        "thread 'main' panicked at src/main.rs:4:5:",
        "",
        "stack backtrace:",
        "   0: std::panicking",
        "",
        "   1: app",
    ]
    text = docker(1, "INFO begun\n") + "".join(docker(2, f"{line}\n") for line in trace) + docker(3, "INFO over\n")
    found = await read(tmp_path, text)
    assert [line.message.split("\n")[0] for line in found] == ["INFO begun", trace[0], "INFO over"]
    assert found[1].message.split("\n") == trace


async def test_json_that_docker_split_at_16_kib_is_one_object(tmp_path: Path) -> None:  # 17
    whole = json.dumps({"level": "error", "service": "pay", "msg": "failed", "body": "z" * 40_000})
    parts = [whole[n : n + 16_384] for n in range(0, len(whole), 16_384)]
    text = "".join(docker(1, part) for part in parts[:-1]) + docker(1, parts[-1] + "\n") + docker(2, '{"msg":"ok"}\n')
    first, second = await read(tmp_path, text)
    assert (first.level, first.service, first.message) == ("error", "pay", "failed")
    assert (second.message, second.at) == ("ok", datetime(2026, 11, 29, 14, 0, 2, tzinfo=UTC))


async def test_the_runtimes_time_counts_since_it_has_a_zone(tmp_path: Path) -> None:
    (line,) = await read(tmp_path, cri(1, "stdout", "F", "2026-11-29 22:00:01,000 ERROR it failed") + "\n")
    assert line.at == datetime(2026, 11, 29, 14, 0, 1, tzinfo=UTC)


# ── encodings ─────────────────────────────────────────────────────────────────────────────────

CHINESE = "2026-11-29 14:00:00 ERROR 支付失败，订单 7\n2026-11-29 14:00:01 INFO 支付成功，订单 8\n"


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
async def test_an_encoding_is_told_by_the_bytes(tmp_path: Path, name: str) -> None:  # 10, 11
    first, second = await read(tmp_path, CHINESE.encode(name))
    assert (first.level, first.message) == ("error", "支付失败，订单 7")
    assert second.message == "支付成功，订单 8"
    assert "decoded" not in notes(tmp_path)


async def test_utf16_without_a_mark_and_packed_gbk(tmp_path: Path) -> None:
    english = "2026-11-29 14:00:00.10 spid5s      Error: 17054, Severity: 16\r\n" * 3
    assert len(await read(tmp_path, english.encode("utf-16-le"))) == 3
    packed = gzip.compress(CHINESE.encode("gbk"))
    assert [line.message[:4] for line in await read(tmp_path, packed)] == ["支付失败", "支付成功"]


async def test_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    lines = await read(tmp_path, b"2026-11-29 14:00:00 ERROR caf\xe9 \xff\n2026-11-29 14:00:01 INFO ok\n")
    assert lines[0].message == "caf\ufffd \ufffd"
    assert "2 character(s) in 1 log file(s) could not be decoded" in notes(tmp_path)


async def test_colours_hide_nothing(tmp_path: Path) -> None:  # 13, 14
    text = "\x1b[2m2026-11-29T14:00:00Z\x1b[0m \x1b[31mERROR\x1b[0m it failed\n"
    (line,) = await read(tmp_path, text)
    assert (line.level, line.message) == ("error", "it failed")
    text = 'time=2026-11-29T14:00:00Z level=error msg="\x1b[31mit\x1b[0m failed" a=1\n'
    (line,) = await read(tmp_path, text)
    assert (line.level, line.fields["a"]) == ("error", "1")


async def test_a_stray_quote_in_logfmt_keeps_time_and_level(tmp_path: Path) -> None:  # 16
    text = 'time=2026-11-29T14:00:00Z level=error msg="said \\"no\\"" size=5" note=x\n'
    text += 'time=2026-11-29T14:00:01Z level=warn msg="cut off\n'
    first, second = await read(tmp_path, text)
    assert (first.level, first.message) == ("error", 'said "no"')
    assert second.level == "warn"


@pytest.mark.slow
async def test_a_line_of_many_megabytes_is_a_record_and_is_cut(tmp_path: Path) -> None:  # 18
    huge = "2026-11-29 14:00:00 ERROR begun " + "x" * (3 << 20) + " ended\n"
    first, second = await read(tmp_path, huge + "2026-11-29 14:00:01 INFO next\n")
    assert (first.level, second.message) == ("error", "next")
    assert first.message.startswith("begun xxx")
    assert "characters)" in first.message[-30:]


# ── journald ──────────────────────────────────────────────────────────────────────────────────


async def test_journald_bytes_lists_and_nothing(tmp_path: Path) -> None:  # 22, 23, 24
    entry = {"__REALTIME_TIMESTAMP": "1795960991000000", "PRIORITY": "3", "SYSLOG_IDENTIFIER": "pay"}
    messages: list[object] = [[27, 91, 51, 49, 109, 111, 104, 27, 91, 48, 109], ["one", "two"], None]
    text = "".join(json.dumps({**entry, "MESSAGE": message}) + "\n" for message in messages)
    found = await read(tmp_path, text)
    assert [line.message for line in found[:2]] == ["oh", "one\ntwo"]
    assert "left this long message out" in found[2].message


# ── times ─────────────────────────────────────────────────────────────────────────────────────


def years(lines: list[LogLine]) -> list[str]:
    return [line.at.strftime("%Y-%m-%d") if line.at else "" for line in lines]


async def test_a_year_that_isnt_written_is_told_by_what_lies_beside(tmp_path: Path) -> None:  # 5, 6
    (tmp_path / "beside").write_text('{"ts": "2026-01-02T08:00:00Z", "level": "info", "msg": "m", "service": "x"}\n')
    text = "".join(f"{day} 23:59:5{n} web cron[1]: run {n}\n" for n, day in enumerate(("Dec 30", "Dec 31", "Jan  1")))
    found = [line for line in await read(tmp_path, text) if line.service == "cron"]
    assert years(found) == ["2025-12-30", "2025-12-31", "2026-01-01"]


async def test_a_leap_day_needs_a_leap_year(tmp_path: Path) -> None:  # 7
    (tmp_path / "beside").write_text('{"ts": "2027-03-02T08:00:00Z", "level": "info", "msg": "m", "service": "x"}\n')
    found = await read(tmp_path, "Feb 29 10:00:00 web cron[1]: run\n")
    assert "2024-02-29" in years(found)


async def test_lines_out_of_order_over_a_months_end_are_no_year_apart(tmp_path: Path) -> None:  # 8
    (tmp_path / "beside").write_text('{"ts": "2026-11-30T08:00:00Z", "level": "info", "msg": "m", "service": "x"}\n')
    text = "Oct 31 23:59:59 web a[1]: 1\nNov  1 00:00:01 web a[1]: 2\nOct 31 23:59:58 web a[1]: 3\n"
    found = [line for line in await read(tmp_path, text) if line.service == "a"]
    assert sorted(years(found)) == ["2026-10-31", "2026-10-31", "2026-11-01"]


async def test_a_file_that_goes_over_new_year_begins_a_year_earlier(tmp_path: Path) -> None:  # 6
    (tmp_path / "beside").write_text('{"ts": "2026-11-30T08:00:00Z", "level": "info", "msg": "m", "service": "x"}\n')
    text = "Nov  3 10:00:00 web a[1]: 1\nDec 31 23:59:59 web a[1]: 2\nFeb  3 10:00:00 web a[1]: 3\n"
    found = [line for line in await read(tmp_path, text) if line.service == "a"]
    assert years(found) == ["2025-11-03", "2025-12-31", "2026-02-03"]


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("E1129 22:00:00.000000 7 main.go:3] gone\n", 14),
        ("2026-11-29 22:00:00,000 ERROR gone\n", 14),
        ("2026-11-29 22:00:00 CST ERROR gone\n", 14),
        ("Nov 29 22:00:00 web pay[1]: error: gone\n", 14),
        ('{"time": "2026-11-29 22:00:00", "level": "error", "msg": "gone"}\n', 14),
        ("2026-11-29T22:00:00Z ERROR gone\n", 22),
        ("2026-11-29T22:00:00+01:00 ERROR gone\n", 21),
    ],
)
async def test_a_time_without_an_offset_is_the_sources_own(tmp_path: Path, text: str, hour: int) -> None:  # 25
    (tmp_path / "beside").write_text('{"ts": "2026-11-30T08:00:00Z", "level": "info", "msg": "m", "service": "x"}\n')
    found = [line for line in await read(tmp_path, text, zone="Asia/Shanghai") if "gone" in line.message]
    assert [line.at for line in found] == [datetime(2026, 11, 29, hour, tzinfo=UTC)]


async def test_an_hour_that_comes_twice_is_read_as_its_first(tmp_path: Path) -> None:  # 27
    text = "2026-10-25 01:59:00 INFO a\n2026-10-25 02:30:00 INFO b\n2026-10-25 03:00:00 INFO c\n"
    found = await read(tmp_path, text, zone="Europe/Berlin")
    assert [line.at.strftime("%d %H:%M") for line in found if line.at] == ["24 23:59", "25 00:30", "25 02:00"]


async def test_tai64n_as_multilog_writes_it(tmp_path: Path) -> None:
    """Seconds since 1970 and 10: it knows no leap seconds."""
    (line,) = await read(tmp_path, "@4000000037c219bf2ef02e94 ERROR it failed\n")
    assert line.at == datetime(1999, 8, 24, 4, 4, 5, 787493, tzinfo=UTC)
    assert line.level == "error"


async def test_what_has_no_time_is_counted_and_said(tmp_path: Path) -> None:
    text = '{"ts":"2026-11-29T14:00:00Z","level":"info","msg":"a"}\n{"ts":"soon","level":"error","msg":"b"}\n'
    assert [line.message for line in await read(tmp_path, text)] == ["a"]
    assert "1 log record(s) in 1 file(s) have no time and are in no window" in notes(tmp_path)


# ── access logs ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "line",
    [
        '10.0.0.1 - ann@example.com [29/Nov/2026:14:00:00 +0000] "GET / HTTP/1.1" 500 1 "-" "-"',
        '10.0.0.1 - "" [29/Nov/2026:14:00:00 +0000] "GET / HTTP/1.1" 500 1 "-" "-"',
        '10.0.0.1 - ann lee [29/Nov/2026:14:00:00 +0000] "GET / HTTP/1.1" 500 1 "-" "-"',
        '10.0.0.1 - - [29/Nov/2026:14:00:00 +0000] "-" 500 - "-" "-"',
        '10.0.0.1 - - [29/Nov/2026:14:00:00 +0000] "\\x16\\x03\\x01\\x02" 500 1 "-" "-"',
        'shop.example.com:443 10.0.0.1 - - [29/Nov/2026:14:00:00 +0000] "GET / HTTP/1.1" 500 1 "-" "-"',
    ],
)
async def test_odd_users_requests_and_hosts(tmp_path: Path, line: str) -> None:  # 28, 29
    (found,) = await read(tmp_path, line + "\n")
    assert (found.level, found.fields["code"]) == ("error", "500")
    assert found.at == datetime(2026, 11, 29, 14, tzinfo=UTC)


# ── traces ────────────────────────────────────────────────────────────────────────────────────

TRACES = {
    "java": "java.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: x\n\t... 23 more",
    "python": 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: no',
    "go": "panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:4 +0x1d\nexit status 2",
    "node": "TypeError: no\n    at Object.<anonymous> (/app/a.js:1:7)\n    at node:internal/main:23:47",
    "net": "System.InvalidOperationException: no\n   at A.B() in /B.cs:line 4\n--- End of stack trace ---\n   at A.D()",
}


@pytest.mark.parametrize("language", TRACES)
@pytest.mark.parametrize("framed", [False, True], ids=["plain", "cri"])
async def test_a_trace_belongs_to_its_line(tmp_path: Path, language: str, framed: bool) -> None:
    head, last = "2026-11-29T14:00:01Z ERROR it failed", "2026-11-29T14:00:02Z INFO next"
    lines = [head, *TRACES[language].split("\n"), last]
    text = "".join(cri(1, "stdout", "F", line) if framed else f"{line}\n" for line in lines)
    first, second = await read(tmp_path, text)
    assert first.message == "it failed\n" + TRACES[language]
    assert second.message == "next"
