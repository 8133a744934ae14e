'''What somebody typed or pasted, taken apart: a command, a question, and the lines of a log that come with it.

Several lines at once (a terminal that marks pastes) and what stands between two lines of """ are an attachment; beside
it a line that asks is the question. It knows no terminal.
'''

from __future__ import annotations

import re
from dataclasses import dataclass

QUOTES = '"""'
ASKED = ("report", "handover")  # commands that are answered like questions
_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.*))?$")
_ASKS = re.compile(r"[?？]\s*$")


@dataclass(frozen=True, slots=True)
class Typed:
    """`text`: the question, "" where there is none; `pasted`: the lines of an attachment; `command`: without slash,
    with `rest` after it."""

    text: str = ""
    pasted: str = ""
    command: str = ""
    rest: str = ""


@dataclass
class Reading:
    """Takes line by line. `open`: inside a block that hasn't ended."""

    _question: str = ""
    _lines: list[str] | None = None

    @property
    def open(self) -> bool:
        return self._lines is not None

    def take(self, line: str) -> Typed | None:
        """What the line completes; None inside a block and for an empty line."""
        if self._lines is not None:
            return self._inside(line)
        if QUOTES in line:
            before, _, after = line.partition(QUOTES)
            self._question, self._lines = before.strip(), []
            return self._inside(after) if after.strip() else None
        if "\n" in line.strip("\n"):
            return split(line)
        text = line.strip()
        if (command := _COMMAND.match(text)) and command[1] not in ASKED:
            return Typed(command=command[1], rest=(command[2] or "").strip())
        return Typed(text) if text else None

    def drop(self) -> None:
        """Forgets a block that was begun."""
        self._question, self._lines = "", None

    def _inside(self, text: str) -> Typed | None:
        assert self._lines is not None
        lines = text.split("\n")
        for n, line in enumerate(lines):
            if QUOTES not in line:
                self._lines.append(line)
                continue
            before, _, after = line.partition(QUOTES)
            self._lines += [before] if before.strip() else []
            asked = " ".join(filter(None, (self._question, after.strip(), *(x.strip() for x in lines[n + 1 :]))))
            done = Typed(asked, "\n".join(self._lines).strip("\n"))
            self.drop()
            return done
        return None


def split(block: str) -> Typed:
    """A paste of several lines: a first or last line that asks is the question."""
    lines = block.strip("\n").split("\n")
    if _ASKS.search(lines[0]):
        return Typed(lines[0].strip(), "\n".join(lines[1:]).strip("\n"))
    if _ASKS.search(lines[-1]):
        return Typed(lines[-1].strip(), "\n".join(lines[:-1]).strip("\n"))
    return Typed(pasted="\n".join(lines))
