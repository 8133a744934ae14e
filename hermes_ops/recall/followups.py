"""Questions that go on from the one before: whether a question does, and which time and services it takes over.

By rules, the same with and without a model. A question with a subject of its own takes over nothing, unless it says
so ("那…呢", "and …", "同一时段"). It knows no store and no agent.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hermes_ops.recall.meaning import BARE_WHY, SMALL_TALK, means
from orchestrator import when
from orchestrator.contracts import Scope, Window
from orchestrator.planner import ABOUT
from orchestrator.when.phrases import phrases
from subagents.compared import SAME, compares

FRESH = timedelta(hours=2)  # a bare "any alerts?" later than this is a question of its own
WORDS, CHARACTERS = 7, 14  # a question without a subject is no longer than this
DAY = timedelta(days=1)

OPENS = re.compile(  # says that it goes on, whatever else it names
    r"(?:(?:ok|okay|so|well|right|hmm|fine|嗯|哦|噢|好的?|行|对了|请)[\s,，]+)*"
    r"(?:那么?|再|还有|同样|同一|换[成到个]?|改[成看]|继续|接着|然后|往[前后]|[上下前后]一个?(?:小时|天|周|段)|展开"
    r"|详细|具体|扩大|放宽|放大"
    r"|缩小|顺便|(?:对比|相比)|不(?:是|对)|(?:我)?(?:说|写|打)错|我(?:是|的)说|我指|应该是|加上|连同|只[看查要]"
    r"|(?:and|what about|how about|what of|then|same|again|also|go on|continue|tell me more|more|expand|elaborate"
    r"|details?|instead|widen|zoom|compare[ds]?|but|or"
    r"|sorry|no|not|i meant|rather|add|plus|only)\b)",
    re.IGNORECASE,
)
REFERS = re.compile(  # means something that was spoken of
    r"它|他们|它们|这个|那个|这些|那些|这段|那段|这次|那次|该服务|上面|上述|刚才|前面|当时|那时|同期|同一"
    r"|第[一二三四五六七八九十\d]+[条个项点]"
    r"|再[往早晚看]|往[前后]推?|第二天|次日|翌日|(?:好|恢复|解决|结束|消失|缓解)了?[吗没么]|还在|依旧|仍然?"
    r"|\b(?:still|recover(?:ed|ing)?|resolved|fixed|back to normal|over yet)\b|\bones?\s*[?？.]?$"
    r"|\b(?:its?|that|this|those|these|they|them|their|there|same|former|above|the (?:first|second|third|other|worst"
    r"|top|last one)"
    r"|(?:before|after) (?:that|this)|earlier|previous|another)\b",
    re.IGNORECASE,
)
THEN = re.compile(  # the time that was spoken of
    r"当时|那时候?|那会儿?|那段|这段|那次|这次|同期|\b(?:back then|(?:at|around|in|during|over) (?:that|this) (?:time"
    r"|point|window|period"
    r"|stretch)|meanwhile)\b|(?<!and )\bthen\s*[?？.]?$",
    re.IGNORECASE,
)
TOO = re.compile(
    r"也(?:有|是|会|出|受|一样|这样|报)|受(?:到|了)?(?:影响|牵连|波及)"
    r"|\b(?:too|as well|likewise|either|instead)\s*[?？.]?$|\b(?:affected|impacted)\b",
    re.IGNORECASE,
)
FILLING = re.compile(  # words that ask for nothing of their own
    r"帮我|给我|麻烦|请|也|都|再|就|只|单独|查|看|瞧|一?下|换|成|到|试试|服务|系统|[那这]边|的|呢|吧|和|跟|与|以及"
    r"|\b(?:and|or|the|an?|do|same|for|in|on|of|with|at|just|only|please|pls|check|look|see|show|me|try|switch|to|too"
    r"|also"
    r"|services?|instead|thanks|here|can|could|you|let'?s)\b",
    re.IGNORECASE,
)
ASKS_WHICH = re.compile(
    r"哪个服务|哪些服务|其[他它]服务|别的服务|谁家|各服务|所有|全部"
    r"|\b(?:which|other|what|any other|all|every) services?\b|\beverything\b",
    re.IGNORECASE,
)
PRESENT = re.compile(
    r"现在|目前|当前|此刻|眼下|正在|\b(?:right now|now|currently|at the moment|at present)\b", re.IGNORECASE
)
UNDOING = re.compile(r"\broll(?:ed|ing)?[ -]?(?:\w+ )?back\b|\bback to normal\b", re.IGNORECASE)  # no step in time
SHIFT = re.compile(
    r"往[前后]|前后|第二天|次日|再[前后早晚]|[前后]面?[一两二三半\d]|[上下]一?个?(?:小时|天|周)|接下来|后续|[前后]推"
    r"|\b(?:before|after|earlier|later|prior|previous|next|following|back|forward|preceding)\b",
    re.IGNORECASE,
)
_LEAD = r"(?:那么?|再|然后|and|what about|how about|so|then)?[\s,，]*"
_TAIL = r"(?:一点|一些|一段|那段|的?(?:情况|时候|时间))?(?:看看|怎么样|如何)?呢?[\s?？。.!！]*"
BEFORE = re.compile(
    rf"{_LEAD}(?:在?(?:这|那|此)?之前|再?更?早(?:之前|以前|些时候)?|往前|再往前|上一段|前一段"
    rf"|(?:just |even |right )?(?:before(?: that| this)?|earlier)|the (?:previous|preceding|prior) (?:window|period"
    rf"|one)){_TAIL}",
    re.IGNORECASE,
)
AFTER = re.compile(
    rf"{_LEAD}(?:在?(?:这|那|此)?之后|后来|更晚|再晚|往后|再往后|接下来|下一段|后一段"
    rf"|(?:just |right )?(?:after(?: that| this)?|afterwards?|later|(?:what )?(?:happened )?next|since)|the (?:next"
    rf"|following) (?:window|period|one)){_TAIL}",
    re.IGNORECASE,
)
WHOLE_DAY = re.compile(
    r"全天|一整天|整天|当天|那天|那一天|\b(?:that|the (?:whole|entire|full|same)|all) day\b", re.IGNORECASE
)
NAMED = re.compile(r"那?(?P<name>[\u3400-\u9fff]{2,6}?)(?:这边|那边|服务|系统|模块)?呢[\s?？。!！]*")
ASPECT = re.compile(  # what "那…呢" may ask about, that is no service
    r"然后|接着|继续|还有|另外|下一步|原因|影响|恢复|告警|报警|日志|变更|发布|部署|上线|提交|配置|开关|错误|报错|异常"
    r"|失败|延迟|耗时|慢|流量|请求|趋势|数量|详情|细节|结果|结论"
    r"|证据|建议|之前|之后|其他|其它|别的|后来|现在|时间|时段|时候|环境|用户|全部|所有|服务|可用性|成功率|错误率|指标"
    r"|监控|链路|超时|重启|扩容"
    r"|回滚|谁|哪|什么|多少|怎么|为什么|[一二两三四五六七八九十\d]|天|周|月|小时|分钟|上午|下午|早上|晚上|凌晨|中午"
    r"|半夜"
)
_TURNS = (  # other words for a step back or on, as `when.follow` reads them
    (re.compile(r"接下来的?|后续的?|再?晚(?=[一两二三四五六半\d])"), "往后"),
    (re.compile(r"第二天|次日|翌日"), "往后一天"),
    (re.compile(r"再?早(?=[一两二三四五六半\d])"), "往前"),
    (re.compile(r"下一?个?(?=小时|天|周)"), "往后一个"),
    (re.compile(r"上一?个?(?=小时|天|周)"), "往前一个"),
    (re.compile(r"\bhalf(?: an?)?[ -]hour\b"), "30 minutes"),
    (re.compile(r"\b(?:a )?quarter(?: of an)?[ -]hour\b"), "15 minutes"),
    (re.compile(r"\ba couple of\b"), "2"),
    (re.compile(r"\bback\b"), "before"),
    (re.compile(r"\b(?:forward|following)\b"), "after"),
    (re.compile(r"\b(?:preceding|another)\b"), "previous"),
)


@dataclass(frozen=True, slots=True)
class Former:
    """What the question before was about. `asked`: its words and, where it went on itself, those before it, the newest
    first; `at`: when it was asked; `home`: where it only glanced at another day or at now, the window it came from."""

    asked: tuple[str, ...]
    window: Window
    scope: Scope
    at: datetime
    home: Window | None = None


@dataclass(frozen=True, slots=True)
class Tied:
    """What a question takes over. `window` None: nothing, its own time counts; `scope` None: likewise; `asked`: the
    chain of questions it goes on from, the newest first; `stranger`: a name in it that nobody knows."""

    window: Window | None = None
    scope: Scope | None = None
    asked: tuple[str, ...] = ()
    stranger: str = ""


@dataclass(frozen=True, slots=True)
class Own:
    """What a question says itself: its time as `when.resolve` read it, whether it names services, and the words it
    names them by."""

    reading: when.Reading
    services: bool
    named: str = ""


def tie(text: str, own: Own, former: Former | None, at: datetime, now: datetime, zone: str) -> Tied:
    """What the question takes over from the one before. `at`: when it was asked; `now`, `zone`: as for `when`."""
    said = unicodedata.normalize("NFKC", text).strip()
    if former is None or not goes_on(said, own, at - former.at):
        return Tied()
    if former.home and (not _stays(said, own) or (BARE_WHY.fullmatch(said) and PRESENT.search(former.window.said))):
        former = replace(former, window=former.home)
    stranger = "" if own.services or own.reading.window else _stranger(said)
    which = ASKS_WHICH.search(said) is not None
    scope = replace(former.scope, services=()) if which or stranger else former.scope
    return Tied(_window(said, own.reading, former.window, now, zone), scope, former.asked, stranger)


def goes_on(said: str, own: Own, since: timedelta) -> bool:
    """Whether a question goes on from the one before, asked `since` ago."""
    parts = re.split(r"(?:[?？。!！;；]|\bthanks?[,.]|谢谢[，,])\s*", said)
    if any(OPENS.match(part) for part in parts) or TOO.search(said):
        return True
    if SMALL_TALK.search(said) and not own.services:
        return False
    if said.rstrip("?？。.!！ ").endswith("呢") and len(said) <= CHARACTERS:
        return True
    if own.services:
        return SAME.search(said) is not None or THEN.search(said) is not None or _only_names(said, own.named)
    if REFERS.search(said):
        return True
    bare = (own.reading.window is None or _clock_only(said)) and not PRESENT.search(said) and not ABOUT.search(said)
    return bare and since <= FRESH and _short(said) and (means(said) or FILLING.search(said) is not None)


def _stays(said: str, own: Own) -> bool:
    """Whether a question is still about the day that was glanced at: it says so, only varies that question, or asks why
    of what was just said."""
    varies = OPENS.match(said) or said.rstrip("?？。.!！ ").endswith("呢") or SHIFT.search(UNDOING.sub(" ", said))
    return bool(varies or BARE_WHY.fullmatch(said) or THEN.search(said) or WHOLE_DAY.search(said)) or (
        own.services and _only_names(said, own.named)
    )


def _only_names(said: str, named: str) -> bool:
    """Whether a text says nothing but names: "cart?", "only search, please", "帮我也查一下库存"."""
    for word in named.split():
        said = said.replace(word, " ", 1)
    return not re.search(r"[^\W_]", FILLING.sub(" ", said))


def _short(said: str) -> bool:
    words = re.findall(r"[A-Za-z0-9'_.-]+|[\u3400-\u9fff]", said)
    chinese = sum(not word[0].isascii() for word in words)
    return len(words) > 0 and chinese <= CHARACTERS and len(words) - chinese <= WORDS


def _stranger(said: str) -> str:
    found = NAMED.fullmatch(said)
    return found["name"] if found and not ASPECT.search(found["name"]) else ""


# ── the time ──────────────────────────────────────────────────────────────────────────────────


def _window(said: str, reading: when.Reading, former: Window, now: datetime, zone: str) -> Window | None:
    """The window it takes over, moved if it says so; None where its own time counts. What it only compares with moves
    nothing."""
    if compares(said) and reading.window is None:
        return replace(former, why="from the question before")
    got = _same(said, former, now, zone) if SAME.search(said) else None
    got = got or (_moved(said, former, now, zone) if SHIFT.search(said) else None)
    got = got or _beside(said, former, now)
    if got is None and WHOLE_DAY.search(said) and not days_named(said):
        got = _day_of(former, zone, now)
    if got is not None:
        return replace(got, said=said, why=f"from the question before ({when.say(former, zone)})")
    vague = not any(re.search(r"\d", words) for words in reading.unread)  # "recently", after a time that was clear
    if reading.window is None and vague and not PRESENT.search(said):
        return replace(former, why="from the question before")
    if _clock_only(said):
        day = _day_of(former, zone, now)
        inside = when.resolve(said, min(now, day.end), zone).window
        on_that_day = "on the day of the question before"
        inside = inside and _one_end(said, inside, former)
        return inside and replace(inside, why="; ".join(filter(None, (inside.why, on_that_day))))
    return None


def _one_end(said: str, inside: Window, former: Window) -> Window:
    """The former window with one end moved: "到 15:30 为止呢", "from 13:30 on"."""
    found = [phrase for phrase in phrases(said) if len(phrase.moments) == 1]
    bound = (found[0].suf or found[0].pre) if len(found) == 1 else ""
    if bound == "before" and former.start < inside.end:
        return replace(inside, start=former.start)
    if bound in ("since", "from", "after") and inside.start < former.end:
        return replace(inside, end=former.end)
    return inside


def _same(said: str, former: Window, now: datetime, zone: str) -> Window | None:
    """The same stretch of another day or week: "同一时段昨天呢", "same time last week", "前一天同一时段"."""
    rest = SAME.sub(" ", said)
    read = when.resolve(rest, now, zone) if days_named(rest) else when.Reading()
    there = read.window or next(iter(read.others), None)
    if there is None:
        moved = when.follow(said, former, now, zone)
        return moved or (former if not days_named(said) else None)
    tz = ZoneInfo(zone)
    first, at = there.start.astimezone(tz).date(), former.start.astimezone(tz).date()
    back = timedelta(days=7) if there.end - there.start > 2 * DAY else at - first
    return _shifted(former, -(back or DAY), tz, now)


def _moved(said: str, former: Window, now: datetime, zone: str) -> Window | None:
    """One step back or on: "再往前一小时", "the hour before", "接下来半小时"."""
    if days_named(said) and not re.search(r"(?:前|后)[一两二三\d]+[天日]|day (?:before|after)|第二天|次日|翌日", said):
        return None
    for pattern, words in _TURNS:
        said = pattern.sub(words, said)
    return when.follow(said, former, now, zone)


def _beside(said: str, former: Window, now: datetime) -> Window | None:
    """A window as long as the former, right before or after it: "之前呢", "and after that?"."""
    length = former.end - former.start
    if BEFORE.fullmatch(said):
        return replace(former, start=former.start - length, end=former.start)
    if AFTER.fullmatch(said) and former.end < now:
        return replace(former, start=former.end, end=min(former.end + length, now))
    return None


def _shifted(former: Window, by: timedelta, tz: ZoneInfo, now: datetime) -> Window | None:
    """By whole days on the wall clock."""
    a, b = ((t.astimezone(tz).replace(tzinfo=None) + by).replace(tzinfo=tz) for t in (former.start, former.end))
    return replace(former, start=a, end=min(b, now)) if a < min(b, now) else None


def _day_of(former: Window, zone: str, now: datetime) -> Window:
    tz = ZoneInfo(zone)
    first = former.start.astimezone(tz).replace(hour=0, minute=0, second=0, microsecond=0)
    end = (first.replace(tzinfo=None) + DAY).replace(tzinfo=tz)
    return replace(former, start=first, end=max(min(end, now), former.end))


def days_named(said: str) -> bool:
    return any(moment.days for phrase in phrases(said) for moment in phrase.moments)


def _clock_only(said: str) -> bool:
    """Whether it names a time of day and no day."""
    moments = [moment for phrase in phrases(said) for moment in phrase.moments if not moment.empty]
    return bool(moments) and all(not m.days and not m.alone and (m.clock or m.part) for m in moments)
