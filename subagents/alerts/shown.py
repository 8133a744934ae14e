"""What the alerts tools found, as results: short text, figures, data for code. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from orchestrator import when
from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.alerts.episodes import Group, group_json, grouped, incidents, trouble
from subagents.alerts.measured import figure
from subagents.asking import HOUR, Merged, other_reading
from subagents.saying import Clock, short
from subagents.severity import rank
from subagents.sources import Coverage, Episode, Ratio

ROWS = 40


def alerts(
    found: Merged[Episode], wide: Sequence[Episode], span: Window, asked: Sequence[str], cover: Coverage, blind: bool
) -> ToolResult:
    """`wide`: episodes around the window, where nothing that is asked for begins in it; `blind`: no source can know
    what fired in it."""
    clock, groups, zone = Clock(span), grouped(found.rows), cover.zone
    lead = trouble(found.rows, asked, span)
    begins = [e for e in lead if e.start in span]
    lately = begins or [e for e in lead if e.start > span.start - HOUR]
    first = min(lately, key=lambda e: e.start, default=None)
    other = _elsewhere(begins, wide, span, asked, zone) if begins or not lead else None
    near = {(e.name, e.service) for e in lead}
    groups.sort(key=lambda g: (bool(asked) and g.service not in asked, (g.name, g.service) not in near, g.start))
    text = [f"{len(found.rows)} episodes of {len(groups)} alerts · {when.say(span)}"]
    if not groups:
        text = [_unknown(span) if blind else f"no alerts in {when.say(span)}"]
    elif asked and not any(g.service in asked for g in groups):
        text.append(f"none of them of {', '.join(asked)}")
    text += [_group(g, clock, g.service in asked, first) for g in groups[:ROWS]]
    if other:
        text.append(_other(other, clock, zone))
    data: dict[str, Json] = {
        "onset": first.start.isoformat() if first else None,
        "end": _end(lead),
        "services": list(dict.fromkeys(e.service for e in lead if e.service)),
        "alerts": [{**group_json(g), "lead": (g.name, g.service) in near} for g in groups[:ROWS]],
        "elsewhere": other,
        "zone": zone,
        "asked": list(asked),
        "blind": blind,
        "start": span.start.isoformat(),
        "incidents": (several := incidents(found.rows, asked, span)),
        "still": cover.until is not None and cover.until < span.end,
    }
    figures = [Figure("incidents", len(several))] if len(several) > 1 else []
    figures += [Figure("episodes", len(found.rows)), Figure("alerts", len(groups)), *_unended(found.rows)]
    figures += [f for g in groups[:ROWS] for f in _figures(g)]
    return found.result("\n".join(text), span, data, figures, min(len(groups), ROWS), len(groups))


def _unknown(span: Window) -> str:
    return f"no source holds alerts of {when.say(span)}: whether any fired isn't known"


def _unended(rows: Sequence[Episode]) -> list[Figure]:
    """How many ends aren't told: sources say so as a gap."""
    n = sum(1 for e in rows if not e.end_known)
    return [Figure("episodes of unknown end", n)] if n else []


def _end(lead: Sequence[Episode]) -> str | None:
    ends = [e.end for e in lead]
    known = [e for e in ends if e is not None]
    return max(known).isoformat() if known and len(known) == len(ends) else None


def _group(g: Group, clock: Clock, asked: bool, first: Episode | None) -> str:
    still = "open" if g.end_known else "end unknown"
    said = f"{'* ' if asked else ''}{g.severity or '?'} {g.name} {g.service} {clock.span(g.start, g.end, still)}"
    if len(g.episodes) > 1:
        said += f" ×{len(g.episodes)}"
    marks = ["flapping"] if g.flapping else []
    if g.suppressed:
        marks.append(f"suppressed: {g.by}" if g.by else "suppressed")
    if first is not None and first in g.episodes:
        marks.append("first")
    said += f" ({', '.join(marks)})" if marks else ""
    if book := next((e.runbook for e in g.episodes if e.runbook), ""):
        said += f" runbook {book}"
    about = next((e.annotations[k] for e in g.episodes for k in ("summary", "description") if k in e.annotations), "")
    return f"{said}: {short(about, 100)}" if about else said


def _figures(g: Group) -> list[Figure]:
    label = {"alert": g.name, "service": g.service, "severity": g.severity}
    found = [Figure("episodes", len(g.episodes), "", label)]
    if g.end:
        found.append(Figure("lasts", (g.end - g.start).total_seconds(), "s", label))
    return found


def _elsewhere(
    begins: Sequence[Episode], wide: Sequence[Episode], span: Window, asked: Sequence[str], zone: str
) -> Json:
    """What begins at another time than was asked for: see the same in logs/counting.py."""
    if begins:
        start = min(e.start for e in begins)
        group = list(begins) if other_reading(start, span, zone) else []
    else:
        outside = [e for e in wide if e.start not in span]
        around = Window(span.start.min.replace(tzinfo=UTC), span.end.max.replace(tzinfo=UTC))
        group = trouble(outside, asked, around)
    if not group:
        return None
    first = min(group, key=lambda e: e.start)
    own = other_reading(first.start, span, zone)
    about = {"name": first.name, "service": first.service, "inside": bool(begins), "own_clock": own}
    return {**about, "onset": first.start.isoformat(), "end": _end(group)}


def _other(other: Json, clock: Clock, zone: str) -> str:
    at = clock.both(datetime.fromisoformat(other["onset"]), zone)
    own = "; the data's own clock reads like the time that was asked for" if other["own_clock"] else ""
    where = "far from its start" if other["inside"] else "outside the window"
    return f"elsewhere: {other['name']} {other['service']} begins {where}, at {at}{own}"


