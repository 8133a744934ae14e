"""What fires at this moment, in words: first what nobody holds back, then what is silenced or inhibited, and by whom.

Knows no source: it reads how they word a silence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from orchestrator.agent import Taken, Turn
from orchestrator.contracts import Json
from subagents.saying import Clock, clock_of, listed, taken

MOST = 8
SILENCED = re.compile(r"silenced by (.+?)(?: until (\d{4}-\d\d-\d\d \d\d:\d\d) UTC)?(?: \((.*)\))?", re.DOTALL)
INHIBITED = re.compile(r"inhibited by (.+)", re.DOTALL)


def firing(turn: Turn) -> list[str]:
    """How many fire, the worst first; those that are held back apart."""
    got, zh = taken(turn, "firing_now"), turn.ctx.lang == "zh"
    if got is None:
        return []
    cite, rows = f"[{got.id}]", got.result.data["alerts"]
    loud, quiet = [a for a in rows if not a["suppressed"]], [a for a in rows if a["suppressed"]]
    if not rows:
        return [f"现在没有告警在触发 {cite}。" if zh else f"Nothing fires now {cite}."]
    if zh:
        said = f"现在有 {len(loud)} 个告警在触发：{_names(loud, zh)}" if loud else "现在没有未被静默或抑制的告警"
        held_back = f"；另有 {len(quiet)} 个被静默或抑制：{_names(quiet, zh)}" if quiet else ""
        return [f"{said}{held_back} {cite}。"]
    n = f"{len(loud)} alert{'' if len(loud) == 1 else 's'} fire{'s' if len(loud) == 1 else ''} now"
    said = f"{n}: {_names(loud, zh)}" if loud else "No alert fires now that isn't silenced or inhibited"
    held_back = f"; {len(quiet)} silenced or inhibited: {_names(quiet, zh)}" if quiet else ""
    return [f"{said}{held_back} {cite}."]


def _names(rows: Sequence[Json], zh: bool) -> str:
    def name(a: Json) -> str:
        about = ", ".join(filter(None, (a["service"], a["severity"])))
        return f"{a['name']} ({about})" if about else str(a["name"])

    return listed(map(name, rows), zh)


def silent(turn: Turn, got: Taken) -> list[str]:
    """What is silenced or inhibited, by whom."""
    zh, clock, cite = turn.ctx.lang == "zh", clock_of(turn, got), f"[{got.id}]"
    rows = got.result.data["alerts"][:MOST]
    if not rows:
        return [f"现在没有被静默或抑制的告警 {cite}。" if zh else f"No alert is silenced or inhibited now {cite}."]
    said = []
    for a in rows:
        since, by, what = clock.at(datetime.fromisoformat(a["start"])), held(a["by"], clock, zh), _names([a], zh)
        said.append(f"{what} 自 {since} 触发，{by} {cite}。" if zh else f"{what} fires since {since}, {by} {cite}.")
    return said


def held(by: str, clock: Clock, zh: bool) -> str:
    """Who or what holds an alert back, in the asker's language and clock."""
    said = [_one(part, clock, zh) for part in by.split("; ") if part]
    if not said:
        return "被抑制" if zh else "suppressed"
    return ("；" if zh else "; ").join(said)


def _one(by: str, clock: Clock, zh: bool) -> str:
    if found := SILENCED.fullmatch(by):
        who, until, why = found.groups()
        end = clock.zoned(datetime.fromisoformat(until).replace(tzinfo=UTC)) if until else ""
        if zh:
            return f"被 {who} 静默{f'至 {end}' if end else ''}{f'（{why}）' if why else ''}"
        return f"silenced by {who}{f' until {end}' if end else ''}{f' ({why})' if why else ''}"
    if found := INHIBITED.fullmatch(by):
        return f"被 {found[1]} 抑制" if zh else by
    return f"被抑制: {by}" if zh else f"suppressed: {by}"
