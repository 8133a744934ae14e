"""What the changes agent does without a model: it takes onset and services from earlier findings, ranks, and sums up.

Every number that it writes stands as a figure in the result it cites; a sentence that claims a cause cites.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from orchestrator import when
from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from subagents.changes.earlier import Earlier, read
from subagents.saying import Clock, clock_of, closed, lasting, listed, offset, short, taken

AGAINST = {
    "after_onset": ("在开始之后", "after the onset"),
    "other_environment": ("其他环境", "another environment"),
    "docs_only": ("仅文档或测试", "documents or tests only"),
    "ended_before": ("早已结束", "over long before"),
    "other_service": ("无关服务", "a service not involved"),
    "unknown_service": ("未标明服务", "no service named"),
    "too_far": ("时间或依赖太远", "too far away in time or dependency"),
}
REJECTED, LISTED = 4, 6


def playbook(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
    known = read(turn)
    if not turn.taken:
        calls: list[tuple[str, dict[str, Json]]] = []
        if known.onset is not None:
            calls.append(("suspects", {"onset": known.onset.isoformat(), "services": list(known.services)}))
        return [*calls, ("list_changes", {})]
    ranked = taken(turn, "suspects")
    best = ranked.result.data["suspects"][:1] if ranked else []
    if best and not any(t.call.name == "show_change" for t in turn.taken):
        return [("show_change", {"id": best[0]["id"]})]
    return closed(turn, _ranked(turn, ranked, known) if ranked else _listed(turn))


def _ranked(turn: Turn, got: Taken, known: Earlier) -> list[str]:
    data, zh, cite, clock = got.result.data, turn.ctx.lang == "zh", f"[{got.id}]", clock_of(turn, got)
    good = data["suspects"]
    lines = [_best(row, clock, cite, zh, known, data["tied"] > 1) for row in good[: max(1, data["tied"])]]
    if known.aside and known.onset:
        began = f"{clock.at(known.onset)} {offset(known.onset, clock.name)}"
        aside = f"以下针对 {began} 开始的问题" if zh else f"This is about what began at {began}"
        lines.insert(0, f"{aside} {cite}{'。' if zh else '.'}")
    if data["tied"] > 1:
        n = data["tied"]
        tie = f"有 {n} 个变更同样接近，无法分出先后 {cite}：" if zh else f"{n} changes are equally near, a tie {cite}:"
        lines.insert(0, tie)
    if not good:
        lines.append(_none(data, got, turn, cite, zh))
    else:
        how = "（只按时间、依赖和类型的接近程度排序，没有分析内容。）"
        lines.append(how if zh else "(Ranked by closeness in time, dependency and kind only; contents weren't judged.)")
    if others := good[max(1, data["tied"]) :]:
        names = listed((_label(r) for r in others), zh)
        lines.append(f"其次：{names} {cite}。" if zh else f"Less near: {names} {cite}.")
    return lines + _rejected(data, clock, cite, zh)


def _rejected(data: Json, clock: Clock, cite: str, zh: bool) -> list[str]:
    """The nearest changes that it is not, each with the reason; one that took a suspect back was named already."""
    named = {row["back"]["what"] for row in data["suspects"] if row["back"]}
    rows = [r for r in data["rejected"] if r["against"] and r["what"] not in named][:REJECTED]
    if not rows:
        return []
    whys = [(_label(r), clock.at(_time(r)), *AGAINST[r["against"]]) for r in rows]
    if zh:
        return [f"附近的其他变更不是：{'；'.join(f'{what}（{at}，{why}）' for what, at, why, _ in whys)} {cite}。"]
    return [f"Not these nearby: {'; '.join(f'{what} ({at}, {why})' for what, at, _, why in whys)} {cite}."]


def _best(row: Json, clock: Clock, cite: str, zh: bool, known: Earlier, tied: bool) -> str:
    """The one sentence that names a cause: what, which sha, when, who, why."""
    head = _head(row["clear"], tied, zh)
    change = f"{row['what']} {_kind(row, zh)}{_identity(row, zh)}"
    at, title = clock.at(_time(row)), short(row["title"].replace("`", ""), 100)
    lead = lasting(row["lead"], zh) if row["lead"] > 0 else ""
    where = _where(row, zh) + known.why(row["service"], zh)
    back = (row["back"]["what"], clock.at(datetime.fromisoformat(row["back"]["at"]))) if row["back"] else None
    if zh:
        timing = f"比开始早 {lead}" if lead else "与开始同时"
        who = f"{row['author']} 于 " if row["author"] else "于 "
        said = f"{head} {change}：{who}{at} `{title}`，{timing}，{where} {cite}。"
        return said + (f"{back[0]} 于 {back[1]} 撤回了它 {cite}。" if back else "")
    timing = f"{lead} before the onset" if lead else "with the onset"
    who = f" by {row['author']}" if row["author"] else ""
    said = f"{head} {change}{who} at {at}, `{title}`: {timing}, {where} {cite}."
    return said + (f" {back[0]} took it back at {back[1]} {cite}." if back else "")


def _identity(row: Json, zh: bool) -> str:
    """The sha, short as people say it and once in full; else the id where the name isn't it already."""
    said = "" if row["key"] == row["what"] else row["key"]
    if row["sha"]:
        said = f"sha {row['sha'][:12]}{'，完整' if zh else ', in full'} {row['sha']}"
    return (f"（{said}）" if zh else f" ({said})") if said else ""


