"""`hermes-ops` as a process, for tests of what it does. That the program starts by itself, and how fast, is tested in
`tests/cli` with `python -m hermes_ops`; here its imports are paid once a test process (`tests/forkserver.py`).
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@functools.cache
def _server() -> socket.socket:
    """Started once; it ends when this end of its socket is closed."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.forkserver", str(theirs.fileno())]
    with theirs:
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


Told = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Forked:
    """Like `asyncio.subprocess.Process`, as far as tests need it."""

    def __init__(self, pid: int, out: asyncio.StreamReader, err: asyncio.StreamReader, told: Told) -> None:
        self.pid, self.stdout, self.stderr = pid, out, err
        self.returncode: int | None = None
        self._ended = asyncio.create_task(self._end(*told))

    async def _end(self, told: asyncio.StreamReader, conn: asyncio.StreamWriter) -> int:
        self.returncode = int(await told.readline())
        conn.close()
        return self.returncode

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    async def communicate(self) -> tuple[bytes, bytes]:
        out, err, _ = await asyncio.gather(self.stdout.read(), self.stderr.read(), self.wait())
        return out, err

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(9)


async def start(*args: str, env: Mapping[str, str]) -> Forked:
    """`hermes-ops` with these arguments, without standard input, in this process's environment and `env`."""
    (out, told_out), (err, told_err) = os.pipe(), os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    asked = json.dumps({"args": args, "env": {**os.environ, **env}, "cwd": str(Path.cwd())}).encode()
    ours, theirs = socket.socketpair()
    with theirs:
        socket.send_fds(_server(), [b"x"], [theirs.fileno()])
    socket.send_fds(ours, [asked], [nothing, told_out, told_err])
    ours.shutdown(socket.SHUT_WR)
    for file in (nothing, told_out, told_err):
        os.close(file)
    told = await asyncio.open_connection(sock=ours)
    pid = int(await told[0].readline())
    return Forked(pid, await _reader(out), await _reader(err), told)


async def _reader(file: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    pipe = os.fdopen(file, "rb", 0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader
