"""Which plain questions a text asks: the forms in which people on call put them, in Chinese and English. Words only."""

from __future__ import annotations

import re
from typing import Literal

from subagents.saying import HOW_MANY

Kind = Literal[
    "rollback", "who", "over", "still", "began", "ended", "lasted", "first", "longest", "compare", "threshold",
    "impact", "blame", "brief", "sound", "trouble", "since", "helped", "slow", "edge", "undone", "unresolved",
]  # fmt: skip

_DAY = r"^(?=.*\b(?:yesterday|last|before|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b).*"
ALSO = (  # whether it was as much at another time: "昨天也这么多请求吗", "was it like this yesterday, too?"
    r"(?:昨|前天|上周|前一|上个?月|[周星]期?[一二三四五六日天])[^，。？?]{0,12}[也都][^，。？?]{0,6}"
    r"(?:这么|那么|这样|那样|一样|如此)[^，。？?]{0,10}[吗么嘛没？?]"
    rf"|{_DAY}\b(?:was|were|did|has|have)\b[^.?!]{{0,40}}"
    r"\b(?:like (?:this|that)|(?:as|this|that|so) (?:many|much|bad|slow|high|low|busy|noisy|often)|the same)\b"
    rf"|{_DAY}\bdid (?:this|that|it) (?:also )?happen\b"
)

