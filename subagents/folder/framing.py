"""What container runtimes, journald and others wrap around log lines, taken off while a file is read.

- CRI (containerd, CRI-O): `TIME STREAM P|F TEXT`; a long line comes in parts, the last marked F.
- docker's json-file: `{"log": "TEXT\\n", "stream": …, "time": …}`; a long line (over 16 KiB) comes in parts, of which
  only the last ends in a newline.
- journald's export format: `FIELD=value` lines, or the field's name, eight bytes of length (little-endian) and data;
  an empty line ends an entry. (systemd.io/JOURNAL_EXPORT_FORMATS)
- java.util.logging's SimpleFormatter: `DATE CLASS METHOD`, and `LEVEL: TEXT` on the line below.
- JSON values that hold several records (`unrolling`).

Both container forms become whole CRI lines; a line of one stream that falls into another stream's stack trace comes
after it. Entries of an export become JSON lines, as `journalctl -o json` writes them. Knows no levels and no times.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import IO, NamedTuple

from subagents.folder import unrolling
from subagents.folder.streams import ready

CRI = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([PF])(?::\S*)? ?(.*)", re.DOTALL
)
_DOCKER = frozenset(("log", "stream", "time", "attrs"))
CONTINUES = re.compile(
    rb"(?:\s|\}|\)|\]|$|Caused by: |\.\.\. \d+ more|Traceback \(most recent|During handling of|The above exception"
    rb"|goroutine \d+ \[|created by |stack backtrace:|--- End of |[\w.$/*()\[\]{}-]+\(0x|[\w.]+(?:Error|Exception)\b)"
)
_JUL = re.compile(rb"(\S.{9,24}\d?\d:\d\d:\d\d(?: (?:[AP]M|\xe4\xb8[\x8a\x8b]\xe5\x8d\x88))?) ([\w.$]+ [\w$<>.]+)\r?$")
_SAYS = re.compile(rb"([A-Z]{4,7}|(?:[\xe4-\xe9][\x80-\xbf]{2}){2})(?::|\xef\xbc\x9a) ?(.*)", re.DOTALL)
_FIELD = re.compile(rb"[A-Z_][A-Z0-9_]*")
_WHOLE = 1 << 20  # bytes of one joined line
_GROUP = 500  # lines of one record
_PIECE = 256 << 10


class Line(NamedTuple):
    at: bytes
    stream: bytes
    text: bytes
    whole: bool


def framing(head: bytes) -> str:
    """ "cri", "docker", "journal", "jul", "json-document", "json-lines", or "" for plain lines."""
    if _exported(head):
        return "journal"
    lines = [line for line in head.split(b"\n")[:40] if line.strip()]
    if len(lines) > 1 and not head.endswith(b"\n"):
        del lines[-1]
    for name, read in (("cri", _cri), ("docker", _docker)):
        if lines and sum(1 for line in lines if read(line)) * 10 >= len(lines) * 9:
            return name
    if any(map(_follows, pairwise(lines))):
        return "jul"
    kind = unrolling.rolled(head.decode("utf-8", "replace"))
    return f"json-{kind}" if kind else ""


def _follows(pair: tuple[bytes, bytes]) -> bool:
    return bool(_JUL.match(pair[0]) and _SAYS.match(pair[1]))


def _exported(head: bytes) -> bool:
    names = re.findall(rb"^(__REALTIME_TIMESTAMP|__CURSOR|_BOOT_ID)=", head[:8192], re.M)
    return len(set(names)) >= 2 and _FIELD.match(head) is not None


def _cri(line: bytes) -> Line | None:
    match = CRI.fullmatch(line.rstrip(b"\r"))
    return Line(match[1], match[2], match[4], match[3] == b"F") if match else None


def _docker(line: bytes) -> Line | None:
    if not line.startswith(b'{"'):
        return None
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(item, dict) or not {"log", "stream", "time"} <= item.keys() <= _DOCKER:
        return None
    text = str(item["log"])
    whole = text.endswith("\n")
    return Line(str(item["time"]).encode(), str(item["stream"]).encode(), text.rstrip("\r\n").encode(), whole)


class Unframed(io.RawIOBase):
    """A framed stream as plain lines; a line that isn't framed goes through as it is."""

    def __init__(self, inner: IO[bytes], name: str) -> None:
        self._inner = inner
        self._broken: Exception | None = None
        lines = _split(inner)
        if name == "journal":
            self._lines = _entries(inner)
        elif name == "jul":
            self._lines = _paired(lines)
        elif name.startswith("json-"):
            self._lines = unrolling.lines(inner, name.removeprefix("json-"), lines)
        else:
            self._lines = _joined(lines, _cri if name == "cri" else _docker)

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        """Raises what `inner` raises, after all that came before it."""
        pieces: list[bytes] = []
        size = 0
        while (n < 0 or size < n) and (line := self._next()) is not None:
            pieces.append(line + b"\n")
            size += len(pieces[-1])
        if self._broken and not pieces:
            raise self._broken
        return b"".join(pieces)

    def _next(self) -> bytes | None:
        try:
            return next(self._lines, None)
        except Exception as e:  # each library has its own class for a broken archive
            self._broken = e
            return None

    def close(self) -> None:
        self._inner.close()
        super().close()


