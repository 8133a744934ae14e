"""`hermes-ops schedule`: what is sent at fixed times, and sending a team's report now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.options import AsJson, Offline
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.schedule.clockwork import Timed
    from hermes_ops.schedule.cron import Counts
    from hermes_ops.schedule.sending import Sending
    from hermes_ops.settings import Settings
    from memory import Memory
    from orchestrator.contracts import Json

group = typer.Typer(help="See what is sent at fixed times, and send a team's report now.", no_args_is_help=True)


@group.command(name="list")
def list_(as_json: AsJson = False) -> None:
    """List the team's schedules and people's own: when, what, where to, the next time and how the last one went."""
    from hermes_ops.loading import load
    from hermes_ops.trace import printing

    rows = asyncio.run(_rows(load()))
    if as_json:
        printing.print_json(rows)
    elif rows:
        heads = ("NAME", "WHEN", "ZONE", "WHAT", "TO", "NEXT", "LAST")
        keys = ("name", "when", "zone", "what", "to", "next", "last")
        printing.print_table(heads, [tuple(str(row[key])[:60] for key in keys) for row in rows])
    else:
        say(
            "Nothing is scheduled: name a chat in team.chats for a daily report, or say “send me … every day at 18:00”."
        )


@group.command()
def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of the settings' schedules, as `list` has it.")],
    force: Annotated[bool, typer.Option("--force", help="Again, marked as a correction.")] = False,
    offline: Offline = False,
) -> None:
    """Make a schedule's report as if it were due now, and have `serve` deliver it. What was sent already stays sent."""
    from hermes_ops.loading import load

    sent = asyncio.run(_run(load(), name, force, offline))
    for chat, state in sent.chats.items():
        told = {"given": "given to the outbox; `hermes-ops serve` delivers it", "waiting": "waits to be delivered"}
        say(f"{chat}: {told.get(state, 'has it already; --force sends a correction')}.")


async def _run(settings: Settings, name: str, force: bool, offline: bool) -> Sending:
    from datetime import UTC, datetime

    from hermes_ops.app import open_app
    from hermes_ops.schedule.sending import Sender
    from hermes_ops.schedule.settings import wanted
    from hermes_ops.schedule.timetable import window_at

    known = wanted(settings.team, settings.schedules)
    if name not in known:
        raise ConfigError(f"There is no schedule {name[:60]!r}. There are: {', '.join(known) or 'none'}.")
    kind, window = window_at(known[name], datetime.now(UTC), settings)
    async with open_app(settings, None, offline) as app:
        sender = Sender(app.memory, app.reporter, settings.team.name, "feishu")
        chats = known[name].chats or settings.team.chats
        return await sender.send(kind, window, settings.team.language, chats, force)


async def _rows(settings: Settings) -> list[dict[str, Json]]:
    from hermes_ops.schedule import own
    from hermes_ops.schedule.timetable import teams
    from hermes_ops.schedule.workdays import load
    from memory import open_memory

    memory = open_memory(settings.database_url)
    try:
        timed = [*teams(settings), *map(own.timed, await memory.schedules.all())]
        days = load(settings.team.workdays)
        return [await _row(memory, t, settings, days.is_workday) for t in timed]
    finally:
        await memory.close()


async def _row(memory: Memory, t: Timed, settings: Settings, counts: Counts) -> dict[str, Json]:
    from zoneinfo import ZoneInfo

    from hermes_ops.schedule import cron
    from memory import Schedule

    now = memory.schedules.clock()
    upcoming = cron.after(t.cron, t.zone, now, counts if t.workdays else cron.every_day)
    last = await memory.schedules.last(t.name, now)
    own = isinstance(t.work, Schedule)
    zone = ZoneInfo(t.zone)
    ran = f"{last.slot.astimezone(zone):%m-%d %H:%M} {last.state} {last.reason}".strip() if last else ""
    return {
        "name": t.name,
        "when": t.cron + (" on workdays" if t.workdays else ""),
        "zone": t.zone,
        "what": t.work.text if own else f"report of the {t.work.report}",
        "to": f"{t.work.user} in {t.work.chat}" if own else ", ".join(t.work.chats or settings.team.chats) or "nobody",
        "next": f"{upcoming.astimezone(zone):%Y-%m-%d %H:%M}" if upcoming else "never",
        "last": ran if last and last.state != "known" else "",
    }
