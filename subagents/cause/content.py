"""What a change says of itself, in its title, files and lines: for the words that the failures share with it. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from subagents.cause.candidates import Candidate
from subagents.cause.edits import edits
from subagents.cause.effect import Effect
from subagents.cause.effects import effects
from subagents.cause.symptoms import bare
from subagents.cause.words import identifiers, words

SWITCHES = ("flag", "config")
BULK = re.compile(  # work on much data beside the daily one: it takes locks, processors and disks from that
    r"back-?fill|re-?index(?:ing)?\b|bulk (?:load|import|update|delete|insert)|batch (?:job|run)|nightly job"
    r"|re-?run(?:s|ning)? |mass (?:update|delete)|full (?:sync|import|export|rebuild)|data migration"
    r"|重跑|补数|补跑|跑批|批量|全量|数据迁移|数据订正",
    re.IGNORECASE,
)
BULKY = frozenset(("race", "sql", "latency", "cpu", "disk", "queue", "pool", "timeout"))


def content_of(c: Candidate, diffs: Mapping[str, str]) -> str:
    """What a change says of itself: title, key, files, the lines it touches."""
    lines = [
        x[1:] for x in diffs.get(c.change.id, "").splitlines() if x[:1] in "+-" and not x.startswith(("+++", "---"))
    ]
    notes = [x for x in diffs.get(c.change.id, "").splitlines() if x.startswith("@@")]
    files = [f.rsplit("/", 1)[-1] for f in c.change.files] + list(c.change.files)
    return "\n".join([c.change.title, c.change.body, *files, *lines, *notes])


def rarity(contents: Iterable[str]) -> dict[str, float]:
    """How much a word tells: 1 for one that a single change has, towards 0 for one that all have."""
    texts = list(contents)
    seen: Counter[str] = Counter(w for t in texts for w in {*words(t), *identifiers(t)})
    whole = log(len(texts) + 2)
    return {w: log((len(texts) + 2) / (n + 1)) / whole for w, n in seen.items()} if whole else {}


def said_effects(c: Candidate) -> list[Effect]:
    """Of what has no diff: bulk work by its words; of a setting old and new value in its title, as `key: 20 → 2`."""
    if (said := BULK.search(f"{c.change.title}\n{c.change.body}")) and c.change.kind not in SWITCHES:
        return [Effect(f"works on much data at once: ‘{said.group()}’", BULKY, 1.5, afar=True)]
    key, sep, values = c.change.title.partition(": ")
    for arrow in ("→", "->", "=>"):
        if sep and arrow in values:
            old, _, new = values.partition(arrow)
            made = edits(f"@@ {key} @@\n-{key} = {old.strip()!r}\n+{key} = {new.strip()!r}")
            made += edits(f"@@ {key} @@\n-{key} = {old.strip()}\n+{key} = {new.strip()}")
            return effects(made)[:2] if c.change.kind == "config" else []
    return []


def place_words(services: Iterable[str]) -> frozenset[str]:
    """Words of the services' names: they tell where, not what."""
    return frozenset(w for s in services for part in (s, bare(s)) for w in words(part))


def of_place(word: str, named: frozenset[str]) -> bool:
    return word in named or (len(word) >= 4 and any(n.startswith(word) for n in named))
