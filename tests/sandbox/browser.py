"""A headless Chromium, driven over its DevTools protocol: enough to load a page, run scripts in it, type, and look."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", *QUIET]


class Tab:
    """One page. `errors`: what its console has complained of."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.errors = socket, list[str]()
        self._numbers, self._waiting = itertools.count(1), dict[int, asyncio.Future[Any]]()

    async def listen(self) -> None:
        async for raw in self.socket:
            message = json.loads(raw)
            if "id" in message:
                self._waiting.pop(message["id"]).set_result(message)
            elif message["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.errors.append(json.dumps(message["params"], ensure_ascii=False)[:500])

    async def command(self, method: str, **params: Any) -> Any:
        number, answer = next(self._numbers), asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        await self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        message = await asyncio.wait_for(answer, 20)
        assert "result" in message, message
        return message["result"]

    async def js(self, code: str) -> Any:
        """The value of an expression in the page."""
        found = await self.command("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, code: str, timeout: float = 10.0) -> Any:
        """Waits until the expression is true, and returns it; a node is just true."""
        code = f"(() => {{ const v = ({code}); return v instanceof Node || v }})()"
        async with asyncio.timeout(timeout):
            while not (value := await self.js(code)):
                await asyncio.sleep(0.05)
        return value

    async def go(self, address: str) -> None:
        await self.command("Page.navigate", url=address)

    async def size(self, width: int, height: int = 800) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        await self.command("Emulation.setDeviceMetricsOverride", **metrics)

    async def type(self, words: str) -> None:
        """Types into what has the focus, and presses Enter."""
        await self.command("Input.insertText", text=words)
        for kind in ("keyDown", "keyUp"):
            key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
            await self.command("Input.dispatchKeyEvent", type=kind, **key)

    async def shot(self, path: Path) -> None:
        """A picture of the page, to look at."""
        data = (await self.command("Page.captureScreenshot", format="png"))["data"]
        path.write_bytes(base64.b64decode(data))


@asynccontextmanager
async def browser(home: Path) -> AsyncIterator[Tab]:
    """A browser with one empty page; the test is skipped where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("needs Chromium")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, *OPTIONS, f"--user-data-dir={home}", stderr=pipe)
    assert process.stderr is not None
    try:
        host = await asyncio.wait_for(_address(process.stderr), 30)
        async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
            pages = (await http.get(f"http://{host}/json")).json()
        address = next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page")
        async with connect(address, max_size=None, proxy=None) as socket:
            tab = Tab(socket)
            listening = asyncio.create_task(tab.listen())
            for domain in ("Page", "Runtime", "Log"):
                await tab.command(f"{domain}.enable")
            yield tab
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    finally:
        process.terminate()
        await process.communicate()


async def _address(errors: asyncio.StreamReader) -> str:
    while line := (await errors.readline()).decode():
        if found := re.search(r"ws://(\S+?)/devtools", line):
            return found[1]
    pytest.fail("Chromium ended before it was ready")
