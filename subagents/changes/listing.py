"""How a list of changes is told without a model: those of the asked time first, older ones after them, marked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from orchestrator import when
from orchestrator.agent import Turn
from orchestrator.contracts import Json
from subagents.changes.chinese import KINDS
from subagents.changes.picked import by, state
from subagents.changes.shown import SHORT
from subagents.saying import Clock, short


@dataclass(frozen=True, slots=True)
class Span:
    """What was searched, in words; the clock of that window; the citation."""

    said: str
    clock: Clock
    cite: str


def listing(turn: Turn, data: Json, onset: datetime | None, searched: Span) -> list[str]:
    """`data`: of `list_changes`; `onset`: when the trouble began, None where none is known."""
    zh, span, clock, cite = turn.ctx.lang == "zh", searched.said, searched.clock, searched.cite
    n, near = data["total"], data["related"]
    some = bool(near) and near < n
    rows = _foremost([c for c in data["changes"] if c["related"] or not near], onset)
    rows.sort(key=lambda c: str(c["at"]))
    asked_for = [_entry(c, clock, cite, zh) for c in rows if c["inside"]]
    older = [_entry(c, clock, cite, zh) for c in rows if not c["inside"]]
    inner = when.say(turn.ctx.window, lang=turn.ctx.lang) if turn.ctx.window else span
    if not older or not asked_for:
        lead = span if asked_for else inner
        lines = [_head_of(n if asked_for else 0, near if some and asked_for else 0, lead, cite, zh), *asked_for]
    else:
        lines = [_head_of(data["inside"], 0, inner, cite, zh), *asked_for]
    if older:
        lines.append(f"在此之前（{span} 起）{cite}：" if zh else f"Before that, searched from {span} {cite}:")
    return [*lines, *older, *_left_out(data, some, cite, zh)]


def _head_of(n: int, related: int, span: str, cite: str, zh: bool) -> str:
    if not n:
        return f"{span} 内没有变更 {cite}。" if zh else f"No changes in {span} {cite}."
    if zh:
        return f"{span} 内有 {n} 个变更{f'，其中相关的 {related} 个' if related else ''} {cite}："
    return f"{n} change{'s' * (n != 1)} in {span}{f', {related} of them related' if related else ''} {cite}:"


def _entry(row: Json, clock: Clock, cite: str, zh: bool) -> str:
    who = (f"（{row['author']}）" if zh else f" by {by(row, zh)}") if row["author"] else ""
    kind = KINDS[row["kind"]] if zh else str(row["kind"])
    title = short(row["title"].replace("`", ""), 80)
    what = " ".join(dict.fromkeys(x for x in (kind, row["what"], row["sha"][:12]) if x))
    return f"- {clock.at(datetime.fromisoformat(row['at']))} {what}{who}: `{title}`{state(row, zh)} {cite}"


def _foremost(rows: Sequence[Json], onset: datetime | None) -> list[Json]:
    """The rows of a short list: those nearest to the onset, else what runs before what is only written, the latest."""

    def place(row: Json) -> tuple[object, ...]:
        if onset is not None:
            return (abs(datetime.fromisoformat(row["at"]) - onset),)
        return (row["kind"] in ("commit", "ticket"), not row["inside"], -datetime.fromisoformat(row["at"]).timestamp())

    return sorted(rows, key=place)[:SHORT]


def _left_out(data: Json, some: bool, cite: str, zh: bool) -> list[str]:
    """How many changes a short list doesn't show, and why."""
    more, others = data["not_listed"], data["total"] - data["related"]
    said = []
    if more:
        said.append(f"还有 {more} 个较早的变更未列出" if zh else f"{more} more changes, earlier ones, are left out")
    if some:
        rest = f"其余 {others} 个变更与所问服务及其依赖无关，未列出"
        said.append(rest if zh else f"Left out, since of other services: {others}")
    return [f"{line} {cite}{'。' if zh else '.'}" for line in said]
