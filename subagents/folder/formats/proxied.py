"""Request logs that begin with a time and name no brackets: AWS' load balancers (classic, ALB) and Squid. The status
that the client got tells the level. (docs.aws.amazon.com, access-log entries; wiki.squid-cache.org, Features/LogFormat)
"""

from __future__ import annotations

import re

from subagents.folder import levels, times
from subagents.folder.records import Hints, LineParser, LogFormat, Rec, Search

_PEER = r"(?:[\w.:\[\]]+:\d+|-)"
_LINES = (
    re.compile(
        rf"(?:(?:https?|h2|grpcs|wss?) )?(?P<at>{times.ISO}) (?P<balancer>\S+) (?P<client>{_PEER}) (?P<target>{_PEER}) "
        r'-?[\d.]+ -?[\d.]+ -?[\d.]+ (?P<code>\d{3}) (?:\d{1,3}|-) \d+ \d+ "(?P<request>[^"]*)".*'
    ),
    re.compile(
        r"(?P<at>\d{9,10}\.\d{3}) +-?\d+ (?P<client>\S+) (?P<target>[A-Z_]+)/(?P<code>\d{3}) \d+ "
        r"(?P<request>[A-Z]+ \S+) .*"
    ),
)
_ERRORS = re.compile(rb"[ /]5\d\d ")


def shape(lines: list[str]) -> str | None:
    for n, form in enumerate(_LINES):
        if sum(1 for line in lines if form.fullmatch(line)) * 2 >= len(lines):
            return str(n)
    return None


def parser(hints: Hints) -> LineParser:
    form = _LINES[int(hints.shape)]

    def read(line: str) -> Rec | None:
        match = form.fullmatch(line)
        if match is None:
            return None
        at, code = times.parse(match["at"], hints.clock), match["code"].replace("000", "")
        fields = {name: value for name, value in match.groupdict().items() if name != "at"}
        return Rec(at, hints.service, levels.of_status(code), line[match.end("at") :].strip(), code, fields)

    return read


def errors(shape: str) -> Search | None:
    return levels.hits(_ERRORS)


FORMAT = LogFormat("proxy log", shape, parser, errors)
