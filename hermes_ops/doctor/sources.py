"""Each source asked whether it is there and what it can speak of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from hermes_ops.doctor.check import Check, Checks, Clock, State
from orchestrator.errors import HermesError
from subagents.folder.folder import Folder, open_folder
from subagents.sources import Coverage, Source, Sources

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
        return Check("source", "folder", "warn", f"{said}; {len(skipped)} files were not recognised", do, clock.seconds)
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
