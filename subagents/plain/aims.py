"""What a question is after, by its form: a cause, how things are, or neither. The routing rules build on it.

Knows forms of questions and of complaints in Chinese and English; no domain's words and no service's name.
"""

from __future__ import annotations

import re

from orchestrator.planner import THEN, Aim
from orchestrator.when.phrases import phrases
from subagents.plain.kinds import ASKS, AT_CHANGE, MENDED, kinds
from subagents.plain.parts import RATED, route
from subagents.plain.parts import asked as part_asked
from subagents.plain.sought import sought
from subagents.plain.terms import wanted
from subagents.plain.troubles import troubles_in

_STRONG = re.compile(  # suspects something, in words that only trouble has
    r"(?:是不是|会不会|难道|是)[^，。？?]{0,30}(?:问题|引起|导致|造成|原因|锅|搞|弄|过期|满了|打满|耗尽|泄漏|挂了)[^，。？?]{0,4}(?:[吗么嘛？?]|$)"
    r"|是不是[^，。？?]{0,30}(?:问题|引起|导致|造成|原因|锅|过期|满|爆|泄漏|耗尽|挂|崩|坏)|怀疑[^，。？?]{0,20}问题|谁(?:的锅|搞[的坏]|弄[的坏]|干的)"
    r"|\bwhose fault\b|\bwho (?:broke|did (?:this|it))\b|\bto blame\b",
    re.IGNORECASE,
)
TOLD = re.compile(  # a complaint: what doesn't work, told rather than asked
    r"打不开|进不去|上不去|登不[上进了]|登[录陆]不[了上]|连不上|访问不[了到]|加载不|刷不出|付不了|支付不了|下不了单|[发收]不[到出了]"
    r"|不能用|用不了|没反应|没有响应|无响应|白屏|卡死|卡住|卡爆|崩了|崩溃|炸了|挂了|挂掉|宕|瘫痪|坏了|[打撑塞]?[满爆]了|堆积|积压"
    r"|飙升|暴涨|暴跌|掉底|全(?:是|在|都)[^，。]{0,4}(?:错|失败|超时)|(?:一直|疯狂|大量|频繁|老是?|总是?|不停|又|都)(?:在)?(?:报错|失败|超时|重启|出错|\s?[45]\d\d)"
    r"|(?:下单|支付|登录|注册|退款|上传|下载|提交|付款|结账)(?:失败|超时|报错|不了|卡)"
    r"|\b(?:can ?not|can't|cant|couldn't|unable to|not able to|won't|doesn't|don't|isn't|aren't)\s(?:\w+\s)?"
    r"(?:load\w*|open\w*|log\w*"
    r"|sign\w*|check\w*|pay\w*|connect\w*|reach\w*|work\w*|respond\w*|start\w*|access\w*|place|submit\w*|see|use|get)\b"
    r"|\b(?:is|are|went|keeps?|goes|just|all|seems?|looks?)\s(?:\w+\s)?(?:down|broken|failing|crash\w*|unreachable|unavailable"
    r"|stuck|hang\w*|hung|timing out|dead|dying|on fire|restarting|erroring|flapping|unresponsive|oom\w*)\b"
    r"|\b(?:users?|customers?|people|clients?|everyone|everybody)\s(?:are |is |keep )?"
    r"(?:getting|seeing|reporting|complaining|hitting)\b"
    r"|\b(?:getting|seeing|throwing|returning|spewing)\s(?:\w+\s){0,3}(?:errors?|exceptions?|timeouts?|[45]\d\ds?|[45]xx)\b"
    r"|\b(?:piling up|backing up|backed up|out of memory|blew up|fell over|melting|is full|are full)\b",
    re.IGNORECASE,
)
_WHATS_UP = re.compile(  # says no more than that something is wrong, and wants to know what
    r"什么情况|啥情况|咋回事|咋[了啦]|搞什么|什么鬼|什么毛病|闹哪样|怎么搞的|怎么个情况|\bwtf\b|\bwhat happened\b"
    r"|\bwhat(?:'?s| is| the \w+ is| on earth is| are)?\s"
    r"(?:going on|happening|up with|wrong with|the (?:matter|deal))\b",
    re.IGNORECASE,
)
_AFFECTED = re.compile(r"受(?:到|了)?(?:影响|牵连|波及)|\b(?:affected|impacted)\b", re.IGNORECASE)
_FAILS = re.compile(
    r"错|失败|超时|慢|挂|坏|崩|炸|异常|\b(?:errors?|fail\w*|slow|down|broke\w*"
    r"|time-?outs?|timing out|exceptions?|5\d\ds?|5xx)\b",
    re.IGNORECASE,
)
_LISTS = re.compile(  # wants to know one thing of it, not why
    r"有没有|是否|几点|什么时候|何时|多少|多久|几[次个条]|哪|谁|列|统计|查一?下|看一?下|日志|告警"
    r"|^(?:is|are|was|were|did|do|does|has|have|how|when|which|what|who|where|list|show|find|count|any|grep)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"(?:[吗嘛没]|(?<![什怎])么|没有)\s*[?？!！。]*$|[?？]")
_VAGUE = re.compile(
    r"^(?!.*(?:日志|告警|报警))[^。]*有(?:没有)?(?:什么|啥|无|任何)(?:异常|问题|不对|情况|动静)"
    r"|\b(?:anything|something) (?:wrong|unusual|odd|weird|strange)\b"
    r"|\banything (?:on|with|about|in|for|from|of|since|during|overnight|new"
    r"|going on|happen\w*|to worry|i should know)\b"
    r"|\bany (?:news|updates?) (?:on|about|from|since)\b",
    re.IGNORECASE,
)
_IDS = re.compile(r"(?<![\w.-])(?:[A-Za-z]{2,}-\d{2,}|(?=[a-f]*\d)[0-9a-f]{7,40}|v?\d+\.\d+\.\d+)(?![\w-])")
_TICKET = re.compile(  # what a ticket or change is, by its number
    r"(?<![\w-])[A-Z]{2,10}-\d{2,}(?![\w-])[^，。？?]{0,6}(?:是(?:啥|什么|谁)|什么内容|干(?:啥|什么)|做了?(?:啥|什么))"
    r"|(?:啥|什么)是 ?[A-Z]{2,10}-\d{2,}"
    r"|\b(?:what|who|when)\b[^.?!]{0,24}\b[A-Z]{2,10}-\d{2,}(?![\w-])"
)
_WORDS = re.compile(  # a question about words, not about what runs
    r"翻译|译[成为]|怎么(?:读|念|拼)|什么意思|近义词|同义词|造句|\b(?:translat\w+|spell\w*|pronounce\w*|synonyms?|rhymes?|proofread"
    r"|(?:french|german|spanish|japanese|chinese|english) for)\b",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|this|that)\b|它|[这那][个次]", re.IGNORECASE)  # what was spoken of, as the cause of trouble
_CAUSE = frozenset(("rollback", "brief", "since", "helped"))
_STATE = frozenset(("over", "still", "first", "impact"))
_EXTENT = frozenset(("began", "ended", "lasted"))
_OF_ONE = re.compile(
    r"告警|报警|日志|指标|内存|\b(?:alerts?|logs?|metrics?|cpu|memory)\b", re.IGNORECASE
)  # says itself where to look


def aim(text: str) -> Aim:
    """ "cause" where that is plain by itself, "judged" where it is if the question is about operations at all."""
    asked = kinds(text)
    if (
        _CAUSE & {*asked}
        or ("undone" in asked and _IT.search(text))
        or _STRONG.search(text)
        or MENDED.search(text)
        or complains(text)
        or _puzzled(text)
        or _TICKET.search(text)
    ):
        return "cause"
    part = part_asked(text)
    hit = (route(text) and RATED.search(text)) or (part and part.name == "version")  # more than one may know
    hit = hit or ("trouble" in asked and _AFFECTED.search(text)) or ("slow" in asked and not _OF_ONE.search(text))
    if hit or _STATE & {*asked} or _VAGUE.search(text) or (_EXTENT & {*asked} and not _OF_ONE.search(text)):
        return "state"
    if (
        wanted(text)
        or part
        or (sought(text) and not _WORDS.search(text))
        or ({"compare", "trouble"} & {*asked} and THEN.search(text))
    ):
        return "plain"
    if "blame" not in asked or not ASKS.search(text):
        return ""
    return "cause" if troubles_in(text) or _IDS.search(text) or AT_CHANGE.search(text) else "judged"


def _puzzled(text: str) -> bool:
    """Whether a text asks what is going on, beside words of trouble or a time."""
    return bool(_WHATS_UP.search(text) and (TOLD.search(text) or _FAILS.search(text) or phrases(text)))


def complains(text: str) -> bool:
    """Whether a text tells of what doesn't work, rather than asks one thing of it."""
    return bool(TOLD.search(text)) and not (_LISTS.search(text.strip()) or _QUESTION.search(text))
