"""The card: taken by the strict sandbox whatever the report holds, short, and unmoved by hostile names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_ops.channels.feishu import fit
from hermes_ops.report.model import Amount, Attention, Availability, PatternRow, Report, ServiceErrors
from hermes_ops.report.view import card as cards
from hermes_ops.report.view.card import LEVELS, text
from hermes_ops.report.view.card import render as card
from hermes_ops.sandbox import Sandbox
from hermes_ops.sandbox.cards.check import check
from hermes_ops.sandbox.cards.rules import Lookup, Rules
from orchestrator.contracts import Json
from tests.report.samples import HOSTILE, LONG, bad_day, blind_day, hostile, quiet_day, row, shift, week
from tests.sandbox.raw import Api

SAMPLES: list[Callable[[], Report]] = [bad_day, hostile, quiet_day, blind_day, week, shift]
NOBODY = Lookup(image=lambda key: False, person=lambda who: False, everyone=False)


def taken(made: Json) -> None:
    check(made, Rules(), NOBODY)
    assert fit.troubles(made) == []


def nodes(made: Any, tag: str) -> Iterator[Json]:
    if isinstance(made, list):
        for item in made:
            yield from nodes(item, tag)
    elif isinstance(made, dict):
        if made.get("tag") == tag:
            yield made
        for value in made.values():
            yield from nodes(value, tag)


def crowded() -> Report:
    """Everything long at once: 400 services of 300 characters, in all places."""
    report = hostile()
    names = [f"{n:03}" + "名" * 297 for n in range(400)]
    return replace(
        report,
        alerts=replace(report.alerts, rows=tuple(row(LONG, n, "critical", 3, None) for n in names)),
        errors=replace(
            report.errors,
            rows=tuple(ServiceErrors(n, Amount(9), Amount(1)) for n in names),
            patterns=tuple(PatternRow("<*>" * 100, n, "error", 9, 0, True, None, "") for n in names),
        ),
        availability=tuple(Availability(n, Amount(98.0), Amount(9), Amount(1), 99.9, Amount(-1.0)) for n in names),
        attention=tuple(Attention("open_alert", n + "&<>*" * 50, n) for n in names),
        incidents=tuple(replace(report.incidents[0], services=tuple(names), key=n) for n in names[:20]),
        gaps=report.gaps * 20,
    )


@pytest.mark.parametrize("sample", [*SAMPLES, crowded])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_report_makes_a_card_that_is_taken(sample: Callable[[], Report], lang: Any) -> None:
    taken(card(replace(sample(), lang=lang)))


async def test_the_sandbox_shows_it(box: Sandbox, api: Api) -> None:
    for sample in (bad_day, hostile):
        answer = await api.send(box.group, "interactive", card(sample()))
        assert answer.code == 0, answer.msg
        assert (await api.send(box.group, "text", {"text": text(sample())})).code == 0


def test_four_hundred_services_are_counted_and_the_worst_named() -> None:
    made = json.dumps(card(hostile()), ensure_ascii=False)
    assert "0/400 个服务达标" in made
    assert "…另有 388 个服务" in made
    assert "…另有 395 项" in made


def test_what_doesnt_fit_is_left_out_from_the_least_needed_on() -> None:
    sizes = [fit.size(cards.at(crowded(), level)) for level in LEVELS]
    assert sizes == sorted(sizes, reverse=True)
    made = card(crowded())
    assert "需要人处理" in json.dumps(made, ensure_ascii=False), "what needs a person is never left out"
    assert len(list(nodes(card(bad_day()), "chart"))) == 3, "nothing is, where there is room"


def test_the_first_screen_is_short_and_the_rest_is_folded() -> None:
    made = card(bad_day())
    root = made["body"]["elements"]
    panels = [e for e in root if e["tag"] == "collapsible_panel"]
    assert all(not p["expanded"] for p in panels)
    words = "".join(e["content"] for e in root if e["tag"] == "markdown")
    assert len(words) < 300
    assert made["header"]["template"] == "red"
    assert made["config"]["summary"]["content"].startswith("异常：昨天有 1 起事故")


def test_charts_say_the_same_numbers() -> None:
    alerts, availability, errors = (c["chart_spec"] for c in nodes(card(bad_day()), "chart"))
    assert sum(v["n"] for v in alerts["data"][0]["values"] if v["severity"] == "critical") == 2
    assert [v["percent"] for v in availability["data"][0]["values"]] == [98.0734, 99.95]
    assert availability["markLine"][0]["x"] == 99.9
    now, before = (d["values"] for d in errors["data"])
    assert max(v["n"] for v in now) == 260
    assert [v["n"] for v in before[:4]] == [None, None, None, 2]


def test_unknown_is_a_dash_and_draws_no_chart() -> None:
    made = card(blind_day())
    shown = [e["content"] for e in nodes(made, "markdown")]
    assert "**—**" in shown
    assert "**0**" not in shown
    assert list(nodes(made, "chart")) == []
    assert "数据不全" in json.dumps(made, ensure_ascii=False)


def test_hostile_names_neither_format_nor_link_nor_mention() -> None:
    shown = "\n".join(e["content"] for e in nodes(card(hostile()), "markdown"))
    for mark in ("<script", "<img", "**bold**", "[x](", "<a>", "http://", "`x`"):
        assert mark not in shown
    assert cards.escaped("<at id=all></at> **x** [a](https://b) #1 | `c`").count("&#") == 17
    assert cards.escaped("支付 22:04") == "支付 22:04"


def test_the_text_alone_says_it_too() -> None:
    said = text(bad_day())
    for words in ("异常", "checkout 的错误预算已超支", "最低可用性 98.07%", "⚠ loki", "运维日报 · 2026-11-29"):
        assert words in said
    assert len(text(hostile())) < 3_000
    assert "…另有 390 项" in text(hostile())
    assert HOSTILE[1] in text(hostile()), "a text has no markup"


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from((0, 1, 40)))
def test_any_name_makes_a_card_that_is_taken(service: str, title: str, many: int) -> None:
    report = bad_day()
    rows = tuple(row(title, service, title or "x", n % 24, 1) for n in range(many))
    services = tuple(Availability(service, Amount(99.0), Amount(9), Amount(1), 99.9, Amount(1.0)) for _ in range(many))
    noisy = replace(
        report,
        team=title,
        alerts=replace(report.alerts, rows=rows),
        availability=services,
        attention=tuple(Attention("open_alert", title, service) for _ in range(many)),
    )
    taken(card(noisy))
