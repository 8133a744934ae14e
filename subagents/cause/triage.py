"""Which alerts of a batch deserve a person: each is paged or suppressed, with the reason, and grouped with its like.

What a human would check: does the metric recover, do new failing log lines stand behind it, has it been firing all
day, is it known already, is it a test, is it another alert's symptom. Pure; knows no product.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from subagents.cause.facts import Facts
from subagents.cause.model import Decision, Triaged
from subagents.cause.trend import Trend, trend
from subagents.severity import WARNING, rank
from subagents.sources import Change, Episode, Pattern, Series

SHORT = timedelta(minutes=5)
OFTEN = 6  # firings an hour: flapping
SURGE = 1.5  # times the usual count
HOUR = timedelta(hours=1)
AROUND = timedelta(minutes=20)
_TEST = re.compile(
    r"\b(?:staging|stage|canary|ci|e2e|smoke|sandbox|dev|test|tests|testing|synthetic|playwright|qa|uat|preprod)\b",
    re.I,
)
_IGNORED = re.compile(r"\[(?:ignore|ignored|muted|test|deprecated|do not page)\]|\bignore[:\]]", re.I)
_OPEN = re.compile(r"investigat|in.?progress|monitoring|identified|acknowledged|open|mitigat|assigned", re.I)
_FIRES = re.compile(r"fire[ds]?_?count|fires|occurrences|count_last|flap", re.I)


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert with what is known around it. `fires`: in the last hour; `lasted` None: not over."""

    id: str
    episode: Episode
    metric: str
    trend: Trend
    pattern: Pattern | None
    fires: int
    lasted: timedelta | None

    @property
    def surging(self) -> bool:
        p = self.pattern
        return p is not None and _failing(p) and (p.before is None or p.n >= SURGE * max(1, p.before))

    @property
    def usual(self) -> bool:
        """Its log lines are those of any day."""
        p = self.pattern
        return p is not None and (not _failing(p) or (p.before is not None and p.n < SURGE * max(1, p.before)))


def triage(facts: Facts) -> tuple[Triaged, ...]:
    """A decision for every alert, in order of time."""
    known = [e for e in facts.episodes if is_record(e)]
    alerts = [_alert(e, facts) for e in sorted(facts.episodes, key=lambda e: e.start) if not is_record(e)]
    decided = {a.id: _decide(a, facts, known) for a in alerts}
    heads = _heads([a for a in alerts if decided[a.id][0] == "page"], facts)
    return tuple(_said(a, decided[a.id], heads) for a in alerts)


def _said(a: Alert, decision: tuple[Decision, str, str], heads: Mapping[str, Alert]) -> Triaged:
    what, why, group = decision
    head = heads.get(a.id)
    if what == "page" and head is not None and head.id != a.id:
        what, group = "suppress", head.id
        why = f"a symptom of {head.id}, {head.episode.service} {head.metric}, which is paged"
    return Triaged(a.id, what, why, group or a.id, a.episode.service, a.episode.name)


def is_record(e: Episode) -> bool:
    """An incident or change request that people work on, rather than an alert."""
    keys = {re.sub(r"\W|_", "", k).lower() for k in e.labels}
    return bool(keys & {"incidentid", "incident", "ticketid", "owner", "assignee"}) and "threshold" not in keys


def alert_id(e: Episode) -> str:
    return e.labels.get("id") or e.labels.get("alert_id") or f"{e.name}/{e.service}@{e.start:%Y-%m-%dT%H:%M:%SZ}"


def _alert(e: Episode, facts: Facts) -> Alert:
    metric = e.labels.get("metric") or e.name
    told = e.labels.get("fires") or next((v for k, v in e.labels.items() if _FIRES.search(k)), "")
    like = [x for x in facts.episodes if (x.name, x.service) == (e.name, e.service) and not is_record(x)]
    same = [x for x in like if x.labels.get("metric") == e.labels.get("metric") and abs(x.start - e.start) <= HOUR]
    fires = int(float(told)) if re.fullmatch(r"\d+(?:\.0)?", told) else len(same)
    lasted = e.end - e.start if e.end is not None else None
    series = _series(facts.series, e.service, metric)
    moves: Trend = trend(series.points, e.start, _number(e.labels.get("threshold"))) if series else "unknown"
    return Alert(alert_id(e), e, metric, moves, _pattern(e, facts.patterns), fires, lasted)


def _series(found: Sequence[Series], service: str, metric: str) -> Series | None:
    mine = [s for s in found if s.name == metric]
    exact = [s for s in mine if s.service == service]
    return next(iter(exact), None)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _pattern(e: Episode, patterns: Sequence[Pattern]) -> Pattern | None:
    """The log pattern that the alert names; else the strongest new failing one of its service around it."""
    values = set(e.labels.values())
    named = next((p for p in patterns if p.name and p.name in values), None)
    if named is not None:
        return named
    own = [p for p in patterns if p.service == e.service and _failing(p) and _near(p, e.start)]
    return max(own, key=lambda p: p.n - (p.before or 0), default=None)


def _near(p: Pattern, at: datetime) -> bool:
    return p.first is None or abs(p.first - at) <= HOUR


def _failing(p: Pattern) -> bool:
    return p.level in ("error", "fatal", "warn")


# ── one alert ─────────────────────────────────────────────────────────────────────────────────


