"""`hermes-ops trace`: the runs, one run as a tree, one step whole, and letting go of old ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli import inspect, replaying, stats
from hermes_ops.cli.faults import say
from hermes_ops.cli.inputs import read_zone
from hermes_ops.cli.options import AsJson, Zone
from hermes_ops.cli.recorded import Run, check_statuses, one, read_time, readers_may_leave, settings, with_memory
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from memory import Memory, Pruned

group = typer.Typer(help="See what was done to answer a question, and why.", no_args_is_help=True)


@group.command(name="list")
def list_(
    session: Annotated[str, typer.Option("--session", metavar="S", help="Of this conversation.")] = "",
    user: Annotated[str, typer.Option("--user", metavar="U", help="Asked by.")] = "",
    status: Annotated[list[str], typer.Option("--status", metavar="S", help="Of the run or its answer.")] = [],  # noqa: B006
    since: Annotated[str, typer.Option("--since", metavar="T", help="Begun then or later: a time, 2h, 3d.")] = "",
    until: Annotated[str, typer.Option("--until", metavar="T", help="Begun before.")] = "",
    text: Annotated[str, typer.Option("--text", metavar="WORDS", help="Stands in the question.")] = "",
    agent: Annotated[str, typer.Option("--agent", metavar="A", help="This sub-agent was asked.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Something failed: the run, a sub-agent, a tool.")] = False,
    replays: Annotated[bool, typer.Option("--replays", help="List replays instead of questions.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 20,
    zone: Zone = None,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    from hermes_ops.trace import facts, finding, listing, printing
    from memory import Wanted

    check_statuses(status)
    where, now = read_zone(zone, settings().zone), datetime.now(UTC)
    begun = (read_time(since, where, now), read_time(until, where, now))
    kind = "replay" if replays else "question"
    wanted = Wanted(session, user, *begun, text, kind, tuple(status), agent, failed)
    found = with_memory(lambda memory: finding.find(memory, wanted, limit))
    with readers_may_leave():
        if as_json:
            printing.print_json([facts.run_json(*one) for one in found])
        elif found:
            printing.print_table(listing.HEADS, [listing.row(*one, zone=where) for one in found])
        else:
            say("No run fits.")


@group.command()
def show(run: Run, as_json: AsJson = False) -> None:
    """Show a run as a tree: who was asked what and why, who wasn't, tools, results, times, tokens."""
    from hermes_ops.trace import facts, printing, tree
    from hermes_ops.trace import show as shown

    info, events = one(run)
    steps = tree.build(events)
    with readers_may_leave():
        if as_json:
            printing.print_json(facts.whole_json(info, events, steps))
        else:
            printing.print_lines(shown.lines(info, events, steps))


@group.command()
def step(
    run: Run,
    number: Annotated[int, typer.Argument(metavar="N", help="The step's number, as `show` prints it.")],
    as_json: AsJson = False,
) -> None:
    """Show one step whole: what the model saw and said, or a tool's full result."""
    from hermes_ops.trace import printing, tree
    from hermes_ops.trace import step as whole

    info, events = one(run)
    steps = tree.build(events)
    found = tree.find(steps, number)
    if found is None:
        last = max((s.number for s in tree.walk(steps)), default=0)
        raise ConfigError(f"Run {info.id} has no step {number}; its steps are 1 to {last}.")
    budget = settings().limits.history_tokens
    with readers_may_leave():
        if as_json:
            printing.print_json(whole.as_json(found, steps, budget))
        else:
            printing.print_lines(whole.lines(found, steps, budget))


@group.command()
def prune(as_json: AsJson = False) -> None:
    """Remove runs and turns beyond the settings trace.keep_… and memory.keep_… now, and give the space back."""
    from hermes_ops.trace import printing, retention

    chosen = settings()

    async def work(memory: Memory) -> tuple[Pruned, int]:
        done = await retention.prune(memory, chosen.trace)
        turns = await retention.prune_turns(memory, chosen.memory)
        await memory.db.scrub()
        return done, turns

    done, turns = with_memory(work)
    if as_json:
        printing.print_json({"runs": done.runs, "texts": done.texts, "bytes": done.bytes, "turns": turns})
    else:
        print(f"Removed {done.runs:,} runs and {done.texts:,} texts; {done.bytes / 1e6:.1f} MB are kept.")
        print(f"Removed {turns:,} turns of conversations.")


group.command()(inspect.graph)
group.command()(inspect.html)
group.command()(replaying.replay)
group.command()(replaying.diff)
group.command()(replaying.fork)
group.command()(stats.stats)
group.command()(stats.export)
