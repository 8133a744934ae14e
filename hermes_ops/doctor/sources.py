"""Each source asked whether it is there and what it can speak of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hermes_ops.doctor.check import Check, Checks, Clock, State
from hermes_ops.sourcing.live import Connected, LiveSources
from hermes_ops.sourcing.settings import ChangeStoreSettings, SourceSettings, StoreSettings
from orchestrator.contracts import Window
from orchestrator.errors import HermesError
from subagents.folder.folder import Folder, open_folder
from subagents.sources import Coverage, Source, SourceError, Sources
from subagents.store.kept import Records

_UNWELL: Mapping[bool, State] = {True: "warn", False: "fail"}  # a store that waits for its first delivery is no fault
_CURE = {
    True: "Start `hermes-ops serve`; its hook can be tried as docs/HOOKS.md does with curl.",
    False: "Mend its table in the settings (docs/SOURCES.md).",
}
_SLOW = "See how busy it is, and what lies between; `timeout` in its table gives it longer (docs/SOURCES.md)."
KINDS = ("alerts", "metrics", "logs", "spans", "changes")
NAMED = 5  # services, or files, that are named


async def checks(path: Path, cache_dir: Path | None) -> Checks:
    """Those of one folder."""
    clock = Clock()
    try:
        folder = await asyncio.to_thread(open_folder, path, cache_dir)
    except HermesError as e:
        yield Check(
            "source", str(path), "fail", str(e), "Give the directory that holds the exported files.", clock.seconds
        )
        return
    try:
        yield _opened(folder, clock)
        async for check in of_sources(folder.sources(), absent="skip"):
            yield check
    finally:
        folder.close()


async def live(settings: SourceSettings, models: tuple[str, ...], records: Records | None = None) -> Checks:
    """Each live source of the settings; `models`: those that would see what it says; `records`: of web hooks."""
    sources = LiveSources(settings, records)
    try:
        for connected in sources.all:
            async for check in _connected(connected, models):
                yield check
    finally:
        await sources.aclose()


async def _connected(connected: Connected, models: tuple[str, ...]) -> Checks:
    """Reached, what it speaks of, whether services are told apart, whether it can tell availability."""
    clock, name = Clock(), connected.place
    offered, stored = list(connected.each()), isinstance(connected.given, StoreSettings | ChangeStoreSettings)
    try:
        health, coverage = await offered[0][1].probe(), await offered[0][1].coverage()
    except HermesError as e:
        slow = isinstance(e, SourceError) and e.kind == "timeout"
        yield Check("source", name, "fail", str(e), _SLOW if slow else _CURE[False], clock.seconds)
        return
    said = "; ".join(filter(None, (health.detail, *_spoken(coverage, offered)) if health.ok else (health.detail,)))
    yield Check("source", name, "ok" if health.ok else _UNWELL[stored], said, _CURE[stored], clock.seconds)
    if refused := connected.given.closed_to(models):
        do = f"Add it to {name}.egress, or leave it: the source isn't asked while that model answers."
        yield Check("source", f"{name}: egress", "warn", f"doesn't allow the model {', '.join(refused)}", do)
    if connected.sources.metrics:
        yield await _availability(connected)


def _spoken(coverage: Coverage, offered: Sequence[tuple[str, Source]]) -> tuple[str, ...]:
    """Since when, of which services, and what kinds of data."""
    since = f"since {coverage.since:%Y-%m-%d %H:%M} UTC" if coverage.since else ""
    services = f"services: {_few(coverage.services)}" if coverage.services else ""
    return since, services, f"gives {', '.join(kind for kind, _ in offered)}"


async def _availability(connected: Connected) -> Check:
    clock, name = Clock(), f"{connected.place}: availability"
    now = datetime.now(UTC)
    hour = Window(now - timedelta(hours=1), now)
    try:
        found = await connected.sources.metrics[0].ratio((), hour)
    except HermesError as e:
        return Check("source", name, "fail", str(e), f"Mend {connected.place}.sli (docs/SOURCES.md).", clock.seconds)
    if not found.rows:
        do = f"Set {connected.place}.sli to your counter of requests, if there is one (docs/SOURCES.md)."
        return Check("source", name, "warn", f"nothing in the last hour: {found.query}", do, clock.seconds)
    told = _few(f"{r.service} {r.percent:.4g} %" for r in found.rows)
    return Check("source", name, "ok", f"in the last hour {told}", seconds=clock.seconds)


async def of_sources(sources: Sources, absent: State = "fail") -> Checks:
    """`absent`: what it means that one isn't there; a folder need not hold every kind."""
    for kind in KINDS:
        for source in getattr(sources, kind):
            yield await _one(kind, source, absent)


async def _one(kind: str, source: Source, absent: State) -> Check:
    clock = Clock()
    try:
        health, coverage = await source.probe(), await source.coverage()
    except HermesError as e:
        return Check("source", kind, "fail", str(e), "Check that it is reachable, and its settings.", clock.seconds)
    if not health.ok:
        do = f"Nothing can be said about {kind} until then."
        return Check("source", kind, absent, f"{source.name}: {health.detail}", do, clock.seconds)
    return Check("source", kind, "ok", f"{source.name}: {health.detail}; {_covered(coverage)}", seconds=clock.seconds)


def _opened(folder: Folder, clock: Clock) -> Check:
    skipped = [f"{s['path']} ({s['why']})" for s in folder.skipped]
    said = f"{folder.path}: {_covered(folder.coverage())}"
    if skipped:
        do = f"Not recognised, so not read: {_few(skipped)}. Remove them, or export them in another format."
        n, were = len(skipped), "file was" if len(skipped) == 1 else "files were"
        return Check("source", "folder", "warn", f"{said}; {n} {were} not recognised", do, clock.seconds)
    return Check("source", "folder", "ok", said, seconds=clock.seconds)


def _covered(coverage: Coverage) -> str:
    if coverage.since is None or coverage.until is None:
        return "no times"
    said = f"{coverage.since:%Y-%m-%d %H:%M} to {coverage.until:%Y-%m-%d %H:%M} UTC"
    return f"{said}, {_few(coverage.services)}" if coverage.services else said


def _few(names: Iterable[str]) -> str:
    all_ = list(names)
    more = f" and {len(all_) - NAMED} more" if len(all_) > NAMED else ""
    return ", ".join(all_[:NAMED]) + more
