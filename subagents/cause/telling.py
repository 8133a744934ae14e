"""What the failures say, as words, names, numbers and kinds of trouble, each with its weight. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from subagents.cause.facts import Facts
from subagents.cause.places import Incident
from subagents.cause.symptoms import is_bad, is_new
from subagents.cause.words import families, identifiers, words

FORMS = 40  # different lines that are read for stack traces
MISSED = 0.7  # what the words of a line that no longer comes weigh
MUCH, TIMES, LOUDER = 1_000, 10, 4.0  # lines, times the usual, and what it weighs
NOVEL = 0.5  # what a line says that never came before, whatever its level
OTHERS = 0.35  # what services say that are only reached
GENERIC = frozenset(("errors", "latency", "config", "dependency", "traffic", "timeout"))
_SKIPPED = re.compile(r"trace|span|id$|time|date|^ts$|level|severity|service|version|duration|host|pod|user|^ip$", re.I)
_NUMBER = re.compile(r"(?<![\w.:-])(\d{2,}|\d)(?=\s*(?:ms|s|m|%|MB|Mi|per|of|in use|requests|connections|retries)?\b)")


@dataclass(frozen=True, slots=True)
class Telling:
    """`text`: all of it in small letters; `own`: only what the first failing service says."""

    words: Mapping[str, float]
    identifiers: Mapping[str, float]
    families: Mapping[str, float]
    numbers: frozenset[str]
    text: str
    own: str


def telling(facts: Facts, found: Incident) -> Telling:
    said: dict[str, float] = defaultdict(float)
    names: dict[str, float] = defaultdict(float)
    kinds: dict[str, float] = defaultdict(float)
    numbers: set[str] = set()
    whole, own = [], []
    for service, text, weight in dict.fromkeys(_texts(facts, found)):
        share = weight if service == found.first else weight * OTHERS
        for word in words(text):
            said[word] = max(said[word], share)
        for name in identifiers(text):
            names[name] = max(names[name], share)
        for family in sorted(families(text)):  # the same order of sums in every process
            kinds[family] += share
        if service == found.first:
            numbers |= set(_NUMBER.findall(text))
            own.append(text.lower())
        whole.append(text.lower())
    if _louder(facts, found.first):
        kinds["logging"] += LOUDER
    for gone in (
        s for s in found.symptoms if s.source == "missing"
    ):  # tells where it broke off, and no kind of trouble
        share = MISSED if gone.service == found.first else MISSED * OTHERS
        for known, terms in ((said, words(gone.name)), (names, identifiers(gone.name))):
            known.update({term: max(known[term], share) for term in terms})
    return Telling(said, names, kinds, frozenset(numbers), "\n".join(whole), "\n".join(own))


def _louder(facts: Facts, service: str) -> bool:
    """It writes many times as many lines as before, those that tell of failures aside."""
    mine = [p for p in facts.patterns if p.service == service and not is_bad(p) and p.before is not None]
    lines, before = sum(p.n for p in mine), sum(p.before or 0 for p in mine)
    return lines >= MUCH and lines >= TIMES * before


def _texts(facts: Facts, found: Incident) -> Iterator[tuple[str, str, float]]:
    """(service, text, weight): new failing patterns, moved metrics, failed spans, alerts, stack traces."""
    reached = {p.service for p in found.places}
    for p in facts.patterns:
        if is_new(p) and is_bad(p) and p.service in (*reached, ""):
            yield p.service or found.first, p.template, 1.0
            yield p.service or found.first, p.sample, 1.0
        elif p.before == 0 and p.n and p.service == found.first:
            yield p.service, p.template, NOVEL
    for s in found.symptoms:
        if s.source == "metric" and s.service in reached:
            yield s.service, s.name, 0.8 if s.hard else 0.6
        elif s.source == "alert":
            yield s.service, s.name, 0.8
    failed = {
        (s.service, re.sub(r"\d+", "#", s.error), s.name) for s in facts.spans if s.error and s.service in reached
    }
    for service, error, name in sorted(failed)[:FORMS]:
        yield service, f"{error} {name}", 0.7
    seen: set[tuple[str, str]] = set()
    for line in facts.samples:
        form = (line.service, re.sub(r"\d+", "#", line.message[:200]))
        if line.service in reached and form not in seen and len(seen) < FORMS:
            seen.add(form)
            fields = " ".join(v for k, v in line.fields.items() if not _SKIPPED.search(k) and v != line.message)
            yield line.service, f"{line.message[:600]} {fields[:600]}", 0.7


def specific(kinds: Mapping[str, float]) -> dict[str, float]:
    """Each family's share of what is told, 0 to 1; those that every incident shows count for less."""
    weighed = {f: min(w, 4.0) * (0.3 if f in GENERIC else 1.0) for f, w in kinds.items()}
    most = max(weighed.values(), default=0.0)
    return {f: w / most for f, w in weighed.items()} if most else {}
