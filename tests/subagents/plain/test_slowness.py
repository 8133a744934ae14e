"""How slow it was: the measured latency first, a verdict where one is asked, and that errors measure nothing."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.agent import Turn
from orchestrator.contracts import Evidence, Findings, Json, ToolResult
from subagents.plain.answers import plainly
from tests.kit import DAY, context
from tests.subagents.plain.test_answers import (
    AGENTS,
    ENDED,
    at,
    changed,
    counted,
    errors,
    fired,
    ranked,
    said,
    suspect,
)


def rose(service: str, before: float, during: float, start: str = "14:02", end: str = "14:40", **more: Any) -> Json:
    times = {"onset": at(start), "end": at(end) if end else None, "peak": at("14:20"), "known": True}
    row = {"name": "latency", "service": service, "unit": "s", "before": before, "during": during, "usual": before}
    return {**row, "extreme": during * 1.1, "harmless": False, "factor": 9.0, **times, **more}


def stayed(service: str, usual: float) -> Json:
    return rose(service, usual, usual) | {"onset": None, "end": None, "extreme": usual * 1.5}


def metric(*rows: Json) -> tuple[str, Json]:
    return "metric", {"series": [], "onset": None, "slow": list(rows)}


P99: tuple[str, Json] = (
    "metric",
    {
        "quantile": 0.99,
        "percentiles": [
            {"service": "cart", "name": "d", "unit": "s", "value": 1.2, "above": False, "n": 9, "before": 0.2}
        ],
    },
)


@pytest.mark.parametrize(
    ("question", "rows", "first"),
    [
        ("is cart slow?", (rose("cart", 0.1, 0.9),), "Yes: cart `latency` 0.1s → 0.9s since 14:02"),
        ("cart 下午慢吗", (rose("cart", 0.1, 0.9),), "是，cart `latency` 0.1s → 0.9s，14:02 起"),
        ("is cart slow?", (stayed("cart", 0.1), rose("tax", 0.1, 2.0)), "No: cart `latency` didn't rise: usually 0.1s"),
        ("is cart still slow?", (rose("cart", 0.1, 0.9),), "No: "),
        ("is cart still slow?", (rose("cart", 0.1, 0.9, end=""),), "Yes: "),
        ("what's the latency of cart?", (stayed("cart", 0.1),), "cart `latency` didn't rise"),
        ("was cart slower than 500ms?", (rose("cart", 0.1, 0.9),), "Yes: "),
        ("was cart slower than 2s?", (rose("cart", 0.1, 0.9),), "No: "),
    ],
)
def test_latency_leads(question: str, rows: tuple[Json, ...], first: str) -> None:
    lang = "zh" if "慢" in question else "en"
    lines = said(question, ENDED, fired(), metric(*rows), services=("cart",), lang=lang)
    assert lines[0].startswith(first)
    assert "错误" not in lines[0]
    assert "rrors" not in lines[0]


def test_a_percentile_is_held_against_the_limit_that_is_named() -> None:
    assert said("was p99 over 800ms?", ENDED, P99, services=("cart",))[0].startswith("Yes: p99 of cart")
    assert said("was p99 over 3s?", ENDED, P99, services=("cart",))[0].startswith("No: ")


def test_a_series_that_states_the_percentile_itself_answers_for_it() -> None:
    rows = (rose("cart", 9.0, 90.0, name="latency_p50"), rose("cart", 1.0, 3.0, name="latency_p95"))
    lines = said("cart 的 p95 高吗", ENDED, metric(*rows), services=("cart",), lang="zh")
    assert "latency_p95" in lines[0]


def test_errors_are_no_measure_of_slowness() -> None:
    lines = said("is cart slow?", ENDED, fired(), metric(), services=("cart",))
    assert lines[0].startswith("Can't tell: no metric or span tells the latency of cart")
    assert "Errors of cart" in lines[1]


def test_a_masked_number_is_no_rise() -> None:
    row = rose("cart", 0.1, 0.9) | {"during": "<phone:7f3a>", "extreme": "<phone:7f3b>"}
    assert said("was cart slower than 2s?", ENDED, metric(row), services=("cart",))[0].startswith("Can't tell: ")


def test_the_slowest_call_stands_beside() -> None:
    spans: Json = [
        {"service": "tax", "name": "SELECT", "ms": 40, "error": True},
        {"service": "cart", "name": "GET /", "ms": 2100, "error": False},
    ]
    lines = said("cart 慢吗", ENDED, ("slow_spans", {"spans": spans, "calls": []}), services=("cart",), lang="zh")
    assert lines[0].startswith("无法判断：最慢的调用：cart GET / 2100 ms")


def test_why_it_was_slow_is_a_short_answer() -> None:
    results = (ENDED, fired(), metric(rose("cart", 0.1, 0.9)), ranked(suspect("d1", "cart", "1.2.0")), changed())
    evidence = tuple(Evidence(f"E{n}", "x", t, {}, ToolResult("ok", "", d)) for n, (t, d) in enumerate(results, 1))
    turn = Turn(AGENTS[0], [], context("why was cart slow? which release did it?", window=DAY))
    plain = plainly(turn, [Findings("changes", "ok", "s", evidence=evidence)])
    assert plain.why
    assert plain.lines[0].startswith("cart `latency` 0.1s → 0.9s")
    assert len(plain.lines) <= 4


@pytest.mark.parametrize("question", ["when did cart get slow", "cart 几点开始变慢的", "从什么时候开始延迟变高"])
def test_when_it_became_slow_is_when_latency_rose(question: str) -> None:
    lang = "en" if question.startswith("when") else "zh"
    got = counted(errors("cart", 9, "13:03", "14:47"))
    lines = said(question, got, fired(), metric(rose("cart", 0.1, 0.9)), services=("cart",), lang=lang)
    assert "14:02" in lines[0]
    assert "13:03" not in lines[0]
