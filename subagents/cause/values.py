"""Values that an edit moves, with the key they belong to: numbers with units, switches, addresses, secrets, names.

Lines are paired by what they share, however the unit is written (`ofSeconds(3)` → `ofMillis(250)`). Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from subagents.cause.edits import SETTINGS, Edit
from subagents.cause.effect import MOST, Effect
from subagents.cause.words import families

UNITS = {"ns": 1e-9, "nano": 1e-9, "us": 1e-6, "micro": 1e-6, "ms": 1e-3, "milli": 1e-3, "s": 1.0, "sec": 1.0,
         "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0, "d": 86400.0,
         "day": 86400.0, "nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "k": 1e3, "ki": 1024.0,
         "mi": 1024.0**2, "gi": 1024.0**3, "kb": 1e3, "mb": 1e6, "gb": 1e9, "mib": 1024.0**2,
         "gib": 1024.0**3}  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.])(\d[\d_]*(?:\.\d+)?)(?:\s*(?:\*|,)?\s*(?:time|timedelta|Duration|TimeUnit|ChronoUnit)?[.:]{0,2}"
    r"(nano|micro|milli|nanosecond|microsecond|millisecond|sec|second|min|minute|hour|day)s?\b"
    r"|\s?(ns|us|ms|sec|s|min|m|h|d|k|g|Ki|Mi|Gi|KB|MB|GB|MiB|GiB)\b)?",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(?<![\w-])(-{1,2}[A-Za-z][A-Za-z-]*)(\d)")  # -Xmx6g
_MEMORY = re.compile(r"mem|heap|xm[snx]|rss|space", re.IGNORECASE)
BYTES = {"k": 2.0**10, "m": 2.0**20, "g": 2.0**30}
_MAKES = re.compile(  # what makes a duration or a size of a number: the unit is in its name
    r"\b(?:\w+(?:\.|::))?(?:of|from)_?(nano|micro|milli|ms|sec|second|min|minute|hour|day)(?:ond)?s?(?=\()",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\w.-]*[A-Za-z_][\w.-]*(?=[\"']?\s*(?:[:=]|:=)(?!=))|[A-Za-z_][\w.]*(?=\()")
# which way a value moved hurts: what the key speaks of → families when it gets less, when it gets more
KEYS: tuple[tuple[str, str, str, str], ...] = (
    (r"time_?out|deadline|max_?wait", "time limit", "timeout errors dependency", "latency queue pool"),
    (r"ttl|expir|max_?age|cache", "lifetime of cached entries", "cache latency sql cpu traffic", "data memory"),
    (r"retr(?:y|ies)|attempt", "retries", "errors dependency", "retry traffic dependency cpu queue"),
    (r"idle|keep_?alive|health_?check|jitter", "housekeeping", "", ""),
    (r"interval|period|poll|refresh|tick|every|schedule|cron", "pace", "traffic cpu quota", "data"),
    (r"per_?(?:minute|second|sec|hour)|rate|quota|burst|rps|qps", "rate limit", "quota", "traffic"),
    (r"pool|conns?\b|connection", "pool size", "pool latency timeout", "pool sql"),
    (r"mem|heap|xm[sx]|rss|space", "memory limit", "memory crash", "memory"),
    (r"cpu|replica|worker|thread|concurren|parallel|instances|procs", "capacity", "cpu queue latency pool",
     "cpu pool sql"),
    (r"batch|chunk|page_?size|buffer|prefetch", "batch size", "queue latency", "memory latency timeout"),
    (r"disk|volume|storage|retention|rotat", "disk space", "disk", "disk"),
    (r"sleep|delay|wait|backoff", "delay", "traffic retry", "latency timeout"),
    (r"max|limit|size|cap", "limit", "pool quota queue memory errors data", "memory"),
)  # fmt: skip
MORE_HURTS = ("time limit", "retries", "delay", "batch size")
_WHERE = re.compile(
    r"host|url|endpoint|addr|dsn|server|broker|bootstrap|resolver|nameserver|upstream|domain|region|zone|bucket|topic"
    r"|queue|\bport|path|route|rewrite|location|prefix",
    re.IGNORECASE,
)
_SECRET = re.compile(r"secret|token|key|credential|password|cert|issuer|audience|kid|jwks|\bca\b", re.I)
_BOOL = re.compile(r"\b(true|false|on|off|enabled?|disabled?)\b", re.I)
STRICT = re.compile(r"strict|forbid|reject|required|deny|enforce|mandatory|abort|\bfail\b|always|never", re.I)
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = re.compile(r"[A-Za-z_]\w*")
ALIKE = 0.5  # the share of names that two lines must have in common to be one line before and after


def quantities(line: str) -> list[tuple[str, float]]:
    """Numbers as written, and in seconds, bytes or pieces: 15 * time.Minute → 900, ofMillis(250) → 0.25."""
    return [(said, value) for _, said, value in _measured(line)]


def _measured(line: str) -> Iterator[tuple[str, str, float]]:
    """(key, number as written, value) of each number of a line."""
    makers = {m.end(): m.group(1).lower() for m in _MAKES.finditer(line)}
    keys = [(m.start(), m.group()) for m in _KEY.finditer(line) if m.end() not in makers]
    for match in _NUMBER.finditer(line):
        start = match.start()
        maker = next((unit for end, unit in makers.items() if end < start <= end + 2), "")
        unit = (match.group(2) or match.group(3) or maker).lower()
        key = next((k for at, k in reversed(keys) if at < start), "")
        size = BYTES.get(unit) if _MEMORY.search(key) else None
        yield key, match.group(1), float(match.group(1).replace("_", "")) * (size or UNITS.get(unit, 1.0))


def moved(edit: Edit) -> Iterator[Effect]:
    """What its values were and are, as effects."""
    for old, new in pairs(edit):
        yield from _numbers(edit, old, new)
        yield from _strings(edit, old, new)


def pairs(edit: Edit) -> Iterator[tuple[str, str]]:
    """Lines that say the same with other values: of the same form first, then those that share most names."""
    left, open_ = [_OPTION.sub(r"\1=\2", x) for x in edit.added], []
    for old in (_OPTION.sub(r"\1=\2", x) for x in edit.removed):
        match = next((x for x in left if _form(x) == _form(old)), None)
        if match is None:
            open_.append(old)
            continue
        left.remove(match)
        if match != old:
            yield old, match
    for old in open_:
        best = max(left, key=lambda new: _alike(old, new), default="")
        if best and _alike(old, best) >= ALIKE:
            left.remove(best)
            yield old, best


def _form(line: str) -> str:
    bare = _STRING.sub('"#"', _BOOL.sub("#", _MAKES.sub("#", line)))
    return re.sub(r"\s+", " ", _NUMBER.sub("#", bare)).strip()


def _alike(a: str, b: str) -> float:
    x, y = (set(_NAME.findall(_MAKES.sub("", line))) for line in (a, b))
    return len(x & y) / len(x | y) if x | y else 0.0


def _numbers(edit: Edit, old: str, new: str) -> Iterator[Effect]:
    before, after = _keyed(old), _keyed(new)
    for key in before.keys() & after.keys():
        (_, a), (said, b) = before[key], after[key]
        if a != b:
            yield _judged(key[0], old, edit.file, a, b, said)


def _keyed(line: str) -> dict[tuple[str, int], tuple[str, float]]:
    """By key, and which of the key's numbers it is."""
    seen: Counter[str] = Counter()
    found = {}
    for key, said, value in _measured(line):
        seen[key] += 1
        found[key, seen[key]] = (said, value)
    return found


