"""Opening a file whatever it is wrapped in: compression by magic bytes, another encoding, a container's framing.

A wrapping's name lists the layers from the outside in: "gz+gb18030", "docker", "utf-16-le"; "" is plain UTF-8 lines.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from subagents.folder import codings, framing

_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bz2"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
_FED = 1 << 10  # packed bytes at a time: of nothing but zeros they are 32 MB unpacked
_RATIO = {"": 1, "gz": 10, "xz": 14, "bz2": 14, "zst": 10}


class Unreadable(Exception):
    """A file can't be read; the message says why."""


def compression(path: Path) -> str:
    try:
        with path.open("rb") as f:
            start = f.read(6)
    except OSError:
        return ""
    return next((name for magic, name in _MAGIC if start.startswith(magic)), "")


def unpacked(size: int, packed: str) -> int:
    """The bytes of a file after unpacking, about."""
    return size * _RATIO.get(packed.split("+")[0], 1)


def opened(path: str, packed: str) -> IO[bytes]:
    """A stream of the unpacked bytes. Raises Unreadable where it can't be had."""
    outer, *inner = packed.split("+")
    layers = inner if outer in _RATIO else [outer, *inner]
    stream = _decompressed(path, outer)
    for layer in layers:
        if layer in codings.NAMES:
            stream = cast(IO[bytes], codings.Recoded(stream, layer))
        else:
            stream = cast(IO[bytes], framing.Unframed(stream, layer))
    return stream


def _decompressed(path: str, packed: str) -> IO[bytes]:
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
    return cast(IO[bytes], _Frames(open(path, "rb"), library.ZstdDecompressor().decompressobj))


def _zst_command(path: str) -> IO[bytes]:
    command = shutil.which("zstd")
    if command is None:
        raise Unreadable("it is zstd-compressed: install the Python package zstandard or the zstd command")
    process = subprocess.Popen([command, "-dc", "--", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return cast(IO[bytes], _Piped(process))


class _Frames(io.RawIOBase):
    """zstd frames one after another. The library's own stream ends without a word where a frame is cut off; here that
    is an EOFError, after all that came before it. `frame()`: what unpacks one."""

    def __init__(self, packed: IO[bytes], frame: Callable[[], Any]) -> None:
        self._packed, self._frame = packed, frame
        self._at: Any = None
        self._rest = b""
        self._broken: Exception | None = None

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        """At least `n` bytes, as long as there are so many; all where it is below 0."""
        pieces: list[bytes] = []
        size = 0
        while (n < 0 or size < n) and not self._broken and (piece := self._next()):
            pieces.append(piece)
            size += len(piece)
        if self._broken and not pieces:
            raise self._broken
        return b"".join(pieces)

    def _next(self) -> bytes:
        try:
            return self._unpacked()
        except Exception as e:  # the library's own class for what is no zstd
            self._broken = e
            return b""

    def _unpacked(self) -> bytes:
        while piece := self._rest or self._packed.read(_FED):
            self._at = self._at or self._frame()
            text: bytes = self._at.decompress(piece)
            self._rest = b""
            if self._at.eof:
                self._rest, self._at = self._at.unused_data, None
            if text:
                return text
        if self._at is not None:
            raise EOFError("its last frame is cut off")
        return b""

    def close(self) -> None:
        self._packed.close()
        super().close()


class _Piped(io.RawIOBase):
    """A command's output; closing it early ends the command. Raises OSError where it ends and says that it failed,
    after all that it gave."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        assert self._process.stdout is not None
        piece = self._process.stdout.read(n)
        if not piece and n and (code := self._process.wait()):
            raise OSError(f"zstd ended with {code}")
        return piece

    def close(self) -> None:
        if not self.closed:
            self._process.kill()
            self._process.communicate()
        super().close()
