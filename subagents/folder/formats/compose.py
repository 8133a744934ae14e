"""What `docker compose logs` prints: `NAME  | TEXT`, the text in whatever format the program writes. NAME without its
replica's number is the service. A text without a time is a record all the same, without one."""

from __future__ import annotations

import re

from subagents.folder import colours, keys, levels, times
from subagents.folder.formats import several
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_LINE = re.compile(rf"(?:{colours.ONE})*+([A-Za-z0-9][\w.-]*+) ++\| ?(.*)")
_STAMP = re.compile("(" + times.ISO + r") (.*)")


def shape(lines: list[str]) -> str | None:
    texts = [text[1] for line in lines if (text := _apart(line)) is not None]
    if len(texts) * 5 < len(lines) * 4:
        return None
    plain = [stamp.group(2) if (stamp := _STAMP.match(text)) else text for text in texts]
    found = several.told([text for text in plain if text.strip()], timed=False)
    return several.written(found) if found or any(map(_STAMP.match, texts)) else None


def parser(hints: Hints) -> LineParser:
    inner = several.parser(hints.shape, hints)

    def read(line: str) -> Rec | None:
        found = _apart(line)
        if found is None:
            return None
        name, text = found
        stamp = _STAMP.match(text)
        at, said = (times.parse(stamp.group(1), hints.clock), stamp.group(2)) if stamp else (None, text)
        rec = inner(said) or (inner(text) if stamp else None) or Rec(None, "", levels.labelled(said), said.strip())
        return rec._replace(at=rec.at if at is None else at, service=rec.service or keys.workload(name))

    return read


def _apart(line: str) -> tuple[str, str] | None:
    match = _LINE.fullmatch(line)
    return (match[1], colours.plain(match[2])) if match else None


FORMAT = LogFormat("docker compose log", shape, parser)
