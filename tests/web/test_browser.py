"""The inspector in a real browser: from a question asked in chat to the decision behind its answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from pydantic import SecretStr

from hermes_ops.cli.serve import plugs
from hermes_ops.sandbox import Sandbox
from hermes_ops.serve import serving
from hermes_ops.service import Service
from memory import Feedback
from tests.feishu.rig import WHEN, Bot, settings
from tests.inspect.hostile import HOSTILE, MEGABYTE
from tests.web.bench import NOW, TOKEN, hostile, opened, routed
from tests.web.browser import browser, enter, faults_of, look

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

ALERTS = f"{WHEN}checkout 有什么告警？"
CAUSE = f"{WHEN}checkout 为什么报错？"


@asynccontextmanager
async def inspected(box: Sandbox, place: Path) -> AsyncIterator[Bot]:
    """The bot in the sandbox, with the inspector on."""
    chosen = settings(box, place)
    serve = chosen.serve.model_copy(update={"trace_token": SecretStr(TOKEN)})
    chosen = chosen.model_copy(update={"serve": serve})
    async with serving(chosen, lambda app: plugs(chosen, app), offline=True) as service:
        await box.connected()
        yield Bot(box, service, service.plugged[0].channel)  # type: ignore[arg-type]


async def asked(b: Bot, text: str) -> str:
    """A question in the group, answered; its run."""
    message = await b.box.say("alice", b.box.group, text, mention_bot=True)
    await b.done(message, 60)
    entry = await b.entry(message)
    assert entry is not None
    return entry.run


async def test_from_a_question_in_chat_to_why_changes_was_not_asked(tmp_path: Path) -> None:
    async with Sandbox() as box, inspected(box, tmp_path) as b:
        run = await asked(b, ALERTS)
        other = await asked(b, CAUSE)
        async with browser(b.service.url) as tab:
            await enter(tab, b.service.url, TOKEN)
            await look(tab, "runs")
            await _find(tab, run)
            await _why_not_changes(tab)
            await _to_the_evidence(tab)
            await _compare(tab, b.service, run, other)


async def _find(tab: Any, run: str) -> None:
    await tab.fill("#f-q", "告警")
    await tab.keyboard.press("Enter")
    await tab.wait_for_selector("#clear")
    assert await tab.locator("#rows tr").count() == 1
    row = tab.locator("#rows tr").first
    assert await row.locator(".agent.not").all_inner_texts() == ["logs", "changes"]
    await row.locator(".q a").click()
    await tab.wait_for_url(f"**/traces/{run}")


async def _why_not_changes(tab: Any) -> None:
    row = tab.locator("#right tr", has_text="changes").first
    assert "not asked" in await row.inner_text()
    await row.locator("a").click()
    await tab.locator("#right", has_text="By rule: the question has words of other domains, none of changes").wait_for()
    assert "Who was asked, who wasn't, and why" in await tab.locator("#right").inner_text()
    await look(tab, "why")


async def _to_the_evidence(tab: Any) -> None:
    await tab.keyboard.press("o")
    link = tab.locator("#right .answer a.ev").first
    evidence = await link.inner_text()
    await link.click()
    await tab.locator("#right", has_text=f"Evidence {evidence}, which the answer cites.").wait_for()
    assert "Exact query" in await tab.locator("#right").inner_text()
    await tab.locator("#back").click()
    await tab.wait_for_selector("h1:text-is('Runs')")


async def _compare(tab: Any, service: Service, run: str, other: str) -> None:
    await tab.wait_for_function("document.getElementById('compare').disabled")
    for one in (other, run):
        await tab.locator(f'[data-run="{one}"] input').check()
    await tab.locator("#compare").click()
    await tab.wait_for_selector("h1:text-is('Two runs side by side')")
    shown = await tab.locator("main").inner_text()
    assert "They part first at step" in shown
    assert "asks alerts" in shown
    await look(tab, "compared")
    await tab.locator("tr.first a").first.click()
    await tab.wait_for_url("**#step-*")


async def test_a_run_that_goes_on_is_followed_without_a_reload(tmp_path: Path) -> None:
    async with _served(tmp_path) as (bench, url), browser(url) as tab:
        await enter(tab, url, TOKEN)
        await tab.evaluate("window.mine = 1")
        events = routed("live", "logs")
        await bench.made("live", "why is it slow?", events=events[:3], status="running")
        await tab.wait_for_selector('tr.running[data-run="live"]')
        await tab.locator('[data-run="live"] .q a').focus()
        for event in events[3:5]:
            bench.memory.events.emit(event)
        await bench.memory.events.commit()
        await tab.wait_for_selector("text=now: logs: find")
        assert await tab.evaluate("document.activeElement.textContent") == "why is it slow?"
        await bench.memory.runs.finish("live", "done")
        await tab.wait_for_selector('tr[data-run="live"]:not(.running)')
        assert await tab.evaluate("window.mine") == 1


async def test_keys_and_forms_lead_everywhere(tmp_path: Path) -> None:
    async with _served(tmp_path) as (bench, url), browser(url) as tab:
        for name in ("one", "two"):
            await bench.made(name, f"question {name}", events=routed(name, "logs"))
        await enter(tab, url, TOKEN)
        await tab.keyboard.press("Tab")
        assert "skip" in await tab.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        await tab.keyboard.press("j")
        await tab.keyboard.press("j")
        await tab.keyboard.press("Enter")
        await tab.wait_for_url("**/traces/one")
        await tab.keyboard.press("j")
        await tab.wait_for_url("**#step-1")
        await tab.goto(f"{url}/traces")
        await tab.keyboard.press("/")
        await tab.keyboard.type("two")
        await tab.keyboard.press("Enter")
        await tab.wait_for_selector("#clear")
        assert await tab.locator("#rows tr").count() == 1
        dark = "document.documentElement.dataset.theme"
        before = await tab.evaluate(dark)
        await tab.locator("h1").click()
        await tab.keyboard.press("t")
        assert await tab.evaluate(dark) != before
        await tab.get_by_role("button", name="Sign out").click()
        await tab.wait_for_selector("#token")


async def test_a_link_from_another_site_opens_for_whoever_is_signed_in(tmp_path: Path) -> None:
    async with _served(tmp_path) as (bench, url), browser("http://") as tab:
        await bench.made("one", "why?", events=routed("one", "logs"))
        await enter(tab, url, TOKEN)
        await tab.goto(f"{url.replace('127.0.0.1', 'localhost')}/traces")
        await tab.wait_for_selector("#token")  # another site, which has no cookie
        await tab.evaluate(f"location.href = '{url}/traces/one'")
        await tab.wait_for_selector("#back")


PAGES = ("", "/stats?days=0", "/costs?days=0", "/complaints", "/diff", "/diff?run=one", "/diff?run=one&run=two", "/one")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 1400), ("light", 390), ("dark", 390)])
async def test_no_page_has_a_serious_fault_or_is_wider_than_its_screen(tmp_path: Path, scheme: str, width: int) -> None:
    async with (
        _served(tmp_path) as (bench, url),
        browser(url, width, color_scheme=scheme, bypass_csp=True) as tab,
    ):
        for name, agent in (("one", "logs"), ("two", "alerts")):
            await bench.made(name, f"why did checkout fail {name}?", events=routed(name, agent))
        await bench.memory.posts.rate(Feedback("one", "li", "bad", "figures", "it was 30", NOW))
        await tab.goto(f"{url}/traces")
        assert await faults_of(tab) == []
        await enter(tab, url, TOKEN)
        for path in PAGES:
            await tab.goto(f"{url}/traces{path}")
            assert await faults_of(tab) == [], path
            assert await tab.evaluate("document.documentElement.scrollWidth") <= width, path
            await look(tab, f"{path.strip('/').replace('?', '-') or 'list'}-{scheme}-{width}")


async def test_hostile_text_of_a_megabyte_is_text_everywhere(tmp_path: Path) -> None:
    async with _served(tmp_path) as (bench, url), browser(url, 390) as tab:
        for run in ("one", "two"):
            await bench.made(run, HOSTILE + MEGABYTE, HOSTILE, hostile(run, HOSTILE, MEGABYTE))
        await bench.memory.posts.rate(Feedback("one", HOSTILE, "bad", HOSTILE, HOSTILE + MEGABYTE, NOW))
        await enter(tab, url, TOKEN)
        for path in PAGES:
            await tab.goto(f"{url}/traces{path}")
            assert await tab.title() != "owned", path
            assert await tab.locator("img, iframe, main script").count() == 0, path
            assert await tab.evaluate("document.documentElement.scrollWidth") <= 390, path


@asynccontextmanager
async def _served(home: Path) -> AsyncIterator[Any]:
    """The inspector on a port of its own."""
    async with opened(home) as bench:
        server = uvicorn.Server(uvicorn.Config(bench.app, port=0, log_config=None, lifespan="off"))
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield bench, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
