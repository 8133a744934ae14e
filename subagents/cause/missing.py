"""Lines and calls that no longer come: work that breaks off where it used to go on, though requests keep coming.

An early return, or an exception that something swallows, shows in no count of errors: what vanishes is what came next.
Two ways to know what should come. Where lines bear the id of their request (and spans do): in the requests before, B
came nearly always after A, the nearest such A, so that of all that vanishes behind a break only the first counts. Where
they don't: A and B of one service were equally many in each minute, far more than by chance (an invariant of counts).
B is missed where A goes on without it, so that a kind of request that stops coming takes nothing along. Pure, linear in
the lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import comb, log10, sqrt
from typing import NamedTuple

from subagents.cause.facts import MINUTE, NEARBY, Facts
from subagents.cause.model import Reason
from subagents.cause.symptoms import Symptom, named_in
from subagents.folder.mining import Cluster, Miner
from subagents.sources import LogLine

ID = re.compile(r"(?:^|[._-])(?:trace|request|req|correlation|transaction)[._-]?id$", re.IGNORECASE)
_SAID = re.compile(r"\b(?:trace|request|req|correlation)[-_ ]?id[\"']?\s?[:=]\s?[\"']?([\w-]{6,64})", re.IGNORECASE)
_PLACE = re.compile(r"[A-Za-z_]\w{0,80}(?:#|\.[a-z]{1,5}:)\d{1,5}\b")
QUIET = ("info", "debug", "unknown")  # that a failure is no longer logged is no harm
NEAR = 8  # kinds of lines before a line in which its predecessor is sought
KINDS = 80  # kinds of lines of one request, or service, that are looked at
ENOUGH, ALWAYS = 4, 0.95  # requests that show a rule, and the share of them that keep it
FEWEST, CHANCE = 3, 0.001  # requests that break it afterwards, and how likely they may be by chance
EQUAL, MANY, SLOTS = 0.25, 20, 4  # of chance's difference between equal counts; lines and minutes that show it
GONE = 0.4  # of what would be due, at most so much of it still comes
CLEAR = 0.5  # of what most break on: what fewer do is an after-effect, or a change of what is asked for
SHOWN, READ = 110, 400  # characters of a line


class Kind(NamedTuple):
    """`place`: the statement in the code, where a line names it; `form`: its template, or what is called."""

    service: str
    place: str
    form: Cluster | str


class Event(NamedTuple):
    """`request`: "" where it isn't known; `loud`: it tells of a failure."""

    at: datetime
    request: str
    kind: Kind
    loud: bool
    text: str


Groups = Mapping[str, Sequence[Kind]]  # by request: kinds in the order of their first coming


@dataclass(frozen=True, slots=True)
class Broken:
    """`line` used to follow `after`: in `kept` of `usual` `unit` before; it lacks in `lacks` of `of` since."""

    service: str
    line: str
    after: str
    kept: int
    usual: int
    lacks: int
    of: int
    since: datetime
    unit: str = "requests"

    @property
    def text(self) -> str:
        since = f"since {self.since:%H:%M}"
        if self.unit == "requests":
            usual = f"came after ‘{self.after}’ in {self.kept} of {self.usual} requests before"
            return f"‘{self.line}’ in {self.service} {usual}; {since} it lacks in {self.lacks} of {self.of}"
        went = f"‘{self.after}’ went on ({self.usual} before, {self.of} since)"
        return f"‘{self.line}’ in {self.service}: {self.kept} before, {self.of - self.lacks} {since}, while {went}"


def symptoms(facts: Facts, onset: datetime) -> list[Symptom]:
    """At most one for each service: where most of its work breaks off."""
    found = []
    for b in missing(facts):
        weight = min(2.5, 0.8 + log10(b.lacks))
        figures = {"before": float(b.kept), "missing": float(b.lacks), "of": float(b.of)}
        reason = Reason("missing", b.text, weight, facts.queries.get("nearby", ""), facts.window, figures)
        kinds, sure = frozenset(("errors",)), onset + MINUTE  # what it said when all was well is no trouble
        found.append(
            Symptom(b.service, "missing", b.line, kinds, onset, sure, None, weight, True, False, reason, False)
        )
    return found


