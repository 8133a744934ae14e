"""What the changes agent does without a model: it takes onset and services from earlier findings, ranks, and sums up.

Every number that it writes stands as a figure in the result it cites; a sentence that claims a cause cites. The
verdict comes first, with how sure it is; details stand after an empty line.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from orchestrator import when
from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from orchestrator.planner import CAUSE
from subagents.changes import undone
from subagents.changes.chinese import AGAINST, KINDS, OPEN, in_words, operational, untold
from subagents.changes.earlier import Earlier, read
from subagents.changes.listing import Span, listing
from subagents.changes.picked import by, picked, told
from subagents.plain.kinds import LATEST
from subagents.saying import Clock, clock_of, closed, divided, joined, lasting, listed, short, taken

REJECTED = 4
FAR = 24 * 14  # hours: the latest change may lie so far back


def playbook(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
    known = read(turn)
    if not turn.taken:
        calls: list[tuple[str, dict[str, Json]]] = []
        if known.onset is not None:
            calls.append(("suspects", {"onset": known.onset.isoformat(), "services": list(known.services)}))
        far = {"hours_before": FAR} if LATEST.search(turn.ctx.question.text) else {}
        return [*calls, ("list_changes", far)]
    ranked = taken(turn, "suspects")
    best = ranked.result.data["suspects"][:1] if ranked else []
    if best and not any(t.call.name == "show_change" for t in turn.taken):
        return [("show_change", {"id": best[0]["id"]})]
    return closed(turn, _ranked(turn, ranked, known) if ranked else [*_blameless(turn), *_listed(turn, known)])


def _blameless(turn: Turn) -> list[str]:
    """Where a cause was asked for, and nobody found that anything failed."""
    got = taken(turn, "list_changes")
    if got is None or not (turn.brief or {}).get("earlier") or not CAUSE.search(turn.ctx.question.text):
        return []
    if turn.ctx.lang == "zh":
        return [f"没有查到故障迹象，因此不指认变更 [{got.id}]。"]
    return [f"No sign of a failure was found in that time, so no change is blamed [{got.id}]."]


def _ranked(turn: Turn, got: Taken, known: Earlier) -> list[str]:
    data, zh, cite = got.result.data, turn.ctx.lang == "zh", f"[{got.id}]"
    clock = Clock(turn.ctx.window) if turn.ctx.window else clock_of(turn, got)
    good, n = data["suspects"], data["tied"]
    best, others = good[: max(1, n)], good[max(1, n) :]
    about = _about(known, clock, zh)
    head = [_best(row, clock, cite, zh, n > 1, about) for row in best]
    if n > 1:
        tie = f"有 {n} 个变更同样接近，无法分出先后 {cite}：" if zh else f"{n} changes are equally near, a tie {cite}:"
        head.insert(0, tie)
    if _operational(data):
        head, best = [_no_change(data["cause"], cite, zh)], []
    elif not good:
        head.append(_none(data, got, turn, about, cite, zh))
    details = [_reasons(row, cite, zh, known) for row in best]
    if good and data["cause"] is None:
        how = "（只按时间、依赖和类型的接近程度排序，没有分析内容。）"
        details.append(
            how if zh else "(Ranked by closeness in time, dependency and kind only; contents weren't judged.)"
        )
    if others:
        names = joined((_label(r) for r in others), zh)
        details.append(f"其次：{names} {cite}。" if zh else f"Less near: {names} {cite}.")
    return divided(head, [*details, *_rejected(data, clock, cite, zh)])


def _about(known: Earlier, clock: Clock, zh: bool) -> str:
    """ "what began at 22:03 +08:00", where that isn't the time that was asked about."""
    if not (known.aside and known.onset):
        return ""
    return f"{clock.zoned(known.onset)} 开始的问题" if zh else f"what began at {clock.zoned(known.onset)}"


def _operational(data: Json) -> bool:
    return data["cause"] is not None and data["cause"]["verdict"] == "operational"