# ── counts, now, availability ─────────────────────────────────────────────────────────────────


def counts(found: Merged[Episode], span: Window, by: Sequence[str], asked: Sequence[str], blind: bool) -> ToolResult:
    began = [e for e in found.rows if e.start in span]
    of = f" of {', '.join(asked)}" if asked else ""
    tables = {key: _count(began, key) for key in by}
    clock = Clock(span)
    text = [f"{len(began)} alerts began{of} · {when.say(span)}"]
    for key, table in tables.items():
        rows = [f"{clock.at(datetime.fromisoformat(v)) if key == 'hour' else v or '?'} {n}" for v, n in table.items()]
        text += [f"by {key}: " + ", ".join(rows[:ROWS])] if rows else []
    figures = [Figure("alerts", len(began))]
    figures += [Figure("alerts", n, "", {key: v}) for key, table in tables.items() for v, n in table.items()]
    held = len(found.rows) - len(began)
    if held:
        text.append(f"{held} more had begun earlier and still fired")
        figures.append(Figure("alerts from before", held))
    if not found.rows:
        text = [_unknown(span) if blind else f"no alerts{of} in {when.say(span)}"]
        figures = [] if blind else figures
    data = {"total": len(began), "counts": tables, "earlier": held, "asked": list(asked)}
    data["blind"] = blind and not found.rows
    return found.result("\n".join(text), span, data, figures, len(began), len(began))


def _count(rows: Sequence[Episode], key: str) -> dict[str, int]:
    def value(e: Episode) -> str:
        if key == "hour":
            return e.start.astimezone(UTC).replace(minute=0, second=0, microsecond=0).isoformat()
        return str(getattr(e, key))

    table = Counter(map(value, rows))
    return dict(sorted(table.items())) if key == "hour" else dict(table.most_common())


def firing(
    found: Merged[Episode], now: Window, asked: Sequence[str], suppressed_only: bool, ended: bool, untold: bool
) -> ToolResult:
    """What wakes people first: those that nobody holds back, the worst of them, the oldest of these. Whose end the data
    doesn't tell are none that fire. `ended`: the data end at `now`, before the question; `untold`: no source tells what
    is suppressed."""
    clock = Clock(now)
    groups = sorted(grouped(found.rows), key=lambda g: (g.suppressed, rank(g.severity), g.start))
    of, what = f" of {', '.join(asked)}" if asked else "", "suppressed alerts" if suppressed_only else "alerts"
    sure, last = [g for g in groups if g.end_known], ", where the data ends" if ended else ""
    text = [f"{len(sure) or 'no'} {what}{of} fire at {clock.zoned(now.end)}{last}"]
    if unsure := len(groups) - len(sure):
        text[0] += f"; of {unsure} more the end is unknown, so whether they fire can't be told"
    text += [_group(g, clock, g.service in asked, None) for g in groups[:ROWS]]
    text = ["no source tells what is silenced or inhibited"] if untold and not groups else text
    data = {
        "untold": untold,
        "alerts": [group_json(g) for g in groups[:ROWS]],
        "services": [g.service for g in groups if g.service],
        "suppressed_only": suppressed_only,
        "ended": now.end.isoformat() if ended else None,
    }
    figures = [Figure("firing", len(sure)), Figure("end unknown", unsure), *_unended(found.rows)]
    figures += [f for g in groups[:ROWS] for f in _figures(g)]
    quiet = sum(1 for g in sure if g.suppressed)
    figures += [Figure("suppressed", quiet), Figure("not suppressed", len(sure) - quiet)]
    return found.result("\n".join(text), now, data, figures, min(len(groups), ROWS), len(groups))


def ratios(found: Merged[Ratio], span: Window, asked: Sequence[str]) -> ToolResult:
    rows = sorted((r for r in found.rows if r.total), key=lambda r: (r.service not in asked, r.percent or 0.0))
    text, figures, table = [f"availability · {when.say(span)}"], list[Figure](), list[Json]()
    for r in rows[:ROWS]:
        percent = round(r.percent or 0.0, 4)
        total, bad = figure_or_int(r.total), figure_or_int(r.bad)
        budget = f"; objective {r.objective:g} %, {_spent(r):g} % of its error budget used" if r.objective else ""
        text.append(f"{r.service} {percent:g} % ({bad} bad of {total} {r.unit}{', about' if r.approx else ''}{budget})")
        label = {"service": r.service}
        figures.append(Figure(r.unit, total, "", label, r.approx))
        figures.append(Figure(f"bad {r.unit}", bad, "", label, r.approx))
        figures.append(Figure("availability", percent, "%", label, r.approx))
        if r.objective:
            figures.append(Figure("objective", r.objective, "%", label))
            figures.append(Figure("error budget used", _spent(r), "%", label, r.approx))
        row = {"service": r.service, "total": total, "bad": bad, "percent": percent, "unit": r.unit}
        table.append({**row, "objective": r.objective, "spent": _spent(r) if r.objective else None})
    if not rows:
        text = [f"no request metrics in {when.say(span)}"]
    return found.result("\n".join(text), span, {"ratios": table}, figures, min(len(rows), ROWS), len(rows))


def _spent(r: Ratio) -> float:
    return round(r.spent or 0.0, 1)


def figure_or_int(value: float | int) -> float | int:
    """Counts of requests are whole numbers; an estimate is rounded like any measure."""
    return int(value) if float(value).is_integer() else figure(value)
