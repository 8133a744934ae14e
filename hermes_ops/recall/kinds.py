"""The kinds of notes: their names, how a person's words become a value, and how a note is shown and given to a model.

Each key has one value, so what contradicts it replaces it; only free notes have a key each. It knows no store.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Literal
from zoneinfo import available_timezones

from hermes_ops.recall.refusals import refuse
from memory import Note

NOTE = "note"
LONGEST = {"note": 160, "services": 80}
LONG = 40  # characters of any other value
FADES = timedelta(days=180)  # a note that mattered to nothing for so long is no longer given along
FREE_FADES = timedelta(days=60)  # a free note: since it was said, or since a question touched it
TOO_LONG = "long"

Lang = Literal["zh", "en"]
NAMES: dict[str, tuple[str, str]] = {
    "environment": ("默认环境", "default environment"),
    "services": ("默认服务", "default services"),
    "zone": ("时区", "time zone"),
    "language": ("语言", "language"),
    "length": ("回答长短", "length of answers"),
    "team": ("团队", "team"),
    "role": ("角色", "role"),
    "name": ("称呼", "name"),
    NOTE: ("备注", "note"),
}
CLOSED = ("environment", "services", "zone", "language", "length")  # a value from a list: it can hold no instruction
FROM_A_TABLE = ("zone", "language", "length")  # what is kept is ours, not the person's words
_WORDS = {  # what a person may call a key when it is to be forgotten
    "environment": r"环境|\benv(?:ironment)?s?\b"
    r"|默认\s*[看用查]?\s*(?:prod|prd|stag|test|dev|uat|pre|生产|预发|测试|线上)"
    r"|\bdefault(?:ing)? to (?:prod|stag|test|dev|uat|pre)",
    "services": r"服务|\bservices?\b",
    "zone": r"时区|\btime ?zone\b|\bzone\b",
    "language": r"语言|中文|英文|\blanguage\b",
    "length": r"长短|长度|简短|详略|\blength\b|\bshort\b|\bbrief\b|\bverbosity\b",
    "team": r"团队|小组|哪个组|部门|\bteam\b",
    "role": r"角色|职位|岗位|职责|\brole\b|\bjob\b",
    "name": r"称呼|名字|姓名|叫我|\bname\b|\bcall(?:ing)? me\b",
}
_LANGUAGES = {"zh": r"中文|汉语|普通话|chinese|mandarin|^zh", "en": r"英文|英语|english|^en"}
_LENGTHS = {
    "short": r"短|简|精炼|扼要|少|重点|要点|结论|啰嗦|罗嗦|废话|长篇大论|句|short|brief|concise|terse|succinct"
    r"|\b(?:lines?|sentences?|paragraphs?|point|essays|no long)\b",
    "full": r"长|详|细|full|long|detail|verbose|thorough",
}
_SAID = {"zh": ("中文", "Chinese"), "en": ("英文", "English"), "short": ("简短", "short"), "full": ("详细", "detailed")}
_CITIES = {  # zone → what it is commonly called, beside its own name
    "Asia/Shanghai": "上海|北京|中国|深圳|杭州|广州|成都|beijing|china",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "台北",
    "Asia/Tokyo": "东京|日本",
    "Asia/Seoul": "首尔",
    "Asia/Singapore": "新加坡",
    "Asia/Bangkok": "曼谷",
    "Asia/Dubai": "迪拜",
    "Asia/Kolkata": "孟买|印度|india",
    "Europe/Moscow": "莫斯科",
    "Europe/Berlin": "柏林|central european",
    "Europe/Paris": "巴黎",
    "Europe/London": "伦敦",
    "America/New_York": "纽约|eastern",
    "America/Chicago": "芝加哥",
    "America/Los_Angeles": "洛杉矶|旧金山|西雅图|san francisco|pacific",
    "Australia/Sydney": "悉尼",
    "America/Sao_Paulo": "圣保罗",
    "UTC": "gmt|utc|协调世界时|格林尼治",
}


class Refused(ValueError):
    """A value that isn't kept; `why` as `refusals.refuse` says, or TOO_LONG, or "unclear"."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Kept:
    """A note as it may be stored."""

    key: str
    value: str


