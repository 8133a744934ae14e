"""Values that an edit moves, with the key they belong to: numbers with units, switches, addresses, secrets, names.

Lines are paired by what they share, however the unit is written (`ofSeconds(3)` → `ofMillis(250)`). Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2

from subagents.cause.edits import SETTINGS, Edit
from subagents.cause.effect import MOST, Effect
from subagents.cause.words import families, spelt_out

TIME = {  # seconds; each table holds what stands for one kind of thing, so that `m` is what the key makes it
    "ns": 1e-9, "nano": 1e-9, "nanosecond": 1e-9, "us": 1e-6, "micro": 1e-6, "microsecond": 1e-6, "ms": 1e-3,
    "milli": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0,
    "h": 3600.0, "hour": 3600.0, "d": 86400.0, "day": 86400.0,
}  # fmt: skip
BYTES = {f"{letter}{rest}": 1024.0**n for n, letter in enumerate("kmgt", 1) for rest in ("", "i", "b", "ib")}
CORES = {"m": 1e-3, "": 1.0}
PLAIN = {"": 1.0}
_NUMBER = re.compile(
    r"(?<![\w.])(\d[\d_]*(?:\.\d+)?)(?:\s*+(?:[*,]\s*+)?(?:time|timedelta|Duration|TimeUnit|ChronoUnit)?[.:]{0,2}"
    r"(nano|micro|milli|nanosecond|microsecond|millisecond|sec|second|min|minute|hour|day)s?\b"
    r"|\s?(ns|us|ms|sec|s|min|m|h|d|[kgt]|[kmgt]i?b|[kmgt]i)\b)?",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(?<![\w-])(-{1,2}[A-Za-z][A-Za-z-]*)(\d)")  # -Xmx6g
_MAKES = re.compile(  # what makes a duration or a size of a number: the unit is in its name
    r"\b(?:\w+(?:\.|::))?(?:of|from)_?(nano|micro|milli|ms|sec|second|min|minute|hour|day)(?:ond)?s?(?=\()",
    re.IGNORECASE,
)
_KEY = re.compile(  # what stands before `:` or `=`, or is called; each run of characters is looked at once
    r"(?<![\w.-])((?:(?![A-Za-z_])[\w.-])*+[A-Za-z_][\w.-]*+)(?=[\"']?\s*+(?::=|[:=])(?!=))"
    r"|(?<![\w.])(?:(?![A-Za-z_])[\w.])*+([A-Za-z_][\w.]*+)(?=\()"
)
MEMORY = r"mem(?:ory)?|heap|xm[sxn]|rss|(?:meta)?space"
BYTES_OF = MEMORY + r"|\w*size|byte|disk|volume|storage"
# which way a value moved hurts: words that keys are made of → families when it gets less, when it gets more
KEYS: tuple[tuple[str, str, str, str], ...] = (
    (r"keep ?alive\w*|idle ?(?:conn\w*)? ?(?:time ?out)?", "life of idle connections", "", "network dependency errors"),
    (r"time ?out|\w*timeout\w*|deadline|max ?wait", "time limit", "timeout errors dependency", "latency queue pool"),
    (r"lease|lock|heart ?beat|visibility", "lease", "race data errors", "latency queue"),
    (r"ttl|expir(?:e[sd]?|y|ation|ing)|max ?age|\w*cache[ds]?|caching", "lifetime of cached entries",
     "cache latency sql cpu traffic", "data memory"),
    (r"\w*retr(?:y|ies)|attempt", "retries", "errors dependency", "retry traffic dependency cpu queue"),
    (r"health ?check|jitter", "housekeeping", "", ""),
    (r"batch(?:es|size)?|chunk(?:size)?|page ?size|prefetch|poll ?records?|fetch ?(?:max|size)", "batch size",
     "queue latency", "memory latency timeout queue"),
    (r"interval|period|poll(?:ing|er)?|refresh\w*|tick(?:er)?|every|schedul\w+|cron(?:tab)?", "pace",
     "traffic cpu quota", "data"),
    (r"per (?:minute|min|second|sec|hour)|rate|rate ?limit\w*|quota|burst|rps|qps", "rate limit", "quota", "traffic"),
    (r"pool(?:ed|ing|size)?|conn(?:ection)?", "pool size", "pool latency timeout", "pool sql"),
    (MEMORY, "memory limit", "memory crash", "memory"),
    (r"\w*cpu|replica|worker|thread|concurren\w+|parallel\w*|instance|\w*procs", "capacity",
     "cpu queue latency pool", "cpu pool sql"),
    (r"buffer(?:ed|size)?", "buffer", "queue latency", "memory"),
    (r"disk|volume|storage|retention|rotat\w+", "disk space", "disk", "disk"),
    (r"xff|forwarded|real ?ip|remote ?addr(?:ess)?|trusted ?hops?|trusted ?prox(?:y|ies)|proxy ?protocol",
     "who counts as the caller", "quota auth", "quota auth"),
    (r"sleep|delay|wait|back ?off", "delay", "traffic retry", "latency timeout"),
    (r"max(?:imum)?|limit|(?!re)\w*size|cap|capacity", "limit", "pool quota queue memory errors data", "memory"),
)  # fmt: skip
MORE_HURTS = ("life of idle connections", "time limit", "retries", "delay", "batch size")
EXACT = ("life of idle connections", "who counts as the caller")  # whatever else their keys speak of
WHERE = (
    r"host(?:name)?|\w*url|uri|end ?point|addr(?:ess)?(?:es)?|dsn|server|broker|bootstrap|resolver|name ?server"
    r"|upstream|domain|region|zone|bucket|topic|queue|port|path|route|rewrite|location|prefix"
)
IP = r"(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?![\w.])"
TRUST = r"\w*secret|\w*token|(?:api|access)?key|credential|\w*password|cert(?:ificate)?|issuer|audience|kid|jwks|ca"
_UNIT = re.compile(  # at the end of a key
    r"_(?:ms|milli(?:second)?s?|secs?|seconds?|mins?|minutes?|hours?|days?)\b"
    r"|(?<=[a-z])(?:Ms|Millis|Secs?|Seconds?|Mins?|Minutes?|Hours?|Days?)\b"
)
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+]{1,9}://([\w.-]+)|" + IP, re.IGNORECASE)
CALENDAR = re.compile(
    r"time_?zone|zone_?(?:info|id|offset)|\butc|\btz\b|\bdate(?:time)?\b|\btoday\b|local_?date|strf?p?time|\bmidnight|calendar",
    re.IGNORECASE,
)
_BOOL = re.compile(r"\b(true|false|on|off|enabled?|disabled?)\b", re.I)
STRICT = re.compile(r"strict|forbid|reject|required|deny|enforce|mandatory|abort|\bfail\b|always|never", re.I)
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = re.compile(r"[A-Za-z_]\w*")
_ARGUMENT = re.compile(  # named after the unit that what it is given is taken to be in
    r"\b(px|ex|milli(?:second)?s|ms|sec(?:ond)?s|min(?:ute)?s|hours|days)\s*[:=]\s*(?=[A-Za-z_])", re.IGNORECASE
)
_EXPIRY = {"px": 1e-3, "ex": 1.0}  # of Redis' SET
_VALUE = re.compile(r"[A-Za-z_][\w.]*")
PAIRED = 100  # lines of a hunk that are looked at for their like: where more differ, it is written anew
ALIKE = 0.5  # the share of names that two lines must have in common to be one line before and after


@dataclass(frozen=True, slots=True)
class Number:
    """`said`: its digits as written; `unit` in small letters, "" for none."""

    said: str
    unit: str

    @property
    def value(self) -> float:
        return float(self.said.replace("_", ""))


def speaks_of(text: str, of: str) -> bool:
    """One of the words that its names are made of: `rate` of rate_limit and maxRate, not of migrate."""
    return bool(re.search(rf"\b(?:max|min|num)?(?:{of})s?\b", spelt_out(text)))


def keys(line: str) -> list[tuple[int, int, str]]:
    """(start, end, key) of what a line gives values to."""
    return [(*m.span(m.lastindex or 0), m[m.lastindex or 0]) for m in _KEY.finditer(line)]


def _measured(line: str) -> Iterator[tuple[str, Number]]:
    """(key, number) of each number of a line."""
    makers = {m.end(): m.group(1).lower() for m in _MAKES.finditer(line)}
    named = [(start, key) for start, end, key in keys(line) if end not in makers]
    for match in _NUMBER.finditer(line):
        start = match.start()
        maker = next((unit for end, unit in makers.items() if end < start <= end + 2), "")
        unit = match.group(2) or match.group(3) or maker
        key = next((k for at, k in reversed(named) if at < start), "")
        yield key, Number(match.group(1), "mb" if unit == "M" else unit.lower())  # no minute is written so


def _sizes(key: str, old: Number, new: Number) -> tuple[float, float] | None:
    """Both in seconds, bytes, cores or pieces, by what the key is of or the units allow; None: can't be told."""
    of_key = [table for of, table in ((r"\w*cpu|cores?", CORES), (BYTES_OF, BYTES)) if speaks_of(key, of)]
    for table in (*of_key, PLAIN, TIME, BYTES):
        if old.unit in table and new.unit in table:
            return old.value * table[old.unit], new.value * table[new.unit]
    return None


