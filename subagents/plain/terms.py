"""What a question counts, or asks the begin of, when that is no service, time or level: the text that log lines hold.

A name in them (`OutOfMemoryError`), words ("no space left"), or a Chinese term by the words that programs write for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.when.phrases import phrases
from subagents.plain.fillers import FILLERS
from subagents.plain.kinds import changes_asked, kinds
from subagents.saying import HOW_MANY

MOST = 3  # ways of writing one thing that are searched for
WORDS = 6
TERMS = (  # what people call it → what stands in logs
    (r"死锁|\bdeadlocks?\b", ("deadlock", "死锁")),
    (r"锁等待|等锁", ("lock wait", "锁等待")),
    (r"超时|\btime-?outs?\b", ("timeout", "timed out", "超时")),
    (r"内存(?:溢出|不足|不够)|\bOOM(?:s|Killed)?\b|\bout of memory\b", ("OutOfMemory", "out of memory", "oom")),
    (r"(?:磁盘|空间)(?:已?写?满|不足|不够)", ("no space left", "disk full", "磁盘")),
    (r"空指针", ("NullPointer", "nil pointer", "空指针")),
    (r"(?:连接)?拒绝连接|连接被?拒绝?", ("connection refused", "拒绝连接")),
    (r"连接(?:被)?(?:重置|断开)", ("connection reset", "broken pipe", "重置")),
    (r"连接池", ("pool", "连接池")),
    (r"限流", ("rate limit", "too many requests", "限流")),
    (r"证书", ("certificate", "x509", "证书")),
    (r"主键冲突|唯一键", ("duplicate key", "Duplicate entry", "冲突")),
    (r"重试", ("retry", "retries", "重试")),
    (r"崩溃", ("panic", "crash", "崩溃")),
    (r"无权限?|权限不足|拒绝访问", ("denied", "forbidden", "权限")),
    (r"域名解析|解析失败", ("no such host", "name resolution", "解析")),
)  # fmt: skip
_TERMS = tuple((re.compile(said, re.IGNORECASE), written) for said, written in TERMS)
_OFTEN = re.compile(r"几次|次数|\bhow (?:often|frequently)\b|\bhow many times\b", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w.-])(?:[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+|E[A-Z]{5,}|[A-Z]{2,}(?:_[A-Z]+)+)(?![\w-])")
_OTHERS = re.compile(  # counted by others than the logs
    r"告警|报警|警报|指标|请求[数量]|用户|客户|订单|触发|\b(?:alert|alarm|page[sd]?\b|fir(?:e|ed|ing)\b|metric|requests\b|user|customer"
    r"|orders\b|incident|span|trace|latenc|response times?\b|percentile|quantile|p\d\d\d?\b|[qrt]ps\b|throughput)"
    r"|延迟|时延|耗时|响应时间|分位|中位数|吞吐|水位|使用率|利用率",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][\w'./~-]*\w|[A-Za-z]|[^\sA-Za-z]", re.ASCII)
_UNABLE = re.compile(r"\b(?:(?:could|can|did|was|is|does) not|(?:failed|unable|unexpected) to)\b", re.IGNORECASE)
_FAILS = frozenset(("failed", "failure", "failures", "fails", "failing", "exceeded", "error", "errors"))
_JOINTS = frozenset(("of", "to", "on", "in", "by", "for", "is", "at", "with"))


def elsewhere(text: str) -> bool:
    """Whether it asks for what others than the logs count or measure."""
    return _OTHERS.search(text) is not None


def written(text: str) -> tuple[str, ...]:
    """How programs write what a text calls by a name of the field; () where it calls nothing so."""
    return next((ways for said, ways in _TERMS if said.search(text)), ())


def counted(text: str, services: Sequence[str] = ()) -> tuple[tuple[str, ...], ...]:
    """The ways it may be written, at most three, each as the strings that a line must hold; () where the question
    counts no text. `services`: names that are none of it."""
    many, dated = HOW_MANY.search(text) or _OFTEN.search(text), {"began", "ended", "lasted"} & {*kinds(text)}
    if not (many or dated) or elsewhere(text) or changes_asked(text) is not None:
        return ()
    if known := written(text):
        return tuple((word,) for word in known[:MOST])
    taken = {s.casefold() for s in services}
    if names := [n for n in _NAME.findall(text) if n.casefold() not in taken]:
        return ((names[0],),)
    run = _run(text, taken) if many else []
    said = " ".join(run)
    ways = (
        [(said,), (said.removesuffix("s"),), tuple(run)]
        if 0 < len(run) <= WORDS and (len(said) > 2 or said.isupper())
        else []
    )
    return tuple(dict.fromkeys(ways))


def _run(text: str, services: set[str]) -> list[str]:
    """The longest row of words that mean something, small words within it kept: "out of range"."""
    for phrase in reversed(phrases(text)):
        text = f"{text[: phrase.start]} ; {text[phrase.end :]}"
    runs: list[list[str]] = [[]]
    for word in _WORD.findall(_UNABLE.sub(lambda m: m[0].replace(" ", "~"), text)):
        low = word.casefold()
        if not (word[0].isascii() and word[0].isalpha()) or low in services:
            runs.append([])
        elif low in _JOINTS or low in _FAILS:
            runs[-1] += [word.replace("~", " ")] if runs[-1] else []
        elif low in FILLERS:
            runs.append([])
        else:
            runs[-1].append(word.replace("~", " "))
    return max(map(_cut, runs), key=len, default=[])


def _cut(run: list[str]) -> list[str]:
    """Without the small words at its end."""
    while run and run[-1].casefold() in _JOINTS | {"error", "errors"}:
        run = run[:-1]
    return run
