"""Log servers in memory over real HTTP: what our sources ask of Loki and VictoriaLogs, answered as the real ones do
(forms of answers, limits, errors and orders are those of the recorded exchanges). They understand no more of the query
languages than our sources write, and refuse all else as the real ones do: 400, plain text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

LOKI_LIMIT = 5_000


@dataclass(frozen=True)
class Stored:
    ns: int
    line: str
    labels: dict[str, str]


def stored(at: datetime, line: str, **labels: str) -> Stored:
    return Stored(round(at.timestamp() * 1e6) * 1000, line, labels)


class Unreadable(Exception):
    pass


# ── Loki ──────────────────────────────────────────────────────────────────────────────────────

_MATCHER = re.compile(r'\s*(\w+)(=~|!=|!~|=)("(?:[^"\\]|\\.)*")\s*,?')
_FILTER = re.compile(r'\s*(\|~|\|=)\s*("(?:[^"\\]|\\.)*")')
_STAGE = re.compile(r'\s*\|\s*(\w+)(=~|=)("(?:[^"\\]|\\.)*")')
_COUNTED = re.compile(
    r"sum(?: by \(([\w,]*)\))?\(count_over_time\((.*)\[(\d+)(us|s|m|h|d)\]( offset 1ns)?\)\)", re.DOTALL
)
_UNIT = {"us": 10**3, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86_400 * 10**9}


def loki(lines: Iterable[Stored]) -> Any:
    held = sorted(lines, key=lambda line: line.ns)

    async def answer(request: web.Request) -> web.StreamResponse:
        asked, path = request.query, request.path.removeprefix("/loki/api/v1/")
        try:
            return web.json_response(_loki(held, path, dict(asked)))
        except Unreadable as e:
            return web.Response(status=400, text=str(e))
        except KeyError:
            return web.Response(status=404, text="404 page not found\n")

    return answer


def _loki(held: list[Stored], path: str, asked: dict[str, str]) -> Any:
    if path == "status/buildinfo":
        return {"version": "3.4.6"}
    if path.startswith("label/"):
        name, (start, end) = path.split("/")[1], _ns(asked)
        found = sorted({s.labels[name] for s in held if start <= s.ns < end and name in s.labels})
        return {"status": "success", "data": found}
    if path == "patterns":
        return {"status": "success", "data": []}
    query = asked["query"]
    counted = _COUNTED.fullmatch(query)
    if path == "query" and counted:
        at = int(asked["time"])
        rows = [{"metric": m, "value": [at // 10**9, str(n)]} for m, n in _counts(held, counted, at)]
        return _success("vector", rows)
    if path != "query_range":
        raise KeyError(path)
    return _series(held, counted, asked) if counted else _streams(held, query, asked)


def _series(held: list[Stored], counted: re.Match[str], asked: dict[str, str]) -> Any:
    (start, end), step = _ns(asked), int(asked["step"]) * 10**9
    if (end - start) // step > 11_000:
        raise Unreadable("exceeded maximum resolution of 11,000 points per time series. Try increasing the step.")
    series: dict[str, dict[str, Any]] = {}
    for at in range(start, end + 1, step):
        for metric, n in _counts(held, counted, at):
            row = series.setdefault(json.dumps(metric), {"metric": metric, "values": []})
            row["values"].append([at // 10**9, str(n)])
    return _success("matrix", list(series.values()))


def _counts(held: list[Stored], counted: re.Match[str], at: int) -> list[tuple[dict[str, str], int]]:
    """Of (at - range, at], as Loki counts."""
    names = [n for n in (counted[1] or "").split(",") if n]
    length, at = int(counted[3]) * _UNIT[counted[4]], at - 1 if counted[5] else at
    fits = _selects(counted[2])
    groups = Counter(tuple(s.labels.get(n, "") for n in names) for s in held if at - length < s.ns <= at and fits(s))
    return [({n: v for n, v in zip(names, k, strict=True) if v}, count) for k, count in groups.items()]


def _streams(held: list[Stored], query: str, asked: dict[str, str]) -> Any:
    (start, end), limit = _ns(asked), int(asked.get("limit", "100"))
    if limit > LOKI_LIMIT:
        raise Unreadable(f"max entries limit per query exceeded, limit > max_entries_limit ({limit} > {LOKI_LIMIT})")
    fits = _selects(query)
    found = [s for s in held if start <= s.ns < end and fits(s)]
    found = found[:limit] if asked.get("direction") == "forward" else found[-limit:][::-1]
    rows: dict[str, dict[str, Any]] = {}
    for s in found:
        row = rows.setdefault(json.dumps(s.labels), {"stream": s.labels, "values": []})
        row["values"].append([str(s.ns), s.line])
    return _success("streams", list(rows.values()))


def _selects(query: str) -> Any:
    match = re.match(r'\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\}', query)
    if match is None:
        raise Unreadable("parse error at line 1, col 1: syntax error: unexpected $end, expecting } or ,")
    tests, rest = [], query[match.end() :]
    inside = match[1]
    while inside.strip():
        found = _MATCHER.match(inside)
        if found is None:
            raise Unreadable(f"parse error at line 1: unexpected {inside[:20]}")
        tests.append(_test(found[1], found[2], json.loads(found[3])))
        inside = inside[found.end() :]
    while rest.strip():
        line, stage = _FILTER.match(rest), _STAGE.match(rest)
        if line:
            tests.append(_holds(json.loads(line[2])))
        elif stage:
            tests.append(_test(stage[1], stage[2], json.loads(stage[3])))
        else:
            raise Unreadable(f"parse error at line 1: unexpected {rest[:20]}")
        rest = rest[(line or stage).end() :]  # type: ignore[union-attr]
    return lambda s: all(test(s) for test in tests)


def _holds(pattern: str) -> Any:
    found = re.compile(pattern)
    return lambda s: found.search(s.line) is not None


def _test(name: str, sign: str, value: str) -> Any:
    if sign == "=":
        return lambda s: s.labels.get(name, "") == value
    pattern = re.compile(value)
    return lambda s: pattern.fullmatch(s.labels.get(name, "")) is not None


def _ns(asked: dict[str, str]) -> tuple[int, int]:
    return int(asked["start"]), int(asked["end"])


def _success(kind: str, rows: list[Any]) -> Any:
    return {"status": "success", "data": {"resultType": kind, "result": rows}}


# ── VictoriaLogs ──────────────────────────────────────────────────────────────────────────────

_TIME = re.compile(r"_time:([\[(])([^,]+), ([^)]+)\) ?")
_WORD = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.]+):(=|~|in\()?("(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*|\w+)\)? ?')
_PIPES = {
    "stats": re.compile(r"stats (?:by \(([^)]*)\) )?count\(\) as lines"),
    "sort": re.compile(r"sort by \(_time( desc)?\) limit (\d+)"),
}


def victorialogs(lines: Iterable[Stored]) -> Any:
    held = list(lines)[::-1]  # in no order that would help

    async def answer(request: web.Request) -> web.StreamResponse:
        form = {k: str(v) for k, v in (await request.post()).items()}
        path = request.path.removeprefix("/select/logsql/")
        try:
            if path == "query" and request.method == "POST":
                rows = _victoria(held, form["query"], float(form["start"]), float(form["end"]))
                return web.Response(text="".join(json.dumps(r) + "\n" for r in rows), content_type="application/json")
            asked = request.query
            start, end = float(asked["start"]), float(asked["end"])
            if path == "field_values":
                field = asked["field"]
                found = Counter(s.labels.get(field, "") for s in _between(held, start, end))
                return web.json_response({"values": [{"value": v, "hits": n} for v, n in found.items()]})
            if path == "hits":
                return web.json_response(
                    _hits(held, asked["query"], start, end, asked["step"], asked.getall("field", []))
                )
        except Unreadable as e:
            return web.Response(status=400, text=f"cannot parse query: {e}\n")
        return web.Response(status=404, text=f'unsupported path requested: "{path}"')

    return answer


def _between(held: list[Stored], start: float, end: float) -> list[Stored]:
    """The API's end takes in the second that begins there."""
    first, last = int(start * 10**9), int(end * 10**9) + (10**9 if end == int(end) else 10**3)
    return [s for s in held if first <= s.ns < last]


