"""How the live sources are, asked once in a while and not by whoever wants to know. It knows no product."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from hermes_ops.sourcing.live import Connected, LiveSources
from orchestrator.errors import HermesError
from subagents.sources import Health

EACH = 60.0  # seconds between two looks
LONGEST = 20.0  # seconds for one source


class Pulse:
    """`health`: by the source's place in the settings, as of the last look; what was never asked isn't in it."""

    def __init__(self, live: LiveSources | None) -> None:
        self._live = live
        self.health: dict[str, Health] = {}

    async def run(self) -> None:
        """Until it is cancelled."""
        while self._live is not None:
            await self.look()
            await asyncio.sleep(EACH)

    async def look(self) -> Mapping[str, Health]:
        """Asks all of them now."""
        everyone = self._live.all if self._live else ()
        found = await asyncio.gather(*map(_probed, everyone))
        self.health.update(zip((c.place for c in everyone), found, strict=True))
        return self.health


async def _probed(connected: Connected) -> Health:
    """Of several kinds behind one address the first: they are one server."""
    _, source = next(iter(connected.each()))
    try:
        return await asyncio.wait_for(source.probe(), LONGEST)
    except TimeoutError:
        return Health(False, f"no answer within {LONGEST:.0f} s")
    except HermesError as e:
        return Health(False, str(e))
