"""One question of the command line, from settings to exit code, with Ctrl-C on the way.

The first Ctrl-C asks the application to stop, and what it found so far is shown; the second one, or an application
that doesn't come back, ends the process at once. A run ended like that is interrupted and can be resumed.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Protocol

from hermes_ops.cli.faults import report, say
from hermes_ops.cli.inputs import Request, read_now, read_zone
from hermes_ops.cli.progress import Progress
from hermes_ops.exits import ANSWERED, BY_STATUS, CANCELLED, MODEL
from hermes_ops.render import remarks, show
from hermes_ops.settings import Settings
from orchestrator.contracts import Answer, Event, Incoming
from orchestrator.guard import AllowAll

GRACE = 5.0  # seconds from the first Ctrl-C to the end, whatever hangs


class Answering(Protocol):
    """What the command line needs of `hermes_ops.app.App`."""

    def cancel(self) -> None: ...
    async def answer(
        self,
        incoming: Incoming,
        *,
        session: str,
        resume: str | None,
        new: bool,
        on_event: Callable[[Event], None],
        on_tick: Callable[[str, str], None],
    ) -> Answer: ...


Opener = Callable[[Settings, Path | None, bool], AbstractAsyncContextManager[Answering]]


def ask(request: Request, incoming: Incoming, settings: Settings, open_app: Opener) -> int:
    """Asks, shows the answer, and returns the exit code."""
    with Progress() as progress:
        try:
            answer = asyncio.run(_answered(request, incoming, settings, open_app, progress))
        except Exception as error:
            if progress.run:
                error.add_note(f"run {progress.run}")
            raise
    try:
        show(answer, request.as_json)
    except BrokenPipeError as error:
        return report(error)
    for remark in remarks(answer):
        say(remark)
    code = BY_STATUS.get(answer.status, ANSWERED)
    return MODEL if answer.fallback and code == ANSWERED else code


def make_incoming(request: Request, settings: Settings) -> Incoming:
    """The message, masked as it is made. Raises ConfigError for a bad time or zone, StoreError for a bad directory."""
    zone = read_zone(request.zone, settings.zone)
    at = read_now(request.now, zone)
    text = AllowAll(settings.masking_key()).mask(request.text)
    locale = request.locale if settings.language == "auto" else settings.language
    asked = f"cli-{secrets.token_hex(6)}"
    anchored, zoned = request.now is not None, request.zone is not None
    return Incoming(asked, text, at, zone, user=request.user, locale=locale, anchored=anchored, zoned=zoned)


async def _answered(
    request: Request, incoming: Incoming, settings: Settings, open_app: Opener, progress: Progress
) -> Answer:
    async with open_app(settings, request.folder, request.offline) as app:
        with interruptible(app.cancel):
            return await app.answer(
                incoming,
                session=request.session,
                resume=request.resume,
                new=request.new,
                on_event=progress.event,
                on_tick=progress.tick,
            )


@contextmanager
def interruptible(cancel: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    hit: list[threading.Timer] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        if hit:
            os._exit(CANCELLED)
        say("Stopping; what was found so far follows. Ctrl-C again ends at once.")
        timer = threading.Timer(GRACE, os._exit, (CANCELLED,))
        timer.daemon = True
        timer.start()
        hit.append(timer)
        loop.call_soon_threadsafe(cancel)

    # not the loop's handlers: a blocked loop must be left as well
    former = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
