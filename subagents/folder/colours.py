"""Terminal colours in log lines, and lines without them. It knows no other control characters: what else a program
wrote is part of its message, and is shown as such (`orchestrator/cleaning.py` cleans what is shown)."""

from __future__ import annotations

import re

ONE = r"\x1b\[[\d;]*+[A-Za-z]"
_ONE = re.compile(ONE)


def plain(text: str) -> str:
    return _ONE.sub("", text) if "\x1b" in text else text