def _no_change(cause: Json, cite: str, zh: bool) -> str:
    """No change is to blame, but something else is: what, on which service."""
    where, what = cause["service"] or cause["first_failing"], operational(cause["kind"], cause["title"], zh)
    if zh:
        return f"没有变更能解释；最可能的起因不是变更，而是{what}（{where}） {cite}。"
    return f"No change explains this; the likeliest cause is operational: {what}, seen on {where} {cite}."


def _against(lead: str, rows: Sequence[Json], clock: Clock, cite: str, zh: bool) -> list[str]:
    whys = [(_label(r), clock.at(_time(r)), AGAINST[r["against"]][not zh]) for r in rows]
    if not whys:
        return []
    if zh:
        return [f"{lead}：{'；'.join(f'{what}（{at}，{why}）' for what, at, why in whys)} {cite}。"]
    return [f"{lead}: {'; '.join(f'{what} ({at}, {why})' for what, at, why in whys)} {cite}."]


def _rejected(data: Json, clock: Clock, cite: str, zh: bool) -> list[str]:
    """The nearest changes that it is not, each with the reason, and that others were searched too; one that took a
    suspect back was named already."""
    named = {row["back"]["what"] for row in data["suspects"] if row["back"]}
    against = [r for r in data["rejected"] if r["against"] and r["what"] not in named]
    rows = against[:REJECTED]
    out, open_ = [r for r in rows if r["against"] not in OPEN], [r for r in rows if r["against"] in OPEN]
    lines = _against("附近的其他变更不是" if zh else "Not these nearby", out, clock, cite, zh)
    lines += _against(
        "附近的其他变更，是否有关不明" if zh else "Others nearby, of unknown bearing", open_, clock, cite, zh
    )
    if data["total"] > len(rows) + len(data["suspects"]) + len(named):
        n = data["total"]
        rest = (
            f"共查 {n} 个变更，未列出的离开始更远" if zh else f"Of {n} changes searched, those left out lie farther off"
        )
        lines.append(f"{rest} {cite}。" if zh else f"{rest} {cite}.")
    return lines


def _best(row: Json, clock: Clock, cite: str, zh: bool, tied: bool, about: str) -> str:
    """The one sentence that names a cause: what, which sha, when, who, and how sure that is."""
    change = " ".join(filter(None, (row["what"], _kind(row, zh), row["sha"][:12])))
    at, lead = clock.at(_time(row)), lasting(row["lead"], zh) if row["lead"] > 0 else ""
    back = (row["back"]["what"], clock.at(datetime.fromisoformat(row["back"]["at"]))) if row["back"] else None
    sure = _sure(row, tied, zh)
    if zh:
        timing = f"比开始早 {lead}" if lead else "与开始同时"
        who = f"{by(row, zh)} 于 " if row["author"] else ""
        said = f"{_head(row['clear'], tied, about, zh)} {change}（把握：{sure}）：{who}{at}，{timing} {cite}。"
        return said + (f"{back[0]} 于 {back[1]} 撤回了它 {cite}。" if back else "")
    timing = f"{lead} before the onset" if lead else "with the onset"
    who = f" by {by(row, zh)}" if row["author"] else ""
    said = f"{_head(row['clear'], tied, about, zh)} {change}{who} at {at}, {timing} (confidence {sure}) {cite}."
    return said + (f" {back[0]} took it back at {back[1]} {cite}." if back else "")


def _sure(row: Json, tied: bool, zh: bool) -> str:
    """As the analysis says; without one high only where people took the change back."""
    if tied or not row["clear"]:
        return "低" if zh else "low"
    if row["sure"]:
        return {"high": "高", "medium": "中", "low": "低"}[row["sure"]] if zh else str(row["sure"])
    return ("高" if zh else "high") if row["back"] else ("中" if zh else "medium")


def _reasons(row: Json, cite: str, zh: bool, known: Earlier) -> str:
    """Why it, its title, and its names in full."""
    title, where = short(row["title"].replace("`", ""), 100), _where(row, zh) + known.why(row["service"], zh)
    content = "".join(f"; {short(in_words(said, zh), 160)}" for said in row["why"][:2])
    if zh:
        return f"{row['what']}：`{title}`{_identity(row, zh)}，{where}{content.replace('; ', '；')} {cite}。"
    return f"{row['what']}: `{title}`{_identity(row, zh)}, {where}{content} {cite}."


