"""What the logs tools found, as results: short text, figures, data for code. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator import when
from orchestrator.contracts import Figure, Json, ToolResult, Window
from subagents.asking import Merged, usual
from subagents.logs.counting import Errors, as_json, elsewhere, hourly, incidents, together
from subagents.logs.silence import Silence
from subagents.saying import Clock, short
from subagents.sources import Count, Coverage, Level, LogLine, Pattern, Span

ROWS, SLOTS = 20, 48
SECOND = timedelta(seconds=1)  # where data ends is told half-open
FEW = 3  # lines that an answer without a model quotes
STRAY = 0.02  # a new pattern of less than this part of the most frequent one's messages tells little
MANY = 0.1  # part of a service's messages from which naming another service counts
# a warning has to grow more than an error to stand before it
WEIGHT: Mapping[Level, float] = {"fatal": 1, "error": 1, "unknown": 0.5, "warn": 0.3, "info": 0.1, "debug": 0.1}


@dataclass(frozen=True, slots=True)
class Counted:
    """All that `count_errors` learnt. `wide`: counts that reach further, `lines`: of any level, where there are no
    errors; `more`: counts by level or code."""

    span: Window
    data: Window
    cover: Coverage
    asked: tuple[str, ...]
    found: Sequence[Errors]
    wide: Sequence[Errors]
    more: Mapping[str, Merged[Count]]
    lines: Silence | None

    def result(self, counted: Merged[Count]) -> ToolResult:
        clock = Clock(self.span)
        named = [e for e in self.found if e.service in self.asked] or ([] if self.asked else list(self.found))
        peers = together(self.found, self.asked)
        rows = list(dict.fromkeys([*named[:ROWS], *peers]))[:ROWS]
        other = elsewhere(self.wide, self.asked, self.span, self.cover.zone)
        held = usual(self.span, self.cover) is not None and self.data.start < self.span.start
        text = [self._head(clock, held), *(_row(e, clock, self.span) for e in rows), *self._groups()]
        total = sum(e.n for e in rows)
        text += filter(None, [self._nothing() if not sum(e.n for e in named) else ""])
        if other:
            text.append(_other(other, clock, self.cover.zone))
        lead = next((e for e in peers if e.service in self.asked), peers[0] if peers else None)
        several = incidents(self.found, self.asked)
        data = {
            "onset": lead.rise.start.isoformat() if lead and lead.rise else None,
            "end": lead.rise.end.isoformat() if lead and lead.rise and lead.rise.end else None,
            "services": [e.service for e in peers],
            "counts": [as_json(e) for e in rows],
            "codes": [[*(r.keys[k] for k in ("service", "code")), r.n] for r in self._codes()],
            "elsewhere": other,
            "zone": self.cover.zone,
            "asked": list(self.asked),
            "start": self.span.start.isoformat(),
            "lines": self.lines.total if self.lines else None,
            "heard": list(self.lines.heard) if self.lines else None,
            "unsaid": {lang: self.lines.said(lang == "zh") for lang in ("zh", "en")} if self.lines else None,
            "incidents": several,
            "still": self.data.end < self.span.end,
            "until": self.data.end.isoformat(),
            "base": [self.data.start.isoformat(), self.span.start.isoformat()] if held else None,
            "hourly": hourly(self.span),
        }
        figures = [Figure("incidents", len(several))] if len(several) > 1 else []
        figures += [*(f for e in rows for f in _figures(e, self.span)), *self._figures(other)]
        for extra in self.more.values():
            counted = counted.beside(extra)  # type: ignore[arg-type]
        return counted.result(
            "\n".join(text), self.span, data, figures, len(rows), total and max(len(rows), len(named))
        )

    def _head(self, clock: Clock, held: bool) -> str:
        parts = [f"errors (fatal+error) · {when.say(self.span)}"]
        before = f"before = {clock.span(self.data.start, self.span.start)}"
        parts.append(before if held else "no data from before to compare with")
        if self.data.end < self.span.end:
            parts.append(f"data ends {clock.at(self.data.end - SECOND)}")
        return " · ".join(parts)

    def _codes(self) -> list[Count]:
        """By service and code, over all hours."""
        rows = self.more["code"].rows if "code" in self.more else ()
        return _summed(rows, ("service", "code"))

    def _groups(self) -> list[str]:
        said = []
        for dimension, counts in self.more.items():
            rows = [r for r in _summed(counts.rows, ("service", dimension)) if r.keys[dimension]]
            parts = [f"{r.keys['service']} {r.keys[dimension]} ×{r.n}" for r in rows[:ROWS]]
            said += [f"by {dimension}: {'; '.join(parts)}"] if parts else []
        return said

    def _figures(self, other: Json) -> list[Figure]:
        found = []
        for dimension, counts in self.more.items():
            name = "lines" if dimension == "level" else "errors"
            found += [Figure(name, r.n, "", dict(r.keys)) for r in _summed(counts.rows, ("service", dimension))]
            found += [Figure(name, r.n, "", dict(r.keys)) for r in counts.rows]
        if self.lines is not None:
            found += [Figure("errors", 0), Figure("lines", self.lines.total)]
        if other:
            found.append(Figure("errors", other["n"], "", {"service": other["service"]}))
        return found

    def _nothing(self) -> str:
        if self.lines is None:
            return ""
        heard = self.lines.heard if self.asked else ()
        of = f" of {', '.join(heard)}" if heard else ""
        none = f"no error lines{of} in the window, among {self.lines.total:,} log lines searched there"
        return "; ".join(filter(None, (none if self.lines.total else "in the window", self.lines.said(False))))


def _summed(rows: Sequence[Count], keys: tuple[str, ...]) -> list[Count]:
    sums: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        sums[tuple(row.keys.get(k, "") for k in keys)] += row.n
    return [Count(dict(zip(keys, values, strict=True)), n) for values, n in sums.most_common()]


def _row(e: Errors, clock: Clock, span: Window) -> str:
    said = f"{e.service or '(no service)'} {e.n}"
    said += f" (before {e.before})" if e.before is not None else ""
    if e.rise:
        since = "" if e.rise.known else "already at "
        still = "the end of the window or data, still going on"
        said += f" · up {since}{clock.span(e.rise.start, e.rise.end, still)} ±{e.rise.width:g} s"
        said += f", peak {e.rise.peak:g}"
    full = [(at, n) for at, n in e.slots[:SLOTS] if n]
    if len(e.slots) > 1 and full:
        said += " · " + ", ".join(f"{clock.at(at) if hourly(span) else f'{at:%m-%d}'} {n}" for at, n in full)
        said += ", else 0" if len(full) < len(e.slots) else ""
    return said


def _slot(at: datetime, span: Window) -> dict[str, str]:
    return {"hour": at.isoformat()} if hourly(span) else {"day": at.date().isoformat()}


def _figures(e: Errors, span: Window) -> list[Figure]:
    label = {"service": e.service}
    found = [Figure("errors", e.n, "", label)]
    found += [Figure("errors before", e.before, "", label)] if e.before is not None else []
    found += [Figure("errors", n, "", {**label, **_slot(at, span)}) for at, n in e.slots[:SLOTS]]
    if e.rise:
        found.append(Figure("errors in the rise", int(e.rise.total), "", label))
        found.append(Figure("peak errors", int(e.rise.peak), "", label))
        found.append(Figure("bin", e.rise.width, "s", label))
        if e.rise.end:
            found.append(Figure("rise lasts", (e.rise.end - e.rise.start).total_seconds(), "s", label))
    return found


def _other(other: Json, clock: Clock, zone: str) -> str:
    at = datetime.fromisoformat(other["onset"])
    where = "far from its start" if other["inside"] else "outside it"
    own = "; the data's own clock reads like the time that was asked for" if other["own_clock"] else ""
    return f"elsewhere: {other['service']} rises {where}, at {clock.both(at, zone)}, {other['n']} errors{own}"


# ── patterns ──────────────────────────────────────────────────────────────────────────────────


def patterns(mined: Merged[Pattern], span: Window, known: Sequence[str], asked: tuple[str, ...]) -> ToolResult:
    clock = Clock(span)
    most = max((p.n for p in mined.rows), default=0)
    strays = [p for p in mined.rows if is_new(p) and 0 < p.n < max(2.0, STRAY * most)]
    rows = sorted(
        (p for p in mined.rows if p.n),
        key=lambda p: (p in strays and p.n < most, -_growth(p) * WEIGHT[p.level], -p.n, p.template),
    )
    named = naming(rows, known)
    if not rows:
        of = f" of {', '.join(asked)}" if asked else ""
        return mined.result(f"no matching messages{of} in {when.say(span)}", span, {"patterns": [], "names": []})
    text = [f"patterns · {when.say(span)} · <*> varies", *(_pattern(p, clock) for p in rows[:ROWS])]
    text += [f"messages of {a} name {b}: {n}" for a, b, n in named]
    figures = [f for p in rows[:ROWS] for f in _pattern_figures(p)]
    figures += [Figure("messages naming", n, "", {"service": a, "named": b}) for a, b, n in named]
    figures += [Figure("new patterns of few messages", len(strays))]
    data = {
        "patterns": [{**_pattern_json(p), "stray": p in strays} for p in rows[:ROWS]],
        "names": [list(row) for row in named],
        "strays": len(strays),
    }
    return mined.result("\n".join(text), span, data, figures, min(len(rows), ROWS), mined.total or len(rows))


def naming(rows: Sequence[Pattern], known: Sequence[str]) -> list[tuple[str, str, int]]:
    """(service, other service that its messages name, messages), most first: whom a service complains about. A few
    among many messages are no complaint."""
    found: Counter[tuple[str, str]] = Counter()
    all_: Counter[str] = Counter()
    for p in rows:
        all_[p.service] += p.n
        words = set(re.findall(r"[a-z0-9_-]+", f"{p.template} {p.sample}".lower()))
        for name in known:
            if name and name != p.service and name.lower() in words:
                found[p.service, name] += p.n
    return [(a, b, n) for (a, b), n in found.most_common(ROWS) if n >= MANY * all_[a]]


def is_new(p: Pattern) -> bool:
    return p.before == 0


def _growth(p: Pattern) -> int:
    return p.n - (p.before or 0)


def _pattern(p: Pattern, clock: Clock) -> str:
    before = "no baseline" if p.before is None else "new" if is_new(p) else f"before {p.before}"
    seen = f", {clock.span(p.first, p.last)}" if p.first else ""
    return f"{p.n}× ({before}{seen}) {p.service} {p.level}: {short(p.template, 200)}"


def _pattern_figures(p: Pattern) -> list[Figure]:
    label = {"service": p.service, "pattern": short(p.template, 80)}
    found = [Figure("messages", p.n, "", label)]
    return [*found, Figure("messages before", p.before, "", label)] if p.before is not None else found


def _pattern_json(p: Pattern) -> Json:
    times = {"first": p.first.isoformat() if p.first else None, "last": p.last.isoformat() if p.last else None}
    about = {"template": short(p.template, 200), "service": p.service, "level": p.level}
    return {**about, "n": p.n, "before": p.before, "new": is_new(p), **times}


# ── lines and spans ───────────────────────────────────────────────────────────────────────────


def lines(found: Merged[LogLine], span: Window, most: int, asked: Sequence[str], text: Sequence[str]) -> ToolResult:
    clock = Clock(span)
    rows = sorted(found.rows, key=lambda r: (r.at is None, r.at or span.start))[:most]
    of = f" of {', '.join(asked)}" if asked else ""
    having = f" that hold {' and '.join(map(repr, text))}" if text else ""
    if not rows:
        return found.result(f"no log lines{of}{having} in {when.say(span)}", span, {"lines": 0})
    total = found.total if found.total is not None else len(rows)
    said = [f"lines{of}{having} · {when.say(span)}"]
    for row in rows:
        said.append(f"{clock.at(row.at) if row.at else '-'} {row.service} {row.level} {short(row.message, 300)}")
        said += [f"  | {short(c, 200)}" for c in row.context]
    figures = [Figure("lines", total, "", {"service": s} if len(asked) == 1 else {}) for s in (asked or ("",))[:1]]
    data = {"lines": total, "rows": [line_json(r) for r in rows[:FEW]]}
    data["first"] = rows[0].at.isoformat() if rows[0].at else None
    return found.result("\n".join(said), span, data, figures, len(rows), total)


def line_json(row: LogLine) -> Json:
    at = row.at.isoformat() if row.at else None
    return {"at": at, "service": row.service, "level": row.level, "message": short(row.message, 200)}


def spans(found: Merged[Span], span: Window, most: int, calls: list[Json], asked: Sequence[str]) -> ToolResult:
    clock = Clock(span)
    rows = sorted(found.rows, key=lambda s: (not s.error, -s.seconds))[:most]
    said = [f"spans, failed first, then slowest · {when.say(span)}"]
    said += [f"{clock.at(s.start)} {s.service} {s.name} {s.seconds * 1000:.0f} ms {s.error}".rstrip() for s in rows]
    said += [f"calls: {a} → {b} ×{n}" for a, b, n in calls[:ROWS]]
    if not rows:
        of = f" of {', '.join(asked)}" if asked else ""
        said = [f"no spans{of} in {when.say(span)}", *said[1:]]
    figures = [Figure("span", round(s.seconds * 1000), "ms", {"service": s.service, "name": s.name}) for s in rows]
    figures.append(Figure("spans read", len(found.rows)))
    figures += [Figure("calls", n, "", {"caller": a, "callee": b}) for a, b, n in calls[:ROWS]]
    data = {
        "spans": [
            {"service": s.service, "name": s.name, "ms": round(s.seconds * 1000), "error": s.error} for s in rows
        ],
        "calls": calls[:ROWS],
    }
    return found.result("\n".join(said), span, data, figures, len(rows), found.total or len(found.rows))
