"""With what a command ends, for whoever called it (docs/CLI.md)."""

from __future__ import annotations

ANSWERED, FAILED, USAGE, STORE, MODEL, BUSY, CANCELLED, PIPE = 0, 1, 2, 3, 4, 6, 130, 141
BY_STATUS = {"failed": FAILED, "busy": BUSY, "cancelled": CANCELLED}  # of an answer; all others are ANSWERED
