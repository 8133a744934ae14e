"""Files as bounded streams: listing, decompression by magic bytes, heads, tails, lines with a cap.

Knows nothing of what stands in them. A line longer than `LINE_CAP` is cut, its rest read over; nothing here ever
holds a whole file.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import importlib
import io
import lzma
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

BLOCK = 1 << 20
LINE_CAP = 256 << 10
HEAD = 64 << 10
_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bz2"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
BROKEN = (OSError, EOFError, lzma.LZMAError, ValueError)


class Found(NamedTuple):
    """One file: path, size in bytes, mtime in ns, compression ("" = plain)."""

    path: str
    size: int
    mtime: int
    packed: str


class Unreadable(Exception):
    """A file can't be read; the message says why."""


def listing(root: Path) -> Iterator[Found]:
    """All regular files below `root` by path, without following links out of it or entering `.git` stores."""
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(n for n in names if n != ".git" and not _bare(Path(folder) / n))
        for name in sorted(files):
            path = Path(folder) / name
            if path.is_file() and (path.name != ".git"):
                stat = path.stat()
                yield Found(str(path), stat.st_size, stat.st_mtime_ns, compression(path))


def repositories(root: Path) -> Iterator[Path]:
    """Work trees with a `.git` inside, and bare repositories."""
    for folder, names, files in os.walk(root, followlinks=False):
        here = Path(folder)
        if ".git" in names or ".git" in files or _bare(here):
            yield here
            names[:] = []
        names.sort()


def _bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def compression(path: Path) -> str:
    try:
        with path.open("rb") as f:
            start = f.read(6)
    except OSError:
        return ""
    return next((name for magic, name in _MAGIC if start.startswith(magic)), "")


def opened(path: str, packed: str) -> IO[bytes]:
    """A stream of the unpacked bytes. Raises Unreadable where it can't be had."""
    try:
        if packed == "gz":
            return cast(IO[bytes], gzip.open(path, "rb"))
        if packed == "xz":
            return cast(IO[bytes], lzma.open(path, "rb"))
        if packed == "bz2":
            return cast(IO[bytes], bz2.open(path, "rb"))
        if packed == "zst":
            return _zst(path)
        return open(path, "rb", buffering=0)
    except OSError as e:
        raise Unreadable(f"it can't be opened: {e.strerror or e}") from e


def _zst(path: str) -> IO[bytes]:
    try:
        library: Any = importlib.import_module("zstandard")
    except ImportError:
        return _zst_command(path)
    return cast(IO[bytes], library.open(path, "rb"))


def _zst_command(path: str) -> IO[bytes]:
    command = shutil.which("zstd")
    if command is None:
        raise Unreadable("it is zstd-compressed: install the Python package zstandard or the zstd command")
    process = subprocess.Popen([command, "-dc", "--", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    return cast(IO[bytes], _Piped(process))


class _Piped(io.RawIOBase):
    """A command's output; closing it early ends the command."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.read(n)

    def close(self) -> None:
        if not self.closed:
            self._process.kill()
            self._process.communicate()
        super().close()


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
        read = getattr(f, "read1", f.read)  # what is there, so that nothing is lost when the next bytes are broken
        pieces: list[bytes] = []
        while True:
            try:
                piece = read(size)
            except BROKEN as e:
                yield from filter(None, (b"".join(pieces),))
                raise Unreadable(f"the archive breaks off: {e}") from e
            pieces.append(piece)
            if not piece or sum(map(len, pieces)) >= size:
                yield from filter(None, (b"".join(pieces),))
                pieces = []
            if not piece:
                return


def line_blocks(path: str, packed: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """(offset, whole lines) for all lines whose first byte lies in `[start, end)`, a megabyte or so at a time.

    A line is in exactly one of two ranges that meet, wherever they meet. A line over `LINE_CAP` is cut to it.
    """
    at, carry, dropped, skip = max(0, start - 1), b"", 0, start > 0
    for block in blocks(path, packed, at):
        if skip or dropped:  # read on to the end of a line that isn't ours, or that was cut
            cut = block.find(b"\n")
            if cut < 0:
                at, dropped = (at + len(block), 0) if skip else (at, dropped + len(block))
                continue
            if dropped:
                yield at, carry + b"\n"
            at, carry = at + len(carry) + dropped + cut + 1, b""
            skip, dropped, block = False, 0, block[cut + 1 :]
        if end is not None and at >= end:
            return
        cut = block.rfind(b"\n") + 1
        whole, rest = (carry + block[:cut], block[cut:]) if cut else (b"", carry + block)
        if whole and end is not None and at + len(whole) >= end:
            yield at, whole[: whole.find(b"\n", end - at - 1) + 1]
            return
        if whole:
            yield at, whole
            at += len(whole)
        carry = rest
        if len(carry) > LINE_CAP:
            dropped, carry = len(carry) - LINE_CAP, carry[:LINE_CAP]
    if carry and not skip and (end is None or at < end):
        yield at, carry + b"\n"


def lines(path: str, packed: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """(offset, line without its newline); each line once, as `line_blocks` says."""
    for at, block in line_blocks(path, packed, start, end):
        for line in block[:-1].split(b"\n"):
            yield at, line[:LINE_CAP]
            at += len(line) + 1
