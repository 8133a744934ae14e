"""Who does what and for how long, on stderr: plain lines, or on a terminal a line that moves above them.

It reads events and ticks, and changes nothing; an event of a kind it doesn't know is passed over.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

from hermes_ops.trace.tree import who
from orchestrator.cleaning import clean
from orchestrator.contracts import Event


class _Line(Protocol):
    def update(self, status: str) -> None: ...
    def stop(self) -> None: ...


class Progress:
    """`with Progress() as p: …` and `p.event`, `p.tick` as the application's listeners. `run`: the id seen last."""

    def __init__(self, quiet: bool = False) -> None:
        self.run = ""
        self._quiet = quiet
        self._begun = time.monotonic()
        self._show: Callable[[str], None] = _plain
        self._line: _Line | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty() and not self._quiet:
            self._show, self._line = _lively()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._line:
            self._line.stop()

    def event(self, event: Event) -> None:
        self.run = event.run
        if (said := describe(event)) and not self._quiet:
            self._show(self._timed(said))

    def tick(self, path: str, text: str) -> None:
        if self._line:
            self._line.update(self._timed(f"{who(path)}: {clean(text)[-200:]}".replace("\n", " ")))

    def _timed(self, said: str) -> str:
        return f"{time.monotonic() - self._begun:5.1f} s  {said}"


def describe(event: Event) -> str:
    """The event in one line, or "" where nobody needs to see it."""
    body = event.body
    match event.kind:
        case "route":
            return "asks " + (", ".join(_chosen(c) for c in body.get("chosen") or ()) or "nobody")
        case "plan":
            return f"plans {len(body.get('parts') or ())} parts"
        case "tool":
            return f"{who(event.path)}: {body.get('tool')} {body.get('status')}{_rows(body)}"
        case "branch":
            return f"{str(body.get('step', '')).rpartition('.')[2]}: done after {body.get('ms', 0) / 1000:.1f} s"
        case "fallback":
            return f"no language model: {clean(str(body.get('why', '')))}"
    return ""


def _chosen(chosen: Any) -> str:
    name, task = chosen.get("agent", "?"), clean(str(chosen.get("task", "")))
    return f"{name} ({task[:60]}{'…' if len(task) > 60 else ''})" if task else str(name)


def _rows(body: dict[str, Any]) -> str:
    total = body.get("total")
    return f", {body.get('shown')} of {total:,} rows" if isinstance(total, int) else ""


def _plain(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _lively() -> tuple[Callable[[str], None], _Line]:
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False, markup=False)
    status = console.status("")
    status.start()

    class Line:
        def update(self, text: str) -> None:
            status.update(Text(text, no_wrap=True, overflow="ellipsis"))

        def stop(self) -> None:
            status.stop()

    return (lambda text: console.print(Text(text, style="dim"))), Line()
