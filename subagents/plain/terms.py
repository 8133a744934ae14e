"""Which log lines a question wants, by what it counts, looks for or asks the begin of: words that stand in them.

A name (`login_failed`, `OutOfMemoryError`), what people call a thing and its failing by the words that programs write
for it (`lexicon`), or plain English words by their stems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from orchestrator.planner import CAUSE
from orchestrator.when.phrases import phrases
from subagents.plain.fillers import ASKING, DOINGS, FILLERS
from subagents.plain.kinds import Kind, changes_asked, kinds
from subagents.plain.lexicon import FAILS, TROUBLES, WORDS
from subagents.saying import HOW_MANY

MOST = 3  # words that are searched for near each other
_OFTEN = re.compile(r"几次|次数|多少次|\bhow (?:often|frequently)\b|\bhow many times\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?<![\w.-])(?:[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:[A-Z][a-z0-9]+)+|E[A-Z]{5,}|[A-Za-z]+(?:_[A-Za-z]+)+)"
    r"(?![\w-])"
)
_MEASURED = re.compile(  # told by others than the logs
    r"告警|报警|警报|指标|触发|延迟|时延|耗时|响应时间|分位|中位数|吞吐|水位|使用率|利用率|请求[数量]"
    r"|\b(?:alert|alarm|page[sd]?\b|fir(?:e|ed|ing)\b|metric|incident|span|trace|latenc|response times?\b|percentile"
    r"|quantile|p\d\d\d?\b|[qrt]ps\b|throughput)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"用户|客户|玩家|会员|顾客|订单|\b(?:requests\b|user|customer|players?\b|members?\b|orders\b)", re.IGNORECASE
)  # no lines, where counted
_LINES = re.compile(r"日志|哪[些几]?行|的行(?![为动业])|\bgrep\b|\blogs?\b|\b(?:lines?|entries)\b", re.IGNORECASE)
_FINDS = re.compile(
    r"查[找询]|查一?下|搜|检索|过滤|找[出到一下]|列[出一]|捞|有没有|有无|是否有|哪些"
    r"|^(?:please |can you |could you )?(?:find|search|show|list|get|give|look|pull|display|print|fetch|filter)\b"
    r"|\b(?:any|were there|are there|was there)\b",
    re.IGNORECASE,
)
_OTHERS: frozenset[Kind] = frozenset(
    ("rollback", "who", "over", "still", "first", "longest", "compare", "threshold", "impact", "blame", "brief",
     "sound", "since", "helped", "slow")
)  # fmt: skip
_DATED: frozenset[Kind] = frozenset(("began", "ended", "lasted"))
_WORD = re.compile(r"[A-Za-z][A-Za-z']*", re.ASCII)
_CHINESE = re.compile(r"[\u4e00-\u9fff]{2,8}$")
_ASKED = re.compile(  # what Chinese questions are made of besides what they ask for
    r"帮我?|请|麻烦|一下|看看?|查[找询看]?|搜索?|检索|过滤|找[出到]?|列[出一]?|捞|有没有|有无|是否|出来|哪[些几个]?|什么|多少|几?次数?|所有|全部|相关|关于"
    r"|包含|日志|服务|里面?|中|用户|客户|我们?|有人|反馈|出现|发生|提到|报|具体|详细|线上|生产|环境|系统|平台|一共|总共|统计"
    r"|昨[天晚]|今[天早晚]|最近|现在|目前|刚才|了|的|吗|呢|是|有|在|从|到|被|行|条|和|与|这|那|都|跟"
)
_ENDINGS = ("ations", "ation", "ions", "ion", "ings", "ing", "ies", "ed", "es", "s", "e", "y")
STEM = 4  # letters that are left of a word at least


class Wanted(NamedTuple):
    """One word of a question: as it says it, and as programs may write it."""

    said: str
    ways: tuple[str, ...]
    sort: str  # trouble | thing | fails | name | word | chunk

    @property
    def asked(self) -> str:
        """As the logs tools take it."""
        return "|".join(self.ways)


def elsewhere(text: str) -> bool:
    """Whether it asks for what others than the logs count or measure."""
    return bool(_MEASURED.search(text) or _COUNTED.search(text))


def written(text: str) -> tuple[str, ...]:
    """How programs write the trouble that a text names; () where it names none."""
    return next((word.ways for word in TROUBLES if word.said.search(text)), ())


def wanted(text: str, services: Sequence[str] = ()) -> tuple[Wanted, ...]:
    """The words, at most three, that the lines hold which a question counts or wants to see; () where it wants no lines
    of certain words. `services`: names that are none of them."""
    asked = {*kinds(text)}
    lines, often = bool(_LINES.search(text)), bool(_OFTEN.search(text))
    many, dated = often or bool(HOW_MANY.search(text)), bool(_DATED & asked)
    if _MEASURED.search(text) or changes_asked(text) is not None or (many and not (lines or often) and elsewhere(text)):
        return ()
    if not (many or dated) and (not (lines or _FINDS.search(text)) or _OTHERS & asked or CAUSE.search(text)):
        return ()
    found = _words(text, {s.casefold() for s in services})
    sorts = {w.sort for w in found}
    plain = {"thing", "word", "chunk"} & sorts
    if "name" in sorts or "trouble" in sorts or (plain and ("fails" in sorts or lines)):
        return found
    return found if many and "word" in sorts else ()


def _words(text: str, services: set[str]) -> tuple[Wanted, ...]:
    """What of a question may stand in lines: names alone where it gives some, else up to three words, in its order."""
    for phrase in reversed(phrases(text)):
        text = f"{text[: phrase.start]} ; {text[phrase.end :]}"
    for name in filter(str.isascii, services):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", ";", text, flags=re.IGNORECASE | re.ASCII)
    if names := _NAME.findall(text):
        return tuple(Wanted(n, (n,), "name") for n in dict.fromkeys(names))[:MOST]
    found: list[tuple[int, Wanted]] = []
    for word in WORDS:
        for m in word.said.finditer(text):
            if m[0].casefold() not in services or _compound(text, m.end()):
                found.append((m.start(), Wanted(m[0], word.ways, word.sort)))
            text = f"{text[: m.start()]}{';' * len(m[0])}{text[m.end() :]}"
    found += _stems(text)
    found.sort(key=lambda f: f[0])
    if found and (said := _before(text[: found[0][0]])) and any("error" not in w.ways for _, w in found):
        found.insert(0, (0, Wanted(said, (said,), "chunk")))
    rows = [w for _, w in found]
    return _chosen(list({w.ways: w for w in rows}.values()))


def _compound(text: str, end: int) -> bool:
    """Whether a word that services may be called by is said of what failed: 支付 of 支付失败."""
    return any(word.said.match(text, end) for word in FAILS if not text[end : end + 1].isascii())


def _before(text: str) -> str:
    """What a Chinese text ends in, whatever it is, besides how it asks: 开户 of 查一下开户(失败)."""
    found = _CHINESE.search(_ASKED.sub(";", text))
    return found[0] if found else ""


def _stems(text: str) -> Iterator[tuple[int, Wanted]]:
    for m in _WORD.finditer(text):
        low = m[0].casefold()
        if low not in FILLERS | DOINGS | ASKING or re.match(r"out of\b", text[m.start() :], re.IGNORECASE):
            yield m.start(), Wanted(m[0], (_stem(low),), "word")


def _stem(word: str) -> str:
    """ "deliveries" → "deliver" """
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= STEM), "")
    return word.removesuffix(ending)


def _chosen(found: list[Wanted]) -> tuple[Wanted, ...]:
    """At most three; that something failed goes without saying where a trouble, or two other words, say what."""
    fails = [w for w in found if w.sort == "fails"]
    others = [w for w in found if w.sort != "fails"]
    told = any(w.sort == "trouble" for w in others) or (
        sum(w.sort == "word" for w in others) > 1 or {"word", "thing"} <= {w.sort for w in others}
    )
    if others and told and fails and all("error" in w.ways for w in fails):
        fails = []
    kept = {*others[: MOST - bool(fails)], *fails[:1]}
    return tuple(w for w in found if w in kept)
