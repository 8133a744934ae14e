"""What a run is doing, as a few lines for a chat: sub-agent by sub-agent, with the first thing each tool found.

It reads events; what code found is shown at once, long before the model has words for it. A kind of event that it
doesn't know is passed over.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from hermes_ops.channels.panelwords import worded
from hermes_ops.channels.words import say
from hermes_ops.trace.tree import who
from orchestrator.cleaning import clean
from orchestrator.contracts import Event
from subagents.saying import NAMES

LINE, LINES = 110, 12


class Doing:
    """`show`: called with the whole text whenever it changes; `ran`: seconds of work before this process."""

    def __init__(self, lang: str, show: Callable[[str, float], None], ran: float = 0.0) -> None:
        self._lang, self._show = lang, show
        self._begun = time.monotonic() - ran
        self._head = say("understanding", lang)
        self._lines: dict[str, str] = {}

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def event(self, event: Event) -> None:
        """For the application's `on_event`."""
        body = event.body
        if event.kind == "route":
            names = dict.fromkeys(str(c.get("agent")) for c in body.get("chosen") or ())
            if names:
                self._head = self._said("asking", names=", ".join(map(self._name, names)))
        elif event.kind == "agent" and body.get("agent") != "supervisor":
            self._lines.setdefault(event.path, self._said("looking", who=self._name(str(body.get("agent")))))
        elif event.kind == "tool":
            self._found(event)
        elif event.kind == "fallback":
            self._head = self._said("no_model")
        else:
            return
        lines = list(self._lines.values())[-LINES:]
        self._show("\n".join([f"{self._head} {self.seconds:.1f} s", *lines]), self.seconds)

    def _found(self, event: Event) -> None:
        found = _first_line(event, self._lang)
        if event.body.get("status") == "ok" and found:
            tool = str(event.body.get("tool"))
            self._lines.pop(event.path, None)  # "looking"
            said = self._said("found", who=self._name(who(event.path)), tool=tool, text=found)
            self._lines[f"{event.path} {tool}"] = said

    def _name(self, agent: str) -> str:
        return NAMES.get(agent, agent) if self._lang == "zh" else agent

    def _said(self, key: str, **given: Any) -> str:
        return say(key, self._lang, **given)


def _first_line(event: Event, lang: str) -> str:
    """Of what the tool found: its first row, or its heading where it has none."""
    try:
        text = str(json.loads(event.blobs[0].text or "")["result"]["text"])
    except (IndexError, ValueError, KeyError, TypeError):
        return ""
    lines = [line.strip(" *") for line in clean(text).splitlines() if line.strip()]
    line = worded(lines[1] if len(lines) > 1 else "".join(lines), lang)
    return line if len(line) <= LINE else line[: LINE - 1] + "…"
