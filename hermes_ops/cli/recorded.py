"""What the commands about recorded runs share: which run is meant, times and states as options, the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar, get_args

import typer

from hermes_ops.cli.faults import report
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.settings import Settings
    from hermes_ops.trace.finding import Found
    from memory import Memory

T = TypeVar("T")
Run = Annotated[str, typer.Argument(metavar="ID", help='A run: its id, how it begins, or "last".')]


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
    if unit and said[:-1].isdecimal() and len(said) < 8:
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


def settings() -> Settings:
    from hermes_ops.loading import load

    return load()


def with_memory(work: Callable[[Memory], Awaitable[T]]) -> T:
    from memory import open_memory

    async def run() -> T:
        memory = open_memory(settings().database_url)
        try:
            return await work(memory)
        finally:
            await memory.close()

    return asyncio.run(run())


def one(run: str) -> Found:
    from hermes_ops.trace import finding

    return with_memory(lambda memory: finding.one(memory, run))