def _split(stream: IO[bytes]) -> Iterator[bytes]:
    kept = bytearray()  # the line that has no end yet: pieces of it are searched and copied once
    read = ready(stream)
    while piece := read(_PIECE):
        head, end, rest = piece.rpartition(b"\n")
        if end:
            kept += head
            yield from bytes(kept).split(b"\n")
            kept.clear()
        kept += rest
        while len(kept) > _WHOLE:
            yield bytes(kept[:_WHOLE])
            del kept[:_WHOLE]
    if kept:
        yield bytes(kept)


def _paired(lines: Iterator[bytes]) -> Iterator[bytes]:
    """java.util.logging's two lines as one, `DATE LEVEL: [CLASS METHOD] TEXT`."""
    waiting: re.Match[bytes] | None = None
    for line in lines:
        said = _SAYS.match(line) if waiting else None
        if waiting and said:
            yield b"%b %b: [%b] %b" % (waiting[1], said[1], waiting[2].strip(), said[2])
        elif waiting:
            yield waiting.string
        waiting = None if said else _JUL.match(line)
        if not said and waiting is None:
            yield line
    if waiting:
        yield waiting.string


def _joined(lines: Iterator[bytes], read: object) -> Iterator[bytes]:
    """Parts put together, and each stream's records kept whole."""
    assert callable(read)
    open_parts: dict[bytes, tuple[Line, bytearray]] = {}  # of each stream: the first part, and all text so far
    groups: dict[bytes, list[bytes]] = {}
    for raw in lines:
        line: Line | None = read(raw)
        if line is None:
            yield from _flushed(groups)
            yield raw
            continue
        if line.stream in open_parts or not line.whole:
            first, text = open_parts.setdefault(line.stream, (line, bytearray()))
            text += line.text[: max(0, _WHOLE - len(text))]
            if not line.whole:
                continue
            del open_parts[line.stream]
            line = first._replace(text=bytes(text))
        yield from _grouped(groups, line)
    for first, text in open_parts.values():  # cut off at the end of the file
        yield from _grouped(groups, first._replace(text=bytes(text)))
    yield from _flushed(groups)


def _grouped(groups: dict[bytes, list[bytes]], line: Line) -> Iterator[bytes]:
    """A stream's record is given out when its next one begins, or when another stream's ends before it went on."""
    own = groups.setdefault(line.stream, [])
    if own and (not CONTINUES.match(line.text) or len(own) >= _GROUP):
        yield from own
        own.clear()
        for stream, group in groups.items():
            if stream != line.stream and group:
                yield from group
                group.clear()
    own.append(b" ".join((line.at, line.stream, b"F", line.text)))


def _flushed(groups: dict[bytes, list[bytes]]) -> Iterator[bytes]:
    for group in groups.values():
        yield from group
        group.clear()


def _entries(stream: IO[bytes]) -> Iterator[bytes]:
    """The entries of a journal export as JSON lines. Data that is no UTF-8 becomes a list of bytes."""
    reader = io.BufferedReader(_Raw(stream), _PIECE)
    entry: dict[str, object] = {}
    while line := reader.readline(_WHOLE):
        text = line.rstrip(b"\n")
        if not text:
            if entry:
                yield json.dumps(entry, ensure_ascii=False).encode()
            entry = {}
            continue
        name, found, value = text.partition(b"=")
        if not found:
            size = int.from_bytes(reader.read(8), "little")
            value = reader.read(min(size, _WHOLE))
            if size > _WHOLE:
                value += b"..."
                _skip(reader, size - _WHOLE)
            reader.read(1)
        _put(entry, name.decode("ascii", "replace"), value)
    if entry:
        yield json.dumps(entry, ensure_ascii=False).encode()


def _put(entry: dict[str, object], name: str, value: bytes) -> None:
    """The first value of a field counts, as in most readers of journals."""
    try:
        entry.setdefault(name, value.decode())
    except UnicodeDecodeError:
        entry.setdefault(name, list(value))


def _skip(reader: IO[bytes], size: int) -> None:
    while size > 0 and (piece := reader.read(min(size, _PIECE))):
        size -= len(piece)


class _Raw(io.RawIOBase):
    """Any stream with `read`, for a buffered reader."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._read = ready(inner)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._read(len(view))
        view[: len(data)] = data
        return len(data)
