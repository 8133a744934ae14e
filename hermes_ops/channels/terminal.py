"""A terminal that is written to while somebody types: lines of output go above the line that is being edited.

Editing and history are the standard library's readline; without a terminal lines are read as they come and nothing is
drawn. Reading belongs to the main thread, so that Ctrl-C ends it; writing may come from any.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from hermes_ops.channels.waking import Waking
from orchestrator.cleaning import clean

PROMPT, MORE = "› ", "… "
KEPT = 1000  # lines of history
CLEAR = "\r\x1b[2K"


class Terminal:
    """`history`: the file that keeps what was typed, its owner's alone; None: nothing is kept."""

    def __init__(self, history: Path | None = None) -> None:
        self.live = sys.stdin.isatty() and sys.stdout.isatty()
        self._history = history
        self._readline: Any = _readline() if self.live else None
        self._lock = threading.RLock()
        self._prompt = ""  # what stands before the cursor while somebody types
        self._reading = False
        self._former: Any = signal.SIG_DFL
        self._waking = Waking()
        self.interrupted = False  # by a Ctrl-C that came while nobody read

    def __enter__(self) -> Terminal:
        self._former = signal.signal(signal.SIGINT, self._on_sigint)
        if self.live:
            self._waking.__enter__()
        if self._readline is not None:
            self._readline.set_auto_history(False)
            # Python switches the marking of pastes off; without it each pasted line would be a question
            self._readline.parse_and_bind("set enable-bracketed-paste on")
            self._readline.set_history_length(KEPT)
            with contextlib.suppress(OSError):
                if self._history:
                    self._readline.read_history_file(self._history)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._former)
        if self.live:
            self._waking.__exit__()
        if self._readline is not None and self._history:
            with contextlib.suppress(OSError):
                self._history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._history.touch(mode=0o600)
                self._readline.write_history_file(self._history)

    def read(self, more: bool = False) -> str:
        """One line, or several that were pasted at once. Raises EOFError at the end, KeyboardInterrupt at Ctrl-C."""
        prompt = MORE if more else PROMPT
        self._reading = True
        try:
            if self.interrupted:
                self.interrupted = False
                raise KeyboardInterrupt
            return self._edited(prompt) if self.live else self._plain()
        finally:
            self._reading = False

    def _plain(self) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")

    def _edited(self, prompt: str) -> str:
        with self._lock:
            self._prompt = prompt
        try:
            return input(prompt)
        finally:
            with self._lock:
                self._prompt = ""

    def _on_sigint(self, number: int, frame: FrameType | None) -> None:
        """Only what is being read is broken off: elsewhere an exception would hit whatever runs just then."""
        if self._reading:
            raise KeyboardInterrupt
        self.interrupted = True

    def remember(self, line: str) -> None:
        """For the history."""
        if self._readline is not None and "\n" not in line:
            self._readline.add_history(line)

    def write(self, text: str, quiet: bool = False) -> None:
        """A line or more above what is being typed. `quiet`: beside the matter; in a pipe it goes to stderr."""
        said = clean(text).encode("utf-8", "replace").decode()
        if not self.live:
            print(said, file=sys.stderr if quiet else sys.stdout, flush=True)
            return
        with self.above():
            sys.stdout.write(f"\x1b[2m{said}\x1b[0m\n" if quiet else f"{said}\n")

    @contextlib.contextmanager
    def above(self) -> Iterator[None]:
        """What is printed inside stands above the line that is being typed, which is drawn again after it."""
        with self._lock:
            if self.live and self._prompt:
                sys.stdout.write(CLEAR)
            try:
                yield
            finally:
                if self.live and self._prompt:
                    sys.stdout.write(self._prompt + self._readline.get_line_buffer())
                sys.stdout.flush()


def _readline() -> Any:
    """The module, where this Python has one."""
    try:
        return importlib.import_module("readline")
    except ImportError:
        return _NoReadline()


class _NoReadline:
    """Stands in for it: lines are read without editing."""

    def get_line_buffer(self) -> str:
        return ""

    def __getattr__(self, name: str) -> Any:
        return lambda *args: None
