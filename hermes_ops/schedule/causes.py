"""Causes confirmed in a chat: `/cause payment 2.4.1 连接池太小`, by operators alone. Later reports give them in
place of a suspect. Which incident is meant is told by the report that is replied to, else by the newest ones.
"""

from __future__ import annotations

import re

from hermes_ops.report import confirming
from hermes_ops.report.kept import recent
from hermes_ops.report.model import Report
from hermes_ops.schedule.replying import replied_to
from hermes_ops.schedule.words import say
from hermes_ops.settings import Settings
from memory import Entry, Memory
from orchestrator.cleaning import clean
from orchestrator.errors import ConfigError

LONGEST = 300  # characters of a cause
UNDO = re.compile(r"撤销|撤回|取消|undo|--undo", re.IGNORECASE)


class Causes:
    """Raises StoreError where the database fails."""

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self._memory, self._team = memory, settings.team
        self._operators = frozenset(filter(None, (settings.feishu.owner, *settings.team.operators)))

    async def obey(self, entry: Entry, said: str, lang: str) -> str:
        """What the person is told."""
        user = entry.question.user
        if "*" not in self._operators and user not in self._operators:
            return say("cause_refused", lang, user=user)
        there = await replied_to(self._memory, entry)
        reports = [there] if there else await recent(self._memory.reports, self._team.name)
        which, _, text = clean(said).strip().partition(" ")
        if not which:
            return self._usage(reports, lang)
        try:
            incident = confirming.named(which, reports)
        except ConfigError:
            return self._usage(reports, lang, which)
        text = confirming.completed(which, " ".join(text.split())[:LONGEST])
        if UNDO.fullmatch(text):
            await self._memory.reports.confirm(self._team.name, incident.key, "", user)
            return say("cause_undone", lang, incident=incident.key)
        text = text or confirming.suspected(incident.cause)
        if not text:
            return say("cause_missing", lang, which=which)
        await self._memory.reports.confirm(self._team.name, incident.key, text, await self._name(entry))
        return say("cause_kept", lang, incident=incident.key, cause=text)

    def _usage(self, reports: list[Report], lang: str, unknown: str = "") -> str:
        """How it is said, with the incidents that there are."""
        head = [say("cause_unknown", lang, which=unknown[:80])] if unknown else []
        found = {i.key: i for r in reports for i in r.incidents}
        lines = [
            say("cause_line", lang, incident=i.key, suspect=confirming.suspected(i.cause) or "—")
            for i in list(found.values())[:5]
        ]
        return "\n".join([*head, *lines, say("cause_usage" if lines else "cause_none", lang)])

    async def _name(self, entry: Entry) -> str:
        """What the person wants to be called, else their id."""
        notes = await self._memory.preferences.of(entry.question.tenant, entry.question.user)
        return next((clean(n.value)[:40] for n in notes if n.key == "name"), entry.question.user)
