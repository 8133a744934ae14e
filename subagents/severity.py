"""How bad a severity is, whichever word a team uses for it. It knows no alert and no product."""

from __future__ import annotations

WORST, MAJOR, WARNING, MINOR, CALM = range(5)
WORDS: dict[int, str] = {
    WORST: "critical fatal page emergency disaster sev0 sev1 p0 p1 严重 紧急 致命 灾难 危急 特别严重",
    MAJOR: "error high major sev2 p2 重要 高 主要 重大 错误",
    WARNING: "warning warn medium average sev3 p3 警告 中 一般 预警 一般严重",
    MINOR: "minor low sev4 p4 低 次要 轻微",
    CALM: "info information none notice ok sev5 p5 提示 信息 通知 提醒",
}
_RANKS = {word: rank for rank, words in WORDS.items() for word in words.split()}


def rank(severity: str) -> int:
    """0 is the worst, 4 no trouble; an unknown word counts as a warning."""
    return _RANKS.get(severity.strip().lower(), WARNING)


def severe(severity: str) -> bool:
    """What people are woken for."""
    return rank(severity) <= MAJOR
