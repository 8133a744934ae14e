"""POSIX extended expressions over bytes for what `levels` reads as error or fatal, made from its words, for `grep -E`.

They may match more than that, never less: each line that they find is read by its format afterwards.
"""

from __future__ import annotations

import string

from subagents.folder import levels

_END = b'([" \t\r,}.eE+-]|$)'


def _either(letter: str) -> bytes:
    return f"[{letter.upper()}{letter}]".encode()


def _value() -> bytes:
    """How a value begins that `levels` reads as error or fatal; any letter may be a JSON escape."""
    words = (*levels.words("error"), *levels.words("fatal"))
    starts = sorted({word[:3] for word in words if word.isascii()})
    escaped = [b"%b([\\\\]|%b([\\\\]|%b))" % tuple(map(_either, s)) for s in starts]
    others = [word.encode() for word in words if not word.isascii()]
    single = "".join(c for c in string.ascii_letters if levels.level(c) in ("error", "fatal"))
    short = [b"[%b]" % single.encode() + _END, b"[56]0?" + _END]
    return b"([\\\\]|" + b"|".join((*escaped, *others, *short)) + b")"


VALUE = _value()
WORDS = b"|".join((
    *(b"".join(map(_either, word.decode())) for word in levels.ERROR_WORDS), *levels.ERROR_CHINESE,
    b"[A-Za-z]\x1b[[]",
))  # fmt: skip