_BACK = r"(?:回滚|回退|撤回|还原)"
_TEXTS: tuple[tuple[Kind, str], ...] = (
    (
        "undone",  # whether something was rolled back, not whether it should be
        rf"(?:有(?:没有|人|谁)?(?!必要|需要)[^，。？?]{{0,8}}|(?:是不是|是否)?已经?|是不是){_BACK}[了过]?"
        r"[^，。？?]{0,6}(?:[吗么没]|没有|[?？]|$)"
        rf"|{_BACK}[了过](?:[吗么没]|没有)"
        r"|(?:\b(?:was|were|has|had|did)|^have)\b(?! to\b)[^.?!]{0,40}\b(?:rolled(?: \w+)? back|roll(?: \w+){0,2} back"
        r"|revert(?:ed)?|rollbacks?|undone)\b(?![^.?!]{0,12}\b(?:help|work|fix))",
    ),
    (
        "rollback",
        r"(?:要不要|需不需要|该不该|能不能|可不可以|是否(?:需要|应该|要)?|应该|建议|值得)(?:[^，。！？,.!?]|\.\d){0,20}(?:回滚|回退|撤回|还原)"
        r"|(?:回滚|回退|撤回)(?:吗|么|不|还是)|回不回滚|(?:^|[，。\s])(?:需?要|得|必须)(?:不要)?(?:先|马上|立刻|把|将)?(?:[^，。！？,.!?]|\.\d){0,24}"
        r"(?:回滚|回退|撤回)(?![了过])[^，。！？!?]{0,25}[吗么]"
        r"|\b(?:should|shall|must|do|does|can|could|would)\b[^.?!]{0,40}\b(?:roll(?:ing)? ?-?back|rollback|revert)"
        r"|\b(?:worth|better|safe|time) (?:to )?(?:roll(?:ing)? ?-?back|revert)|\broll ?back or\b",
    ),
    (
        "unresolved",  # which alerts are open: "哪些告警还没恢复"
        r"(?:告警|报警|警报|预警)[^，。？?]{0,8}(?:[没未]有?|尚未|还在)(?:恢复|解除|关闭|好|消除|处理完|结束|触发)"
        r"|(?:[没未]有?|尚未)(?:恢复|解除|关闭|消除|结束)的?(?:告警|报警|警报|预警)"
        r"|\b(?:alerts?|alarms?)\b[^.?!]{0,24}\b(?:(?:not|never|yet to)(?: \w+){0,2}"
        r" (?:resolved?|recover\w*|cleared?|ended?|closed?)|unresolved|(?:still|remain\w*) (?:open|active))\b"
        r"|\b(?:unresolved|open|active) (?:alerts?|alarms?)\b"
        r"|\b(?:alerts?|alarms?)\b[^.?!]{0,24}n't (?:\w+ ){0,2}(?:resolved?|recover\w*|cleared?|ended?|closed?)\b",
    ),
    (
        "helped",
        r"\bdid\b[^.?!]{0,60}\b(?:help|work|fix)\b"
        r"|(?:切|换|改|开|关|扩|加|降|升|调|停|禁|启用)[^，。？]{1,24}(?:有用|管用|有效|生效|见效|起作用)(?:了|没|吗|么|不|$)",
    ),
    (
        "slow",  # how long requests take; when it began or ended, and against another time, is asked in other forms
        r"^(?!.*(?:慢(?:查询|日志|调用|sql|消费|请求列表)|链路|什么时候|啥时候|何时|几点|多久|多长时间))[^。]*"
        r"(?:慢|卡顿|[很好太卡]卡|卡不卡|延迟|耗时|响应时间|(?<![a-z])(?:p(?:50|75|9\d|99\.?9)|rt|tp99)(?![a-z\d]))"
        r"|^(?!.*\b(?:when|how long|slow (?:quer\w+|log\w*|sql|calls?)|slowest (?:quer|span|trace|call)\w*|spans?"
        r"|traces?|replication|lag)\b).*\b(?:slow(?:er|ly|ness|est|ed)?|latenc\w+|response times?|sluggish|laggy"
        r"|p(?:50|75|9\d|99\.?9)|tak(?:es?|ing) (?:so|too|very) long)\b",
    ),
    (
        "over",
        r"好了[吗么没嘛]|[恢修]复(?:正常)?了?[吗么没嘛]|恢复正常了|(?:解决|修好|结束|完事|没事|过去)了?[吗么没嘛]"
        r"|(?:回滚|回退|撤回|重启|扩容|修复)(?:之?后|以后)?[^，。？?]{0,8}(?:有用|管用|有效|生效|见效|好转|好了|恢复)"
        r"|(?:回滚|回退|撤回)(?:之后|后|以后)[^。]{0,6}(?:怎么样|如何|好)"
        r"|\b(?:is|are|has|have|did|was|were)\b[^.?!]{0,40}\b(?:fixed|over|resolved|solved|recovered?|mitigated|cleared?"
        r"|back to normal|gone|stopped|subsided)\b|\ball clear\b|\b(?:back to normal|better now)\b|\bok(?:ay)? again\b"
        r"|\bdid\b[^.?!]{0,40}\b(?:help|work|fix)\b",
    ),
    (
        "still",
        r"还在(?:报错|出错|失败|超时|出问题|继续|影响|挂)|还(?:有|是)(?:错误|报错|问题|异常|失败|超时|挂|慢|卡)"
        r"|^(?!.*[几列哪])[^。]*还没有?(?:好|恢复|解决|结束)(?!的)|仍(?:然|在|有)"
        r"|\bstill\b[^.?!]{0,30}\b(?:\w+ing|down|broken|slow|bad|there|errors?|failures?|on)\b|\bongoing\b",
    ),
    (
        "began",
        r"(?:什么时候|啥时候|何时|几点钟?|从哪个?时候)[^，。？?]{0,8}(?:开始(?!发|部署|上线|灰度|维护|回滚|变更)|(?:出|坏|挂|崩|炸|报错|异常|失败|变慢|触发|发生)(?!布))"
        r"|从(?:什么时候|啥时候|何时|几点)|(?:开始|起始|发生)的?时间"
        r"|\b(?:when|what time) did\b(?![^.?!]{0,40}\b(?:deploy|releas|rollout|roll|migrat|mainten|upgrad))[^.?!]{0,50}"
        r"\b(?:start|begin|break|fail|fire|happen|degrade|spike|crash|slow|go (?:down|bad|wrong))\b|\bsince when\b"
        r"|\bwhen (?:it|this|that) (?:started|began|broke)\b",
    ),
    (
        "ended",
        r"(?:什么时候|啥时候|何时|几点钟?)(?![^，。？?]{0,6}[能会])[^，。？?]{0,8}(?:恢复|结束|好[的了转]|停[的了止]|解除|消失|正常)"
        r"|(?:恢复|结束)的?时间"
        r"|\b(?:when|what time) did\b(?![^.?!]{0,40}\b(?:deploy|releas|rollout|migrat|mainten|upgrad))[^.?!]{0,50}"
        r"\b(?:end|stop|recover|resolve|clear|go away|come back|finish)\b"
        r"|\bwhen (?:was|were|is)\b[^.?!]{0,40}\b(?:fixed|resolved|over|restored|mitigated)\b",
    ),
    (
        "lasted",
        r"持续了?[^，。？?]{0,3}(?:多久|多长)|(?:挂|坏|宕机?|崩|慢|报错|失败|中断|故障|异常|触发|告警|影响)了?有?(?:多久|多长时间)"
        r"|多久(?:了|才[^，。？?]{0,4}(?:好|恢复))|多长时间才?[^，。？?]{0,2}(?:恢复|好)"
        r"|\bhow long\b(?! ago\b)(?![^.?!]{0,40}\b(?:deploy|releas|rollout|migrat|mainten|upgrad))[^.?!]{0,50}"
        r"\b(?:last\w*|down|out|broken|failing|slow|firing|been|recover\w*|take to|going on|outage|incident)\b",
    ),
    (
        "first",
        r"最[先早][^，。？?]{0,6}(?:坏|挂|报错|出错|出问题|异常|告警|失败|开始|崩)|哪个(?:服务)?先|谁先|先(?:报错|坏|挂|出(?:错|问题)|崩)"
        r"|第一个(?:报错|出错|坏|挂|出问题|崩|告警)|从哪个?(?:服务)?(?:开始|先)|起源|源头"
        r"|\b(?:wh(?:ich|o|at)|where)\b[^.?!]{0,40}\bfirst\b|\bfirst\b[^.?!]{0,20}\bto (?:fail|break|error|go down)\b"
        r"|\bwhere did it (?:start|begin)\b|\bstart(?:ed)? first\b|\bearliest\b",
    ),
    (
        "longest",
        r"(?:最长|最久)|\blongest\b",
    ),
    (
        "compare",
        r"[和跟与比][^，。？?]{0,24}(?:相比|比较|对比|比(?:一下|呢|$|[，？?\s])|比[^，。？?]{0,14}(?:多|少|高|低|慢|快|怎么样|如何)"
        r"|比起来|谁(?:更|多))|[和跟与](?:昨天|前天|上周|昨晚|平时|往常|之前)比|比(?:昨天|前天|上周|平时|往常|之前)"
        r"|今[天日早晚][^，。？?]{0,4}[和跟与][^，。？?]{0,3}(?:昨|前天|上周)|\btoday and (?:yesterday|last)\b"
        r"|\bcompared? (?:to|with)\b|\bvs\.?\b|\bversus\b|\b(?:than|against) (?:yesterday|usual|before|last|the day)"
        r"|\bcompare\b|" + ALSO,
    ),
    (
        "threshold",
        r"达标|(?:超过?|高于|大于|低于|小于|不到|达到)[^，。？?]{0,6}\d+(?:\.\d+)?\s?%|\d+(?:\.\d+)?\s?%[^，。？?]{0,8}(?:[吗么]|没有)"
        r"|\b(?:above|over|below|under|exceed\w*|more than|less than|higher than|lower than|reach\w*)\b[^.?!]{0,12}\d"
        r"|\b(?:meet|met|miss(?:ed)?|breach\w*|within|violat\w*)\b[^.?!]{0,24}\b(?:slo|sla|target|objective|\d)"
        r"|(?:slo|sla)[^，。？?]{0,10}(?:吗|没)",
    ),
    (
        "impact",
        r"(?:多少|几个?|哪些|影响了?)[^，。？?]{0,4}(?:用户|客户|玩家|(?<![收责交系布行班批理])人|顾客|会员)|影响(?:面|范围|多大)|(?:用户|客户)数|多少(?:个|笔)?(?:订单|交易|钱)"
        r"|损失|营收"
        r"|\bhow many\b[^.?!]{0,20}\b(?:users?|customers?|players?|members|people|orders?|transactions?|sales)\b"
        r"|\bhow bad\b"
        r"|\b(?:users?|customers?|players?) (?:are |were )?(?:affected|impacted)\b|\b(?:impact|blast radius|revenue)\b",
    ),
    (
        "blame",
        r"(?:是不是|会不会|难道|怀疑)[^，。？?]{0,40}|(?<![你我他她您])是(?!谁|哪|否|什么)[^，。？?不]{1,30}(?:吗|嘛|(?<!什)么)"
        r"|(?:因为|由于)[^，。？?]{1,30}[吗嘛]|[^，。？?]{1,30}(?:导致|引起|造成|[搞弄打拖整][挂坏崩垮死])了?的?[吗嘛]"
        r"|(?:跟|和|与)[^，。？?]{1,30}(?:有关|相关)"
        r"|\b(?:is|was|were|could|can|might) (?:it|this|that|these|those)\b(?: be| have been)?"
        r"(?! (?:\w+ing|ok|okay|fine|down|up"
        r"|over|fixed|back|slow|still|healthy|normal|possible|resolved|broken|available|safe|you|me|fun)\b)"
        r"|\b(?:did|has|does)\b(?:[^.?!]|\.\d){1,60}\b(?:cause|break|kill|trigger|bring|do this)\w*\b"
        r"|(?:[那这]次|[那这]个|刚[^，。？?]{1,4}的|\.\d+)[^，。？?]{0,12}(?:有(?:没有)?问题|有(?:没有)?关系?)[^，。？?]{0,2}[吗么没?？]"
        r"|\b(?:is|was|were|are)\b(?:[^.?!]|\.\d){1,60}\b(?:culprit|at fault|responsible|the (?:root )?cause)\b"
        r"|\b(?:due to|because of|related to|to blame|responsible for|fault of|caused by)\b",
    ),
    (
        "brief",
        r"一句话|两句话|简短|简单说|简要|给?(?:老板|领导|经理|上级)|长话短说|概括|总结一?下?|太长不看"
        r"|\btl;?dr\b|\b(?:one|a single|two) (?:sentences?|lines?)\b|\bin (?:short|brief|a nutshell)\b"
        r"|\b(?:my|the) (?:boss|manager|ceo|cto)\b|\bsum(?:mary|mari[sz]e)\b|\bbriefly\b",
    ),
    (
        "sound",
        r"(?:正常|健康|稳定|还好|没事|没问题|可用|活着|平稳)[吗么嘛]|是否(?:正常|健康|稳定)|正不正常"
        r"|\b(?:is|are|was|were)\b[^.?!]{0,40}\b(?:ok(?:ay)?|fine|healthy|up|alive|(?<!as )well|stable|good"
        r"|available|normal)\b\s*(?:\?|$"
        r"|now|today|yesterday|last|at|between|on|in)",
    ),
    (
        "trouble",
        r"有(?:没有|什么|啥|无)?[^，。？?]{0,10}(?:问题|异常|故障|事故|报错|错误|告警|毛病)[^，。？?]{0,2}(?:[吗么嘛?？]|$)"
        r"|(?:昨|前天|上周|以前|之前|前一)[^，。？?]{0,10}也[^，。？?]{0,10}[吗么没？?]|\b(?:did|has|does)\b[^.?!]{0,30}\bhappen"
        r"|受(?:到|了)?(?:影响|牵连|波及)[^，。？?]{0,3}(?:[吗么没?？]|$)|\b(?:is|are|was|were)\b[^.?!]{0,40}\b(?:affected|impacted)\b"
        r"|有没有(?:问题|异常|故障|事故|报错|错误|告警)|(?:挂|宕机|崩|坏|不可用|报错|出错|失败|出问题)了?[吗么嘛没]"
        r"|\b(?:any|were there|are there|was there|is there)\b[^.?!]{0,30}\b(?:alerts?|errors?|problems?|issues?"
        r"|incidents?"
        r"|outages?|failures?|trouble|firing|wrong|unusual|anomal\w+)\b"
        r"|\banything (?:wrong|unusual|broken|odd|since|overnight|happen)\b"
        r"|\b(?:is|are|was|were)\b[^.?!]{0,40}\b(?:down|broken|failing|erroring|slow|unavailable|unhealthy)\b",
    ),
)
_KINDS = tuple((kind, re.compile(text, re.IGNORECASE)) for kind, text in _TEXTS)
CHANGES: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = tuple(
    (frozenset(kinds), re.compile(words, re.IGNORECASE))
    for kinds, words in (
        (("config",), r"配置|(?<![a-z])(?:config[a-z]*|settings?)(?![a-z])"),
        (("flag",), r"开关|灰度|(?<![a-z])(?:feature )?(?:flag|toggle)s?(?![a-z])"),
        (("ticket",), r"工单|计划内|维护窗口|(?<![a-z])(?:tickets?|maintenance|planned)(?![a-z])"),
        (
            ("deploy", "release"),
            r"发布|上线|部署|发[的了]?版|新版本|升级"
            r"|(?<![a-z])(?:deploy\w*|releas\w*|rollouts?|new version|upgrade\w*|ship\w*)(?![a-z])",
        ),
        (("commit", "deploy", "release"), r"代码|提交|合并|(?<![a-z])(?:code|commit\w*|merge\w*)(?![a-z])"),
        ((), r"变更|改动|迁移|(?<![a-z])(?:changes?|migrations?)(?![a-z])"),
    )
)
_SUBJECT = re.compile(  # a word of which it is asked how it is: what else than a service, or a part of one
    r"(?:^|[，。,\s])(?P<zh>[A-Za-z][\w-]{2,})\s?(?:服务|集群)?\s?(?:现在|昨天|今天|昨晚|刚才|最近)?\s?"
    r"(?:有没有问题|有[什没]|有问题|没问题|怎么了|怎么样|什么时候|几点|何时|正常|还好|[是不]*挂了|好了|出问题|炸了|崩了|慢|坏了)"
    r"|^(?:is|are|was|were)\s(?P<en>[a-z][\w-]{2,})\s(?:ok|okay|fine|down|up|healthy|slow|broken|alive|working|failing)\b"
    r"|\b(?:wrong|problems?|issues?|trouble|anything|news)\s(?:with|in|on|about|from)\s(?:the )?(?P<of>[a-z][\w-]{2,})"
    r"|^(?P<told>[a-z][\w-]{2,})\s(?:is|are)\s"
    r"(?:down|slow|broken|failing|unreachable|unavailable)\b",
    re.IGNORECASE,
)
_NOT_ONE = frozenset(
    ("all", "any", "api", "app", "application", "anything", "apps", "cpu", "database", "disk", "everyone", "everything",
     "http", "latency", "logs", "memory", "network", "our", "platform", "prod", "production", "qps", "rps", "service",
     "services", "site", "sla", "slo", "something", "staging", "system", "systems", "that", "the", "there", "they",
     "things", "this", "users", "website", "what", "which", "who", "you", "these", "those", "here", "she", "now")
)  # fmt: skip
LATEST = re.compile(
    r"(?:最近|最新|最后|上)(?:的)?一?(?:次|个|笔)(?!.{0,4}(?:天|小时|分钟|周))|最新的?(?=发布|部署|版本|变更|上线|提交|配置)"
    r"|\b(?:last|latest|newest|most recent)\b(?! (?:night|week|month|year|hour|day|\d|few|minutes?|hours?|days?))",
    re.IGNORECASE,
)
_CHANGE = (
    r"(?:发布|部署|变更|上线|提交|发版|改动|升级|开关|配置"
    r"|(?:deploy|release|rollout|change|commit|push|upgrade|merge|flag)\w*)"
)
AT_CHANGE = re.compile(  # a time that names a change: "the 18:00 deploy", "18点那次发布", "the deploy at 18:00"
    rf"(?:(?:\d{{1,2}}:\d\d|\d{{1,2}}\s?点(?:半|\d+分?)?|\b\d{{1,2}}\s?[ap]m\b)\s?(?:左右)?(?:的|那[次个笔]|这[次个])*\s?{_CHANGE}"
    rf"|\b{_CHANGE}\s(?:made |done )?(?:at|of|from)\s\d{{1,2}}(?::\d\d|\s?[ap]m))",
    re.IGNORECASE,
)
SINCE_CHANGE = re.compile(
    rf"\b(?:since|after)\s(?:the |that )?{AT_CHANGE.pattern}|{AT_CHANGE.pattern}(?:之?后|以来|以后|起)"
    rf"|\bsince\s(?:the |that )?(?P<of>[a-z][\w.-]+)\s{_CHANGE}"
    rf"|自从?\s?(?P<zh>[A-Za-z][\w.-]+)\s?(?:服务)?(?:的|[那这]次)*{_CHANGE}",
    re.IGNORECASE,
)
JUST = re.compile(
    r"刚刚?(?:才)?(?=[开关上发改切部合推加打调])|\bjust\b|\b(?:latest|most recent|last)\b|最近|最新|最后|上次",
    re.IGNORECASE,
)
WHO = re.compile(
    r"谁(?:发|改|动|上线|部署|合并|提交|关|开|加|删|把|干|负责发|的锅|回滚|回退|撤回|推|搞|修|恢复|解决|处理|弄|切)|哪位|什么人|何人|有没有人|作者"
    r"|\bwho\b(?! are you| can you)|\bwhose\b|\bauthor\b|\bby whom\b",
    re.IGNORECASE,
)
MENDED = re.compile(  # of whom: who made it end
    r"谁(?:来|给|把\w{0,4})?(?:修|恢复|解决|处理|弄好|搞定)|\b(?:who|whose|by whom)\b[^.?!]{0,20}"
    r"\b(?:fix\w*|resolv\w*|mitigat\w*|solv\w*|mend\w*|restor\w*|repair\w*)\b",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"(?:[吗嘛没]|(?<![什怎])么|没有)\s*[?？!！。]*$|[?？]|是不是|有没有|有什么|有啥|是否|^(?:is|are|was|were|did|do|does|has|have|can|could|should)\b",
    re.I,
)
_TROUBLE = re.compile(
    r"错|失败|慢|挂|坏|崩|炸|异常|告警|报警|问题|故障|\b(?:errors?|fail\w*|slow|alerts?|incidents?|outages?|down|broke\w*)\b",
    re.I,
)
WHY = re.compile(r"为什么|为何|为啥|原因|怎么回事|\bwhy\b|\bcaus(?:e of|ed the)\b|\bwhat caused\b", re.IGNORECASE)


