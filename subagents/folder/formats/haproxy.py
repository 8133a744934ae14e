"""HAProxy's HTTP and TCP logs inside syslog lines. The status tells the level (0 and -1, no answer, are errors). The
accept date has the year that the syslog header lacks. (docs.haproxy.org/2.8/configuration.html#8.2)"""

from __future__ import annotations

import re

from subagents.folder import levels, times
from subagents.folder.formats import syslog
from subagents.folder.records import Hints, LineParser, LogFormat, Rec

_HTTP = re.compile(
    r"(?<!\S)(?P<client>\S+):\d+ \[(?P<accepted>"
    + times.CLF
    + r")\] (?P<frontend>\S+) (?P<backend>[^\s/]+)/(?P<server>\S+) "
    r"(?P<timers>[-+\d/]+) (?:(?P<code>-?\d+) )?(?P<bytes>\+?\d+) "
)


def shape(lines: list[str]) -> str | None:
    """The first accept date, in seconds."""
    found = [match for line in lines if (match := _HTTP.search(line, 0, 400)) and "haproxy" in line[: match.start()]]
    if not found or len(found) * 3 < len(lines):
        return None
    return str(times.parse(found[0]["accepted"]) or "") or None


def parser(hints: Hints) -> LineParser:
    near = float(hints.shape)

    def read(line: str) -> Rec | None:
        nonlocal near
        match = _HTTP.search(line, 0, 400)
        if match:
            near = times.parse(match["accepted"], hints.clock) or near
        rec = syslog.parser(hints._replace(near=near, shape="3164"))(line)
        if rec is None or match is None:
            return rec
        code = match["code"] or ""
        level = levels.of_status(code) if code.isdigit() and len(code) == 3 else ("error" if code else "info")
        fields = {k: v for k, v in match.groupdict().items() if v}
        return rec._replace(level=level, code=code, service=match["backend"], fields=fields)

    return read


FORMAT = LogFormat("HAProxy log", shape, parser)
