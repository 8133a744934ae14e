"""The analysis on public incidents that lie beside the checkout, and on generated ones: the targets are floors, and
nothing may be worse than in the last stored result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bench.cause import run
from tests.shared import shared

LAST: dict[str, Any] = json.loads(run.LAST.read_text(encoding="utf-8"))


def faults(name: str, found: dict[str, Any]) -> list[str]:
    return [*run.short({name: found}), *run.fallen({name: found}, LAST)]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", run.SETS)
async def test_a_public_set(name: str) -> None:
    found = await run.SETS[name](shared(f"data/incidents/{name}"))
    assert found["rates"]
    assert faults(name, found) == [], found["failed"]
    assert found.get("blast radius", 1.0) >= 0.7


@pytest.mark.slow
@pytest.mark.timeout(3000)
async def test_generated_incidents(nightly: bool) -> None:
    found = await run.generated(200 if nightly else 5, 0)
    assert faults("generated", found) == [], found["failed"]


def test_a_rate_that_fell_and_one_that_is_too_low_are_told() -> None:
    tally = run.Tally()
    tally.add("passed", True)
    tally.add("passed", False, "case 2")
    tally.add("no must-page missed", True)
    before = run.Tally()
    for _ in range(2):
        before.add("passed", True)
    found = {"noisebench": tally.as_json("noisebench")}
    assert run.short(found) == ["noisebench: passed 1/2, wanted 0.77"]
    assert run.fallen(found, {"noisebench": before.as_json("noisebench")}) == ["noisebench: passed 1/2, last 2"]
    assert run.fallen(found, {}) == []
    nothing = {"noisebench": run.Tally().as_json("noisebench")}
    assert len(run.short(nothing)) == 2