def missing(facts: Facts) -> list[Broken]:
    """Of each service the line or call that most requests lack; none that only a few do."""
    if facts.parted is None:
        return []
    lines = _Read(_lines(facts.nearby), facts.parted, _reached(facts))
    calls = _Read(_calls(facts, facts.parted), facts.parted)
    best: dict[str, Broken] = {}
    for broken in (*lines.by_request(), *lines.by_count(), *calls.by_request()):
        old = best.get(broken.service)
        if old is None or broken.lacks > old.lacks:
            best[broken.service] = broken
    most = max((b.lacks for b in best.values()), default=0)
    return sorted((b for b in best.values() if b.lacks >= CLEAR * most), key=lambda b: (-b.lacks, b.service))


# ── what came ─────────────────────────────────────────────────────────────────────────────────


def _lines(lines: Iterable[LogLine]) -> list[Event]:
    miners: dict[tuple[str, str], Miner] = defaultdict(Miner)
    dated = [(x.at, x, x.message.split("\n", 1)[0][:READ]) for x in lines if x.at is not None]
    mined = [(at, x, text, miners[x.service, x.level].add(text)) for at, x, text in dated]
    found = []
    for at, line, text, cluster in mined:
        said = _PLACE.search(text)
        kind = Kind(line.service, said.group() if said else "", cluster.root)  # roots are known at the end
        found.append(Event(at, request_of(line), kind, line.level not in QUIET, text))
    return found


def request_of(line: LogLine) -> str:
    """The id of the request that a line belongs to; "" where it bears none."""
    for key, value in line.fields.items():
        if value and ID.search(key):
            return value
    said = _SAID.search(line.message[:READ])
    return said.group(1) if said else ""


def _calls(facts: Facts, parted: datetime) -> list[Event]:
    """Calls from one service to another, as the caller's doing, in traces without a failed span: what breaks off
    behind a failure is told by that."""
    spans = sorted(facts.spans, key=lambda s: s.start)
    middle = bisect_left(spans, parted, key=lambda s: s.start)
    spans = spans[max(0, middle - NEARBY) : middle + NEARBY]
    owner = {(s.trace, s.id): s.service for s in spans}
    failed = {s.trace for s in spans if s.error}
    found = []
    for s in spans:
        caller = owner.get((s.trace, s.parent or ""), s.service)
        text = s.name if caller == s.service else f"call of {s.service}: {s.name}"
        if s.trace not in failed:
            found.append(Event(s.start, s.trace, Kind(caller, "", text), False, text))
    return found


def _reached(facts: Facts) -> dict[str, set[str]]:
    """Trace → whom its spans reached."""
    found: dict[str, set[str]] = defaultdict(set)
    for span in facts.spans:
        found[span.trace].add(span.service)
    return found