def kinds(text: str) -> tuple[Kind, ...]:
    """All that a text asks, what decides the answer's first word first."""
    found = [kind for kind, pattern in _KINDS if pattern.search(text)]
    if "trouble" in found and HOW_MANY.search(text):  # "有多少报错" asks for a number, not whether there are any
        found.remove("trouble")
    if changes_asked(text) is not None and not _TROUBLE.search(text):  # "发布几点开始的" asks for a change's time
        found = [kind for kind in found if kind not in ("began", "ended", "lasted")]
    if "undone" in found:  # "有变更回滚吗" asks for no advice
        found = [kind for kind in found if kind not in ("rollback", "over", "blame")]
    if "slow" in found and "compare" in found:  # "今天比昨天慢吗" wants both times
        found = ["compare", *(kind for kind in found if kind != "compare")]
    if SINCE_CHANGE.search(text):
        found.insert(0, "since")
    who: tuple[Kind, ...] = ("who",) if WHO.search(text) else ()
    lead = bool({"rollback", "undone"} & {*found})
    return (*found[:lead], *who, *found[lead:])


def changes_asked(text: str) -> frozenset[str] | None:
    """The kinds of change that a text speaks of; empty = any kind; None where it speaks of none."""
    return next((kinds for kinds, words in CHANGES if words.search(text)), None)


def subject(text: str) -> str:
    """The word of which a question asks how it is; "" where it is none that could be a service's name."""
    found = next((m[m.lastgroup or 0] for m in _SUBJECT.finditer(text)), "")
    return "" if found.casefold() in _NOT_ONE else found


def clause(text: str, kind: Kind) -> str:
    """The part of a text, between stops, that asks this."""
    pattern = dict(_KINDS)[kind]
    found = pattern.search(text)
    if not found:
        return text
    stops = [m.start() for m in re.finditer(r"[，。；！？,;!?]|\.\s", text)]
    start = max((s + 1 for s in stops if s < found.start()), default=0)
    return text[start : min((s for s in stops if s >= found.end()), default=len(text))]
