"""The page's files, its state, its stream, and its gestures. What it looks like is tried in a browser elsewhere."""

from __future__ import annotations

import asyncio
import json
import re
from importlib.resources import files
from typing import Any

import httpx2
import pytest

from hermes_ops.sandbox import Sandbox
from tests.sandbox.raw import PNG, Api, connected, ok
from tests.sandbox.test_cardkit import make
from tests.sandbox.test_cards import BUTTON, MD_TABLE, card, md, panel

STATIC = files("hermes_ops.sandbox.page") / "static"
Json = dict[str, Any]


class Page:
    """What a browser would do, by hand."""

    def __init__(self, box: Sandbox) -> None:
        self.http = httpx2.AsyncClient(base_url=box.domain, trust_env=False, verify=False)

    async def do(self, gesture: str, /, **body: Any) -> tuple[int, Json]:
        got = await self.http.post(f"/sandbox/do/{gesture}", json={"who": "alice", **body})
        return got.status_code, got.json()

    async def state(self) -> Json:
        found: Json = (await self.http.get("/sandbox/state")).json()
        return found


@pytest.fixture
async def page(box: Sandbox) -> Any:
    page = Page(box)
    yield page
    await page.http.aclose()


async def test_every_file_that_the_page_names_is_served_under_a_strict_policy(page: Page) -> None:
    got = await page.http.get("/")
    assert got.headers["content-type"].startswith("text/html")
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    names = re.findall(r'(?:src|href)="(/page/[^"]+)"', got.text)
    assert len(names) >= 2
    for name in [*names, *(f"/page/{p.name}" for p in STATIC.iterdir())]:
        assert (await page.http.get(name)).status_code == 200
    for name in ("/page/nothing.js", "/page/routes.py", "/page/..%2froutes.py"):
        assert (await page.http.get(name)).status_code == 404


@pytest.mark.parametrize("name", [p.name for p in STATIC.iterdir() if p.name.endswith((".js", ".html"))])
def test_nothing_is_ever_read_as_markup_or_run_as_code(name: str) -> None:
    source = (STATIC / name).read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|style=|\son\w+=\""
    assert re.findall(forbidden, source) == []


@pytest.mark.parametrize("name", [p.name for p in STATIC.iterdir() if p.name.endswith(".js")])
def test_what_a_script_imports_is_exported(name: str) -> None:
    source = (STATIC / name).read_text(encoding="utf-8")
    for wanted, module in re.findall(r'import \{([^}]*)\} from "\./([\w.]+)"', source):
        other = (STATIC / module).read_text(encoding="utf-8")
        for one in filter(None, (w.strip() for w in wanted.split(","))):
            assert re.search(rf"export (?:async )?(?:function|const) {re.escape(one)}(?!\w)", other), (
                f"{one} in {module}"
            )


async def test_the_state_shows_people_chats_messages_and_counts(box: Sandbox, api: Api, page: Page) -> None:
    await box.say("alice", box.group, "你好", mention_bot=True)
    await api.send(box.group, "interactive", card(md(MD_TABLE), BUTTON, panel(md("x"))))
    state = await page.state()
    assert [p["name"] for p in state["people"]] == ["王晓", "李雷", "韩梅梅"]
    assert {c["mode"] for c in state["chats"]} == {"group", "topic", "p2p"}
    text, shown = state["messages"]
    assert (text["content"]["text"], text["mentions"][0]["name"]) == ("@_user_1 你好", "hermes")
    assert (shown["card"]["elements"], shown["card"]["tables"], shown["card"]["streaming"]) == (6, 1, False)
    assert shown["card"]["bytes"] > 100
    assert state["limits"] == {"bytes": 30720, "elements": 200, "tables": 3}
    assert state["names"][box.app.open_id_of(box.people["bob"])] == "李雷"


async def test_what_is_said_on_the_page_reaches_the_bot_with_its_mentions(box: Sandbox, page: Page) -> None:
    async with connected(box) as client:
        code, said = await page.do("say", chat=box.group.chat_id, text="@_user_1 看下", mentions=[box.app_id])
        assert code == 200
        await box.until(lambda: bool(client.events))
    message = client.events[0]["event"]["message"]
    assert message["message_id"] == said["id"]
    assert json.loads(message["content"])["text"] == "@_user_1 看下"
    code, asked = await page.do("say", chat=box.group.chat_id, text="话题", reply_to=said["id"], thread=True)
    assert box.world.messages[asked["id"]].thread_id == box.world.messages[said["id"]].thread_id != ""
    await page.do("say", chat=box.group.chat_id, text="大家", mentions=["all"])
    assert "@_all" in box.messages(box.group)[-1].content


