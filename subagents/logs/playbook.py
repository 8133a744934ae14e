"""What the logs agent does without a model: the calls for its usual questions, and a summary by template.

Every number that it writes stands as a figure in the result it cites. What the question asks for comes first; details
stand after an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from orchestrator import when
from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from orchestrator.planner import CAUSE
from subagents.compared import COMPARED, beside
from subagents.plain import parts
from subagents.plain.kinds import kinds
from subagents.plain.sought import searches, wider
from subagents.saying import (
    HOURLY,
    HOW_MANY,
    Clock,
    at,
    clock_of,
    closed,
    divided,
    joined,
    listed,
    short,
    taken,
    tight,
    whose,
)

SLOW = ("slow", "latency", "span", "trace", "timeout", "慢", "卡", "延迟", "耗时", "链路", "超时")
CODES = re.compile(r"(?<![\d.:])[45](?:\d\d|xx)(?![\d:])|状态码|返回码|错误码|\bcodes?\b", re.IGNORECASE)
KINDS = re.compile(
    r"模式|哪种|哪类|哪些(?:错误|报错|异常)|(?<![为有])什么(?:错误|报错|异常)|(?:错误|报错|异常)(?:内容|信息|类型)|新的?(?:错误|报错|异常)"
    r"|\bpatterns?\b|\bwhat (?:kinds?|sorts?|types?|errors?)\b|\bwhich (?:errors?|exceptions?|messages?)\b"
    r"|\bnew (?:errors?|exceptions?|messages?)\b",
    re.IGNORECASE,
)
TOP = re.compile(
    r"(?:报错|错误|异常|日志)[^，。？?]{0,4}(?:排行|排名|top)|top\s?\d*\s?(?:的)?\s?(?:个|种|条)?(?:报错|错误|异常)|最(?:多|常见|频繁)的\s?(?:报错|错误|异常)"
    r"|\b(?:most (?:common|frequent|often)|top)(?: \d+)? (?:\w+ )?(?:errors?|exceptions?|failures?|messages?)\b",
    re.IGNORECASE,
)
REQUEST = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ HTTP/")  # a line of an access log
WHICH = re.compile(r"哪[些个]?服务|谁在报错|\bwhich services?\b", re.IGNORECASE)
HEAD, HOURS, MOST = 2, 8, 6


def playbook(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
    text = turn.ctx.question.text
    if not turn.taken:
        calls: list[tuple[str, dict[str, Json]]] = [("count_errors", {"by": ["code"]})]
        if beside(turn.ctx):
            calls.append(("count_errors", {"window": COMPARED}))
        sought = [] if parts.asked(text) or _users(text) else searches(turn)
        calls += _fields(text)
        calls += [("search_logs", args) for args in sought]
        if not (_only_counts(turn) or any("words" in args for args in sought)):  # those lines tell their kinds
            calls.append(("patterns", {}))
        if "slow_spans" in turn.agent.by_name and any(w in text.lower() for w in SLOW):
            calls.append(("slow_spans", {}))
        return calls
    if more := [] if _users(text) else wider(turn):
        return [("search_logs", args) for args in more]
    peers = [] if _only_counts(turn) else _peers(turn)
    if peers and sum(t.call.name == "patterns" for t in turn.taken) == 1:
        return [("patterns", {"services": peers})]
    aside, head, details = _counts(turn)
    patterns, spans = _patterns(turn), _spans(turn)
    if KINDS.search(text) or TOP.search(text):
        first = MOST if TOP.search(text) else HEAD
        patterns, head, details = [], [*patterns[:first], *head], [*patterns[first:], *details]
    return closed(turn, divided([*aside, *spans, *head], [*details, *patterns]))


def _only_counts(turn: Turn) -> bool:
    text = turn.ctx.question.text
    return bool(HOW_MANY.search(text) or HOURLY.search(text)) and not (CAUSE.search(text) or KINDS.search(text))


def _users(text: str) -> bool:
    return "impact" in kinds(text) and re.search(parts.USERS.said, text, re.IGNORECASE) is not None


def _fields(text: str) -> list[tuple[str, dict[str, Json]]]:
    """What a question wants told of fields: a part of what runs, a number of users, one path of requests."""
    part = parts.USERS if _users(text) else parts.asked(text)
    calls: list[tuple[str, dict[str, Json]]] = [("count_field", {"field": part.name})] if part else []
    path = parts.route(text)
    return [*calls, *([("count_requests", {"path": path})] if path else [])]


def _peers(turn: Turn) -> list[str]:
    """Services whose errors rose with those of the asked ones: what they complain about may be nearer the origin."""
    got = taken(turn, "count_errors")
    data = got.result.data if got else {"asked": [], "services": []}
    return [s for s in data["services"] if s and s not in data["asked"]][:4] if data["asked"] else []


def _nothing(data: Json, span: str, cite: str, zh: bool) -> str:
    """No errors of services that wrote something; of the others only that they wrote nothing."""
    who, n = listed(data["heard"] if data["asked"] else [], zh), data["lines"] or 0
    unsaid = data["unsaid"]["zh" if zh else "en"] if data["unsaid"] else ""
    if zh:
        where = "该时段" if data["elsewhere"] else f"{span}："
        subject = f"{' ' * (where == '该时段')}{who} " * bool(who)
        none = f"{where}{subject}没有错误日志（共查 {n} 行）" if n else where.removesuffix("：")
        return f"{none}{'；' if n and unsaid else '：' if unsaid else ''}{unsaid}{cite}。"
    of, where = f" of {who}" * bool(who), "it" if data["elsewhere"] else span
    none = f"No error lines{of} in {where}, among {n} lines" if n else f"In {where}"
    return f"{none}{'; ' if n and unsaid else ': ' if unsaid else ''}{unsaid} {cite}."


def _counts(turn: Turn) -> tuple[list[str], list[str], list[str]]:
    """What begins at another time, what heads the summary, and the rest."""
    got, zh = taken(turn, "count_errors"), turn.ctx.lang == "zh"
    if got is None:
        return [], [], []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    only = _only_counts(turn)
    rows = [
        row for row in data["counts"] if row["n"] and (not only or not data["asked"] or row["service"] in data["asked"])
    ]
    groups = _alike(rows)
    zone = "" if data["elsewhere"] else data["zone"]
    lines = [_group(g, clock, "" if i else zone, data, cite, zh) for i, g in enumerate(groups[: HEAD + MOST])]
    if rest := [f"{_name(row, zh)} {row['n']}" for g in groups[HEAD + MOST :] for row in g]:
        lines.append(f"另有错误：{'、'.join(rest)} {cite}。" if zh else f"Errors also of: {', '.join(rest)} {cite}.")
    if not any(not data["asked"] or row["service"] in data["asked"] for row in rows):
        lines.insert(0, _nothing(data, span, cite, zh))
    first = len(lines) if WHICH.search(turn.ctx.question.text) else 1 if data["asked"] else HEAD
    head, details = lines[:first], lines[first:]
    if HOURLY.search(turn.ctx.question.text):
        head = [*_by_slot(rows[:MOST], data["hourly"], clock, cite, zh), *head]
    codes = [f"{service} {code} ×{n}" for service, code, n in data["codes"] if code][:4]
    if codes and (not only or CODES.search(turn.ctx.question.text)):
        said = f"状态码：{listed(codes, zh)} {cite}。" if zh else f"Codes: {listed(codes)} {cite}."
        (head if CODES.search(turn.ctx.question.text) else details).append(said)
    return _other(data, clock, cite, span, zh), head, details


def _alike(rows: Iterable[Json]) -> list[list[Json]]:
    """Services of which the same can be said stand together."""
    groups: dict[tuple[object, ...], list[Json]] = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in ("n", "before", "onset", "known", "end", "rise")), []).append(row)
    return list(groups.values())


def _name(row: Json, zh: bool) -> str:
    return whose(row["service"], zh)


def _group(rows: Sequence[Json], clock: Clock, zone: str, data: Json, cite: str, zh: bool) -> str:
    """`zone`: the data's own, where its clock is to stand beside the asker's."""
    row, names = rows[0], joined((_name(r, zh) for r in rows), zh)
    onset, end, n, before = at(row["onset"]), at(row["end"]), row["n"], row["before"]
    each = len(rows) > 1
    if zh:
        said = f"{names} {'各 ' if each else ''}{n} 条错误"
    else:
        said = f"{names}: {n} error{'' if n == 1 else 's'}{' each' if each else ''}"
    if before is not None:
        said += f"（之前 {before}）" if zh else f" (before: {before})"
    if onset is not None:
        began = clock.both(onset, zone, zh) if zone else clock.at(onset)
        known = row["known"]
        since = ("开始" if known else "已在报错") if zh else ("began at" if known else "was already up at")
        part = _part(n, row["rise"], zh)
        said += tight(f"，{part}{began} {since}") if zh else f", {part}{since} {began}"
        over = clock.at(end) if end else ""
        still = _still(data, zh)
        said += (f"，{over} 结束" if over else f"，{still}") if zh else (f", ended at {over}" if over else f", {still}")
    return f"{said} {cite}{'。' if zh else '.'}"


def _part(n: int, rise: int, zh: bool) -> str:
    """How many belong to the rise whose times follow, where these aren't those of the window."""
    if rise < n:
        return f"其中 {rise} 条属于一次升高：" if zh else f"{rise} of them in a rise that "
    return "" if rise == n else f"属于共 {rise} 条的一次升高：" if zh else f"part of a rise of {rise} that "


