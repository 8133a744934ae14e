"""For a worker process: it stops in the middle of its answer. It imports little, so that the process is quick."""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path


def stops(mark: str) -> str:
    """`mark`: a file that is made when half of the answer is on its way."""

    def half(pipe: Connection, data: bytes) -> None:
        os.write(pipe.fileno(), data[: len(data) // 2])
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGSTOP)

    Connection._send = half  # type: ignore[attr-defined]
    return "x" * 100_000
