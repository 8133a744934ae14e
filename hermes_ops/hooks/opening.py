"""Web hooks put together from settings, for `serve`."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from datetime import timedelta

from hermes_ops.app import App
from hermes_ops.hooks.ear import Ear
from hermes_ops.hooks.look.looking import FirstLook
from hermes_ops.host import Host
from hermes_ops.settings import ServiceSettings, Settings
from orchestrator.errors import ConfigError

log = logging.getLogger("hermes_ops.hooks")


def ear(app: App, look: FirstLook | None) -> Ear:
    services = app.settings.services
    _unread(app.settings)
    return Ear(
        app.settings.hooks,
        app.memory.records,
        app.guard.mask,
        lambda repository: service_of(repository, services),
        look.hear if look else None,
    )


def first_look(app: App, host: Host, channel: str) -> FirstLook | None:
    """None where it is off. Raises ConfigError where it could never be seen, or could starve people."""
    s = app.settings
    if not s.hooks.look.on:
        return None
    if not channel:
        raise ConfigError("hooks.look.on needs a chat to post in: set up a channel (docs/FEISHU.md).")
    if s.hooks.look.at_once >= s.serve.questions:
        raise ConfigError("hooks.look.at_once must be less than serve.questions, or alerts could starve people.")
    return FirstLook(app, host, channel)


async def prune(app: App) -> None:
    """Lets go of what is too old or too much. Raises StoreError."""
    kept, records = app.settings.hooks, app.memory.records
    await records.prune(records.clock() - timedelta(days=kept.keep_days), kept.most)


def service_of(repository: str, services: Mapping[str, ServiceSettings]) -> str:
    """The service whose `repository` in the catalogue is this one, written as a name or an address; "" for none."""
    for name, service in services.items():
        own = re.sub(r"\.git$", "", service.repository.rstrip("/"))
        if own and (own == repository or re.search(rf"[/:]{re.escape(repository)}$", own)):
            return name
    return ""


def _unread(settings: Settings) -> None:
    """A hook that nothing reads from is most likely a mistake."""
    for domain in ("alerts", "changes"):
        hooks, sources = getattr(settings.hooks, domain), getattr(settings.sources, domain)
        if hooks and not any(one.kind == "store" for one in sources.values()):
            log.warning(
                'hooks.%s fills a store that no source reads: add [sources.%s.received] kind = "store"', domain, domain
            )
