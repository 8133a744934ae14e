"""Whether a text asks anything that is known here: small talk, and the words of questions about operations."""

from __future__ import annotations

import re

from orchestrator.planner import CAUSE, STATE
from orchestrator.when.phrases import phrases
from subagents.alerts.cues import CUES as ALERTS
from subagents.changes.agent import CUES as CHANGES
from subagents.logs.agent import CUES as LOGS
from subagents.plain.kinds import kinds

SMALL_TALK = re.compile(
    r"^(?:谢|多谢|感谢|辛苦|好[的了吧嘞]?(?=[\s,，。.!！~]|$)|嗯|哦|收到|明白|知道了|你好|您好|早上好|晚上好|你是谁|你能|你会|帮助|再见"
    r"|(?:thanks?|thank you|thx|cheers|hello|hi|hey|ok|okay|great|good (?:morning|evening|job|night)|bye|help"
    r"|who are you|what can you|how are you|got it|nice|cool)\b)", re.IGNORECASE,
)  # fmt: skip
BARE_WHY = re.compile(
    r"(?:那?为什么|为啥|怎么回事|咋回事|什么原因|原因呢"
    r"|(?:but |and |so )?why(?: (?:is|was) that)?|how come)[\s?？!！。.]*",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    rf"\b(?:{'|'.join(re.escape(cue) for cue in (*ALERTS, *LOGS, *CHANGES) if cue.isascii())})(?:s|es|ed)?\b"
    r"|\b(?:wh(?:at|en|ere|ich|o|ose|y)|how|any|more|most|less|all|every|is|are|was|were|did|does|has|have|should|will|would"
    r"|users?|customers?|orders?|requests?|codes?|numbers?|figures?|graphs?|charts?|links?|sources?|names?|hosts?|pods?"
    r"|nodes?|list|count|impact|details?|examples?|samples?|times?|top|first|last|worst|sure|certain|confiden\w+|proof"
    r"|evidence|fix|mitigat\w+|action|next|report|summary|timeline)\b",
    re.IGNORECASE,
)


def means(said: str) -> bool:
    """Whether an English text holds any word that questions here are made of; of Chinese that isn't tried."""
    known = any(p.search(said) for p in (CAUSE, STATE, _PLAIN))
    return not said.isascii() or known or bool(kinds(said) or phrases(said))
