"""How people say what is to be kept or let go of them: patterns, each of a whole clause. How they are applied is in
`hermes_ops.recall.orders`.

Kinds beside those of notes: "default" is an environment or a service by its name; "habit" is one only if it is known to
name either; "place" a zone only if it is known to lie in one.
"""

from __future__ import annotations

import re

_POLITE = (
    r"(?:(?:请|麻烦(?:你|您)?|劳驾|嗯|好的?|那|另外|顺便|对了|还有|帮我|给我|然后|所以|直接|别忘了|记得|不对|(?:说"
    r"|搞)?错了"
    r"|更正(?:一下)?|纠正(?:一下)?|其实|不好意思|我(?:的意思)?是[说指](?=[^\d])"
    r"|(?:please|pls|hey|hi|hello|ok|okay|and|also|btw|by the way|could you|can you|then|so|fyi|just so you know"
    r"|for the record|actually|no|nope|sorry|correction|wait|scratch that|i mean|i meant)\b)[\s,，:：—]*)*"
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
_NAMED = r"(?P<value>[\w.\-][\w.\-、/& ]{0,60}?)"  # environments and services, one or several
_OFTEN = r"(?:(?:一般|通常|主要|平时|平常|日常|基本上?|大多|多半|经常|只)(?:都|只|就|会|是)*)"
_OFTEN_EN = r"(?:usually|mostly|mainly|generally|normally|typically|primarily|always|only)"
_END = (
    r"[\s吧啊哈呀哦了]*(?:就(?:行|好|成|可以|得了?|ok)[了吧]?|即可|instead|now|please|pls|thanks|thank you|谢谢"
    r"|from now on|going forward|in future"
    r"|by default)?\s*"
)
_SET = r"\s*(?:是|为|用|看|设(?:置)?(?:为|成)|改(?:为|成)|换成|切(?:换)?(?:到|成)|选|=|:|：)\s*"
_BE = r"\s*(?:is|are|=|:|to|should be|would be|will be)\s*"
_ENV = r"(?P<value>[\w.\-]+|[\u3400-\u9fff]{2,4}?)\s*(?:环境|env(?:ironment)?)"
_ENVIRONMENT_NAME = (
    r"(?:prod(?:uction)?|prd|stag(?:e|ing)?|stg|test(?:ing)?|dev|uat|pre|preprod|gr[ae]y|canary|beta|sit|qa|sandbox"
    r"|live"
    r"|生产|预发|测试|开发|线上|灰度|沙箱)(?:[-_.][A-Za-z0-9][\w.\-]{0,30})?\d{0,3}"
)
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
    r"(?P<value>(?!(?:when|if|back|at|on|later|once|an?|the|tomorrow|asap|as soon|before|after|crazy|in|to|for|not"
    r"|every|each|any|anytime|by|with|and|now|again|first|up|out|maybe)\b)"
    r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){0,2}?)"
)
_JOB_ZH = r"(?:负责人|经理|工程师|sre|dba|运维|owner|leader|组长|主管|总监|架构师|开发|测试|产品|值班长)"
_JOB_EN = (
    r"(?:engineer|sre|manager|lead|leader|dba|owner|developer|operator|architect|director|admin|administrator"
    r"|analyst|tester|dev)"
)

