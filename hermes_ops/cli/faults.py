"""The one place where an error becomes a sentence on stderr and an exit code. No traceback reaches a user, unless
HERMES_OPS_DEBUG=1; the details of what nobody expected go to a log file in the data directory, masked."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from hermes_ops.exits import CANCELLED, FAILED, PIPE, STORE
from orchestrator.cleaning import clean
from orchestrator.errors import HermesError
from orchestrator.guard.masking import mask


def report(error: BaseException) -> int:
    """Says what is wrong, and returns the exit code."""
    if os.environ.get("HERMES_OPS_DEBUG") == "1":
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):  # who read our output has gone, and Python must not flush into it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE
    if isinstance(error, KeyboardInterrupt):
        say("Cancelled.")
        return CANCELLED
    if isinstance(error, HermesError):
        say(str(error))
        return error.exit_code
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        say("The disk is full. Free some space, and ask again: what was done is kept.")
        return STORE
    say(worded(error))
    return FAILED


def worded(error: BaseException) -> str:
    """The error in a sentence; the details of what nobody expected go to the log file."""
    if isinstance(error, HermesError):
        return str(error)
    return f"Something went wrong inside hermes-ops: {_short(error)}.{_details(error)}"


def say(sentence: str) -> None:
    """A sentence on stderr, without what could steer the terminal."""
    print(clean(sentence), file=sys.stderr, flush=True)


def _short(error: BaseException) -> str:
    notes = "".join(f", {note}" for note in getattr(error, "__notes__", ()))
    return f"{type(error).__name__}{notes}"


def _details(error: BaseException) -> str:
    """Writes the traceback to the log file, and says where that is."""
    path = _data_dir() / "hermes-ops.log"
    text = mask("".join(traceback.format_exception(error)), os.urandom(32))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="replace") as log:
            log.write(f"{datetime.now(UTC).isoformat()} {text}\n")
    except OSError:
        return " Run it again with HERMES_OPS_DEBUG=1 to see the details."
    return f" The details are in {path}."


def _data_dir() -> Path:
    """Where the settings would put it; they themselves may be what went wrong."""
    from platformdirs import user_data_path

    return Path(os.environ.get("HERMES_OPS_DATA_DIR") or user_data_path("hermes-ops")).expanduser()
