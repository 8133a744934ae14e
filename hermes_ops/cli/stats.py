"""`hermes-ops trace stats` and `export`: numbers over many runs, and runs for other programs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.inputs import read_zone
from hermes_ops.cli.inspect import Out, write
from hermes_ops.cli.options import AsJson, Zone
from hermes_ops.cli.recorded import read_time, readers_may_leave, settings, with_memory
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from memory import Memory

Since = Annotated[str, typer.Option("--since", metavar="T", help="Begun then or later: a time, 2h, 3d.")]
Until = Annotated[str, typer.Option("--until", metavar="T", help="Begun before.")]
User = Annotated[str, typer.Option("--user", metavar="U", help="Asked by.")]
Runs = Annotated[list[str] | None, typer.Argument(metavar="ID", help='Runs: ids, how they begin, or "last".')]


def stats(
    by: Annotated[str, typer.Option("--by", metavar="G", help="agent, user, day or model.")] = "agent",
    since: Since = "",
    until: Until = "",
    user: User = "",
    zone: Zone = None,
    as_json: AsJson = False,
) -> None:
    """Count over runs: who is asked how often, in vain or failing, tokens, cost, cache hits, time."""
    from hermes_ops.trace import digesting, printing
    from hermes_ops.trace import stats as counted
    from memory.digests import Counted

    group = next((g for g in counted.GROUPS if g == by), None)
    if group is None:
        raise ConfigError(f"--by {by[:40]!r} is unknown. Valid: {', '.join(counted.GROUPS)}.")
    where, now = read_zone(zone, settings().zone), datetime.now(UTC)
    wanted = Counted(user, read_time(since, where, now), read_time(until, where, now))

    async def work(memory: Memory) -> counted.Stats:
        while await digesting.catch_up(memory) == digesting.MOST:
            continue
        return await counted.stats(memory, wanted, group)

    told = with_memory(work)
    with readers_may_leave():
        if as_json:
            printing.print_json(counted.as_json(told))
        elif told.groups:
            printing.print_table((by, *counted.HEADS[1:]), counted.rows(told))
        else:
            say("No run fits.")


def export(
    runs: Runs = None,
    format: Annotated[str, typer.Option("--format", metavar="F", help="jsonl, or otlp for OpenTelemetry.")] = "jsonl",
    texts: Annotated[bool, typer.Option("--texts", help="otlp: also questions, arguments, results, replies.")] = False,
    since: Since = "",
    until: Until = "",
    user: User = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 1000,
    zone: Zone = None,
    out: Out = None,
) -> None:
    """Write runs for other programs: those named, or the newest that fit."""
    from hermes_ops.trace import exporting, finding, printing, story, tree
    from memory import Wanted

    if format not in ("jsonl", "otlp"):
        raise ConfigError(f"--format {format[:40]!r} is unknown. Valid: jsonl, otlp.")
    where, now = read_zone(zone, settings().zone), datetime.now(UTC)
    wanted = Wanted(user=user, since=read_time(since, where, now), until=read_time(until, where, now))

    async def work(memory: Memory) -> list[finding.Found]:
        names = runs or [info.id for info in await memory.traces.find(wanted, limit)]
        return list(await asyncio.gather(*(finding.one(memory, name) for name in names)))

    found, budget = with_memory(work), settings().limits.history_tokens
    if format == "jsonl":
        write("".join(line for one in found for line in exporting.json_lines(*one)), out)
        return
    told = [story.tell(info, events, tree.build(events), budget) for info, events in found]
    write(printing.json_text(exporting.otlp(told, texts), None) + "\n", out)
