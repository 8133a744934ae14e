"""Events on their way to the apps, and the repeats until somebody has taken them. Source: protocol, 2.5 and 3.3.

A push that isn't answered with 200 within three seconds is repeated after 15 s, 5 min, 1 h and 6 h of the platform's
clock, with the same event_id. It doesn't know what an event says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from hermes_ops.sandbox import views
from hermes_ops.sandbox.clock import Clock
from hermes_ops.sandbox.errors import Json
from hermes_ops.sandbox.journal import Journal
from hermes_ops.sandbox.link import Ack, Link
from hermes_ops.sandbox.model import App
from hermes_ops.sandbox.webhook import Webhook
from hermes_ops.sandbox.world import World

REPEATS = (15.0, 300.0, 3600.0, 21600.0)


@dataclass(eq=False)
class Delivery:
    """One event for one app. `acks` has one item per attempt: the answer, or None."""

    app: App
    kind: str
    payload: Json
    acks: list[Ack | None] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def event_id(self) -> str:
        return str(self.payload["header"]["event_id"])

    @property
    def taken(self) -> bool:
        return any(ack is not None and ack.code == 200 for ack in self.acks)

    async def settled(self, timeout: float = 5.0) -> Delivery:  # noqa: ASYNC109
        """Waits until it was taken or given up. Raises TimeoutError after so many real seconds."""
        await asyncio.wait_for(self.over.wait(), timeout)
        return self


class Pushes:
    """`copies` pushes each event so often at once; while `held` is a list, deliveries wait in it for `release`."""

    def __init__(self, clock: Clock, world: World, journal: Journal, link: Link, webhook: Webhook) -> None:
        self.clock, self.world, self.journal = clock, world, journal
        self.link, self.webhook = link, webhook
        self.repeats: tuple[float, ...] = REPEATS
        self.copies = 1
        self.held: list[Delivery] | None = None
        self.all: list[Delivery] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, app: App, kind: str, event: Json, event_id: str = "") -> Delivery | None:
        """Starts a delivery; None when the app has not subscribed to the kind of event."""
        if kind not in app.events or not app.enabled:
            self.journal.add("push", app=app.app_id, event=kind, what="not subscribed")
            return None
        delivery = Delivery(app, kind, views.envelope(self.world, app, kind, event, event_id))
        self.all.append(delivery)
        if self.held is not None:
            self.held.append(delivery)
        else:
            self.start(delivery)
        return delivery

    def start(self, delivery: Delivery) -> None:
        for _ in range(self.copies):
            self._spawn(self._deliver(delivery))

    def again(self, delivery: Delivery) -> None:
        """Pushes what was already delivered once more, as the platform sometimes does."""
        self._spawn(self._once(delivery))

    def release(self, backwards: bool = False) -> None:
        """Lets go what was held, in its order or the last first."""
        held, self.held = self.held or [], None
        for delivery in reversed(held) if backwards else held:
            self.start(delivery)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, delivery: Delivery) -> None:
        try:
            await self._once(delivery)
            for pause in self.repeats:
                if delivery.taken:
                    break
                await self.clock.sleep(pause)
                await self._once(delivery)
        finally:
            delivery.over.set()

    async def _once(self, delivery: Delivery) -> None:
        app = delivery.app
        ack = await (self.webhook.push(app, delivery.payload) if app.webhook else self.link.push(app, delivery.payload))
        delivery.acks.append(ack)
        self.journal.add(
            "push",
            app=app.app_id,
            event=delivery.kind,
            event_id=delivery.event_id,
            attempt=len(delivery.acks),
            code=ack.code if ack else None,
            after=ack.after if ack else None,
        )