def _judged(key: str, line: str, file: str, old: float, new: float, said: str) -> Effect:
    ratio = max(old, new) / max(min(old, new), 1e-9)
    strength = min(MOST, log2(min(ratio, 1e6)) / 2)
    whole = " ".join(_KEY.findall(line)) or line
    for text in dict.fromkeys((key or whole, whole)):
        for pattern, what, less, more in KEYS:
            if re.search(pattern, text, re.IGNORECASE):
                way, kinds = ("less", less) if new < old else ("more", more)
                hurts = new < old or what in MORE_HURTS
                weight = (strength if hurts else strength / 2) if kinds else strength / 4
                told = f"{what} `{key or whole.split()[-1]}` {old:g} → {new:g} ({way}, {ratio:.3g}-fold)"
                return Effect(told, frozenset(kinds.split()) | _about(text, kinds), weight, frozenset((said,)))
    told = f"value in `{line.strip()[:60]}` {old:g} → {new:g}"
    return Effect(told, families(whole) | families(file), min(0.8, strength), frozenset((said,)))


def _about(key: str, kinds: str) -> frozenset[str]:
    """What else the key speaks of, where its move can do harm: but not that which the other way would bring."""
    opposite = {"timeout"} if "timeout" not in kinds else set()
    return frozenset(families(key) - {"config"} - opposite) if kinds else frozenset()


def _strings(edit: Edit, old: str, new: str) -> Iterator[Effect]:
    if any(True for _ in _numbers(edit, old, new)) and not re.search(r"[\"'][\w.-]*[.:][\w.:/-]*[\"']", new):
        return
    key = " ".join(_KEY.findall(old)) or old
    if _BOOL.search(old) and _BOOL.search(new) and _BOOL.findall(old) != _BOOL.findall(new):
        yield Effect(f"switches `{key}`", families(key) | {"config"}, 0.9)
    elif STRICT.search(new) and not STRICT.search(old):
        yield Effect(f"is stricter: `{new.strip()[:60]}`", frozenset(("data", "errors", "auth")), 1.4)
    elif _WHERE.search(key):
        kinds = frozenset(("dns", "dependency", "network", "errors", "timeout", "route"))
        yield Effect(f"points `{key}` elsewhere", kinds | families(key), 1.5)
    elif _SECRET.search(key):
        yield Effect(f"replaces `{key}`", frozenset(("auth", "certificate", "errors")), 1.3)
    elif re.search(r"level|verbos", key, re.IGNORECASE):
        yield Effect(f"other log level `{key}`", frozenset(("logging", "disk", "cpu")), 1.0)
    elif SETTINGS.search(edit.file):
        yield Effect(f"sets `{key[:60]}` to something else", families(f"{key} {new}"), 0.7)
