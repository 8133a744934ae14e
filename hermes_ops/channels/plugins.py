"""Channels of other packages: an entry point of the group `hermes_ops.channels`, loaded where the settings have a table
`[channels.NAME]`, and never otherwise. docs/CHANNELS.md has a whole one.

It knows no platform. Feishu isn't loaded this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from hermes_ops.channels.base import MAX_QUESTION, Document, Handle, Health, Intake, Prepared, Sent, Served
from hermes_ops.channels.commands import read_command
from hermes_ops.channels.keeping import PLACE
from hermes_ops.channels.words import say
from hermes_ops.service import Plugged
from hermes_ops.settings import Settings
from hermes_ops.zones import machine_zone
from memory import Posts
from orchestrator.contracts import Answer, Incoming, Json
from orchestrator.errors import ConfigError, HermesError

GROUP = "hermes_ops.channels"
OWN = ("feishu", "console")


@dataclass(frozen=True)
class Kit:
    """What a channel is made with. `options`: its table of the settings, secrets as `SecretStr`; `posts`: where it
    keeps what it sent under which key; `mask`: takes secrets out of a text; `zone`: the askers', as long as nothing
    better is known; `files`: a directory for what messages bring along."""

    name: str
    options: Mapping[str, Any]
    posts: Posts
    mask: Callable[[str], str]
    zone: str
    files: Path

    def need(self, key: str) -> str:
        """An option's text. Raises ConfigError where it isn't set."""
        value = self.options.get(key)
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value or "")
        if not text:
            raise ConfigError(f"channels.{self.name}.{key} is needed: set it in the table [channels.{self.name}].")
        return text

    def listed(self, key: str) -> tuple[str, ...]:
        """An option that is a list of texts; () where it isn't set. Raises ConfigError for anything else."""
        value = self.options.get(key, ())
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise ConfigError(f'channels.{self.name}.{key} must be a list of texts, such as ["a", "b"].')
        return tuple(value)

    async def hand_in(self, intake: Intake, asked: Incoming, extra: Mapping[str, Json] | None = None) -> str:
        """A person's message, masked, as a question or a command: "accepted", "duplicate" or "busy". Stored when it
        comes back. Raises StoreError: then the platform shall send it again. `extra` comes back in `prepare`."""
        told = {**(extra or {}), "cut": len(asked.text) > MAX_QUESTION}
        asked = replace(asked, text=self._short(asked.text), quote=asked.quote and self._short(asked.quote))
        if (command := read_command(asked.text)) is None:
            return await intake.take(asked, "question", told)
        return await intake.take(asked, "command", {**told, "do": command.name, "text": command.rest})

    def _short(self, text: str) -> str:
        """Masked, and then cut: half of a secret may not be known for one."""
        return self.mask(text[: 2 * MAX_QUESTION])[:MAX_QUESTION]


Make = Callable[[Kit], Plugged]


class Plain:
    """What a simple channel may leave as it is."""

    caps: frozenset[str] = frozenset()

    def connect(self) -> None:
        """Messages come by web hook."""

    async def prepare(self, asked: Incoming, extra: Json) -> Prepared:
        cut = isinstance(extra, dict) and extra.get("cut")
        return Prepared(asked, (say("cut", asked.locale, n=len(asked.text)),) if cut else ())

    async def show(self, h: Handle, a: Answer, doc: Document, key: str) -> Sent:
        return await self.finish(h, replace(a, text="\n\n".join(filter(None, (doc.title, doc.text)))), key)

    async def finish(self, h: Handle, a: Answer, key: str) -> Sent:
        raise NotImplementedError

    async def deafen(self) -> None:
        """There is no connection."""

    async def close(self) -> None:
        """There is nothing to end."""

    def health(self) -> Health:
        return Health(True, "Events come by web hook.")


def plugged(settings: Settings, posts: Posts, mask: Callable[[str], str]) -> list[Plugged]:
    """A channel for each table `[channels.NAME]`. Raises ConfigError for one that can't be had."""
    zone = settings.zone or machine_zone()
    made = []
    for name, options in settings.channels.items():
        kit = Kit(name, options, posts, mask, zone, settings.data_dir / PLACE)
        made.append(_make(name, _found(name), kit))
    return made


def _found(name: str) -> EntryPoint:
    offered = entry_points(group=GROUP)
    found = [point for point in offered if point.name == name]
    if name in OWN:
        raise ConfigError(f"channels.{name}: {name} is built in, and needs no such table (docs/CHANNELS.md).")
    if not found:
        there = ", ".join(sorted({point.name for point in offered})) or "none"
        raise ConfigError(f"channels.{name}: no installed package offers this channel. Offered: {there}.")
    if len({point.value for point in found}) > 1:
        owners = ", ".join(sorted(point.dist.name if point.dist else point.value for point in found))
        raise ConfigError(f"channels.{name}: several packages offer this channel ({owners}): uninstall all but one.")
    return found[0]


def _make(name: str, point: EntryPoint, kit: Kit) -> Plugged:
    """Somebody else's code: whatever it raises is told in one sentence."""
    try:
        make: Make = point.load()
        made = make(kit)
    except HermesError:
        raise
    except Exception as e:
        raise ConfigError(f"channels.{name}: {point.value} can't be loaded: {type(e).__name__}: {e}") from e
    if missing := _missing(made.channel) if isinstance(made, Plugged) else ["Plugged"]:
        raise ConfigError(f"channels.{name}: {point.value} makes no channel; it lacks {', '.join(missing)}.")
    if made.channel.name != name:
        raise ConfigError(f"channels.{name}: {point.value} makes a channel that calls itself {made.channel.name!r}.")
    return made


def _missing(channel: object) -> Sequence[str]:
    verbs = [name for name in dir(Served) if not name.startswith("_")]
    return [name for name in ("name", *verbs) if not hasattr(channel, name)]
