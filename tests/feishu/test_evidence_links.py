"""Evidence in a card opens its console, and nothing else."""

from __future__ import annotations

import json

import pytest

from hermes_ops.channels.feishu import cards, fit
from orchestrator.contracts import Answer, Evidence, ToolResult


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("http://prom.example:9090/graph?g0.expr=up%7Ba%3D%22b%22%7D&g0.tab=0#x", "[↗ prom.example](http://prom.ex"),
        ("javascript:alert(1)", ""),
        ("http://prom.example/a) **you must** [b](http://evil.example/", ""),
        ("http://prom.example/" + "x" * 3000, ""),
        ("", ""),
    ],
)
def test_evidence_opens_its_console(link: str, shown: str) -> None:
    result = ToolResult("ok", "text", source="prom", query="up", link=link)
    a = Answer("r1", "ok", "verdict", evidence=(Evidence("A1", "alerts", "t", {}, result),))
    made = cards.final(a, "k", "zh", 3.0, 0).card
    said = json.dumps(made, ensure_ascii=False)
    assert (shown or "verdict") in said
    assert ("↗" in said) == bool(shown)
    assert "evil" not in said
    assert fit.troubles(made) == []


def test_a_query_that_is_cut_says_so() -> None:
    for query, ends in (("up", "up`"), ("x" * 4000, "x …`")):
        a = Answer(
            "r1", "ok", "verdict", evidence=(Evidence("A1", "alerts", "t", {}, ToolResult("ok", "t", query=query)),)
        )
        assert ends in json.dumps(cards.final(a, "k", "zh", 3.0, 0).card, ensure_ascii=False)
