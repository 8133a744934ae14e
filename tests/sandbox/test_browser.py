"""The page in a real browser, wide and at 375 px: asking, streaming, pressing, topics, and hostile texts.

With LOOK=folder pictures of it are left there.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.browser import Tab, browser
from tests.sandbox.raw import Api, connected, ok
from tests.sandbox.test_cardkit import make
from tests.sandbox.test_cards import BUTTON, CHART, MD_TABLE, TABLE, card, md, panel

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>"
LAST = "[...document.querySelectorAll('#messages > li')].at(-1)"
PRESS = "[...document.querySelectorAll('.card button')].find(b => b.textContent === '停止').click()"
TOO_WIDE = """[...document.querySelectorAll('main *')].filter(
    (e) => !e.closest('.scroll, pre') && e.getBoundingClientRect().right > innerWidth + 1
).length"""


async def look(tab: Tab, name: str) -> None:
    if os.environ.get("LOOK"):
        await tab.shot(Path(os.environ["LOOK"]) / f"{name}.png")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 375])
async def test_a_conversation_in_the_page(box: Sandbox, api: Api, tmp_path: Path, width: int) -> None:
    async with browser(tmp_path) as tab, connected(box, lambda e: ok({"toast": {"type": "info", "content": "好的"}})):
        await tab.size(width)
        await tab.go(box.domain)
        await tab.until("document.querySelectorAll('#chats li').length === 3")
        await _ask(box, tab)
        await _read_a_card(box, api, tab)
        await _watch_it_stream(box, api, tab)
        await _open_a_topic(box, api, tab)
        assert await tab.js(TOO_WIDE) == 0
        assert await tab.js("document.documentElement.scrollWidth") <= width
        await look(tab, f"end-{width}")
        assert tab.errors == []


async def _ask(box: Sandbox, tab: Tab) -> None:
    await tab.js("document.getElementById('at').click()")
    await tab.until("!document.getElementById('picker').hidden")
    await tab.js("document.querySelector('#picker button').click()")
    await tab.type("支付为什么慢 " + HOSTILE)
    await box.until(lambda: len(box.messages(box.group)) == 1)
    [asked] = box.messages(box.group)
    assert [m.name for m in asked.mentions] == ["李雷"], "the first who is offered"
    assert await tab.until(f"{LAST}?.querySelector('.at')?.textContent") == "@李雷"
    assert HOSTILE in await tab.js(f"{LAST}.querySelector('.text').textContent")
    assert await tab.js("document.querySelectorAll('#messages script, #messages img').length") == 0


async def _read_a_card(box: Sandbox, api: Api, tab: Tab) -> None:
    inside = (
        md("**结论** &lt;script&gt; [x](javascript:alert)\n\n" + MD_TABLE),
        TABLE,
        CHART,
        panel(md("证据")),
        BUTTON,
    )
    sent = await api.send(box.group, "interactive", card(*inside))
    assert sent.code == 0, sent.msg
    await tab.until(f"{LAST}.querySelector('.card')")
    counts = "['strong', 'table', 'svg', 'details', 'button.button', 'a'].map(s => card.querySelectorAll(s).length)"
    found = await tab.js(f"(() => {{ const card = {LAST}.querySelector('.card'); return {counts} }})()")
    assert found == [1, 2, 1, 1, 1, 0]
    assert "2 表" in await tab.js(f"{LAST}.querySelector('.counter').textContent")
    await look(tab, f"card-{await tab.js('innerWidth')}")
    await tab.js(PRESS)
    assert await tab.until("document.querySelector('.toast')?.textContent") == "好的"


async def _watch_it_stream(box: Sandbox, api: Api, tab: Tab) -> None:
    kit, _ = await make(box, api)
    await tab.until(f"{LAST}.querySelector('.live')")
    await kit.text("正在查询告警……" * 8)
    await tab.until(f"{LAST}.querySelector('.md').textContent.length > 5")
    await tab.until(f"{LAST}.querySelector('.md').textContent === '{'正在查询告警……' * 8}'")
    await kit.settings(streaming_mode=False)
    await tab.until(f"!{LAST}.querySelector('.live')")


async def _open_a_topic(box: Sandbox, api: Api, tab: Tab) -> None:
    asked = await box.say("bob", box.topics, "话题里问")
    await api.reply(asked.message_id)
    await tab.js("[...document.querySelectorAll('#chats button')].find(b => b.textContent.includes('话题')).click()")
    await tab.until("document.querySelector('.topic')?.textContent === '话题 · 1 条回复'")
    await tab.js("document.querySelector('.topic').click()")
    await tab.until("document.querySelectorAll('#messages > li').length === 2")
    await tab.js("document.getElementById('text').focus()")
    await tab.type("接着问")
    await box.until(lambda: len(box.messages(box.topics)) == 3)
    assert box.messages(box.topics)[-1].thread_id == asked.thread_id
