"""Bot and sandbox together, by the page in a real browser, as a person uses them at night.

With LOOK=folder pictures of it are left there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.sandbox import Sandbox
from hermes_ops.testing.scripted_server import ScriptedServer
from tests.e2e.place import play
from tests.feishu.rig import QUESTION, Bot, bot
from tests.feishu.test_quotes import RELAY, anchored
from tests.web.browser import browser, look

LAST = "#messages > li:last-child"


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 375])
async def test_a_night_in_the_page(tmp_path: Path, width: int) -> None:
    async with (
        ScriptedServer(play, latency=0.4) as model,
        Sandbox() as box,
        bot(box, tmp_path, model=model.url) as b,
        browser(box.domain, width) as tab,
    ):
        await tab.goto(box.domain)
        await tab.wait_for_selector("#chats li", state="attached")
        await _ask_and_watch(box, tab)
        await look(tab, f"answer-{width}")
        await _rate(b, tab)
        await look(tab, f"rated-{width}")
        await _follow_up(box, b, tab)
        await _reply_to_an_alert(box, b, tab)
        await look(tab, f"alert-{width}")
        assert await tab.evaluate("document.documentElement.scrollWidth") <= width


async def _write(tab: Any, box: Sandbox, text: str) -> None:
    """With a mention that is picked by its name."""
    await tab.click("#at")
    await tab.click(f"#picker button:has-text('{box.app.name}')")
    await tab.type("#text", text)
    await tab.keyboard.press("Enter")


async def _ask_and_watch(box: Sandbox, tab: Any) -> None:
    await _write(tab, box, QUESTION)
    await tab.wait_for_selector(f"{LAST} .card button:text-is('停止')")
    await tab.wait_for_selector(f"{LAST} .card .md:has-text('正在询问')")
    await look(tab, f"progress-{tab.viewport_size['width']}")
    await tab.wait_for_selector(f"{LAST} .card button:text-is('👎')")
    card = tab.locator(f"{LAST} .card")
    assert "[A1]" in await card.inner_text()
    await card.locator("summary", has_text="证据").click()
    await tab.wait_for_selector(f"{LAST} details[open]")
    assert await card.locator("button:text-is('停止')").count() == 0


async def _rate(b: Bot, tab: Any) -> None:
    """The form comes in place of the buttons, and goes when it has been used."""
    await tab.click(f"{LAST} .card button:text-is('👎')")
    form = tab.locator(f"{LAST} .card fieldset.form")
    await form.locator("select").select_option("cause")
    await form.locator("input").fill("是 DNS")
    await look(tab, f"form-{tab.viewport_size['width']}")
    await form.locator("button:text-is('提交')").click()
    await tab.wait_for_selector(".toast:has-text('谢谢')")
    await tab.wait_for_selector(f"{LAST} .card fieldset.form", state="detached")
    [asked] = [m for m in b.box.messages(b.box.group) if b.box.answers(m)]
    entry = await b.entry(asked)
    assert entry is not None
    [kept] = await b.service.app.memory.posts.ratings(entry.run)
    assert (kept.mark, kept.about, kept.text) == ("bad", "cause", "是 DNS")


async def _follow_up(box: Sandbox, b: Bot, tab: Any) -> None:
    before = len(box.messages(box.group))
    await _write(tab, box, "那再往前一小时呢？")
    await box.until(lambda: len(box.messages(box.group)) > before, 10)
    asked = box.messages(box.group)[before]
    await b.done(asked)
    entry = await b.entry(asked)
    assert entry is not None
    info = await b.service.app.memory.runs.get(entry.run)
    assert info is not None
    assert re.match(r"2026-11-29T13:00", info.window["start"])
    await tab.wait_for_selector(f"{LAST} .card button:text-is('👍')")


async def _reply_to_an_alert(box: Sandbox, b: Bot, tab: Any) -> None:
    alert = box.post(box.add_app("告警机器人", [box.group]), box.group, "interactive", RELAY)
    row = tab.locator(f"li[data-id='{alert.message_id}']")
    await row.hover()
    await row.locator("button", has_text="回复").first.click()
    await _write(tab, box, "怎么回事")
    await box.until(lambda: any(m.parent is alert for m in box.messages(box.group)), 10)
    await anchored(b, next(m for m in box.messages(box.group) if m.parent is alert))
    await tab.wait_for_selector(f"{LAST} .card button:text-is('👍')")
