"""The lines of a whole plain file that can be errors, found by GNU grep where there is one: a pass of `grep -E` takes
less than half of what a search in Python does.

Expressions (`expressions`) may match more than what is sought, never less. Knows no format.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import IO

from subagents.folder import files

LEAST = 4 << 20  # bytes of a file that a process of its own is worth for
_PIECE = 256 << 10
_MEMORY = 512 << 20  # bytes that grep may take: it holds the longest line


class Unable(Exception):
    """There is no GNU grep, or it gave up; nothing is lost, since the file can be read without it."""


@lru_cache(maxsize=1)
def grep() -> str:
    """Where GNU grep is; "" without one. (Others don't hold what is promised of speed, or of bytes.)"""
    command = shutil.which("grep") if hasattr(resource, "prlimit") else None
    if command is None:
        return ""
    try:
        said = subprocess.run([command, "--version"], capture_output=True, timeout=5, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return command if b"GNU grep" in said else ""


def lines(path: str, expression: bytes, deadline: float | None) -> Iterator[bytes]:
    """Blocks of whole matching lines, in file order. Raises Unable, and TimeoutError with the byte that was reached."""
    if not grep():
        raise Unable
    with open(path, "rb", buffering=0) as file:
        process = subprocess.Popen(
            [grep(), "-a", "-E", "-e", expression],
            stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"LC_ALL": "C"},
        )  # fmt: skip
        try:
            resource.prlimit(process.pid, resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            assert process.stdout is not None
            yield from (block for _, block in files.whole_lines(_pieces(process.stdout, file, deadline)))
            if process.wait() > 1:
                raise Unable
        finally:
            process.kill()
            process.communicate()


def _pieces(out: IO[bytes], file: IO[bytes], deadline: float | None) -> Iterator[tuple[None, bytes]]:
    while True:
        left = None if deadline is None else deadline - time.monotonic()
        if (left is not None and left <= 0) or not select.select([out], [], [], left)[0]:
            raise TimeoutError(os.lseek(file.fileno(), 0, os.SEEK_CUR))  # both processes share the place in the file
        if not (piece := os.read(out.fileno(), _PIECE)):
            return
        yield None, piece
