"""Lines that begin with their level and have no time: `INFO:root:text` (Python's default), `ERROR: text`,
`[WARN] text`, `INFO[0003] text` (logrus on a terminal), `info: Category[14]` with the text below it (.NET's console).
Each is a record whose time nobody can tell; it is counted as having none.
"""

from __future__ import annotations

import re

from subagents.folder import colours, levels
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_UPPER = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|ALERT|FATAL|PANIC|ERRO|FATA|DEBU|TRAC|PANI)"
_LINE = re.compile(
    rf"[\[<(]?({_UPPER})[\]>)]?(?:\[\d+\]|:| +-|(?<=[\]>)]))?[ :\t]\s*(\S.*)"
    r"|([VDIWEF])/[\w.$:-]+ ?\( *\d+\): ?(.*)"  # logcat's brief form
    r"|(trce|dbug|info|warn|fail|crit): ([\w.+`]+\[\d+\].*)"  # .NET's console
)
_NAMES = {"fata": "fatal", "debu": "debug", "trac": "debug", "pani": "fatal", "trce": "debug", "dbug": "debug"}


def shape(lines: list[str]) -> str | None:
    heads = [line for line in map(colours.plain, lines) if line[:1] not in (" ", "\t")]
    found = sum(1 for line in heads if _LINE.match(line))
    return "level" if found > 1 and found * 3 >= len(heads) else None


def parser(hints: Hints) -> LineParser:
    def read(line: str) -> Rec | None:
        match = _LINE.match(colours.plain(line))
        if match is None:
            return None
        word, text = (found for found in match.groups() if found is not None)
        return Rec(None, hints.service, levels.level(_NAMES.get(word.lower(), word)), text)

    return read


FORMAT = LogFormat("levels without times", shape, parser)
