"""Text that a question wants found word for word: in quotes, after "contains", or the id of a trace, order or request.

Words only here, and how the lines that hold it are told; the search itself is the logs agent's tool.
"""

from __future__ import annotations

import re
from datetime import datetime

from orchestrator.agent import Turn
from subagents.plain.kinds import subject
from subagents.plain.seen import Seen
from subagents.plain.words import stop
from subagents.saying import HOW_MANY, short

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
_PHRASE = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)+")  # English words in the midst of a Chinese question
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_NAMES = re.compile(r"^(?:v?\d+(?:[.:-]\d+)+|[A-Z][A-Z0-9]+-\d+)$")
_KINDS = frozenset(
    ("alert", "alerts", "change", "changes", "commit", "commits", "deploy", "deploys", "error", "errors", "log", "logs",
     "request", "requests", "service", "services", "slo", "sla", "user", "users", "warn", "warning", "warnings")
)  # fmt: skip


def sought(text: str) -> tuple[str, ...]:
    """The strings, at most two; a date, a version or a ticket is none."""
    found = [next(filter(None, m.groups())) for p in (_QUOTED, _ID, _HOLDS) for m in p.finditer(text)]
    if not found and _CHINESE.search(text) and HOW_MANY.search(text):
        found = [m[0] for m in _PHRASE.finditer(text) if not _KINDS & {*m[0].casefold().split()}]
    return tuple(dict.fromkeys(s.strip() for s in found if s.strip() and not _NAMES.match(s)))[:2]


def wanted(turn: Turn) -> tuple[str, ...]:
    """What to search for: the text that was named, else the word that is asked after as if it were a service."""
    text, scope = turn.ctx.question.text, turn.ctx.scope
    word = "" if scope.services or scope.said else subject(text)
    return sought(text) or ((word,) if word else ())


def told(seen: Seen) -> list[str]:
    """How many lines hold it, and the first of them."""
    got, zh = seen.of("search_logs"), seen.zh
    words = wanted(seen.turn)
    if got is None or not words:
        return []
    stranger = [] if sought(seen.text) else [_stranger(words[0], zh)]
    data, cite, e = got
    text = (", ", "、")[zh].join(f"`{t.replace('`', '')}`" for t in e.args.get("text") or ())
    if not data["lines"]:
        none = f"{seen.span} 的日志里没有 {text}" if zh else f"No log line in {seen.span} holds {text}"
        return [*stranger, stop(none, cite, zh)]
    n = data["lines"]
    head = (
        f"{seen.span} 有 {n} 行日志含 {text}"
        if zh
        else f"{n} log line{'s' * (n != 1)} in {seen.span} hold{'s' * (n == 1)} {text}"
    )
    lines = [*stranger, stop(head, cite, zh)]
    for row in data["rows"]:
        at = seen.clock.at(datetime.fromisoformat(row["at"])) if row["at"] else "-"
        lines.append(f"- {at} {row['service']} {row['level']}: `{short(row['message'].replace('`', ''), 160)}` {cite}")
    return lines


def _stranger(word: str, zh: bool) -> str:
    if zh:
        return f"没有名为 `{word}` 的服务，改查日志里提到它的行。"
    return f"No service is called `{word}`; the logs were searched for it."
