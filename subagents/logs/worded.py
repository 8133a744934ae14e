"""Lines that hold certain words, as a result: how many, first and last, whose, which kinds, and some of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from orchestrator import when
from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.asking import Merged
from subagents.logs import forms
from subagents.logs.shown import FEW, line_json
from subagents.saying import Clock, short
from subagents.sources import Count, LogLine

KINDS, SERVICES = 8, 20
TOLD = 160  # characters of a kind, in its figure as in an answer that quotes it


def lines(
    found: Merged[LogLine],
    counted: Merged[Count] | None,
    span: Window,
    most: int,
    asked: Sequence[str],
    words: Sequence[str],
) -> ToolResult:
    """`found`: the oldest lines, which tell the kinds; `counted`: all by service and minute, where there are more."""
    clock, rows = Clock(span), sorted(found.rows, key=lambda r: (r.at is None, r.at or span.start))
    holding = f"that hold {' and '.join(map(repr, words))}, in any form and order"
    if not rows:
        of = f" of {', '.join(asked)}" if asked else ""
        return found.result(f"no log lines{of} {holding} in {when.say(span)}", span, {"lines": 0})
    data = _figured(rows, counted, found.total if found.total is not None else len(rows))
    kinds = [(short(text, TOLD), n) for text, n in forms.kinds(rows)[:KINDS]]
    data |= {"kinds": [list(kind) for kind in kinds], "rows": [line_json(r) for r in rows[:FEW]]}
    data["sorted"] = len(rows)
    said = [f"{data['lines']} lines {holding} · {when.say(span)}", _extent(data, clock)]
    said += [f"{n}× {text}" for text, n in kinds]
    said += [f"{clock.at(r.at) if r.at else '-'} {r.service} {r.level} {short(r.message, 300)}" for r in rows[:most]]
    figures = [Figure("lines", data["lines"]), Figure("lines of which kinds are told", len(rows))]
    figures += [Figure("lines", n, "", {"service": name}) for name, n in data["whose"]]
    figures += [Figure("lines", n, "", {"kind": text}) for text, n in kinds]
    whole = found if counted is None else found.beside(counted)  # type: ignore[arg-type]
    return whole.result("\n".join(said), span, data, figures, min(most, len(rows)), data["lines"])


def _figured(rows: Sequence[LogLine], counted: Merged[Count] | None, total: int) -> Json:
    """Number, first and last, and by service: of the lines themselves, or of the counts where these are more."""
    services: Counter[str] = Counter()
    times = [row.at for row in rows if row.at]
    last = max(times, default=None)
    if counted is None:
        services.update(row.service for row in rows)
    for count in counted.rows if counted else ():
        services[count.keys["service"]] += count.n
        last = max(filter(None, (last, _minute(count.keys["minute"]))), default=None)
    first = min(times, default=None)
    return {
        "lines": total,
        "first": first.isoformat() if first else None,
        "last": last.isoformat() if last else None,
        "whose": [list(row) for row in services.most_common(SERVICES)],
    }


def _minute(text: str) -> datetime | None:
    at = datetime.fromisoformat(text) if text else None
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def _extent(data: Json, clock: Clock) -> str:
    first, last = (datetime.fromisoformat(data[k]) if data[k] else None for k in ("first", "last"))
    over = f"first {clock.at(first)}, last {clock.at(last)} · " if first and last else ""
    return over + "; ".join(f"{name or '(no service)'} {n}" for name, n in data["whose"])
