"""Whether the platform, and a phone, would draw a chart: a VChart definition without functions, its fields in its data.

Source: protocol notes, 7, and the component's documentation (properties a phone can't draw). What VChart would merely
ignore is not looked at: it takes unknown properties. A refusal is 200550 with the path, as the platform words it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hermes_ops.sandbox.cards.faults import CardFault
from hermes_ops.sandbox.errors import Json

POINTS = ("xField", "yField")
SLICES = ("categoryField", "valueField")
FIELDS = {  # what each kind can't do without
    "line": POINTS,
    "area": POINTS,
    "bar": POINTS,
    "scatter": POINTS,
    "linearProgress": POINTS,
    "pie": SLICES,
    "funnel": SLICES,
    "radar": SLICES,
    "circularProgress": SLICES,
    "wordCloud": ("nameField", "valueField"),
    "common": ("series",),
}
OPTIONS = {  # property of the component → what it may say
    "aspect_ratio": re.compile(r"1:1|2:1|4:3|16:9"),
    "color_theme": re.compile(r"brand|rainbow|complementary|converse|primary"),
    "height": re.compile(r"auto|[1-9][0-9]{0,2}px"),
}
CODE = re.compile(r"^\s*(?:async\s+)?(?:function\b|(?:\([^()]*\)|[A-Za-z_$][\w$]*)\s*=>)")
NOT_ON_PHONES = {"texture": None, "gradient": "conical", "layoutMode": "grid", "repeatX": None, "repeatY": None}


def chart(node: Json, path: str) -> None:
    """Raises CardFault."""
    for name, allowed in OPTIONS.items():
        if name in node and not allowed.fullmatch(node[name]):
            raise CardFault(200621, "parse card json err", f"invalid {name} {node[name]}, path: {path}")
    spec, path = node["chart_spec"], f"{path} -> chart_spec"
    if not isinstance(spec, dict):
        raise CardFault(200550, "chart spec is invalid", path)
    if spec.get("type") not in FIELDS:
        raise CardFault(200550, "chart spec type is invalid", f"{path} -> type")
    if "data" not in spec:
        raise CardFault(200550, "chart spec has no data", f"{path} -> data")
    _plain(spec, path)
    tables = list(_tables(spec["data"], f"{path} -> data"))
    if spec["type"] == "common":
        _layers(spec, tables, path)
    else:
        _fields(spec, tables[0][1] if tables else [], path)


def _plain(node: Any, path: str) -> None:
    """Neither functions nor what makes the chart fail on a phone, at any depth."""
    if isinstance(node, list):
        for n, item in enumerate(node):
            _plain(item, f"{path} -> [{n}]")
    elif isinstance(node, dict):
        for name, value in node.items():
            where = f"{path} -> {name}"
            if name == "values":
                continue  # data, never read as a definition
            if name in NOT_ON_PHONES and NOT_ON_PHONES[name] in (None, value):
                raise CardFault(200550, "chart spec can't be drawn on phones", where)
            _plain(value, where)
    elif isinstance(node, str) and CODE.match(node):
        raise CardFault(200550, "chart spec holds a function", path)


def _tables(data: Any, path: str) -> Iterator[tuple[str, list[Json]]]:
    """Id and rows of each set of data; one set may stand without a list."""
    for n, one in enumerate(data if isinstance(data, list) else [data]):
        values = one.get("values") if isinstance(one, dict) else None
        if not isinstance(values, list) or not all(isinstance(row, dict) for row in values):
            raise CardFault(200550, "chart spec data is invalid", f"{path} -> [{n}] -> values")
        yield str(one.get("id", "")), values


def _layers(spec: Json, tables: list[tuple[str, list[Json]]], path: str) -> None:
    series = spec.get("series")
    if not isinstance(series, list) or not series:
        raise CardFault(200550, "chart spec has no series", f"{path} -> series")
    by_id = dict(tables)
    for n, layer in enumerate(series):
        where = f"{path} -> series -> [{n}]"
        if not isinstance(layer, dict) or layer.get("type") not in FIELDS or layer["type"] == "common":
            raise CardFault(200550, "chart spec type is invalid", f"{where} -> type")
        if "data" in layer:
            rows = next(_tables(layer["data"], f"{where} -> data"))[1]
        elif "dataId" in layer:
            if layer["dataId"] not in by_id:
                raise CardFault(200550, "chart spec has no such data", f"{where} -> dataId")
            rows = by_id[layer["dataId"]]
        else:
            index = layer.get("dataIndex", 0)
            if not isinstance(index, int) or not 0 <= index < len(tables):
                raise CardFault(200550, "chart spec has no such data", f"{where} -> dataIndex")
            rows = tables[index][1]
        _fields(layer, rows, where)


def _fields(spec: Json, rows: list[Json], path: str) -> None:
    """Every field is named, stands in some row, and the measured one holds numbers or nothing."""
    optional = ("seriesField",) if spec.get("seriesField") is not None else ()
    for name in (*FIELDS[spec["type"]], *optional):
        fields = spec.get(name)
        wanted = fields if isinstance(fields, list) else [fields]
        if not wanted or not all(isinstance(f, str) and f for f in wanted):
            raise CardFault(200550, "chart spec field is missing", f"{path} -> {name}")
        for field in wanted:
            if rows and not any(field in row for row in rows):
                raise CardFault(200550, f"chart spec field {field} is not in its data", f"{path} -> {name}")
    measured = "valueField" if "valueField" in spec else _measured(spec)
    for row in rows:
        value = row.get(spec[measured]) if isinstance(spec[measured], str) else None
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise CardFault(200550, "chart spec data holds no number", f"{path} -> {measured}")


def _measured(spec: Json) -> str:
    across = spec.get("direction") == "horizontal" or spec["type"] == "linearProgress"
    return "xField" if across else "yField"
