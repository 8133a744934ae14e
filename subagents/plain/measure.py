"""A figure against a limit, and what the data doesn't measure: answered with the exact figure or what comes nearest."""

from __future__ import annotations

import re

from orchestrator.contracts import Json
from subagents.plain import parts
from subagents.plain.seen import Seen
from subagents.plain.words import Verdict, opened, stop
from subagents.saying import joined

_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s?(?:%|％|percent)", re.IGNORECASE)
_GOOD = re.compile(r"可用|成功率|达标|\b(?:availab\w+|uptime|slo|sla|success rate|objective|target)\b", re.IGNORECASE)
_LESS = re.compile(r"低于|小于|不到|\b(?:below|under|less than|lower than|miss(?:ed)?|breach\w*|violat\w*)\b", re.I)
_ORDERS = re.compile(r"订单|交易|营收|损失|\b(?:orders?|transactions?|sales|revenue)\b", re.IGNORECASE)


def threshold(seen: Seen) -> list[str]:
    """Availability (or its complement, the error rate) of the asked time against the number in the question, else
    against the objective of settings."""
    zh, rows = seen.zh, seen.rows("availability", "ratios")
    limit = float(m[1]) if (m := _LIMIT.search(seen.text)) else None
    if not rows[0]:
        got = seen.of("availability")
        if got is None:
            return []
        none = "没有请求指标，比不了" if zh else "there are no request metrics to compare"
        return opened("unknown", [stop(f"{seen.span} 内{none}" if zh else f"in {seen.span} {none}", got[1], zh)], zh)
    if limit is None and not any(r["objective"] for r in rows[0]):
        none = "没有写明目标值（设置里也没有 SLO 目标）" if zh else "no objective is named, nor set"
        lines = [
            stop(f"{none}；{_ratio(r, zh)}" if zh else f"{none}; {_ratio(r, zh)}", rows[1], zh) for r in rows[0][:1]
        ]
        return opened("unknown", lines, zh)
    judged = [(_holds(seen.text, r, limit), r) for r in rows[0]]
    hit = [r for yes, r in judged if yes]
    good = _GOOD.search(seen.text) and not _LESS.search(seen.text)
    verdict: Verdict = "yes" if (len(hit) == len(judged) if good else hit) else "no"
    shown = sorted(judged, key=lambda x: (x[0] == bool(good), x[1]["percent"]))[:3]
    aim = f"{limit:g}%" if limit is not None else ""
    lines = [stop(_ratio(r, zh) + _aim(r, aim, zh), rows[1], zh) for _, r in shown]
    whole = f"以上是 {seen.span} 整段的平均" if zh else f"That is the mean of all of {seen.span}"
    return opened(verdict, [*lines, stop(whole, rows[1], zh)], zh)


def _holds(text: str, r: Json, limit: float | None) -> bool:
    """Whether what was asked is true of one service."""
    bound = limit if limit is not None else float(r["objective"] or 0.0)
    percent = float(r["percent"])
    if _GOOD.search(text):
        return percent < bound if _LESS.search(text) else percent >= bound
    return _rate(r) < bound if _LESS.search(text) else _rate(r) > bound


def _ratio(r: Json, zh: bool) -> str:
    if zh:
        return (
            f"{r['service']} 可用率 {r['percent']:g}%，错误率 {_rate(r):g}%（{r['total']} 次请求中失败 {r['bad']} 次）"
        )
    return (
        f"availability of {r['service']} {r['percent']:g}%, error rate {_rate(r):g}% "
        f"({r['bad']} of {r['total']} requests bad)"
    )


def _rate(r: Json) -> float:
    return round(100.0 * float(r["bad"]) / float(r["total"]), 4)


def _aim(r: Json, limit: str, zh: bool) -> str:
    aim = limit or f"{r['objective']:g}%"
    return f"，对照 {aim}" if zh else f", held against {aim}"


def impact(seen: Seen) -> list[str]:
    """How many users failing lines name, else that nobody counted them or orders, and the figures that come nearest."""
    if counted := parts.users(seen) if not _ORDERS.search(seen.text) else []:
        return [*counted, *_beside(seen)]
    zh, rows = seen.zh, seen.rows("availability", "ratios")
    what = (
        ("订单" if _ORDERS.search(seen.text) else "用户") if zh else "orders" if _ORDERS.search(seen.text) else "users"
    )
    near = sorted((r for r in rows[0] if r["bad"]), key=lambda r: -r["bad"])[:3]
    lead = f"没有{what}数的数据" if zh else f"Not measured: the data counts no {what}"
    if near:
        said = joined((f"{r['service']} {r['bad']}/{r['total']}" for r in near), zh)
        lines = [
            stop(
                f"{lead}；最接近的是失败请求：{said}" if zh else f"{lead}; nearest are failed requests: {said}",
                rows[1],
                zh,
            )
        ]
    elif rows[0]:
        total = joined((f"{r['service']} {r['total']}" for r in rows[0][:3]), zh)
        lines = [
            stop(f"{lead}；最接近的是请求数：{total}" if zh else f"{lead}; nearest are requests: {total}", rows[1], zh)
        ]
    else:
        got = seen.of("count_errors") or seen.of("list_alerts")
        lines = [
            stop(
                f"{lead}，也没有请求指标" if zh else f"{lead}, and there are no request metrics",
                got[1] if got else "",
                zh,
            )
        ]
    counts, cite = seen.rows("count_errors", "counts")
    named = joined((f"{r['service']} {r['n']}" for r in counts if r["n"] and r["service"]), zh)
    lines += [stop(f"错误日志：{named}" if zh else f"Error lines: {named}", cite, zh)] if named else []
    return [*lines, *_beside(seen)]


def _beside(seen: Seen) -> list[str]:
    """The other services whose errors rose with those of the asked ones: how far it reached."""
    got, zh = seen.of("count_errors"), seen.zh
    if got is None or not seen.asked:
        return []
    rows = [r for r in got[0]["counts"] if r["service"] in got[0]["services"] and r["service"] not in seen.asked]
    named = joined((f"{r['service']} {r['n']}" for r in rows if r["service"]), zh)
    return (
        [stop(f"同时增多的还有 {named}" if zh else f"Errors of others rose with them: {named}", got[1], zh)]
        if named
        else []
    )
