"""What a question is answered from: a folder, live sources, what its message brought along, or several of these.

A folder that was named for this once goes alone; one from the settings stands beside the live sources. Opened once,
closed with the application. It knows no sub-agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_ops import attached
from hermes_ops.sourcing.live import LiveSources
from hermes_ops.sourcing.settings import NOTHING, SourceSettings
from orchestrator import work
from orchestrator.contracts import Incoming, Scope
from orchestrator.errors import ConfigError
from orchestrator.stop import Stop
from subagents.folder.folder import Folder, open_folder
from subagents.sources import Coverage, Sources
from subagents.store.kept import Records
from subagents.topology import Declared


@dataclass(frozen=True, slots=True)
class Places:
    """What one run asks: an opened folder, and whether the live sources as well."""

    folder: Folder | None
    live: LiveSources | None

    async def coverage(self) -> Coverage:
        """A folder ends at its last record; live sources go on, so with them it has no end."""
        if self.live is None:
            return self.folder.coverage() if self.folder else Coverage(None, None)
        held = self.folder.coverage().services if self.folder else ()
        live = await self.live.coverage()
        return Coverage(None, None, live.zone, tuple(dict.fromkeys((*live.services, *held))), live.notes)


class Desk:
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
        self._index, self._mask, self._threads = index, mask, threads
        calls = {caller: callees for caller, callees in (depends_on or {}).items() if callees}
        self._declared = [Sources(spans=(Declared(calls),))] if calls else []
        self._opened: dict[Path, Folder] = {}
        self._opening = asyncio.Lock()

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
        return Places(await self._open(path, stop, question) if path else None, live)

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
        if opened := self._opened.pop(path, None):
            opened.close()

    async def _open(self, path: Path, stop: Stop, question: Incoming) -> Folder:
        """Recognised once; in a thread, so that Ctrl-C works meanwhile. Of what the message brought along nothing is
        indexed: it goes without a trace."""
        index = None if path == attached.place(question) else self._index
        async with self._opening:  # two questions at once open a folder once
            if path not in self._opened:
                given = {"path": path, "cache_dir": index, "mask": self._mask}
                self._opened[path] = await stop.race(work.run(open_folder, given, "io", None, self._threads))
        return self._opened[path]

    async def aclose(self) -> None:
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
