"""The words of the time grammar: text in Chinese or English → tokens. `phrases` joins them, `reader` reads them.

A rule is a pattern and what a match of it means. At one place of the text the first rule that fits wins, so what only
looks like a time (addresses, versions, identifiers, ratios) stands first, as "junk". Patterns see lower-case,
half-width text in which every character is still at its place. This module knows no clock and no calendar.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from orchestrator.when import values as v
from orchestrator.when.values import EN_N, EN_U, NUMBERS, WEEK, ZH_N, Found, Pairs, constant, length, pick


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    value: Any
    start: int
    end: int


PARTS = {  # hours of the day; over 24 is the next one
    "small": (0, 6), "morning": (6, 12), "noon": (11, 13), "daytime": (6, 18), "afternoon": (12, 18), "dusk": (17, 19),
    "evening": (18, 24), "night": (18, 30), "deep": (22, 30),
}  # fmt: skip
_PARTS = {"凌晨": "small", "清晨": "small", "清早": "morning", "早上": "morning", "早晨": "morning", "早间": "morning",
          "上午": "morning", "中午": "noon", "正午": "noon", "午间": "noon", "白天": "daytime", "下午": "afternoon",
          "午后": "afternoon", "傍晚": "dusk", "晚上": "night", "晚间": "night", "夜间": "night", "夜晚": "night",
          "夜里": "deep", "深夜": "deep", "半夜": "deep", "early morning": "small", "small hours": "small",
          "morning": "morning", "noon": "noon", "midday": "noon", "afternoon": "afternoon", "evening": "evening",
          "night": "night", "早": "morning", "晨": "morning", "晚": "night", "夜": "night"}  # fmt: skip
_LONG = "|".join(k for k in _PARTS if len(k) > 1 and not k.isascii())
_ENGLISH = "|".join(k for k in _PARTS if k.isascii())

B, E = r"(?<![a-z0-9_])", r"(?![a-z0-9_])"
_ZH = "零〇一二两三四五六七八九十廿卅"
N = rf"(?:\d{{1,4}}|[{_ZH}]{{1,4}})"
# 周日志, 周一共, 周三个 … are a week and something else
WD = (
    r"(?:一(?!共|直|样|般|些|下|致|系列|定)|[二三四五六末]|日(?!志|均|常|报|期|活|程)|天(?!天))"
    r"(?!个|次|条|台|项|处|种|类|批|轮|版)"
)
MON = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
MONTH = "january|february|april|june|july|august|september|october|november|december"
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
DAY3 = rf"(?:{DAY}|mon|tues?|wed|thurs?|thu|fri|sat|sun)"
DASH = r"(?:-|–|—|~|〜|to|and|through|到|至)"
AP = r"(?P<ap>[ap]\.?m\b\.?)"
Y, YEAR = r"(?P<y>(?:19|20)\d\d)", r"(?:(?P<y>\d{4}|\d{2})\s?年\s?)?"
EN_DUR = rf"{EN_N}[\s-]?{EN_U}(?:\s?(?:and\s)?\d{{1,6}}\s?{EN_U})*{E}"
_ZH_1 = (
    rf"(?:半\s?个?(?:小时|钟头|天|月|年)|{ZH_N}\s?个?半?\s?(?:秒钟?|分钟|小时|钟头|天|{WEEK}|年)半?"
    rf"|{ZH_N}\s?个半?月|[一三]刻钟)"
)
ZH_DUR = rf"{_ZH_1}(?:零?\s?{_ZH_1})*"
# 3号机, 3 点建议, 30 天内过期 … are no day, hour or window
NOT_NO = r"(?!机|线|节点|库|集群|楼|池|实例|副本|服务|主机|分片|仓|店|门|工单|订单)"
NOT_HOUR = (
    r"(?!建议|原因|意见|问题|要求|结论|理由|疑|需求|不同|区别|好处|坏处|思考|说明|注意|补充|看法|想法|内容|信息|总结"
    r"|教训|改进|措施|优化|经验|发现|几|\d\d?\s?倍)"
)
NOT_WITHIN = r"(?!恢复|完成|解决|返回|处理|修复|过期|到期|失效)"
# 一点 is an hour only beside what says so
ONE = (
    r"(?:(?<!一点)(?<!一时)|(?<=[上午夜晨晚里早到至从十]一点)|(?<=[二次翌][天日]一点)"
    r"|(?=半|钟|整|左右|[一三]刻|到|至|[之以][前后]|开始|起|\d))"
)
SAID = r"(?:(?<![a-z#]\s)|(?<=on\s)|(?<=since\s)|(?<=from\s)|(?<=to\s))"  # no "build 20261129", "payment 2.14"
_DAYED = (f"(?<={d} {by} )" for d in ("day", "morning", "noon", "evening", "night") for by in ("from", "between"))
PART_OF = rf"(?:this|yesterday|in\s+the|last)\s+(?:{_ENGLISH}){E}"
HOUR_NEXT = (  # a bare number before "到 3 点", "- 3pm"
    rf"(?=\s?{DASH}\s?(?:[上下中]午|晚上|凌晨)?(?:\d\d?(?::\d\d)?|[一二两三四五六七八九十]{{1,3}})\s?"
    rf"(?:[ap]\.?m\b|点|时(?!间)|{PART_OF}))"
)
FUTURE = constant("vague", "lies in the future")
VAGUE = constant("vague", "which time exactly isn't said")
NAMED = constant("named", "which days these are, isn't known here")
JUNK = constant("junk")


def _last(m: Found) -> Pairs:
    return [("last", length(pick(m, "t", "t2", "t3") or ("90m" if "half" in m[0] else f"1 {m[0].split()[-1]}")))]


Rule = tuple[str, Callable[[Found], Pairs]]
RULES: tuple[Rule, ...] = (
    # what only looks like a time; then what names one that can't be read: said, never guessed
    (r"https?://\S+|(?<![a-z0-9])/[a-z_.][\w./\-]*|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?", JUNK),
    (rf"24/7|[1-5](?:xx|\d\ds{E})|{B}(?:release|version|tag|版本)\s?\d+\.\d[\w.]*"
     rf"|{B}[a-z][a-z0-9_.]*-\d{{4}}-\d\d-\d\d[\w.\-]*", JUNK),
    (rf"{B}(?P<y>\d{{4}})(?:-(?P<m>\d\d?)-|/(?P<m2>\d\d?)/|\.(?P<m3>\d\d?)\.)(?P<d>\d\d?)(?!\d)", v.dates),
    (rf"{B}{SAID}{Y}(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?=t|{E})", v.dates),
    (rf"(?<![\w./\-])(?P<d>\d\d?)[.\-](?P<m>\d\d?)[.\-]{Y}{E}", v.dates),
    (rf"(?<![\w./\-])(?P<m>\d\d?)/(?P<d>\d\d?)/{Y}(?![\w/])", v.slash),
    (rf"{B}q(?P<n>[1-4]){E}|第?(?P<n2>[一二三四1-4])季度|(?P<n3>[上下])半年(?!来)"
     rf"|{B}(?P<n4>first|second|third|fourth|[1-4](?:st|nd|rd|th))\s+"
     rf"(?P<u>quarter{E}|half(?=\s+of\s+(?:the\s+)?(?:year|this|last|20\d\d)))", v.stretch),
    (rf"{B}v?\d+\.\d+\.\d[\w.\-]*|{B}v\d[\d.]*|{B}[pq]\d\d?{E}|#\d+|[$¥￥]\d[\d.,]*", JUNK),
    (r"(?<![\d.])\d{1,9}(?:\.\d{1,9})?\s?[%倍亿万]", JUNK),
    (rf"{B}(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{{7,40}}{E}|[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f\-]+", JUNK),
    (r"(?:line|port|行|端口|比例|比率|ratio)\s?(?:是|为|号|of|:|=)?\s?\d+(?::\d+)+", JUNK),
    (r"(?:工单|订单|单号|编号|机房|集群|节点|主机|order|ticket)\s?#?\d+\s?号?|一点点"
     r"|(?:早上|[上中下]午|晚上)好|good\s+(?:morning|afternoon|evening|night)", JUNK),
    (rf"明天|明日|明早|明晚|大?后天|明年|下个?(?:{WEEK}|月|季度)[一二三四五六日天]?"
     rf"|{B}(?:(?:the\s+)?day\s+after\s+)?tomorrow{E}|{B}next\s+(?:week|month|year|{DAY}){E}", FUTURE),
    (rf"(?:前|这|近|最近|过去)?(?:好?几|十几|几十|若干|数)\s?个?(?:秒|分钟|小时|天|{WEEK}|月|年)(?:之?前|以前|来|内)?"
     r"|前阵子|前段时间|那天|当[天日晚]|前不久|不久前|最近(?!\s?[的一]?次|\s?[\d一二两三四五六七八九十半]|[个条版])"
     rf"|(?:这个|同一?个?)(?:时间段|时段)|每[天日晚]的?\s?(?:{_LONG})?\s?{N}(?::\d\d|点半?)"
     rf"|{B}(?:every\s+(?:day|night|morning|evening)|daily|nightly)\s+at\s+\d\d?(?::\d\d)?(?:\s?[ap]m)?"
     rf"|{B}(?:(?:a few|few|several|some)\s+(?:minutes|hours|days|weeks|months)(?:\s+ago)?|(?:the other|that|same) day"
     rf"|recently|lately){E}", VAGUE),
    (r"(?:epoch|unix|timestamp|ts|时间戳|since|from|after|between|从|自)[\s:=]?\s?"
     r"1[5-9]\d{8}(?:\d{3})?(?!\d)", constant("vague", "a count of seconds isn't read here")),
    (rf"(?:这个?|同一?个?)(?:时候|时间|时刻|会儿?)|{B}(?:(?:at|around|about)\s+)?(?:this|the\s+same|same)\s+time{E}",
     constant("clock", v.SAME)),
    (r"(?<=[今去前]年)618|618(?=大促|活动|当天|期间)|同期|第[二三四]周(?![一二三四五六日天末])"
     r"|[早晚]高峰|十一(?:长假|假期|黄金周)|双(?:十一|11|十二|12)|国庆节?|春节|元旦|中秋|圣诞节?|除夕|年[初底末]"
     rf"|{B}(?:black friday|good friday|thanksgiving|christmas|new year(?:'s eve)?|(?:second|third|fourth)\s+week){E}",
     NAMED),
    # lengths that are windows, and how long ago
    (rf"(?P<w>最后|末尾)的?(?P<t>{ZH_DUR}|一?个?(?:小时|天|{WEEK}))(?![一二三四五六日天末])"
     rf"|第(?P<t2>一个?(?:小时|天|{WEEK}))(?![一二三四五六日天末])"
     rf"|{B}(?P<w2>last|first|final)\s+(?P<t3>{EN_DUR}|hour|day|week)(?=\s+of\s+(?:the\s+)?"
     rf"(?:yesterday|today|this|last|day|week|month|year|{MON}|{DAY3}|20\d\d))", v.edge),
    (rf"(?:(?:最近|过去|刚刚|刚才)的?这?|(?<![接将附靠临])近|这|(?:(?<![一-龥\d])(?<![一-龥\d]\s)|(?<=[看下查在是把]))前|(?<![晚早以线])上)\s?"
     rf"(?P<t>{ZH_DUR}|{EN_DUR})(?:以来|以内|之内|内|里)?(?!前|后|之[前后])|(?P<t2>{ZH_DUR})以来"
     rf"|(?P<t3>{ZH_N}\s?个?(?:小时|天|{WEEK}|月))(?:以内|之内|内){NOT_WITHIN}", _last),
    (rf"{B}(?:last|past|previous|trailing)\s+(?:(?P<t>{EN_DUR})|hour{E}|minute{E}|day{E})(?:\s+and\s+a\s+half{E})?"
     rf"|{B}past\s+(?:week|month|year){E}", _last),
    (rf"{B}now\s?-\s?(?P<t>{EN_DUR})(?=\s?(?:{DASH}|/|\.\.))", v.ago),
    (rf"{B}(?:now|t)\s?-\s?(?P<t>{EN_DUR})", _last),
    (r"/pt(?P<t>(?:\d+[hms])+)", lambda m: [("suf", "after"), ("dur", length(m["t"]))]),
    (rf"(?:前后|±|\+/-)各?\s?(?P<t>{ZH_DUR}|{EN_DUR})|{B}(?:within\s+)?(?P<t2>{EN_DUR})\s+(?:of|(?:on\s+)?either"
     r"\s+side\s+of|before\s+and\s+after)(?=\s+\d\d?(?::\d|\s?[ap]\.?m))",
     lambda m: [("around", length(pick(m, "t", "t2")))]),
    (rf"(?P<t>{ZH_N}\s?个?(?:天|{WEEK}))[之以]?前的今天", lambda m: [("day", -length(m["t"]).time.days)]),
    (rf"(?P<t>{ZH_DUR})(?:之前|以前|前(?!端|台|面|置))|{B}(?P<t2>{EN_DUR})\s+(?:ago|back){E}", v.ago),
    (rf"{YEAR}(?P<m>{N})\s?月\s?(?P<d>{N})\s?[日号]?\s?{DASH}\s?(?P<e>{N})\s?[日号]", v.dates),
    (rf"{YEAR}(?<![第每])(?P<m>{N})\s?月\s?(?P<d>{N})\s?(?:[日号]|(?!\s?[个次条%台秒分天:点]|\d))", v.dates),
    (rf"{B}(?P<m>{MON})\s+(?P<d>\d\d?)\s?{DASH}\s?(?P<e>\d\d?)(?![:\d])(?!\s?[ap]\.?m)", v.dates),
    (rf"{B}(?P<m>{MON})[\s-]+(?P<d>\d\d?)(?:st|nd|rd|th)?(?![:\d])(?:,?\s+{Y})?{E}", v.dates),
    (rf"{B}(?P<d>\d\d?)(?:st|nd|rd|th)?[\s/-]+(?:of\s+)?(?P<m>{MON})(?:[\s,/-]+{Y})?(?![a-z0-9_])", v.dates),
    (r"(?<![\w./\-])"
     rf"{SAID}(?P<m>1[0-2])\.(?P<d>[12]\d|3[01])"
     r"(?=\s?(?:[上中下]午|凌晨|早上|晚上|\d\d?[:点]))", v.dates),
    (r"(?<![\w./\-])(?P<m>\d\d?)/(?P<d>\d\d|\d(?=\s*(?:\d\d?[:点]|[之以]|[上下]午)))(?![\d/])"
     r"(?!\s*(?:of|个|台|次|副本|实例|pods?|nodes?|instances?|replicas?|requests?|checks?))", v.slash),
    (rf"{B}(?P<m>\d\d)-(?P<d>\d\d)(?=\s+\d\d?[:点]|\s?(?:的|[之以][前后来]|到|至|[上下中]午))", v.dates),
    (rf"{B}(?P<y>20\d\d)-(?P<m>0[1-9]|1[0-2])(?![-\d:])", v.month),
    (rf"(?<![第每\d{_ZH}])(?P<d>{N})\s?[日号]?\s?{DASH}\s?(?P<e>{N})\s?[日号]{NOT_NO}", v.dates),
    (rf"(?<![第每\d{_ZH}])(?P<d>{N})\s?(?:日(?!内|间|志)|号{NOT_NO})", v.dates),
    (rf"(?:(?<=on\s)|(?<=since\s)|(?<=from\s)|(?<=after\s)|(?<=before\s)|(?<=until\s)|(?<=and\s)|(?<=to\s))the\s+"
     rf"(?P<d>\d\d?)(?:st|nd|rd|th){E}(?!\s+(?:percentile|commit|request))", v.dates),
    (rf"{B}(?P<n>first|second|third|fourth|last)\s+(?P<d>{DAY3})\s+(?:of|in){E}"
     rf"|的?(?P<n2>第[一二三四五1-5]个?|最后一?个?|首个|头一?个)\s?{WEEK}(?P<d2>[一二三四五六日天])", v.nth),
    (rf"(?<!每)(?P<w>上上|上|这|本)?个?{WEEK}(?P<d>{WD})(?!\s?月)", v.weekday),
    (rf"(?<!every\s){B}(?:(?P<w>last|this|past|previous|on)\s+)?(?P<d>{DAY}|(?:tues?|wed|thurs?|thu|fri){E})s?{E}",
     v.weekday),
    (rf"{B}(?P<d>mon|sat|sun)(?=,?\s+(?:at\s+)?\d\d?(?::|\s?[ap]\.?m)|\s?{DASH}\s?{DAY3}{E})"
     rf"|(?:(?<=\d\s)|(?<=-)|(?<=to\s))(?P<d2>mon|sat|sun){E}", v.weekday),
    (rf"{B}(?P<w>last|this|on)\s+(?P<d>{DAY3}){E}", v.weekday),
    (rf"(?<=[日号\d])那一?周|{B}(?:the\s+)?week\s+of(?=\s+(?:{MON}|\d|the\s+\d))", constant("cut", "周")),
    (rf"{B}(?:(?:week|month|quarter|year)[\s-]to[\s-]date|[wmqy]td){E}", lambda m: [("span", (next(
        u for u in ("week", "month", "quarter", "year") if u[0] == m[0][0]), 0)), ("to", ""), ("now", "")]),
    (rf"{B}the\s+week\s+before\s+last{E}", constant("span", ("week", -2))),
    (rf"{B}(?P<w>last|this|previous|current|the)\s+(?P<u>week|month|quarter|year|weekend)(?:'s)?{E}", v.span),
    (rf"(?P<w>上上|上|这|本|当)\s?一?个?\s?(?P<u>{WEEK}|月|季度)(?!期|边|知|转|全|亮)", v.span),
    (r"去年|前年|今年|本年度?", lambda m: [("span", ("year", {"去": -1, "前": -2}.get(m[0][0], 0)))]),
    (rf"{YEAR}(?<!第)(?P<m>{N})\s?月份?(?![\d{_ZH}个])", v.month),
    (rf"{Y}\s?年", v.month),
    (rf"{B}(?P<m>{MONTH}|{MON}(?=\s+(?:19|20)\d\d))(?:\s+{Y})?{E}", v.month),
    (r"(?P<c>月[初底末]|月中(?!的)|(?<=月)[初底末]|[上中下]旬)|(?:the\s+)?(?P<c2>beginning|start|middle|end)\s+of"
     rf"(?=\s+(?:(?:the|this|last)\s+month|{MON}))", v.cut),
    (rf"第二天|次日|翌日|{B}the\s+(?:next|following)\s+day{E}", constant("day", None)),
    (r"大前天", constant("day", -3)),
    (rf"前天|{B}(?:the\s+)?day\s+before\s+yesterday{E}|前(?=[晚夜])", constant("day", -2)),
    (rf"昨[天日儿]|昨(?=[晚夜早晨])|{B}yesterday(?:'s)?{E}|{B}last(?=\s+(?:night|evening))", constant("day", -1)),
    (rf"今[天日儿]|今(?=[晚夜早晨])|{B}(?:earlier\s+)?today(?:'s)?{E}|{B}this(?=\s+(?:morning|afternoon|evening))",
     constant("day", 0)),
    (rf"{B}tonight{E}", lambda m: [("day", 0), ("part", "night")]),
    (rf"{B}overnight{E}", lambda m: [("day", -1), ("part", "night")]),
    (rf"午夜|{B}midnight{E}", constant("clock", v.Clock(0))),
    (rf"{_LONG}|(?<=[今昨])[早晨](?!高峰)|(?<=[今昨前一二三四五六日天])[晚夜](?!了|于|点|到|高峰|间)"
     rf"|{B}(?:(?:in|at|around)\s+)?(?:the\s+)?(?:{_ENGLISH}){E}",
     lambda m: [("part", _PARTS[re.sub(r"^(?:in |at |around )?(?:the )?", "", " ".join(m[0].split()))])]),
    # clock times and zones
    (rf"{B}(?P<q>half|quarter)\s+(?P<w>past|to)\s+(?P<h>\d\d?|{'|'.join(w for w in NUMBERS if len(w) > 2)})\s?{AP}?{E}",
     v.past),
    (r"(?:(?<=\dt)|(?<=/\d{4}:)|(?<![a-z0-9_:])(?<!\d\.))(?P<h>[0-2]?\d):(?P<mi>[0-6]\d)(?::(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?)?"
     rf"(?!:?\d)(?!\s?%)(?:\s?{AP})?", v.clock),
    (r"(?<=\dt)(?P<h>[0-2]\d)(?![\d:])", v.clock),
    (rf"{B}(?P<h>\d\d?)\s?{AP}(?![a-z0-9])|{B}(?P<h2>\d\d)h(?P<mi>\d\d){E}", v.clock),
    (rf"(?:(?<=since\s)|(?<=after\s)|(?<=until\s)|(?<=from\s)|(?<=at\s))(?P<h>\d\d)h{E}", v.clock),
    (rf"(?<![第这那有列零\d.])(?P<h>{N})\s?(?:点钟?|时(?!间|候|段|差|区|延)){NOT_HOUR}{ONE}"
     r"\s?(?:(?P<half>半)|(?P<q>[一三])刻|整"
     rf"|(?P<mi>{N})\s?分(?!钟|之|片)(?:\s?(?P<s>\d\d?)秒)?"
     r"|(?P<mi2>\d\d|[二三四五]?十[一二三四五六七八九]?)(?!\d|\s?[个次条台笔倍秒分一二三四五六七八九十]))?", v.clock),
    (rf"{B}(?P<h>0\d)(?P<mi>[0-5]\d)(?=-[012]\d[0-5]\d{E})|(?<=\b0\d\d\d-)(?P<h2>[012]\d)(?P<mi2>[0-5]\d){E}", v.clock),
    (rf"(?:{'|'.join(_DAYED)})(?P<h>\d\d?)\s?(?:to|until|till|and|-)\s?(?P<h2>\d\d?){E}(?!\s?(?:%|:|[ap]\.?m))",
     lambda m: [("clock", v.Clock(int(m["h"]))), ("to", ""), ("clock", v.Clock(int(m["h2"])))]),
    (rf"{B}(?P<h>\d\d?)(?=\s+{PART_OF}|\s?o['’]clock)", v.clock),
    (rf"{B}(?<!\.)(?P<h>\d\d?|[一二两三四五六七八九十]{{1,3}}){HOUR_NEXT}", v.clock),
    (rf"(?:(?<=\d)|{B})(?:utc|gmt)\s?(?P<o>[+-]\d\d?(?::?\d\d)?)(?!\d)|(?<=\d)\s?(?P<o2>\+\d\d:?\d\d)(?!\d)", v.zone),
    (r"(?:(?<=t\d\d:\d\d)|(?<=t\d\d:\d\d:\d\d)|(?<=\.\d{6})|(?<=\.\d{3})|(?<=:\d\d)\s|(?<=\.\d{6})\s)"
     r"(?P<o>-(?:0\d|1[0-2]):?\d\d)(?![\d:])", v.zone),
    (rf"(?:(?<=\d)|{B})(?P<z>utc|gmt|jst|kst|hkt|sgt|cet|cest|est|edt|cdt|mst|mdt|pst|pdt|cst|ist|bst){E}"
     rf"|(?<=\d)(?P<z2>z){E}", v.zone),
    (r"(?P<z>北京|东京|纽约|伦敦|美东|美西|新加坡|香港|beijing)\s?(?:时间|time)", v.zone),
    (rf"{B}(?:africa|america|asia|atlantic|australia|europe|indian|pacific)/[a-z_]+(?:/[a-z_]+)?{E}", constant("iana")),
    # what joins them
    (rf"现在|目前|当前(?!版本|配置|分支)|此刻|眼下|如今|{B}(?:right\s+)?now{E}|{B}currently{E}"
     rf"|{B}at\s+(?:the\s+moment|present){E}", constant("now")),
    (rf"刚才|刚刚|刚(?!好|需|性)|{B}just\s+now{E}|{B}a\s+moment\s+ago{E}", constant("just")),
    (rf"至今|迄今|{B}to\s+date{E}", lambda m: [("to", ""), ("now", "")]),
    (rf"从(?=[^，。？\s]{{1,8}}的\s?(?:日志|告警|发布|数据|监控|指标))|{B}from{E}", constant("pre", "from")),
    (rf"自从|从|自(?!动|己|建|然|身|定|愈|恢)|{B}(?:since|starting(?:\s+(?:at|from|on))?){E}",
     constant("pre", "since")),
    (rf"{B}(?:after|past){E}", constant("pre", "after")),
    (rf"{B}(?:before|prior\s+to|earlier\s+than){E}", constant("pre", "before")),
    (rf"{B}between{E}|介于", constant("pre", "between")),
    (rf"{B}(?:around|about|approximately|circa|near|roughly|close\s+to){E}|大约|大概|差不多|将近|约(?!束|定)"
     r"|左右|前后|上下|附近", constant("around")),
    (r"开始[,，\s]*(?=\d\d?[:点](?:\d\d)?分?\s?(?:结束|恢复|为?止))"
     rf"|{B}and\s+(?:ended|ends|finished|stopped|recovered)(?:\s+at)?{E}|(?:持续|一直|延续)到", constant("to")),
    (rf"之后|以后|过后|后(?!端|台|面|续|果|来|天|者|期|置)|{B}and\s+(?:later|after){E}", constant("suf", "after")),
    (rf"开始|以来|起(?!来|因|伏|码|停|始|飞)|{B}(?:onwards?|and\s+on){E}", constant("suf", "since")),
    (r"之前|以前|前(?!端|台|面|天|者|置|缀|提|几)", constant("suf", "before")),
    (r"相比|对比|比起来|比(?!例|率|如|较|特)|较(?!大|小|多|少|高|低|长)", constant("than")),
    (rf"{B}(?:than|versus|vs\.?|compared\s+(?:to|with|against)|against){E}", constant("than")),
    (rf"直?到|至|截[至止]到?|{B}(?:until|till?|up\s+to){E}", constant("to", "until")),
    (rf"\.\.+|/|-|–|—|―|~|〜|→|{B}(?:to|through|thru){E}", constant("to")),
    (rf"{B}and{E}|和|与", constant("and")),
    (rf"(?:(?P<t>{ZH_DUR})|{B}(?P<t2>{EN_DUR}))(?!\s?的?(?:超时|以上|慢|没|未|timeout))",
     lambda m: [("dur", length(pick(m, "t", "t2")))]),
    (rf"{B}the\s+(?P<t>hour|minute|day|week){E}", lambda m: [("dur", length(f"1 {m['t']}"))]),
)  # fmt: skip


@lru_cache(maxsize=1)
def _compiled() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """All rules as one pattern, which finds places, and each of them with its named groups."""
    plain = (re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern, _ in RULES)
    return re.compile("|".join(f"({p})" for p in plain)), tuple(re.compile(p) for p, _ in RULES)


def fold(text: str) -> str:
    """Lower case, half width and ASCII digits, every character still at its place."""
    plain = (str(unicodedata.decimal(c, "")) or unicodedata.normalize("NFKC", c).lower() for c in text)
    return "".join(n if len(n) == 1 else c for c, n in zip(text, plain, strict=True))


def tokens(text: str) -> list[Token]:
    """All tokens of a text, left to right."""
    low, found = fold(text), []
    every, single = _compiled()
    for hit in every.finditer(low):
        index = (hit.lastindex or 1) - 1
        match = single[index].match(low, hit.start())
        for kind, value in RULES[index][1](match) if match else []:
            # the spelling of an IANA name matters where zones are files
            if kind == "iana":
                kind, value = "zone", text[hit.start() : hit.end()]
            found.append(Token(kind, value, hit.start(), hit.end()))
    return found