def moved(edit: Edit) -> Iterator[Effect]:
    """What its values were and are, as effects."""
    for old, new in pairs(edit):
        if _ADDRESS.search(old) is None or _ADDRESS.findall(old) == _ADDRESS.findall(new):
            yield from _numbers(edit, old, new)
        yield from _units(edit, old, new)
        yield from _strings(edit, old, new)


def pairs(edit: Edit) -> Iterator[tuple[str, str]]:
    """Lines that say the same with other values: of the same form first, then those that share most names."""
    alike: dict[str, list[str]] = {}
    for new in (_OPTION.sub(r"\1=\2", x) for x in edit.added):
        alike.setdefault(_form(new), []).append(new)
    open_ = []
    for old in (_OPTION.sub(r"\1=\2", x) for x in edit.removed):
        match = alike.get(_form(old))
        if not match:
            open_.append(old)
        elif (new := match.pop(0)) != old:
            yield old, new
    left = [(line, _names(line)) for lines in alike.values() for line in lines][:PAIRED]
    for old in open_[:PAIRED]:
        mine = _names(old)
        best = max(left, key=lambda new: _alike(mine, new[1]), default=None)
        if best and _alike(mine, best[1]) >= ALIKE:
            left.remove(best)
            yield old, best[0]


def _form(line: str) -> str:
    bare = _STRING.sub('"#"', _BOOL.sub("#", _MAKES.sub("#", _UNIT.sub("", line))))
    return re.sub(r"\s+", " ", _NUMBER.sub("#", bare)).strip()


