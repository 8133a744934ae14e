"""Questions that only glance at another day ("昨天呢", "did this happen last Tuesday too?") or at the present
("现在好了吗"): what is asked after them is about the time from before again. Words and calendar only.
"""

from __future__ import annotations

import re
import unicodedata

from hermes_ops.recall.followups import FILLING, PRESENT, days_named
from orchestrator.when.phrases import phrases
from subagents.compared import SAME, STEP
from subagents.plain.kinds import kinds

_LIKE = re.compile(  # that it was so, or how it was
    r"那|有没有|有[吗么没]?|是|一样|这样|如此|发生|出现|情况|怎么样|如何|[吗么嘛没]|过"
    r"|\b(?:what|how|about|did|does|was|were|is|it|this|that|there|happen(?:ed)?|like|as well|look|any|ok|okay)\b",
    re.IGNORECASE,
)


_HOW = re.compile(r"怎么样|如何|情况|状态|\bhow (?:is|are|does)\b|\bstatus\b", re.IGNORECASE)
_STATE = frozenset(("over", "still", "sound", "trouble"))


def glances(text: str) -> bool:
    """Whether a text says nothing but another day ("昨天呢", "what about Tuesday?", "did this happen yesterday too?")
    or only how things are at present. It looks aside; what is asked next is about the time from before again."""
    said = unicodedata.normalize("NFKC", text).strip()
    if PRESENT.search(said):
        return bool(_HOW.search(said) or _STATE & {*kinds(said)})
    rest = STEP.sub(" ", SAME.sub(" ", said))
    if not days_named(rest) and not STEP.search(said):
        return False
    for phrase in reversed(phrases(rest)):
        if not all(moment.days and not moment.clock for moment in phrase.moments):
            return False
        rest = f"{rest[: phrase.start]} {rest[phrase.end :]}"
    return not re.search(r"[^\W_]", FILLING.sub(" ", _LIKE.sub(" ", rest)))