def _decide(a: Alert, facts: Facts, known: Sequence[Episode]) -> tuple[Decision, str, str]:
    """(decision, reason, group): the sum of what speaks for and against, with the strongest as the reason."""
    if record := _known(a, known):
        name = record.labels.get("incident_id") or record.labels.get("id") or record.name
        return "suppress", f"known already: {name} is being worked on", name
    if _IGNORED.search(a.episode.name) or _IGNORED.search(a.episode.labels.get("monitor", "")):
        return "suppress", "its own rule says that it is to be ignored", ""
    if a.trend == "ratchet":
        return "page", f"{a.metric} comes back worse each time: it looks like flapping, and is getting worse", ""
    told = [*_of_metric(a), *_of_logs(a), *_of_firing(a), *_of_setting(a, facts)]
    score = sum(weight for weight, _ in told)
    side = [(w, why) for w, why in told if (w > 0) == (score > 0)]
    why = "; ".join(why for _, why in sorted(side, key=lambda r: -abs(r[0]))[:2])
    return ("page" if score > 0 else "suppress"), why or "nothing is known that speaks for it", ""


def _of_metric(a: Alert) -> list[tuple[float, str]]:
    weights: dict[Trend, tuple[float, str]] = {
        "rising": (1.8, f"{a.metric} goes on rising"),
        "sustained": (1.0, f"{a.metric} stays over its threshold"),
        "plateau": (0.2, f"{a.metric} stays on a plateau"),
        "draining": (-1.8, f"{a.metric} is going back"),
        "recovered": (-2.0, f"{a.metric} went back to its usual level"),
    }
    return [weights[a.trend]] if a.trend in weights else []


def _of_logs(a: Alert) -> list[tuple[float, str]]:
    p = a.pattern
    if p is None:
        return []
    times = f"{p.n} times, before {p.before}" if p.before is not None else f"{p.n} times"
    if a.surging:
        return [(2.2, f"new failing log lines ({times}): {p.sample[:80]}")]
    return [(-2.0, f"its log lines are the usual ones ({times}): {p.sample[:80]}")] if a.usual else []


def _of_firing(a: Alert) -> list[tuple[float, str]]:
    severe = WARNING - min(rank(a.episode.severity), WARNING)
    found = [(severe * 0.3, f"severity {a.episode.severity}")]
    if a.lasted is None:
        found.append((0.6, "not over"))
    elif a.lasted <= SHORT:
        found.append((-1.6, f"over by itself after {a.lasted.total_seconds():.0f} s"))
    if a.fires >= OFTEN and (a.lasted is None or a.lasted <= SHORT):
        found.append((-1.4, f"flapping: fired {a.fires} times in an hour"))
    return found


def _of_setting(a: Alert, facts: Facts) -> list[tuple[float, str]]:
    found = []
    text = " ".join((a.episode.service, a.metric, a.episode.labels.get("monitor", ""))).replace("_", " ")
    if _TEST.search(text) and not a.surging:
        found.append((-1.6, "a test environment or a test, not what users see"))
    healed = a.lasted is not None and a.lasted <= SHORT
    for c in facts.changes:
        if c.until is not None and c.at - AROUND <= a.episode.start < c.until and _covers(c, a) and not a.surging:
            found.append((-2.0, f"planned work: {c.title[:60]}"))
            break
        if (
            healed
            and c.until is None
            and timedelta() <= a.episode.start - c.at <= AROUND
            and c.service == a.episode.service
        ):
            found.append((-0.8, f"right after the deploy {c.version or c.id}, and over by itself"))
            break
    return found


def _covers(c: Change, a: Alert) -> bool:
    """Planned work on that service: it names it, or the alert names the work."""
    text = f"{c.service} {c.title} {c.body}"
    return a.episode.service in text or bool(c.version and any(c.version in v for v in a.episode.labels.values()))


def _known(a: Alert, known: Sequence[Episode]) -> Episode | None:
    for e in known:
        if not _OPEN.search(e.labels.get("status", "open")) or e.start > a.episode.start + AROUND:
            continue
        same_metric = e.service == a.episode.service and e.labels.get("metric", "") == a.metric
        shared = {v for k, v in e.labels.items() if "pattern" in k} & set(a.episode.labels.values())
        if same_metric or (shared and e.service == a.episode.service and not _work(e)):
            return e
    return None


def _work(e: Episode) -> bool:
    return "change" in e.labels.get("kind", "")


# ── symptoms of one another ───────────────────────────────────────────────────────────────────


def _heads(paged: Sequence[Alert], facts: Facts) -> dict[str, Alert]:
    """The alert that stands for each: of those with one log pattern that began no later, and of callers of one that
    failed no later, the most severe, then the first."""
    groups: dict[str, list[Alert]] = defaultdict(list)
    for a in paged:
        groups[_key(a)].append(a)
    heads: dict[str, Alert] = {}
    for group in groups.values():
        worst = sorted(group, key=lambda a: (min(rank(a.episode.severity), WARNING), a.episode.start))
        heads |= {a.id: next(h for h in worst if h is a or _follows(a, h)) for a in group}
    for a in paged:
        below = set(facts.topology.downstream(a.episode.service))
        for b in paged:
            calm = (
                b.episode.start <= a.episode.start + timedelta(minutes=2) and b.episode.start > a.episode.start - HOUR
            )
            if (
                b.episode.service in below
                and calm
                and heads[a.id].id == a.id
                and a.episode.service not in _down(b, facts)
            ):
                heads[a.id] = heads[b.id]
    return heads


def _follows(a: Alert, head: Alert) -> bool:
    """A symptom begins with what it is one of, or while that goes on; an earlier sign is none."""
    start, end = head.episode.start, head.episode.end
    return start - SHORT <= a.episode.start <= max(start + HOUR, end or start)


def _down(a: Alert, facts: Facts) -> set[str]:
    return set(facts.topology.downstream(a.episode.service))


def _key(a: Alert) -> str:
    if a.pattern is None:
        return f"{a.episode.service}"
    return f"pattern {a.pattern.name or a.pattern.template}"
