"""What commands in a chat do: answered by code, at once, beside whatever runs."""

from __future__ import annotations

from hermes_ops.app import App
from hermes_ops.channels.base import Document
from hermes_ops.channels.words import help_text, say
from hermes_ops.runtime.inbox import Inbox
from hermes_ops.trace import finding, show, tree
from memory import Entry
from orchestrator.errors import HermesError

TRACE_LINES = 80


class Commands:
    def __init__(self, app: App, inbox: Inbox) -> None:
        self._app, self._inbox = app, inbox

    async def answer(self, entry: Entry) -> Document:
        """Its text is "" where nothing is to be said."""
        lang = "zh" if entry.question.locale.startswith("zh") else "en"
        match entry.extra.get("do"):
            case "notice":
                return Document(str(entry.extra.get("text") or ""))
            case "stop":
                return Document(await self._stop(entry, lang))
            case "memory":
                return Document(await self._memory(entry, lang))
            case "trace":
                return Document(await self._trace(entry, lang))
        return Document(help_text(lang))

    async def _stop(self, entry: Entry, lang: str) -> str:
        """The newest question of the conversation, else the newest that this person has in the chat."""
        mine = self._inbox.of(entry.conversation)
        if not mine:
            return say("nothing_runs", lang)
        newest = max(mine, key=lambda e: e.seq)
        await self._inbox.cancel(newest.id, entry.question.user)
        return say("stopping", lang)

    async def _memory(self, entry: Entry, lang: str) -> str:
        notes = await self._app.memory.preferences.of(entry.question.tenant, entry.question.user)
        return "\n".join(f"{note.key}: {note.value}" for note in notes) or say("nothing_kept", lang)

    async def _trace(self, entry: Entry, lang: str) -> str:
        run = str(entry.extra.get("run") or "") or await self._last_run(entry)
        if not run:
            return say("nothing_asked", lang)
        try:
            info, events = await finding.one(self._app.memory, run)
        except HermesError as e:
            return str(e)
        lines = [line.text for line in show.lines(info, events, tree.build(events))]
        more = [f"… {len(lines) - TRACE_LINES}"] if len(lines) > TRACE_LINES else []
        return "```\n" + "\n".join([*lines[:TRACE_LINES], *more]).replace("```", "'''") + "\n```"

    async def _last_run(self, entry: Entry) -> str:
        runs = await self._app.memory.runs.list(1, entry.conversation)
        return runs[0].id if runs else ""
