"""What a question is about, worked out once per run by code: time, window, scope, language, earlier turns."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops import timewords
from hermes_ops.quoted import Alert, alert_in, told
from hermes_ops.recall.followups import ASKS_WHICH, Former, Own, Tied, tie
from hermes_ops.recall.glossary import with_chinese
from hermes_ops.recall.hours import spelled
from orchestrator import scope as scopes
from orchestrator import when
from orchestrator.cleaning import CHINESE
from orchestrator.contracts import Incoming, Json, Scope, Window, to_json
from orchestrator.scope import Catalogue, Resolved
from subagents.compared import compares, timed
from subagents.plain.kinds import AT_CHANGE, SINCE_CHANGE
from subagents.sources import Coverage

RECENT = re.compile(r"(最近|近来|近期|recently|lately) \(.*\)", re.IGNORECASE)  # alone, it means no exact time
_ATTRIBUTE = re.compile(
    r"刚刚?(?:才)?(?=[开关上发改切部合推加打调][^，。？?]{0,4}的)"
)  # of a change, no time of the question
SHORT = timedelta(hours=26)  # a folder that spans less is looked at as a whole when no time was named
HOUR = timedelta(hours=1)
KNOWN = 12  # services that are named where none is near


@dataclass(frozen=True, slots=True)
class Known:
    """What memory knows before a question is read: what the question before was about, and what the person prefers
    ("" where nothing is)."""

    former: Former | None = None
    default_environment: str = ""
    default_services: str = ""
    zone: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question belongs. `window` None: no time was named, nor taken over from the question before."""

    window: Window | None
    unread: tuple[str, ...]
    resolved: Resolved
    tied: Tied


def grasp(asked: Incoming, coverage: Coverage, catalogue: Catalogue, known: Known = Known()) -> Json:
    """`coverage`: what the sources speak of. JSON: now, window, scope, unknown service names with their nearest, unread
    times, language, and the questions before that it goes on from."""
    asked = replace(asked, at=asked.at.replace(microsecond=0))
    now = anchor(asked, coverage)
    zone = asked.zone if asked.zoned else known.zone or asked.zone
    catalogue = catalogue.learnt(coverage.services)
    place = locate(asked, now, zone, catalogue, known)
    if now < asked.at and not asked.anchored:
        place = _by_clock(place, locate(asked, asked.at, zone, catalogue, known), now, coverage)
    lately = next((m[1] for said in place.unread if (m := RECENT.fullmatch(said))), "")
    window, scope = place.window or usual(now, coverage, zone, lately), place.resolved.scope
    unread = [said for said in place.unread if not RECENT.fullmatch(said)]
    found = {
        "now": now.isoformat(),
        "window": to_json(window),
        "scope": to_json(scope),
        "services": [s.name for s in catalogue.services],
        "unknown": [[name, list(near)] for name, near in place.resolved.unknown],
        "unread": unread if place.window is None else [],
        "lang": known.language or ("zh" if CHINESE.search(asked.text) or asked.locale.startswith("zh") else "en"),
        "before": list(place.tied.asked),
        "data_zone": coverage.zone,
    }
    note = {"window": when.say(window), "why": window.why, "scope": scopes.say(scope), "now": found["now"]}
    return {"note": note, **found}


def _by_clock(place: Place, own: Place, now: datetime, coverage: Coverage) -> Place:
    """Of data that ended before the question: by the asker's own clock (`own`) where that meets data ("yesterday", on
    the morning after), else counted from its last record, and said."""
    if place.window is None or own.window is None or place.window == own.window:
        return place
    start, end = own.window.start, own.window.end
    if coverage.since is not None and start <= now and end > coverage.since:
        return own
    last = f"counted from the last record, {now.astimezone(ZoneInfo(place.window.zone)):%Y-%m-%d %H:%M}"
    return replace(place, window=replace(place.window, why="; ".join(filter(None, (place.window.why, last)))))


def locate(asked: Incoming, now: datetime, zone: str, catalogue: Catalogue, known: Known) -> Place:
    """Time and scope of a question: its own words, then the alert it quotes, else the question before if it goes on
    from it, then the person's defaults."""
    text = asked.text
    alert = alert_in(asked.quote or (text if "\n" in text else ""), asked.at, zone)
    compared = compares(text)
    telling = spelled(_ATTRIBUTE.sub("", timed(text)), known.former.window if known.former else None, zone)
    if not SINCE_CHANGE.search(telling):  # "did the 18:00 deploy do it?": the time is a name
        telling = AT_CHANGE.sub(" ", telling)
    reading = when.Reading() if alert and not asked.quote else when.resolve(telling, now, zone)
    own = scopes.resolve(text, catalogue)
    if not own.scope.services and not own.unknown:
        broad = with_chinese(catalogue)
        if scopes.resolve(text, broad).scope.services:
            catalogue, own = broad, scopes.resolve(text, broad)
    said = Own(reading, bool(own.scope.services or own.unknown), own.scope.said)
    tied = _quoting(alert, text, said, asked, now, zone, catalogue) if alert else None
    tied = tied or tie(text, said, known.former, asked.at, now, zone)
    wanted = preferred(known, catalogue)
    if ASKS_WHICH.search(text):
        wanted = replace(wanted, services=())
    resolved = scopes.resolve(text, catalogue, tied.scope, wanted)
    if alert:
        resolved = replace(resolved, scope=replace(resolved.scope, why=told(resolved.scope.why)))
    if tied.stranger:
        resolved = replace(resolved, unknown=(*resolved.unknown, (tied.stranger, ())))
    window = tied.window or reading.window
    if window is None and compared and reading.others:  # "is it worse than yesterday?": today so far
        window = when.resolve("today", now, zone).window
    return Place(window, reading.unread, resolved, tied)


