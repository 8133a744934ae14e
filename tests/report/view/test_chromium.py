"""The page in a real browser: on a phone and at a desk, light and dark, and on paper. Debian: `chromium`, a CJK font.

With LOOK=folder pictures of it are left there.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.report.model import Report
from hermes_ops.report.view import card
from hermes_ops.report.view.html import render
from hermes_ops.sandbox import Sandbox
from tests.report.samples import bad_day, blind_day, hostile, quiet_day, shift, week
from tests.sandbox.browser import Tab, browser
from tests.sandbox.raw import Api

SAMPLES: list[Callable[[], Report]] = [bad_day, hostile, quiet_day, blind_day, week, shift]
PHONE, DESK = 390, 1280
FEW = ((PHONE, "light"), (DESK, "dark"))
ALL = (*FEW, (PHONE, "dark"), (DESK, "light"))
OPEN = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
TOO_WIDE = """[...document.querySelectorAll('main *')].filter(
    (e) => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1).length"""
SMALL = """[...document.querySelectorAll('svg.chart text')].filter(
    (e) => e.getBoundingClientRect().height < 10).length"""
PAINTED = "[...document.querySelectorAll('svg.chart')].map((e) => Math.round(e.getBoundingClientRect().height))"
GROUND = "getComputedStyle(document.body).backgroundColor"
# the lowest contrast of a text with the first opaque ground behind it, as WCAG counts it
CONTRAST = """(() => {
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (c) => {
    const [r, g, b] = parts(c).slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const color = (e) => getComputedStyle(e).backgroundColor;
  const ground = (e) => {
    while (e.parentElement && parts(color(e))[3] === 0) e = e.parentElement;
    return parts(color(e))[3] === 0 ? 'rgb(255, 255, 255)' : color(e);
  };
  let worst = [99, ''];
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, svg = e.closest('svg');
    if (!walk.currentNode.data.trim() || !e.getClientRects().length || e.closest('desc, title')) continue;
    const [a, b] = [
      light(svg ? getComputedStyle(e).fill : getComputedStyle(e).color),
      light(ground(svg ? svg.parentElement : e)),
    ];
    const found = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (found < worst[0]) worst = [found, e.className + ' ' + e.textContent.slice(0, 40)];
  }
  return worst;
})()"""


async def load(tab: Tab, file: Path, width: int, scheme: str) -> None:
    await tab.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await tab.size(width, 900)
    await tab.go(file.as_uri())
    await tab.until("document.readyState === 'complete' && !!document.querySelector('footer')")


async def look(tab: Tab, name: str) -> None:
    if os.environ.get("LOOK"):
        await tab.shot(Path(os.environ["LOOK"]) / f"{name}.png")


async def fits(tab: Tab, width: int, where: str) -> None:
    assert await tab.js("document.documentElement.scrollWidth") <= width, where
    assert await tab.js(TOO_WIDE) == 0, where
    assert await tab.js(SMALL) == 0, where
    assert all(height > 100 for height in await tab.js(PAINTED)), where
    worst, text = await tab.js(CONTRAST)
    assert worst >= 4.5, f"{where}: {text!r} has a contrast of {worst:.2f}"


@pytest.mark.slow
async def test_every_page_fits_and_can_be_read(tmp_path: Path) -> None:
    async with browser(tmp_path / "home") as tab:
        for sample in SAMPLES:
            file = tmp_path / f"{sample.__name__}.html"
            file.write_text(render(sample()), "utf-8")
            for width, scheme in ALL if sample is bad_day else FEW:
                await load(tab, file, width, scheme)
                await look(tab, f"{sample.__name__}-{width}-{scheme}")
                await tab.js(OPEN)
                await fits(tab, width, f"{sample.__name__} at {width}, {scheme}")
        assert tab.errors == []


@pytest.mark.slow
async def test_the_dark_is_dark_and_paper_is_light_and_shows_what_is_folded(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render(bad_day()), "utf-8")
    async with browser(tmp_path / "home") as tab:
        await load(tab, file, DESK, "light")
        light = await tab.js(GROUND)
        await load(tab, file, DESK, "dark")
        assert await tab.js(GROUND) != light
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        shown = "document.querySelector('#changes .inside').checkVisibility()"
        assert await tab.js(shown) is False
        await tab.command("Emulation.setEmulatedMedia", media="print", features=dark)
        assert await tab.js(shown) is True
        assert await tab.js(GROUND) == "rgb(255, 255, 255)"
        assert (await tab.js(CONTRAST))[0] >= 4.5
        made: Any = await tab.command("Page.printToPDF", printBackground=True)
        assert base64.b64decode(made["data"]).startswith(b"%PDF")


@pytest.mark.slow
async def test_the_sandbox_draws_the_card_and_its_charts(box: Sandbox, api: Api, tmp_path: Path) -> None:
    sent = await api.send(box.group, "interactive", card.render(bad_day()))
    assert sent.code == 0, sent.msg
    shown = "document.querySelector('#messages .card')"
    async with browser(tmp_path) as tab:
        await tab.size(PHONE, 3000)
        await tab.go(box.domain)
        await tab.until(f"{shown}?.querySelectorAll('.chart').length === 3")
        await tab.js(OPEN)
        await look(tab, "card")
        assert await tab.js(f"{shown}.querySelectorAll('.chart table').length") == 0, "none stands as its data"
        marks = f"[...{shown}.querySelectorAll('.chart')].map(c => c.querySelectorAll('rect[fill]').length > 2)"
        assert await tab.js(marks) == [True] * 3
        assert await tab.js(f"{shown}.querySelectorAll('.chart path[stroke-dasharray]').length") == 1
        assert await tab.js(f"{shown}.querySelectorAll('.chart line.goal').length") == 1
        assert await tab.js("document.documentElement.scrollWidth") <= PHONE
        assert tab.errors == []