def _still(data: Json, zh: bool) -> str:
    if data["still"]:
        return "到数据末尾仍未结束" if zh else "still going on at the end of the data"
    return "到窗口末尾仍未结束" if zh else "still going on at the end of the window"


def _by_slot(rows: Sequence[Json], hourly: bool, clock: Clock, cite: str, zh: bool) -> list[str]:
    """The errors of each hour (or day), in one line a service; many empty ones in one word."""
    lines = []
    for row in rows:
        slots = [(clock.slot(datetime.fromisoformat(start), hourly), n) for start, n in row["slots"].items()]
        full = [(name, n) for name, n in slots if n]
        shown = slots if len(slots) <= HOURS else full
        said = joined((f"{name} {n}" for name, n in shown), zh)
        rest = "" if len(shown) == len(slots) else ("；其余时段没有" if zh else "; none in the others")
        lines.append(f"{_name(row, zh)} {said}{rest} {cite}。" if zh else f"{_name(row, zh)}: {said}{rest} {cite}.")
    return lines


def _other(data: Json, clock: Clock, cite: str, span: str, zh: bool) -> list[str]:
    """The first line where something begins at another time than was asked for."""
    other = data["elsewhere"]
    if not other:
        return []
    began, end = clock.both(datetime.fromisoformat(other["onset"]), data["zone"], zh), at(other["end"])
    near, n, service = clock.zoned(datetime.fromisoformat(data["start"])), other["n"], _name(other, zh)
    if zh:
        where = f"{near} 附近没有错误开始增多" if other["inside"] else f"{span} 内没有错误开始增多"
        until = f"，{clock.at(end)} 结束" if end else ""
        return [tight(f"{where}；{service} 的错误从 {began} 开始{until}，共 {n} 条 {cite}。")]
    where = f"Nothing begins near {near}" if other["inside"] else f"Nothing begins in {span}"
    until = f" and end at {clock.at(end)}" if end else ""
    return [f"{where}; errors of {service} begin at {began}{until}, {n} in all {cite}."]


