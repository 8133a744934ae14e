"""A line that was written to be slow to read costs about what a plain one of its length does, whoever reads it."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

import pytest

from hermes_ops.hooks import heard
from subagents.folder import framing, levels, mining, recognise, times, unrolling
from subagents.folder.formats import csv_metrics, deploys, gitlog, mined, openmetrics, several
from subagents.folder.records import Hints, LogFormat
from tests.subagents.folder.helpers import utc

SIZE = 64 << 10
TIMES = 100  # as long as a look at each character of a plain line; a square would be thousands
FRAGMENTS = ("1", " ", "{", '"', "=", "a.", "[", "\\", " <", "\x1b[m")
BEGINNINGS = ("", '2026-11-29 14:00:00 a="')
SHAPES = ("", "field", str(utc("2026-11-29").timestamp()), "a,b", "\n#Fields: date time")
OF_TEXT = ("0", "3", "p")
NONE: Iterator[bytes] = iter(())
Read = Callable[[str], object]


def formats() -> dict[str, LogFormat]:
    return {form.name: form for form in (*recognise.LOGS, *several.PLAIN)}


def parsers(form: LogFormat) -> Iterator[Read]:
    """One, of a shape that the format could have written; of plain text several."""
    for shape in OF_TEXT if form.name == "timestamped text" else SHAPES:
        try:
            parse = form.parser(Hints("", utc("2027-01-01").timestamp(), shape))
            parse("a")
        except (ValueError, TypeError, KeyError, IndexError):
            continue
        yield parse
        if shape not in OF_TEXT:
            return


def printed(line: str) -> list[object]:
    """As `git log` prints commits, with the line in each place."""
    head = [f"commit {'a' * 40}", f"Author: a{line}", "Date:   2026-11-29 14:00:00 +0000"]
    return list(gitlog._commit([*head, "", f"    {line}", "", f" {line}", f"M\t{line}"]))


def broken_off(line: str) -> None:
    with suppress(unrolling.Partly):
        list(unrolling.lines(io.BytesIO(b"[{" + line.encode()), "document", NONE))


OTHERS: dict[str, Read] = {
    "a metric's cell": lambda line: csv_metrics.layout([["time", "v"], ["2026-11-29", "1"], ["2026-11-29", line]]),
    "a metric's name": lambda line: csv_metrics.layout([["time", line], ["2026-11-29", "1"]]),
    "a metric's labels": lambda line: openmetrics.name_and_labels("up{" + line),
    "a sample": lambda line: openmetrics.is_metrics(["up{" + line]),
    "git's log": printed,
    "a version": deploys.version,
    "a pattern's count": lambda line: mined.matches({"template": "x", "count": line}),
    "a template": mining.masked,
    "a template with an address": lambda line: mining.masked("1 a://" + line),
    "words of errors": lambda line: levels.error_words(line.encode()),
    "a level": levels.level,
    "a time": times.parse,
    "a wrapping": lambda line: framing.framing(line.encode()),
    "a document that breaks off": broken_off,
    "a web hook's labels": heard.texts,
}


def seconds(read: Read, line: str, most: float) -> float:
    """Of the processor; the best of three where the first is over `most`."""
    best = most + 1
    for _ in range(3):
        began = time.process_time()
        read(line)
        best = min(best, time.process_time() - began)
        if best <= most:
            break
    return best


@cache
def bound() -> float:
    plain = "word " * (SIZE // 5)
    return TIMES * seconds(lambda line: re.findall(r".", line), plain, 0.0)


@cache
def hostile() -> list[str]:
    return [beginning + fragment * (SIZE // len(fragment)) + "\0" for fragment in FRAGMENTS for beginning in BEGINNINGS]


def slow(read: Read) -> list[str]:
    return [line[:40] for line in hostile() if seconds(read, line, bound()) > bound()]


@pytest.mark.parametrize("name", formats())
def test_no_line_of_a_log_takes_long(name: str) -> None:
    form = formats()[name]
    assert not slow(lambda line: form.shape([line]))
    for parse in parsers(form):
        assert not slow(parse)


@pytest.mark.parametrize("name", OTHERS)
def test_no_text_of_other_files_takes_long(name: str) -> None:
    assert not slow(OTHERS[name])
