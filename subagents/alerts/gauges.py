"""A metric called by words of its name: "ccu" of `game_ccu`, "replicated partitions" of `UnderReplicatedPartitions`.

Which words those are, and what is told of it: now against before, since when, and its extremes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from orchestrator import when
from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Figure, Json, Window
from subagents.alerts import measured
from subagents.onset import ENOUGH, LASTS, level
from subagents.plain.fillers import ASKING, DOINGS, FILLERS
from subagents.saying import Clock, clock_of
from subagents.sources import Series

SERIES, CUES = 3, 400
LITTLE = 0.05  # of the usual level: who asks for a series by its name wants to know of that
SHORT = 4  # letters of an abbreviation at most: people name a gauge by it (ccu, dau, iops)
_UNITS = frozenset(
    ("total", "count", "sum", "bucket", "seconds", "milliseconds", "bytes", "ratio", "percent", "avg", "average", "max",
     "min", "mean", "rate", "current", "value", "gauge", "counter", "created", "info")
)  # fmt: skip
_COMMON = frozenset(  # short words that tell nothing of a metric by themselves, and what lines and changes are asked by
    ("time", "size", "http", "grpc", "rpc", "api", "app", "sql", "up", "ok", "job", "pod", "node", "host", "disk",
     "user", "code", "msg", "log", "err", "fail", "req", "res", "resp", "type", "name", "data", "cpu", "mem", "io",
     "db", "test", "prod", "dev", "main", "web", "good", "bad", "new", "old", "free", "used", "read", "load", "miss",
     "hits", "hit", "drop", "ms", "sec", "lag", "slow", "done", "open", "call", "sent", "step")
)  # fmt: skip


@runtime_checkable
class Named(Protocol):
    """A source that knows the names of its metrics without being asked."""

    @property
    def metrics(self) -> tuple[str, ...]: ...


def cues(names: Iterable[str]) -> tuple[str, ...]:
    """Words by which questions may call metrics of these names: two and more of a name's words in a row, its whole
    name, and an abbreviation at its end (what it begins with is whose it is)."""
    found = dict[str, None]()
    for name in names:
        parts = [w for w in words(name) if w not in _UNITS]
        rows = [parts[i:j] for i in range(len(parts)) for j in range(i + 2, len(parts) + 1)]
        found |= dict.fromkeys(" ".join(row) for row in rows if any(w not in _COMMON for w in row))
        found |= dict.fromkeys(w for w in parts[-1:] if _is_short(w))
        found |= dict.fromkeys([name.casefold()] if any(w not in _COMMON | _UNITS for w in words(name)) else ())
    return tuple(found)[:CUES]


def _is_short(word: str) -> bool:
    plain = _COMMON | FILLERS | ASKING | DOINGS
    return 1 < len(word) <= SHORT and word.isascii() and word.isalpha() and word not in plain


def words(name: str) -> list[str]:
    """`http_requestsInFlight` → http, requests, in, flight."""
    broken = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [w.casefold() for w in re.split(r"[\W_]+", broken) if w]


def holds(name: str, said: Sequence[str]) -> bool:
    """Whether a metric's name holds all words of one of the things said."""
    return any({*words(one)} <= {*words(name)} for one in said)