Rule = tuple[str, str]
_CLAUSES: tuple[Rule, ...] = (
    ("habit", rf"我(?:们)?{_OFTEN}(?:看|关心|用|查|关注|盯)的?(?:是|就是)?\s*{_NAMED}(?:[这那](?:[两几三些]个?|个))?"
              r"(?:的)?(?:环境|服务)?"),
    ("habit", rf"我(?:们)?{_OFTEN}在\s*{_NAMED}(?:环境)?[上里]?面?(?:看|查|处理|排查|干活|工作)(?:问题|故障)?"),
    ("habit", rf"{_NAMED} (?:is|are) (?:my|our) (?:default|usual|main)s?(?: env(?:ironment)?| services?)?"),
    ("habit", rf"(?:i|we) {_OFTEN_EN}(?: just)? (?:look at|use|watch|work (?:on|in|with)|check|care about|deal with"
              rf"|monitor|focus on) (?:the )?{_NAMED}(?: env(?:ironment)?| services?| cluster)?"),
    ("note", r"(?P<value>(?:don'?t|do not|stop|no need to) (?:bother|bug|spam|ping)(?:ing)? me (?:with|about) (?:the )?"
             rf"{_ENVIRONMENT_NAME}(?: env(?:ironment)?| stuff| things)?)(?: any ?more)?"),
    ("note", rf"(?P<value>(?:别|不要)再?(?:拿|用)\s*{_ENVIRONMENT_NAME}\s*(?:环境)?(?:的(?:事|东西"
             rf"|问题))?(?:来)?\s*(?:烦|打扰|吵)我)"),
    ("place", rf"(?:i'm|i am|we're|we are)(?: based| located| stationed) (?:in|out of|at) {_ZONE}"),
    ("place", rf"我(?:们)?(?:人)?(?:常驻|长驻|长期在)\s*{_ZONE}(?:办公|上班|工作|这边)?"),
    ("length", rf"{_FROM}?(?P<value>(?:别|不要|少)(?:再|点|些|说|讲|写)*(?:啰嗦|罗嗦|长篇大论|废话)|(?:话|废话)(?:请"
               rf"|都)?少(?:一?点儿?|些|说)?"
               r"|(?:只|以后直接)(?:说|讲|给|挑)我?(?:重点|结论|要点)(?:说)?|(?:说|讲)重点|(?:一两|[一两三]"
               r"|几)句话?(?:回答|说完"
               r"|说清)?)(?:就行|即可|就好)?"),
    ("length", r"(?:keep|limit|cap|make)(?: it| them| your| the| all)*(?: answers?| replies| responses)?(?: down)?"
               r" (?:to|under|within|below) (?P<value>(?:a |an |at most |no more than |one |two |three |four |five "
               r"|six |\d{1,2} )*"
               r"(?:couple of |few |handful of )?(?:lines?|sentences?|paragraphs?))"),
    ("name", r"(?:people|everyone|everybody|(?:my )?(?:friends|colleagues|team ?mates)|they|you can) (?:all |just "
             r"|usually )?calls? me "
             rf"{_NAME_EN}"),
    ("name", rf"(?:大家|大伙�?|同事们?|朋友们?|别人|组里人?)(?:一般|平时)?都?(?:叫|喊)我{_WHO}(?:就行|就好|即可)?"),
    ("team", r"(?:i|we)(?:'ve| have)?(?: just| recently| now)? (?:moved|switched|transferred|changed|joined)(?: over)?"
             r"(?: to)? (?:the )?(?P<value>[\w-]+(?: [\w-]+){0,2}?) (?:team|squad)"),
    ("team", r"我(?:已经|刚刚?|现在|最近|上周|上个?月|今年)*(?:调|转|换|加入)(?:岗|来)?(?:到|去|入"
             r"|了)*(?P<value>[\w\u3400-\u9fff -]{1,16}?(?:组|团队|部门))"),
    ("team", r"我(?:们)?(?:现在|目前|如今){1,2}(?:是|在|属于)(?P<value>[\w\u3400-\u9fff -]{1,16}?(?:组|团队"
             r"|部门))的?"),
    ("role", rf"我(?:们)?(?:这边)?(?:现在|目前|如今|改|{_OFTEN})*(?P<value>(?:负责|主管|管|维护|跟进?)(?!人|我|你"
             rf"|他)(?![^，,。]{{0,24}}(?:[了过].|一[次下]))"
             r"[\w\u3400-\u9fff 、和-]{2,24}?)(?:[这那](?:一|两|几|三)?块|方面|这边)?"),
    ("role", r"(?!.{0,20}[那这哪昨今谁])(?P<value>[\w.\-][\w.\-、/& ]{0,30}?\s*(?:都|就)?(?<![不没])(?:是|归"
             r"|由)我们?(?:组|来)?"
             r"(?:负责|管|维护)的?(?:服务|系统|模块)?)"),
    ("role", r"我是(?P<value>(?:做|搞)[\w\u3400-\u9fff ]{2,12}?)的"),
    ("role", r"(?P<value>(?!(?:this|that|it|the|what|there)\b)[\w-]+(?: (?:and )?[\w-]+){0,2}? (?:is|are) (?:my|our)"
             r" (?:area|responsibility|domain|job))"),
    ("role", r"i (?P<value>(?:take care of|handle|am the owner of) (?:the )?(?!(?:it|this|that|them"
             r"|into)\b)[\w-]+"
             r"(?: (?!(?:now|today|again|every)\b)[\w-]+){0,3}?)"),
    ("environment", rf"{_FROM}?(?:把|将)?(?:我的)?(?:默认|缺省)的?环境{_SET}{_VALUE}"),
    ("environment", rf"{_FROM}?(?:(?:设|改|换|切)(?:置|换)?)?(?:默认|缺省)(?:都|就)?(?:看|查|用|是|去|为)?\s*{_ENV}"),
    ("environment", rf"{_FROM_ZH}(?:默认)?(?:看|查|用|关注)\s*{_ENV}(?:的)?"),
    ("services", rf"{_FROM}?(?:把|将)?(?:我的)?(?:默认|缺省)的?服务{_SET}{_VALUE}"),
    ("services", rf"{_FROM}?(?:默认|缺省)(?:都|就|只)?(?:看|查|用|关注|是)\s*{_VALUE}(?:这个|这几个)?(?:的)?服务"),
    ("default", rf"{_FROM}?(?:默认|缺省)(?:都|就|只)?(?:看|查|用|关注|去看|设为|设成|改成|改为|是"
                rf"|为)\s*(?P<value>[A-Za-z][A-Za-z0-9_.\-]*|生产|预发|测试|开发|线上)"),
    ("default", rf"{_FROM_ZH}(?:看|查|关注)\s*(?P<value>[A-Za-z][\w.\-]*|生产|预发|测试|线上)"),
    ("environment", rf"{_FROM}?(?:set |make |change |use )?(?:my |the )?default env(?:ironment)?(?:{_BE}|\s+){_VALUE}"),
    ("services", rf"{_FROM}?(?:set |make |change |use )?(?:my |the )?default services?{_BE}{_VALUE}"),
    ("environment", rf"{_FROM}?(?:look at|use|check|watch"
                    rf"|assume) (?:the )?(?P<value>[\w.\-]+)(?: env(?:ironment)?)? (?:env(?:ironment)? )?by default"),
    ("default", rf"{_FROM}?(?:default|defaults) to (?:the )?(?P<value>[\w.\-]+)(?: env(?:ironment)?| service)?"),
    ("default", r"(?:from now on|going forward|in future)[\s,]*(?:please )?(?:look at|use|check"
                r"|watch) (?:only )?(?P<value>[\w.\-]+)(?: only)?"),
    ("default", rf"{_FROM}?(?:by default|as a default)[\s,]*(?:look at|use|check|watch"
                rf"|show) (?:the )?(?P<value>[\w.\-]+)"),
    ("language", rf"{_FROM}?(?:(?:跟|和|对)我)?(?:都|请)?(?:用|说|讲|使用|换成|切换到|改用|改成)\s*{_LANGUAGE}(?:跟我"
                 rf"|和我|来|就)?(?:回答|回复|交流|沟通|说|聊|答|行|可以)?(?:我|问题)?(?:就行)?"),
    ("language", rf"{_FROM}?(?:answer|reply|respond|speak|talk|write|use|switch|change)(?: to| with)? ?(?:me |it "
                 rf"|the language )?(?:in |to |into )?{_LANGUAGE}(?: only| language)?"),
    ("length", rf"{_FROM_ZH}(?:都|尽量|请)?{_LENGTH_ZH}"),
    ("length", rf"{_FROM}?(?:keep|make|give me|i prefer|i want|i like|i'd like)(?: it| them| the| your"
               rf"| my)?(?: answers?| replies| responses)?(?: to be)? ?{_LENGTH_EN}(?: answers?| replies"
               rf"| responses)?"),
    ("length", rf"{_FROM}?(?:answer|reply|respond)(?: me)? (?:more )?(?P<value>briefly|shortly|concisely|in detail"
               rf"|short|brief)|{_FROM}?be (?:more )?(?P<value2>brief|concise|short|terse|detailed)"
               r"(?: in (?:future|your|all) (?:answers|replies))?"),
    ("zone", rf"{_FROM}?(?:把|将)?(?:我的|我们的)?时区{_SET}{_ZONE}(?:时区|时间)?"),
    ("zone", rf"{_FROM}?(?:我的|我们的)?(?:时间)?(?:都)?(?:用|按|按照|使用|以){_ZONE}(?:时间|时区)(?:为准|来|算"
             rf"|显示)?"),
    ("zone", rf"我(?:们)?在{_ZONE}时区"),
    ("zone", rf"{_FROM}?(?:set |change )?(?:my |our |the )?time ?zone{_BE}{_ZONE}(?: time)?"),
    ("default", rf"{_FROM_ZH}默认\s*(?P<value>[A-Za-z][\w.\-]*|生产|预发|测试|线上)"),
    ("zone", rf"{_FROM_ZH}(?:给我)?(?:看|显示){_ZONE}(?:时间|时区)"),
    ("language", rf"{_FROM}?{_LANGUAGE}(?:回答|回复|回)我?(?:就行|即可|就好)?"),
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
    ("role", rf"我的?(?:角色|职位|岗位|职责)(?:是|为){_VALUE}"),
    ("role", rf"my (?:role|job|position|title)(?: is|'s) (?:an? |the )?{_VALUE}"),
    ("role", rf"(?:i'm|i am|i work as) (?:an? |the |our )?(?P<value>(?:[\w-]+ ){{0,4}}{_JOB_EN}(?: (?:of"
             rf"|for) [\w -]{{2,24}})?)"),
    ("role", r"i(?:'m| am)? ?(?P<value>(?:responsible for|own|maintain|in charge of|look after) [\w ,-]{2,30}?)"),
)  # fmt: skip
_CAPITAL = r"(?-i:[A-Z])[\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]{1,20})?"
_SENTENCES: tuple[Rule, ...] = (  # with commas in them; groups may be kinds themselves
    ("default", r"(?:如果|要是)?我?(?:没有?|不)(?:特别|明确|单独|专门)?(?:说|提|写|指定"
                r"|讲)明?(?:是)?(?:哪个)?(?:服务|环境)?"
                r"(?:的话|时|的时候)?[\s,，]*(?:就|都|那|默认)*(?:算|当成?|当作|按|看|查|用|是|指)(?:是)?\s*"
                rf"(?P<value>{_ENVIRONMENT_NAME})\s*(?:环境)?(?:来|算|处理|查|看)*"),
    ("default", r"(?:when(?:ever)?|if|unless) i (?:say|name|mention|specify|don'?t|do not|didn'?t"
                r"|give)[^,]{0,30},? ?(?:then |please )?"
                r"(?:assume|use|take|look at|i mean|it'?s|default to|go with"
                r"|check) (?:the )?(?P<value>[\w.\-]+)(?: env(?:ironment)?)?"),
    ("default", r"(?:assume|use|take|go with|look at) (?:the )?(?P<value>[\w.\-]+)(?: env(?:ironment)?)? (?:unless"
                r"|if|when) i"
                r" (?:say|name|mention|specify|don'?t|do not|give)[^,]{0,30}"),
    ("place", rf"(?=.*时[间区])我(?:们)?人?在\s*{_ZONE}(?:办公|上班|工作|这边)?[\s,，]+[^,，]{{0,16}}"
              r"(?:当地|本地|[这那]边)[^,，]{0,8}"),
    ("place", rf"(?:i'm|i am|we're|we are)(?: based| located| sitting| working)? (?:in|out of) {_ZONE},?(?: so| and"
              rf"| please)*"
              r" (?:use|show|give|convert)[^,]{0,20} local time(?:s| ?zone)?"),
    ("", rf"(?:i'm|i am|this is|it's) (?P<name>{_CAPITAL}),? (?:and )?(?:i'm )?(?:an? "
         rf"|the )?(?P<role>(?:[\w-]+ ){{0,3}}{_JOB_EN})"
         r"(?:,? (?:on|in|at|for|with|from|of) (?:the )?(?P<team>[\w-]+(?: [\w-]+){0,2}?) (?:team|squad|group))?"),
    ("", rf"(?:i'm|i am|this is|it's) (?P<name>{_CAPITAL}),? (?:from|on|in|with|of) (?:the )?"
         r"(?P<team>[\w-]+(?: [\w-]+){0,2}?) (?:team|squad|group)"),
    ("", r"我是(?P<team>[\w\u3400-\u9fff -]{1,16}?(?:组|团队|部门))的(?P<name>[小老阿][\u3400-\u9fff]{1,2})"),
)  # fmt: skip
_GONE: tuple[Rule, ...] = (  # what a person was or wanted, and no longer is or does
    ("default", rf"{_NAMED}\s*(?:已经)?(?:不再是(?:我们?的?)?|不是我们?的?)(?:默认|缺省)的?(?:环境|服务)?"),
    ("default", rf"(?:以后)?(?:不用|不要|别)再?(?:按|看|用)\s*(?P<value>{_ENVIRONMENT_NAME})\s*(?:环境)?(?:来|当默认"
                rf"|做默认)+"),
    ("default", rf"{_NAMED} (?:is|are)(?: no longer|n'?t| not) (?:my|our) defaults?(?: env(?:ironment)?"
                rf"| services?)?(?: any ?more)?"),
    ("default", rf"(?:don'?t|do not|stop|no longer) (?:use|using|look at|looking at|assume|assuming) {_NAMED}"
                r" (?:by default|as (?:my |the )?default)(?: any ?more)?"),
    ("team", r"我(?:们)?(?:已经|早就|现在)*不(?:再)?(?:在|是|属于)[\w\u3400-\u9fff -]{1,16}?(?:组|团队"
             r"|部门)的?(?:人)?了"),
    ("team", r"(?:i'm|i am)(?: no longer| not) (?:on|in|with|part of) [\w -]{1,30}? ?(?:team|squad"
             r"|group)(?: any ?more)?"
             r"|i(?:'ve| have)? left (?:the )?[\w -]{1,30} (?:team|squad|group)"),
    ("role", r"我(?:们)?(?:已经|早就|现在)*不(?:再)?(?:负责|管|维护)[\w\u3400-\u9fff 、-]{1,24}了"),
    ("role", r"i(?:'m| am)? no longer (?:own|maintain|handle|responsible for|in charge of|look after|an? )[\w -]{1,30}"
             r"|i don'?t (?:own|maintain|handle|look after) [\w -]{1,30} any ?more"),
    ("role", r"[\w\u3400-\u9fff 、-]{1,24}?(?:已经)?不(?:再)?(?:是|归|由)我们?(?:负责|管|维护)的?(?=了)"),
    ("name", r"(?:不用|不要|别)再?叫我[^，,。]{1,12}|(?:don'?t|do not"
             r"|stop) call(?:ing)? me [\w .'-]{1,30}"),
)  # fmt: skip
PASSING = re.compile(  # only for the moment
    r"这次|这回|[这本](?:个|道|一)?(?:问题|题)|这一次|这一轮|本次|今天(?!起|开始|以后)|今晚|暂时|临时|眼下|这会儿"
    r"|(?<![优首])先(?:用|看|查|按|默认|说)"
    r"|\b(?:this time|(?:just|only) (?:this )?once|for now|today|tonight|temporarily|for the moment|right now|until"
    r"|for this (?:one|question|incident))\b",
    re.IGNORECASE,
)
LASTING = re.compile(r"以后|今后|从此|一直|默认|\b(?:from now on|going forward|always|by default)\b", re.IGNORECASE)
JOKING = re.compile(
    r"开玩笑|哈哈|呵呵|嘻嘻|嘿嘿|逗你|说笑|\b(?:kidding|joking|jk|lol|lmao|ha(?:ha)+)\b|[😂🤣😄😜😆]", re.IGNORECASE
)
NOTED = re.compile(
    rf"{_POLITE}{_FROM}?(?:(?:请)?(?:你)?(?:记住|记下(?:来)?|记一下|记好|记着|牢记)(?:一下|了)?[\s:：,，]*"
    rf"|(?:please )?(?:remember|(?:do not|don'?t) forget)[\s:,]+(?:that )?"
    rf"|(?:please )?(?:note|keep in mind|make a note)[\s:,]+(?:that )?)(?P<value>\S.*)",
    re.IGNORECASE,
)
FORGET = re.compile(
    rf"{_POLITE}{_FROM}?(?:忘掉|忘记|忘了|不要再?记(?:住|得)?|别再?记(?:住|得)?|不用再?记(?:住)?|forget"
    rf"|stop remembering"
    rf"|do(?: not|n't) remember|(?:不要|别|不用|不必)再?(?=叫我|默认|用[中英]文)"
    rf"|(?:don'?t|do not|stop|no longer) (?=call(?:ing)? me|default))"
    rf"[\s:：]*(?:掉|about )?(?P<value>.+?){_END}",
    re.IGNORECASE,
)
DROP = re.compile(  # words that mean other things too: only of what is plainly a note
    rf"{_POLITE}(?:删[掉了]|删除|清除|清空|去掉|取消|重置|delete|remove|clear|reset|unset|drop)[\s:：]*"
    rf"(?P<value>.*(?:默认|关于我|偏好|记忆|备注|我的|\b(?:default|my|preferences?|memor(?:y|ies)"
    rf"|notes? about me)\b).*?){_END}",
    re.IGNORECASE,
)


def compiled(rules: tuple[Rule, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(rf"{_POLITE}(?:{pattern}){_END}", re.IGNORECASE)) for kind, pattern in rules)


CLAUSES, SENTENCES, GONE = compiled(_CLAUSES), compiled(_SENTENCES), compiled(_GONE)
UNDO = re.compile(rf"{_POLITE}(?:撤销|撤回|撤消|undo(?: that| it)?|take (?:that|it) back){_END}", re.IGNORECASE)
FILLER = re.compile(_POLITE, re.IGNORECASE)
ENVIRONMENT_NAME = re.compile(_ENVIRONMENT_NAME, re.IGNORECASE)
