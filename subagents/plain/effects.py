"""What came after a change: the errors before and since it, and whether a measure helped. Pure.

What a question names and nobody finds is said: then nothing is known of its effect.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from orchestrator.contracts import Json
from subagents.changes.picked import by
from subagents.changes.undone import ASKED
from subagents.plain import causes, state
from subagents.plain.kinds import clause
from subagents.plain.named import by_words, called, made_at
from subagents.plain.seen import Seen
from subagents.plain.words import change, moment, opened, stop
from subagents.saying import at, joined, short

SOON = timedelta(minutes=30)  # what ends so soon after a measure may have ended by it
MOST = 4


def since(seen: Seen) -> list[str]:
    """The change that was made at the named time, the errors before and since, and what the cause is."""
    rows, zh = called(seen, seen.text), seen.zh
    got, asked = seen.of("list_changes"), made_at(seen)
    lead = [_made(seen, rows[0])] if rows else []
    if not rows and got and asked:
        clock = seen.clock.at(asked)
        none = f"{clock} 前后没有查到变更" if zh else f"No change was found near {clock}"
        lead = [stop(none, got[1], zh)]
    counted = _before_and_since(seen)
    return [*lead, *counted, causes.cause(seen)] if lead or counted else []


def _made(seen: Seen, row: Json) -> str:
    """Which change it is, cited by where it was listed or ranked."""
    got = seen.of("list_changes")
    inside = got and any(r["id"] == row["id"] for r in got[0]["changes"])
    cite = got[1] if got and inside else seen.ranking[1] if seen.ranking else ""
    when, whose = seen.clock.at(moment(row)), by(row, seen.zh)
    name = f"{change(row, seen.zh)} `{short(row['title'].replace('`', ''), 70)}`"
    said = f"{name}（{when}，{whose}）" if seen.zh else f"{name} ({when}, {whose})"
    return stop(said, cite, seen.zh)


def _before_and_since(seen: Seen) -> list[str]:
    rows, cite = seen.rows("count_errors", "counts")
    got, zh = seen.of("count_errors"), seen.zh
    if got is None:
        return []
    full = [r for r in rows if (r["n"] or r["before"]) and r["service"]][:MOST]
    base = got[0].get("base")
    if not full or not base:
        return []
    earlier = seen.clock.span(datetime.fromisoformat(base[0]), at(base[1]))
    said = joined((f"{r['service']} {r['before'] or 0} → {r['n']}" for r in full), zh)
    text = f"错误数，之前（{earlier}）→ 之后（{seen.span}）：{said}" if zh else (
        f"Errors before ({earlier}) → since ({seen.span}): {said}"
    )  # fmt: skip
    return [stop(text, cite, zh)]


def helped(seen: Seen) -> list[str]:
    """Whether the trouble ended soon after the measure that is named; what isn't found is no measure."""
    if ASKED.search(seen.text):
        return state.over(seen)
    said, zh = clause(seen.text, "helped"), seen.zh
    rows, words = by_words(seen, said)
    rows = rows or called(seen, said)
    lines = state.shown(seen)
    if not rows:
        got = seen.of("list_changes")
        name = (", ", "、")[zh].join(f"`{w}`" for w in words)
        what = (f" {name}" if words else "") if zh else f" that names {name}" if words else ""
        none = f"没有查到{what and '提到' + what + ' '}的变更，不知道它何时做的" if zh else f"no change{what} was found"
        return opened("unknown", [stop(none, got[1] if got else "", zh), *lines], zh)
    row = max(rows, key=moment)
    return _judged(seen, row, lines)


def _judged(seen: Seen, row: Json, lines: list[str]) -> list[str]:
    zh, made, s = seen.zh, moment(row), seen.stretch
    what = _made(seen, row)
    if s is None:
        return opened("unknown", [what, *lines], zh)
    if s.end is None:
        return opened("no" if seen.until is None else "unknown", [what, *lines], zh)
    if s.end < made:
        early = "错误在它之前就结束了" if zh else "the errors had ended before it"
        return opened("no", [f"{early}：{what}" if zh else f"{early}: {what}", *lines], zh)
    if s.end - made <= SOON:
        soon = "错误在它之后不久结束" if zh else "the errors ended soon after it"
        return opened("yes", [f"{soon}：{what}" if zh else f"{soon}: {what}", *lines], zh)
    late = "错误过了很久才结束，看不出是它的作用" if zh else "the errors went on for long after it"
    return opened("unknown", [f"{late}：{what}" if zh else f"{late}: {what}", *lines], zh)
