"""Control sequences out of a text, for terminals, logs and prompts; and which script it is written in. It knows nothing
of secrets or markup."""

from __future__ import annotations

import re

CHINESE = re.compile(r"[\u3400-\u9fff]")  # a text that holds one is answered in Chinese

HIDDEN = (  # for a pattern's brackets: C1, what has no width, changes of direction, fillers, tags, variants
    r"\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# CSI and OSC sequences whole, then what is left of C0 and hidden characters
_CONTROL = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,16}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    r"|\x1b[ -/]{0,4}[0-~]"
    r"|\r(?=\n)"
    rf"|[\x00-\x08\x0b-\x1f{HIDDEN}]"
)


def clean(text: str) -> str:
    """`text` without what would steer a terminal or hide from a reader: escape sequences, control characters except
    newline and tab, zero-width characters, overrides of direction."""
    return _CONTROL.sub("", text)
