"""The analysis on public incidents that lie beside the checkout: the targets are floors, not what it reaches."""

from __future__ import annotations

import pytest

from bench.cause import run
from tests.shared import shared


def hits(found: dict[str, object], measure: str) -> tuple[int, int]:
    rows = found["rates"]
    assert isinstance(rows, list)
    return next((r["hits"], r["n"]) for r in rows if r["name"] == measure)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_rootcausebench():
    found = await run.rootcausebench(shared("data/incidents/rootcausebench"))
    assert hits(found, "top 1")[0] >= 9, found["failed"]
    assert hits(found, "no decoy")[0] >= 11
    assert hits(found, "first failing")[0] >= 10
    assert found["blast radius"] >= 0.7


@pytest.mark.slow
async def test_noisebench():
    found = await run.noisebench(shared("data/incidents/noisebench"))
    assert hits(found, "passed")[0] >= 7, found["failed"]
    assert hits(found, "no must-page missed") == (9, 9)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_petshop():
    found = await run.petshops(shared("data/incidents/petshop"))
    assert [hits(found, f"top {n}")[0] >= 52 * share for n, share in ((1, 0.45), (3, 0.8), (5, 0.9))] == [True] * 3
