"""Log records that stand inside JSON values, as JSON lines of one record each: lists of records (Kibana, `gcloud
logging read`, CloudWatch's `{"events": […]}`, search answers of Elasticsearch), OTLP's batches, and Loki's streams.

It takes nothing that holds records of another kind (`walking`), and nothing that is one record a line already.
(opentelemetry.io/docs/specs/otlp, JSON encoding; grafana.com/docs/loki, query_range)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from subagents.folder import walking
from subagents.folder.formats import json_lines
from subagents.folder.streams import ready

LARGEST = 64 << 20  # bytes of one document
_DEPTH = 8
_TRIED = 200  # objects of a head that breaks off
_BROKEN = 100  # objects that can't be read; each is sought to its end, which may be the file's
_SEVERITY = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")  # four numbers each, from 1
_OPENS = re.compile(r"\{|\[\s*+[\[{]")  # not the `[date]` or `[pod/name]` that many lines begin with
_DECODER = json.JSONDecoder()


class Partly(Exception):
    """A document was read in part only; the message says how far."""


def rolled(head: str) -> str:
    """ "document" or "lines" where the head of a file is of JSON that holds log records, else ""."""
    start = head.lstrip("\ufeff \t\r\n")
    if not _OPENS.match(start):
        return ""
    value = _value(start.partition("\n")[0])
    if isinstance(value, dict):
        return "" if json_lines.is_log(value) or not _held(value) else "lines"
    whole = _value(start)
    if whole is not None:
        return "document" if _held(whole) else ""
    return "document" if _broken_off(start) else ""


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _held(value: Any) -> bool:
    known = any(name for name, _ in walking.walk(value, {}))
    return not known and next(_records(value, {}), None) is not None


def _broken_off(text: str) -> bool:
    """Whether the whole objects of a document's beginning are log records."""
    at, tried, logs = text.find("{"), 0, 0
    while at >= 0 and tried < _TRIED:
        tried += 1
        try:
            item, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if any(name for name, _ in walking.walk(item, {})):
            return False
        logs += next(_records([item], {}), None) is not None
        at = text.find("{", end)
    return logs > 0


def lines(stream: IO[bytes], kind: str, raw: Iterator[bytes]) -> Iterator[bytes]:
    """What `stream` (or its lines, `raw`) holds, one record a line. What holds none goes through as it is. Raises
    Partly after what could be read."""
    for piece in raw if kind == "lines" else _whole(stream):
        value = _value(piece.decode("utf-8-sig", "replace"))
        found = False
        for record in _records(value, {}) if value is not None else ():
            found = True
            yield json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
        if not found and piece.strip():
            yield piece


def _whole(stream: IO[bytes]) -> Iterator[bytes]:
    data, broken, read = bytearray(), None, ready(stream)
    try:
        while len(data) <= LARGEST and (piece := read(1 << 20)):
            data += piece
    except Exception as e:  # each library has its own class for a broken archive
        broken = e
    yield from _recovered(bytes(data[:LARGEST]))
    if broken:
        raise broken
    if len(data) > LARGEST:
        raise Partly(f"only the first {LARGEST >> 20} MB of its JSON are read: export it as JSON lines")


def _recovered(data: bytes) -> Iterator[bytes]:
    """The document; of one that breaks off, its whole objects one by one, and the rest as it is. Raises Partly."""
    text = data.decode("utf-8-sig", "replace")
    if _value(text) is not None:
        yield data
        return
    at, kept, broken = text.find("{"), 0, 0
    while at >= 0 and broken < _BROKEN:
        try:
            item, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            broken += 1
            at = text.find("{", at + 1)
            continue
        yield json.dumps([item], ensure_ascii=False).encode("utf-8", "replace")
        at, kept = text.find("{", end), end
    yield text[kept:].strip(" \r\n,]}").replace("\n", " ").encode("utf-8", "replace")
    if broken == _BROKEN:
        raise Partly(f"its JSON is broken in {_BROKEN} places, and not read after them")


def _records(value: Any, around: Mapping[str, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict) and json_lines.tells(item):
                yield {**around, **_otlp(item)}
            elif isinstance(item, dict | list):
                yield from _records(item, around, depth + 1)
        return
    if not isinstance(value, dict):
        return
    if isinstance(value.get("stream"), dict) and isinstance(value.get("values"), list):
        yield from _stream(value)
        return
    resource = value.get("resource")
    inner = {**around, **walking.attributes(resource.get("attributes"))} if isinstance(resource, dict) else around
    for child in value.values():
        if isinstance(child, dict | list):
            yield from _records(child, inner, depth + 1)


def _stream(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for pair in value["values"]:
        if isinstance(pair, list) and len(pair) >= 2:
            yield {"timestamp": pair[0], "message": pair[1], **value["stream"]}


def _otlp(item: dict[str, Any]) -> dict[str, Any]:
    number = item.get("severityNumber")
    if not isinstance(number, int) or item.get("severityText") or not 0 < number <= 24:
        return item
    return {**item, "severityText": _SEVERITY[(number - 1) // 4]}
