"""The live sources of the settings: made once, chosen by environment and by which models may see them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_ops import attached
from hermes_ops.sourcing.connection import Live, Placed
from hermes_ops.sourcing.kinds import MAKERS
from hermes_ops.sourcing.settings import SourceSettings
from subagents.logfiles.source import LogFiles
from subagents.sources import Coverage, Source, SourceError, Sources
from subagents.store.kept import Records
from subagents.web import Web
from subagents.withheld import Withheld

KEPT = 300.0  # seconds for which it is known what the sources speak of
KEPT_PART = 30.0  # the same while one of them isn't reached: as long as that one rests
SERVICES = 2000  # names that are learnt from all live sources together
KINDS = ("alerts", "metrics", "logs", "spans", "changes")


@dataclass(frozen=True, slots=True)
class Connected:
    """One table of the settings, as sources."""

    place: str  # "sources.alerts.prod"
    given: Placed
    sources: Sources

    def withheld(self, refused: list[str]) -> Sources:
        """What stands in its place where these models may not see it."""
        kinds = {kind: tuple(Withheld(s.name, why(refused)) for s in getattr(self.sources, kind)) for kind in KINDS}
        return Sources(**kinds)  # type: ignore[arg-type]  # Withheld fits each of them

    def each(self) -> Iterator[tuple[str, Source]]:
        yield from ((kind, source) for kind in KINDS for source in getattr(self.sources, kind))


def why(refused: list[str]) -> str:
    return f"its egress doesn't allow the model {', '.join(refused)}, so it was not asked"


class LiveSources:
    """Connects at the first question, not before. `records`: what was received by web hook."""

    def __init__(self, settings: SourceSettings, records: Records | None = None) -> None:
        self._web, self._records = Web(), records
        self.all = tuple(self._made(domain, name, given) for domain, name, given in settings.live())
        self._known: tuple[float, Coverage] | None = None
        self._asking = asyncio.Lock()

    def _made(self, domain: str, name: str, given: Placed) -> Connected:
        asked = self._web.at(given.site(name)) if isinstance(given, Live) else self._records
        return Connected(f"sources.{domain}.{name}", given, MAKERS[type(given)](name, given, asked))

    def sources(self, environment: str, models: tuple[str, ...]) -> Sources:
        """Those of an environment ("" = of all). One whose text one of these models may not see isn't asked: what
        stands in its place says so at each question, and it is in `skipped`."""
        here = [c for c in self.all if not environment or c.given.environment in ("", environment)]
        closed = {c.place: c.given.closed_to(models) for c in here}
        skipped = tuple({"path": place, "why": why(refused)} for place, refused in closed.items() if refused)
        offered = (c.withheld(closed[c.place]) if closed[c.place] else c.sources for c in here)
        return attached.together(Sources(skipped=skipped), *offered)

    async def coverage(self) -> Coverage:
        """The services that they name, and the clock people read them by. What can't be reached says nothing here: the
        tools that ask it will."""
        async with self._asking:
            if self._known is None or time.monotonic() > self._known[0]:
                whole, cover = await self._covered()
                self._known = time.monotonic() + (KEPT if whole else KEPT_PART), cover
            return self._known[1]

    async def _covered(self) -> tuple[bool, Coverage]:
        """And whether every source was reached."""
        found = await asyncio.gather(*(_covers(source) for c in self.all for _, source in c.each()))
        names = dict.fromkeys(name for cover in found if cover for name in cover.services)
        zones = [c.given.zone for c in self.all]
        zone = zones[0] if len(set(zones)) == 1 else "UTC"
        return None not in found, Coverage(None, None, zone, tuple(names)[:SERVICES])

    async def aclose(self) -> None:
        for source in (source for c in self.all for _, source in c.each()):
            if isinstance(source, LogFiles):
                source.close()
        await self._web.aclose()


async def _covers(source: Source) -> Coverage | None:
    try:
        return await source.coverage()
    except SourceError:
        return None
