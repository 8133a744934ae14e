"""Takes an answer apart: blocks, sentences, clauses, citations, and the numbers that are names rather than claims.

Also tells which sentences claim a cause. It deliberately doesn't know the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

CITE = re.compile(
    r"[\[【(（]\s?(?:见|see)?\s?(?P<ids>[A-Z]{1,3}\d{1,5}(?:\s?(?:[,，、;；/–-]|和|and)\s?[A-Z]{1,3}\d{1,5})*+)\s?[\]】)）]"
)
_ID = re.compile(r"[A-Z]{1,3}\d{1,5}")
_CN = "零〇一二两三四五六七八九十百千"
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905 - a row of names
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?"

_UUID = r"(?<![A-Za-z0-9])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_VERSION = r"\d++(?:\.\d++){2,}(?:[-+.][A-Za-z0-9_.]+)?"
_LISTED = r"[(（]?\d{1,2}[.)、）]"
_LIST = rf"^[\ \t]*+(?:[-*+•>]\s)?{_LISTED}(?=\s|[^\d\s])|(?<=[:：；。])\s?{_LISTED}\s?(?=[\u4e00-\u9fff])"

NAMES = re.compile(  # its three parts differ in their first character, so that at most places one look is enough
    rf"""
      (?=\d)(?<!\d)(?: {_UUID}
      | (?P<date>(?<!\.)(?:
          \d{{4}}(?:-(?P<m>\d\d?)-(?P<d>\d\d?)|/(?P<m2>\d\d?)/(?P<d2>\d\d?))(?!\d)T?
        | (?:\d{{4}}\s?年\s?)?(?P<m3>\d\d?)\s?月\s?(?P<d3>\d\d?)\s?[日号]
        | \d{{4}}\s?年(?:\s?\d\d?\s?月)?(?!\d) | \d{{4}}-W\d\d
        | (?P<m4>[01]\d)-(?P<d4>[0-3]\d)(?=\s\d\d?:\d\d)
        | (?P<d5>\d\d?)\s(?P<m5>{_MONTH})(?:\s\d{{4}})?(?![A-Za-z])))
      | (?P<clock>(?<!\d[:.])(?:
          (?P<h>[0-2]?\d):(?P<min>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,]\d++)?)?(?!\d|:\d)
          (?:\s?(?P<ap>[AaPp])\.?[Mm](?![a-z]))?(?:Z|\+\d\d:?\d\d)?
        | (?P<h2>[0-2]?\d)\s?[点點时時](?!间)(?:(?P<min2>[0-5]?\d)\s?分(?!钟)|(?P<half>半)|整|钟)?
        | (?P<h3>1?\d)\s?(?P<ap3>[AaPp])\.?[Mm](?![A-Za-z])))
      | (?<![\w.]){_VERSION}
      | (?<![A-Za-z_])(?=\d{{0,40}}[a-f])[0-9][0-9a-f]{{5,39}}(?![A-Za-z0-9_])
      | {_LIST}
      | (?i:(?<=top\s)|(?<=first\s)|(?<=last\s))\d++(?!\s?(?:[smhd%]|[分秒]|hours?|days?)))
    | (?=[A-Za-z_])(?: https?://[^\s)\]】）>，。]+ | {_UUID}
      | (?P<date6>(?<![A-Za-z])(?P<m6>{_MONTH})\s(?P<d6>\d\d?)(?!\d|:)(?:,?\s\d{{4}}(?!\d))?)
      | (?<!\d)(?:UTC|GMT)\s?[+-]\d\d?(?::?\d\d)?
      | (?<![\w.])v{_VERSION}
      | (?<![A-Za-z])(?:[Vv]ersion|[Rr]elease|[Bb]uild)\s?[:：]?\s?v?\d[A-Za-z0-9_.+-]*
      | (?<![A-Za-z])(?:[Ss]tep|[Pp]art|[Ss]ection|[Pp]hase|[Ii]ssue|PR|MR|[Pp]ort|[Ll]ine|[Pp]id|PID|SEV|[Oo]ption)
        \s?[#:：]?\s?\d++
      | (?:HTTP|http|[Ss]tatus)(?:\s(?:code|status))?\s?[:：=]?\s?[1-5]\d\d(?!\d)
      | [A-Za-z_][A-Za-z0-9_]*+(?:[-./@]+[A-Za-z0-9_]+)*+)
    | (?=[\s\#\[(（+\-*•>第前版步方选阶图表端工编状返响错])(?: (?<!\d)[+-]\d\d:\d\d
      | 版本号?\s?[:：]?\s?v?\d[A-Za-z0-9_.+-]*
      | \#\d++ | \[\d++[smhdw](?::\d*[smhd]?)?\]
      | (?:步骤|方案|选项|阶段|图|表|端口|工单|编号)\s?[#:：]?\s?\d++
      | (?:状态码|返回码|响应码|错误码)(?:\s(?:code|status))?\s?[:：=]?\s?[1-5]\d\d(?!\d)
      | {_LIST}
      | 第\s?(?:\d++|[{_CN}]++) | 前\s?(?:\d++|[{_CN}]++)(?!\s?(?:[分秒毫天周smh%]|个?小时)))
    """,
    re.VERBOSE | re.MULTILINE,
)
QUOTE = re.compile(r"`([^`\n]{1,200})`|“([^”\n]{1,200})”|「([^」\n]{1,200})」|\"([^\"\n]{1,200})\"")


def covered(text: str, found: Iterable[re.Match[str]]) -> bytearray:
    """1 at every place of the text that one of its matches covers."""
    flags = bytearray(len(text) + 1)
    for m in found:
        start, end = m.span()
        flags[start:end] = b"\1" * (end - start)
    return flags


_BULLET = re.compile(r"[ \t]*(?:[-*+•]\s|[(（]?\d{1,3}[.)、）](?!\d)|[①-⑳])")
_END = re.compile(
    r"[。！？!?.](?:(?<!\.)[。！？!?]*|(?<=\.)(?=\s|$)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bapprox\.)(?<!\bNo\.)"
    rf"(?<!^\d\.)(?<!^\d\d\.))[”’」』\"')）*_]*(?:{CITE.pattern.replace('?P<ids>', '?:')})*",
    re.MULTILINE,
)
_LINE_END = re.compile(r"[^\x00-\x28\x2a-\x5c\x5e-\x7f\s][ \t]*\n")  # after ")", "]" or Chinese
_CLAUSE = re.compile(r"[，；;、。|]|,(?!\d)|\s(?:and|vs\.?|versus|while|but|whereas)\s|和|而(?!且)|但")


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """`text[start:end]`. `block`: the paragraph, bullet or table row it stands in, as a span; `item`: that is a bullet
    or row. `heads`: in a table row, where each cell starts and what its column's head says."""

    start: int
    end: int
    block: tuple[int, int]
    item: bool = False
    heads: tuple[tuple[int, str], ...] = ()


def ids(text: str) -> list[str]:
    """The evidence ids that a text cites, in order, each once: [A1], [L3, C101], 【A1】, (A1)."""
    return list(dict.fromkeys(i for m in CITE.finditer(text) for i in _ID.findall(m["ids"])))


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of an answer in Markdown; decimals, versions and URLs stay whole; a table row is one sentence."""
    header: list[str] = []
    for start, end, kind in _blocks(text):
        if kind != "row":
            header = []
            for a, b in _cut(text, start, end):
                yield Sentence(a, b, (start, end), kind == "item")
            continue
        cells = _cells(text, start, end)
        if not header:
            header = [text[a:b].strip() for a, b in cells]
        heads = tuple((a, head) for (a, _), head in zip(cells, header, strict=False))
        yield Sentence(start, end, (start, end), True, heads)


def clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The spans between commas, "and" and the like; thousands separators don't cut."""
    cuts = [start, *(m.end() for m in _CLAUSE.finditer(text, start, end)), end]
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    open_: tuple[int, int, str] | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        kind = _kind(line)
        joins = kind == "text" and open_ and (open_[2] == "text" or (open_[2] == "item" and line[0] in " \t"))
        if open_ and joins:
            open_ = (open_[0], at + len(line), open_[2])
        else:
            if open_:
                yield open_
            open_ = None if kind == "blank" else (at, at + len(line), kind)
        at += len(line)
    if open_:
        yield open_


def _kind(line: str) -> str:
    bare = line.strip()
    if not bare:
        return "blank"
    if bare.startswith("|") or bare.count("|") > 1:
        return "row"
    if bare.startswith("#"):
        return "head"
    return "item" if _BULLET.match(line) else "text"


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    bars = [i for i in range(start, end) if text[i] == "|"]
    edges = bars if text[start:end].lstrip().startswith("|") else [start - 1, *bars]
    return [(a + 1, b) for a, b in zip(edges, [*edges[1:], end], strict=False) if text[a + 1 : b].strip()]


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    ends = {m.end() for m in _END.finditer(text, start, end)}
    if text.find("\n", start, end - 1) >= 0:
        ends |= {m.end() for m in _LINE_END.finditer(text, start, end)}
    edges = [start, *sorted(ends), end]
    for a, b in pairwise(edges):
        if text[a:b].strip():
            yield a, b


# ── causes ────────────────────────────────────────────────────────────────────────────────────

_CAUSE_ZH = (
    r"因为|由于|导致|引起|引发|造成|致使|使得|根因|根本原因|原因[是为在系]|的(?:直接|主要|真正)?原因|主因|起因|诱因|病因|归因|归咎"
    r"|归结[于为]|元凶|罪魁祸首|源[于自]|来自于|起源|所致|拖[垮慢累]|[压打击]垮|搞[挂垮坏]|[由被][^，。；\n]{1,30}(?:触发|带来|产生|诱发|激发)"
    r"|(?<![原基内外成病起主诱根归])因(?![此素子果而])|[出问题]{2,3}(?:就)?出在|是[^，。；\n]{1,30}惹的祸|背锅|之所以"
)
_CAUSE_EN = (
    r"because|caus(?:e[sd]?|ing)|due to|owing to|root[- ]?cause[sd]?|le[ad]d?s? to|leading to|result(?:s|ed|ing)? "
    r"(?:in|from)|trigger(?:s|ed|ing)? (?:by|the|an?|this|these|it)|stem(?:s|med|ming)? from|thanks to"
    r"|(?:result|consequence) of|responsible for|to blame|blamed? (?:on|for)"
    r"|attribut(?:ed|able) to|brought (?:about|down|on)|culprit|trac(?:ed|es?|eable) (?:back )?to"
    r"|originat(?:es?|ed|ing) (?:from|in|with)|reason (?:is|was|for|why|behind)|expla(?:ins?|ined|nation)|driven by"
    r"|on account of|g[ai]ve[sn]? rise to|provok(?:ed|es?)|induc(?:ed|es?)"
    r"|(?:is|was|were|are|lies|what(?:'s| is)?) behind|set off|(?:product|fault) of|ar[io]s(?:es?)? from|down to|broke"
)
_CAUSE = re.compile(  # of lower-case text
    rf"(?=[^\x00-\x7f])(?:{_CAUSE_ZH})|(?=[a-giloprstw])(?<![a-z])(?:{_CAUSE_EN})(?![a-z])"
)
_NEGATED_ZH = (
    r"(?:无法|不能|未能|难以|尚未|还没|没能|没有?办法|不足以|尚不能?|不[好可便]?)(?:[^，。；,;\n]{0,12}(?<!不[仅但只]))"
    r"(?:确定|判断|确认|断定|说明|看出|定位|认定|给出|得出|归因|证明)[^，。；,;\n]{0,30}"
    r"|(?:原因|根因|起因|诱因)[^，。；,\n]{0,6}"
    r"(?:不明|未知|不清楚|未确定|待查|待确认|尚不|无法|不能|未能|未找到|没找到|是什么)"
    r"|(?:没有|无|未见|未发现|未找到|不存在|查不到)[^，。；,\n]{0,14}"
    r"(?:表明|说明|能解释|可以解释|证明|支持|显示|能够解释)[^，。；,\n]{0,30}"
    r"|(?:没有|无|未见|未发现)(?:任何|相关|其他|哪个)?(?:变更|发布|改动|部署|提交|变化|告警)"
    r"[^，。；,\n]{0,6}(?:导致|引起|引发|造成)"
    r"|(?:不是|并非|并不是|不由|未必|不一定)[^，。；,\n]{0,16}"
    r"(?:导致|引起|引发|造成|因为|由于|根因|所致|的原因|触发)"
    r"|是否[^，。；\n]{0,30}|(?:未|没有|没)(?:找到|发现|确定|定位|查到)[^，。；,\n]{0,8}(?:原因|根因|诱因|起因)"
    r"|不(?:知道|清楚|明确)[^，。；\n]{0,20}"
)
_TAIL = r"(?:(?! because| due to| and | so | but )[^.,;\n]){0,60}"
_NEGATED_EN = (
    r"\b(?:can['’]?t|cannot|can not|could(?:n['’]t| not)|unable to|not able to|(?:do|does|did)(?:n['’]t| not)"
    r"|not (?:possible|enough)[a-z ]{0,20}|impossible to)\s(?:(?:yet|clearly|reliably|really)\s)?"
    rf"(?:say|tell|determine|confirm|establish|identify|know|show|prove|pin|explain|support){_TAIL}"
    r"|\bno (?:\w+\s){0,3}?"
    rf"(?:explains?|explained|caused|accounts? for|evidence|indication|sign|proof|cause|root cause)\b{_TAIL}"
    rf"|\bwhether\b{_TAIL}|\b(?:unclear|not clear|unknown|not known)\s(?:what|why|which|how|if|root cause|cause){_TAIL}"
    r"|\b(?:cause|reason)\b[^.,;\n]{0,20}\b(?:un(?:known|clear)|not (?:yet )?(?:known|clear|found|determined))"
    r"|(?:\bnot|\bnever|n['’]t)\s(?:(?:been|directly|necessarily|clearly|simply|likely|be)\s)?"
    r"(?:caused|because|due|triggered|to blame|responsible|behind|the (?:root )?cause)"
)
_NEGATED = re.compile(rf"(?=[^\x00-\x7f])(?:{_NEGATED_ZH})|(?=[cdinruw])(?:{_NEGATED_EN})")
_BARE_HEAD = re.compile(
    r"[\s#*_:：\-\d.、（）()]*(?:根因|原因|根本原因|root cause|cause)?"
    r"[\s#*_:：]*(?:分析|结论|定位|推断|与影响|和影响|analysis|summary|and impact)?[\s#*_:：]*"
)


def claims_cause(sentence: str) -> bool:
    """Says that something caused something: not a question, a bare heading, nor a denial ("no change explains it")."""
    sentence = sentence.lower()
    if _CAUSE.search(sentence) is None or sentence.rstrip(' \n*_"”」）)').endswith(("?", "？")):
        return False
    return not _BARE_HEAD.fullmatch(sentence) and _CAUSE.search(_NEGATED.sub(" ", sentence)) is not None
