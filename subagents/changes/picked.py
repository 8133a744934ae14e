"""Which of the listed changes a question asks for: of one person, of one kind, the latest; and how they are told.

Pure: reads rows of `list_changes` and the question's words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from orchestrator.contracts import Json
from subagents.cause.relations import same_environment
from subagents.changes.chinese import KINDS
from subagents.plain.kinds import LATEST, WHO, changes_asked
from subagents.saying import Clock, joined, short

MOST = 5
_DOES = r"改|发|上线|部署|合并|提交|动|推|回滚|做|干"
_PERSON = re.compile(
    rf"(?<![A-Za-z0-9_.-])(?P<zh>[A-Za-z][\w.-]+)\s?(?:(?:昨|今|前)[天晚]|最近|上周|刚才?|都|又|到底)*\s?(?:{_DOES})(?:了|过|的|什么|啥)"
    r"|\b(?:what|which \w+) (?:did|has|have) (?P<en>[a-z][\w.-]+)"
    r" (?:deploy|change|merge|ship|push|commit|do|release|roll)"
    r"|\b(?:changes?|commits?|deploys?|deployments?|releases?) (?:by|from|of) (?P<by>[a-z][\w.-]+)",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    ("we", "you", "they", "i", "anyone", "anybody", "someone", "somebody", "people", "us", "them", "it", "the", "he",
     "she", "this", "that")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picked:
    """`people`: whose were asked for; `stranger`: a person named of whom nothing is known; `kinds`: of these kinds
    (None: all); `latest`: only the newest; `others`: of other kinds, where there is none of those asked for."""

    rows: tuple[Json, ...]
    people: tuple[str, ...]
    stranger: str
    kinds: frozenset[str] | None
    latest: bool
    who: bool
    others: tuple[Json, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.people or self.stranger or self.latest or self.who or self.kinds)


def picked(text: str, rows: Sequence[Json], services: Sequence[str]) -> Picked:
    """Newest first."""
    people = tuple(dict.fromkeys(r["author"] for r in rows if r["author"] and named(r["author"], text)))
    said = next((m[m.lastgroup or 0] for m in _PERSON.finditer(text)), "")
    known = {*_NOBODY, *(s.casefold() for s in services), *(str(r["service"]).casefold() for r in rows)}
    stranger = said if said and not people and said.casefold() not in known else ""
    kinds, latest = changes_asked(text) or None, bool(LATEST.search(text))
    mine = [r for r in rows if (not people or r["author"] in people) and not stranger and _is(r, kinds)]
    mine.sort(key=lambda r: (r.get("inside", True) or latest, str(r["at"])), reverse=True)
    who = bool(WHO.search(text))
    others = sorted(rows, key=lambda r: str(r["at"]), reverse=True) if who and kinds and not (mine or people) else ()
    return Picked(tuple(mine[:1] if latest else mine), people, stranger, kinds, latest, who, tuple(others))


def named(author: str, text: str) -> bool:
    """By the whole name or one part of it ("carlos" of carlos.mendez), also as "carlos' " or, in haste, "carloss"."""
    names = [author, *(p for p in re.split(r"[\s._@-]+", author.partition("@")[0]) if len(p) > 2)]
    return any(
        re.search(rf"(?<![a-z0-9]){re.escape(n)}(?:['’]?s)?(?![a-z0-9])", text, re.IGNORECASE)
        if n.isascii()
        else n in text
        for n in names
    )


def _is(row: Json, kinds: frozenset[str] | None) -> bool:
    return kinds is None or row["kind"] in kinds or (kinds == {"config"} and bool(row.get("config")))


def told(found: Picked, span: str, clock: Clock, cite: str, zh: bool) -> list[str]:
    """A few lines, newest first; where there are none, that."""
    whose = found.stranger or joined(found.people, zh)
    kinds = joined(sorted(KINDS[k] if zh else k for k in found.kinds), zh) if found.kinds else ""
    if not found.rows:
        none = f"{span} 内没有{whose and f' {whose} 的'}{kinds or '变更'} {cite}。" if zh else (
            f"No {kinds or 'changes'}{f' by {whose}' if whose else ''} in {span} {cite}."
        )  # fmt: skip
        more = _rows(found.others, clock, cite, zh)
        return [none, *([f"其他变更 {cite}：" if zh else f"Changes of other kinds {cite}:"] if more else ()), *more]
    return _rows(found.rows, clock, cite, zh)


def _rows(rows: Sequence[Json], clock: Clock, cite: str, zh: bool) -> list[str]:
    lines = [_row(row, clock, cite, zh) for row in rows[:MOST]]
    if len(rows) > MOST:
        lines.append(f"更早的未列出 {cite}。" if zh else f"Earlier ones are left out {cite}.")
    return lines


def _row(row: Json, clock: Clock, cite: str, zh: bool) -> str:
    at, who = clock.at(datetime.fromisoformat(row["at"])), by(row, zh)
    kind = KINDS[row["kind"]] if zh else str(row["kind"])
    what = " ".join(dict.fromkeys(" ".join(x for x in (kind, row["what"], row["sha"][:12]) if x).split()))
    early = "" if row.get("inside", True) else "（不在所问时段内）" if zh else " (not in the asked time)"
    title = f"`{short(row['title'].replace('`', ''), 70)}`{state(row, zh)}"
    return f"{who}：{at} {what} {title}{early} {cite}。" if zh else f"{who}: {at} {what} {title}{early} {cite}."


def state(row: Json, zh: bool) -> str:
    """Where a change went, if not into production, and that it failed or was cancelled, in its system's word."""
    where = str(row.get("environment") or "").replace("`", "")
    parts = [f"`{short(where, 30)}`"] if where and not same_environment(where, "production") else []
    if row.get("outcome"):
        parts.append(f"{row['outcome']}，未生效" if zh else f"{row['outcome']}: it changed nothing")
    return ("（{}）".format("；".join(parts)) if zh else f" ({'; '.join(parts)})") if parts else ""


def by(row: Json, zh: bool) -> str:
    """Who made a change, marked where only its commit tells."""
    if not row["author"]:
        return "作者没有记录" if zh else "no author recorded"
    if row.get("author_of") == "commit" and row["kind"] != "commit":
        return f"提交者 {row['author']}" if zh else f"{row['author']} (author of the commit)"
    return str(row["author"])
