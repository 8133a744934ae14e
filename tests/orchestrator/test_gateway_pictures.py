"""Pictures beside words in a message: they reach a model that sees, and nobody else."""

from __future__ import annotations

import pytest

from hermes_ops.testing.script import Fault, Step, says
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.testing.wire import Quirk
from orchestrator.contracts import Json, Message
from orchestrator.gateway.endpoint import Endpoint
from orchestrator.gateway.gateway import Gateway
from orchestrator.gateway.history import UNSEEN
from orchestrator.gateway.tokens import BYTES_PER_TOKEN, PICTURE, TokenMeter
from tests.orchestrator.test_gateway_replies import TOOLS

WORDS = "what is on it?"
PARTS: list[Json] = [
    {"type": "text", "text": WORDS},
    {"type": "text", "text": "a picture follows"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'A' * 400_000}"}},
]
ASKED: list[Message] = [{"role": "system", "content": "s"}, {"role": "user", "content": PARTS}]


def test_which_models_see_is_known_where_their_vendor_says_so_and_set_where_not() -> None:
    seeing = (
        "gpt-4o gpt-4.1-mini gpt-5.1 o3 o4-mini qwen-vl-max qwen2.5-vl-72b-instruct qwen3-vl-plus qwen3.5-plus "
        "kimi-k2.5 moonshot-v1-8k-vision-preview glm-4v-plus glm-4.6v doubao-seed-1.6 doubao-1-5-vision-pro"
    )
    blind = (
        "gpt-4 gpt-3.5-turbo o1-mini o3-mini qwen-max qwen3-max qwen-plus kimi-k2-turbo moonshot-v1-8k glm-4.6 glm-5 "
        "doubao-1-5-pro deepseek-chat llama3 qwen3:8b Qwen/Qwen3-8B m"
    )
    assert [name for name in seeing.split() if not Endpoint(name, "http://x").sees] == []
    assert [name for name in blind.split() if Endpoint(name, "http://x").sees] == []
    assert Endpoint("m", "http://x", vision=True).sees
    assert not Endpoint("gpt-4o", vision=False).sees
    assert not Endpoint("m", vision=True, tools="text").sees


@pytest.mark.parametrize(
    ("quirks", "given", "attempts"),
    [
        ((), {"vision": True}, 1),
        ((), {}, 1),
        ((), {"vision": True, "tools": "text"}, 1),
        ((Quirk.NO_PICTURES,), {"vision": True}, 2),
        ((Quirk.NO_TOOLS,), {"vision": True}, 2),
    ],
)
async def test_a_picture_arrives_whole_or_is_left_out_and_noted(
    quirks: tuple[Quirk, ...], given: dict[str, Json], attempts: int
) -> None:
    sees = given == {"vision": True} and not quirks
    async with ScriptedServer([says("one"), says("two")], quirks=quirks) as server:
        gateway = Gateway([Endpoint("m", server.url, **given)])
        first, second = await gateway.complete(ASKED, TOOLS), await gateway.complete(ASKED, TOOLS)
        await gateway.aclose()
        assert (first.attempts, second.attempts) == (attempts, 1)  # a refusal is learnt
        for body in server.requests[attempts - 1 :]:
            assert body["messages"][-1]["content"] == (PARTS if sees else WORDS)
        assert [UNSEEN in reply.notes for reply in (first, second)] == [not sees] * 2


async def test_who_stands_in_is_shown_no_more_than_it_takes() -> None:
    down = Step(fault=Fault.SERVER_ERROR)
    async with ScriptedServer([down, down]) as first, ScriptedServer([says("ok")]) as second:
        gateway = Gateway([Endpoint("m", first.url, vision=True), Endpoint("n", second.url)], backoff=0.0)
        reply = await gateway.complete(ASKED, ())
        await gateway.aclose()
        assert second.requests[0]["messages"][-1]["content"] == WORDS
        assert UNSEEN in reply.notes


def test_a_picture_counts_as_what_vendors_take_for_one_and_not_by_its_bytes() -> None:
    meter = TokenMeter()
    said = [ASKED[0], {"role": "user", "content": WORDS}]
    more = meter.estimate(ASKED) - meter.estimate(said)
    assert PICTURE / BYTES_PER_TOKEN <= more < PICTURE / BYTES_PER_TOKEN + 20
