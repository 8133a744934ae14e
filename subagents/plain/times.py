"""Two times against each other: the figure of each with its window, or that there is no data of one. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from orchestrator import when
from orchestrator.contracts import Evidence, Json
from subagents.compared import also
from subagents.plain.kinds import kinds
from subagents.plain.seen import Seen
from subagents.plain.words import Verdict, opened
from subagents.saying import whose

MOST = 5
ABOUT = 0.75  # of the other's number, from which both are about the same
_MANY = re.compile(r"多|高|频繁|\b(?:many|much|high|busy|bad|often)\b", re.IGNORECASE)
Side = tuple[Json, str, Evidence]
_ALERTS = re.compile(r"告警|报警|警报|\b(?:alert|alarm|page)", re.IGNORECASE)
_REQUESTS = re.compile(r"请求|访问量|流量|\b(?:requests?|traffic)\b", re.IGNORECASE)
_SHARE = re.compile(r"可用|成功率|错误率|失败率|\b(?:availab|uptime|slo\b|sla\b|\w+ rate\b)", re.IGNORECASE)


def told(seen: Seen) -> list[str]:
    """A line for each thing whose number in both times is known or asked for; nothing where no other time is named.
    Where it is asked if one was like the other, that is the first word."""
    lines = _lines(seen)
    return opened(_alike(seen), lines, seen.zh) if lines and also(seen.text) else lines


def _lines(seen: Seen) -> list[str]:
    if slow := _latency(seen):
        return slow
    lines = [*_alerts(seen), *_requests(seen)]
    named = any(p.search(seen.text) for p in (_ALERTS, _REQUESTS, _SHARE))
    return lines if lines and named else [*lines, *_errors(seen)]


def _sides(seen: Seen, tool: str) -> tuple[Side, Side] | None:
    now, then = seen.of(tool), seen.beside(tool)
    return (now, then) if now and then else None


def _line(seen: Seen, what: str, sides: tuple[Side, Side], value: Callable[[Json], str]) -> str:
    """ "login-svc errors: 540 in 10:30–11:30 [L1], 1 in …, yesterday [L2]." """
    said = []
    for data, cite, e in sides:
        span = when.say(e.result.window, lang=seen.turn.ctx.lang) if e.result.window else ""
        said.append(f"{span} {value(data)} {cite}" if seen.zh else f"{value(data)} in {span} {cite}")
    return f"{what}：{'；'.join(said)}。" if seen.zh else f"{what}: {'; '.join(said)}."


def _alike(seen: Seen) -> Verdict:
    """Whether the asked time had as much as the present, an hour each; "more" is as much where "that many" is asked."""
    tool, number = next((t, n) for words, t, n in _COUNTS if words.search(seen.text))
    sides = _sides(seen, tool)
    hourly = [_hourly(number(data, seen.asked), e) for data, _, e in sides or ()]
    if len(hourly) < 2 or None in hourly:
        return "unknown"
    then, present = (float(n or 0.0) for n in hourly)
    most = float("inf") if _MANY.search(seen.text) else present / ABOUT
    return "yes" if present * ABOUT <= then <= most else "no"


def _hourly(n: int | None, e: Evidence) -> float | None:
    span = e.result.window
    return None if n is None or span is None else n / max(1.0, (span.end - span.start).total_seconds()) * 3600.0


def _requested(data: Json, asked: Sequence[str]) -> int | None:
    totals = [int(r["total"]) for r in data["ratios"] if not asked or r["service"] in asked]
    return sum(totals) if totals else None


def _failed(data: Json, asked: Sequence[str]) -> int | None:
    n = sum(int(r["n"]) for r in data["counts"] if not asked or r["service"] in asked)
    return n if n or data["lines"] else None


_COUNTS: tuple[tuple[re.Pattern[str], str, Callable[[Json, Sequence[str]], int | None]], ...] = (
    (_ALERTS, "count_alerts", lambda data, _: None if data["blind"] else int(data["total"])),
    (_REQUESTS, "availability", _requested),
    (re.compile(""), "count_errors", _failed),
)


def _latency(seen: Seen) -> list[str]:
    """The usual latency in both times, where slowness is asked."""
    sides, zh = _sides(seen, "metric"), seen.zh
    if sides is None or "slow" not in kinds(seen.text):
        return []
    rows = [r for data, _, _ in sides for r in data["slow"] if not seen.asked or r["service"] in seen.asked]
    names = list(dict.fromkeys((r["service"], r["name"]) for r in rows))[:MOST]

    def value(which: tuple[str, str], data: Json) -> str:
        r = next((r for r in data["slow"] if (r["service"], r["name"]) == which), None)
        return f"{r['usual']}{r['unit']}" if r else "没有数据" if zh else "no data"

    return [
        _line(seen, f"{which[0]} `{which[1]}`".strip(), sides, lambda data, which=which: value(which, data))  # type: ignore[misc]
        for which in names
    ] or [_line(seen, "延迟" if zh else "latency", sides, lambda _: "没有数据" if zh else "no data")]


def _errors(seen: Seen) -> list[str]:
    sides, zh = _sides(seen, "count_errors"), seen.zh
    if sides is None:
        return []
    rows = [r for data, _, _ in sides for r in data["counts"] if r["service"] and r["n"]]
    names = seen.asked or tuple(dict.fromkeys(r["service"] for r in rows))[:MOST]

    def value(name: str, data: Json) -> str:
        n = sum(r["n"] for r in data["counts"] if name in ("", r["service"]))
        if not n and data["lines"] == 0:
            return "没有日志" if zh else "no logs"
        return f"{n} 条" if zh else str(n)

    what = "{} 的错误" if zh else "errors of {}"
    whole = "错误" if zh else "errors"
    return [
        _line(seen, what.format(name) if name else whole, sides, lambda data, name=name: value(name, data))  # type: ignore[misc]
        for name in names or ("",)
    ]


def _alerts(seen: Seen) -> list[str]:
    sides, zh = _sides(seen, "count_alerts"), seen.zh

    def value(data: Json) -> str:
        if data["blind"]:
            return "没有告警数据" if zh else "no data of alerts"
        return f"{data['total']} 个" if zh else str(data["total"])

    return [_line(seen, "触发的告警" if zh else "alerts that began", sides, value)] if sides else []


def _requests(seen: Seen) -> list[str]:
    """How many requests, and what part of them was good where that is asked for."""
    sides, zh = _sides(seen, "availability"), seen.zh
    if sides is None:
        return []
    found = [r["service"] for data, _, _ in sides for r in data["ratios"]]
    names = [s for s in dict.fromkeys(found) if not seen.asked or s in seen.asked][:MOST]
    none = "没有请求指标" if zh else "no request metrics"
    only = bool(_REQUESTS.search(seen.text)) and not _SHARE.search(seen.text)

    def value(name: str, data: Json) -> str:
        row = next((r for r in data["ratios"] if r["service"] == name), None)
        if row is None:
            return none
        if only:
            return f"{row['total']} 次请求" if zh else f"{row['total']} requests"
        bad = f"{row['total']} 次请求中失败 {row['bad']} 次" if zh else f"{row['bad']} of {row['total']} requests bad"
        return f"{row['percent']:g}%（{bad}）" if zh else f"{row['percent']:g}% ({bad})"

    what = ("请求数" if only else "可用率") if zh else "requests" if only else "availability"
    return [
        _line(seen, f"{who} {what}" if zh else f"{what} of {who}", sides, lambda data, name=name: value(name, data))  # type: ignore[misc]
        for name, who in ((name, whose(name, zh)) for name in names)
    ] or [_line(seen, what, sides, lambda data: none)]
