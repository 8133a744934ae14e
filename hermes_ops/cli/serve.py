"""`hermes-ops serve`: the bot."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.faults import say
from hermes_ops.cli.options import Offline
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hermes_ops.app import App
    from hermes_ops.service import Plugged
    from hermes_ops.settings import Settings


def serve(
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="A directory of exported files, for sources.folder.")
    ] = None,
    offline: Offline = False,
) -> None:
    """Answer in chat: channels, inbox, /healthz and /readyz, until SIGTERM."""
    from hermes_ops.loading import load

    settings = load()
    if folder is not None:
        settings = settings.model_copy(update={"sources": settings.sources.model_copy(update={"folder": folder})})
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("alembic.runtime.plugins").setLevel(logging.WARNING)  # of which parts of its own it loads
    asyncio.run(_serve(settings, offline))


async def _serve(settings: Settings, offline: bool) -> None:
    from hermes_ops.serve import serving, until_signal

    chat = bool(settings.feishu.app_id or settings.channels)
    if not (chat or settings.hooks.alerts or settings.hooks.changes or settings.serve.trace_token):
        raise ConfigError(
            "No channel is set up: set feishu.app_id and what it needs (docs/FEISHU.md), or "
            "a table [channels.NAME] (docs/CHANNELS.md)."
        )
    lock = _feishu().only_one(settings.feishu) if settings.feishu.app_id and settings.serve.runtime == "local" else None
    try:
        async with serving(settings, lambda app: plugs(settings, app) if chat else (), offline) as service:
            named = [settings.feishu.domain] if settings.feishu.app_id else []
            served = " and ".join([*named, *settings.channels, service.url if chat else f"web hooks on {service.url}"])
            inspector = f"; the inspector is {service.url}/traces" if settings.serve.trace_token else ""
            say(f"hermes-ops serves {served}{inspector}; SIGTERM ends it.")
            await until_signal(service)
    finally:
        if lock is not None:
            lock.release()


def plugs(settings: Settings, app: App) -> Sequence[Plugged]:
    """The channels that the settings name: Feishu, then those of other packages."""
    from hermes_ops.channels import plugins
    from hermes_ops.service import Plugged

    others = plugins.plugged(settings, app.memory.posts, app.guard.mask) if settings.channels else []
    if not settings.feishu.app_id:
        return others
    channel = _feishu().make(settings, app.memory.posts, app.guard.mask)
    hooks = {}
    if settings.feishu.mode == "webhook":
        from hermes_ops.channels.feishu.webhook import WebHook

        hooks["/feishu/events"] = WebHook(settings.feishu, channel)
    return [Plugged(channel, hooks), *others]


def _feishu() -> ModuleType:
    try:
        from hermes_ops.channels.feishu import plug
    except ModuleNotFoundError as e:
        raise ConfigError(f"The Feishu channel needs {e.name}: pip install 'hermes-ops[feishu,serve]'.") from None
    return plug