def asked(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Of the known words for metrics the longest that the text holds; () where it holds none."""
    low = text.casefold()
    hit = [c for c in known if re.search(rf"(?<![a-z0-9_]){re.escape(c)}s?(?![a-z0-9_])", low)]
    return tuple(c for c in hit if len(c) == max(map(len, hit)))[:1]


def levels(rows: Sequence[Series], span: Window) -> tuple[list[Json], list[Figure]]:
    """Of each series in the window the first and last value, the highest and the lowest, with their times; `based`:
    whether anything is known of it before."""
    found, figures = list[Json](), list[Figure]()
    began = measured.beginnings(rows)
    for s in rows[: measured.ROWS]:
        points = measured.rates(s.points, began.get(measured.target(s))) if s.kind == "counter" else list(s.points)
        inside = [p for p in points if p[0] in span]
        if not inside:
            continue
        three = {
            "first": inside[0],
            "last": inside[-1],
            "most": max(inside, key=lambda p: p[1]),
            "least": min(inside, key=lambda p: p[1]),
        }
        name, unit = measured.named(s), "/s" if s.kind == "counter" else s.unit
        away = _left(points, span)
        found.append({"service": s.service, "name": name, "unit": unit, "based": points[0][0] < span.start,
                      "usual": away and measured.figure(away[0]), "since": away and away[1].isoformat(),
                      **{k: [at.isoformat(), measured.figure(v)] for k, (at, v) in three.items()}})  # fmt: skip
        label = {"service": s.service, "metric": name}
        figures += [Figure(f"{s.name} {k}", measured.figure(v), unit, label) for k, (_, v) in three.items()]
        figures += [Figure(f"{s.name} usual", measured.figure(away[0]), unit, label)] if away else []
    return found, figures


def _left(points: Sequence[tuple[datetime, float]], span: Window) -> tuple[float, datetime] | None:
    """The usual level, and since when a series is off it up to its last value, be it by little. The usual level is that
    of the time before, else of the first quarter of the data."""
    before = [v for at, v in points if at < span.start]
    rest = [p for p in points if p[0] in span]
    if len(before) < ENOUGH:
        quarter = len(rest) // 4
        before, rest = [v for _, v in rest[:quarter]], rest[quarter:]
    if len(before) < ENOUGH or not rest:
        return None
    usual = level(before, LITTLE, 0.0)
    far = usual.limit - usual.usual
    off = [far > 0 and abs(v - usual.usual) > far for _, v in rest]
    n = next((i for i, out in enumerate(reversed(off)) if not out), len(off))
    return (usual.usual, rest[-n][0]) if n >= LASTS else None


def told(turn: Turn, got: Taken) -> list[str]:
    """Each series: from what to what it moved and since when, else that it stayed; then its extremes and its last."""
    data, zh, cite, clock = got.result.data, turn.ctx.lang == "zh", f"[{got.id}]", clock_of(turn, got)
    if not data.get("levels"):
        span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
        return [f"{span} 内没有这个指标的数据 {cite}。" if zh else f"No values of that metric in {span} {cite}."]
    moved = {(m["service"], m["name"]): m for m in data["series"]}
    rows = sorted(data["levels"], key=lambda r: (r["service"], r["name"]) not in moved)
    return [_one(r, moved.get((r["service"], r["name"])), clock, cite, zh) for r in rows[:SERIES]]


def _one(row: Json, moved: Json, clock: Clock, cite: str, zh: bool) -> str:
    unit = row["unit"]
    last, most, least = ((clock.at(datetime.fromisoformat(row[k][0])), row[k][1]) for k in ("last", "most", "least"))
    head = f"{row['service']} `{row['name']}`".strip()
    if moved:
        since = clock.at(datetime.fromisoformat(moved["onset"]))
        head += f" {moved['before']}{unit} → {moved['during']}{unit}"
        over = clock.at(datetime.fromisoformat(moved["end"])) if moved["end"] else ""
        if zh:
            head += (f"，{since} 起" if moved["known"] else f"，{since} 前已如此") + (f"，{over} 回落" if over else "")
        else:
            head += (f" since {since}" if moved["known"] else f" already at {since}") + (
                f", over at {over}" if over else ""
            )
    elif row["since"]:
        since = clock.at(datetime.fromisoformat(row["since"]))
        head += f" {row['usual']}{unit} → {last[1]}{unit}" + (f"，{since} 起" if zh else f" since {since}")
    elif row["based"]:
        head += " 没有离开之前的水平" if zh else " didn't leave its level before"
    else:
        first = clock.at(datetime.fromisoformat(row["first"][0])), row["first"][1]
        head += f" 从 {first[1]}{unit}（{first[0]}）起" if zh else f" {first[1]}{unit} at {first[0]}"
    if zh:
        head += f"；最高 {most[1]}{unit}（{most[0]}），最低 {least[1]}{unit}（{least[0]}）"
        return f"{head}，最后 {last[1]}{unit}（{last[0]}） {cite}。"
    return (
        f"{head}; highest {most[1]}{unit} at {most[0]}, lowest {least[1]}{unit} at {least[0]}, "
        f"last {last[1]}{unit} at {last[0]} {cite}."
    )