def canonical(kind: str, said: str) -> Kept:
    """What the words mean as a note of that kind. Raises Refused."""
    value = re.sub(r"\s+", " ", said).strip(" ,，。.;；:：!！、\"'“”「」`")
    if not value:
        raise Refused("unclear")
    if len(value) > LONGEST.get(kind, LONG):
        raise Refused(TOO_LONG)
    if kind not in FROM_A_TABLE and (why := refuse(value, free=kind not in CLOSED)):
        raise Refused(why)
    if kind == NOTE:
        return Kept(f"{NOTE}.{sha256(_bare(value).encode()).hexdigest()[:6]}", value)
    return Kept(kind, _closed(kind, value))


def _closed(kind: str, value: str) -> str:
    if kind in ("language", "length"):
        table = _LANGUAGES if kind == "language" else _LENGTHS
        found = next((code for code, words in table.items() if re.search(words, value, re.IGNORECASE)), "")
    elif kind == "zone":
        found = zone_of(value)
    elif kind in ("environment", "services"):
        found = value if re.fullmatch(r"[\w.\-, 、，和与及/&]+", value) else ""
    else:
        return value
    if not found:
        raise Refused("unclear")
    return found


def zone_of(value: str) -> str:
    """The IANA name that a city, a country's usual name, an offset ("UTC+8") or a zone's name means; ""."""
    low = re.sub(r"\s*(?:时间|时区|标准|\bstandard\b|\btime ?zone\b|\btime\b|\bzone\b)\s*", "", value.strip().lower())
    low = low.strip()
    if offset := re.fullmatch(r"(?:utc|gmt)?\s?([+-])0?(\d{1,2})(?::?00)?(?:区)?", low):
        hours = int(offset[2])
        name = f"Etc/GMT{'-' if offset[1] == '+' else '+'}{hours}" if hours else "UTC"
        return name if name in _zones().values() else ""
    called = next((zone for zone, names in _CITIES.items() if low in names.split("|")), "")
    return called or _zones().get(low.replace(" ", "_"), "")


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    """Each zone under its whole name and its city, lower case; regions of the world before old names."""
    names = sorted(available_timezones(), key=lambda name: (name.count("/") != 1, name.startswith("Etc/"), name))
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.lower(), name)
        found.setdefault(name.rpartition("/")[2].lower(), name)
    return found


def kind_of(key: str) -> str:
    return key.partition(".")[0]


def named(words: str) -> list[str]:
    """The keys that a person means by these words, e.g. "my default environment"."""
    if words.strip().lower() in NAMES or words.startswith(f"{NOTE}."):
        return [words.strip().lower()]
    return [key for key, pattern in _WORDS.items() if re.search(pattern, words, re.IGNORECASE)]


def show(key: str, value: str, lang: str) -> str:
    """As a person reads it: "默认环境 prod", "name Lao Wang"."""
    kind, zh = kind_of(key), lang == "zh"
    name = NAMES[kind][0 if zh else 1]
    said = _SAID.get(value, (value, value))[0 if zh else 1] if kind in ("language", "length") else value
    return f"{name}{'：' if kind == NOTE and zh else ': ' if kind == NOTE else ' '}{said}"


def faded(note: Note, now: datetime) -> bool:
    """Whether a note is too old to be given along: it mattered to nothing for long. Said again, it counts again."""
    return now - note.used > (FREE_FADES if kind_of(note.key) == NOTE else FADES)


def line(key: str, value: str) -> str:
    """As a model reads it. Also what is looked for when the note is forgotten."""
    kind = kind_of(key)
    said = _SAID.get(value, ("", value))[1] if kind in ("language", "length") else value
    if kind == "language":
        return f"- language: answer in {said}, whatever the question is in"
    return f"- {NAMES[kind][1]}: {said}"


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
