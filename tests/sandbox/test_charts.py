"""Which charts are taken and which are refused, with the path to what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_ops.sandbox.cards.check import check
from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.cards.rules import Lookup, Rules

NOBODY = Lookup(image=lambda key: False, person=lambda who: False)
ROWS = [{"x": "10", "y": 3, "s": "a"}, {"x": "11", "y": None, "s": "a"}]
LINE = {"type": "line", "data": {"values": ROWS}, "xField": "x", "yField": "y"}
ACROSS = {"type": "bar", "direction": "horizontal", "data": {"values": ROWS}, "xField": "y", "yField": "x"}
PIE = {"type": "pie", "data": [{"id": "d", "values": ROWS}], "categoryField": "x", "valueField": "y"}


def mixed(**series: Any) -> dict[str, Any]:
    layer = {"type": "line", "xField": "x", "yField": "y", **series}
    return {"type": "common", "data": [{"id": "d", "values": ROWS}], "series": [layer]}


def judge(spec: Any, **more: Any) -> None:
    chart = {"tag": "chart", "chart_spec": spec, **more}
    check({"schema": "2.0", "body": {"elements": [chart]}}, Rules(), NOBODY)


GOOD: dict[str, tuple[Any, dict[str, Any]]] = {
    "a line": (LINE, {"aspect_ratio": "16:9", "color_theme": "converse", "height": "240px", "preview": False}),
    "a line for each of a field": ({**LINE, "seriesField": "s"}, {"height": "auto"}),
    "bars across": (ACROSS, {}),
    "slices": (PIE, {}),
    "a mix by id": (mixed(dataId="d"), {}),
    "a mix by place": (mixed(dataIndex=0), {}),
    "a mix with its own data": (mixed(data={"values": ROWS}), {}),
    "no rows": ({**LINE, "data": {"values": []}}, {}),
    "words that only talk of functions": ({**LINE, "title": {"text": "the function of x => y"}}, {}),
    "a service that is called like code": ({**LINE, "data": {"values": [{"x": "function()", "y": 1}]}}, {}),
}
BAD: dict[str, tuple[Any, dict[str, Any], int, str]] = {
    "a kind that isn't documented": ({**LINE, "type": "sankey"}, {}, 200550, "type"),
    "no data": ({"type": "line", "xField": "x", "yField": "y"}, {}, 200550, "data"),
    "data as text": ({**LINE, "data": "x,y"}, {}, 200550, "data"),
    "rows that are no objects": ({**LINE, "data": {"values": [1]}}, {}, 200550, "values"),
    "no xField": ({k: v for k, v in LINE.items() if k != "xField"}, {}, 200550, "xField"),
    "a field that no row has": ({**LINE, "yField": "z"}, {}, 200550, "yField"),
    "a series that no row has": ({**LINE, "seriesField": "z"}, {}, 200550, "seriesField"),
    "words where numbers are drawn": ({**LINE, "yField": "s"}, {}, 200550, "yField"),
    "words where bars go across": ({**ACROSS, "xField": "s"}, {}, 200550, "xField"),
    "a pie without values": ({**PIE, "valueField": ""}, {}, 200550, "valueField"),
    "a mix without layers": ({**mixed(), "series": []}, {}, 200550, "series"),
    "a mix of unknown data": (mixed(dataId="e"), {}, 200550, "dataId"),
    "a mix beyond the data": (mixed(dataIndex=1), {}, 200550, "dataIndex"),
    "a function": ({**LINE, "label": {"formatMethod": "function (v) { return v }"}}, {}, 200550, "formatMethod"),
    "an arrow": ({**LINE, "axes": [{"label": {"formatMethod": "(v) => v"}}]}, {}, 200550, "[0] -> label"),
    "a texture": ({**LINE, "line": {"style": {"texture": "rect"}}}, {}, 200550, "style -> texture"),
    "a height in other units": (LINE, {"height": "20em"}, 200621, "height"),
    "a height of a thousand": (LINE, {"height": "1000px"}, 200621, "height"),
    "another aspect": (LINE, {"aspect_ratio": "3:2"}, 200621, "aspect_ratio"),
    "another theme": (LINE, {"color_theme": "dark"}, 200621, "color_theme"),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_good_chart_is_taken(name: str) -> None:
    spec, more = GOOD[name]
    judge(spec, **more)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_chart_is_refused_at_its_place(name: str) -> None:
    spec, more, code, where = BAD[name]
    with pytest.raises(CardFault) as refused:
        judge(spec, **more)
    assert refused.value.code == code
    assert where in refused.value.value
