"""`hermes-ops runs`: what waits in the inbox, what is worked on and how it ended; ending it and asking again.

It works beside `serve`, which does what is asked within a second.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.options import AsJson
from hermes_ops.cli.recorded import with_memory
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from memory import Entry, Memory
    from orchestrator.contracts import Json

Id = Annotated[str, typer.Argument(metavar="ID", help="A message's id as `list` shows it, or its run's.")]

group = typer.Typer(help="See, end and repeat the questions that came in by chat.", no_args_is_help=True)


@group.command(name="list")
def list_(
    state: Annotated[list[str], typer.Option("--state", metavar="S", help="queued, running, failed …")] = [],  # noqa: B006
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List them, the newest first."""
    from hermes_ops.trace import printing
    from memory.inbox import State

    if wrong := [s for s in state if s not in get_args(State)]:
        raise ConfigError(f"--state {wrong[0]!r} is unknown. Valid: {', '.join(get_args(State))}.")
    found = with_memory(lambda memory: memory.inbox.list(state, limit))
    if as_json:
        printing.print_json([_json(e) for e in found])
    elif found:
        heads = ("ID", "STATE", "RECEIVED (UTC)", "TOOK", "TRIES", "RUN", "QUESTION")
        printing.print_table(heads, [_row(e) for e in found])
    else:
        say("Nothing fits.")


@group.command()
def show(id: Id, as_json: AsJson = False) -> None:
    """Show one: its state, why it failed, what people thought of its answer."""
    from hermes_ops.trace import printing

    async def read(memory: Memory) -> dict[str, Json]:
        e = await _found(memory, id)
        rated = await memory.posts.ratings(e.run)
        kept = [{"user": r.user, "mark": r.mark, "about": r.about, "text": r.text} for r in rated]
        sent = [
            p for what in ("finish", "failed", "cancelled", "busy") if (p := await memory.outbox.find(f"{e.id}.{what}"))
        ]
        told = [{"key": p.key, "state": p.state, "tries": p.tries, "reason": p.reason, "sent": p.sent} for p in sent]
        return {**_json(e), "sent": told, "feedback": kept}

    told = with_memory(read)
    if as_json:
        printing.print_json(told)
        return
    printing.print_lines(
        [printing.Line(f"{name:<12} {value}") for name, value in told.items() if value not in ("", [])]
    )


@group.command()
def cancel(id: Id) -> None:
    """End one that waits or is worked on."""

    async def ask(memory: Memory) -> bool:
        return await memory.inbox.ask_cancel((await _found(memory, id)).id, "operator")

    if not with_memory(ask):
        raise ConfigError(f"{id} has ended already; there is nothing to cancel.")
    say(f"{id} is being ended; `serve` does it within a second, or when it starts.")


@group.command()
def retry(id: Id) -> None:
    """Ask one again that has ended, as a new attempt."""

    async def put(memory: Memory) -> str:
        e = await _found(memory, id)
        if e.state in ("queued", "running"):
            raise ConfigError(f"{id} is {e.state}: wait for it, or cancel it first.")
        asked = replace(e.question, attempt=e.question.attempt + 1)
        now = memory.inbox.clock()
        new = replace(
            e, id=f"{asked.id}.{asked.attempt}", question=asked, run=f"{e.run.partition('~')[0]}~{asked.attempt}",
            received=now, due=now, state="queued", tries=0, deaths=0, ran=0.0, reason="", cancel="",
        )  # fmt: skip
        stored = await memory.inbox.put(new, 0)
        if stored.state == "duplicate":
            raise ConfigError(f"{id} was asked again already, as {new.id}.")
        return new.id

    say(f"Asked again as {with_memory(put)}.")


async def _found(memory: Memory, id: str) -> Entry:
    found = await memory.inbox.find(id)
    if found is None:
        raise ConfigError(f"There is no message or run {id[:60]!r} in the inbox. `hermes-ops runs list` shows them.")
    return found


def _row(e: Entry) -> tuple[str, ...]:
    took = f"{e.ran:.1f} s" if e.ran else ""
    received = f"{e.received:%Y-%m-%d %H:%M:%S}"
    return (e.id, e.state, received, took, str(e.tries), e.run, e.reason or e.question.text[:60])


def _json(e: Entry) -> dict[str, Json]:
    times = {n: t.isoformat() if t else None for n in ("received", "started", "ended") for t in [getattr(e, n)]}
    names = ("id", "run", "state", "kind", "channel", "tries", "deaths", "reason")
    fields = {name: getattr(e, name) for name in names}
    asked = e.question
    return {
        **fields,
        "seconds": round(e.ran, 1),
        **times,
        "user": asked.user,
        "chat": asked.chat,
        "question": asked.text,
    }
