"""`hermes-ops trace graph` and `html`: a recorded run as a picture of its route, and as a page that plays it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.recorded import Run, one, readers_may_leave, settings
from orchestrator.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from hermes_ops.trace.story import Story

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there instead of to stdout.")]
Format = Annotated[str, typer.Option("--format", metavar="F", help="mermaid, dot, graphml or svg.")]


def graph(run: Run, format: Format = "mermaid", out: Out = None) -> None:
    """Draw a run's route: who asked whom and why, who wasn't asked, which tools were called."""
    from hermes_ops.trace.graph import route
    from hermes_ops.trace.graph_formats import FORMATS

    if format not in FORMATS:
        raise ConfigError(f"--format {format[:40]!r} is unknown. Valid: {', '.join(FORMATS)}.")
    write(FORMATS[format](route(story_of(run))), out)


def html(run: Run, out: Out = None) -> None:
    """Write a run as one HTML file that plays it: every step, thought, call and result; opens from disk."""
    from hermes_ops.trace.html import page

    told = story_of(run)
    write(page(told), out or Path(f"{told.run['run']}.html"))


def story_of(run: str) -> Story:
    from hermes_ops.trace import story, tree

    info, events = one(run)
    return story.tell(info, events, tree.build(events), settings().limits.history_tokens)


def write(text: str, out: Path | None) -> None:
    """To a file, which is said, or to stdout. Raises StoreError where the file can't be written."""
    if out is None or str(out) == "-":
        with readers_may_leave():
            sys.stdout.write(text)
            sys.stdout.flush()
        return
    try:
        out.write_text(text, encoding="utf-8", errors="replace")
    except OSError as e:
        raise StoreError(f"{out} can't be written: {e.strerror}. Name another file with -o.") from None
    say(f"Written: {out} ({len(text.encode('utf-8', 'replace')):,} bytes)")
