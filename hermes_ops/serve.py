"""`hermes-ops serve`: channels, inbox, outbox, schedules and a small HTTP server in one process, from start to a clean
stop. What it consists of is `service`, its pages are in `web`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

from hermes_ops.app import App, open_app
from hermes_ops.channels import keeping
from hermes_ops.hooks.opening import ear, first_look, prune
from hermes_ops.host import Host
from hermes_ops.keys import check_value
from hermes_ops.runtime.alone import Alone
from hermes_ops.runtime.cluster import Replica
from hermes_ops.schedule.timetable import timetable
from hermes_ops.service import Plugged, Service
from hermes_ops.settings import Settings
from hermes_ops.sourcing.pulse import Pulse
from hermes_ops.trace import retention
from hermes_ops.version import VERSION
from hermes_ops.web.server import listening
from memory.hold import hold
from orchestrator.errors import HermesError, StoreError

TAKEN = (
    "Another process consumes this inbox already: end it, give this one another database, or run all of them with "
    'serve.runtime = "cluster".'
)
KEPT = timedelta(days=30)  # what ended is known for so long; a message that comes again is a duplicate till then
SWITCH_SECONDS = 0.0005
HOURLY = 3600.0  # seconds
RUNS = 5_000  # that go in an hour

log = logging.getLogger("hermes_ops.serve")


@asynccontextmanager
async def serving(
    settings: Settings, plugs: Callable[[App], Sequence[Plugged]], offline: bool = False
) -> AsyncIterator[Service]:
    """Everything started; at the end stopped: nothing new is taken, what runs may end, the rest is kept. Raises
    HermesError where it can't start."""
    shared = settings.serve.runtime == "cluster"
    lock = hold(settings.database_url, "inbox", TAKEN, shared)
    try:
        async with open_app(settings, None, offline) as app:
            await _same_key(app)
            plugged = plugs(app)
            member = Replica(app.memory.replicas, lock, VERSION) if shared else Alone(lock)
            await member.enter()
            host = Host(app, {p.channel.name: p.channel for p in plugged}, settings, member)
            look = first_look(app, host, plugged[0].channel.name if plugged else "")
            pulse = Pulse(app.opener.live)
            service = Service(host, app, plugged, member, timetable(app, host, not shared), ear(app, look), pulse, look)
            await service.ear.begin()
            async with _brisk(), listening(service, settings.serve), _working(service):
                yield service
            await member.leave()
    finally:
        lock.release()


async def _same_key(app: App) -> None:
    """All that ever serve a database should mask by one key."""
    mine = check_value(app.settings.masking_key())
    if await app.memory.replicas.agree("masking.key", mine) != mine:
        log.warning(
            "serve: %s isn't the key that this database was first served with: the same secret gets another tag here, "
            "and a question that is taken over sees both. Copy that file from where it began, and start again.",
            app.settings.data_dir / "masking.key",
        )


@asynccontextmanager
async def _brisk() -> AsyncIterator[None]:
    """Threads take turns sooner: an acknowledgement passes through two of them, and each turn costs up to 5 ms for
    every thread that is busy (measured with 60 questions: p99 250 ms before, 26 ms with this)."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@asynccontextmanager
async def _working(service: Service) -> AsyncIterator[None]:
    host, member = service.host, service.member
    connected, working = list[asyncio.Task[None]](), list[asyncio.Task[None]]()
    member.lost = host.lost
    works = [member.run, host.inbox.run, host.deliveries.run, service.clockwork.run, lambda: _prune(service.app)]
    works += [service.pulse.run, *([service.look.run] if service.look else [])]
    try:
        for p in service.plugged:  # before anything is delivered by them
            await p.channel.listen(host)
        working += [asyncio.create_task(_guarded(service, work)) for work in works]
        for p in service.plugged:
            connecting = partial(member.alone, f"channel {p.channel.name}", p.channel.connect, p.channel.deafen)
            connected.append(asyncio.create_task(_guarded(service, connecting)))
        yield
    finally:
        await _ended(connected)  # from here on another replica listens
        await service.clockwork.close()
        await host.inbox.close(service.app.settings.serve.drain)
        await host.deliveries.close()
        await _ended(working)
        for p in service.plugged:
            await p.channel.close()


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _guarded(service: Service, work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except HermesError as e:
        service.fail(e)
    except Exception:
        log.exception("serve: a part of it ended")
        service.fail(HermesError("A part of the service ended unexpectedly; the log has the details."))


async def _prune(app: App) -> None:
    while True:
        with contextlib.suppress(StoreError):
            await app.memory.inbox.prune(app.memory.inbox.clock() - KEPT)
            await prune(app)
            await app.budget.prune()
            await retention.prune(app.memory, app.settings.trace, RUNS)
            await retention.prune_turns(app.memory, app.settings.memory)
        await asyncio.to_thread(keeping.sweep, app.settings.data_dir / keeping.PLACE)
        await asyncio.sleep(HOURLY)


async def until_signal(service: Service) -> None:
    """Comes back on SIGTERM, SIGINT, or when the service can't go on."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.ended.set)
    try:
        await service.ended.wait()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    if service.error is not None:
        raise service.error
