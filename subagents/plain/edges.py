"""The first or the last line that says something: an error, or what the question calls by a name of the field. Pure.

It reads the patterns that the logs agent mined: each knows when it was first and last written.
"""

from __future__ import annotations

import re
from datetime import datetime

from orchestrator.contracts import Json
from orchestrator.when.phrases import phrases
from subagents.plain.seen import Seen
from subagents.plain.terms import written
from subagents.plain.words import stop
from subagents.saying import short, whose

FIRST = r"第一[条个次笔行]|首[次条个]|最[早先]的?[一那]?[条次个]?|\b(?:first|earliest)\b"
LAST = r"最后一?[条个次笔行]|最近一[条次]|最新一?[条次]|\b(?:last|latest|most recent|final)\b"
_LINES = r"报错|错误|异常|日志|失败|\b(?:errors?|exceptions?|failures?|stack ?traces?|(?:log )?lines?)\b"
_WHOSE = re.compile(
    r"哪[个些]?服务|谁|告警|报警|\b(?:which|what) (?:service|app)|\b(?:alert|alarm|page)", re.IGNORECASE
)
_EDGES = tuple((end, re.compile(rf"(?:{said})[^，。；？?.;!]{{0,16}}", re.IGNORECASE)) for end, said in
               (("first", FIRST), ("last", LAST)))  # fmt: skip
_FAILS = ("error", "fatal")


def asked(text: str) -> str:
    """ "first", "last" or "": which line a text wants to see."""
    if _WHOSE.search(text):
        return ""
    for phrase in reversed(phrases(text)):  # "the last 90 minutes" is a time
        text = f"{text[: phrase.start]} ; {text[phrase.end :]}"
    for end, pattern in _EDGES:
        if any(re.search(_LINES, m[0], re.IGNORECASE) or written(m[0]) for m in pattern.finditer(text)):
            return end
    return ""


def edge(seen: Seen) -> list[str]:
    """Its time first, then whose it is and what it says."""
    end, zh = asked(seen.text), seen.zh
    found = [(at, row, cite) for data, cite, _ in seen.all_of("patterns") for row in data["patterns"]
             if end and (at := row[end]) and _meant(seen, row)]  # fmt: skip
    if not found:
        return []
    at, row, cite = (min if end == "first" else max)(found, key=lambda f: str(f[0]))
    when, name = seen.clock.zoned(datetime.fromisoformat(at)), whose(row["service"], zh)
    what = ("最早的一条" if end == "first" else "最后一条") if zh else "The first" if end == "first" else "The last"
    text = f"`{short(row['template'].replace('`', ''), 160)}`"
    return [stop(f"{what}：{when}，{name}：{text}" if zh else f"{what}: {when}, {name}: {text}", cite, zh)]


def _meant(seen: Seen, row: Json) -> bool:
    """Whether a pattern is of the asked service, and says what is asked for: the words of a term, else a failure."""
    if seen.asked and row["service"] not in seen.asked:
        return False
    said, text = written(seen.text), row["template"].casefold()
    return any(word.casefold() in text for word in said) if said else row["level"] in _FAILS