def _victoria(held: list[Stored], query: str, start: float, end: float) -> list[dict[str, str]]:
    filters, *pipes = query.split(" | ")
    fits = _filtered(filters)
    found = [s for s in _between(held, start, end) if fits(s)]
    for pipe in pipes:
        if match := _PIPES["stats"].fullmatch(pipe):
            names = [n.strip().strip('"') for n in (match[1] or "").split(",") if n.strip()]
            groups = Counter(tuple(s.labels.get(n, "") for n in names) for s in found)
            if not names:
                return [{"lines": str(len(found))}]
            return [{**dict(zip(names, k, strict=True)), "lines": str(n)} for k, n in groups.items()]
        if match := _PIPES["sort"].fullmatch(pipe):
            found = sorted(found, key=lambda s: s.ns, reverse=bool(match[1]))[: int(match[2])]
        else:
            raise Unreadable(f"[{query}]: unexpected pipe {pipe!r}")
    return [_row(s) for s in found]


def _row(s: Stored) -> dict[str, str]:
    stream = "{" + ",".join(f"{k}={json.dumps(v)}" for k, v in s.labels.items()) + "}"
    return {"_time": _stamp(s.ns), "_stream": stream, "_msg": s.line, **s.labels}


def _stamp(ns: int) -> str:
    whole = datetime.fromtimestamp(ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{ns % 10**9:09d}".rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"


def _hits(held: list[Stored], query: str, start: float, end: float, step: str, names: Sequence[str]) -> Any:
    fits, size = _filtered(query), int(step[:-1]) * _UNIT[step[-1]]
    groups: dict[tuple[str, ...], Counter[int]] = {}
    for s in _between(held, start, end):
        if fits(s):
            groups.setdefault(tuple(s.labels.get(n, "") for n in names), Counter())[s.ns // size * size] += 1
    return {
        "hits": [
            {
                "fields": dict(zip(names, key, strict=True)),
                "timestamps": [_stamp(at) for at in sorted(counts)],
                "values": [counts[at] for at in sorted(counts)],
                "total": sum(counts.values()),
            }
            for key, counts in groups.items()
        ]
    }


def _filtered(query: str) -> Any:
    tests: list[Any] = []
    rest = query.removeprefix("*")
    while rest.strip():
        if time := _TIME.match(rest):
            first, last = _nanoseconds(time[2]), _nanoseconds(time[3])
            opened = time[1] == "("
            tests.append(lambda s, a=first, b=last, o=opened: (a < s.ns if o else a <= s.ns) and s.ns < b)
            rest = rest[time.end() :].removeprefix("*")
        elif stream := re.match(r'\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\} ?', rest):
            tests += [_test(m[1], m[2], json.loads(m[3])) for m in _MATCHER.finditer(stream[1])]
            rest = rest[stream.end() :]
        elif word := _WORD.match(rest):
            tests.append(_field(word[1].strip('"'), word[2] or ":", word[3]))
            rest = rest[word.end() :]
        else:
            raise Unreadable(f"[{query}]: unexpected {rest[:20]!r}")
    return lambda s: all(test(s) for test in tests)


def _field(name: str, sign: str, value: str) -> Any:
    def held(s: Stored) -> str:
        return s.line if name == "_msg" else s.labels.get(name, "")

    if sign == "~":
        pattern = re.compile(json.loads(value))
        return lambda s: pattern.search(held(s)) is not None
    if sign == ":":
        return lambda s: value in re.findall(r"\w+", held(s))
    values = set(json.loads(f"[{value}]"))
    return lambda s: held(s) in values


def _nanoseconds(stamp: str) -> int:
    whole, _, fraction = stamp.rstrip("Z").partition(".")
    seconds = int(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))