async def test_pasted_pictures_become_a_post_and_files_a_file(box: Sandbox, page: Page) -> None:
    up = await page.http.post("/sandbox/upload?who=alice&kind=image", content=PNG)
    key = up.json()["key"]
    await page.do("say", chat=box.group.chat_id, text="看图", pictures=[key])
    assert box.messages(box.group)[-1].msg_type == "post"
    assert (await page.http.get(f"/sandbox/blob/{key}")).content == PNG
    up = await page.http.post("/sandbox/upload?who=alice&kind=file&name=a.log", content=b"x")
    await page.do("file", chat=box.group.chat_id, key=up.json()["key"])
    assert box.messages(box.group)[-1].msg_type == "file"
    assert (await page.http.get(f"/sandbox/blob/{up.json()['key']}")).status_code == 404, "only pictures are shown"
    assert (await page.http.post("/sandbox/upload?who=alice&kind=image", content=b"no picture")).status_code == 400


async def test_a_press_on_the_page(box: Sandbox, api: Api, page: Page) -> None:
    sent = await api.send(box.group, "interactive", card(md("x"), BUTTON))
    target = {"message": sent.data["message_id"], "path": ["body", "elements", 1]}
    async with connected(box, lambda e: ok({"toast": {"type": "info", "content": "好"}})) as client:
        code, click = await page.do("press", **target)
    assert (code, click["toast"]["content"]) == (200, "好")
    assert client.events[0]["event"]["action"]["value"] == {"act": "stop"}
    assert (await page.do("press", **target))[1]["code"] == 200342
    assert (await page.do("press", message=target["message"], path=["body", "elements", 9]))[0] == 400


async def test_reactions_recalls_groups_and_faults(box: Sandbox, page: Page) -> None:
    said = await box.say("alice", box.group, "hello")
    await page.do("react", message=said.message_id, emoji="THUMBSUP")
    assert len(said.reactions) == 1
    await page.do("react", message=said.message_id, emoji="THUMBSUP")
    assert said.reactions == []
    assert (await page.do("recall", message=said.message_id, who="bob"))[0] == 400
    assert (await page.do("recall", message=said.message_id))[0] == 200
    assert said.deleted
    made = (await page.do("group", name="新群"))[1]["id"]
    assert box.world.chats[made].name == "新群"
    now = box.clock.now()
    await page.do("fault", name="advance")
    assert box.clock.now() - now >= 600
    for name in ("drop", "cut", "deafen", "revoke", "fail", "lose"):
        assert (await page.do("fault", name=name))[0] == 200
    assert (await page.do("fault", name="dance"))[0] == 400
    assert (await page.do("dance"))[0] == 400


async def test_other_pages_can_do_nothing(box: Sandbox, page: Page) -> None:
    body = {"who": "alice", "chat": box.group.chat_id, "text": "x"}
    foreign = {"Origin": "http://evil.example"}
    assert (await page.http.post("/sandbox/do/say", json=body, headers=foreign)).status_code == 403
    plain = {"Content-Type": "text/plain"}
    assert (await page.http.post("/sandbox/do/say", content=json.dumps(body), headers=plain)).status_code == 403
    assert (await page.http.post("/sandbox/upload?who=alice", content=b"x", headers=foreign)).status_code == 403
    assert box.messages(box.group) == []


async def test_changes_are_streamed_as_they_happen(box: Sandbox, api: Api, page: Page) -> None:
    got: list[tuple[str, Json]] = []

    async def listen() -> None:
        kind = ""
        async with page.http.stream("GET", "/sandbox/stream", timeout=None) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("event: "):
                    kind = line[7:]
                if line.startswith("data: "):
                    got.append((kind, json.loads(line[6:])))

    listening = asyncio.create_task(listen())
    await box.until(lambda: bool(box.platform.feed._watchers))
    kit, _ = await make(box, api)
    await kit.text("正在")
    await box.until(lambda: sum(kind == "message" for kind, _ in got) == 2)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    shown = [value for kind, value in got if kind == "message"][-1]
    assert (shown["card"]["streaming"], shown["card"]["sequence"]) == (True, 1)
    assert {"message", "journal"} <= {kind for kind, _ in got}
