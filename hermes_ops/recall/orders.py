"""Plain orders to remember or forget, read out of a message by rules: "以后默认看 prod", "call me Lao Wang".

An order stands at the beginning of a clause of the person's own words. What only looks like one ("忽略告警", "call me
when it is over") is none. Whether a value may be kept is said elsewhere (`kinds.canonical`); no store is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hermes_ops.recall import rules
from hermes_ops.recall.glossary import GENERIC, WORDS
from hermes_ops.recall.kinds import NOTE, named, zone_of
from hermes_ops.recall.loose import wish
from hermes_ops.recall.refusals import own_words

EVERYTHING = "*"

_ALL = re.compile(
    r"(?:你?记[住得]?的|你|关于|我|的)*+(?:所有|全部|一切)?+的?+(?:偏好|记忆|备注|设置|东西|内容|事情)*+"
    r"|(?:(?:everything|all|about|me|my|the|of|preferences?|memor(?:y|ies)|notes?|that|what|you|know|knew|kept|have"
    r"|stored|remember(?:ed)?)\b\s*+)++",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？]\s*$|[吗么嘛]\s*$|^(?:do|did|does|(?:can|could|would)(?! (?:you|prefer|like|rather)\b)"
    r"|is|are|what|why|how|when|who)\b",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(r"[?？]\s*$|[吗么嘛]\s*$")
_ENVIRONMENT = re.compile(
    r"(?:prod|prd|stag|stg|test|dev|uat|pre|gray|grey|canary|beta|sit|qa|sandbox|live"
    r"|生产|预发|测试|开发|线上|灰度|沙箱)",
    re.IGNORECASE,
)
_LIST = re.compile(r"[\w.\-]+(?:\s*(?:[,，、]|和|与|及|\band\b)\s*[\w.\-]+)+")
_AND = re.compile(r"\s*(?:[,，、/&]|和|与|及|\band\b)\s*", re.IGNORECASE)
_SELF = re.compile(r"(?P<zh>我们?(?:是|在|来自|叫(?![他她你])|姓))|(?:i'm|i am|my name|i work)\b", re.IGNORECASE)
MOST = 40  # sentences of a message that are looked at
LONGEST = 200  # characters of a sentence that may be an order; people say such things shortly


@dataclass(frozen=True, slots=True)
class Order:
    """`what`: a kind of note, or for "forget" a key or EVERYTHING or "" (see `value`); `said`: the clause."""

    action: Literal["keep", "forget", "undo"]
    what: str
    value: str
    said: str


@dataclass(frozen=True, slots=True)
class Read:
    """The orders of a message; `rest`: what else it says."""

    orders: tuple[Order, ...] = ()
    rest: str = ""


def read(text: str) -> Read:
    """The orders in a message, in its order. What a person quotes or pastes is no order."""
    own = own_words(text)
    orders: list[Order] = []
    rest: list[str] = [] if own == text.strip() else ["…"]
    for sentence in sentences(own):
        found, left = _in_sentence(sentence)
        meant = [o for o in found if o.action != "keep" or for_good(sentence, own, free=o.what == NOTE)]
        left = left if len(meant) == len(found) else sentence
        found = meant
        orders += found
        rest += [left] if left.strip(" ,，。.!！;；") else []
    return Read(tuple(dict.fromkeys(orders)), " ".join(rest).strip())


def sentences(own: str) -> list[str]:
    """The sentences of a person's own words; of very many the first and the last."""
    parts = re.split(r"(?<=[。！？!?；;\n])|(?<=\.)(?<!\b[DM][rs]\.)\s", own)
    found = [part.strip() for part in parts if part.strip()]
    if len(found) > MOST:  # a pasted text; what a person adds stands before or after it
        return [*found[: MOST // 2], "…", *found[-MOST // 2 :]]
    return found


def for_good(sentence: str, text: str, free: bool = False) -> bool:
    """Whether what a sentence of a text wishes is meant to last, and no joke. `free`: it is to be noted as it is."""
    passing = not free and rules.PASSING.search(sentence) and not rules.LASTING.search(sentence)
    return not (passing or rules.JOKING.search(text))


def _in_sentence(sentence: str) -> tuple[list[Order], str]:
    if len(sentence) > LONGEST:
        return [], sentence
    bare = sentence.rstrip("。.!！;；\n ")
    if not _ASKS.search(bare) and (noted := rules.NOTED.fullmatch(bare)):
        return list(_noted(noted["value"], bare)), ""
    if (listed := _typed(bare)) and listed[0].what == "services" and _LIST.fullmatch(listed[0].value):
        return listed, ""
    if not _ENDS_ASKING.search(bare) and (whole := _matched(rules.SENTENCES, bare)):
        return whole, ""
    orders: list[Order] = []
    left: list[str] = []
    before = ""
    for clause in re.split(r"[,，]", sentence):
        bare = clause.strip(" 。.!！;；\n")
        found = _in_clause(bare) or _carried(before, bare)
        orders += found
        left += [] if found or rules.FILLER.fullmatch(bare) else [clause]
        before = before if found and not _SELF.match(_unfilled(bare)) else bare
    return _joined(orders), ",".join(left) if left else ""


def _carried(before: str, clause: str) -> list[Order]:
    """The orders of a clause that leaves its subject to the one before: "我是 SRE，负责 checkout"."""
    own = _SELF.match(_unfilled(before))
    if not own or _ASKS.search(clause):
        return []
    said = _unfilled(clause)
    tried = (f"我{said}",) if own["zh"] else (f"i'm {said}", f"i {said}")
    found = (replace(o, said=clause) for words in tried for o in _typed(words) if o.what in ("role", "team", "zone"))
    return list(found)[:1]


def _unfilled(clause: str) -> str:
    filler = rules.FILLER.match(clause)
    return clause[filler.end() :] if filler else clause


def _joined(orders: list[Order]) -> list[Order]:
    """A sentence may say in two clauses what somebody's role is."""
    roles = [o for o in orders if o.action == "keep" and o.what == "role"]
    if len(roles) < 2:
        return orders
    comma = ", " if all(o.value.isascii() for o in roles) else "，"
    whole = Order("keep", "role", comma.join(o.value for o in roles), comma.join(o.said for o in roles))
    return [whole if o is roles[0] else o for o in orders if o not in roles[1:]]


def _in_clause(clause: str) -> list[Order]:
    if rules.UNDO.fullmatch(clause):
        return [Order("undo", "", "", clause)]
    if _ASKS.search(clause):
        return []
    clause = re.sub(r"^(把|将)(.+?)(?:全|都)*(忘|删|清|去)(掉|了|除|空)+$", r"\3\4\2", clause)  # 把…都删了
    if gone := _matched(rules.GONE, clause):
        return [replace(o, action="forget", value="") for o in gone]
    if forgotten := rules.FORGET.fullmatch(clause) or rules.DROP.fullmatch(clause):
        return _forgotten(forgotten["value"].strip(), clause)
    return _typed(clause)


def _typed(clause: str) -> list[Order]:
    if found := _matched(rules.CLAUSES, clause):
        return found
    wanted = wish(clause)
    meant = _meant(*wanted) if wanted else None
    return [Order("keep", *meant, clause)] if meant else []


def _matched(table: Sequence[tuple[str, re.Pattern[str]]], clause: str) -> list[Order]:
    for kind, pattern in table:
        if found := pattern.fullmatch(clause):
            groups = {name.rstrip("2"): text.strip() for name, text in found.groupdict().items() if text}
            orders = [Order("keep", *meant, clause) for name, text in groups.items()
                      if (meant := _meant(kind if name == "value" else name, text))]  # fmt: skip
            if orders or not groups:
                return orders or [Order("keep", kind, "", clause)]
    return []


def _meant(kind: str, value: str) -> tuple[str, str] | None:
    """The kind of note and its value; None where it is none."""
    if kind == "default":
        return ("environment" if _ENVIRONMENT.match(value) else "services"), value
    if kind == "habit":
        return named_kind(value)
    if kind == "place":
        return ("zone", value) if zone_of(value) else None
    return kind, value


def named_kind(value: str) -> tuple[str, str] | None:
    """What somebody says they look at, if that is an environment or services: it could be anything else too."""
    if rules.ENVIRONMENT_NAME.fullmatch(value):
        return "environment", value
    known = {word for chinese, english in WORDS.items() for word in (chinese, *english.split())}
    for part in filter(None, _AND.split(value)):
        words = re.split(r"[-_. ]", part.lower())
        if part.removesuffix("服务") not in known and not (set(words) & known) and words[-1] not in GENERIC:
            return None
    return "services", value


def _noted(value: str, said: str) -> Iterator[Order]:
    """What "remember that …" is about: a typed note for each clause that is one, else one free note."""
    typed = [order for clause in re.split(r"[,，]", value) for order in _typed(clause.strip())]
    yield from typed or [Order("keep", NOTE, value.strip(), said)]


def _forgotten(value: str, said: str) -> list[Order]:
    if _ALL.fullmatch(value) and not re.fullmatch(r"that|it|this|you", value, re.IGNORECASE):
        return [Order("forget", EVERYTHING, "", said)]
    keys = named(value)
    return [Order("forget", key, "", said) for key in keys] or [Order("forget", "", value, said)]