def _quoting(
    alert: Alert, text: str, said: Own, asked: Incoming, now: datetime, zone: str, catalogue: Catalogue
) -> Tied | None:
    """A quoted alert in the place of the question before. None where it tells neither of a time nor of a service."""
    window, scope = alert.window(now, zone), alert.scope(with_chinese(catalogue))
    if window is None:
        return Tied(scope=scope) if scope.services else None
    tied = tie(text, said, Former((), window, scope, asked.at), asked.at, now, zone)
    if ASKS_WHICH.search(text):
        scope = replace(scope, services=())
    moved = replace(tied.window, why=told(tied.window.why)) if tied.window else window
    own = None if said.reading.window and tied.window is None else moved
    return Tied(window if own and (own.start, own.end) == (window.start, window.end) else own, scope, (), tied.stranger)


def preferred(known: Known, catalogue: Catalogue) -> Scope:
    """The person's defaults by the catalogue's names; a service that isn't there counts for nothing."""
    wanted, environment = known.default_services, known.default_environment
    services = scopes.resolve(wanted, catalogue).scope.services if wanted else ()
    named = scopes.resolve(f"{environment} environment", catalogue).scope.environment
    return Scope(named or environment, services)


def anchor(asked: Incoming, coverage: Coverage) -> datetime:
    """What "now" means: the time of the message, but in a folder its last record, unless the time was set by hand."""
    if asked.anchored or coverage.until is None:
        return asked.at
    return min(asked.at, _whole(coverage.until))


def usual(now: datetime, coverage: Coverage, zone: str, lately: str = "") -> Window:
    """The window when no time was named, or only `lately`: the word that says no more than "recently"."""
    named = f"{lately!r} names no exact time" if lately else "no time was named"
    if coverage.since is None or coverage.until is None:
        return Window(now - HOUR, now, zone, lately, f"{named}: the last hour")
    since, end = coverage.since.replace(microsecond=0), _whole(coverage.until + timedelta(seconds=1))
    ahead = now < coverage.until.replace(microsecond=0)  # the question was set into the midst of the data
    end = now if ahead else end
    if end <= since:
        return Window(now - HOUR, now, zone, lately, f"{named}: the last hour")
    if end - since <= SHORT:
        held = "all that the folder holds until then" if ahead else "all that the folder holds"
        return Window(since, end, zone, lately, f"{named}: {held}")
    start = (end - timedelta(hours=24)).replace(second=0)
    return Window(start, end, zone, lately, f"{named}: the last 24 hours of the folder")


def _whole(at: datetime) -> datetime:
    """The whole second that holds a record's end."""
    return at if not at.microsecond else at.replace(microsecond=0) + timedelta(seconds=1)


def trouble(known: Json, lang: str) -> str:
    """What to ask back before anything is looked up: an unreadable time, a service that nobody knows; or ""."""
    zh = lang == "zh"
    lines = []
    for said in known["unread"]:
        lines.append(_unread(said, zh))
    if not known["scope"]["services"]:
        for name, near in known["unknown"]:
            nearest = ("、" if zh else ", ").join(near or known.get("services", ())[:KNOWN])
            lead = ("最接近的是" if near else "已知的服务") if zh else "nearest" if near else "known"
            zh_line = f"没有名为“{name}”的服务" + (f"，{lead}：{nearest}。" if nearest else "。")
            en_line = f"There is no service {name!r}" + (f"; {lead}: {nearest}." if nearest else ".")
            lines.append(zh_line if zh else en_line)
    return "\n".join(lines)


def _unread(said: str, zh: bool) -> str:
    """What to ask back for one time, with its reason in brackets behind it."""
    words, future, more = said.partition(" (lies in the future")
    if future:
        year = "for an earlier year" in more
        if zh:
            return f"“{words}”在将来，还没有数据可查。" + "若指往年，请写明年份。" * year
        return f"{words!r} lies in the future: there is no data yet." + " For an earlier year, say the year." * year
    if zh:
        return f"看不懂时间“{timewords.unread(said, 'zh')}”。请写成“昨天 14:00”或“2026-11-29 14:00 到 15:00”。"
    return f"I can't read the time {said!r}; write it like 'yesterday 14:00'."
