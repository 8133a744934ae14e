"""What a message brought along (pasted log lines, a file) as one more source beside the folder it is asked about."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from hermes_ops.pictures import is_picture
from orchestrator.contracts import Incoming
from subagents.sources import Sources


def place(question: Incoming) -> Path | None:
    """The directory of its attachments, pictures apart, where there still is one."""
    file = next((file for file in question.attachments if not is_picture(file)), None)
    path = Path(file.path).parent if file else None
    return path if path and path.is_dir() else None


def together(*offered: Sources) -> Sources:
    """All sources of each kind; those of one kind are asked together."""
    joined = {f.name: tuple(one for sources in offered for one in getattr(sources, f.name)) for f in fields(Sources)}
    return Sources(**joined)
