"""Words that all plain answers share: the first word, names, times. Texts only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from orchestrator.contracts import Json
from subagents.changes.chinese import KINDS
from subagents.plain.seen import Seen, Stretch
from subagents.saying import Clock, at, joined

FEW = 4
Verdict = Literal["yes", "no", "unknown"]
FIRST = {"yes": ("是，", "Yes: "), "no": ("否，", "No: "), "unknown": ("无法判断：", "Can't tell: ")}
THERE = {"yes": ("有，", "Yes: "), "no": ("没有，", "No: "), "unknown": ("无法判断：", "Can't tell: ")}


def opened(verdict: Verdict, lines: list[str], zh: bool, words: dict[str, tuple[str, str]] = FIRST) -> list[str]:
    """The lines, the first of them led by yes, no, or that it can't be told."""
    return [words[verdict][0 if zh else 1] + lines[0], *lines[1:]]


def stop(text: str, cite: str, zh: bool) -> str:
    """A sentence with its citation."""
    return f"{text} {cite}。" if zh else f"{text} {cite}."


def few(names: Iterable[str], zh: bool) -> str:
    """The first four; that there are more is said without a number, which would need one to cite."""
    rows = list(dict.fromkeys(names))
    more = (" 等" if zh else " and others") if len(rows) > FEW else ""
    return joined(rows[:FEW], zh) + more


def change(row: Json, zh: bool) -> str:
    """ "payment 2.4.1 deploy 19bd9f4ceacf" """
    kind = KINDS.get(row["kind"], row["kind"]) if zh else str(row["kind"])
    return " ".join(dict.fromkeys(" ".join(filter(None, (row["what"], kind, row["sha"][:12]))).split()))


def sureness(row: Json, zh: bool) -> str:
    sure = row.get("sure") or ("high" if row.get("back") else "medium")
    return {"high": "高", "medium": "中", "low": "低"}[sure] if zh else str(sure)


def rise(s: Stretch, clock: Clock, zh: bool) -> str:
    """ "Errors of checkout 22:03–22:47" """
    names = joined(s.services[:4], zh)
    over = clock.at(s.end) if s.end else ("仍未结束" if zh else "still going on")
    if zh:
        return f"{names} 的错误 {clock.at(s.start)} 开始，{over}{' 结束' if s.end else ''}"
    return f"Errors of {names or 'all'} began at {clock.at(s.start)}{', ended at ' if s.end else ', '}{over}"


def ends(seen: Seen) -> tuple[list[Json], list[Json], list[Json]]:
    """The alerts in question that ended, that are open, and whose end nobody knows."""
    rows = seen.alerts[0]
    done = [a for a in rows if a["end"]]
    live = [a for a in rows if not a["end"] and a["end_known"]]
    return done, live, [a for a in rows if not a["end"] and not a["end_known"]]


def called(row: Json) -> str:
    """An alert and whose it is."""
    return f"{row['name']} ({row['service']})" if row["service"] else str(row["name"])


def last(rows: Iterable[Json]) -> Json | None:
    return max((r for r in rows if at(r["end"])), key=lambda r: str(r["end"]), default=None)


def moment(row: Json) -> datetime:
    """When a change was made."""
    return datetime.fromisoformat(row["at"])
