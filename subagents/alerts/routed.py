"""Alerts by the groups in which their sender notifies of them, with the receivers: as a result, and as the playbook
says it. It knows where an alert is routed, not whether anybody read it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from orchestrator import when
from orchestrator.agent import Turn
from orchestrator.contracts import Figure, Json, ToolResult
from subagents.alerts.episodes import Group, group_json, grouped
from subagents.saying import listed, short, taken
from subagents.sources import Episode

ROWS, MOST, NAME = 30, 12, 60
ASKED = re.compile(
    r"接收[人者方组器]|(?:通知|发送|推送|发|路由)(?:了|到|给)*(?:谁|哪)|(?:告警|报警)的?(?:分组|组(?!件))|按(?:告警|报警)?组(?!件)|(?:怎么|如何)(?:分组|归组)|[一同]组(?!件)|谁.{0,4}[收接]到"
    r"|\breceivers?\b|\bgroups? of alerts\b|\balert(?:ing)? groups?\b|\bby (?:alert )?group\b"
    r"|\bgroup(?:ed|ing)\b(?! by (?!receiver|group))|\brouted to\b"
    r"|\b(?:who|whom)\b.{0,20}\b(?:notified|paged|alerted)\b",
    re.IGNORECASE,
)
Key = tuple[str, str]  # receiver, group


def added(listed_: ToolResult, rows: Sequence[Episode], asked: Sequence[str]) -> ToolResult:
    """A list of alerts with its groups: the text tells them instead, the data holds them besides. An alert of several
    groups stands in each; of those that no source knows a receiver of there is only how many."""
    by: dict[Key, list[Episode]] = {}
    mine = [e for e in rows if not asked or e.service in asked]
    for e in mine:
        for receiver, name in e.notified:  # which anybody may have written who can send a web hook
            by.setdefault((short(receiver, NAME), short(name)), []).append(e)
    groups = [(key, grouped(es)) for key, es in sorted(by.items(), key=lambda item: item[1][0].start)]
    unknown = len(grouped([e for e in mine if not e.notified]))
    receivers = list(dict.fromkeys(receiver for (receiver, _), _ in groups))
    text = [f"{len(groups)} groups of {len(receivers)} receivers"]
    for (receiver, name), es in groups[:ROWS]:
        members = (f"{g.name} {g.service}".strip() + (f" (suppressed: {g.by})" * g.suppressed) for g in es)
        text.append(f"{receiver} · {name or 'all in one'}: {len(es)} alerts: {listed(members, most=12)}")
    text += [f"{unknown} alerts of which no source tells a receiver"] if unknown else []
    figures = [Figure("groups", len(groups)), Figure("receivers", len(receivers)), Figure("not routed", unknown)]
    figures += [Figure("alerts", len(es), "", {"receiver": k[0], "group": k[1]}) for k, es in groups[:ROWS]]
    shown = [_json(key, es) for key, es in groups[:ROWS]]
    data = {**listed_.data, "groups": shown, "receivers": receivers, "unknown": unknown, "n": len(groups)}
    return replace(listed_, text="\n".join(text), data=data, figures=tuple(figures))


def _json(key: Key, rows: Sequence[Group]) -> Json:
    return {"receiver": key[0], "group": key[1].replace("`", "'"), "alerts": [group_json(g) for g in rows]}


def told(turn: Turn) -> list[str]:
    """By receiver, its groups in the order in which they began."""
    got, zh = taken(turn, "list_alerts"), turn.ctx.lang == "zh"
    if got is None or "groups" not in got.result.data:
        return []
    data, cite = got.result.data, f"[{got.id}]"
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    lines = [f"{_head(data, span, zh)} {cite}{_colon(data, zh)}"]
    lines += [_line(g, cite, zh) for g in data["groups"][:MOST]]
    if more := len(data["groups"]) - MOST if len(data["groups"]) > MOST else 0:
        lines.append(f"- 另有 {more} 组" if zh else f"- and {more} more groups")
    if data["unknown"] and data["groups"]:
        n = data["unknown"]
        lines.append(f"另有 {n} 个告警没有接收人信息 {cite}。" if zh else f"Of {n} more no receiver is known {cite}.")
    return lines


def _head(data: Json, span: str, zh: bool) -> str:
    n, receivers = data["n"], data["receivers"]
    who = listed(data["asked"], zh)
    if n:
        names = listed(receivers, zh)
        if zh:
            return f"{span} {who + ' ' if who else ''}的告警分 {n} 组，接收人 {len(receivers)} 个（{names}）"
        of = f" of {who}" if who else ""
        return f"Alerts{of} in {span}: {n} group{'s' * (n != 1)}, routed to {names}"
    if data["unknown"]:
        if zh:
            return f"{span} 有 {data['unknown']} 个告警，但没有数据源说明它们的分组和接收人"
        return f"{data['unknown']} alerts in {span}, and no source tells their groups or receivers"
    return f"{span} 没有告警" if zh else f"No alerts in {span}"


def _colon(data: Json, zh: bool) -> str:
    return ("：" if zh else ":") if data["n"] else "。" if zh else "."


def _line(g: Json, cite: str, zh: bool) -> str:
    def named(a: Json) -> str:
        name = f"{a['name']} ({a['service']})" if a["service"] else str(a["name"])
        held = ("，被抑制，不通知" if zh else ", held back") if a["suppressed"] else ""
        return f"{name}{held}"

    n, what = len(g["alerts"]), listed(map(named, g["alerts"]), zh)
    name = f"`{g['group']}`" if g["group"] else ("全部一组" if zh else "all in one group")
    if zh:
        return f"- {g['receiver']} · {name}：{n} 个告警，{what} {cite}"
    return f"- {g['receiver']} · {name}: {n} alert{'s' * (n != 1)}, {what} {cite}"
