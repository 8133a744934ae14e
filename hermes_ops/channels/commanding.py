"""What commands in a chat do: answered by code, at once, beside whatever runs."""

from __future__ import annotations

from hermes_ops.app import App
from hermes_ops.channels import notes
from hermes_ops.channels.base import Document
from hermes_ops.channels.tracewords import traced
from hermes_ops.channels.words import help_text, say
from hermes_ops.runtime.inbox import Inbox
from hermes_ops.schedule.causes import Causes
from hermes_ops.schedule.own import Own
from hermes_ops.trace import finding, show, tree
from memory import Entry
from orchestrator.errors import HermesError

TRACE_LINES = 80


class Commands:
    def __init__(self, app: App, inbox: Inbox, own: Own) -> None:
        self._app, self._inbox, self._own = app, inbox, own
        self._causes = Causes(app.memory, app.settings)

    async def answer(self, entry: Entry) -> Document:
        """Its text is "" where nothing is to be said."""
        lang = "zh" if entry.question.locale.startswith("zh") else "en"
        rest = str(entry.extra.get("text") or "")
        match entry.extra.get("do"):
            case "notice":
                said = rest
            case "stop":
                said = await self._stop(entry, lang)
            case "memory" | "forget" as which:
                said = await self._notes(entry, which, rest, lang)
            case "schedules":
                said = await self._schedules(entry)
            case "cause":
                said = await self._causes.obey(entry, rest, lang)
            case "trace":
                said = await self._trace(entry, lang)
            case "unknown":
                said = f"{say('no_command', lang, name=rest)}\n\n{help_text(lang)}"
            case _:
                said = help_text(lang)
        return Document(said)

    async def _notes(self, entry: Entry, which: str, rest: str, lang: str) -> str:
        keeper, q = self._app.recall.keeper, entry.question
        if which == "memory":
            return await notes.kept(keeper, q.tenant, q.user, lang, q.zone)
        return await notes.forget(keeper, q.tenant, q.user, rest, lang)

    async def _stop(self, entry: Entry, lang: str) -> str:
        """The newest question of the conversation, else the newest that this person has in the chat."""
        mine = await self._inbox.of(entry.conversation)
        if not mine:
            return say("nothing_runs", lang)
        newest = max(mine, key=lambda e: e.seq)
        await self._inbox.cancel(newest.id, entry.question.user)
        return say("stopping", lang)

    async def _schedules(self, entry: Entry) -> str:
        """By the person's clock, where one is kept."""
        asked = entry.question
        zone = (await self._app.recall.keeper.given(asked))["zone"] or asked.zone
        return await self._own.obey(asked, entry.extra, zone)

    async def _trace(self, entry: Entry, lang: str) -> str:
        run = str(entry.extra.get("run") or "") or await self._last_run(entry)
        if not run:
            return say("nothing_asked", lang)
        try:
            info, events = await finding.one(self._app.memory, run)
        except HermesError as e:
            return str(e)
        lines = [traced(line.text, lang) for line in show.lines(info, events, tree.build(events))]
        more = [f"… {len(lines) - TRACE_LINES}"] if len(lines) > TRACE_LINES else []
        steps = "```\n" + "\n".join([*lines[:TRACE_LINES], *more]).replace("```", "'''") + "\n```"
        serve = self._app.settings.serve
        link = f"{serve.url.rstrip('/')}/traces/{info.id}" if serve.url and serve.trace_token else ""
        return f"[{say('inspect', lang)}]({link})\n{steps}" if link else steps

    async def _last_run(self, entry: Entry) -> str:
        runs = await self._app.memory.runs.list(1, entry.conversation)
        return runs[0].id if runs else ""
