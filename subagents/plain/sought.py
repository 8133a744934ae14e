"""Text that a question wants found word for word: in quotes, after "contains", or the id of a trace, order or request.

Words only here, and how the lines that hold it are told; the search itself is the logs agent's tool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from orchestrator.agent import Turn
from orchestrator.cleaning import CHINESE
from orchestrator.contracts import Evidence, Json
from subagents.plain import terms
from subagents.plain.kinds import kinds, subject
from subagents.plain.seen import Seen
from subagents.plain.words import few, stop
from subagents.saying import HOW_MANY, joined, numbered, short

_QUOTED = re.compile(
    r"(?<![A-Za-z0-9])(?:'([^'\n]{3,80})'|\"([^\"\n]{3,80})\")(?![A-Za-z0-9])|“([^”\n]{2,80})”|「([^」\n]{2,80})」|`([^`\n]{3,80})`"
)
_ID = re.compile(
    r"(?<![\w-])([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,32})(?![\w-])"
    r"|(?:订单号?|流水号?|请求|用户|会话|链路"
    r"|\b(?:order|trace|request|req|user|session|span|txn|transaction|payment|job|task)(?:[ _-]?id)?)"
    r"\s?[#:：=]?\s?((?=[\w-]*\d)[A-Za-z0-9][\w-]{3,39})(?![\w-])",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"(?:包含|含有?|搜索?|查找|grep)(?:一下|有没有|关键字)?\s?([A-Za-z][\w.:/-]{2,60})"
    r"|\bgrep (?:for )?([A-Za-z][\w.:/-]{2,60})"
    r"|\b(?:contain(?:s|ing)?|mention(?:s|ing)?|search (?:for|the logs for)) ([A-Za-z][\w.:/-]{2,60})",
    re.IGNORECASE,
)
KINDS, WAYS = 3, 5  # that an answer tells: of lines, and of writing a word
_PHRASE = re.compile(r"(?<![\w.-])[A-Za-z]+(?: [A-Za-z]+)+(?![\w.-])")  # English in the midst of a Chinese question
_NAMES = re.compile(r"^(?:v?\d+(?:[.:-]\d+)+|[A-Z][A-Z0-9]+-\d+)$")
_KINDS = frozenset(
    ("alert", "alerts", "change", "changes", "commit", "commits", "deploy", "deploys", "error", "errors", "log", "logs",
     "request", "requests", "service", "services", "slo", "sla", "user", "users", "warn", "warning", "warnings")
)  # fmt: skip


def sought(text: str) -> tuple[str, ...]:
    """The strings, at most two; a date, a version or a ticket is none."""
    found = _said_so(text, _QUOTED, _ID, _HOLDS)
    if not found and CHINESE.search(text) and HOW_MANY.search(text) and not terms.elsewhere(text):
        found = [m[0] for m in _PHRASE.finditer(text) if not _KINDS & {*m[0].casefold().split()}]
    return tuple(dict.fromkeys(s.strip() for s in found if s.strip() and not _NAMES.match(s)))[:2]


def _said_so(text: str, *patterns: re.Pattern[str]) -> list[str]:
    return [next(filter(None, m.groups())) for p in patterns for m in p.finditer(text)]


def searches(turn: Turn) -> list[Json]:
    """Arguments of the searches that a question wants: for the text it quotes, for what it counts, else for the word
    that is asked after as if it were a service, of which failing lines tell most."""
    text, scope = turn.ctx.question.text, turn.ctx.scope
    if found := _wanted(turn):
        return [{"words": [w.asked for w in found]}]
    if words := sought(text):
        return [{"text": list(words)}]
    word = "" if scope.services or scope.said else subject(text)
    return [{"text": [word], "levels": ["fatal", "error"]}, {"text": [word]}] if word else []


def wider(turn: Turn) -> list[Json]:
    """The search for most of what a question says, where no line tells of all of it."""
    found = _wanted(turn)
    others = [w.asked for w in _fewer(found)]
    done = [t.result.data for t in turn.taken if t.call.name == "search_logs" and t.result.data]
    return [{"words": others}] if others and len(done) == 1 and not done[0]["lines"] else []


def _fewer(found: Sequence[terms.Wanted]) -> tuple[terms.Wanted, ...]:
    """Without one word: what nobody has translated, else the last of several things, else that it failed."""
    things = [w for w in found if w.sort != "fails"]
    chunk = next((w for w in found if w.sort == "chunk"), None)
    left = chunk or (things[-1] if len(things) > 1 else next((w for w in found if w.sort == "fails"), None))
    return tuple(w for w in found if w is not left) if left and len(found) > 1 else ()


def _wanted(turn: Turn) -> tuple[terms.Wanted, ...]:
    """Not where a text or an id is given word for word."""
    text, scope = turn.ctx.question.text, turn.ctx.scope
    if sought(text) and _said_so(text, _QUOTED, _ID):
        return ()
    return terms.wanted(text, (*scope.services, *scope.said.split()))


def told(seen: Seen) -> list[str]:
    """How many lines hold it, since when, and the first of them."""
    wanted = searches(seen.turn)
    found = [row for row in seen.all_of("search_logs") if any(row[2].args == args for args in wanted)]
    if not found:
        return []
    if "words" in wanted[0]:
        return _of_words(seen, *found[0])
    if "levels" in wanted[0]:
        return _of_stranger(seen, found, wanted[0]["text"][0])
    found.sort(key=lambda row: wanted.index(row[2].args))
    data, cite, e = next((row for row in found if row[0]["lines"]), found[0])
    told = str(e.args["text"][0]).casefold()
    others = [row for row in found if row[0]["lines"] and not _inside(str(row[2].args["text"][0]).casefold(), told)]
    lines = [_holding(seen, data, cite, e), *(_holding(seen, *row) for row in others)]
    return [*lines, *_rows(seen, data, cite)]


def _of_words(seen: Seen, data: Json, cite: str, e: Evidence) -> list[str]:
    """How many lines, when and whose; what they say, by kind; and the first of them."""
    words = _wanted(seen.turn)
    if data["lines"]:
        return [_telling(seen, data, cite, words), *_kinds(seen, data, cite), *_rows(seen, data, cite)]
    zh = seen.zh
    ways = "; ".join(", ".join(w.ways[:WAYS]) + ", …" * (len(w.ways) > WAYS) for w in words)
    searched = f"（查过的写法，不分先后：{ways}）" if zh else f" (searched for, in any form and order: {ways})"
    of = joined(seen.asked, zh)
    none = f"{seen.span} {of + ' ' if of else ''}的日志里没有提到{_said(words, zh)}的行{searched}" if zh else (
        f"No log line{' of ' + of if of else ''} in {seen.span} tells of {_said(words, zh)}{searched}"
    )  # fmt: skip
    others = _fewer(words)
    asked = [w.asked for w in others]
    rows = [row for row in seen.all_of("search_logs") if row[2].args.get("words") == asked and row[0]["lines"]]
    more = [line for d, c, _ in rows for line in (_telling(seen, d, c, others), *_kinds(seen, d, c))]
    return [stop(none, cite, zh), *(more or _all_errors(seen))]


def _telling(seen: Seen, data: Json, cite: str, words: Sequence[terms.Wanted]) -> str:
    zh, n, said = seen.zh, data["lines"], _said(words, seen.zh)
    first, last = (datetime.fromisoformat(data[k]) if data[k] else None for k in ("first", "last"))
    whose = few(numbered([{"service": s, "n": m} for s, m in data["whose"]], zh), zh)
    whose = whose if len(data["whose"]) > 1 else data["whose"][0][0]
    if first and "began" in kinds(seen.text):
        when = seen.clock.zoned(first)
        told = f"{when} 开始：提到{said}的日志，{seen.span} 共 {n} 行" if zh else (
            f"Since {when}: log lines that tell of {said}, {n} of them in {seen.span}"
        )  # fmt: skip
    elif zh:
        told = f"{seen.span} 有 {n} 行日志提到{said}"
    else:
        told = f"{n} log line{'s' * (n != 1)} in {seen.span} tell{'s' * (n == 1)} of {said}"
    if first and last and n > 1:
        over = (seen.clock.at(first), seen.clock.at(last))
        told += "，首次 {}，末次 {}".format(*over) if zh else ", the first at {}, the last at {}".format(*over)
    return stop(f"{told}{'：' if zh else ': '}{whose}" if whose else told, cite, zh)


def _kinds(seen: Seen, data: Json, cite: str) -> list[str]:
    """The leading kinds, where more than one is there to be told apart."""
    rows, zh = data["kinds"][:KINDS], seen.zh
    if len(data["kinds"]) < 2 or rows[0][1] < 2:
        return []
    of = ""
    if data["sorted"] < data["lines"]:
        of = f"，最早的 {data['sorted']} 行里" if zh else f" of the first {data['sorted']} lines"
    head = f"主要几类{of}：" if zh else f"What they say most{of}:"
    return [head, *(f"- ×{n}: `{text.replace('`', '')}` {cite}" for text, n in rows)]


def _said(words: Sequence[terms.Wanted], zh: bool) -> str:
    """`payment` + `failures`, 「登录 失败」"""
    return f"「{' '.join(w.said for w in words)}」" if zh else " + ".join(f"`{w.said}`" for w in words)


def _holding(seen: Seen, data: Json, cite: str, e: Evidence) -> str:
    zh = seen.zh
    text = (", ", "、")[zh].join(f"`{t.replace('`', '')}`" for t in e.args.get("text") or ())
    n, of = data["lines"], joined(seen.asked, zh)
    if not n:
        return stop(f"{seen.span} 的日志里没有 {text}" if zh else f"No log line in {seen.span} holds {text}", cite, zh)
    since = seen.clock.at(datetime.fromisoformat(data["first"])) if data["first"] else ""
    if since and "began" in kinds(seen.text):
        when = seen.clock.zoned(datetime.fromisoformat(data["first"]))
        said = f"{when} 开始：含 {text} 的日志，{seen.span} 共 {n} 行" if zh else (
            f"Since {when}: log lines that hold {text}, {n} of them in {seen.span}"
        )  # fmt: skip
    elif zh:
        said = f"{seen.span} {of + ' ' if of else ''}有 {n} 行日志含 {text}" + (f"，首次 {since}" if since else "")
    else:
        said = f"{n} log line{'s' * (n != 1)}{' of ' + of if of else ''} in {seen.span} hold{'s' * (n == 1)} {text}"
        said += f", the first at {since}" if since else ""
    return stop(said, cite, zh)


def _inside(one: str, other: str) -> bool:
    return one in other or other in one


def _all_errors(seen: Seen) -> list[str]:
    rows, cite = seen.rows("count_errors", "counts")
    named = few(numbered([r for r in rows if r["n"]], seen.zh), seen.zh)
    return [stop(f"全部错误：{named}" if seen.zh else f"All errors there: {named}", cite, seen.zh)] if named else []


def _rows(seen: Seen, data: Json, cite: str) -> list[str]:
    lines = []
    for row in data.get("rows") or ():
        at = seen.clock.at(datetime.fromisoformat(row["at"])) if row["at"] else "-"
        lines.append(f"- {at} {row['service']} {row['level']}: `{short(row['message'].replace('`', ''), 160)}` {cite}")
    return lines


def _of_stranger(seen: Seen, found: Sequence[tuple[Json, str, Evidence]], word: str) -> list[str]:
    """A name that is no service's: how many lines that name it fail, since when, and the first of those."""
    zh, failing = seen.zh, [row for row in found if row[2].args.get("levels")]
    every = [row for row in found if not row[2].args.get("levels")]
    lead = (
        f"没有名为 `{word}` 的服务，改查日志里提到它的行。"
        if zh
        else f"No service is called `{word}`; the logs were searched for it."
    )
    if not failing or not failing[0][0]["lines"]:
        return [lead, *(line for d, c, e in every for line in (_holding(seen, d, c, e), *_rows(seen, d, c)))]
    data, cite, _ = failing[0]
    since = seen.clock.zoned(datetime.fromisoformat(data["first"])) if data["first"] else "-"
    of = [(d["lines"], c) for d, c, _ in every]
    n = data["lines"]
    if zh:
        said = stop(f"提到它的错误有 {n} 行，{since} 起", cite, zh)
        said += f"提到它的日志共 {of[0][0]} 行 {of[0][1]}。" if of else ""
    else:
        said = stop(f"{n} error line{'s' * (n != 1)} name{'s' * (n == 1)} it, since {since}", cite, zh)
        said += f" In all {of[0][0]} lines do {of[0][1]}." if of else ""
    return [("有问题：" if zh else "It is failing: ") + said, lead, *_rows(seen, data, cite)]
