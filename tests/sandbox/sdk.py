"""The unmodified `lark-oapi` SDK as the client under test: a bot on a thread of its own, REST calls from threads."""

from __future__ import annotations

import asyncio
import importlib
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from hermes_ops.sandbox import App, Sandbox


def load() -> tuple[Any, Any, Any]:
    """Imports the SDK, which takes the current event loop for good as it is imported: one that we close again."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sdk = pytest.importorskip("lark_oapi", reason="needs the extra: pip install hermes-ops[feishu]")
            return sdk, importlib.import_module("lark_oapi.core.token"), importlib.import_module("lark_oapi.ws.client")
    finally:
        asyncio.set_event_loop(None)
        loop.close()


lark, tokens, ws_module = load()

Handlers = dict[str, Callable[[Any], Any]]


def rest(box: Sandbox, app: App | None = None) -> Any:
    """A REST client with an empty token cache (the SDK's own is one for the whole process)."""
    manager = tokens.TokenManager
    manager.cache = type(manager.cache)()
    who = app or box.app
    return lark.Client.builder().app_id(who.app_id).app_secret(who.secret).domain(box.domain).timeout(5).build()


async def call(method: Callable[[Any], Any], request: Any) -> Any:
    """A synchronous SDK call on a thread."""
    return await asyncio.to_thread(method, request)


class Bot:
    """The SDK's long-connection client. `handlers`: name of a register_… method without its prefix → handler."""

    def __init__(self, box: Sandbox, handlers: Handlers, app: App | None = None) -> None:
        self.box, self.app, self.handlers = box, app or box.app, handlers
        self.loop = asyncio.new_event_loop()
        self.failed: BaseException | None = None
        self.client: Any = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    async def __aenter__(self) -> Bot:
        self.thread.start()
        await self.box.connected(self.app)
        return self

    async def __aexit__(self, *_: Any) -> None:
        await asyncio.to_thread(self.stop)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        ws_module.loop = self.loop  # the SDK reads this module global everywhere
        builder = lark.EventDispatcherHandler.builder("", "")
        for name, handler in self.handlers.items():
            getattr(builder, f"register_{name}")(handler)
        self.client = lark.ws.Client(
            self.app.app_id, self.app.secret, event_handler=builder.build(), domain=self.box.domain
        )
        try:
            self.client.start()
        except RuntimeError as e:  # loop.stop() surfaces here
            if "Event loop stopped" not in str(e):
                self.failed = e
        except Exception as e:
            self.failed = e
        finally:
            self._end()

    def _end(self) -> None:
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def stop(self) -> None:
        async def quiet() -> None:
            self.client._auto_reconnect = False
            conn, self.client._conn = self.client._conn, None
            if conn is not None:
                await asyncio.wait_for(conn.close(), 2)
            self.loop.call_soon(self.loop.stop)

        if self.thread.is_alive() and not self.loop.is_closed():
            asyncio.run_coroutine_threadsafe(quiet(), self.loop)
        self.thread.join(5)
