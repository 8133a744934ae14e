"""Files as bounded streams: listing, decompression by magic bytes, heads, tails, lines with a cap.

Knows nothing of what stands in them. A line longer than `LINE_CAP` is cut, its rest read over; nothing here ever
holds a whole file.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from subagents.folder import codings, framing, unrolling
from subagents.folder.packing import Unreadable as Unreadable
from subagents.folder.packing import compression, opened
from subagents.folder.packing import unpacked as unpacked
from subagents.folder.streams import ready

BLOCK = 1 << 20
LINE_CAP = 256 << 10
HEAD = 64 << 10
_TAIL = 4 << 10
_KEPT = LINE_CAP - _TAIL


class Found(NamedTuple):
    """One file: path, size in bytes, mtime in ns, and what its bytes are wrapped in ("" = nothing: UTF-8 lines)."""

    path: str
    size: int
    mtime: int
    packed: str


def listing(root: Path) -> Iterator[Found]:
    """All regular files below `root` by path. Links aren't followed, and git repositories below it aren't entered:
    their commits are evidence, the files of their work trees aren't."""
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(n for n in names if n != ".git" and not _repository(Path(folder) / n))
        for name in sorted(files):
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink() and name != ".git":
                stat = path.stat()
                yield Found(str(path), stat.st_size, stat.st_mtime_ns, packing(path))


def repositories(root: Path) -> Iterator[Path]:
    """Work trees with a `.git` inside, and bare repositories."""
    for folder, names, _ in os.walk(root, followlinks=False):
        here = Path(folder)
        if _repository(here):
            yield here
            names[:] = []
        names.sort()


def _repository(folder: Path) -> bool:
    return (folder / ".git").exists() or _bare(folder)


def _bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def packing(path: Path) -> str:
    """All that lies around a file's lines of UTF-8, from the outside in: "gz+gb18030", "docker", "utf-16-le" …"""
    outer = compression(path)
    try:
        start = head(str(path), outer)
    except (Unreadable, OSError):
        return outer
    if b"\x00" in start and framing.framing(start) == "journal":  # whose lengths are binary
        return "+".join(filter(None, (outer, "journal")))
    layers = [outer, codings.coding(start)]
    if layers[-1] == codings.HOLES:
        start = start.replace(b"\x00", b"")
        layers.append(codings.coding(start))
    text = start.decode(layers[-1], "replace").encode() if layers[-1] else start
    return "+".join(filter(None, (*layers, framing.framing(text))))


def head(path: str, packed: str, size: int = HEAD) -> bytes:
    """The first bytes; a broken archive gives what could be unpacked. Raises Unreadable when nothing can."""
    got = b""
    try:
        for block in blocks(path, packed, 0, size):
            got += block
            if len(got) >= size:
                break
    except Unreadable:
        if not got:
            raise
    return got[:size]


def tail(path: str, packed: str, size: int = HEAD) -> bytes:
    """The last bytes, from a line start; a packed file is streamed through for them."""
    if not packed:
        with open(path, "rb") as f:
            start = max(0, os.fstat(f.fileno()).st_size - size)
            f.seek(start)
            data = f.read(size)
        return data.split(b"\n", 1)[-1] if start else data
    kept, cut = b"", False
    for block in _unbroken(path, packed):
        kept = (kept[-size:] if len(block) < size else b"") + block
        cut = cut or len(kept) > size
    return kept[-size:].split(b"\n", 1)[-1] if cut else kept


def _unbroken(path: str, packed: str) -> Iterator[bytes]:
    with contextlib.suppress(Unreadable):
        yield from blocks(path, packed)


def blocks(path: str, packed: str, start: int = 0, size: int = BLOCK) -> Iterator[bytes]:
    """Raw blocks from byte `start` (only asked of plain files). Raises Unreadable where an archive breaks off, after
    all that could be unpacked."""
    with opened(path, packed) as f:
        if start:
            f.seek(start)
        read = ready(f)
        pieces: list[bytes] = []
        while True:
            try:
                piece = read(size)
            except Exception as e:  # each library has its own class for a broken archive
                yield from filter(None, (b"".join(pieces),))
                why = str(e) if isinstance(e, unrolling.Partly) else f"the archive breaks off: {e}"
                raise Unreadable(why) from e
            pieces.append(piece)
            if not piece or sum(map(len, pieces)) >= size:
                yield from filter(None, (b"".join(pieces),))
                pieces = []
            if not piece:
                return


def line_blocks(path: str, packed: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """(offset, whole lines) for all lines whose first byte lies in `[start, end)`, a megabyte or so at a time.

    A line is in exactly one of two ranges that meet, wherever they meet. Of a line far over `LINE_CAP` only beginning
    and end are kept.
    """
    for at, whole in whole_lines(_from_line_start(path, packed, start), start):
        if end is not None and at + len(whole) >= end:
            if at < end:
                yield at, whole[: whole.find(b"\n", end - at - 1) + 1]
            return
        yield at, whole


def whole_lines(pieces: Iterable[tuple[int | None, bytes]], at: int = 0) -> Iterator[tuple[int, bytes]]:
    """(offset, lines that each end in a newline) of pieces that begin at a line; the first may come with its offset."""
    carry, over = b"", _Over()
    for first, piece in pieces:
        block = piece
        at = first if first is not None else at
        if over.size:  # a line that is too long: read on to its end
            cut = block.find(b"\n")
            over.take(block if cut < 0 else block[:cut])
            if cut < 0:
                continue
            yield at, carry + over.last + b"\n"
            at += len(carry) + over.size + 1
            over, carry, block = _Over(), b"", block[cut + 1 :]
        cut = block.rfind(b"\n") + 1
        if cut:
            yield at, b"".join((carry, memoryview(block)[:cut]))
            at += len(carry) + cut
            carry = b""
        carry += block[cut:]
        if len(carry) > LINE_CAP:
            over.take(carry[_KEPT:])
            carry = carry[:_KEPT]
    if carry:
        yield at, carry + over.last + b"\n"


def _from_line_start(path: str, packed: str, start: int) -> Iterator[tuple[int | None, bytes]]:
    """Blocks without what is left of a line that began before `start`; the first comes with its offset."""
    if start == 0:
        yield from ((None, block) for block in blocks(path, packed))
        return
    at, ours = start - 1, False
    for block in blocks(path, packed, at):
        if ours:
            yield None, block
            continue
        cut = block.find(b"\n") + 1
        if cut:
            ours = True
            yield at + cut, block[cut:]
        at += len(block)


class _Over:
    """What of a line is over its cap: how many bytes, and the last of them."""

    def __init__(self) -> None:
        self.size, self.last = 0, b""

    def take(self, data: bytes) -> None:
        self.size += len(data)
        self.last = (self.last + data[-_TAIL:])[-_TAIL:]


def capped(line: bytes) -> bytes:
    """A line of at most `LINE_CAP` bytes: its beginning and its end."""
    return line if len(line) <= LINE_CAP else line[:_KEPT] + line[-_TAIL:]


def lines(path: str, packed: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """(offset, line without its newline); each line once, as `line_blocks` says."""
    for at, block in line_blocks(path, packed, start, end):
        for line in block[:-1].split(b"\n"):
            yield at, capped(line)
            at += len(line) + 1
