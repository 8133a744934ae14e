"""The unmodified `lark-oapi` SDK as the client under test: a bot on a thread of its own, REST calls from threads."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from hermes_ops.sandbox import App, Sandbox
from tests.sandbox.vendor import load

lark, tokens, ws_module = load("lark_oapi", "lark_oapi.core.token", "lark_oapi.ws.client")

im: Any = lark.api.im.v1

CARD = {
    "schema": "2.0",
    "config": {"streaming_mode": True, "update_multi": True},
    "body": {
        "elements": [
            {"tag": "markdown", "element_id": "answer", "content": ""},
            {
                "tag": "button",
                "text": {"tag": "plain_text", "content": "停止"},
                "behaviors": [{"type": "callback", "value": {"act": "stop"}}],
            },
        ]
    },
}
HEADER = {"title": {"tag": "plain_text", "content": "T"}}
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


def reply_to(message_id: str, text: str, **more: Any) -> Any:
    body = im.ReplyMessageRequestBody.builder().msg_type("text").content(json.dumps({"text": text}, ensure_ascii=False))
    for name, value in more.items():
        getattr(body, name)(value)
    return im.ReplyMessageRequest.builder().message_id(message_id).request_body(body.build()).build()


def create(chat_id: str, msg_type: str, content: Any) -> Any:
    body = im.CreateMessageRequestBody.builder().receive_id(chat_id).msg_type(msg_type)
    body = body.content(json.dumps(content, ensure_ascii=False)).build()
    return im.CreateMessageRequest.builder().receive_id_type("chat_id").request_body(body).build()


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
