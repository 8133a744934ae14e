"""Which change can have done it: when, where, and whether its content can bring what is seen. Pure.

Scores are log-odds like: each reason adds its weight, so that anyone can see what decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from subagents.cause.candidates import ROLLED, Candidate, candidates, in_path
from subagents.cause.content import SWITCHES, content_of, of_place, place_words, rarity, said_effects
from subagents.cause.edits import PLAIN_TEXT, Edit, edits, is_plain_text
from subagents.cause.effect import Effect
from subagents.cause.effects import effects, only_observes
from subagents.cause.facts import Facts
from subagents.cause.leaning import shared
from subagents.cause.links import ANY, links, vanished
from subagents.cause.model import Reason
from subagents.cause.places import Incident
from subagents.cause.relations import named_by, on_paper, same_environment, taken_back, touches
from subagents.cause.renamed import unmoved
from subagents.cause.telling import GENERIC, Telling, specific
from subagents.cause.timing import ENDED, MARGIN, Clock
from subagents.cause.waking import key_of, reads, waking
from subagents.cause.words import identifiers, stem, words

FAR = timedelta(hours=36)
WORDS, EFFECTS = 3.0, 3.5  # the most that wording and effects can add
LATE = 1.1  # times a limit: what gave up then, gave up by it
COMMON = 0.5  # of an effect of which only that is seen which every trouble shows
SLEPT = 1.2  # an effect that was to be expected at just this time
ALIEN, TIED, AFAR = -3.0, -1.0, -0.5  # without a part in it; but failing lines speak of it; but it works on others
SHARED = -0.6  # all may depend on what bears such a name, and no trace says which do
BEHIND = 0.8  # what a switch loses to the change that brought the code behind it
FITS = 0.8  # of effects that fit: from there on the content speaks for the change


@dataclass(frozen=True, slots=True)
class Weighed:
    candidate: Candidate
    score: float
    against: str
    reasons: tuple[Reason, ...]
    brings: frozenset[str] = frozenset()  # kinds of trouble that its strongest fitting effects bring


class Weighing:
    """Weighs each change of one incident."""

    def __init__(self, facts: Facts, found: Incident, told: Telling, environment: str = "") -> None:
        self.facts, self.found, self.told, self.environment = facts, found, told, environment
        self.kinds = specific(told.families)
        self.all = candidates(facts.changes, facts.known)
        self.hunks = {c.id: unmoved(edits(facts.diffs.get(c.change.id, ""), c.change.files)) for c in self.all}
        self.content = {c.id: content_of(c, facts.diffs) for c in self.all}
        self.heard = {*facts.lines, *(s.service for s in facts.series), *(s.service for s in facts.spans)}
        self.rare = rarity(self.content.values())
        self.place_words = place_words(facts.known)
        self.clock = Clock(facts, found)
        lines = {id: "\n".join(x for e in found for x in (*e.removed, *e.added)) for id, found in self.hunks.items()}
        self.woken = {c.id: waking(lines[c.id], c.at, self.clock.onset, facts.changes) for c in self.all}
        self.lines = [(c, lines[c.id]) for c in self.all if lines[c.id]]
        self.took = {s.seconds for s in facts.spans if s.error and s.start >= (found.onset or found.at) - MARGIN}

    def weigh(self) -> list[Weighed]:
        found = sorted((self._one(c) for c in self.all), key=lambda w: (-w.score, w.candidate.id))
        return list({w.candidate.id: w for w in reversed(found)}.values())[::-1]  # of those that carry it the likeliest

    def _one(self, c: Candidate) -> Weighed:
        if against := self._against(c):
            return Weighed(c, -9.0, against, ())
        fitting = self._fitting(c)
        tied = max((AFAR if e.afar else TIED for e, _ in fitting if e.afar or e.families == ANY), default=ALIEN)
        reasons = [
            *self.clock.timing(c, self.woken[c.id]),
            *self._place(c, tied, any(w >= FITS for _, w in fitting)),
            *self._mechanism(c, fitting),
            *self._late(c),
        ]
        score = sum(r.weight for r in reasons)
        brings = frozenset(f for e, w in fitting if w >= 1.0 for f in e.families)
        return Weighed(c, round(score, 3), "", tuple(reasons), brings)

    def _fitting(self, c: Candidate) -> list[tuple[Effect, float]]:
        """Its effects that can bring what is seen, each with how well it fits, best first."""
        found = self.hunks[c.id]
        told = effects(found) if self.facts.diffs.get(c.change.id) else said_effects(c)
        if woken := self.woken[c.id]:
            told.append(Effect(woken.effect, frozenset(self.kinds), SLEPT))
        told += vanished(found, [s.name for s in self.found.symptoms if s.source == "missing"])
        told += links(found, self.told, self.rare, self.place_words)
        weighed = sorted(((e, self._fit(e)) for e in told), key=lambda p: -p[1])
        return [(e, w) for e, w in weighed if w > 0][:3]

    # ── ruled out ─────────────────────────────────────────────────────────────────────────────

    def _against(self, c: Candidate) -> str:
        end = self.clock.latest
        if c.at > end + MARGIN:
            return "after_onset"
        if end - c.at > FAR:
            return "too_far"
        where = c.change.environment or (c.carrier.environment if c.carrier else "")
        if where and self.environment and not same_environment(where, self.environment):
            return "other_environment"
        if on_paper(c.change, ()):
            return "docs_only"
        if c.change.until is not None and c.change.until < self.clock.earliest - ENDED:
            return "ended_before"
        return ""

    # ── where ─────────────────────────────────────────────────────────────────────────────────

    def _place(self, c: Candidate, alien: float, fits: bool) -> Iterator[Reason]:
        """`alien`: what it weighs that nothing leads from it to what fails; `fits`: its content can bring that."""
        first, topology = self.found.first, self.found.calls
        whose = self._whose(c)
        reached = {p.service for p in self.found.places}
        if first in whose:
            sure = not c.implied or self._own(c)
            yield Reason("place", f"on {first}, which failed first", 1.0 if sure else 0.4)
        elif depth := _nearest(topology.distance(first, w) for w in whose):
            yield Reason("place", f"{first} depends on what it changes, {depth} calls away", 0.9 - 0.3 * depth)
        elif height := _nearest(topology.distance(w, first) for w in whose):
            yield Reason("place", f"on what calls {first}, {height} calls away", 0.5 - 0.3 * height)
        elif whose & reached:
            yield Reason("place", f"on {', '.join(sorted(whose & reached))}, which fails too", -0.5)
        elif not whose:
            yield Reason("place", "on what no service owns alone", -0.6)
        elif fits and any(shared(w) and not topology.knows(w) for w in whose):
            yield Reason("place", f"on {', '.join(sorted(whose))}, of which no call is known", SHARED)
        else:
            yield Reason("place", f"on {', '.join(sorted(whose))}, which has no part in it", alien)
        yield from self._brought(c)

    def _whose(self, c: Candidate) -> set[str]:
        """The services it is on; of what nothing is heard (the roll-out of rights, of a network) those it names."""
        if not c.service:
            return touches(c.change, (), self.facts.known)
        named = set() if c.service in self.heard else named_by(c.change, self.facts.known)
        return named or {c.service}

    def _brought(self, c: Candidate) -> Iterator[Reason]:
        if c.carrier is not None and c.implied:
            yield Reason(
                "place",
                f"the deploy of {c.carrier.service} was made after it and may carry it",
                -0.2 if self._own(c) else -0.6,
            )
        if c.change.kind == "commit" and c.carrier is None:
            deployed = any(x.kind in ROLLED for x in self.facts.changes)
            yield Reason("place", "no deploy before the onset carries it", -1.6 if deployed else -0.2)

    def _own(self, c: Candidate) -> bool:
        """Its files lie in the directories of the service that was deployed."""
        return c.carrier is not None and in_path(c.change, c.carrier.service)

    # ── whether it can ────────────────────────────────────────────────────────────────────────

    def _mechanism(self, c: Candidate, best: Sequence[tuple[Effect, float]]) -> Iterator[Reason]:
        wording = self._wording(self.content[c.id])
        found = self.hunks[c.id]
        real = [e for e in found if not is_plain_text(e)]
        if (found and not real) or (not found and c.change.files and _only_text(c.change.files)):
            yield Reason("content", "changes style, wording or documents only", -3.0)
            return
        total = min(EFFECTS, sum(w / (n + 1) for n, (_, w) in enumerate(best)))
        if best:
            seen = ", ".join(sorted(f for f in best[0][0].families if self.kinds.get(f, 0) >= 0.3)) or "errors"
            yield Reason("effect", f"{best[0][0].text}: can bring {seen}", round(total, 3))
        if wording:
            weight = min(WORDS, sum(w for _, w in wording))
            weight *= 0.5 if found and not best else 1.0
            names = ", ".join(word for word, _ in wording[:5])
            yield Reason("wording", f"speaks of what the failures speak of: {names}", round(weight, 3))
        key = key_of(c.change)
        if c.change.kind in SWITCHES and (code := next((x for x, lines in self.lines if reads(lines, key)), None)):
            yield Reason("content", f"what it switches came with {code.id[:12]}", -BEHIND)
        if c.change.kind in SWITCHES and (said := self._unplaced(key.lower())) and re.search(said, self.told.own):
            yield Reason("named", f"the failing lines name {key}", 1.5)
        if not self.kinds:
            return  # nothing is known of the failures that a content could fit
        if found and total < FITS:
            yield Reason("content", _harmless(real), round(-1.5 * (1 - total / FITS), 3))
        elif not found and not wording and not best:
            yield Reason("content", "nothing is known of its content that fits", -0.6)

    def _unplaced(self, key: str) -> str:
        """A pattern for a switch's name without the service's own in front; "" where but a word is left, which is no
        name: `workers` stands in failing lines for what fails, not for what was set."""
        parts = re.split(r"[-_. /]+", key)
        while len(parts) > 1 and words(parts[0]) and words(parts[0]) <= self.place_words:
            parts = parts[1:]
        said = r"[-_. /]?".join(map(re.escape, parts))
        return rf"(?<!\w){said}(?!\w)" if len(parts) > 1 and sum(map(len, parts)) >= 5 else ""

    def _fit(self, effect: Effect) -> float:
        """An effect's strength as far as its kinds are seen; more where its new value stands in the failures."""
        if effect.families == ANY:
            return effect.strength
        seen = max((self._seen(f, effect.families) for f in effect.families), default=0.0)
        if effect.about and not (words(effect.about) - self.place_words) & self.told.words.keys():
            seen *= 0.3
        if effect.limit and any(effect.limit <= t <= LATE * effect.limit for t in self.took):
            return effect.strength * max(seen, 0.6) + 1.2
        if effect.values & self.told.numbers and seen >= 0.15:
            return effect.strength * max(seen, 0.6) + 1.2
        return effect.strength * seen * 1.3 if seen >= 0.12 else 0.0

    def _seen(self, family: str, among: frozenset[str]) -> float:
        """How far a kind of trouble is seen; half as far where others of an effect's kinds would tell more."""
        vague = family in GENERIC and bool(among - GENERIC or (family == "errors" and len(among) > 1))
        return self.kinds.get(family, 0.0) * (COMMON if vague else 1.0)

    def _wording(self, content: str) -> list[tuple[str, float]]:
        found = []
        for name in identifiers(content):
            if name in self.told.identifiers and not words(name) <= self.place_words:
                found.append((name, 1.6 * self.told.identifiers[name] * self.rare.get(name, 1.0)))
        inner = {w for name, _ in found for w in words(name)}
        for word in words(content) - inner:
            if word in self.told.words and not of_place(word, self.place_words):
                found.append((word, 0.7 * self.told.words[word] * self.rare.get(word, 1.0)))
        best = sorted((f for f in found if f[1] >= 0.1), key=lambda f: (-f[1], f[0]))[:6]
        spelt = {stem(w.lower()): w.lower() for w in re.findall(r"[A-Za-z]+", content)}
        return [(spelt.get(word, word), weight) for word, weight in best]

    # ── afterwards ────────────────────────────────────────────────────────────────────────────

    def _late(self, c: Candidate) -> Iterator[Reason]:
        carried = (c.change,) if c.carrier else ()
        back = taken_back(c.carrier or c.change, carried, self.facts.changes, self.found.onset or self.found.at)
        if back is not None:
            by = f"{back.service} {back.version}" if back.service and back.version else back.id[:12]
            yield Reason("taken back", f"taken back at {back.at:%H:%M} by {by}", 1.5)


def _nearest(distances: Iterator[int | None]) -> int | None:
    return min((d for d in distances if d), default=None)


def _only_text(files: Sequence[str]) -> bool:
    return all(PLAIN_TEXT.search(f) for f in files)


def _harmless(real: list[Edit]) -> str:
    if only_observes(real):
        return "changes logs or metrics only"
    return "its diff shows nothing that brings such failures"
