"""Card entities: one sequence, ten minutes of streaming, and every code of the interface."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_ops.sandbox import Message, Sandbox
from tests.sandbox.raw import Api
from tests.sandbox.test_cards import BUTTON, MD_TABLE, card, md, panel

Json = dict[str, Any]


class Kit:
    """One card entity, and the counter of its only writer."""

    def __init__(self, api: Api, card_id: str) -> None:
        self.api, self.card_id, self.n = api, card_id, 0

    async def do(self, method: str, path: str = "", *, at: int | None = None, **body: Any) -> int:
        self.n = self.n + 1 if at is None else self.n
        full = {"sequence": self.n if at is None else at, **body}
        answer = await self.api(method, f"/cardkit/v1/cards/{self.card_id}{path}", full)
        self.msg = answer.msg
        return answer.code

    async def text(self, content: str, element: str = "md", **more: Any) -> int:
        return await self.do("PUT", f"/elements/{element}/content", content=content, **more)

    async def settings(self, **config: Any) -> int:
        return await self.do("PATCH", "/settings", settings=json.dumps({"config": config}))


async def make(box: Sandbox, api: Api, *elements: Json, send: bool = True, **config: Any) -> tuple[Kit, Message | None]:
    box.limits.on = False
    content = card(md("", element_id="md"), *elements, config={"streaming_mode": True, **config})
    made = await api("POST", "/cardkit/v1/cards", {"type": "card_json", "data": json.dumps(content)})
    kit = Kit(api, made.data["card_id"])
    if not send:
        return kit, None
    sent = await api.send(box.group, "interactive", {"type": "card", "data": {"card_id": kit.card_id}})
    return kit, box.world.messages[sent.data["message_id"]]


async def renewed(box: Sandbox, api: Api, seconds: float) -> None:
    box.clock.advance(seconds)
    api.token, _ = box.tokens.issue(box.app_id, box.app_secret)


async def test_a_streamed_card_from_the_first_word_to_the_last(box: Sandbox, api: Api) -> None:
    kit, message = await make(box, api)
    assert kit.card_id.isdigit()
    assert await kit.text("正在") == 0
    assert await kit.text("正在查询") == 0
    assert await kit.settings(streaming_mode=False, summary={"content": "完成"}) == 0
    assert message is not None
    assert message.card is not None
    assert message.card.json["body"]["elements"][0]["content"] == "正在查询"
    assert message.card.json["config"] == {"streaming_mode": False, "summary": {"content": "完成"}}
    assert [h[0] for h in message.card.history] == [1, 2, 3]
    assert (await kit.text("more"), kit.msg.startswith("ErrMsg: streaming mode is closed; ")) == (300309, True)


async def test_the_sequence_grows_over_all_operations(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api)
    assert await kit.text("a", at=0) == 300317
    assert await kit.text("a", at=5) == 0
    assert await kit.text("b", at=5) == 300317
    assert "sequence number compare failed" in kit.msg
    assert await kit.do("PATCH", "/settings", at=4, settings='{"config": {"streaming_mode": true}}') == 300317
    assert await kit.text("b", at=100) == 0
    assert await kit.text("b", at=2**31) == 300317


async def test_streaming_closes_itself_after_ten_minutes_and_is_opened_again(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api)
    await renewed(box, api, 599)
    assert await kit.text("a") == 0
    await renewed(box, api, 2)
    assert await kit.text("ab") == 200850
    assert await kit.text("ab") == 300309
    assert await kit.settings(streaming_mode=True) == 0
    assert await kit.text("ab") == 0
    await renewed(box, api, 599)
    assert await kit.text("abc") == 0
    await renewed(box, api, 2)
    assert await kit.text("abcd") == 200850


async def test_setting_it_open_again_in_time_begins_the_ten_minutes_anew(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api)
    await renewed(box, api, 500)
    assert await kit.settings(streaming_mode=True) == 0
    await renewed(box, api, 500)
    assert await kit.text("a") == 0


async def test_an_entity_is_sent_once_by_its_owner_within_14_days(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api)
    again = await api.send(box.group, "interactive", {"type": "card", "data": {"card_id": kit.card_id}})
    assert (again.code, "11310; ErrMsg: cardid is invalid" in again.msg) == (230099, True)
    unsent, _ = await make(box, api, send=False)
    assert await unsent.text("before it is sent") == 0
    async with Api(box, box.add_app("second", [box.group])) as second:
        assert await Kit(second, unsent.card_id).text("x", at=9) == 300311
        stolen = await second.send(box.group, "interactive", {"type": "card", "data": {"card_id": unsent.card_id}})
        assert stolen.code == 230099
    await renewed(box, api, 14 * 86400 + 1)
    assert await unsent.text("late") == 200750
    assert await Kit(api, "123").text("x", at=1) == 200740


async def test_a_uuid_is_taken_once(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api)
    assert await kit.text("a", uuid="u") == 0
    assert await kit.text("a", uuid="u") == 200770
    assert await kit.text("a", uuid="x" * 65) == 10002


async def test_elements_come_change_and_go(box: Sandbox, api: Api) -> None:
    kit, message = await make(box, api, panel(), md("end", element_id="end"))
    assert message is not None
    new = json.dumps([md("1", element_id="one")])
    assert await kit.do("POST", "/elements", type="insert_before", target_element_id="end", elements=new) == 0
    assert await kit.do("POST", "/elements", type="append", elements=json.dumps([md("2", element_id="two")])) == 0
    assert await kit.do("PATCH", "/elements/one", partial_element='{"content": "I"}') == 0
    assert await kit.do("PUT", "/elements/two", element=json.dumps(BUTTON)) == 0
    assert await kit.do("DELETE", "/elements/end") == 0
    assert message.card is not None
    body = message.card.json["body"]["elements"]
    assert [e["tag"] for e in body] == ["markdown", "collapsible_panel", "markdown", "button"]
    assert body[2]["content"] == "I"
    assert await kit.do("PATCH", "/elements/gone", partial_element='{"content": "I"}') == 300313
    assert await kit.do("PATCH", "/elements/one", partial_element='{"tag": "hr"}') == 300312
    assert await kit.do("PUT", "/elements/gone", element=json.dumps(BUTTON)) == 300121
    assert await kit.do("DELETE", "/elements/gone") == 300314
    assert await kit.do("POST", "/elements", type="insert_after", target_element_id="gone", elements=new) == 300315
    assert await kit.do("POST", "/elements", type="append", elements=new) == 300301, "the same element_id again"


async def test_a_batch_is_done_as_a_whole_or_not_at_all(box: Sandbox, api: Api) -> None:
    kit, message = await make(box, api)
    assert message is not None
    assert message.card is not None
    good = [
        {"action": "add_elements", "params": {"type": "append", "elements": [md("x", element_id="x")]}},
        {"action": "partial_update_element", "params": {"element_id": "x", "partial_element": {"content": "y"}}},
        {"action": "update_element", "params": {"element_id": "md", "element": md("z", element_id="md")}},
        {"action": "partial_update_setting", "params": {"settings": {"config": {"streaming_mode": False}}}},
    ]
    assert await kit.do("POST", "/batch_update", actions=json.dumps(good)) == 0
    assert [e["content"] for e in message.card.json["body"]["elements"]] == ["z", "y"]
    bad = [{"action": "delete_elements", "params": {"element_ids": ["x", "nothing"]}}]
    assert await kit.do("POST", "/batch_update", actions=json.dumps(bad)) == 300314
    assert len(message.card.json["body"]["elements"]) == 2
    assert await kit.do("POST", "/batch_update", actions='[{"action": "dance", "params": {}}]') == 10002
    assert await kit.do("POST", "/batch_update", actions='[{"action": "add_elements", "params": {}}]') == 10002


async def test_the_whole_card_is_replaced(box: Sandbox, api: Api) -> None:
    kit, message = await make(box, api)
    assert message is not None
    assert message.card is not None
    new = card(md("final"), config={"streaming_mode": False})
    assert await kit.do("PUT", "", card={"type": "card_json", "data": json.dumps(new)}) == 0
    assert message.card.json == new
    assert await kit.text("x") == 300309
    assert await kit.do("PUT", "", card={"type": "card_json", "data": "no json"}) == 10002


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"elements": []}, 300303),
        (card(), 300307),
        (card(*[{"tag": "hr"}] * 201), 300305),
        (card(md("a", element_id="x"), md("b", element_id="x")), 300301),
        (card(md("x"), config={"update_multi": False}), 300302),
        (card(md("x", font="big")), 200621),
        (card({"tag": "note"}), 200861),
        (card(md((MD_TABLE + "\n") * 4)), 11310),
    ],
)
async def test_what_is_no_card_makes_no_entity(box: Sandbox, api: Api, content: Json, code: int) -> None:
    made = await api("POST", "/cardkit/v1/cards", {"type": "card_json", "data": json.dumps(content)})
    assert (made.status, made.code, made.msg.startswith("ErrMsg: ")) == (400, code, True)


async def test_thirty_kilobytes_count_when_it_is_shown_not_when_it_is_made(box: Sandbox, api: Api) -> None:
    big = card(md("x" * (31 << 10)))
    made = await api("POST", "/cardkit/v1/cards", {"type": "card_json", "data": json.dumps(big)})
    assert made.code == 0
    sent = await api.send(box.group, "interactive", {"type": "card", "data": made.data})
    assert (sent.code, "200860" in sent.msg) == (230099, True)
    kit, _ = await make(box, api)
    assert await kit.text("字" * 9_000) == 0
    assert await kit.text("字" * 11_000) == 200860
    assert await kit.text("字" * 9_001) == 0, "what was refused has changed nothing"


async def test_what_can_not_be_streamed(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api, {**BUTTON, "element_id": "stop"})
    assert await kit.text("x", element="stop") == 300310
    assert await kit.text("x", element="nothing") == 300313
    assert await kit.text("") in (10002, 99992402)
    assert await kit.text("x" * 100_001) == 10002
    assert await kit.do("PATCH", "/settings", settings='{"config": {"loud": true}}') == 200621
    assert await kit.do("PATCH", "/settings", settings='{"colour": {}}') == 300122
    assert await kit.do("PATCH", "/settings", settings="no json") == 10002


async def test_ten_operations_a_second(box: Sandbox, api: Api) -> None:
    kit, _ = await make(box, api)
    box.limits.on = True
    codes = [await kit.text(str(n)) for n in range(12)]
    assert codes.count(99991400) >= 1
    assert codes[:10] == [0] * 10


async def test_an_entity_is_found_by_its_message(box: Sandbox, api: Api) -> None:
    kit, message = await make(box, api)
    assert message is not None
    found = await api("POST", "/cardkit/v1/cards/id_convert", {"message_id": message.message_id})
    assert found.data == {"card_id": kit.card_id}
