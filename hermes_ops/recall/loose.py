"""Wishes in any order of words: a clause that holds a value of a kind and beside it nothing but words such wishes are
made of. One word that isn't ("the log is in English") and it is none; neither is a question.

So a list of words does what patterns of whole clauses can't foresee. Texts only; what may be kept is said elsewhere.
"""

from __future__ import annotations

import re

from hermes_ops.recall.kinds import zone_of

_COMMON = (
    r"我们|我|你们?|给|请|都|就|也|还是|的话|的|得|地|了|会|要|希望|想|喜欢|更|比较|最好|以后|今后|一直|一般|平时"
    r"|平常|通常|主要|基本上?"
    r"|大多|多半|大部分时间|总是|统一|全部|所有|尽量|可以|好|行|成|一点儿?|一些|些|点|用|帮|跟|对|来说|来|[这那]边"
    r"|时候|吧|啊|哈|呀|哦"
    r"|从现在起|改|换|\b(?:i'd|i'm|i'll|i|me|my|mine|you|your|please|pls|thanks|would|like|love|want|prefer"
    r"|preferred|rather|better"
    r"|best|nicer|easier|always|usually|mostly|mainly|generally|normally|typically|only|just|the|an?|all|any|every"
    r"|to|in|for|with|as|of"
    r"|from now on|going forward|it|be|should|much|more|most of the time|let's|let us|make|set|have|get|see|give"
    r"|show|use"
    r"|keep|them|and|could|can|will|stick|stay|switch|change|when|possible|if|default|by)\b"
)
_ANSWERS = (
    r"回答|回复|答复|答案|答|说话|说|写|讲|聊天?|交流|沟通|解释|内容|语言|看|读"
    r"|\b(?:answer(?:s|ing)?|repl(?:y|ies|ying)|responses?|respond|speak|talk|write|read|chat|communicate|language"
    r"|explain"
    r"|explanations?|summar(?:y|ies)|messages?|texts?)\b"
)
_WISH = (
    r"喜欢|希望|想要|最好|\b(?:prefer|rather|better|best|like|love|want|easier|nicer|from now on"
    r"|going forward|always|stick|stay|switch)\b"
)
_SELF = r"我|\b(?:i'm|i'd|i|my|let's)\b"
_HABIT = (
    r"一般|平时|平常|通常|主要|基本|大多|多半|大部分时间|默认|缺省|常用|日常|\b(?:most of the time|usual(?:ly)?"
    r"|most(?:ly)?|mainly|main|generally|normally|typically|default)\b"
)
_UNWANTED = r"不要|不用|不必|别|不喜欢|不想要?|不爱|\b(?:don'?t|do not|dislike|hate|no|avoid|not too|not so|less)\b"
_TOO = r"太|过于|这么|那么|很|\b(?:so|too|very|overly|really)\b"
_SHORT = r"简[短洁单略]?|短|精[简炼]|扼要|\b(?:short(?:er)?|brief(?:er|ly)?|concise(?:ly)?|terse|succinct)\b"
_FULL = r"啰嗦|罗嗦|冗长|长|详[细尽]|细节|细|具体|\b(?:long(?:er)?|detail(?:s|ed)?|thorough|verbose|wordy|lengthy)\b"
_LANGUAGE = r"中文|汉语|普通话|英文|英语|\b(?:chinese|mandarin|english)\b"
_CLOCK = r"时间戳?|时区|\b(?:times?|timestamps?|time ?zone|clocks?)\b"
_ZONED = (
    r"按照?|使用|以(?!后)|显示|换算?|转|为准|算|标准|当地|成|为|改|切|回|到|\b(?:convert(?:ed)?|display(?:ed)?"
    r"|print(?:ed)?|shown|local|standard|zone)\b"
)
_LOOKS = (
    r"环境|服务|盯|看|查|关注|关心|在|是|[上里]面?|日常|默认|缺省|常用|\b(?:env(?:ironment)?s?|services?"
    r"|look(?:ing)? at|look|watch(?:ing)?|work(?:ing)?|run(?:ning)? things|on|at|check|cluster|usual|main|am|is|are"
    r"|most)\b"
)


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WISHES, _SELVES, _HABITS = _words(_WISH, _ANSWERS), _words(_SELF), _words(_HABIT)
_NOT, _MUCH, _BRIEF, _LONG = _words(_UNWANTED), _words(_TOO), _words(_SHORT), _words(_FULL)
_TONGUE, _TIME = _words(_LANGUAGE), _words(_CLOCK)
_OF_LANGUAGE = _words(_LANGUAGE, _ANSWERS, _COMMON)
_OF_LENGTH = _words(_UNWANTED, _TOO, _SHORT, _FULL, _ANSWERS, _COMMON)
_OF_ZONE = _words(_CLOCK, _ZONED, _COMMON)
_OF_HABIT = _words(_HABIT, _LOOKS, _COMMON)
_TURNED = re.compile(r"[用按以换转给改切]|显示|我|\b(?:in|to|use|show|give|my|convert)\b", re.IGNORECASE)


def wish(clause: str) -> tuple[str, str] | None:
    """The kind and value of a wish; "habit" where the value is an environment or services, if it is known as such."""
    return _language(clause) or _length(clause) or _zone(clause) or _habit(clause)


def _left(words: re.Pattern[str], clause: str) -> str:
    """What a clause says beside these words."""
    return re.sub(r"\s+", " ", words.sub(" ", clause)).strip(" .,、~～")


def _language(clause: str) -> tuple[str, str] | None:
    named = {word.lower() for word in _TONGUE.findall(clause)}
    fits = len(named) == 1 and _WISHES.search(clause) and not _left(_OF_LANGUAGE, clause)
    return ("language", named.pop()) if fits else None


def _length(clause: str) -> tuple[str, str] | None:
    brief, long, unwanted = _BRIEF.search(clause), _LONG.search(clause), _NOT.search(clause)
    fits = bool(brief) != bool(long) and _WISHES.search(clause) and not _left(_OF_LENGTH, clause)
    if not fits or (_MUCH.search(clause) and not unwanted):
        return None
    return "length", "short" if bool(brief) != bool(unwanted) else "full"


def _zone(clause: str) -> tuple[str, str] | None:
    if not (_TIME.search(clause) and _TURNED.search(clause)):
        return None
    place = _left(_OF_ZONE, clause)
    return ("zone", place) if place and zone_of(place) else None


def _habit(clause: str) -> tuple[str, str] | None:
    if not (_SELVES.search(clause) and _HABITS.search(clause)):
        return None
    named = _left(_OF_HABIT, clause)
    return ("habit", named) if named else None
