"""Whose it was: who made the suspected change, who took it back, who made it end. A name each, with its evidence."""

from __future__ import annotations

from datetime import datetime, timedelta

from orchestrator import when
from orchestrator.contracts import Evidence, Json
from subagents.changes import undone
from subagents.changes.picked import by, picked, told
from subagents.plain import causes
from subagents.plain.kinds import MENDED
from subagents.plain.named import known
from subagents.plain.seen import Seen
from subagents.plain.words import THERE, change, moment, opened, stop, sureness
from subagents.saying import at

SOON = timedelta(minutes=30)  # what was changed so shortly before the end may have brought it


def who(seen: Seen) -> list[str]:
    """Whose the suspect is, whose the change is that took it back or came before the end; nothing where only changes
    were asked for (their list then tells)."""
    if undone.ASKED.search(seen.text):
        return _undoing(seen)
    if MENDED.search(seen.text):
        return _mending(seen)
    if seen.ranking is None:
        return _listed(seen)
    data, cite = seen.ranking
    zh, said = seen.zh, []
    if not data["suspects"]:
        unknown = "因此说不出是谁" if zh else "so nobody can be named"
        return [causes.cause(seen), stop(unknown if zh else unknown.capitalize(), cite, zh)]
    for row in data["suspects"][: max(1, data["tied"])]:
        clock, sure = seen.clock.at(moment(row)), sureness(row, zh) if seen.best else ("低" if zh else "low")
        if zh:
            said.append(stop(f"{by(row, zh)}：{change(row, zh)}，{clock}（是起因的把握：{sure}）", cite, zh))
        else:
            said.append(
                stop(f"{by(row, zh)}: {change(row, zh)} at {clock} (confidence that it is the cause: {sure})", cite, zh)
            )
    return [*said, *causes.taken_back(seen)]


def undoings(seen: Seen) -> list[str]:
    """Whether something was taken back, then who took what back."""
    got = seen.of("list_changes")
    lines, hit = _undoing(seen), bool((got and got[0]["undone"]) or _took_back(seen))
    return opened("yes" if hit else "no", lines, seen.zh, THERE) if lines else []


def _undoing(seen: Seen) -> list[str]:
    got = seen.of("list_changes")
    if got is None:
        return []
    if not got[0]["undone"] and (rows := _took_back(seen)):  # after the time that was asked about
        return [_mended(seen, row, True, None, seen.ranking[1] if seen.ranking else got[1]) for row in rows]
    return undone.told(got[0]["undone"], _span(seen, got[2]), seen.clock, got[1], seen.zh)


def _listed(seen: Seen) -> list[str]:
    """Where more than changes was asked for, and nothing failed that one could be blamed for."""
    got, zh = seen.of("list_changes"), seen.zh
    if got is None or seen.of("count_errors") is None or not got[0]["changes"]:
        return []
    found = picked(seen.text, got[0]["changes"], seen.asked)
    return [causes.no_trouble(seen), *told(found, _span(seen, got[2]), seen.clock, got[1], zh)]


def _span(seen: Seen, e: Evidence) -> str:
    return when.say(e.result.window, lang=seen.turn.ctx.lang) if e.result.window else seen.span


def _mending(seen: Seen) -> list[str]:
    """The change that took the suspect back, else those that came shortly before the end; that none is known."""
    zh, got = seen.zh, seen.of("list_changes")
    end, rows = _end(seen), sorted(known(seen), key=moment)
    found = _took_back(seen)
    took_back = bool(found)
    if not found and end is not None:
        start = max(seen.stretch.start, end - SOON) if seen.stretch else end - SOON
        found = [r for r in rows if start <= moment(r) <= end]
    cite = got[1] if got else seen.ranking[1] if seen.ranking else ""
    if not found:
        over = f"（{seen.clock.at(end)} 结束）" if zh and end else f" (it ended at {seen.clock.at(end)})" if end else ""
        none = f"查到的变更里没有让它结束的{over}，说不出是谁修好的"
        return [stop(none if zh else f"No change is known that ended it{over}, so who fixed it isn't either", cite, zh)]
    return [_mended(seen, row, took_back, end, cite) for row in found[-2:]]


def _took_back(seen: Seen) -> list[Json]:
    """The change that took the likeliest suspect back, as it was listed."""
    suspects = seen.ranking[0]["suspects"] if seen.ranking and not seen.operational else []
    back = next((s["back"] for s in suspects[:1]), None)
    return [r for r in known(seen) if back and r["at"] == back["at"]]


def _mended(seen: Seen, row: Json, took_back: bool, end: datetime | None, cite: str) -> str:
    zh, clock = seen.zh, seen.clock.at(moment(row))
    over = seen.clock.at(end) if end else ""
    name = f"{change(row, zh)} `{row['title'].replace('`', '')[:80]}`"
    if zh:
        how = "撤回了起因" if took_back else "在结束之前不久，是否因它而好没有定论"
        return stop(f"{by(row, zh)}：{clock} {name}，{how}" + (f"；{over} 结束" if over else ""), cite, zh)
    how = "it took the cause back" if took_back else "shortly before the end; whether that ended it isn't settled"
    return stop(f"{by(row, zh)}: {clock} {name}, {how}" + (f"; it ended at {over}" if over else ""), cite, zh)


def _end(seen: Seen) -> datetime | None:
    """When errors ended, else when the alert did that was first."""
    if seen.stretch is not None:
        return seen.stretch.end
    first = min(
        seen.alerts[0], key=lambda a: (bool(seen.asked) and a["service"] not in seen.asked, a["start"]), default=None
    )
    return at(first["end"]) if first else None