def _identity(row: Json, zh: bool) -> str:
    """The sha in full; else the id where the name isn't it already."""
    said = "" if row["key"] == row["what"] else row["key"]
    said = f"sha {row['sha']}" if row["sha"] else said
    return (f"（{said}）" if zh else f" ({said})") if said else ""


def _head(clear: bool, tied: bool, about: str, zh: bool) -> str:
    if zh:
        weak, some, one = "没有变更能清楚地解释；最接近的是", "可能的起因是", "最可能的起因是"
        return (f"{about}，" if about else "") + (weak if not clear else some if tied else one)
    what = about or "this"
    of = f" of {about}" if about else ""
    weak, some, one = f"No change clearly explains {what}; the nearest is", f"A possible cause{of} is", (
        f"The likeliest cause{of} is"
    )  # fmt: skip
    return weak if not clear else some if tied else one


def _where(row: Json, zh: bool) -> str:
    if not row["calls"]:
        return f"作用于出错的 {row['near']}" if zh else f"on {row['near']}, which fails"
    return f"出错的 {row['near']} 依赖它" if zh else f"which {row['near']} depends on"


def _kind(row: Json, zh: bool) -> str:
    return KINDS[row["kind"]] if zh else str(row["kind"])


def _none(data: Json, got: Taken, turn: Turn, about: str, cite: str, zh: bool) -> str:
    if _unasked(got):
        return (
            f"没有变更数据源，无法判断是否由变更引起 {cite}。"
            if zh
            else f"Whether a change did it can't be told {cite}."
        )
    if missed := untold(got.result.gaps, cite, zh):
        return missed
    names = listed(data["services_asked"], zh)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    n = data["total"]
    if zh:
        what = f"都不在开始前不久，或不涉及 {names or '出错的服务'} 及其依赖"
        return f"没有变更能解释{about}：{span} 内的 {n} 个变更{what} {cite}。"
    what = f"none near before the onset touches {names or 'what fails'}"
    return f"No change explains {about or 'this'}: of {n} in {span}, {what} {cite}."


def _unasked(got: Taken) -> bool:
    """Nothing was searched, which is not the same as nothing found."""
    return any(g.startswith("no source of changes") for g in got.result.gaps)


def _label(row: Json) -> str:
    name = row["what"] if row["version"] else f"`{short(row['title'].replace('`', ''), 60)}`"
    return f"{name} {row['sha'][:12]}".strip() if row["sha"] else name


def _time(row: Json) -> datetime:
    return datetime.fromisoformat(row["at"])


def _empty(got: Taken, span: str, zh: bool) -> str:
    """That nothing was found, or that there was nothing to search."""
    cite = f"[{got.id}]"
    if _unasked(got):
        return f"没有变更数据源，没有查询 {cite}。" if zh else f"No source of changes was there to ask {cite}."
    none = f"{span} 内没有变更 {cite}。" if zh else f"No changes in {span} {cite}."
    return untold(got.result.gaps, cite, zh) or none


def _listed(turn: Turn, known: Earlier) -> list[str]:
    got, zh = taken(turn, "list_changes"), turn.ctx.lang == "zh"
    if got is None:
        return []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    if _unasked(got) or not data["total"]:
        return [_empty(got, span, zh)]
    text = turn.ctx.question.text
    if undone.ASKED.search(text):
        return undone.told(data["undone"][-1:] if LATEST.search(text) else data["undone"], span, clock, cite, zh)
    services = turn.ctx.scope.services
    own = [c for c in data["changes"] if c["service"] in services]
    asked = own or [c for c in data["changes"] if c["related"] or not services]
    if (found := picked(text, asked, services)).any:
        return told(found, span, clock, cite, zh)
    return listing(turn, data, known.onset, Span(span, clock, cite))
