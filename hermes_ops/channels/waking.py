"""A Ctrl-C always reaches whoever waits for a line.

Python's readline looks for signals only where one interrupts its waiting: one that comes a moment before (while a key
is drawn) would be noticed at the next Enter. So for each SIGINT that C has taken, the main thread is interrupted a few
more times by a signal that means nothing. It knows no terminal.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from typing import Any

NUDGES = (0.02, 0.05, 0.1, 0.3, 1.0)  # seconds between them: some of them find it waiting
MEANS_NOTHING = signal.SIGURG


class Waking:
    """Entered and left on the main thread."""

    def __enter__(self) -> Waking:
        self._ours, self._theirs = socket.socketpair()
        self._theirs.setblocking(False)
        self._former: Any = signal.signal(MEANS_NOTHING, _nothing)
        self._former_fd = signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._watch, name="ctrl-c", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._former_fd)
        signal.signal(MEANS_NOTHING, self._former)
        self._theirs.close()  # which ends the thread

    def _watch(self) -> None:
        """Python writes the number of each signal it has taken into the socket, at once."""
        with self._ours:
            while taken := self._ours.recv(64):
                if signal.SIGINT in taken:
                    _nudge()


def _nudge() -> None:
    main = threading.main_thread().ident
    for seconds in NUDGES:
        time.sleep(seconds)
        if main is not None:
            signal.pthread_kill(main, MEANS_NOTHING)


def _nothing(number: int, frame: object) -> None:
    """An interruption is all it is for."""
