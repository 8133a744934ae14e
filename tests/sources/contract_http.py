"""What every live source makes of a server that fails: a sentence with the source's name, of the right kind.

`holds` is for each source and each of its questions; tests/sources/test_contracts.py names them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from subagents.sources import SourceError
from subagents.web import Caller, Site, Web
from tests.sources.faulty import Answer, breaks_off, faulty, hangs, says

HTML = "<html><head><title>Sign in</title></head><body>SSO</body></html>"
BEGUN = '{"status":"success","data":{"resultType":"matrix","result":['
TOKEN = "t0p-s3cret-token"


@dataclass(frozen=True)
class Fault:
    """`kind`, `said`: what the error must be and contain."""

    name: str
    answer: Answer
    kind: str
    said: str
    timeout: float = 10.0


ODD = {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}, "value": [0, "abc"]}]}}
FAULTS = (
    Fault("401", says({"error": f"bad token {TOKEN}"}, 401), "denied", "(401)"),
    Fault("403", says("forbidden", 403, "text/plain"), "denied", "(403)"),
    Fault("404", says("404 page not found", 404, "text/plain"), "bad_answer", "(404)"),
    Fault("429", says("too many", 429, "text/plain", **{"Retry-After": "120"}), "unreachable", "asks to wait 120 s"),
    Fault("500", says({"status": "error", "errorType": "internal", "error": "boom"}, 500), "unreachable", "boom"),
    Fault("timeout", hangs(), "timeout", "no answer within 0.2 s", 0.2),
    Fault("half an answer", breaks_off(BEGUN + '{"metric":{},"values":[]},' * 200, 700), "bad_answer", "half"),
    Fault("cut JSON", says(BEGUN + "{"), "bad_answer", "half there"),
    Fault("HTML instead of JSON", says(HTML, 200, "text/html"), "bad_answer", "web page"),
    Fault("no data", says({"status": "success"}), "bad_answer", "without data|not as|no list|not what|something else"),
    Fault("odd series", says(ODD), "bad_answer", "unknown form|not as|no list|not what|something else"),
    Fault("another API", says({"hello": "world"}), "bad_answer", "not as|no list|not what"),
)  # fmt: skip
Question = Callable[[Caller], Awaitable[Any]]


async def holds(fault: Fault, *questions: Question) -> None:
    """Each question by a client of its own: what one of them found dead is news to the others."""
    async with faulty(fault.answer) as server:
        await asyncio.gather(*(_held(fault, server.url, question) for question in questions))


async def _held(fault: Fault, url: str, question: Question) -> None:
    client, headers = Web(), {"Authorization": f"Bearer {TOKEN}"}
    try:
        caller = client.at(Site("prod-eu", url, headers, timeout=fault.timeout))
        with pytest.raises(SourceError) as e:
            await question(caller)
    finally:
        await client.aclose()
    said = str(e.value)
    assert e.value.kind == fault.kind, said
    assert said.startswith("prod-eu: ")
    assert any(part in said for part in fault.said.split("|")), said
    assert TOKEN not in said
    assert len(said) < 500
