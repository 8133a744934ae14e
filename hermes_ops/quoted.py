"""An alert that somebody replies to, forwards or pastes: whose it is and since when, from the words of whatever robot
posted it.

It reads `name: value` in the forms that cards, posts and texts have them, and JSON; it knows no platform. What it reads
was written by strangers, so it only ever chooses among known services and makes a window; no word of it is obeyed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.hooks.heard import moment
from orchestrator import scope as scopes
from orchestrator.contracts import Json, Scope, Window
from orchestrator.scope import Catalogue

SENT = "sent at"  # how a channel heads a quoted message: when it was sent, the last resort for the start
LONGEST, PAIRS, KEY = 8_000, 300, 80  # characters, pairs, and characters of a name that are read
BEFORE, AFTER = timedelta(minutes=30), timedelta(hours=1)
SETTLED = timedelta(minutes=15)  # after an alert is over
YOUNG = timedelta(hours=3)
DAY = timedelta(days=1)  # a window is no longer
LASTED = timedelta(days=366)  # at most
PARTS = 12  # of a name that may hold a service's
SHORT = 12  # lines of a text that its marks make an alert
NAMED = 4  # services that a text without labels may name; more of them narrow nothing

_NAME = re.compile(
    r"(?:alert|rule|alarm|monitor|check)[ _-]?name|alert|alarm|(?:告警|报警)(?:名称?|规则|标题|主题|项)?"
    r"|(?:规则|策略)(?:名称?|标题)?|监控项(?:名称?)?",
    re.IGNORECASE,
)
_TITLE = re.compile(r"title|summary|subject|标题|主题|摘要", re.IGNORECASE)
_FIRST = re.compile(  # since when it fires
    r"start(?:s|ed)?[ _-]?(?:at|time|date)?|since|(?:firing|active|alerting)[ _-]?since|active[ _-]?at"
    r"|first[ _-]?trigger(?:ed)?[ _-]?(?:time|at)?|首次(?:触发|告警|发生)(?:时间)?|(?:故障)?开始(?:时间|于)?|起始时间",
    re.IGNORECASE,
)
_THEN = re.compile(  # when it was told of
    r"(?:fired|triggered|trigger|alarm|alert|event|occurred|occurrence|last[ _-]?trigger)[ _-]?(?:at|time|date)"
    r"|(?:触发|告警|报警|发生|异常|产生|最近触发)(?:时间|于)|time|timestamp|时间|date|datetime",
    re.IGNORECASE,
)
_END = re.compile(
    r"(?:end(?:s|ed)?|resolve[ds]?|recover(?:y|ed)?|closed)[ _-]?(?:at|time|date)|(?:恢复|结束|解除|关闭)(?:时间|于)",
    re.IGNORECASE,
)
_SENT = re.compile(SENT, re.IGNORECASE)
_LASTS = re.compile(r"duration|lasted|(?:active|firing) for|持续(?:时间|时长)?|已持续", re.IGNORECASE)
_SERVICE = re.compile(
    r"(?:.*[._ -])?(?:service|app|application|component)(?:[._ -]?name)?|(?:服务|应用|系统|模块|组件|业务)(?:名称?)?",
    re.IGNORECASE,
)
_BEARER = re.compile(
    r"(?:kube(?:rnetes)?[_ ]|exported[_ ])?(?:job|workload|deployment|statefulset|daemonset|container|pod"
    r"|instance|ident|target|resource|host(?:name)?|endpoint)(?:[_ ]?name)?"
    r"|(?:告警|监控|故障)?(?:对象|目标|实例|主机|资源)|监控指标",
    re.IGNORECASE,
)
_PLACE = re.compile(r"env(?:ironment)?|cluster(?:[_ -]?name)?|stage|环境|集群|机房", re.IGNORECASE)
_MARK = re.compile(
    r"\[(?:firing|resolved|alerting|ok|no ?data)\b|\b(?:firing|triggered|alerting|resolved|recovered)\b|🔥|🚨"
    r"|告警(?:触发|恢复|通知|发生)|(?:触发|恢复|产生|收到|活动)告警|【告警|报警通知|\bP[0-4]\b.{0,80}告警|\bS[1-3]\b",
    re.IGNORECASE,
)
_PAIR = re.compile(r"([\w .\-/一-鿿]{1,40}?)\s*[\"'】\]]?\s*[:：=】]\s*(.*\S)")
_PARTS = re.compile(r"[,，;；]\s+|\s\|\s|\s{2,}(?=[A-Za-z一-鿿][\w .\-一-鿿]{0,19}[:：=])")
_LABEL = re.compile(r"(?<![\w/?&.-])([A-Za-z_][\w.]{0,39})\s*=~?\s*\"?([^\s\",;|{}&]{1,120})")
_URL = re.compile(r"\b\w++://\S+|[A-Za-z0-9_.-]{200,}+")  # or what is too long for a name
_BLANKS = re.compile(r"\s{3,}")  # two already divide the parts of a line
_CLOCK = re.compile(r"(?:(?:(\d{4})[年/.-])?(\d{1,2})[月/.-](\d{1,2})日?\s*T?)?(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d))?")
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(d|天|h|小?时|m|分钟?|min\w*|s|秒)", re.IGNORECASE)
_SECONDS = {"d": 86400, "天": 86400, "h": 3600, "小": 3600, "时": 3600, "m": 60, "分": 60, "s": 1, "秒": 1}
_ZONED = re.compile(r"(\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|[+-]\d\d:?\d\d))\s+[A-Z]{3,5}\b.*")  # Go says both


@dataclass(frozen=True, slots=True)
class Alert:
    """`services`: the values of labels that name one, the surest kind first; `text`: all of its words."""

    name: str
    services: tuple[tuple[str, ...], ...]
    places: tuple[str, ...]
    start: datetime | None
    end: datetime | None
    text: str

    def window(self, now: datetime, zone: str) -> Window | None:
        """From a while before its start until it was over, else until an hour after it or, where it is young, `now`.
        None where it has no start, or one that hasn't come."""
        if self.start is None or self.start > now + DAY:
            return None
        begin = self.start - BEFORE
        if self.end and self.end > self.start:
            last = self.end + SETTLED
        else:
            last = now if now - self.start <= YOUNG else self.start + AFTER
        last = max(min(last, begin + DAY, now), self.start + SETTLED if self.start > now else self.start)
        at = self.start.astimezone(ZoneInfo(zone))
        return Window(begin, last, zone, "", f"around the quoted alert, which began {at:%Y-%m-%d %H:%M:%S}")

    def scope(self, catalogue: Catalogue) -> Scope:
        """Known services that its labels name, else its name, else all its words where these are few."""
        environment = next(filter(None, (_place(p, catalogue) for p in self.places)), "")
        for values in self.services:
            if found := tuple(dict.fromkeys(s for v in values for s in _known(v, catalogue))):
                return Scope(environment, found)
        for text in (self.name, self.text):
            found = scopes.resolve(text, catalogue).scope.services
            if 0 < len(found) <= NAMED:
                return Scope(environment, found)
        return Scope(environment)


