"""Everything in order: settings, machine, store, the given folders, the models."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from hermes_ops.doctor import machine, model, sources, store, team, toolkit
from hermes_ops.doctor.check import Check, Checks
from hermes_ops.schedule.settings import reported
from hermes_ops.settings import Settings
from memory import open_memory
from orchestrator.contracts import Json
from orchestrator.errors import ConfigError, StoreError


async def examine(
    load: Callable[[], Settings],
    folders: Sequence[Path],
    found: dict[str, Json],
    environ: Mapping[str, str] | None = None,
) -> Checks:
    """Yields each check as it is done; the settings that fit the model come into `found`."""
    try:
        settings = load()
    except ConfigError as e:
        for line in str(e).splitlines():
            yield Check("settings", "settings", "fail", line, "Mend that line; docs/SETTINGS.md has all keys.")
        return
    yield Check("settings", "settings", "ok", "every key and value is valid")
    for check in machine.checks(settings, os.environ if environ is None else environ):
        yield check
    async for check in store.checks(settings.database_url):
        yield check
    async for check in _sources(settings, folders):
        yield check
    async for check in _models(settings, found):
        yield check
    for check in team.checks(settings):
        yield check
    if settings.feishu.app_id:
        async for check in _feishu(settings):
            yield check


async def _sources(settings: Settings, folders: Sequence[Path]) -> Checks:
    models = tuple(e.model for e in (*settings.model.endpoints(), settings.model.light_endpoint()) if e)
    async for check in _live(settings, models):
        yield check
    own = [settings.sources.folder] if settings.sources.folder else []
    if not (own or folders or any(True for _ in settings.sources.live())):
        do = "Ask with --folder DIR, or set up a source (docs/SOURCES.md)."
        yield Check("source", "sources", "skip", "none is set up: there is nothing yet to answer from", do)
    for folder in (*folders, *own):
        async for check in sources.checks(folder, settings.data_dir / "index"):
            yield check
    async for check in toolkit.checks(settings.toolkit, models):
        yield check


async def _live(settings: Settings, models: tuple[str, ...]) -> Checks:
    """What was received by web hook lies in the store; one that can't be opened was told of already."""
    memory = None
    if settings.sources.stored:
        try:
            memory = open_memory(settings.database_url)
        except StoreError:
            return
    try:
        async for check in sources.live(settings.sources, models, memory.records if memory else None):
            yield check
    finally:
        if memory is not None:
            await memory.close()


async def _feishu(settings: Settings) -> Checks:
    """The channel is imported only where it is set up."""
    name = "hermes_ops.doctor.feishu"
    try:
        feishu = import_module(name)
    except ModuleNotFoundError as e:
        do = "pip install 'hermes-ops[feishu,serve]'"
        yield Check("feishu", "packages", "fail", f"the package {e.name} isn't installed", do)
        return
    async for check in feishu.checks(settings.feishu, reported(settings)):
        yield check


async def _models(settings: Settings, found: dict[str, Json]) -> Checks:
    first, *others = settings.model.endpoints() or (None,)
    if first is None:
        said = "no model is set: questions are answered by playbooks, without a language model"
        yield Check("model", "model", "skip", said, "Set HERMES_OPS_MODEL and HERMES_OPS_BASE_URL (docs/MODELS.md).")
        return
    async for check in model.checks(first, settings.limits.history_tokens, True, found):
        yield check
    light = settings.model.light_endpoint()
    for other in (*others, *([light] if light else [])):
        async for check in model.checks(other, settings.limits.history_tokens, False, found):
            yield check
