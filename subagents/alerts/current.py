"""What fires at this moment, in words: first what nobody holds back, then what is silenced or inhibited, and by whom.

Knows no source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from subagents.paging import Hold, holds
from subagents.saying import Clock, clock_of, listed, taken

MOST = 8
HOW = {"silenced": "静默", "inhibited": "抑制", "muted": "静音"}


def firing(turn: Turn) -> list[str]:
    """How many fire, the worst first; those that are held back apart, and apart those of which no end is known."""
    got, zh = taken(turn, "firing_now"), turn.ctx.lang == "zh"
    if got is None:
        return []
    cite, data = f"[{got.id}]", got.result.data
    sure = [a for a in data["alerts"] if a["end_known"]]
    loud, quiet = [a for a in sure if not a["suppressed"]], [a for a in sure if a["suppressed"]]
    unsure = [a for a in data["alerts"] if not a["end_known"]]
    then = _then(data["ended"], clock_of(turn, got), zh)
    said = [_loud(loud, quiet, then, zh)] if sure or not unsure else []
    if quiet:
        n, names = len(quiet), _names(quiet, zh)
        said.append(f"另有 {n} 个被静默或抑制：{names}" if zh else f"{n} silenced or inhibited: {names}")
    if unsure:
        said.append(_unsure(unsure, clock_of(turn, got), zh))
    return [f"{('；' if zh else '; ').join(said)} {cite}{'。' if zh else '.'}"]


def _then(ended: str | None, clock: Clock, zh: bool) -> str:
    """ "" for now; else the end of data that ended before."""
    if ended is None:
        return ""
    last = clock.zoned(datetime.fromisoformat(ended))
    return f"数据末尾（{last}）" if zh else f"at {last}, where the data ends"


def _loud(loud: Sequence[Json], quiet: Sequence[Json], then: str, zh: bool) -> str:
    if zh:
        when = then or "现在"
        if not loud:
            return f"{when}没有未被静默或抑制的告警" if quiet else f"{when}没有告警在触发"
        return f"{when}有 {len(loud)} 个告警在触发：{_names(loud, zh)}"
    when = then or "now"
    if not loud:
        return f"No alert fires {when} that isn't silenced or inhibited" if quiet else f"Nothing fires {when}"
    n = f"{len(loud)} alert{'' if len(loud) == 1 else 's'} fire{'s' if len(loud) == 1 else ''}"
    return f"{n} {when}: {_names(loud, zh)}"


def _unsure(rows: Sequence[Json], clock: Clock, zh: bool) -> str:
    """Alerts that began, and of whose end the data tells nothing: neither firing nor over."""
    first = clock.at(min(datetime.fromisoformat(a["start"]) for a in rows))
    if zh:
        since = f"最早 {first} 触发" if len(rows) > 1 else f"{first} 触发"
        return f"{len(rows)} 个告警恢复时间未知，无法判断是否还在触发：{_names(rows, zh)}，{since}"
    since = f"the first began at {first}" if len(rows) > 1 else f"began at {first}"
    whose = "alert has" if len(rows) == 1 else "alerts have"
    return f"{len(rows)} {whose} an unknown end, so whether it is over can't be told: {_names(rows, zh)}, {since}"


def _names(rows: Sequence[Json], zh: bool) -> str:
    def name(a: Json) -> str:
        about = ", ".join(filter(None, (a["service"], a["severity"])))
        return f"{a['name']} ({about})" if about else str(a["name"])

    return listed(map(name, rows), zh)


def silent(turn: Turn, got: Taken) -> list[str]:
    """What is silenced or inhibited, by whom."""
    zh, clock, cite = turn.ctx.lang == "zh", clock_of(turn, got), f"[{got.id}]"
    rows = got.result.data["alerts"][:MOST]
    if not rows and got.result.data["untold"]:
        none = "没有数据源记录静默和抑制，无法判断" if zh else "No source tells what is silenced or inhibited"
        return [f"{none} {cite}{'。' if zh else '.'}"]
    if not rows:
        return [f"现在没有被静默或抑制的告警 {cite}。" if zh else f"No alert is silenced or inhibited now {cite}."]
    said = []
    for a in rows:
        since, by, what = clock.at(datetime.fromisoformat(a["start"])), held(a["by"], clock, zh), _names([a], zh)
        said.append(f"{what} 自 {since} 触发，{by} {cite}。" if zh else f"{what} fires since {since}, {by} {cite}.")
    return said


def held(by: str, clock: Clock, zh: bool, ends: bool = True) -> str:
    """Who or what holds an alert back, in the asker's language and clock; `ends`: and until when."""
    said = [_one(hold if ends else replace(hold, until=None), clock, zh) for hold in holds(by)]
    if not said:
        return "被抑制" if zh else "suppressed"
    return ("；" if zh else "; ").join(said)


def _one(hold: Hold, clock: Clock, zh: bool) -> str:
    if not hold.how:
        return f"被抑制: {hold.who}" if zh else f"suppressed: {hold.who}"
    end = clock.zoned(hold.until) if hold.until else ""
    if zh:
        why = f"（{hold.why}）" if hold.why else ""
        return f"被 {hold.who} {HOW[hold.how]}{f'至 {end}' if end else ''}{why}"
    return f"{hold.how} by {hold.who}{f' until {end}' if end else ''}{f' ({hold.why})' if hold.why else ''}"
