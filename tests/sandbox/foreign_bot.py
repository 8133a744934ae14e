"""A bot on `lark-channel-sdk`, as a program of its own: the package leaves loops and sockets behind where it runs.

    python -m tests.sandbox.foreign_bot DOMAIN APP_ID APP_SECRET

It streams an answer to each message, prints one line per thing that happened, and ends when its input ends.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from lark_channel.channel import FeishuChannel


def said(*words: Any) -> None:
    print(*words, flush=True)


async def main(domain: str, app_id: str, app_secret: str) -> None:
    channel = FeishuChannel(app_id=app_id, app_secret=app_secret, domain=domain)

    async def on_message(message: Any) -> None:
        async def produce(stream: Any) -> None:
            for piece in ("一 ", "二 ", "三"):
                await stream.append(piece)

        await channel.stream(message.chat_id, {"markdown": produce}, {"reply_to": message.message_id})
        said("streamed")

    async def on_press(event: Any) -> None:
        said("pressed")

    channel.on("message", on_message)
    channel.on("cardAction", on_press)
    channel.on("error", lambda e: said("error", repr(e)))
    await channel.start_background(timeout=30)
    said("connected")
    await asyncio.to_thread(sys.stdin.read)
    await asyncio.wait_for(channel.stop_background(), 10)
    said("stopped")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
