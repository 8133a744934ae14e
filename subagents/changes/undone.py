"""Which changes took others back, and how that is told: reverts, rollbacks, a version that ran before. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from orchestrator.contracts import Json
from subagents.changes.chinese import KINDS
from subagents.changes.ranking import bundled, name
from subagents.changes.switches import turned
from subagents.saying import Clock, short
from subagents.sources import Change

ASKED = re.compile(
    r"回滚|回退|撤回|还原|\b(?:roll(?:ed|ing|s)?[ -]?(?:\w+ ){0,2}back|rollbacks?|revert(?:ed|s|ing)?|undid|undone)\b",
    re.IGNORECASE,
)


def told(rows: Sequence[Json], span: str, clock: Clock, cite: str, zh: bool) -> list[str]:
    """Who took what back, and when."""
    if not rows:
        return [f"{span} 内没有回滚或撤回 {cite}。" if zh else f"Nothing was rolled back or reverted in {span} {cite}."]
    lines = []
    for row in rows:
        at, kind = clock.at(datetime.fromisoformat(row["at"])), KINDS[row["kind"]] if zh else str(row["kind"])
        what = " ".join(x for x in (kind, row["what"], row["sha"][:12]) if x)
        what = " ".join(dict.fromkeys(what.split()))
        title = short(row["title"].replace("`", ""), 80)
        of = " ".join(
            filter(None, (row["of"], f"`{short(row['of_title'].replace('`', ''), 80)}`" * bool(row["of_title"])))
        )
        if zh:
            taken_back = f"撤回 {of}" if of else "撤回了什么没有写明"
            lines.append(f"{at} {row['author'] or '作者不详'}：{what} `{title}`，{taken_back} {cite}。")
        else:
            taken_back = f"took back {of}" if of else "what it took back isn't written"
            lines.append(f"{at} {row['author'] or 'author unknown'}: {what} `{title}`, {taken_back} {cite}.")
    return lines


_UNDOES = re.compile(r"^(?:revert|roll(?:ed|ing)?[ -]?back)\b|^(?:回滚|回退|撤回|还原)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Undone:
    """`of`: what was taken back and its title, "" where that isn't told."""

    change: Change
    of: dict[str, str]


def undoing(rows: Sequence[Change], first: Sequence[str]) -> list[Undone]:
    """Changes that took others back, oldest first: who, when, and what where that is told; a deploy stands for the
    commits it carries. `first`: only of these services, where they are named."""
    known = {name: c for c in rows for name in (c.sha, c.id) if name}
    found = []
    for c, commits in bundled(rows):
        one = next((x for x in (c, *commits) if x.reverts), c)
        of = known.get(one.reverts) or _before(c, rows) or turned(c, rows)
        if not (one.reverts or of or any(_UNDOES.search(x.title) for x in (c, *commits))):
            continue
        if first and c.service not in first:
            continue
        found.append(Undone(c, {"of": name(of) if of else one.reverts[:12], "of_title": of.title[:200] if of else ""}))
    return sorted(found, key=lambda u: u.change.at)


def _before(c: Change, rows: Sequence[Change]) -> Change | None:
    """The deploy that this one replaced by a version which ran before it."""
    mine = [x for x in rows if x.kind == c.kind == "deploy" and x.service == c.service and x.at < c.at]
    mine = [x for x in mine if x.environment == c.environment]
    again = c.version and any(x.version == c.version for x in mine[:-1])
    return mine[-1] if again and mine[-1].version != c.version else None
