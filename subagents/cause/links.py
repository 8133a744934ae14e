"""What of a change's own lines stands in the failures: files of stack traces, names it puts in or takes out, numbers.

The failing lines here are new ones, so that a name in them which a change touches ties the two together. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from subagents.cause.edits import MANIFEST, Edit, is_plain_text
from subagents.cause.effect import Effect
from subagents.cause.telling import Telling
from subagents.cause.values import IP
from subagents.cause.words import identifiers, words

_LITERAL = re.compile(r"[\"']([\w./:@-]{6,})[\"']|(?<=[:=])\s*([a-z][\w-]*(?:[.:/-][\w-]+)+)")
_NAME = re.compile(r"[A-Za-z]\w*+")
_PARTS = re.compile(r"_\w|[a-z][A-Z]")
_COMMON = re.compile(
    r"^(?:main|index|app|__init__|mod|lib|server|client|handler|values|config|settings|application)\.", re.I
)
_TABLE = re.compile(r"\b(?:from|update|into|join|table)\s+[\"'`]?([a-z]\w*(?:[._]\w+)+)", re.IGNORECASE)
_BIG = re.compile(r"(?<![\w.])\d{3,}(?![\w.])")
_VERSION = re.compile(r"(?<![\w.])\d+\.\d+\.\d+(?![\w.])")
ANY = frozenset(("*",))  # fits whatever the failures are: they speak of it themselves
FILE, NAME, NUMBER, SAID = 1.8, 1.6, 1.0, 2.0
PHRASE = 3  # words in a row that are one line's


def vanished(found: Iterable[Edit], lines: Iterable[str]) -> list[Effect]:
    """A change of the code that says, or said, a line that no longer comes: the words stand in its hunk."""
    code = "\n".join(x for e in found if not is_plain_text(e) for x in (*e.kept, *e.removed, *e.added))
    spoken = " ".join(re.findall(r"[a-z]+", code.lower()))
    for line in lines:
        said = re.findall(r"(?<![\w<])[a-z]+(?![\w>])", line.lower())
        if any(" ".join(said[n : n + PHRASE]) in spoken for n in range(len(said) - PHRASE + 1)):
            return [Effect(f"works where a line that no longer comes was said: ‘{line[:60]}’", ANY, SAID)]
    return []


def links(found: Iterable[Edit], told: Telling, rare: dict[str, float], places: frozenset[str]) -> list[Effect]:
    """Each tie as an effect that fits. `rare`: how much a name tells, 0 to 1; `places`: words of services' names."""
    found = list(found)
    real = [e for e in found if not is_plain_text(e) and not MANIFEST.search(e.file)]
    named = [*_tables(real, told)] or [*_names(real, told, rare, places)]
    return [*_files(real, told), *named, *_numbers(real, told), *_versions(found, told)]


def _files(found: Iterable[Edit], told: Telling) -> Iterator[Effect]:
    for name in sorted({e.file.rsplit("/", 1)[-1] for e in found}):
        if "." in name and not _COMMON.match(name) and re.search(rf"(?<![\w.-]){re.escape(name.lower())}\b", told.text):
            yield Effect(f"edits {name}, which the failing lines point to", ANY, FILE)


def _names(found: Iterable[Edit], told: Telling, rare: dict[str, float], places: frozenset[str]) -> Iterator[Effect]:
    made = []
    for edit in found:
        old, new = _named("\n".join(edit.removed)), _named("\n".join(edit.added))
        made += [(name, "puts in") for name in new - old] + [(name, "takes out") for name in old - new]
    told_of = [(name, what) for name, what in made if _said(name, told) and _tells(name, places)]
    weight = {name: min((rare.get(n, 1.0) for n in identifiers(name)), default=1.0) for name, _ in told_of}
    name, what = max(told_of, key=lambda t: (weight[t[0]], t), default=("", ""))
    if name and weight[name] > 0.4:
        yield Effect(f"{what} `{name}`, which the failing lines name", ANY, NAME * weight[name])


def _tables(found: Iterable[Edit], told: Telling) -> Iterator[Effect]:
    failing = {name.lower() for name in _TABLE.findall(told.text)}
    for edit in found:
        mine = {name.lower() for name in _TABLE.findall("\n".join((*edit.removed, *edit.added)))}
        if both := sorted(mine & failing):
            yield Effect(f"works on the table `{both[0]}`, as the failing statements do", ANY, NAME)
            return


def _named(text: str) -> set[str]:
    """Names of several parts, as they are spelt, and literals."""
    literal = {a or b for a, b in _LITERAL.findall(text)}
    names = {n for n in _NAME.findall(text) if _PARTS.search(n, 1)}
    return {n for n in literal | names if n.islower() or identifiers(n)} | set(re.findall(IP, text))


def _tells(name: str, places: frozenset[str]) -> bool:
    """More than where: not only words of services' names, nor only words that all code has."""
    return bool(words(name) - places) or (not words(name) and bool(re.search(r"[.:/]", name)))


def _said(name: str, told: Telling) -> bool:
    low = name.lower()
    return low in told.text and bool(re.search(rf"(?<![\w-]){re.escape(low)}(?![\w-])", told.text))


def _versions(found: Iterable[Edit], told: Telling) -> Iterator[Effect]:
    for edit in (e for e in found if MANIFEST.search(e.file)):
        new = set(_VERSION.findall("\n".join(edit.added))) - set(_VERSION.findall("\n".join(edit.removed)))
        if hit := sorted(v for v in new if _said(v, told)):
            yield Effect(f"puts in the version {hit[0]}, which the failing lines say", ANY, NAME)
            return


def _numbers(found: Iterable[Edit], told: Telling) -> Iterator[Effect]:
    for edit in found:
        new = set(_BIG.findall("\n".join(edit.added))) - set(_BIG.findall("\n".join(edit.removed)))
        if hit := sorted(new & told.numbers):
            yield Effect(f"puts in {hit[0]}, which the failing lines say", ANY, NUMBER)
            return
