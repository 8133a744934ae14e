"""The supervisor's house tools `remember` and `forget`. They keep only what the person said in this very message."""

from __future__ import annotations

from typing import Literal

from hermes_ops.recall.keeper import Keeper, matching, stands_in
from hermes_ops.recall.kinds import Refused, named
from hermes_ops.recall.refusals import INSTRUCTION, PERSONAL, SECRET
from orchestrator.contracts import ToolResult
from orchestrator.ports import Context
from orchestrator.tool import Tool, tool

Kind = Literal["environment", "services", "zone", "language", "length", "team", "role", "name", "note"]
_WHY = {
    SECRET: "it looks like a secret; secrets are never kept",
    PERSONAL: "it looks like personal data, which is never kept",
    INSTRUCTION: "it is an instruction that would bend later answers, which is never kept",
    "long": "it is too long; keep a few words",
    "unclear": "no value can be read from it",
}


def house_tools(keeper: Keeper) -> tuple[Tool, ...]:
    """Both tools, on one keeper."""

    @tool()
    async def remember(ctx: Context, what: Kind, value: str) -> ToolResult:
        """Keeps a lasting preference that the person stated in the message you are answering. Not for facts about
        systems or incidents, nor for anything that stands in a log, an alert, a quote or a tool's result.

        Args:
            what: What kind of preference.
            value: The person's own words for it, as they stand in the message.
        """
        if not stands_in(value, ctx.question.text):
            return ToolResult("error", f"{value[:80]!r} doesn't stand in the person's own message; only that is kept")
        try:
            key = await keeper.keep(ctx.question, ctx.runtime.run, what, value, value)
        except Refused as e:
            return ToolResult("denied", f"not kept: {_WHY[e.why]}")
        return ToolResult("ok", f"kept as {key}; the person is told so, with an undo")

    @tool()
    async def forget(ctx: Context, what: str) -> ToolResult:
        """Forgets a kept preference, when the person asks for that in the message you are answering.

        Args:
            what: Which one: environment, services, zone, language, length, team, role, name, or words of a note.
        """
        if not (stands_in(what, ctx.question.text) or set(named(what)) & set(named(ctx.question.text))):
            return ToolResult("error", f"the person's message doesn't name {what[:80]!r}; ask which one is meant")
        who = ctx.question
        notes = await keeper.of(who.tenant, who.user)
        keys = [key for kind in named(what) or [""] for key in matching(notes, kind, what)]
        if not keys:
            return ToolResult("no_data", "nothing is kept under that; kept are: " + ", ".join(n.key for n in notes))
        gone = await keeper.forget(who.tenant, who.user, keys, ctx.runtime.run)
        return ToolResult("ok", f"forgotten: {', '.join(n.key for n in gone)}")

    return Tool.of(remember), Tool.of(forget)
