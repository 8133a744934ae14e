"""Which services a question only suspects, as against those that suffer: "was it catalog 5.1.0?" asks of all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subagents.plain.kinds import clause, kinds

_ACCUSED = (
    r"(?:(?:是不是|会不会是?|难道是?|怀疑|跟|和|与)(?:因为|由于)?|\b(?:was|is|could) (?:it|this)(?: be)?(?: the| that)?"
    r"|\bblame|\bfault of"
    r"|\bbecause of|\bdue to|\bcaused by|\brelated to)\s*NAME(?![\w-])\s*(?:服务|service)?\s*(?:v?\d[\w.]*)?\s*"
    r"(?:的?(?:问题|锅|原因)|导致|引起|造成|搞|有关|[?？,，.]|$)"
    r"|(?<![\w-])(?<!把)(?<!把 )NAME\s*(?:服务|service)?\s*(?:v?\d+\.\d[\w.]*)?\s*"
    r"(?:(?:的|[那这][个次笔])*\s?(?:发版|发布|部署|上线|变更|改动|配置|开关)"
    r"|(?:deploy\w*|release|rollout|change|upgrade|flag))?\s*"
    r"(?:的问题|的锅|导致|引起|造成|把|搞[挂坏]|to blame|(?:is|was) the cause|caused?\b|br(?:eak|oke)\b|took down)"
    r"|(?<![\w-])NAME\s+v?\d+\.\d"
)


def accused(text: str, services: Sequence[str]) -> list[str]:
    """The services that a question suspects, as against those that suffer: "was it payment?", "payment 2.4.1 caused",
    "是不是 payment 的问题"."""
    return [s for s in services if re.search(_ACCUSED.replace("NAME", re.escape(s)), text, re.IGNORECASE)]


def suffering(text: str, services: Sequence[str]) -> tuple[str, ...]:
    """The services that a question is about without those it only suspects: "was it catalog 5.1.0?" asks of all."""
    suspected = accused(clause(text, "blame"), services) if "blame" in kinds(text) else []
    return tuple(s for s in services if s not in suspected)