def alert_in(text: str, now: datetime, zone: str) -> Alert | None:
    """The alert that a text tells of; of several the services of all and the earliest start. `now`, `zone`: for times
    that state no day or no offset. None where it has neither an alert's name nor its start nor its marks."""
    text = "\n".join(_BLANKS.sub("  ", line) for line in text[:LONGEST].splitlines())
    pairs = list(_pairs(text))
    lines = [_plain(line) for line in text.splitlines() if line.strip() and not line.lower().startswith(SENT)]
    named = _values(pairs, _NAME)
    begun = _times(pairs, _FIRST, now, zone)
    marked = len(lines) <= SHORT and any(_MARK.search(line) for line in text.splitlines()[:3])
    if not (named or begun or marked):
        return None
    sent = _times(pairs, _SENT, now, zone)
    lasted = [sent[0] - span for k, v in pairs if _LASTS.fullmatch(k) and sent and (span := _span(v))]
    starts = begun or lasted or _times(pairs, _THEN, now, zone) or sent
    return Alert(
        name=next(iter((*named, *_values(pairs, _TITLE), *lines)), "")[:120],
        services=(_values(pairs, _SERVICE), _values(pairs, _BEARER)),
        places=_values(pairs, _PLACE),
        start=min(starts, default=None),
        end=max(_times(pairs, _END, now, zone), default=None),
        text=_URL.sub(" ", text),
    )


