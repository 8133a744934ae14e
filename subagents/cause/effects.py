"""What a change can do at run time, told by its diff: each effect with the kinds of trouble it can bring.

General reading of code and configuration: values that moved and which way, guards, locks and tolerances taken out,
calls put into loops, what grows without bound, statements against a database, versions, hosts. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2

from subagents.cause.edits import MANIFEST, Edit, is_plain_text
from subagents.cause.words import families

MOST = 2.0


@dataclass(frozen=True, slots=True)
class Effect:
    """`strength` 0 to 2; `values`: numbers that the change puts in place, as logs would print them."""

    text: str
    families: frozenset[str]
    strength: float
    values: frozenset[str] = frozenset()
    about: str = ""  # what must be spoken of for it to be likely


UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0,
         "nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "second": 1.0, "minute": 60.0, "hour": 3600.0,
         "day": 86400.0, "k": 1e3, "ki": 1024.0, "mi": 1024.0**2, "gi": 1024.0**3, "kb": 1e3, "mb": 1e6, "gb": 1e9,
         "mib": 1024.0**2, "gib": 1024.0**3}  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.])(\d[\d_]*(?:\.\d+)?)\s*(?:\*\s*(?:time|timedelta|Duration)?\.?\s*(\w+?)s?\b"
    r"|(ns|us|ms|sec|s|min|m|h|d|k|Ki|Mi|Gi|KB|MB|GB|MiB|GiB)\b)?"
)
_VERSION = re.compile(r"\bv?(\d+)\.(\d+)(?:\.(\d+))?\b")
_KEY = re.compile(r"[\w.-]*[A-Za-z_][\w.-]*(?=[\"']?\s*(?:[:=]|:=)(?!=))|[A-Za-z_]\w*(?=\()")
# which way a value moved hurts: what the key speaks of → families when it gets less, when it gets more
KEYS: tuple[tuple[str, str, str, str], ...] = (
    (r"time_?out|deadline|max_?wait", "time limit", "timeout errors dependency", "latency queue pool"),
    (r"ttl|expir|max_?age|cache", "lifetime of cached entries", "cache latency sql cpu traffic", "data memory"),
    (r"retr|attempt", "retries", "errors dependency", "retry traffic dependency"),
    (r"idle|keep_?alive|health_?check|jitter", "housekeeping", "", ""),
    (r"interval|period|poll|refresh|tick|every|schedule|cron", "pace", "traffic cpu quota", "data"),
    (r"per_?(?:minute|second|sec|hour)|rate|quota|burst|rps|qps", "rate limit", "quota", "traffic"),
    (r"pool|conns?\b|connection", "pool size", "pool latency timeout", "pool sql"),
    (r"mem|heap|xmx|rss", "memory limit", "memory crash", "memory"),
    (r"cpu|replica|worker|thread|concurren|parallel|instances", "capacity", "cpu queue latency pool", "cpu pool sql"),
    (r"batch|chunk|page_?size|buffer|prefetch", "batch size", "queue latency", "memory latency timeout"),
    (r"disk|volume|retention|rotat", "disk space", "disk", "disk"),
    (r"sleep|delay|wait", "delay", "traffic", "latency timeout"),
    (r"max|limit|size|cap", "limit", "pool quota queue memory errors", "memory"),
)
_GUARD = re.compile(
    r"\bif\b.*(?:nil|null|None|undefined|len\(|\.length|isEmpty|is_empty|exists|isset|empty|instanceof|typeof|not )"
    r"|\?\.|\bOptional\b|\.get\(|\?\?|assert|require"
)
_LOCK = re.compile(r"mutex|\block\b|\.r?(?:un)?lock\(|synchronized|atomic|semaphore|sync\.", re.IGNORECASE)
_CATCH = re.compile(r"\btry\b|\bcatch\b|\bexcept\b|\brescue\b|recover\(|fallback|on_?error|circuit", re.IGNORECASE)
_TOLERANCE = re.compile(
    r"leeway|toleran|skew|grace|fallback|lenient|legacy|compat|backward|optional|nullable|default_?value|allow_", re.I
)
_BOUND = re.compile(
    r"lru|evict|max_?(?:entries|size|len)|capacity|bounded|maxlen|ttl|expire|cleanup|close\(|release\(", re.I
)
_GROWS = re.compile(
    r"(\w+)\s*=\s*append\(\s*\1\b|\b\w+\.(?:append|add|push|put|set|store)\(|\b\w+\[[^\]]+\]\s*=(?!=)|^\s*[A-Z_]{3,}\s*=\s*\{\}"
    r"|^\s*var\s+\w+\s+(?:\[\]|map\[)|\bnew (?:HashMap|ArrayList)"
)
_GLOBAL = re.compile(
    r"^(?:var\s+(\w+)|([A-Z_]{3,})\s*=\s*(?:\{\}|\[\])|static\b.*?(\w+)\s*=|let\s+(\w+)\s*=\s*(?:\{\}|\[\]|new))"
)
_LOOP = re.compile(r"\bfor\b|\bforeach\b|\.map\(|\.forEach\(|\bwhile\b|stream\(\)")
_CALL = re.compile(
    r"\b(?:\w*(?:repo|repository|client|db|dao|store|catalog|session|conn|tx|api|svc|service|redis|http)\w*)\."
    r"(\w+)\(|(?:Query|Exec|Fetch|Get|Load|Find|Select|Lookup)\w*\(",
    re.IGNORECASE,
)
_SQL = re.compile(r"\b(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from|join)\b", re.IGNORECASE)
_DDL = re.compile(
    r"\b(?:drop|alter|rename|truncate)\s+(?:table|column|index|constraint)|\bdrop_?(?:column|table|index)", re.I
)
_LOCKING = re.compile(r"\bcreate\s+(?:unique\s+)?index\s+(?!concurrently)|\block\s+table|add\s+column.*not null", re.I)
_SPAWN = re.compile(r"\bgo (?:func|\w+\()|Thread\(|spawn|create_task|executor\.submit|Promise\.all|parallel", re.I)
_BLOCK = re.compile(r"\bsleep\(|\.Sleep\(|\.block\(|\.get\(\)\s*;?$|\.join\(\)|time\.sleep", re.I)
_WHERE = re.compile(
    r"host|url|endpoint|addr|dsn|server|resolver|nameserver|upstream|domain|region|zone|bucket|topic|queue", re.I
)
_SECRET = re.compile(r"secret|token|key|credential|password|cert|issuer|audience|kid|jwks|\bca\b", re.I)
_BOOL = re.compile(r"\b(true|false|on|off|enabled|disabled)\b", re.I)
_COMPARE = frozenset(("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"))
_OBSERVE = re.compile(
    r"\b(?:logg?(?:er)?|metrics?|prometheus|counter|histogram|gauge|span|trac(?:e|er|ing)|otel|print)\w*[.(]|\.Inc\(|Observe\(",
    re.I,
)


def effects(found: list[Edit]) -> list[Effect]:
    """What the edits can do, the strongest first; empty where nothing of the kind was found."""
    real = [e for e in found if not is_plain_text(e)]
    told = [effect for e in real for effect in _of(e)]
    told += _loops(real) + _growth(real)
    return sorted(told, key=lambda e: -e.strength)


def only_observes(found: list[Edit]) -> bool:
    """Logs, metrics or traces only."""
    lines = [x for e in found for x in (*e.added, *e.removed)]
    busy = [x for x in lines if x.strip(" \t{}();,")]
    return bool(busy) and sum(bool(_OBSERVE.search(x)) for x in busy) >= 0.5 * len(busy)


def _of(edit: Edit) -> Iterator[Effect]:
    if MANIFEST.search(edit.file):
        yield from _versions(edit)
        return
    yield from _values(edit)
    yield from _strings(edit)
    yield from _taken_out(edit)
    yield from _statements(edit)
    added, removed = "\n".join(edit.added), "\n".join(edit.removed)
    if _SPAWN.search(added) and not _SPAWN.search(removed):
        yield Effect("does work at the same time", frozenset(("race", "cpu", "memory")), 0.5)
    if _BLOCK.search(added) and not _BLOCK.search(removed):
        yield Effect("waits where it didn't", frozenset(("latency", "timeout", "queue")), 1.0)
    turned = (edit.lost | edit.gained) & _COMPARE
    if edit.removed and edit.added and turned and len(edit.removed) <= 6:
        yield Effect(f"turns a condition ({' '.join(sorted(turned))})", frozenset(("errors", "data", "auth")), 0.5)


# ── values ────────────────────────────────────────────────────────────────────────────────────


def quantities(line: str) -> list[tuple[str, float]]:
    """Numbers with their units, as written and in seconds, bytes or pieces: 15 * time.Minute → 900."""
    found = []
    for match in _NUMBER.finditer(line):
        unit = (match.group(2) or match.group(3) or "").lower()
        found.append((match.group(1), float(match.group(1).replace("_", "")) * UNITS.get(unit, 1.0)))
    return found


def _values(edit: Edit) -> Iterator[Effect]:
    for old, new in _pairs(edit):
        before, after = quantities(old), quantities(new)
        if len(before) != len(after) or not before:
            continue
        for (_, a), (said, b) in zip(before, after, strict=True):
            if a != b:
                yield _moved(old, edit.file, a, b, said)


def _pairs(edit: Edit) -> Iterator[tuple[str, str]]:
    """Lines that say the same with other values."""
    left = list(edit.added)
    for old in edit.removed:
        form = _form(old)
        match = next((x for x in left if _form(x) == form), None)
        if match is not None:
            left.remove(match)
            if match != old:
                yield old, match


def _form(line: str) -> str:
    return re.sub(r"\s+", " ", _NUMBER.sub("#", re.sub(r"[\"'][^\"']*[\"']", '"#"', _BOOL.sub("#", line)))).strip()


def _moved(line: str, file: str, old: float, new: float, said: str) -> Effect:
    key = " ".join(_KEY.findall(line)) or line
    ratio = max(old, new) / max(min(old, new), 1e-9)
    strength = min(MOST, log2(min(ratio, 1e6)) / 2)
    for pattern, what, less, more in KEYS:
        if re.search(pattern, key, re.IGNORECASE):
            way = "less" if new < old else "more"
            kinds = frozenset((less if new < old else more).split())
            told = families(key) - {"config"} if kinds else frozenset()
            weight = strength if new < old or what in ("time limit", "retries", "delay", "batch size") else strength / 2
            text = f"{what} `{key.split()[-1]}` {_plain(old)} → {_plain(new)} ({way}, {ratio:.3g}-fold)"
            return Effect(text, kinds | told, weight if kinds else strength / 4, _said(said))
    text = f"value in `{line.strip()[:60]}` {_plain(old)} → {_plain(new)}"
    return Effect(text, families(key) | families(file), min(0.8, strength), _said(said))


def _said(number: str) -> frozenset[str]:
    return frozenset((number,)) if len(number) >= 1 else frozenset()


def _plain(value: float) -> str:
    return f"{value:g}"


def _strings(edit: Edit) -> Iterator[Effect]:
    for old, new in _pairs(edit):
        if quantities(old) != quantities(new) and not re.search(r"[\"'][\w.-]*[.:][\w.:/-]*[\"']", new):
            continue
        key = " ".join(_KEY.findall(old)) or old
        if _BOOL.search(old) and _BOOL.search(new):
            yield Effect(f"switches `{key}`", families(key) | {"config"}, 0.9)
        elif _WHERE.search(key):
            kinds = frozenset(("dns", "dependency", "network", "errors", "timeout"))
            yield Effect(f"points `{key}` elsewhere", kinds | families(key), 1.5)
        elif _SECRET.search(key):
            yield Effect(f"replaces `{key}`", frozenset(("auth", "certificate", "errors")), 1.3)
        elif re.search(r"level|verbos", key, re.IGNORECASE):
            yield Effect(f"other log level `{key}`", frozenset(("logging", "disk", "cpu")), 1.0)


# ── what was taken out ────────────────────────────────────────────────────────────────────────


def _taken_out(edit: Edit) -> Iterator[Effect]:
    added = "\n".join(edit.added)
    for line in edit.removed:
        bare = line.strip()
        if bare in added:
            continue
        if _LOCK.search(line) and not _LOCK.search(added):
            yield Effect(f"takes out the lock `{bare[:60]}`", frozenset(("race", "crash", "data")), 1.6)
        elif _TOLERANCE.search(line) and not _TOLERANCE.search(added):
            yield Effect(f"takes out the tolerance `{bare[:60]}`", families(bare) | {"auth", "errors", "data"}, 1.4)
        elif _BOUND.search(line) and not _BOUND.search(added):
            yield Effect(f"takes out the bound `{bare[:60]}`", frozenset(("memory", "crash", "pool", "disk")), 1.5)
        elif _CATCH.search(line) and not _CATCH.search(added):
            yield Effect(f"no longer catches `{bare[:60]}`", frozenset(("crash", "errors", "dependency")), 1.2)
        elif _GUARD.search(line) and not _GUARD.search(added) and "err != nil" not in line:
            yield Effect(f"takes out the guard `{bare[:60]}`", frozenset(("crash", "data", "errors")), 1.5)
        elif "index" in line.lower() and re.search(r"create|add_index|db_index", line, re.I):
            yield Effect("takes out an index", frozenset(("sql", "latency", "cpu")), 1.4)


# ── statements, loops, growth ─────────────────────────────────────────────────────────────────


def _statements(edit: Edit) -> Iterator[Effect]:
    added = "\n".join(edit.added)
    if _DDL.search(added):
        yield Effect("changes a table that others use", frozenset(("sql", "errors")), 1.6)
    elif _LOCKING.search(added):
        yield Effect("locks a table while it is changed", frozenset(("sql", "latency", "timeout", "race")), 1.4)
    elif _SQL.search(added):
        yield Effect("asks the database something else", frozenset(("sql", "latency", "errors")), 0.9)


def _loops(found: list[Edit]) -> list[Effect]:
    """A call of another system inside a loop that had none."""
    kinds = frozenset(("latency", "sql", "traffic", "timeout", "pool"))
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
    for old in edit.removed:
        name = re.sub(_VERSION, "#", old).strip()
        new = next((x for x in edit.added if re.sub(_VERSION, "#", x).strip() == name), None)
        a, b = _VERSION.search(old), _VERSION.search(new or "")
        if a is None or b is None or a.groups() == b.groups():
            continue
        kinds = frozenset(("dependency_version", "crash"))
        step = "major" if a[1] != b[1] else "minor" if a[2] != b[2] else "patch"
        weight = {"major": 1.4, "minor": 1.0, "patch": 0.25}[step]
        module = name.split()[0]
        yield Effect(f"{step} version of {module[:60]} {a[0]} → {b[0]}", kinds, weight, about=module)
