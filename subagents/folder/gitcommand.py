"""Running `git` to read a repository, whatever stands in it: no shell, no hooks, no helpers, no network, no writing.

What a repository configures to run is switched off. A run ends at its time or at its most bytes, whichever comes first.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import HermesError

MOST = 64 << 20  # bytes of one answer
_CHUNK = 256 << 10
_SAFE = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "diff.external=", "protocol.allow=never",
    "core.sshCommand=false", "credential.helper=", "log.showSignature=false", "core.quotePath=false",
    "safe.directory=*", "gc.auto=0", "maintenance.auto=false",
)  # fmt: skip


class GitError(HermesError):
    """In words for a person. `slow`: it was ended at its time."""

    def __init__(self, said: str, slow: bool = False) -> None:
        super().__init__(said)
        self.slow = slow


def invocation(repository: Path, *args: str) -> tuple[list[str], dict[str, str]]:
    """(command line, environment). Raises GitError where there is no git command."""
    command = shutil.which("git")
    if command is None:
        raise GitError("there is no git command here to read it with")
    options = [part for setting in _SAFE for part in ("-c", setting)]
    environment = {
        "PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CEILING_DIRECTORIES": str(repository.resolve().parent),  # a directory inside another one's is none itself
    }  # fmt: skip
    return [command, "--no-pager", *options, "-C", str(repository), *args], environment


async def output(repository: Path, args: Sequence[str], seconds: float, most: int = MOST) -> tuple[bytes, bool]:
    """What git prints, and whether that is all; more than `most` bytes aren't waited for. Raises GitError."""
    line, environment = invocation(repository, *args)
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *line, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environment
        )
    except OSError as e:
        raise GitError(f"git can't be started: {e.strerror or e}") from None
    said = asyncio.create_task(_drained(process.stderr, 4 << 10))
    try:
        async with asyncio.timeout(seconds):
            text, whole = await _read(process.stdout, most)
            code = await process.wait() if whole else 0
    except TimeoutError:
        raise GitError(f"git gave no answer within {seconds:g} s", slow=True) from None
    finally:
        await _ended(process)
        error = await said
    if code:
        raise GitError(error.decode("utf-8", "replace").strip().split("\n")[-1] or f"git ended with {code}")
    return text, whole


async def _read(stream: asyncio.StreamReader | None, most: int) -> tuple[bytes, bool]:
    """At most so many bytes, and whether they are all."""
    got = bytearray()
    while stream and (chunk := await stream.read(_CHUNK)):
        got += chunk
        if len(got) > most:
            return bytes(got[:most]), False
    return bytes(got), True


async def _drained(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """The first bytes of all that is said: what isn't read fills the pipe, and git waits for ever."""
    got = bytearray()
    while stream and (chunk := await stream.read(_CHUNK)):
        got += chunk[: most - len(got)]
    return bytes(got)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Killed where it still runs; what lies in its pipe is read off, so that it closes."""
    if process.returncode is None:
        process.kill()
        while process.stdout and await process.stdout.read(_CHUNK):
            pass
        await process.wait()