# ── pairs ─────────────────────────────────────────────────────────────────────────────────────


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Name and value, in order, as lines have them, labels inside them, and JSON."""
    found = [*_of_json(text)] or [*_of_lines(_URL.sub(" ", text))]
    yield from [(key, value) for key, value in found if len(key) <= KEY][:PAIRS]


def _of_lines(text: str) -> Iterator[tuple[str, str]]:
    yield from ((m[1], m[2]) for m in _LABEL.finditer(text))
    bold = [re.fullmatch(r"\W*(?:\*\*[^*]+\*\*)\s*[:：]?\s*", line) is not None for line in text.splitlines()]
    lines = [_plain(line) for line in text.splitlines()]
    for n, line in enumerate(lines):
        below = lines[n + 1] if n + 1 < len(lines) else ""
        key = line.rstrip(":： ")
        headed = key != line or bold[n] or (_telling(key) and not _PAIR.fullmatch(below))
        if headed and below and below[-1] not in ":：" and len(key) <= 40:  # the value stands below
            yield key, below
        for part in _PARTS.split(line):
            if pair := _PAIR.fullmatch(part):
                yield pair[1].strip(), pair[2].strip("\"' ,")
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if len(cells) == 2 and all(cells):
            yield cells[0], cells[1]


def _plain(line: str) -> str:
    """Without marks of Markdown, of lists and of feelings at its beginning."""
    return re.sub(r"^[^\w一-鿿]+", "", re.sub(r"[*`_]{2}|[*`]", "", line)).strip()


def _telling(key: str) -> bool:
    return any(kind.fullmatch(key) for kind in (_NAME, _FIRST, _SERVICE))


def _of_json(text: str) -> Iterator[tuple[str, str]]:
    """Of a text that is a JSON object, or ends with one."""
    try:
        body = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return
    head = [line.partition(":") for line in text[: text.index("{")].splitlines()]
    yield from ((k.strip(), v.strip()) for k, _, v in head if v)
    yield from _flat(body, "")


def _flat(value: Json, key: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > 6:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)), depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _flat(inner, key, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield key, str(value)
        yield from ((m[1], m[2]) for m in _LABEL.finditer(str(value)))


def _values(pairs: Iterable[tuple[str, str]], kind: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(v[:120] for k, v in pairs if kind.fullmatch(k)))


# ── values ────────────────────────────────────────────────────────────────────────────────────


def _times(pairs: Iterable[tuple[str, str]], kind: re.Pattern[str], now: datetime, zone: str) -> list[datetime]:
    return [at for v in _values(pairs, kind) if (at := _time(v, now, zone))]


def _time(value: str, now: datetime, zone: str) -> datetime | None:
    """What states no year, or no day, is the latest such time before `now`."""
    value = _ZONED.sub(r"\1", value.strip())
    at = moment(float(value) if re.fullmatch(r"\d{10}(?:\d{3})?", value) else value, zone)
    if at is not None or value.startswith("0001") or not (m := _CLOCK.search(value)):
        return at
    here = now.astimezone(ZoneInfo(zone))
    year, month, day = int(m[1] or here.year), int(m[2] or here.month), int(m[3] or here.day)
    try:
        at = datetime(year, month, day, int(m[4]), int(m[5]), int(m[6] or 0), tzinfo=here.tzinfo)
        if at > here and not m[1]:
            at = at.replace(year=year - 1) if m[2] else at - DAY
    except (ValueError, OverflowError):
        return None
    return at.astimezone(UTC)


def _span(value: str) -> timedelta:
    seconds = sum(float(m[1]) * _SECONDS[m[2][0].lower()] for m in _SPAN.finditer(value[:120]))
    return timedelta(seconds=min(seconds, LASTED.total_seconds()))


def _known(value: str, catalogue: Catalogue) -> tuple[str, ...]:
    """The service that a label's value names: itself, or what is left of a pod's name without its endings."""
    parts = re.split(r"[-.:/]", value)[:PARTS]
    for n in range(len(parts), 0, -1):
        head = value[: len("-".join(parts[:n]))]
        if found := scopes.resolve(head, catalogue).scope.services:
            return found
    return ()


def _place(value: str, catalogue: Catalogue) -> str:
    return scopes.resolve(f"{value} environment", catalogue).scope.environment


def told(why: str) -> str:
    """A reason that speaks of the question before, for an alert that stands in its place."""
    return why.replace("the question before", "the quoted alert").replace("the thread", "the quoted alert")
