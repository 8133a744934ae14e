"""Control sequences out of a text, for terminals, logs and prompts; and which script it is written in. It knows nothing
of secrets or markup."""

from __future__ import annotations

import re

CHINESE = re.compile(r"[\u3400-\u9fff]")  # a text that holds one is answered in Chinese

# CSI and OSC sequences whole, then what is left of C0, C1, zero-width characters and changes of direction
_CONTROL = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,16}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    r"|\x1b[ -/]{0,4}[0-~]"
    r"|\r(?=\n)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """`text` without what would steer a terminal or hide from a reader: escape sequences, control characters except
    newline and tab, zero-width characters, overrides of direction."""
    return _CONTROL.sub("", text)