def _names(line: str) -> frozenset[str]:
    return frozenset(_NAME.findall(_MAKES.sub("", _UNIT.sub("", line))))


def _alike(x: frozenset[str], y: frozenset[str]) -> float:
    return len(x & y) / len(x | y) if x | y else 0.0


def _numbers(edit: Edit, old: str, new: str) -> Iterator[Effect]:
    before, after = _keyed(old), _keyed(new)
    if not before.keys() & after.keys():
        before, after = _by_unit(before), _by_unit(after)
    for key in (k for k in before if k in after):
        sizes = _sizes(key[0], before[key], after[key])
        if sizes and sizes[0] != sizes[1]:
            timed = before[key].unit in TIME and after[key].unit in TIME
            yield _judged(key[0], old, edit.file, *sizes, after[key].said, timed)


def _units(edit: Edit, old: str, new: str) -> Iterator[Effect]:
    """A value from elsewhere that is read in another unit: `from_secs(c.lease)` → `from_millis(c.lease)`."""
    before, after = (_MAKES.search(x) or _ARGUMENT.search(x) for x in (old, new))
    if before and after and not any(_NUMBER.search(x) for x in (old, new)):
        units = (m.group(1).lower() for m in (before, after))
        was, now = (_EXPIRY.get(u) or TIME.get(u) or TIME.get(u.removesuffix("s"), 1.0) for u in units)
        if was != now:
            of = _VALUE.search(new, after.end())
            yield _judged(of.group() if of else "", new, edit.file, was, now, "")