def _patterns(turn: Turn) -> list[str]:
    found = [t for t in turn.taken if t.call.name == "patterns" and t.result.data and t.result.data["patterns"]]
    return [line for got in found for line in _pattern(turn, got, turn.ctx.lang == "zh")]


def _pattern(turn: Turn, got: Taken, zh: bool) -> list[str]:
    """The first pattern of each service in one result, whom its messages name, and how many rare ones are left out."""
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    rows = [p for p in data["patterns"] if not REQUEST.search(p["template"])]
    kept = [p for p in rows if not p["stray"]] or rows
    tops = _tops(kept, turn.ctx.question.text)[:MOST]
    lines = [_one_pattern(top, clock, cite, zh) for top in tops]
    hidden = data["strays"] - sum(p["stray"] for p in tops)
    if hidden > 0 and len(tops) < len(rows):
        few = (
            f"另有 {data['strays']} 个只出现几次的新模式未列出"
            if zh
            else f"New patterns of few messages, left out: {data['strays']}"
        )
        lines.append(f"{few} {cite}")
    for service, named, n in data["names"][:2]:
        said = f"{service} 的日志有 {n} 条提到 {named}" if zh else (
            f"{n} message{'' if n == 1 else 's'} of {service} name{'s' if n == 1 else ''} {named}"
        )  # fmt: skip
        lines.append(f"{said} {cite}")
    return [line + ("。" if zh else ".") for line in lines]


def _tops(rows: Sequence[Json], text: str) -> list[Json]:
    """Those that are asked for: the most frequent failures, all, or of each service the one that tells most."""
    if TOP.search(text):
        failing = [p for p in rows if p["level"] in ("error", "fatal")]
        return sorted(failing or rows, key=lambda p: -p["n"])
    return list(rows) if KINDS.search(text) else _leading(rows)


def _leading(rows: Sequence[Json]) -> list[Json]:
    """Of each service, in order, the first pattern if it is new, else the one that fails most often."""
    found = []
    for service in dict.fromkeys(p["service"] for p in rows):
        mine = [p for p in rows if p["service"] == service]
        failing = [p for p in mine if p["level"] in ("error", "fatal")]
        found.append(mine[0] if mine[0]["new"] else max(failing or mine, key=lambda p: p["n"]))
    return found


def _one_pattern(top: Json, clock: Clock, cite: str, zh: bool) -> str:
    first = at(top["first"])
    since = "" if first is None else (f"，首次 {clock.at(first)}" if zh else f", first at {clock.at(first)}")
    what = ("新模式" if top["new"] else "主要模式") if zh else ("New pattern of" if top["new"] else "Top pattern of")
    return f"{what} {_name(top, zh)} ×{top['n']}{since}: `{short(top['template'].replace('`', ''), 160)}` {cite}"


def _spans(turn: Turn) -> list[str]:
    got, zh = taken(turn, "slow_spans"), turn.ctx.lang == "zh"
    if got is None or not got.result.data["spans"]:
        return []
    top = got.result.data["spans"][0]
    what = ("失败" if top["error"] else "最慢") if zh else ("Failed" if top["error"] else "Slowest")
    said = f"{what}的调用：{top['service']} {top['name']}" if zh else f"{what} span: {top['service']} {top['name']}"
    return [f"{said} {top['ms']} ms [{got.id}]{'。' if zh else '.'}"]
