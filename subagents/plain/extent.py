"""When it began, when it ended, how long it lasted: the time first, then whose it is.

Of an alert that the question names, its own times; else when errors were up, then the alerts; where neither tells of
it, when a metric left its level. That nothing is known is never a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from orchestrator.contracts import Json
from subagents.plain import slowness, state
from subagents.plain.kinds import kinds
from subagents.plain.seen import Seen, Stretch
from subagents.plain.words import called, opened, stop
from subagents.saying import at, joined, lasting


@dataclass(frozen=True, slots=True)
class Part:
    """What began, and ended unless `end` is None: it goes on, or nobody knows."""

    what: str
    start: datetime
    end: datetime | None
    cite: str


def began(seen: Seen) -> list[str]:
    if "ended" in kinds(seen.text):  # "when did it start and end"
        return lasted(seen)
    parts = _parts(seen)
    return _since(seen, parts) if parts else state.looked(seen)[1]


def _since(seen: Seen, parts: list[Part]) -> list[str]:
    zh, lead, rest = seen.zh, parts[0], sorted(parts[1:], key=lambda p: p.start)[:1]
    when = seen.clock.zoned(lead.start)
    lines = [
        *_elsewhere(seen, parts),
        stop(f"{when} 开始：{lead.what}" if zh else f"Since {when}: {lead.what}", lead.cite, zh),
    ]
    for part in rest:
        when = seen.clock.at(part.start)
        lines.append(stop(f"{part.what}：{when} 触发" if zh else f"{part.what}: at {when}", part.cite, zh))
    return lines


def ended(seen: Seen) -> list[str]:
    parts, zh = _parts(seen), seen.zh
    if not parts:
        return state.looked(seen)[1]
    verdict, lines = state.how(seen)
    over = [(p, p.end) for p in parts if p.end]
    if verdict == "no" and not _named(seen):
        return [("还没有结束：" if zh else "Not over: ") + lines[0], *lines[1:]]
    if not over or (verdict == "unknown" and not _named(seen)):
        return opened("unknown", lines, zh)
    (lead, end), rest = over[0], sorted(over[1:], key=lambda p: p[1])[-1:]
    when = seen.clock.zoned(end)
    lines = [
        *_elsewhere(seen, parts),
        stop(f"{when} 结束：{lead.what}" if zh else f"Ended at {when}: {lead.what}", lead.cite, zh),
    ]
    for part, end in rest:
        when = seen.clock.at(end)
        lines.append(stop(f"{part.what}：{when} 恢复" if zh else f"{part.what}: resolved at {when}", part.cite, zh))
    return lines


def lasted(seen: Seen) -> list[str]:
    """The length of each part that ended; of what goes on, since when."""
    parts, zh = _parts(seen), seen.zh
    if not parts:
        return state.looked(seen)[1]
    lead, rest = parts[0], sorted(parts[1:], key=lambda p: p.start - (p.end or seen.window.end))[:1]
    if lead.end is None:
        return [*_since(seen, parts)[:1], *state.shown(seen)]
    long = [stop(_long(p, p.end, seen), p.cite, zh) for p in (lead, *rest) if p.end]
    return [*_elsewhere(seen, parts), *long]


def _long(part: Part, end: datetime, seen: Seen) -> str:
    long, span = lasting((end - part.start).total_seconds(), seen.zh), seen.clock.span(part.start, end)
    return f"{long}（{span}）：{part.what}" if seen.zh else f"{long} ({span}): {part.what}"


def _parts(seen: Seen) -> list[Part]:
    """What the question may mean: the errors, then the alerts of that time as they began, else the metrics."""
    zh, s, cite = seen.zh, seen.stretch, seen.alerts[1]
    named = _named(seen)
    if not named and slowness.SLOW.search(seen.text) and (slow := slowness.began(seen)):
        row, of = slow
        return [_metric(row, of, f"{row['before']}{row['unit']} → {row['during']}{row['unit']}")]
    rows = named or [a for a in seen.alerts[0] if s is None or s.aside or _meets(a, s)]
    fired = [
        Part(
            f"告警 {called(a)}" if zh else f"alert {called(a)}", datetime.fromisoformat(a["start"]), at(a["end"]), cite
        )
        for a in sorted(rows, key=lambda a: str(a["start"]))
    ]
    if named or s is None or (s.aside and fired):
        return fired or _moved(seen)
    names = joined(s.services[:4], zh)
    what = (f"{names} 的错误" if names else "错误") if zh else f"errors of {names}" if names else "errors"
    return [Part(what, s.start, s.end, s.cite), *fired]


def _meets(alert: Json, s: Stretch) -> bool:
    """Whether an alert was open while the errors were up."""
    end = at(alert["end"])
    return (s.end is None or datetime.fromisoformat(alert["start"]) < s.end) and (end is None or end > s.start)


def _elsewhere(seen: Seen, parts: list[Part]) -> list[str]:
    """That there was nothing in the window, where all that is known of lies at another time."""
    s = seen.stretch
    return state.looked(seen)[1] if s is not None and s.aside and len(parts) == 1 and not _named(seen) else []


def _named(seen: Seen) -> list[Json]:
    """The alerts that the question calls by their names."""
    text = seen.text.casefold()
    got = seen.of("list_alerts")
    return [a for a in (got[0]["alerts"] if got else ()) if a["name"].casefold() in text]


def _moved(seen: Seen) -> list[Part]:
    got = seen.of("metric")
    if got is None or not got[0]["onset"]:
        return []
    rows = [m for m in got[0]["series"] if m["onset"] == got[0]["onset"]]
    return [_metric(m, got[1]) for m in rows[:1]]


def _metric(m: Json, cite: str, moved: str = "") -> Part:
    what = f"{m['service']} `{m['name']}` {moved}".strip()
    return Part(what, datetime.fromisoformat(m["onset"]), at(m["end"]), cite)
