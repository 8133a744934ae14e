"""What the logs agent does without a model: the calls for its usual questions, and a summary by template.

Every number that it writes stands as a figure in the result it cites.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from orchestrator import when
from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from subagents.saying import Clock, at, clock_of, closed, listed, short, taken

SLOW = ("slow", "latency", "span", "trace", "timeout", "慢", "卡", "延迟", "耗时", "链路", "超时")


def playbook(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
    if not turn.taken:
        calls: list[tuple[str, dict[str, Json]]] = [("count_errors", {"by": ["code"]}), ("patterns", {})]
        if "slow_spans" in turn.agent.by_name and any(w in turn.ctx.question.text.lower() for w in SLOW):
            calls.append(("slow_spans", {}))
        return calls
    peers = _peers(turn)
    if peers and sum(t.call.name == "patterns" for t in turn.taken) == 1:
        return [("patterns", {"services": peers})]
    return closed(turn, [*_counts(turn), *_patterns(turn), *_spans(turn)])


def _peers(turn: Turn) -> list[str]:
    """Services whose errors rose with those of the asked ones: what they complain about may be nearer the origin."""
    got = taken(turn, "count_errors")
    data = got.result.data if got else {"asked": [], "services": []}
    return [s for s in data["services"] if s and s not in data["asked"]][:4] if data["asked"] else []


def _counts(turn: Turn) -> list[str]:
    got, zh = taken(turn, "count_errors"), turn.ctx.lang == "zh"
    if got is None:
        return []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    rows = [row for row in data["counts"] if row["n"]][:6]
    lines = [_one(row, clock, "" if i or data["elsewhere"] else data["zone"], cite, zh) for i, row in enumerate(rows)]
    if not lines:
        who, n = listed(data["asked"], zh), data["lines"] or 0
        lines = [
            f"{span}：{who} 没有错误日志（共查 {n} 行）{cite}。" if zh
            else f"No error lines{' of ' + who if who else ''} in {span}, among {n} lines {cite}."
        ]  # fmt: skip
    codes = [f"{service} {code} ×{n}" for service, code, n in data["codes"] if code][:4]
    if codes:
        lines.append(f"状态码：{listed(codes, zh)} {cite}。" if zh else f"Codes: {listed(codes)} {cite}.")
    return [*_other(data, clock, cite, span, zh), *lines]


def _one(row: Json, clock: Clock, zone: str, cite: str, zh: bool) -> str:
    """`zone`: the data's own, where its clock is to stand beside the asker's."""
    onset, end, service = at(row["onset"]), at(row["end"]), row["service"] or ("（未知服务）" if zh else "(no service)")
    n, before = row["n"], row["before"]
    said = f"{service} {n} 条错误" if zh else f"{service}: {n} errors"
    if before is not None:
        said += f"（之前 {before}）" if zh else f" (before: {before})"
    if onset is not None:
        began = clock.both(onset, zone, zh) if zone else clock.at(onset)
        since = ("开始" if row["known"] else "已在报错") if zh else ("began at" if row["known"] else "already up at")
        said += f"，{began} {since}" if zh else f", {since} {began}"
        over = clock.at(end) if end else ""
        said += (f"，{over} 结束" if over else "，尚未结束") if zh else (f", ended at {over}" if over else ", not over")
    return f"{said} {cite}{'。' if zh else '.'}"


def _other(data: Json, clock: Clock, cite: str, span: str, zh: bool) -> list[str]:
    other = data["elsewhere"]
    if not other:
        return []
    began, end = clock.both(datetime.fromisoformat(other["onset"]), data["zone"], zh), at(other["end"])
    near, n, service = clock.at(datetime.fromisoformat(data["start"])), other["n"], other["service"]
    if zh:
        where = f"{near} 附近没有错误开始增多" if other["inside"] else f"{span} 内没有错误开始增多"
        until = f"，{clock.at(end)} 结束" if end else ""
        return [f"{where}；{service} 的错误从 {began} 开始{until}，共 {n} 条 {cite}。"]
    where = f"Nothing begins near {near}" if other["inside"] else f"Nothing begins in {span}"
    until = f" and end at {clock.at(end)}" if end else ""
    return [f"{where}; errors of {service} begin at {began}{until}, {n} in all {cite}."]


def _patterns(turn: Turn) -> list[str]:
    found = [t for t in turn.taken if t.call.name == "patterns" and t.result.data and t.result.data["patterns"]]
    return [line for got in found for line in _pattern(turn, got, turn.ctx.lang == "zh")]


def _pattern(turn: Turn, got: Taken, zh: bool) -> list[str]:
    """The most frequent new pattern of each service in one result, and whom its messages name."""
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    rows = [p for p in data["patterns"] if p["new"]] or data["patterns"][:1]
    lines = []
    for top in {p["service"]: p for p in reversed(rows)}.values():
        first = at(top["first"])
        since = "" if first is None else (f"，首次 {clock.at(first)}" if zh else f", first at {clock.at(first)}")
        what = (
            ("新模式" if top["new"] else "主要模式") if zh else ("New pattern of" if top["new"] else "Top pattern of")
        )
        lines.append(f"{what} {top['service']} ×{top['n']}{since}: `{short(top['template'].replace('`', ''))}` {cite}")
    for service, named, n in data["names"][:2]:
        said = f"{service} 的日志有 {n} 条提到 {named}" if zh else f"{n} messages of {service} name {named}"
        lines.append(f"{said} {cite}")
    return [line + ("。" if zh else ".") for line in lines]


def _spans(turn: Turn) -> list[str]:
    got, zh = taken(turn, "slow_spans"), turn.ctx.lang == "zh"
    if got is None or not got.result.data["spans"]:
        return []
    top = got.result.data["spans"][0]
    what = ("失败" if top["error"] else "最慢") if zh else ("Failed" if top["error"] else "Slowest")
    said = f"{what}的调用：{top['service']} {top['name']}" if zh else f"{what} span: {top['service']} {top['name']}"
    return [f"{said} {top['ms']} ms [{got.id}]{'。' if zh else '.'}"]
