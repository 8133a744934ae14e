"""What a file is, by its first 64 KB alone: the one table of formats, asked from the unmistakable to the general."""

from __future__ import annotations

from typing import NamedTuple

from subagents.folder import files, walking
from subagents.folder.formats import (
    audit,
    clock,
    container,
    csv_logs,
    csv_metrics,
    gitlines,
    gitlog,
    history,
    json_lines,
    json_series,
    mixed,
    openmetrics,
    prefixed,
    several,
    stages,
    things,
    traceback,
    w3c,
)
from subagents.folder.records import LogFormat

LOGS: tuple[LogFormat, ...] = (
    container.FORMAT,
    prefixed.FORMAT,
    w3c.FORMAT,
    mixed.FORMAT,
    *several.PLAIN[:2],
    csv_logs.FORMAT,
    *several.PLAIN[2:],
    stages.FORMAT,
    audit.FORMAT,
    traceback.FORMAT,
    history.FORMAT,
    clock.FORMAT,
)
_BY_NAME = {form.name: form for form in LOGS}
_SAMPLE = 400
_JOURNAL = b"LPKSHHRH"  # systemd's journal files


class Recognised(NamedTuple):
    """`kind`: log | document | lines | table | openmetrics | series | csv | gitlog; "" with the reason in `name`."""

    kind: str
    name: str
    shape: str = ""


def log_format(name: str) -> LogFormat:
    return _BY_NAME[name]


def recognise(path: str, packed: str) -> Recognised:
    """Raises files.Unreadable where the file can't be read at all."""
    head = files.head(path, packed)
    if not head.strip():
        return Recognised("", "it is empty")
    if b"\x00" in head[:4096] or head.startswith(_JOURNAL):
        why = "; print it with `journalctl --file NAME -o json`" if head.startswith(_JOURNAL) else ""
        return Recognised("", f"it is {'a journal of systemd' if why else 'binary'}{why}")
    cut = head.rfind(b"\n")
    whole = len(head) < files.HEAD
    told = (head if whole or cut <= 0 else head[:cut]).decode("utf-8-sig", "replace")
    lines = [line.rstrip("\r") for line in told.split("\n") if line.strip()][:_SAMPLE]
    if json_series.is_series(told):
        return Recognised("series", "JSON series")
    return _json(lines) or _table(lines) or _other(lines) or _log(lines) or Recognised("", "no known format")


def _json(lines: list[str]) -> Recognised | None:
    items = [json_lines.decode(line) for line in lines[:50]]
    good = [i for i in items if i is not None]
    if good and len(good) * 2 >= len(items):
        known = sum(1 for i in good if any(name for name, _ in walking.walk(i, {})))
        logs = sum(1 for i in good if walking.format_of(i) is None and json_lines.is_log(i))
        if logs > known or (not known and logs):
            return None
        if known or len(lines) == 1 or all(things.lives(json_lines.flat(i)) for i in good):
            return Recognised("lines", "JSON lines")
    if not good and lines[0].lstrip()[:1] in ("[", "{") and _opens_json(lines):
        return Recognised("document", "JSON document")
    return None


def _opens_json(lines: list[str]) -> bool:
    """`[` of an array or an object with a quoted key; not the `[date]` that many logs begin with."""
    start = "".join(lines[:2]).replace(" ", "")
    return start[:2] in ("[{", "[[", "[]", '{"', "{}") or start in ("[", "{")


def _table(lines: list[str]) -> Recognised | None:
    mark = csv_logs.delimiter(lines[0])
    if mark not in lines[0]:
        return None
    rows = [csv_logs.cells(line, mark) for line in lines[:20]]
    names = csv_logs.header(lines)
    data = [dict(zip(names, row, strict=False)) for row in rows[1:] if names and len(row) == len(names)]
    if data and sum(1 for d in data if walking.format_of(d) is not None) * 2 >= len(data):
        first = next(f for d in data if (f := walking.format_of(d)) is not None)
        if first.kind != "point":
            return Recognised("table", f"CSV of {first.name}s", mark)
    if mark == "," and csv_logs.shape(lines) is None and csv_metrics.layout(rows) is not None:
        return Recognised("csv", "CSV metrics")
    return None


def _other(lines: list[str]) -> Recognised | None:
    if openmetrics.is_metrics(lines):
        return Recognised("openmetrics", "OpenMetrics")
    if gitlog.is_log(lines):
        return Recognised("gitlog", "git log text")
    shape = gitlines.shape(lines)
    return None if shape is None else Recognised("gitlog", "git log, one line a commit", shape)


def _log(lines: list[str]) -> Recognised | None:
    for form in LOGS:
        shape = form.shape(lines)
        if shape is not None:
            return Recognised("log", form.name, shape)
    return None
