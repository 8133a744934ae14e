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
from pathlib import Path
from typing import IO, Any, cast

from subagents.folder import codings, framing

_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bz2"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
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
