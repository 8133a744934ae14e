"""What the alerts agent does without a model: the calls for its usual questions, and a summary by template.

Every number that it writes stands as a figure in the result it cites.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from orchestrator import when
from orchestrator.agent import Turn
from orchestrator.contracts import Json
from subagents.saying import Clock, at, clock_of, closed, listed, taken

NOW = ("now", "currently", "right now", "still", "firing", "现在", "当前", "目前", "正在", "还在", "眼下")
MOST = 5


def playbook(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
    measured = "metric" in turn.agent.by_name
    if not turn.taken:
        calls: list[tuple[str, dict[str, Json]]] = [("list_alerts", {}), ("count_alerts", {})]
        if measured:
            calls.append(("availability", {}))
        if any(word in turn.ctx.question.text.lower() for word in NOW):
            calls.append(("firing_now", {}))
        return calls
    if measured and (services := _services(turn)) and not any(t.call.name == "metric" for t in turn.taken):
        return [("metric", {"services": services})]
    return closed(turn, [*_alerts(turn), *_counts(turn), *_now(turn), *_ratios(turn), *_metrics(turn)])


def _services(turn: Turn) -> list[str]:
    """Whose metrics are worth a look: those whose alerts began together, and those that were asked for."""
    got = taken(turn, "list_alerts")
    return list(dict.fromkeys([*(got.result.data["services"] if got else ()), *turn.ctx.scope.services]))[:6]


def _alerts(turn: Turn) -> list[str]:
    got, zh = taken(turn, "list_alerts"), turn.ctx.lang == "zh"
    if got is None:
        return []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    lead = [a for a in data["alerts"] if a["lead"]]
    rows = sorted(lead, key=lambda a: a["start"])[:MOST]
    zone = "" if data["elsewhere"] else data["zone"]
    lines = [_one(a, i, len(rows), clock, zone, zh, cite) for i, a in enumerate(rows)]
    rest = [f"{a['name']} ({a['service']})" if a["service"] else a["name"] for a in data["alerts"] if not a["lead"]]
    if not lines:
        who = listed(data["asked"], zh)
        none = f"{span}：{who} 没有告警" if zh else f"No alerts{' of ' + who if who else ''} in {span}"
        lines = [f"{none} {cite}{'。' if zh else '.'}"]
    if rest:
        lines.append(f"另有其他告警：{listed(rest, zh)} {cite}。" if zh else f"Other alerts: {listed(rest)} {cite}.")
    return [*_other(data, clock, cite, span, zh), *lines]


def _one(a: Json, i: int, of: int, clock: Clock, zone: str, zh: bool, cite: str) -> str:
    """`zone`: the data's own, where its clock is to stand beside the asker's: with the first of the rows."""
    start, end = datetime.fromisoformat(a["start"]), at(a["end"])
    began = clock.both(start, zone, zh) if zone and i == 0 else clock.at(start)
    marks = _marks(a, i == 0 and of > 1, zh)
    if zh:
        until = f"，{clock.at(end)} 恢复" if end else "，未恢复" if a["end_known"] else "，结束时间未知"
        return f"{a['name']}（{a['service']}，{a['severity']}{marks}）{began} 触发{until} {cite}。"
    until = f", ended {clock.at(end)}" if end else ", still open" if a["end_known"] else ", end unknown"
    return f"{a['name']} ({a['service']}, {a['severity']}{marks}) fired at {began}{until} {cite}."


def _marks(a: Json, first: bool, zh: bool) -> str:
    marks = ["最先" if zh else "first"] if first else []
    if a["suppressed"]:
        marks.append(("被抑制" if zh else "suppressed") + (f": {a['by']}" if a["by"] else ""))
    if a["flapping"]:
        marks.append(f"抖动 {a['n']} 次" if zh else f"flapping, {a['n']} times")
    elif a["n"] > 1:
        marks.append(f"{a['n']} 次" if zh else f"{a['n']} times")
    return "".join(f"{'，' if zh else ', '}{m}" for m in marks)


def _other(data: Json, clock: Clock, cite: str, span: str, zh: bool) -> list[str]:
    other = data["elsewhere"]
    if not other:
        return []
    began = clock.both(datetime.fromisoformat(other["onset"]), data["zone"], zh)
    near = clock.at(datetime.fromisoformat(data["start"]))
    name = f"{other['name']} ({other['service']})" if other["service"] else other["name"]
    if zh:
        where = f"{near} 附近没有告警开始" if other["inside"] else f"{span} 内没有相关告警开始"
        return [f"{where}；{name} 从 {began} 开始 {cite}。"]
    where = f"No alert begins near {near}" if other["inside"] else f"No such alert begins in {span}"
    return [f"{where}; {name} begins at {began} {cite}."]


def _counts(turn: Turn) -> list[str]:
    got, zh = taken(turn, "count_alerts"), turn.ctx.lang == "zh"
    if got is None or not got.result.data["total"]:
        return []
    total, table = got.result.data["total"], got.result.data["counts"].get("severity", {})
    parts = listed((f"{name or '?'} {n}" for name, n in table.items()), zh)
    said = f"窗口内触发的告警：{total} 个（{parts}）" if zh else f"Alerts that began in the window: {total} ({parts})"
    return [f"{said} [{got.id}]{'。' if zh else '.'}"]


def _now(turn: Turn) -> list[str]:
    got, zh = taken(turn, "firing_now"), turn.ctx.lang == "zh"
    if got is None:
        return []
    names = listed((a["name"] for a in got.result.data["alerts"]), zh)
    if not names:
        return [f"现在没有告警在触发 [{got.id}]。" if zh else f"Nothing fires now [{got.id}]."]
    return [f"现在触发中：{names} [{got.id}]。" if zh else f"Firing now: {names} [{got.id}]."]


def _ratios(turn: Turn) -> list[str]:
    got, zh = taken(turn, "availability"), turn.ctx.lang == "zh"
    if got is None:
        return []
    asked = _services(turn)
    rows = [r for r in got.result.data["ratios"] if not asked or r["service"] in asked][:4]
    said = [
        f"{r['service']} 可用率 {r['percent']:g}%（{r['total']} 次请求中失败 {r['bad']} 次）" if zh
        else f"availability of {r['service']} {r['percent']:g}% ({r['bad']} of {r['total']} requests bad)"
        for r in rows
    ]  # fmt: skip
    return [f"{line} [{got.id}]{'。' if zh else '.'}" for line in said]


def _metrics(turn: Turn) -> list[str]:
    got, zh = taken(turn, "metric"), turn.ctx.lang == "zh"
    if got is None:
        return []
    clock, lines = clock_of(turn, got), []
    for m in got.result.data["series"][:2]:
        since = clock.at(datetime.fromisoformat(m["onset"]))
        said = f"{m['service']} `{m['name']}` "
        said += f"{m['before']}{m['unit']} → {m['during']}{m['unit']}"
        said += f"，{since} 起" if zh else f" since {since}"
        lines.append(f"{said} [{got.id}]{'。' if zh else '.'}")
    return lines