def _head(clear: bool, tied: bool, zh: bool) -> str:
    if not clear:
        weak = "没有变更能清楚地解释；最接近的是", "No change clearly explains this; the nearest is"
        return weak[0] if zh else weak[1]
    if tied:
        return "可能的起因是" if zh else "A possible cause is"
    return "最可能的起因是" if zh else "The likeliest cause is"


def _where(row: Json, zh: bool) -> str:
    if not row["calls"]:
        return f"作用于出错的 {row['near']}" if zh else f"on {row['near']}, which fails"
    return f"出错的 {row['near']} 依赖它" if zh else f"which {row['near']} depends on"


def _kind(row: Json, zh: bool) -> str:
    words = {
        "deploy": "部署",
        "release": "发布",
        "flag": "开关",
        "config": "配置变更",
        "commit": "提交",
        "ticket": "工单",
    }
    return words[row["kind"]] if zh else str(row["kind"])


def _none(data: Json, got: Taken, turn: Turn, cite: str, zh: bool) -> str:
    names = listed(data["services_asked"], zh)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    n = data["total"]
    if zh:
        what = f"都不在开始前不久，或不涉及 {names or '出错的服务'} 及其依赖"
        return f"没有变更能解释：{span} 内的 {n} 个变更{what} {cite}。"
    what = f"none near before the onset touches {names or 'what fails'}"
    return f"No change explains this: of {n} in {span}, {what} {cite}."


def _label(row: Json) -> str:
    name = row["what"] if row["version"] else f"`{short(row['title'].replace('`', ''), 60)}`"
    return f"{name} {row['sha'][:12]}".strip() if row["sha"] else name


def _time(row: Json) -> datetime:
    return datetime.fromisoformat(row["at"])


def _listed(turn: Turn) -> list[str]:
    got, zh = taken(turn, "list_changes"), turn.ctx.lang == "zh"
    if got is None:
        return []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    if not data["total"]:
        return [f"{span} 内没有变更 {cite}。" if zh else f"No changes in {span} {cite}."]
    rows = [c for c in data["changes"] if c["related"]] or data["changes"]
    rows = sorted(rows, key=lambda c: (not c["inside"], c["at"]))[:LISTED]
    n, near = data["total"], data["related"]
    some = near and near < n
    if zh:
        lines = [f"{span} 内有 {n} 个变更{f'，其中相关的 {near} 个' if some else ''} {cite}："]
    else:
        lines = [f"{n} changes in {span}{f', {near} of them related' if some else ''} {cite}:"]
    for row in sorted(rows, key=lambda c: str(c["at"])):
        who = (f"（{row['author']}）" if zh else f" by {row['author']}") if row["author"] else ""
        title = short(row["title"].replace("`", ""), 80)
        what = " ".join(dict.fromkeys(x for x in (_kind(row, zh), row["what"], row["sha"][:12]) if x))
        lines.append(f"- {clock.at(_time(row))} {what}{who}: `{title}` {cite}")
    return lines
