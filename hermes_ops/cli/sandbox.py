"""`hermes-ops sandbox`: the loopback platform with its chat page, until Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.faults import say
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.sandbox import Sandbox

PORT = 8790


def sandbox(
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = PORT,
    app_id: Annotated[str, typer.Option("--app-id", metavar="ID", help="The bot's app id.")] = "cli_sandbox",
    app_secret: Annotated[
        str, typer.Option("--app-secret", metavar="SECRET", help="The bot's app secret.")
    ] = "sandbox-secret",  # noqa: S107
    speed: Annotated[float, typer.Option("--speed", metavar="N", min=0.01, help="Platform seconds per second.")] = 1.0,
    webhook: Annotated[str, typer.Option("--webhook", metavar="URL", help="Push events to this address.")] = "",
    encrypt_key: Annotated[str, typer.Option("--encrypt-key", metavar="KEY", help="Seals and signs pushes.")] = "",
    verification_token: Annotated[
        str, typer.Option("--verification-token", metavar="TOKEN", help="Stands in every push.")
    ] = "",
) -> None:
    """Serve a loopback Feishu platform with a chat page, to try a bot without a tenant."""
    try:
        from hermes_ops.sandbox import Sandbox
    except ImportError as e:
        raise ConfigError(f"The sandbox needs the package {e.name}: pip install 'hermes-ops[sandbox]'.") from None
    box = Sandbox(port, speed=speed, app_id=app_id, app_secret=app_secret)
    app = box.app
    app.webhook, app.encrypt_key, app.verification_token = webhook, encrypt_key, verification_token
    asyncio.run(_serve(box, port))


async def _serve(box: Sandbox, port: int) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        await box.start()
    except OSError as e:
        raise ConfigError(f"Port {port} can't be used: {e.strerror}. Name another one after --port.") from None
    try:
        print(f"Chat page:  {box.domain}/")
        print(f"For a bot:  domain {box.domain}, app id {box.app_id}, app secret {box.app_secret}", flush=True)
        say("Ctrl-C ends it.")
        await stop.wait()
    finally:
        await box.stop()
