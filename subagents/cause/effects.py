"""What a change can do at run time, told by its diff: each effect with the kinds of trouble it can bring.

Values that moved and which way, what was taken out or put in, calls put into loops, what grows without bound, other
keys of a cache, versions. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from subagents.cause.edits import MANIFEST, SETTINGS, Edit, is_plain_text
from subagents.cause.effect import Effect
from subagents.cause.mechanisms import PUT_IN, TAKEN_OUT, compiled
from subagents.cause.values import moved, pairs
from subagents.cause.words import families

OUT, IN = compiled(TAKEN_OUT), compiled(PUT_IN)
_VERSION = re.compile(r"\bv?(\d+)\.(\d+)(?:\.(\d+))?\b")
_BARE = re.compile(r"\W*version\W", re.IGNORECASE)  # a lock file's line that doesn't say of what
_BOUND = re.compile(TAKEN_OUT[2].gone + r"|close\(|release\(|max\b|limit", re.I)
_GROWS = re.compile(
    r"\b(\w++)\s*+=\s*+append\(\s*+\1\b|\w\.(?:append|add|push|put|set|store)\(|\w\[[^\][]++\]\s*+=(?!=)|^\s*[A-Z_]{3,}\s*=\s*\{\}"
    r"|^\s*var\s+\w+\s+(?:\[\]|map\[)|\bnew (?:HashMap|ArrayList)"
)
_GLOBAL = re.compile(
    r"^(?:var\s+(\w+)|([A-Z_]{3,})\s*=\s*(?:\{\}|\[\])|(?:private |public )?static\b.*?\b(\w++)\s*+="
    r"|(?:let|const)\s+(\w+)(?::[^=]++)?\s*=\s*(?:\{\}|\[\]|new))"
)
_LOOP = re.compile(r"\bfor\b|\bforeach\b|\.map\(|\.forEach\(|\.each\b|\bwhile\b|stream\(\)")
_CALL = re.compile(
    r"\b(?=\w*(?:repo|client|db|dao|store|catalog|session|conn|tx|api|svc|service|redis|http))\w++\.(\w++)\("
    r"|(?:Query|Exec|Fetch|Get|Load|Find|Select|Lookup)\w*+\(|\b[A-Z]\w+\.(?:find|where|objects|query|get)\w*[.(]",
    re.IGNORECASE,
)
CONTRACT = re.compile(
    r"(?:^|/)(?:contracts?|schemas?|events?|messages?|protos?|protocols?|dtos?)/|\.(?:proto|avsc|xsd|graphqls?|thrift)$"
    r"|openapi|swagger|[-_.]schema\.json$",
    re.IGNORECASE,
)
_OBSERVE = re.compile(
    r"\b(?:logg?(?:er)?|metrics?|prometheus|counter|histogram|gauge|span|trac(?:e|er|ing)|otel|print)\w*[.(]|\.Inc\(|Observe\("
    r"|\.(?:trace|debug|info|warn(?:ing)?|error|notice)[fw]?\(\s*[rfbu$]?[\"'`]",
    re.I,
)

PROBE = re.compile(r"(?:readiness|liveness|startup)_?Probe|health_?check", re.IGNORECASE)
PROBED = re.compile(r"\b(?:path|port|command|\w*(?:Timeout|Period|Delay|Interval)\w*|\w*Threshold)\b\W", re.IGNORECASE)
SORT = re.compile(r"\bsort\w*\b|order[ _]?by|\bcomparator|comparing|sorted\(", re.IGNORECASE)
LOCKS = re.compile(r"for[ _]?update|\block\w*\(|\.lock\b|acquire|with_?lock|pessimistic", re.IGNORECASE)
TOOLS = re.compile(  # what builds, checks and tests: none of it runs in production
    r"spotless|checkstyle|eslint|prettier|\bruff\b|\bblack\b|mypy|pylint|flake8|junit|pytest|\bjest\b|vitest|mocha|jacoco"
    r"|sonar|coverage|linter|\blint\b|ktlint|detekt|golangci|husky|storybook|typedoc|@types/",
    re.IGNORECASE,
)


def effects(found: list[Edit]) -> list[Effect]:
    """What the edits can do, the strongest first; empty where nothing of the kind was found."""
    real = [e for e in found if not is_plain_text(e)]
    code = [e for e in real if not SETTINGS.search(e.file)]
    whole = Edit("", tuple(x for e in code for x in e.removed), tuple(x for e in code for x in e.added), (), ())
    told = [effect for e in real for effect in _of(e, e if SETTINGS.search(e.file) else whole)]
    told += _loops(real) + _growth(real)
    return sorted(told, key=lambda e: -e.strength)


def only_observes(found: list[Edit]) -> bool:
    """Logs, metrics or traces only."""
    lines = [x for e in found for x in (*e.added, *e.removed)]
    busy = [x for x in lines if x.strip(" \t{}();,")]
    return bool(busy) and sum(bool(_OBSERVE.search(x)) for x in busy) >= 0.5 * len(busy)


def _of(edit: Edit, whole: Edit) -> Iterator[Effect]:
    """`whole`: all that the change takes out of the code and puts in: with what it only moves it does neither."""
    if MANIFEST.search(edit.file):
        yield from _versions(edit)
        return
    yield from moved(edit)
    yield from _taken_out(edit, whole)
    yield from _put_in(edit, whole)
    yield from _keyed(edit)
    yield from _contract(edit)
    yield from _probed(edit)
    yield from _ordered(edit)


# ── what was taken out, what was put in ───────────────────────────────────────────────────────


def _taken_out(edit: Edit, whole: Edit) -> Iterator[Effect]:
    added = "\n".join(whole.added)
    absent = [(mechanism, gone) for mechanism, gone in OUT if not gone.search(added)]
    for line in edit.removed:
        bare = line.strip()
        if bare in added or ("err != nil" in bare):
            continue
        for mechanism, gone in absent:
            if gone.search(line):
                kinds = frozenset(mechanism.brings.split())
                more = families(bare) if "tolerance" in mechanism.text else frozenset()
                yield Effect(mechanism.text.format(bare[:60]), kinds | more, mechanism.strength)
                break


def _put_in(edit: Edit, whole: Edit) -> Iterator[Effect]:
    removed, added = "\n".join(whole.removed), "\n".join(whole.added)
    for mechanism, come in IN:
        line = next((x for x in edit.added if come.search(x) and not _OBSERVE.search(x)), None)
        if line is None or (come.search(removed) and not mechanism.otherwise):
            continue
        if mechanism.unless and re.search(mechanism.unless, added, re.IGNORECASE):
            continue
        yield Effect(mechanism.text.format(line.strip()[:60]), frozenset(mechanism.brings.split()), mechanism.strength)


def _contract(edit: Edit) -> Iterator[Effect]:
    """A field of a message that others read, taken out or of another type; one more is no harm."""
    gone = next((x.strip() for x in edit.removed if x.strip() not in edit.added and re.search(r"\w", x)), "")
    if gone and CONTRACT.search(edit.file) and not moves_only(edit):
        kinds = frozenset(("data", "crash", "errors"))
        yield Effect(f"changes what others read: `{gone[:60]}`", kinds, 1.6, afar=True)


def _probed(edit: Edit) -> Iterator[Effect]:
    """How it is found out whether a process is well, which is ended where it isn't."""
    changed = next((x for x in (*edit.added, *edit.removed) if PROBED.search(x)), None)
    if changed and PROBE.search("\n".join((*edit.kept, *edit.added, *edit.removed))):
        yield Effect(
            f"changes when a process counts as well: `{changed.strip()[:60]}`", frozenset(("crash", "errors")), 1.3
        )


