"""Plain orders to remember or forget, read out of a message by rules: "以后默认看 prod", "call me Lao Wang".

An order stands at the beginning of a clause of the person's own words. What only looks like one ("忽略告警", "call me
when it is over") is none. Whether a value may be kept is said elsewhere (`kinds.canonical`); no store is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hermes_ops.recall.kinds import NOTE, named
from hermes_ops.recall.refusals import own_words

EVERYTHING = "*"

_POLITE = (
    r"(?:(?:请|麻烦(?:你|您)?|劳驾|嗯|好的?|那|另外|顺便|对了|还有|帮我|给我|然后"
    r"|please|pls|hey|hi|ok|okay|and|also|btw|by the way|could you|can you|then)[\s,，]*)*"
)
_FROM = (
    r"(?:(?:以后|今后|从现在(?:起|开始)|从今(?:以后|起|往后)?|从此|之后|下次(?:起|开始)?|往后|一直|平时"
    r"|from now on|in (?:the )?future|going forward|from here on|always|generally)[\s,，]*(?:请|都|就|也|只|一律"
    r"|please|just)?\s*)"
)
_FROM_ZH = (
    r"(?:以后|今后|从现在(?:起|开始)|从今(?:以后|起|往后)?|从此|往后|下次(?:起|开始)?)[\s,，]*"
    r"(?:请|都|就|也|只|一律)?\s*"
)
_VALUE = r"(?P<value>.+?)"
_END = r"[\s吧啊哈呀哦了]*(?:please|pls|thanks|thank you|谢谢|from now on|going forward|in future|by default)?\s*"
_SET = r"\s*(?:是|为|用|看|设(?:置)?(?:为|成)|改(?:为|成)|换成|切(?:换)?(?:到|成)|选|=|:|：)\s*"
_BE = r"\s*(?:is|are|=|:|to|should be|would be|will be)\s*"
_ENV = r"(?P<value>[\w.\-]+|[\u3400-\u9fff]{2,4}?)\s*(?:环境|env(?:ironment)?)"
_LANGUAGE = r"(?P<value>中文|汉语|普通话|英文|英语|chinese|mandarin|english)"
_LENGTH_ZH = r"(?P<value>长话短说|(?:简短|简洁|简单|精简|精炼|扼要|详细|具体|短|简|长|细)(?:一?点儿?|一些|些)?)"
_LENGTH_EN = (
    r"(?P<value>(?:short|brief|concise|terse|succinct|long|detailed|thorough|verbose)(?:er)?"
    r"|more (?:concise|detailed))"
)
_ZONE = (
    r"(?P<value>[A-Za-z_]+/[A-Za-z_]+|(?:utc|gmt)\s?[+-]\s?\d{1,2}(?::?00)?|utc|gmt"
    r"|[A-Za-z ]{3,20}?|[\u3400-\u9fff]{2,5}?)"
)
_WHO = r"(?P<value>(?!一声|起床|怎么|去|来|过|下|看|的|干|做|什么)[^\s，,。]{1,12}?|[A-Za-z][\w .'-]{0,30}?)"
_NAME_EN = (
    r"(?P<value>(?!(?:when|if|back|at|on|later|once|an?|the|tomorrow|asap|as soon|before|after|crazy|in|to|for|not)\b)"
    r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){0,2}?)"
)
_JOB_ZH = r"(?:负责人|经理|工程师|sre|dba|运维|owner|leader|组长|主管|总监|架构师|开发|测试|产品|值班长)"
_JOB_EN = (
    r"(?:engineer|sre|manager|lead|leader|dba|owner|developer|operator|architect|director|admin|administrator"
    r"|analyst|tester|dev)"
)

Rule = tuple[str, str]
_RULES: tuple[Rule, ...] = (
    ("environment", rf"{_FROM}?(?:把|将)?(?:我的)?(?:默认|缺省)的?环境{_SET}{_VALUE}"),
    ("environment", rf"{_FROM}?(?:(?:设|改|换|切)(?:置|换)?)?(?:默认|缺省)(?:都|就)?(?:看|查|用|是|去|为)?\s*{_ENV}"),
    ("environment", rf"我(?:们)?(?:一般|通常|主要|平时|只)(?:都|只)?(?:看|关心|用|查|关注)\s*{_ENV}(?:的)?"),
    ("environment", rf"{_FROM_ZH}(?:默认)?(?:看|查|用|关注)\s*{_ENV}(?:的)?"),
    ("services", rf"{_FROM}?(?:把|将)?(?:我的)?(?:默认|缺省)的?服务{_SET}{_VALUE}"),
    ("services", rf"{_FROM}?(?:默认|缺省)(?:都|就|只)?(?:看|查|用|关注|是)\s*{_VALUE}(?:这个|这几个)?(?:的)?服务"),
    ("services", rf"我(?:们)?(?:一般|通常|主要|平时|只)(?:都|只)?(?:看|关心|查|关注)\s*{_VALUE}(?:这个"
                 rf"|这几个)?(?:的)?服务"),
    ("default", rf"{_FROM}?(?:默认|缺省)(?:都|就|只)?(?:看|查|用|关注|去看|设为|设成|改成|改为|是"
                rf"|为)\s*(?P<value>[A-Za-z][A-Za-z0-9_.\-]*|生产|预发|测试|开发|线上)"),
    ("default", rf"{_FROM_ZH}(?:看|查|关注)\s*(?P<value>[A-Za-z][\w.\-]*|生产|预发|测试|线上)"),
    ("environment", rf"{_FROM}?(?:set |make |change |use )?(?:my |the )?default env(?:ironment)?(?:{_BE}|\s+){_VALUE}"),
    ("environment", rf"(?:i'd like|i want|use|set|make|take) {_VALUE} (?:to be|as) (?:my"
                    rf"|the) default env(?:ironment)?"),
    ("services", rf"(?:i'd like|i want|use|set|make|take) {_VALUE} (?:to be|as) (?:my|the) default services?"),
    ("services", rf"{_FROM}?(?:set |make |change |use )?(?:my |the )?default services?{_BE}{_VALUE}"),
    ("environment", rf"{_FROM}?(?:look at|use|check|watch"
                    rf"|assume) (?:the )?(?P<value>[\w.\-]+)(?: env(?:ironment)?)? (?:env(?:ironment)? )?by default"),
    ("services", rf"{_FROM}?(?:look at|use|check|watch) (?:the )?(?P<value>[\w.\-]+) services? by default"),
    ("default", rf"{_FROM}?(?:default|defaults) to (?:the )?(?P<value>[\w.\-]+)(?: env(?:ironment)?| service)?"),
    ("default", r"(?:from now on|going forward|in future)[\s,]*(?:please )?(?:look at|use|check"
                r"|watch) (?:only )?(?P<value>[\w.\-]+)(?: only)?"),
    ("default", rf"{_FROM}?(?:by default|as a default)[\s,]*(?:look at|use|check|watch"
                rf"|show) (?:the )?(?P<value>[\w.\-]+)"),
    ("language", rf"{_FROM}?(?:(?:跟|和|对)我)?(?:都|请)?(?:用|说|讲|使用|换成|切换到|改用|改成)\s*{_LANGUAGE}(?:跟我"
                 rf"|和我|来|就)?(?:回答|回复|交流|沟通|说|聊|答|行|可以)?(?:我|问题)?(?:就行)?"),
    ("language", rf"{_FROM}?(?:我的)?(?:语言|回答|回复|答案)(?:的语言)?(?:都|请|就)?{_SET}{_LANGUAGE}"),
    ("language", rf"{_FROM}?(?:answer|reply|respond|speak|talk|write|use|switch|change)(?: to| with)? ?(?:me |it "
                 rf"|the language )?(?:in |to |into )?{_LANGUAGE}(?: only| language)?"),
    ("language", rf"(?:i prefer|i'd prefer|i would like) (?:answers? |replies )?(?:in )?{_LANGUAGE}(?: answers"
                 rf"| replies)?"),
    ("language", rf"(?:my language is|language[:=]?|in) {_LANGUAGE}"),
    ("length", rf"{_FROM}?(?:你的?)?(?:回答|回复|答案|答复|说话|说)(?:的|得|要|请|都|尽量|可以|能不能|再"
               rf"|内容)*{_LENGTH_ZH}"),
    ("length", rf"(?:{_FROM_ZH})?(?:请|都|尽量)?{_LENGTH_ZH}地?(?:回答|回复|答复)(?:我)?(?:就行)?"),
    ("length", rf"{_FROM_ZH}(?:都|尽量|请)?{_LENGTH_ZH}"),
    ("length", rf"(?:我(?:喜欢|想要|希望|要|偏好))(?:看)?{_LENGTH_ZH}的?(?:回答|答案|回复)"),
    ("length", rf"{_FROM}?(?:keep|make|give me|i prefer|i want|i like|i'd like)(?: it| them| the| your"
               rf"| my)?(?: answers?| replies| responses)?(?: to be)? ?{_LENGTH_EN}(?: answers?| replies"
               rf"| responses)?"),
    ("length", rf"{_FROM}?{_LENGTH_EN} (?:answers?|replies|responses)"),
    ("length", rf"{_FROM}?(?:answer|reply|respond)(?: me)? (?:more )?(?P<value>briefly|shortly|concisely|in detail"
               rf"|short|brief)|{_FROM}?be (?:more )?(?P<value2>brief|concise|short|terse|detailed)"
               r"(?: in (?:future|your|all) (?:answers|replies))?"),
    ("zone", rf"{_FROM}?(?:把|将)?(?:我的|我们的)?时区{_SET}{_ZONE}(?:时区|时间)?"),
    ("zone", rf"{_FROM}?(?:我的|我们的)?(?:时间)?(?:都)?(?:用|按|按照|使用|以){_ZONE}(?:时间|时区)(?:为准|来|算"
             rf"|显示)?"),
    ("zone", rf"我(?:们)?在{_ZONE}时区"),
    ("zone", rf"{_FROM}?(?:set |change )?(?:my |our |the )?time ?zone{_BE}{_ZONE}(?: time)?"),
    ("zone", rf"(?:i'm|i am|we're|we are) (?:in|on) (?:the )?{_ZONE} time ?(?:zone)?"),
    ("zone", rf"{_FROM}?(?:use|show|show times in|times in) {_ZONE} (?:time ?zone|time)(?: for me)?"),
    ("default", rf"{_FROM_ZH}默认\s*(?P<value>[A-Za-z][\w.\-]*|生产|预发|测试|线上)"),
    ("zone", rf"{_FROM_ZH}(?:给我)?(?:看|显示){_ZONE}(?:时间|时区)"),
    ("language", rf"{_FROM}?{_LANGUAGE}(?:回答|回复|回)我?(?:就行|即可|就好)?"),
    ("zone", rf"{_FROM}?(?:show|give|print|use)(?: me)?(?: all)? times? in {_ZONE}"),
    ("default", r"(?:unless|if) i (?:say otherwise|don'?t say|name none)[^,]{0,20},? ?(?:i mean|it'?s"
                r"|use|take|look at|assume) (?P<value>[\w.\-]+)"),
    ("default", rf"{_FROM_ZH}(?:如果)?我?[没不]有?(?:说|提|写|指定)(?:哪个)?(?:服务|环境)?(?:的话|时)?[\s,，]*"
                rf"(?:就|都|那)(?:是|看|查|按|用)\s*(?P<value>[A-Za-z][\w.\-]*|[\u3400-\u9fff]{{2,4}})"),
    ("name", rf"{_FROM}?(?:你)?(?:可以|就)?(?:叫我|称呼我(?:为|叫)?|喊我|管我叫|(?:大家|同事们?)都?叫我){_WHO}"
             r"(?:就行|就好|即可)?"),
    ("name", rf"我(?:的名字)?(?:叫|名叫|是叫){_WHO}"),
    ("name", rf"{_FROM}?(?:you can |you may |just )*(?:call me|address me as) {_NAME_EN}"),
    ("name", rf"my name(?: is|'s) {_NAME_EN}|i go by (?P<value2>[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*)?)"),
    ("team", r"我(?:们)?(?:是|在|属于|来自|隶属于?)(?P<value>[\w\u3400-\u9fff -]{1,16}?(?:组|团队|部门|部"
             r"|中心))的?(?:人|同学|一员)?"),
    ("team", rf"我(?:们)?的?(?:团队|小组|部门|组)(?:是|叫|名叫){_VALUE}"),
    ("team", r"(?:my|our) team(?: is|'s)(?: called)(?P<value>.+?)|my team is (?P<value2>(?!on\b|in\b|not\b|down\b"
             r"|busy\b|still\b|also\b|\w+ing\b)[\w -]{2,30}?)"),
    ("team", r"(?:i'm|i am|i work|we're|we are|i belong)(?: in| on| with| for| from| to"
             r"| part of)+ (?:the )?(?P<value>[\w-]+(?: [\w-]+){0,2}?) (?:team|squad|group)"),
    ("role", rf"我(?:是|现在是)(?:一名|一个|个|这边的)?(?P<value>[\w\u3400-\u9fff ]{{0,16}}?{_JOB_ZH})"),
    ("role", r"我(?:们)?(?:主要|平时)?(?P<value>(?:负责|主管|管|维护)(?!人)[\w\u3400-\u9fff 、和-]{2,24})"),
    ("role", rf"我的?(?:角色|职位|岗位|职责)(?:是|为){_VALUE}"),
    ("role", rf"my (?:role|job|position|title)(?: is|'s) (?:an? |the )?{_VALUE}"),
    ("role", rf"(?:i'm|i am|i work as) (?:an? |the |our )?(?P<value>(?:[\w-]+ ){{0,4}}{_JOB_EN}(?: (?:of"
             rf"|for) [\w -]{{2,24}})?)"),
    ("role", r"i(?:'m| am)? ?(?P<value>(?:responsible for|own|maintain|in charge of|look after) [\w ,-]{2,30})"),
)  # fmt: skip
_NOTE = re.compile(
    rf"{_POLITE}{_FROM}?(?:(?:请)?(?:你)?(?:记住|记下(?:来)?|记一下|记好|记着|牢记)(?:一下|了)?[\s:：,，]*"
    rf"|(?:please )?(?:remember|(?:do not|don'?t) forget)[\s:,]+(?:that )?"
    rf"|(?:please )?(?:note|keep in mind|make a note)[\s:,]+(?:that )?)(?P<value>\S.*)",
    re.IGNORECASE,
)
_FORGET = re.compile(
    rf"{_POLITE}(?:忘掉|忘记|忘了|不要再?记(?:住|得)?|别再?记(?:住|得)?|不用再?记(?:住)?|forget|stop remembering"
    rf"|do(?: not|n't) remember|(?:不要|别|不用)再?(?=叫我|默认|用[中英]文)"
    rf"|(?:don'?t|do not|stop|no longer) (?=call(?:ing)? me|default))"
    rf"[\s:：]*(?:掉|about )?(?P<value>.+?){_END}",
    re.IGNORECASE,
)
_DROP = re.compile(  # words that mean other things too: only of what is plainly a note
    rf"{_POLITE}(?:删[掉了]|删除|清除|清空|去掉|取消|重置|delete|remove|clear|reset|unset|drop)[\s:：]*"
    rf"(?P<value>.*(?:默认|关于我|偏好|记忆|备注|我的|\b(?:default|my|preferences?|memor(?:y|ies)"
    rf"|notes? about me)\b).*?){_END}",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:你?记[住得]?的|你|关于|我|的)*+(?:所有|全部|一切)?+的?+(?:偏好|记忆|备注|设置|东西|内容|事情)*+"
    r"|(?:(?:everything|all|about|me|my|the|of|preferences?|memor(?:y|ies)|notes?|that|what|you|know|knew|kept|have"
    r"|stored|remember(?:ed)?)\b\s*+)++",
    re.IGNORECASE,
)
_UNDO = re.compile(rf"{_POLITE}(?:撤销|撤回|撤消|undo(?: that| it)?|take (?:that|it) back){_END}", re.IGNORECASE)
_ASKS = re.compile(
    r"[?？]\s*$|[吗么嘛]\s*$|^(?:do|did|does|can|could|would|is|are|what|why|how|when|who)\b", re.IGNORECASE
)
_ENVIRONMENT = re.compile(
    r"(?:prod|prd|stag|stg|test|dev|uat|pre|gray|grey|canary|beta|sit|qa|sandbox|live"
    r"|生产|预发|测试|开发|线上|灰度|沙箱)",
    re.IGNORECASE,
)
_LIST = re.compile(r"[\w.\-]+(?:\s*(?:[,，、]|和|与|及|\band\b)\s*[\w.\-]+)+")
_TYPED = tuple((kind, re.compile(rf"{_POLITE}(?:{pattern}){_END}", re.IGNORECASE)) for kind, pattern in _RULES)


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
    parts = re.split(r"(?<=[。！？!?；;\n])|(?<=\.)(?<!\b[DM][rs]\.)\s", own)
    sentences = [part.strip() for part in parts if part.strip()]
    if len(sentences) > MOST:  # a pasted text; what a person adds stands before or after it
        sentences = [*sentences[: MOST // 2], "…", *sentences[-MOST // 2 :]]
    for sentence in sentences:
        found, left = _in_sentence(sentence)
        orders += found
        rest += [left] if left.strip(" ,，。.!！;；") else []
    return Read(tuple(dict.fromkeys(orders)), " ".join(rest).strip())


def _in_sentence(sentence: str) -> tuple[list[Order], str]:
    if len(sentence) > LONGEST:
        return [], sentence
    bare = sentence.rstrip("。.!！;；\n ")
    if not _ASKS.search(bare) and (noted := _NOTE.fullmatch(bare)):
        return list(_noted(noted["value"], bare)), ""
    if (listed := _typed(bare, bare)) and listed[0].what == "services" and _LIST.fullmatch(listed[0].value):
        return listed, ""
    orders: list[Order] = []
    left: list[str] = []
    for clause in re.split(r"[,，]", sentence):
        found = _in_clause(clause.strip(" 。.!！;；\n"))
        orders += found
        left += [] if found else [clause]
    return orders, ",".join(left) if left else ""


def _in_clause(clause: str) -> list[Order]:
    if _UNDO.fullmatch(clause):
        return [Order("undo", "", "", clause)]
    if _ASKS.search(clause):
        return []
    clause = re.sub(r"^(把|将)(.+?)(?:全|都)*(忘|删|清|去)(掉|了|除|空)+$", r"\3\4\2", clause)  # 把…都删了
    if forgotten := _FORGET.fullmatch(clause) or _DROP.fullmatch(clause):
        return _forgotten(forgotten["value"].strip(), clause)
    return _typed(clause, clause)


def _typed(clause: str, said: str) -> list[Order]:
    for kind, pattern in _TYPED:
        if found := pattern.fullmatch(clause):
            groups = found.groupdict()
            value = (groups.get("value") or groups.get("value2") or "").strip()
            if kind == "default":
                kind = "environment" if _ENVIRONMENT.match(value) else "services"
            return [Order("keep", kind, value, said)]
    return []


def _noted(value: str, said: str) -> Iterator[Order]:
    """What "remember that …" is about: a typed note for each clause that is one, else one free note."""
    typed = [order for clause in re.split(r"[,，]", value) for order in _typed(clause.strip(), clause.strip())]
    yield from typed or [Order("keep", NOTE, value.strip(), said)]


def _forgotten(value: str, said: str) -> list[Order]:
    if _ALL.fullmatch(value) and not re.fullmatch(r"that|it|this|you", value, re.IGNORECASE):
        return [Order("forget", EVERYTHING, "", said)]
    keys = named(value)
    return [Order("forget", key, "", said) for key in keys] or [Order("forget", "", value, said)]
