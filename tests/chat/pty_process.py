"""A program on a terminal of its own, typed to and read from like a person would."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from types import TracebackType

TAKE_THE_TERMINAL = "import fcntl, runpy, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); " + (
    "sys.argv = ['hermes-ops', *sys.argv[1:]]; runpy.run_module('hermes_ops', run_name='__main__')"
)
PATIENCE = 20.0
CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\r")


class OnTerminal:
    """`with OnTerminal("chat", …, env=…) as chat:`; `seen` is all output so far, as text without escapes."""

    def __init__(self, *args: str, env: Mapping[str, str]) -> None:
        self._ours, theirs = os.openpty()
        command = [sys.executable, "-c", TAKE_THE_TERMINAL, *args]
        whole = {**os.environ, "TERM": "xterm", "COLUMNS": "200", **env}
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=whole
        )
        os.close(theirs)
        self.raw = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._from = 0  # of `seen`: where the next wait begins

    @property
    def seen(self) -> str:
        return CONTROL.sub("", self.raw)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def line(self, text: str) -> None:
        self.type(text + "\r")

    def paste(self, text: str) -> None:
        """As a terminal marks it when the program asked for that."""
        self.type(f"\x1b[200~{text}\x1b[201~\r")

    def wait(self, words: str) -> str:
        """Until the words were seen after what was waited for before; what came up to there."""
        until = time.monotonic() + PATIENCE
        while words not in self.seen[self._from :]:
            if time.monotonic() > until or not self._read(0.1):
                raise AssertionError(f"{words!r} didn't come; seen: …{self.seen[self._from :][-3000:]}")
        end = self.seen.index(words, self._from) + len(words)
        before, self._from = self.seen[self._from : end], end
        return before

    def end(self) -> int:
        """Reads to the end, and gives the exit code."""
        until = time.monotonic() + PATIENCE
        while self._read(0.1) and time.monotonic() < until:
            pass
        return self.process.wait(timeout=PATIENCE)

    def _read(self, seconds: float) -> bool:
        """False where the program has closed its terminal."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return self.process.poll() is None
        try:
            data = os.read(self._ours, 65_536)
        except OSError:
            return False
        self.raw += self._decoder.decode(data)
        return bool(data)

    def __enter__(self) -> OnTerminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._ours)