def _keyed(line: str) -> dict[tuple[str, int], Number]:
    """By key, and which of the key's numbers it is."""
    seen: Counter[str] = Counter()
    found = {}
    for key, number in _measured(line):
        seen[key] += 1
        found[key, seen[key]] = number
    return found


def _by_unit(keyed: dict[tuple[str, int], Number]) -> dict[tuple[str, int], Number]:
    """With the unit taken out of the key's name, where it bears one: `ttl_minutes` 45 is `ttl` 45 minutes."""
    found = {}
    for (key, n), number in keyed.items():
        bare = _UNIT.search(key)
        unit = number.unit or (bare.group().strip("_").lower().removesuffix("s") if bare else "")
        found[key[: bare.start()] if bare else key, n] = Number(number.said, "ms" if unit == "m" and bare else unit)
    return found


def _judged(key: str, line: str, file: str, old: float, new: float, said: str, timed: bool = False) -> Effect:
    ratio = max(old, new) / max(min(old, new), 1e-9)
    strength = min(MOST, log2(min(ratio, 1e6)) / 2)
    whole = " ".join(k for _, _, k in keys(line)) or line
    for text in dict.fromkeys((key or whole, whole)):
        for of, what, less, more in KEYS:
            if speaks_of(text, of):
                way, kinds = ("less", less) if new < old else ("more", more)
                hurts = new < old or what in MORE_HURTS
                weight = (strength if hurts else strength / 2) if kinds else strength / 4
                told = f"{what} `{key or whole.split()[-1]}` {old:g} → {new:g} ({way}, {ratio:.3g}-fold)"
                limit = new if timed and what == "time limit" and new < old else 0.0
                about = frozenset() if what in EXACT else _about(text, kinds)
                return Effect(told, frozenset(kinds.split()) | about, weight, frozenset((said,)), "", limit)
    told = f"value in `{line.strip()[:60]}` {old:g} → {new:g}"
    return Effect(told, families(whole) | families(file), min(0.8, strength), frozenset((said,)))


def _about(key: str, kinds: str) -> frozenset[str]:
    """What else the key speaks of, where its move can do harm: but not that which the other way would bring."""
    opposite = {"timeout"} if "timeout" not in kinds else set()
    return frozenset(families(key) - {"config"} - opposite) if kinds else frozenset()


def _strings(edit: Edit, old: str, new: str) -> Iterator[Effect]:
    elsewhere = _ADDRESS.findall(old) != _ADDRESS.findall(new)
    numbers = _NUMBER.sub("#", old) == _NUMBER.sub("#", new) or any(True for _ in _numbers(edit, old, new))
    if numbers and not elsewhere and not re.search(r"[\"'][\w.-]*[.:][\w.:/-]*[\"']", new):
        return
    key = " ".join(k for _, _, k in keys(old)) or old
    if _BOOL.search(old) and _BOOL.search(new) and _BOOL.findall(old) != _BOOL.findall(new):
        yield Effect(f"switches `{key}`", families(key) | {"config"}, 0.9)
    elif STRICT.search(new) and not STRICT.search(old):
        yield Effect(f"is stricter: `{new.strip()[:60]}`", frozenset(("data", "errors", "auth")), 1.4)
    elif speaks_of(key, WHERE) or elsewhere:
        kinds = frozenset(("dns", "dependency", "network", "errors", "timeout", "route"))
        yield Effect(f"points `{key}` elsewhere", kinds | families(key), 1.5)
    elif CALENDAR.search(old) and CALENDAR.search(new):
        yield Effect(f"reckons dates in another way: `{new.strip()[:60]}`", frozenset(("data", "errors")), 1.0)
    elif speaks_of(key, TRUST):
        yield Effect(f"replaces `{key}`", frozenset(("auth", "certificate", "errors")), 1.3)
    elif re.search(r"level|verbos", key, re.IGNORECASE):
        yield Effect(f"other log level `{key}`", frozenset(("logging", "disk", "cpu")), 1.0)
    elif SETTINGS.search(edit.file):
        yield Effect(f"sets `{key[:60]}` to something else", families(f"{key} {new}"), 0.7)