class _Read:
    """What came, by kind and request, on both sides of the onset. `reached`: whom a request reached, where known."""

    def __init__(
        self, events: Iterable[Event], parted: datetime, reached: Mapping[str, set[str]] | None = None
    ) -> None:
        self.parted, self.reached = parted, reached or {}
        self.requests: dict[str, list[tuple[datetime, Kind]]] = defaultdict(list)
        self.minutes: dict[Kind, Counter[datetime]] = defaultdict(Counter)
        self.after: Counter[Kind] = Counter()
        self.loud: set[Kind] = set()
        self._texts: dict[Kind, str] = {}
        self._accused: dict[tuple[Kind, str], bool] = {}
        for event in sorted(events, key=lambda e: e.at):
            self._note(event)

    def _note(self, event: Event) -> None:
        kind = event.kind
        self._texts[kind] = event.text
        if event.loud:
            self.loud.add(kind)
        if event.request:
            self.requests[event.request].append((event.at, kind))
        elif event.at < self.parted:
            self.minutes[kind][event.at.replace(second=0, microsecond=0)] += 1
        else:
            self.after[kind] += 1

    def _said(self, kind: Kind) -> str:
        return self._texts[kind][:SHOWN]

    # ── by request ────────────────────────────────────────────────────────────────────────────

    def by_request(self) -> Iterator[Broken]:
        before, after = self._sides()
        if len(before) < ENOUGH or len(after) < FEWEST:
            return
        rules, seen = _rules(before)
        for line, (prior, kept) in rules.items():
            if line in self.loud:
                continue
            due = [r for r, kinds in after.items() if prior in kinds and self._counts(r, kinds, line.service)]
            lacks = sum(line not in after[r] for r in due)
            if lacks >= FEWEST and _chance(seen[prior] - kept, seen[prior], lacks, len(due)) < CHANCE:
                texts = self._said(line), self._said(prior)
                yield Broken(line.service, *texts, kept, seen[prior], lacks, len(due), self.parted)

    def _sides(self) -> tuple[Groups, Groups]:
        """Requests over before the onset, and begun after it; those that the data's end may cut are left out."""
        before: dict[str, list[Kind]] = {}
        after: dict[str, list[Kind]] = {}
        took = sorted(rows[-1][0] - rows[0][0] for rows in self.requests.values())
        ends = max((rows[-1][0] for rows in self.requests.values()), default=self.parted)
        patience = took[int(0.95 * (len(took) - 1))] if took else timedelta()
        for request, rows in self.requests.items():
            kinds = list(dict.fromkeys(kind for _, kind in rows))[:KINDS]
            if rows[-1][0] < self.parted:
                before[request] = kinds
            elif self.parted <= rows[0][0] <= ends - patience:
                after[request] = kinds
        return before, after

    def _counts(self, request: str, kinds: Sequence[Kind], service: str) -> bool:
        """It reached the service, as far as spans tell, and nobody in it complains of that service (a complaint is
        evidence of its own)."""
        spans = self.reached.get(request)
        said = (k for k in kinds if k in self.loud and k.service != service)
        return (not spans or service in spans) and not any(self._complains(k, service) for k in said)

    def _complains(self, kind: Kind, of: str) -> bool:
        if (kind, of) not in self._accused:
            self._accused[kind, of] = bool(named_in(self._texts[kind], (of,), kind.service))
        return self._accused[kind, of]

    # ── by count ──────────────────────────────────────────────────────────────────────────────

    def by_count(self) -> Iterator[Broken]:
        often = [k for k, slots in self.minutes.items() if slots.total() >= MANY and len(slots) >= SLOTS]
        same: dict[str, list[Kind]] = defaultdict(list)
        for kind in sorted(often, key=lambda k: -self.minutes[k].total()):
            if kind not in self.loud and len(same[kind.service]) < KINDS:
                same[kind.service].append(kind)
        for service, mine in same.items():
            for line in mine:
                others = (k for k in mine if k is not line and self._equal(line, k))
                prior = max(others, key=lambda k: self.after[k], default=None)
                came = self.after[prior] if prior else 0
                if prior and came >= MANY and self.after[line] <= GONE * came:
                    usual = self.minutes[line].total(), self.minutes[prior].total()
                    texts = self._said(line), self._said(prior)
                    yield Broken(service, *texts, *usual, came - self.after[line], came, self.parted, "lines")

    def _equal(self, a: Kind, b: Kind) -> bool:
        """So equally many in each minute as two that come by chance wouldn't be."""
        x, y = self.minutes[a], self.minutes[b]
        slots = x.keys() | y.keys()
        off = sum(abs(x[s] - y[s]) for s in slots)
        return off <= EQUAL * sum(sqrt(x[s] + y[s]) for s in slots)


def _rules(before: Groups) -> tuple[dict[Kind, tuple[Kind, int]], Counter[Kind]]:
    """(line → (the nearest line that it nearly always came after, and in how many requests), in how many each came)."""
    seen: Counter[Kind] = Counter()
    pairs: Counter[tuple[Kind, Kind]] = Counter()
    apart: Counter[tuple[Kind, Kind]] = Counter()
    for kinds in before.values():
        seen.update(kinds)
        for n, line in enumerate(kinds):
            for back, prior in enumerate(reversed(kinds[max(0, n - NEAR) : n])):
                pairs[prior, line] += 1
                apart[prior, line] += back
    best: dict[Kind, tuple[float, Kind, int]] = {}
    for (prior, line), n in pairs.items():
        firm = n >= ENOUGH and n >= ALWAYS * max(seen[prior], seen[line])
        gap = apart[prior, line] / n
        if firm and (line not in best or gap < best[line][0]):
            best[line] = (gap, prior, n)
    return {line: (prior, n) for line, (_, prior, n) in best.items()}, seen


def _chance(lacked: int, usual: int, lacks: int, of: int) -> float:
    """How likely so many or more of those that lack it would lie after the onset if nothing had changed (Fisher)."""
    gone, whole = lacked + lacks, usual + of
    ways = sum(comb(of, k) * comb(usual, gone - k) for k in range(lacks, min(of, gone) + 1))
    return ways / comb(whole, gone)
