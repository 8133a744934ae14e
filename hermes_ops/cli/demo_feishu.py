"""`hermes-ops demo-feishu`: the bot in the sandbox, on the demo's incident; one command, one page to chat in.

It is the real bot on the real SDK. Only the platform is the loopback one, and no language model is used unless asked.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hermes_ops.cli.demo import SEED
from hermes_ops.cli.faults import say
from hermes_ops.cli.serve import plugs
from orchestrator.errors import ConfigError

if TYPE_CHECKING:
    from hermes_ops.sandbox import Sandbox
    from hermes_ops.settings import Settings

PORT = 8790


def demo_feishu(
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The page's; 0: a free one.")
    ] = PORT,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which incident: the same one for a number.")] = SEED,
    online: Annotated[bool, typer.Option("--online", help="Use the configured language model.")] = False,
) -> None:
    """Chat with the bot about a generated incident: no tenant, no key, no network."""
    try:
        from hermes_ops.sandbox import Sandbox
    except ImportError as e:
        raise ConfigError(f"The sandbox needs the package {e.name}: pip install 'hermes-ops[sandbox]'.") from None
    with tempfile.TemporaryDirectory(prefix="hermes-ops-demo-") as home:
        asyncio.run(_chat(Sandbox(port), Path(home), seed, online))


async def _chat(box: Sandbox, home: Path, seed: int, online: bool) -> None:
    from hermes_ops.serve import serving, until_signal

    try:
        await box.start()
    except OSError as e:
        raise ConfigError(f"The page's port can't be used: {e.strerror}. Name another one after --port.") from None
    try:
        chosen, question = _settings(box, home, seed)
        async with serving(chosen, lambda app: plugs(chosen, app), offline=not online) as service:
            print(f"Chat page:  {box.domain}/", flush=True)
            if chosen.serve.trace_token:
                token = chosen.serve.trace_token.get_secret_value()
                print(f"Inspector:  {service.url}/traces   its token: {token}", flush=True)
            say(f"Ask in it, for instance: {question}\n{service.url}/readyz tells how the bot is. Ctrl-C ends it.")
            await until_signal(service)
    finally:
        await box.stop()


def _settings(box: Sandbox, home: Path, seed: int) -> tuple[Settings, str]:
    """The configured ones, but for data, platform and who is answered; and a question that fits the incident."""
    from pydantic import SecretStr

    from hermes_ops.demo.generate import generate
    from hermes_ops.demo.variant import parse
    from hermes_ops.loading import load
    from orchestrator.contracts import to_json

    base = load()
    truth = generate(home / "incident", seed, datetime.now(UTC), parse("", seed))
    (home / "truth.json").write_text(json.dumps(to_json(truth), ensure_ascii=False), encoding="utf-8")
    given = {"app_id": box.app_id, "app_secret": SecretStr(box.app_secret), "domain": box.domain, "users": ("*",)}
    changed = {
        "data_dir": home / "data",
        "database_url": f"sqlite:///{home / 'data' / 'hermes-ops.db'}",
        "feishu": base.feishu.model_copy(update={**given, "mode": "socket", "proxy": ""}),
        "serve": base.serve.model_copy(update={"port": 0, "trace_token": SecretStr(secrets.token_hex(12))}),
        "sources": base.sources.model_copy(update={"folder": home / "incident"}),
    }
    return base.model_copy(update=changed), next(q.text for q in truth.questions if q.lang == "zh")
