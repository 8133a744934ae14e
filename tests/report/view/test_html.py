"""The page: well formed, alone, honest about what isn't known, and unmoved by hostile names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_ops.report.model import Amount, Attention, Availability, Handover, Report, ServiceErrors, unknown
from hermes_ops.report.view.html import render as html
from tests.report.samples import HOSTILE, LONG, bad_day, blind_day, hostile, quiet_day, row, shift, week
from tests.report.view.pages import Page

SAMPLES: list[Callable[[], Report]] = [bad_day, hostile, quiet_day, blind_day, week, shift]
ALONE = {
    "script",
    "iframe",
    "object",
    "embed",
    "link",
    "img",
    "base",
    "form",
    "audio",
    "video",
    "source",
    "use",
    "image",
}


def test_evidence_of_a_cause_opens_its_console() -> None:
    report = bad_day()
    (first, *rest) = report.incidents
    for link, shown in (("http://prom.example/graph?a=1", True), ("javascript:alert(1)", False), ("", False)):
        proof = tuple(replace(p, query="up", link=link) for p in first.proof)
        page = Page(html(replace(report, incidents=(replace(first, proof=proof), *rest))))
        assert (link in page.links) == shown
        assert "javascript:alert(1)" not in page.links


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_page_is_well_formed_and_stands_alone(sample: Callable[[], Report]) -> None:
    text = html(sample())
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert not ALONE & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("src", "srcset", "style")]
    css = "".join(page.within("style"))
    assert "@import" not in css
    assert not re.search(r"url\((?!#p-)", css)
    assert all(link.startswith("#") for link in page.links)
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids), "each number leads to its panel"
    assert (
        "meta",
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    ) in (page.attributes)


def test_the_first_screen_says_verdict_needs_and_numbers_in_this_order() -> None:
    shown = Page(html(bad_day())).shown
    order = [
        "异常",
        "payment 2.4.1 上线",
        "需要人处理",
        "DiskFilling",
        "告警触发",
        "98.07%",
    ]
    places = [shown.index(word) for word in order]
    assert places == sorted(places)


def test_it_speaks_the_report_s_language() -> None:
    zh, en = html(bad_day("zh")), html(bad_day("en"))
    assert '<html lang="zh-CN">' in zh
    assert '<html lang="en">' in en
    assert "Needs a person" in en
    assert "Lowest availability" in en
    assert not re.search(
        r"[\u4e00-\u9fff]", "".join(Page(html(english())).within("h3") + Page(html(english())).within("h2"))
    )


@cache
def crowd() -> str:
    return html(hostile())


def english() -> Report:
    return replace(bad_day("en"), prose=replace(bad_day().prose, sentences=("One incident.",)))


def test_unknown_is_a_dash_and_never_zero() -> None:
    page = Page(html(blind_day()))
    values = page.within("strong")
    assert values
    assert not [v for v in values if "0" in v]
    assert page.shown.count("—") >= 8
    assert "数据不全" in page.shown
    assert "没有需要人处理的事项" not in page.shown
    assert "没有告警触发" not in page.shown
    assert "没有错误日志" not in page.shown


def test_zero_is_said_as_zero() -> None:
    shown = Page(html(quiet_day())).shown
    assert "没有告警触发" in shown
    assert "没有错误日志" in shown
    assert "没有需要人处理的事项" in shown


def test_a_gap_stands_where_it_matters() -> None:
    text = html(bad_day())
    errors = text[text.index('id="errors"') :]
    assert "只返回了前 5,000 行" in errors[: errors.index("</details>")]
    assert "1 处数据缺口" in text


def test_hostile_names_are_text() -> None:
    page = Page(crowd())
    for name in (*HOSTILE[:5], LONG[:100], "<b>|`x`|</b>", "| <img src=x> **x** 🔥"):
        assert name in page.shown
    assert "\u202e" not in page.shown
    assert "\x1b" not in page.shown
    assert "b" not in page.tags[:20]
    assert "a&b\"c'd" in page.shown


def test_all_of_four_hundred_services_are_counted_and_the_worst_drawn() -> None:
    page = Page(crowd())
    assert "0/400 个服务达标" in page.shown
    assert "…另有 392 个服务" in page.shown
    assert "…另有 395 项" in page.shown, "of what needs a person"
    assert page.shown.count("service-393") >= 3, "and all stand in the panels"


def test_charts_are_told_to_those_who_hear_them() -> None:
    page = Page(html(bad_day()))
    labels = [value for tag, name, value in page.attributes if tag == "svg" and name == "aria-labelledby"]
    assert labels == ["c-alerts-t c-alerts-d", "c-errors-t c-errors-d"]
    assert {i for label in labels for i in (label or "").split()} <= set(page.ids)
    assert any("峰值 22:00，260" in text for text in page.within("desc"))
    bars = [value for tag, name, value in page.attributes if tag == "svg" and name == "aria-label"]
    assert "checkout 98.07% · 目标 99.9% · 未达标" in bars


def test_only_web_addresses_become_links() -> None:
    report = bad_day()
    rows = tuple(
        replace(row("A", "b", "critical", 1, 2), link=link)
        for link in ("https://grafana.example/d?x=1&y=<2>", "javascript:alert(1)", "data:text/html,x")
    )
    page = Page(html(replace(report, alerts=replace(report.alerts, rows=rows))))
    assert [link for link in page.links if not link.startswith("#")] == ["https://grafana.example/d?x=1&y=<2>"]


NAMES = st.text(max_size=40)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(NAMES, NAMES, NAMES)
def test_any_name_leaves_the_page_whole(service: str, alert: str, title: str) -> None:
    report = bad_day()
    rows = (row(alert, service, title or "critical", 3, None),)
    noisy = replace(
        report,
        team=title,
        alerts=replace(report.alerts, rows=rows, by_service={service: 1}),
        attention=(Attention("open_alert", title, service),),
        availability=(Availability(service, Amount(99.0), Amount(1), Amount(0), None, unknown("x")),),
        errors=replace(report.errors, rows=(ServiceErrors(service, Amount(1), Amount(0)),)),
    )
    text = html(noisy)
    page = Page(text)
    text.encode()
    assert not ALONE & set(page.tags)
    assert all(link.startswith("#") for link in page.links)


def test_a_hand_over_of_a_blind_shift_says_that_none_is_known() -> None:
    blind, handed = blind_day(), Handover()
    page = Page(html(replace(blind, kind="shift", handover=handed))).shown
    assert page.count("未知") == Page(html(blind)).shown.count("未知") + 4
    known = Page(html(replace(quiet_day(), kind="shift", handover=handed))).shown
    assert "未知" not in known
    assert "看到的部分没有" not in known
