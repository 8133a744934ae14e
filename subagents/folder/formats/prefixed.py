"""Lines of several programs, each behind its name, in whatever format the program writes: `docker compose logs`
(`NAME | TEXT`), `kubectl logs --prefix` (`[pod/NAME/CONTAINER] TEXT`), stern (`POD CONTAINER TEXT`), and logcli
(`TIME {LABELS} TEXT`). A name without its replica's part is the service. A text without a time is a record all the
same, without one.

Sources: Docker's, kubectl's and stern's documentation of their output; Loki's "logcli", output mode `default`. A
replica set's hash has eight to ten hexadecimal digits.
"""

from __future__ import annotations

import re

from subagents.folder import colours, keys, levels, times
from subagents.folder.formats import several
from subagents.folder.formats.alertmanager import service_of
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_NAMED = (
    re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*+) ++\| ?(?P<text>.*)"),
    re.compile(r"\[pod/(?P<name>[a-z0-9][a-z0-9.-]*+)/[\w.-]++\] (?P<text>.*)"),
    re.compile(r"(?P<name>[a-z0-9][a-z0-9.-]*?-[a-f0-9]{8,10}-[a-z0-9]{5}) [a-z0-9][\w.-]*+ (?P<text>.*)"),
)
_LABELLED = re.compile("(?P<time>" + times.ISO + r") \{(?P<labels>[a-zA-Z_]\w*=\"[^{}]*+)\} (?P<text>.*)")
_LABEL = re.compile(r'([a-zA-Z_]\w*)="([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_STAMP = re.compile("(" + times.ISO + r") (.*)")


def shape(lines: list[str]) -> str | None:
    texts = [text[2] for line in lines if (text := _apart(line)) is not None]
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
        name, level, text = found
        stamp = _STAMP.match(text)
        at, said = (times.parse(stamp.group(1), hints.clock), stamp.group(2)) if stamp else (None, text)
        rec = inner(said) or (inner(text) if stamp else None) or Rec(None, "", levels.labelled(said), said.strip())
        rec = rec._replace(at=rec.at if at is None else at, service=rec.service or keys.workload(name))
        return rec._replace(level=level) if level and rec.level == "unknown" else rec

    return read


def _apart(line: str) -> tuple[str, str, str] | None:
    """(whose, level, text)."""
    line = colours.plain(line)
    if labelled := _LABELLED.fullmatch(line):
        labels = dict(_LABEL.findall(labelled["labels"]))
        level = next((labels[name] for name in ("level", "detected_level", "severity") if name in labels), "")
        return service_of(labels), levels.level(level) if level else "", f"{labelled['time']} {labelled['text']}"
    match = next((m for form in _NAMED if (m := form.fullmatch(line))), None)
    return (match["name"], "", match["text"]) if match else None


FORMAT = LogFormat("log behind names", shape, parser)
