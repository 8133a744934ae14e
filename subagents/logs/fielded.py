"""What fields of log lines hold, as results: values of one kind of field with their counts; requests to a path. Pure.

A field is one that a line has, or `name=value` in its text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from orchestrator import when
from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.asking import Merged
from subagents.plain.parts import PARTS, USERS, Part, key_of
from subagents.saying import short
from subagents.sources import Count, LogLine

KINDS = {p.name: p for p in (*PARTS, USERS)}
ROWS = 12
_NONE = "no status"
_PAIR = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]{0,40})=[\"']?([\w.:@/-]{1,80})")
_REQUEST = re.compile(r"^[\"']?(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (\S+)")


def values(found: Merged[LogLine], span: Window, kind: str) -> ToolResult:
    """Of the lines in `found` those that name one, by the field that most of them have; users are only counted."""
    part, total = KINDS[kind], found.total if found.total is not None else len(found.rows)
    by_key: dict[str, Counter[tuple[str, str]]] = {}
    for line in found.rows:
        if near := min(_named(line, part), default=None):
            by_key.setdefault(near[1], Counter())[line.service, near[2]] += 1
    key = max(by_key, key=lambda k: by_key[k].total(), default="")
    rows = by_key.get(key, Counter[tuple[str, str]]())
    table = Counter[str]()
    of = dict[str, set[str]]()
    for (service, value), n in rows.items():
        table[value] += n
        of.setdefault(service, set()).add(value)
    most = [] if part is USERS else [(short(value, 80), n) for value, n in table.most_common(ROWS)]
    whose = sorted(((service, len(some)) for service, some in of.items()), key=lambda row: -row[1])
    data: Json = {
        "field": kind, "key": key, "values": [list(row) for row in most], "distinct": len(table), "held": rows.total(),
        "looked": len(found.rows), "lines": total, "whose": [list(row) for row in whose],
    }  # fmt: skip
    head = f"by {key or kind} · {when.say(span)} · {len(table)} different, {rows.total()} of {total} lines"
    figures = [Figure("different", len(table), "", {"field": key}), Figure("lines", total)]
    figures += [Figure("lines that name one", rows.total()), Figure("lines looked at", len(found.rows))]
    figures += [Figure("failing lines", n, "", {key: value}) for value, n in most]
    figures += [Figure("different by service", n, "", {"service": service}) for service, n in whose]
    text = "\n".join([head, *(f"{value} {n}" for value, n in most)])
    return found.result(text, span, data, figures, len(most), total)


def _named(line: LogLine, part: Part) -> Iterator[tuple[int, str, str]]:
    """(nearness, field, value) of each field of the kind; a line's own fields before what its text says."""
    for field, value in (*line.fields.items(), *_PAIR.findall(line.message)):
        rank = key_of(field, part)
        if rank is not None and value not in ("", "-", "null"):
            yield rank, field, _path(value) if part.name == "path" else value


def _path(value: str) -> str:
    """Without method and query: "POST /pay?x=1 HTTP/1.1" → "/pay"."""
    found = _REQUEST.match(value)
    return (found[1] if found else value).partition("?")[0]


def requests(found: Merged[LogLine], counted: Merged[Count], span: Window, path: str) -> ToolResult:
    """`found`: lines that hold the path, `counted`: all of them by code, where there are more. A request is a line with
    a status, which failed with a 5xx, as in availability; or an error that has the path in a field of its own."""
    part = KINDS["path"]
    total = found.total if found.total is not None else len(found.rows)
    bare = path.rstrip("/")
    mine = [line for line in found.rows if any(value.rstrip("/") == bare for _, _, value in _paths(line, part))]
    table = Counter(code for line in mine if (code := _code(line, part)))
    loose = total > len(found.rows) and bool(table)
    if loose:
        table = Counter()
        for row in counted.rows:
            table[row.keys["code"]] += row.n if row.keys["code"] else 0
    table = +table
    n, bad = table.total(), sum(k for code, k in table.items() if code.startswith("5") or code == _NONE)
    percent = round(100.0 * bad / n, 4) if n else 0.0
    codes = [(code, k) for code, k in table.most_common() if code[:1] in ("4", "5")][:6]
    data: Json = {
        "path": path,
        "requests": n,
        "failed": bad,
        "percent": percent,
        "codes": [list(row) for row in codes],
        "loose": loose,
    }
    figures = [Figure("requests", n), Figure("requests failed", bad), Figure("error rate", percent, "%")]
    figures += [Figure("error answers", k, "", {"code": code}) for code, k in codes]
    text = f"requests to {path} · {when.say(span)}: {n}, failed (5xx) {bad}, {percent:g}%"
    return found.beside(counted).result(text, span, data, figures, min(n, 1), n)  # type: ignore[arg-type]


def _code(line: LogLine, part: Part) -> str:
    """The status of a request; "" where the line is none."""
    if code := line.fields.get("code") or line.fields.get("status"):
        return code
    failed = line.level in ("error", "fatal") and any(key_of(field, part) is not None for field in line.fields)
    return _NONE if failed else ""


def _paths(line: LogLine, part: Part) -> Sequence[tuple[int, str, str]]:
    asked = _REQUEST.match(line.message)
    return [*_named(line, part), *([(0, "request", _path(asked[0]))] if asked else [])]
