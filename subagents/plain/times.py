"""Two times against each other: the figure of each with its window, or that there is no data of one. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from orchestrator import when
from orchestrator.contracts import Evidence, Json
from subagents.plain.seen import Seen
from subagents.saying import whose

MOST = 5
Side = tuple[Json, str, Evidence]
_ALERTS = re.compile(r"告警|报警|警报|\b(?:alert|alarm|page)", re.IGNORECASE)
_REQUESTS = re.compile(r"请求|访问量|流量|\b(?:requests?|traffic)\b", re.IGNORECASE)
_SHARE = re.compile(r"可用|成功率|错误率|失败率|\b(?:availab|uptime|slo\b|sla\b|\w+ rate\b)", re.IGNORECASE)


def told(seen: Seen) -> list[str]:
    """A line for each thing whose number in both times is known or asked for; nothing where no other time is named."""
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
