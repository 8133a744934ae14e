"""`hermes-ops report`: a day, a week or a shift, with figures counted by code; and confirming an incident's cause."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hermes_ops.cli.asking import interruptible
from hermes_ops.cli.faults import say
from hermes_ops.cli.inputs import check_clock, read_folder, read_name, read_now, read_zone, terminal_locale, zoned
from hermes_ops.cli.options import DataZone, Folder, Now, Offline, User, Zone
from orchestrator.errors import ConfigError, Stopped

if TYPE_CHECKING:
    from datetime import datetime

    from hermes_ops.report.build import Order
    from hermes_ops.report.making import Maker
    from hermes_ops.report.model import Report
    from hermes_ops.settings import Settings
    from hermes_ops.sourcing.opener import Places
    from orchestrator.stop import Stop

Format = Literal["md", "html", "json", "card"]
SECONDS = 900.0  # for a report over many logs

group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for on the command line. `lang` "": the settings' or the terminal's."""

    date: str = ""
    window: str = ""
    week: bool = False
    zone: str | None = None
    now: str | None = None
    folder: Path | None = None
    offline: bool = False
    services: tuple[str, ...] = ()
    force: bool = False
    lang: str = ""


@group.callback()
def report(
    context: typer.Context,
    date: Annotated[str, typer.Option("--date", metavar="D", help="The day: 昨天, 2026-11-29; else yesterday.")] = "",
    window: Annotated[
        str, typer.Option("--window", metavar="W", help='A shift\'s hand-over: "昨晚21:00到今早9:00".')
    ] = "",
    week: Annotated[bool, typer.Option("--week", help="The last whole week, or that of --date.")] = False,
    zone: Zone = None,
    folder: Folder = None,
    offline: Offline = False,
    format: Annotated[
        Format | None, typer.Option("--format", metavar="F", help="md, html, json or card; else for the terminal.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="With md: all of it, not a phone screen.")] = False,
    services: Annotated[list[str] | None, typer.Option("--services", metavar="S", help="Only these services.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Make it anew, as a correction of the stored one.")] = False,
    lang: Annotated[str, typer.Option("--lang", metavar="L", help="zh or en.")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it there.")] = None,
    now: Now = None,
    data_zone: DataZone = None,
) -> None:
    """The ops report of a day, a week or a shift."""
    if context.invoked_subcommand:
        return
    check_clock(now, zone)
    wanted = Wanted(
        date.strip(), window.strip(), week, zone, now, read_folder(folder) if folder else None, offline,
        tuple(name for s in services or () for name in s.split(",") if name.strip()), force, lang,
    )  # fmt: skip
    _check(wanted)
    _check_output(output)
    from hermes_ops.loading import load

    found = asyncio.run(_made(wanted, zoned(load(), data_zone)))
    _show(found, format, full, output)


def _check(wanted: Wanted) -> None:
    if wanted.window and (wanted.date or wanted.week):
        raise ConfigError("--window is a time of its own: give it without --date and --week.")
    if wanted.lang not in ("", "zh", "en"):
        raise ConfigError(f"--lang {wanted.lang[:20]!r} is not known. Valid: zh, en.")


def _check_output(output: Path | None) -> None:
    """Said before the work, which may take minutes."""
    if output is None:
        return
    if output.is_dir():
        raise ConfigError(f"{output} is a directory: give the name of a file, such as {output / 'report.html'}.")
    if not output.parent.is_dir():
        raise ConfigError(f"There is no directory {output.parent} for the report: make it first, or name another.")


async def _made(wanted: Wanted, settings: Settings) -> Report:
    from hermes_ops.app import open_app
    from hermes_ops.schedule.reporter import team_zone
    from orchestrator.stop import Stop

    async with open_app(settings, wanted.folder, wanted.offline) as app:
        stop = Stop(SECONDS * 0.8, SECONDS)
        zone = read_zone(wanted.zone, team_zone(settings))
        now = read_now(wanted.now, zone)
        place = await app.reporter.places(stop, zone, now)
        order = await _order(wanted, settings, place, now, zone)
        try:
            with interruptible(stop.cancel):
                return await _kept(app.reporter, order, wanted.force, stop)
        except Stopped as e:
            if e.reason == "cancelled":
                raise KeyboardInterrupt from None
            limit = f"{SECONDS / 60:.0f} minutes"
            raise ConfigError(f"The report took more than {limit}: take a shorter --window, or --services.") from None


async def _order(wanted: Wanted, settings: Settings, place: Places, now: datetime, zone: str) -> Order:
    from hermes_ops.report.build import Order
    from hermes_ops.report.day import asked
    from hermes_ops.report.making import last_day, named

    cover = await place.coverage()
    if not wanted.date and not wanted.window and place.live is None and (then := last_day(cover, now, zone)):
        say(f"The folder's records end before yesterday: the report is about its last day, {then:%Y-%m-%d}.")
        kind, window = asked(now, zone, f"{then:%Y-%m-%d}", "", wanted.week)
    else:
        kind, window = asked(now, zone, wanted.date, wanted.window, wanted.week)
    told = wanted.lang or ("zh" if terminal_locale().startswith("zh") else settings.team.language)
    return Order(
        kind, window, "en" if told == "en" else "zh",
        services=named(wanted.services, settings.catalogue().learnt(cover.services)),
    )  # fmt: skip


async def _kept(maker: Maker, order: Order, force: bool, stop: Stop) -> Report:
    """The stored one of that window, else a new one, which is stored when its time is over."""
    there = await maker.stored(order)
    if there is not None and not force:
        say(f"Made at {there.made_at:%Y-%m-%d %H:%M} UTC; --force makes it anew, as a correction.")
        return there
    report = await maker.make(replace(order, corrected=there is not None), stop)
    await maker.store(report, force)
    return report


def _show(report: Report, format: Format | None, full: bool, output: Path | None) -> None:
    suffix: dict[str, Format] = {".md": "md", ".html": "html", ".htm": "html", ".json": "json"}
    if format is None and output is not None:
        format = suffix.get(output.suffix.lower(), "md")
    if format is None and sys.stdout.isatty():
        from rich.console import Console

        from hermes_ops.report.view import terminal

        console = Console()
        console.print(terminal.render(report, console.width))
        return
    text = _text(report, format or "md", full)
    if output is None:
        print(text, end="" if text.endswith("\n") else "\n", flush=True)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as e:
        raise ConfigError(f"The report can't be written to {output}: {e.strerror}.") from None


def _text(report: Report, format: Format, full: bool) -> str:
    from hermes_ops.report.view import card, html, markdown
    from hermes_ops.trace.printing import json_text
    from orchestrator.contracts import to_json

    if format == "html":
        return html.render(report)
    if format == "md":
        return markdown.render(report, full)
    return json_text(to_json(report) if format == "json" else card.render(report))


@group.command()
def confirm(
    incident: Annotated[
        str, typer.Argument(metavar="INCIDENT", help="Its key as the report gives it, a run's id, or a service.")
    ],
    cause: Annotated[str, typer.Argument(metavar="CAUSE", help="What it was, in a sentence.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take back what was confirmed.")] = False,
    user: User = "local",
) -> None:
    """Set an incident's cause: later reports give it instead of a suspect."""
    text, by = cause.strip(), read_name("--user", user) or "local"
    if bool(text) == undo:
        raise ConfigError('Say what the cause was: hermes-ops report confirm INCIDENT "…"; or --undo without one.')
    from hermes_ops.loading import load

    key = asyncio.run(_confirmed(incident.strip(), text, by, load()))
    say(f"Taken back for {key}." if undo else f"Confirmed for {key}, by {by}.")


async def _confirmed(said: str, text: str, by: str, settings: Settings) -> str:
    from hermes_ops.report.confirming import find_incident
    from memory import open_memory
    from orchestrator.guard import AllowAll

    memory = open_memory(settings.database_url)
    try:
        key = await find_incident(memory, settings.team.name, said)
        await memory.reports.confirm(settings.team.name, key, AllowAll(settings.masking_key()).mask(text), by)
        return key
    finally:
        await memory.close()
