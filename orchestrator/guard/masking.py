"""Secrets and personal data in any text → keyed tags, `<secret:7f3a>`: the same value, the same tag under one key.

Literals are looked for first (`str.find`, no regex), and a rule's pattern is tried only where one of its literals
stands: ordinary text costs little and hostile text stays linear, since patterns are possessive or bounded and the
search goes on behind what a pattern has read. This module doesn't know the shapes themselves (`shapes.py`,
`personal.py`), nor where a text comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b

from orchestrator.guard.personal import Span, emails, has_numbers, numbers
from orchestrator.guard.shapes import RULES, Rule

SHORT = 40  # characters
_TAGS = re.compile(r"(?:<secret:[0-9a-f]{4}>)+")
_NOISE = b"abcdefghijklmnopqrstuvwxyz_"
_UPPER = bytes(0x41 if chr(c) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" else c for c in range(256))  # … → "A"


def _by_literal(rules: Iterable[Rule]) -> tuple[tuple[str, tuple[Rule, ...]], ...]:
    """Each literal with its rules, so that it is looked for once."""
    table: dict[str, tuple[Rule, ...]] = {}
    for rule in rules:
        table.update({literal: (*table.get(literal, ()), rule) for literal in rule.literals})
    return tuple(table.items())


_ASCII = _by_literal(rule for rule in RULES if rule.literals[0].isascii() and not rule.random)
_RANDOM = _by_literal(rule for rule in RULES if rule.random)
_CHINESE = _by_literal(rule for rule in RULES if not rule.literals[0].isascii())


def mask(text: str, key: bytes) -> str:
    """`text` with every secret replaced by its tag. Masking twice changes nothing more. `key`: 16 to 64 bytes."""
    if len(text) <= SHORT and _plain(text):
        return text
    while spans := _spans(text):
        text = _replace(text, _merge(spans), key)  # and once more: a tag may end what kept a neighbour from being seen
    return text


@lru_cache(maxsize=4096)
def _plain(text: str) -> bool:
    """Kept, because the keys and short values of data come again and again."""
    return not _spans(text)


def _spans(text: str) -> list[Span]:
    low = text.lower()
    if len(low) != len(text):  # a few capitals lower to two characters, and places must not shift
        low = "".join(c.lower() if c.isascii() else c for c in text)
    raw = text.encode("utf-8", "replace")
    hits = [hit for hit in _ASCII if hit[0] in low]
    if b"AAAAAA" in raw.translate(_UPPER, _NOISE):
        hits += [hit for hit in _RANDOM if hit[0] in low]
    if len(raw) != len(text):
        hits += [hit for hit in _CHINESE if hit[0] in low]
    found = [span for literal, rules in hits for rule in rules for span in _matches(rule, literal, text, low)]
    if "@" in text:
        found += emails(text)
    if has_numbers(raw):
        found += numbers(text)
    return [s for s in found if not _TAGS.fullmatch(text, s.start, s.end)] if found else found


def _matches(rule: Rule, literal: str, text: str, low: str) -> Iterator[Span]:
    pattern, before = _compiled(rule.pattern), _compiled(rule.before + r"\Z") if rule.before else None
    at = low.find(literal)
    while at >= 0:
        found = pattern.match(text, at)
        if found is None:
            at = low.find(literal, at + 1)
            continue
        if before is None or before.search(text, max(0, at - 16), at):
            yield from _values(rule, found)
        at = low.find(literal, max(found.end(), at + 1))


def _values(rule: Rule, found: re.Match[str]) -> Iterator[Span]:
    """One value, or each of those in what was found."""
    inner = _compiled(rule.each).finditer(found.string, *found.span()) if rule.each else (found,)
    for match in inner:
        group = match.lastindex or 0
        if not rule.keep(match[group]):
            yield Span(*match.span(group))


@lru_cache(maxsize=128)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _merge(spans: list[Span]) -> list[Span]:
    """In order, overlapping ones made one: a token inside a header's value is one secret, not two."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
        elif span.end > merged[-1].end:
            merged[-1] = Span(merged[-1].start, span.end)
    return merged


def _replace(text: str, spans: list[Span], key: bytes) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        value = (span.value or text[span.start : span.end]).encode("utf-8", "surrogatepass")
        parts += (text[end : span.start], f"<secret:{blake2b(value, digest_size=2, key=key).hexdigest()}>")
        end = span.end
    return "".join(parts) + text[end:]
