"""What a question is answered from: a folder, live sources, what its message brought along, or several of these.

A folder that was named for this once goes alone; one from the settings stands beside the live sources. Opened once,
closed with the application. It knows no sub-agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hermes_ops import attached
from hermes_ops.sourcing.live import LiveSources
from hermes_ops.sourcing.settings import NOTHING, SourceSettings
from orchestrator import work
from orchestrator.contracts import Incoming, Scope
from orchestrator.errors import ConfigError
from orchestrator.stop import Stop
from subagents.folder.folder import Folder, open_folder
from subagents.folder.zones import Asker
from subagents.sources import Coverage, Sources
from subagents.store.kept import Records
from subagents.topology import Declared


@dataclass(frozen=True, slots=True)
class Places:
    """What one run asks: an opened folder, whether the live sources as well, and beside these what the message brought
    along."""

    folder: Folder | None
    live: LiveSources | None
    brought: Folder | None = None

    async def coverage(self) -> Coverage:
        """A folder ends at its last record; live sources go on, so with them it has no end, unless the message brought
        records along: these are what it asks about."""
        if self.live is None:
            return self.folder.coverage() if self.folder else Coverage(None, None)
        live, opened = await self.live.coverage(), [f.coverage() for f in (self.folder, self.brought) if f]
        services = tuple(dict.fromkeys(s for held in (live, *opened) for s in held.services))
        told = opened[-1] if self.brought and opened[-1].until is not None else Coverage(None, None, live.zone)
        return replace(told, services=services, notes=live.notes)


class Opener:
    """Opens and closes what the settings and the command line name. `given`: a folder for this process alone;
    `depends_on`: service → what it calls, by the settings."""

    def __init__(
        self, settings: SourceSettings, given: Path | None, index: Path, mask: Callable[[str], str],
        threads: work.Threads, depends_on: Mapping[str, Sequence[str]] | None = None, records: Records | None = None,
    ) -> None:  # fmt: skip
        own = _directory(settings.folder) if given is None else None
        same = given is not None and settings.folder is not None and given == settings.folder.expanduser().absolute()
        self.folder = given or own
        asked = next(settings.live(), None) and (given is None or same)
        self._live = LiveSources(settings, records) if asked else None
        self._index, self._mask, self._threads, self._zone = index, mask, threads, settings.folder_zone
        calls = {caller: callees for caller, callees in (depends_on or {}).items() if callees}
        self._declared = [Sources(spans=(Declared(calls),))] if calls else []
        self._opened: dict[Path, Folder] = {}
        self._opening: dict[Path, asyncio.Future[Folder]] = {}

    @property
    def live(self) -> LiveSources | None:
        """What the settings name, for whoever watches over them."""
        return self._live

    async def places(self, question: Incoming, folder: str, stop: Stop) -> Places:
        """`folder`: the run's own, which a resumed one brings along. Raises ConfigError where there is nothing."""
        foreign = folder and (self.folder is None or folder != str(self.folder.resolve()))
        live = None if foreign else self._live
        path = Path(folder) if foreign else self.folder
        if path is None and live is None:
            path = attached.place(question)
            if path is None:
                raise ConfigError(NOTHING)
        more = attached.place(question) if live else None
        brought = await self._open(more, stop, question) if more else None
        return Places(await self._open(path, stop, question) if path else None, live, brought)

    async def sources(
        self, places: Places, question: Incoming, scope: Scope, models: tuple[str, ...], stop: Stop
    ) -> Sources:
        """Of the scope's environment, as far as these models may see them; and of what the message brought along."""
        offered = [*([places.folder.sources()] if places.folder else []), *self._declared]
        if places.live:
            offered.append(places.live.sources(scope.environment, models))
        more = attached.place(question)
        if more is not None and (places.folder is None or more != places.folder.path):
            offered.append((await self._open(more, stop, question)).sources())
        return offered[0] if len(offered) == 1 else attached.together(*offered)

    def leave(self, path: Path) -> None:
        """What a message brought along isn't asked any more."""
        self._opening.pop(path, None)
        if opened := self._opened.pop(path, None):
            opened.close()

    async def _open(self, path: Path, stop: Stop, question: Incoming) -> Folder:
        """Recognised once, in a thread; whoever asks for it meanwhile waits for the same, each until its own `stop`.
        Of what the message brought along nothing is indexed: it goes without a trace."""
        if path in self._opened:
            return self._opened[path]
        if path not in self._opening:
            index = None if path == attached.place(question) else self._index
            given: dict[str, object] = {"path": path, "cache_dir": index, "mask": self._mask, "zone": self._zone}
            given["asker"] = Asker(question.zone, question.at.timestamp())
            opening = asyncio.ensure_future(work.run(open_folder, given, "io", None, self._threads))
            opening.add_done_callback(partial(self._came, path))
            self._opening[path] = opening
        return await stop.race(asyncio.shield(self._opening[path]))

    def _came(self, path: Path, opening: asyncio.Future[Folder]) -> None:
        """Kept, or closed where it was left meanwhile. A failure is told to who waits; the next asker tries again."""
        wanted = self._opening.get(path) is opening
        if wanted:
            del self._opening[path]
        if opening.cancelled() or opening.exception():
            return
        if wanted:
            self._opened[path] = opening.result()
        else:
            opening.result().close()

    async def aclose(self) -> None:
        for opening in list(self._opening.values()):
            opening.cancel()
        for opened in self._opened.values():
            opened.close()
        if self._live:
            await self._live.aclose()


def _directory(folder: Path | None) -> Path | None:
    """Raises ConfigError where the settings name a folder that isn't there."""
    if folder is None:
        return None
    path = folder.expanduser().absolute()
    if not path.is_dir():
        raise ConfigError(f"sources.folder: there is no folder {path}.")
    return path
