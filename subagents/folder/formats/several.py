"""Which plain formats a text's lines are in: usually one; sometimes a few, such as JSON lines with a program's plain
lines of text between them. It serves the formats that hold others' lines (container, compose, mixed)."""

from __future__ import annotations

import json

from subagents.folder.formats import (
    access,
    haproxy,
    json_lines,
    logfmt,
    postgres,
    postgres_csv,
    proxied,
    redis,
    syslog,
    text,
    uwsgi,
)
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

PLAIN: tuple[LogFormat, ...] = (
    json_lines.FORMAT,
    logfmt.FORMAT,
    uwsgi.FORMAT,
    postgres_csv.FORMAT,
    access.FORMAT,
    proxied.FORMAT,
    haproxy.FORMAT,
    syslog.FORMAT,
    postgres.FORMAT,
    redis.FORMAT,
    text.FORMAT,
)
_BY_NAME = {form.name: form for form in PLAIN}
FREE = frozenset(
    (text.FORMAT.name, postgres.FORMAT.name, postgres_csv.FORMAT.name)
)  # what such a file's other lines hold belongs to a record
Told = list[tuple[str, str]]  # (format, shape) …, the first counts most


def told(lines: list[str], most: int = 3, timed: bool = True) -> Told:
    """The formats of some lines; [] where none is known. Not `timed`: their times stand outside of them."""
    out: Told = []
    while lines and len(out) < most:
        found = next(((f, s) for f in PLAIN if (s := f.shape(lines)) is not None and (f.name, s) not in out), None)
        if found is None and not timed and not out and (free := json_lines.shape(lines, timed)) is not None:
            found = json_lines.FORMAT, free
        if found is None:
            break
        form, shape = found
        out.append((form.name, shape))
        if form.name in FREE:
            most = 1
        read = form.parser(Hints(shape=shape))
        lines = [line for line in lines if read(line) is None and not line[:1].isspace()]
    return out


def written(formats: Told) -> str:
    return json.dumps(formats)


def read(shape: str) -> list[tuple[LogFormat, str]]:
    return [(_BY_NAME[name], inner) for name, inner in json.loads(shape)]


def parser(shape: str, hints: Hints) -> LineParser:
    """Each line by the first format that can read it."""
    parsers = [form.parser(hints._replace(shape=inner)) for form, inner in read(shape)]

    def line(text: str) -> Rec | None:
        for parse in parsers:
            rec = parse(text)
            if rec is not None:
                return rec
        return None

    return line
