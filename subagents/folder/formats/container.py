"""Lines of a container runtime, `TIME STREAM F TEXT` (docker's are brought into this form, `framing`): the runtime's
time, since it states its offset; everything else from the text, in whatever format that is."""

from __future__ import annotations

from subagents.folder import framing, levels, times
from subagents.folder.formats import several
from subagents.folder.records import Hints, LineParser, LogFormat, Rec


def shape(lines: list[str]) -> str | None:
    texts = [text[1] for line in lines if (text := _apart(line)) is not None]
    if not texts or len(texts) * 2 < len(lines):
        return None
    return several.written(several.told([text for text in texts if text.strip()], timed=False))


def parser(hints: Hints) -> LineParser:
    inner = several.parser(hints.shape, hints)
    formats = several.read(hints.shape)
    loose = not formats or formats[0][0].name not in several.FREE

    def read(line: str) -> Rec | None:
        found = _apart(line)
        if found is None:
            return None
        stamp, text = found
        rec = inner(text)
        if rec is None and loose and not framing.CONTINUES.match(text.encode()):
            rec = Rec(None, hints.service, levels.labelled(text), text)
        return rec._replace(at=times.parse(stamp)) if rec else None

    return read


def inner(line: str) -> str | None:
    found = _apart(line)
    return found[1] if found else line


def _apart(line: str) -> tuple[str, str] | None:
    """(time, text); docker compose and `kubectl logs --timestamps` write none of the marks between them."""
    match = framing.CRI.fullmatch(line.encode())
    return (match[1].decode(), match[4].decode("utf-8", "replace")) if match else None


FORMAT = LogFormat("container log", shape, parser, inner=inner)
