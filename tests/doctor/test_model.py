"""The doctor really calls a model over HTTP: what it finds, what it advises, and which settings it says fit."""

from __future__ import annotations

import pytest

from hermes_ops.doctor.check import Check
from hermes_ops.doctor.model import checks
from hermes_ops.testing.script import Fault, Step
from hermes_ops.testing.scripted_server import ScriptedServer
from hermes_ops.testing.wire import Quirk
from orchestrator.contracts import Json
from orchestrator.gateway.endpoint import Endpoint
from tests.doctor.patient import Decide, Model

pytestmark = pytest.mark.slow

ALL = [
    "Chinese", "streaming", "tool call", "parallel calls", "answer from results", "JSON", "pictures", "thinking",
    "context",
]  # fmt: skip
Seen = tuple[dict[str, Check], dict[str, Json]]


async def examined(model: Decide, *quirks: Quirk, tokens: int = 6_000, **at: Json) -> Seen:
    fits: dict[str, Json] = {}
    async with ScriptedServer(model, quirks=quirks) as server:
        endpoint = Endpoint("m", at.pop("base_url", server.url), "sk-test", **at)
        found = [check async for check in checks(endpoint, tokens, True, fits)]
    return {check.name.removeprefix("m: "): check for check in found}, fits


def states(found: dict[str, Check]) -> dict[str, str]:
    return {name: check.state for name, check in found.items() if check.state != "ok"}


async def test_a_healthy_model_passes_everything() -> None:
    found, fits = await examined(Model())
    assert list(found) == ALL
    assert states(found) == {}
    assert fits == {"model.profile": "compatible"}
    assert "3 calls" in found["parallel calls"].says
    assert "pieces" in found["streaming"].says
    assert "shows none" in found["thinking"].says


async def test_who_is_to_be_shown_pictures_is_shown_one() -> None:
    found, _ = await examined(Model(), vision=True)
    assert found["pictures"].says.startswith("takes them")
    found, _ = await examined(Model(), Quirk.NO_PICTURES, vision=True)
    assert (found["pictures"].state, "model.vision" in found["pictures"].do) == ("warn", True)
    found, _ = await examined(Model())
    assert "is shown none" in found["pictures"].says


async def test_a_model_without_native_tools_is_asked_in_the_text_dialect_and_that_is_what_fits() -> None:
    found, fits = await examined(Model(fault=Fault.TEXT_DIALECT), Quirk.NO_TOOLS)
    assert states(found) == {}
    assert "text dialect" in found["tool call"].says
    assert fits == {"model.profile": "compatible", "model.tools": "text"}


async def test_a_server_that_does_not_stream() -> None:
    found, fits = await examined(Model(), Quirk.NO_STREAM)
    assert states(found) == {"streaming": "warn"}
    assert fits["model.stream"] is False


@pytest.mark.parametrize("quirk", [Quirk.NO_TOOL_CHOICE, Quirk.NO_STREAM_OPTIONS, Quirk.TOOLS_WITH_RESULTS])
async def test_what_the_gateway_mends_is_no_illness(quirk: Quirk) -> None:
    found, _ = await examined(Model(), quirk)
    assert states(found) == {}


@pytest.mark.parametrize("quirk", [Quirk.ECHO_REASONING, Quirk.STRIP_REASONING])
async def test_thinking_is_seen_and_its_echo_is_mended(quirk: Quirk) -> None:
    found, _ = await examined(Model(reasoning="Let me think."), quirk)
    assert states(found) == {}
    assert "shows its thinking" in found["thinking"].says


async def test_leaked_calls_work_and_are_said() -> None:
    found, _ = await examined(Model(fault=Fault.LEAKED_TAGS))
    assert states(found) == {}
    assert "mended" in found["tool call"].says


async def test_a_short_context_is_found_by_halving_and_becomes_a_setting() -> None:
    found, fits = await examined(Model(tokens=9_000), tokens=24_000)
    check = found["context"]
    assert check.state == "warn"
    assert fits["limits.history_tokens"] == 4_500  # a quarter of 26,000 with room for the rest
    assert "limits.history_tokens = 4500" in check.do


async def test_a_tiny_context_fails() -> None:
    found, _ = await examined(Model(tokens=3_000), tokens=24_000)
    assert found["context"].state == "fail"
    assert "num_ctx" in found["context"].do


async def test_a_context_that_is_cut_silently_is_noticed() -> None:
    found, _ = await examined(Model(remembers=False))
    assert states(found) == {"context": "warn"}
    assert "forgot" in found["context"].says


async def test_weak_models() -> None:
    weak = Model(
        chinese="A week has seven days, and they are called Monday to Sunday, as everybody knows.",
        together=1,
        json="Sure! {service: 3}",
        figure="There were some errors.",
    )
    found, _ = await examined(weak)
    assert set(states(found)) == {"Chinese", "parallel calls", "JSON", "answer from results"}
    assert set(states(found).values()) == {"warn"}
    assert all(check.do for check in found.values() if check.state == "warn")


async def test_no_tool_calls_at_all_fails_with_advice() -> None:
    found, _ = await examined(Model(calls=False))
    assert found["tool call"].state == "fail"
    assert 'model.tools = "text"' in found["tool call"].do
    assert found["answer from results"].state == "skip"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault.UNAUTHORIZED, ["refused the key", "HERMES_OPS_API_KEY"]),
        (Fault.UNKNOWN_MODEL, ["no such model", "model.model"]),
        (Fault.QUOTA, ["no quota", "Top up"]),
        (Fault.HTML, ["no usable reply", "TROUBLESHOOTING"]),
        (Fault.REDIRECT, ["Nothing answers", "/v1"]),
    ],
)
async def test_a_server_that_refuses_is_one_failure_with_its_cure(fault: Fault, words: list[str]) -> None:
    found, fits = await examined(lambda messages, tools: Step(fault=fault))
    ((name, check),) = found.items()
    assert (name, check.state, fits) == ("answers", "fail", {})
    for word in words:
        assert word in f"{check.says} {check.do}"
    assert "sk-test" not in repr(found)


async def test_nobody_listens() -> None:
    found, _ = await examined(Model(), base_url="http://127.0.0.1:9/v1")
    assert found["answers"].state == "fail"
    assert "model.base_url" in found["answers"].do


async def test_an_unknown_profile_is_said() -> None:
    found, _ = await examined(Model(), profile="gpt")
    assert "unknown" in found["m"].says
