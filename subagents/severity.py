"""How bad a severity is, whichever word a team uses for it. It knows no alert and no product."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORST, MAJOR, WARNING, MINOR, CALM = range(5)
WORDS: dict[int, str] = {
    WORST: "critical fatal page emergency disaster sev0 sev1 p0 p1 严重 紧急 致命 灾难 危急 特别严重",
    MAJOR: "error high major sev2 p2 重要 高 主要 重大 错误",
    WARNING: "warning warn medium average sev3 p3 警告 中 一般 预警 一般严重",
    MINOR: "minor low sev4 p4 低 次要 轻微",
    CALM: "info information none notice ok sev5 p5 提示 信息 通知 提醒",
}
_RANKS = {word: rank for rank, words in WORDS.items() for word in words.split()}


_LOOSE = frozenset(  # words that mean much else
    ("page", "error", "ok", "none", "notice", "high", "low", "average",
     "错误", "通知", "高", "中", "低", "一般", "信息")
)  # fmt: skip
_WORD = "|".join(sorted(map(re.escape, set(_RANKS) - _LOOSE), key=len, reverse=True))
_NAMED = re.compile(
    rf"(?<![a-z0-9])(?P<of>{_WORD})\s?(?:级别?|等级)?的?\s?"
    r"(?:告警|报警|警报|(?:severity )?(?:alerts?|alarms?|pages?|ones?)\b)"
    rf"|(?:只看|只要|只列|仅看?|\b(?:only|just)(?: the| show)?)\s?(?P<only>{_WORD})(?![a-z0-9])"
    rf"|(?<![a-z0-9])(?P<end>{_WORD})\s?(?:级别?的|的|only\b)",
    re.IGNORECASE,
)


def named(text: str, known: Iterable[str]) -> tuple[str, frozenset[str]]:
    """The severity of alerts that a text wants to see, in its own word, and those of `known` that are meant: that word
    itself, else whatever is as bad. ("", none) where it names none."""
    found = next((m[m.lastgroup or 0] for m in _NAMED.finditer(text)), "")
    every = frozenset(known)
    same = frozenset(s for s in every if s.strip().casefold() == found.casefold())
    return found, (same or frozenset(s for s in every if rank(s) == rank(found))) if found else frozenset()


def rank(severity: str) -> int:
    """0 is the worst, 4 no trouble; an unknown word counts as a warning."""
    return _RANKS.get(severity.strip().lower(), WARNING)


def severe(severity: str) -> bool:
    """What people are woken for."""
    return rank(severity) <= MAJOR