def _ordered(edit: Edit) -> Iterator[Effect]:
    """Rows or things are locked one after the other, and now in another order: two may wait for one another."""
    sorts = [next((x for x in lines if SORT.search(x)), "") for lines in (edit.removed, edit.added)]
    if any(sorts) and sorts[0].strip() != sorts[1].strip() and LOCKS.search("\n".join((*edit.kept, *edit.added))):
        line = sorts[1] or sorts[0]
        yield Effect(f"locks in another order: `{line.strip()[:60]}`", frozenset(("race", "latency", "errors")), 1.7)


def moves_only(edit: Edit) -> bool:
    """The same lines in another order or place."""
    return sorted(x.strip() for x in edit.removed) == sorted(x.strip() for x in edit.added)


def _keyed(edit: Edit) -> Iterator[Effect]:
    """Entries of a cache under other keys than before: none is found again."""
    for old, new in pairs(edit):
        text = f"{edit.file} {old} {new} {' '.join(edit.kept)}"
        cached = re.search(r"cache|redis", text, re.I) and re.search(r"key", text, re.I)
        if cached and len(re.findall(r"\w+", new)) > len(re.findall(r"\w+", old)):
            yield Effect(f"other keys of cached entries: `{new.strip()[:60]}`", CACHE, 1.5)


