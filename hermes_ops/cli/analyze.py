"""`hermes-ops analyze`: the root-cause analysis of a folder alone: cause, ranking, places, and triage of its alerts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.inputs import check_clock, read_folder, read_now, read_zone, zoned
from hermes_ops.cli.options import AsJson, DataZone, Folder, Zone
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.settings import Settings
    from subagents.cause.model import Analysis


def analyze(
    folder: Folder = None,
    service: Annotated[list[str] | None, typer.Option("--service", metavar="S", help="What is in trouble.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="T", help="Trouble that began then, or else later, ISO 8601.")
    ] = None,
    zone: Zone = None,
    data_zone: DataZone = None,
    as_json: AsJson = False,
) -> None:
    """Tell why something failed, from a folder of exported files, without a language model."""
    check_clock(since, zone, "--since")
    where = read_folder(folder)
    from hermes_ops.cli.analysis import as_object, as_text
    from hermes_ops.loading import load
    from hermes_ops.trace.printing import json_text

    settings = zoned(load(), data_zone)
    at_zone = read_zone(zone, settings.zone)
    found = asyncio.run(_analysed(where, tuple(service or ()), since, at_zone, settings))
    shown = json_text(as_object(found)) if as_json else as_text(found, at_zone)
    print(shown, flush=True)


async def _analysed(
    where: Path, services: tuple[str, ...], since: str | None, zone: str, settings: Settings
) -> Analysis:
    from orchestrator.contracts import Scope, Window
    from orchestrator.guard import AllowAll
    from subagents.cause import analyse
    from subagents.folder.folder import open_folder
    from subagents.folder.zones import Asker
    from subagents.topology import Topology, declared, learnt

    mask, asker = AllowAll(settings.masking_key()).mask, Asker(zone, datetime.now(UTC).timestamp())
    folder = open_folder(where, settings.data_dir / "index", mask, settings.sources.folder_zone, asker)
    try:
        cover = folder.coverage()
        if cover.since is None or cover.until is None:
            raise ConfigError(f"Nothing in {where} has a time that can be read, so there is nothing to analyse.")
        _known(services, cover.services, where)
        end = cover.until + timedelta(seconds=1)
        window = Window(_start(since, zone, cover.since, end), end, zone)
        sources = folder.sources()
        depends = {s.name: s.depends_on for s in settings.catalogue().services}
        edges = declared(depends) | await learnt(sources.spans, None)
        scope, topology = Scope(services=services), Topology(edges)
        return await (analyse.since if since else analyse.analyse)(sources, window, scope, topology=topology)
    finally:
        folder.close()


def _known(services: tuple[str, ...], have: tuple[str, ...], where: Path) -> None:
    """Nothing is said of a service that the folder doesn't know: "it is fine" would be read into that."""
    for name in services:
        if name not in have:
            near = ", ".join(get_close_matches(name, have, 3, 0.5) or sorted(have)[:8])
            raise ConfigError(f"Nothing in {where} is about a service {name[:60]!r}. It knows: {near}.")


def _start(since: str | None, zone: str, first: datetime, end: datetime) -> datetime:
    if since is None:
        return first
    at = read_now(since, zone, "--since")
    if at >= end:
        raise ConfigError(f"--since {since} lies after the folder's last record, {end:%Y-%m-%d %H:%M} UTC.")
    return max(first, at)
