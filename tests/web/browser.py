"""A headless Chromium for the inspector's pages: whatever a page logs, throws or asks of others fails the test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TOLD = ("401 (Unauthorized)", "Password forms should have")  # of the sign-in page, rightly


@asynccontextmanager
async def browser(url: str, width: int = 1400, **more: Any) -> AsyncIterator[Any]:
    """An empty tab. Skips where there is no Chromium, and fails under REQUIRE_BROWSER=1."""
    api = pytest.importorskip("playwright.async_api", reason="needs playwright")
    if not CHROMIUM.exists():
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("Chromium is missing, and REQUIRE_BROWSER=1 forbids skipping")
        pytest.skip("needs Chromium")
    faults: list[str] = []
    async with api.async_playwright() as p:
        program = await p.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        tab = await program.new_page(viewport={"width": width, "height": 900}, **more)
        tab.set_default_timeout(45_000)
        tab.on("console", lambda m: faults.append(m.text) if not any(t in m.text for t in TOLD) else None)
        tab.on("pageerror", lambda e: faults.append(str(e)))
        tab.on("request", lambda r: faults.append(r.url) if not r.url.startswith(url) else None)
        await tab.route("**/favicon.ico", lambda r: r.fulfill(status=204))  # our policy forbids it anyhow
        try:
            yield tab
            assert not faults, faults
        finally:
            await program.close()


async def enter(tab: Any, url: str, token: str) -> None:
    await tab.goto(f"{url}/traces")
    await tab.fill("#token", token)
    await tab.keyboard.press("Enter")
    await tab.wait_for_selector("h1:text-is('Runs')")
    await tab.wait_for_load_state()


async def look(tab: Any, name: str) -> None:
    """With LOOK=folder a picture is left there."""
    if os.environ.get("LOOK"):
        await tab.screenshot(path=str(Path(os.environ["LOOK"]) / f"{name}.png"))


async def faults_of(tab: Any) -> list[tuple[str, str]]:
    """What axe-core finds serious or critical in the page as it is. The tab must bypass policies."""
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="needs axe-core-python").Axe()
    await tab.evaluate(axe.axe_script)
    found = await tab.evaluate("axe.run()")
    bad = (v for v in found["violations"] if v["impact"] in ("serious", "critical"))
    return [(v["id"], v["nodes"][0]["html"][:200]) for v in bad]
