"""`hermes-ops memory`: what is kept of a person, letting go of it, and handing it over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.inputs import read_name
from hermes_ops.cli.options import AsJson
from hermes_ops.cli.recorded import with_memory
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.recall.keeper import Keeper
    from memory import Note
    from orchestrator.contracts import Json

T = TypeVar("T")
Whose = Annotated[str, typer.Option("--user", metavar="U", help="Whose notes.")]
Tenant = Annotated[str, typer.Option("--tenant", metavar="T", help="Of which tenant, where there are several.")]

group = typer.Typer(help="See, export and forget what is kept of a person.", no_args_is_help=True)


@group.command(name="list")
def list_(user: Whose = "local", tenant: Tenant = "", as_json: AsJson = False) -> None:
    """List a person's notes: key, value, when it was said, when it last mattered."""
    from hermes_ops.trace import printing

    rows = _rows(_notes(user, tenant))
    if as_json:
        printing.print_json(rows)
    elif rows:
        heads = ("KEY", "VALUE", "SAID", "LAST USED", "")
        cells = [(r["key"], r["value"], r["at"][:10], r["used"][:10], "faded" if r["faded"] else "") for r in rows]
        printing.print_table(heads, cells)
    else:
        say(f"Nothing is kept of {user}.")


@group.command()
def forget(
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY", help="Keys as `list` shows them.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the person's notes.")] = False,
    user: Whose = "local",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Forget notes: they go from the notes, from stored questions and answers, and from stored prompts."""
    from hermes_ops.trace import printing

    if bool(keys) == everything:
        raise ConfigError("Name the keys to forget (hermes-ops memory list shows them), or give --all.")
    kept = [note.key for note in _notes(user, tenant)]
    if missing := [key for key in keys or () if key not in kept]:
        raise ConfigError(f"Nothing is kept of {user} as {missing[0]!r}. Kept: {', '.join(kept) or 'nothing'}.")
    gone = _with_keeper(lambda keeper: keeper.forget(tenant, user, keys or None))
    if as_json:
        printing.print_json({"forgotten": [note.key for note in gone]})
    else:
        say(f"Forgotten: {', '.join(note.key for note in gone) or 'nothing'}.")


@group.command()
def export(user: Whose = "local", tenant: Tenant = "") -> None:
    """Print all that is kept of a person as one JSON object: notes, and schedules made in chat."""
    from hermes_ops.trace import printing
    from orchestrator.contracts import to_json

    notes, made = _rows(_notes(user, tenant)), with_memory(lambda memory: memory.schedules.all())
    own = [to_json(s) for s in made if (s.user, s.tenant) == (user, tenant)]
    printing.print_json({"user": user, "tenant": tenant, "notes": notes, "schedules": own})


def _notes(user: str, tenant: str) -> list[Note]:
    who = read_name("--user", user)
    return _with_keeper(lambda keeper: keeper.of(tenant, who))


def _rows(notes: list[Note]) -> list[dict[str, Json]]:
    from hermes_ops.recall.keeper import utc_now
    from hermes_ops.recall.kinds import faded
    from orchestrator.contracts import to_json

    hidden = ("told", "former")
    rows = [{k: v for k, v in to_json(note).items() if k not in hidden} for note in notes]
    return [
        row | {"former": [f[0] for f in n.former], "faded": faded(n, utc_now())}
        for row, n in zip(rows, notes, strict=True)
    ]


def _with_keeper(work: Callable[[Keeper], Awaitable[T]]) -> T:
    from hermes_ops.recall.keeper import Keeper

    return with_memory(lambda memory: work(Keeper(memory)))
