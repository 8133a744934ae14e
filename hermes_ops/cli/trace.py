"""`hermes-ops trace`: the runs, one run as a tree, one step whole, and letting go of old ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar, get_args

import typer

from hermes_ops.cli.faults import report, say
from hermes_ops.cli.inputs import read_zone
from hermes_ops.cli.options import AsJson, Zone
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.settings import Settings
    from hermes_ops.trace.finding import Found
    from memory import Memory, Pruned

T = TypeVar("T")
Run = Annotated[str, typer.Argument(metavar="ID", help='A run: its id, how it begins, or "last".')]

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
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 20,
    zone: Zone = None,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    from hermes_ops.trace import facts, finding, listing, printing
    from memory import Wanted

    check_statuses(status)
    where, now = read_zone(zone, _settings().zone), datetime.now(UTC)
    wanted = Wanted(session, user, read_time(since, where, now), read_time(until, where, now), text)
    narrowed = finding.Narrowed(status, agent, failed)
    found = _with_memory(lambda memory: finding.find(memory, wanted, narrowed, limit))
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

    info, events = _one(run)
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

    info, events = _one(run)
    steps = tree.build(events)
    found = tree.find(steps, number)
    if found is None:
        last = max((s.number for s in tree.walk(steps)), default=0)
        raise ConfigError(f"Run {info.id} has no step {number}; its steps are 1 to {last}.")
    budget = _settings().limits.history_tokens
    with readers_may_leave():
        if as_json:
            printing.print_json(whole.as_json(found, steps, budget))
        else:
            printing.print_lines(whole.lines(found, steps, budget))


@group.command()
def prune(as_json: AsJson = False) -> None:
    """Remove runs beyond the settings trace.keep_days and trace.keep_mb now, and give the space back."""
    from hermes_ops.trace import printing, retention

    settings = _settings()

    async def work(memory: Memory) -> Pruned:
        done = await retention.prune(memory, settings.trace)
        await memory.desk.scrub()
        return done

    done = _with_memory(work)
    if as_json:
        printing.print_json({"runs": done.runs, "texts": done.texts, "bytes": done.bytes})
    else:
        print(f"Removed {done.runs:,} runs and {done.texts:,} texts; {done.bytes / 1e6:.1f} MB are kept.")


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Whoever reads our output may stop (`| head`): that ends the command quietly, with its own code."""
    try:
        yield
    except BrokenPipeError as error:
        raise typer.Exit(report(error)) from None


# ── arguments ─────────────────────────────────────────────────────────────────────────────────


def read_time(said: str, zone: str, now: datetime) -> datetime | None:
    """An ISO time in `zone`, or so long ago: 30m, 2h, 3d. Raises ConfigError."""
    from hermes_ops.cli.inputs import read_now

    unit = {"m": "minutes", "h": "hours", "d": "days"}.get(said[-1:])
    if unit and said[:-1].isascii() and said[:-1].isdigit() and len(said) < 8:
        return now - timedelta(**{unit: int(said[:-1])})
    try:
        return read_now(said, zone) if said else None
    except ConfigError:
        raise ConfigError(f"{said[:60]!r} is no time. Write it like 2026-11-30T09:00, or 30m, 2h, 3d.") from None


def check_statuses(given: list[str]) -> None:
    from memory import RunStatus
    from orchestrator.contracts import AnswerStatus

    valid = list(dict.fromkeys((*get_args(RunStatus), *get_args(AnswerStatus))))
    if wrong := [status for status in given if status not in valid]:
        raise ConfigError(f"--status {wrong[0][:60]!r} is unknown. Valid: {', '.join(valid)}.")


# ── the store ─────────────────────────────────────────────────────────────────────────────────


def _settings() -> Settings:
    from hermes_ops.loading import load

    return load()


def _with_memory(work: Callable[[Memory], Awaitable[T]]) -> T:
    from memory import open_memory

    async def run() -> T:
        memory = open_memory(_settings().database_url)
        try:
            return await work(memory)
        finally:
            await memory.close()

    return asyncio.run(run())


def _one(run: str) -> Found:
    from hermes_ops.trace import finding

    return _with_memory(lambda memory: finding.one(memory, run))
