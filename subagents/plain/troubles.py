"""Which kinds of trouble (database, certificate, pool …) a question's words speak of. Words of the field only."""

from __future__ import annotations

import re

from subagents.cause.words import families

_ALSO = (  # words of Chinese and plain English → a word that the vocabulary of troubles has
    (r"网络|网卡", "network"), (r"第三方|供应商|外部|上游|依赖", "provider"), (r"队列|堆积|消费", "queue"),
    (r"崩溃|重启", "crash"), (r"登录|权限|令牌", "token"),
    (r"\bdb\b|\b(?:my|postgre)?sql\b|\b(?:postgres|mysql|oracle)\b|库表", "database"),
    (r"\b(?:tls|ssl)\b", "cert"), (r"\b(?:load|traffic)\b|压力", "traffic surge"), (r"死锁|锁", "mutex"),
    (r"机器|节点|硬件|\bnodes?\b", "node"),
)  # fmt: skip
_VAGUE = frozenset(("errors", "config"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def troubles_in(text: str) -> frozenset[str]:
    """The kinds of trouble that a question's words speak of."""
    more = [word for pattern, word in _ALSO if re.search(pattern, text, re.IGNORECASE)]
    return families(" ".join((_CAMEL.sub(" ", text), *more))) - _VAGUE
