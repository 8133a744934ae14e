"""How bad a severity is, whichever word a team uses for it. An unknown word counts as a warning."""

from __future__ import annotations

from subagents.alerts.episodes import SEVERITIES, weight
from subagents.cause.symptoms import SEVERE

WORST, HIGH = 0, weight("high")
MAJOR = weight("major")  # this and worse is what people are woken for
OTHERS = {
    "sev0": WORST, "p0": WORST, "disaster": WORST, "紧急": WORST, "严重": WORST, "致命": WORST, "灾难": WORST,
    "重要": HIGH, "高": HIGH,
}  # fmt: skip


def rank(severity: str) -> int:
    """0 is the worst."""
    low = severity.strip().lower()
    if low in SEVERITIES:
        return weight(low)
    if low in OTHERS:
        return OTHERS[low]
    return {3: WORST, 2: HIGH}.get(SEVERE.get(low, 1), weight("warning"))


def severe(severity: str) -> bool:
    return rank(severity) <= MAJOR