BREAKS = frozenset(("dependency_version", "crash", "errors"))
DEFAULTS = frozenset(("route", "auth", "data"))  # what major versions of frameworks do otherwise unless told
CACHE = frozenset(("cache", "latency", "sql", "cpu", "traffic"))

# ── loops, growth ─────────────────────────────────────────────────────────────────────────────


def _loops(found: list[Edit]) -> list[Effect]:
    """A call of another system inside a loop that had none."""
    kinds = frozenset(("latency", "sql", "traffic", "timeout", "pool", "quota"))
    hits = [hit for edit in found if (hit := _looped(edit))]
    return [Effect(f"calls another system in a loop: `{hit.strip()[:60]}`", kinds, 1.6) for hit in hits[:1]]


def _looped(edit: Edit) -> str:
    """The added line that calls, within a loop."""
    if any(_LOOP.search(x) and _CALL.search(x) for x in edit.removed):
        return ""
    for n, line in enumerate(edit.added):
        inline = re.search(r"\[.*\bfor\b.*\]|\.(?:map|forEach)\(", line)
        body = [line] if inline else edit.added[n + 1 : n + 6]
        hit = next((x for x in body if _CALL.search(x) and not _OBSERVE.search(x)), "")
        if hit and _LOOP.search(line):
            return hit
    return ""


def _growth(found: list[Edit]) -> list[Effect]:
    """Something of the whole process that grows and has no bound."""
    text = "\n".join(x for e in found for x in e.added)
    if _BOUND.search(text):
        return []
    for edit in found:
        held = {name for x in edit.added if (m := _GLOBAL.match(x)) for name in m.groups() if name}
        grows = [x for x in edit.added if _GROWS.search(x) and (any(h in x for h in held))]
        if grows:
            return [Effect(f"grows without bound: `{grows[0].strip()[:60]}`", frozenset(("memory", "crash")), 1.8)]
    return []


# ── versions ──────────────────────────────────────────────────────────────────────────────────


def _versions(edit: Edit) -> Iterator[Effect]:
    added: dict[str, str] = {}
    for new in edit.added:
        added.setdefault(_VERSION.sub("#", new).strip(), new)
    for old in edit.removed:
        name = _VERSION.sub("#", old).strip()
        a, b = _VERSION.search(old), _VERSION.search(added.get(name, ""))
        if a is None or b is None or a.groups() == b.groups():
            continue
        if TOOLS.search(name):
            continue
        step = "major" if a[1] != b[1] else "minor" if a[2] != b[2] else "patch"
        kinds = BREAKS | (DEFAULTS if step == "major" else frozenset())
        weight = {"major": 1.4, "minor": 1.0, "patch": 0.25}[step]
        named = re.search(r"\bname\W+([\w@./-]+)", "\n".join(edit.kept)) if _BARE.match(name) else None
        module = named.group(1) if named else max(re.findall(r"[\w@./-]+", name), key=len, default="")
        about = "" if step == "major" else module  # whatever is built on it may meet another default
        yield Effect(f"{step} version of {module[:60]} {a[0]} → {b[0]}", kinds, weight, about=about)
