"""What metrics tell, in sentences: which moved, from what to what, and what is asked of them. Words only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from subagents.alerts import measured, quantiles
from subagents.compared import both
from subagents.plain.kinds import kinds
from subagents.saying import Clock, at, clock_of

SERIES = 2
PEAK = 1.25  # times the usual move: then the extreme tells more than the middle
_FAMILIES = tuple((re.compile(said, re.I), re.compile(name, re.I)) for said, name in (  # asked for → named by metrics
    (r"(?<![a-z])(?:rps|qps|tps|throughput|traffic|request rate)(?![a-z])|流量|吞吐|请求[量数率]|访问量|每秒",
     r"requests?(?:$|[:_](?!err|fail|dur|lat|time|size|in_flight))|rps|qps|tps|throughput|traffic|queries_per"),
    (r"(?<![a-z])cpu(?![a-z])", r"cpu"),
    (r"(?<![a-z])(?:memory|heap|rss)(?![a-z])|内存", r"mem(?:ory)?(?:_|$)|heap|rss"),
    (r"(?<![a-z])disk(?![a-z])|磁盘", r"disk|filesystem|volume"),
    (r"(?<![a-z])(?:queue|backlog|lag)(?![a-z])|积压|堆积|队列", r"queue|backlog|(?:^|_)lag|depth|pending"),
    (r"(?<![a-z])(?:connections?|pool)(?![a-z])|连接", r"conn|pool"),
))  # fmt: skip
_ANY = {"metric": re.compile("")}


def slow(turn: Turn) -> bool:
    """Whether it is asked how long requests took."""
    return "slow" in kinds(turn.ctx.question.text)


def calls(turn: Turn, services: Sequence[str]) -> list[tuple[str, dict[str, Json]]]:
    """The calls for metrics: of `services`, and of all where slowness is asked of none; of a percentile also the
    series that may state it where there is no histogram."""
    asked, spread = list(turn.ctx.scope.services), quantiles.asked(turn.ctx.question.text)
    found: list[tuple[str, dict[str, Json]]] = []
    if slow(turn):
        found = [("metric", {"services": list(services) if asked else []}), *both(turn, _ANY)[1:]]
    elif not spread and _family(turn.ctx.question.text):
        found = [("metric", {"services": asked})]
    elif services and not spread:
        found = [("metric", {"services": list(services)})]
    return [*found, ("metric", {"services": asked} | spread)] if spread else found


def told(turn: Turn, asked: bool) -> list[str]:
    """`asked`: that nothing moved is to be said too."""
    rows = [t for t in turn.taken if t.call.name == "metric" and isinstance(t.result.data, dict)]
    spread = next((t for t in rows if "percentiles" in t.result.data), None)
    moved = next((t for t in rows if "series" in t.result.data), None)
    if spread and (spread.result.data["percentiles"] or moved is None):
        return quantiles.told(spread.result.data, f"[{spread.id}]", turn.ctx.lang == "zh")
    return _moved(turn, moved, asked) if moved else []


def _moved(turn: Turn, got: Taken, asked: bool) -> list[str]:
    clock, n, zh, cite = clock_of(turn, got), got.result.total or 0, turn.ctx.lang == "zh", f"[{got.id}]"
    if asked and not got.result.data["series"]:
        return [f"{measured.unmoved(n, zh)} {cite}{'。' if zh else '.'}"]
    mine = turn.ctx.scope.services
    wanted = [m for m in got.result.data["series"] if _called(m, turn.ctx.question.text)]
    wanted.sort(key=lambda m: bool(mine) and m["service"] not in mine)
    rows = wanted or [m for m in got.result.data["series"] if asked or not m["harmless"]]
    return [f"{one(m, clock, zh)} {cite}{'。' if zh else '.'}" for m in rows[:SERIES]]


def leads(turn: Turn) -> bool:
    """Whether a metric moved that the question asks for by what it measures."""
    got = next((t for t in turn.taken if t.call.name == "metric" and isinstance(t.result.data, dict)), None)
    return got is not None and any(_called(m, turn.ctx.question.text) for m in got.result.data.get("series", ()))


def _family(text: str) -> bool:
    return any(said.search(text) for said, _ in _FAMILIES)


def _called(m: Json, text: str) -> bool:
    """Whether a metric is of what a question asks for by its name."""
    return any(said.search(text) and name.search(m["name"].partition("{")[0]) for said, name in _FAMILIES)


def one(m: Json, clock: Clock, zh: bool) -> str:
    """From what to what a metric moved, since when, and its course."""
    since = clock.at(datetime.fromisoformat(m["onset"]))
    said = f"{m['service']} `{m['name']}` {m['before']}{m['unit']} → {m['during']}{m['unit']}".strip()
    if m["known"]:
        said += f"，{since} 起" if zh else f" since {since}"
    else:
        said += f"，{since} 前已如此" if zh else f" already at {since}"
    return said + _course(m, clock, zh)


def _course(m: Json, clock: Clock, zh: bool) -> str:
    """The peak of what went well beyond its usual value while away, and when it was back."""
    peak, over = clock.at(datetime.fromisoformat(m["peak"])), at(m["end"])
    known = all(isinstance(m[key], int | float) for key in ("extreme", "before", "during"))  # else masked
    beyond = known and abs(m["extreme"] - m["before"]) > PEAK * abs(m["during"] - m["before"])
    most = ("最高" if zh else "at most") if known and m["extreme"] > m["before"] else ("最低" if zh else "at least")
    value = f"{m['extreme']}{m['unit']}"
    said = (f"，{most} {value}（{peak}）" if zh else f", {most} {value} at {peak}") if beyond else ""
    if over is None:
        return said
    return said + (f"，{clock.at(over)} 回落" if zh else f", over at {clock.at(over)}")
