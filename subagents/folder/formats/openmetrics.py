"""Metrics in OpenMetrics or Prometheus text with timestamps (seconds; milliseconds are told by their size).

Counters, gauges, histograms and the ALERTS series. Types come from `# TYPE`; a series without one whose name ends in
`_total`, `_count`, `_sum` or `_bucket` is taken for a counter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from subagents.folder import files

_SAMPLE = re.compile(r"^[a-zA-Z_:][\w:]*(?:\{.*\})? (?:[+-]?(?:\d[\d.eE+-]*|Inf|NaN)) \d{9,13}(?:\.\d+)?(?: #.*)?$")
_COMMENT = re.compile(r"^# (TYPE|HELP|UNIT|EOF)\b ?(\S*) ?(.*)$")
_LABEL = re.compile(r'(?<![\w.])([a-zA-Z_][\w.]*+)="([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_SUFFIXES = ("_total", "_count", "_sum", "_bucket", "_created")


def is_metrics(lines: list[str]) -> bool:
    lines = [line for line in lines if line.strip()]
    found = sum(1 for line in lines if _SAMPLE.match(line) or _COMMENT.match(line))
    return bool(found) and found * 10 >= len(lines) * 9 and any(_SAMPLE.match(line) for line in lines)


def samples(path: str, packed: str, types: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    """(series as written, time in seconds, value); `types` is filled on the way from the comments."""
    for _, raw in files.lines(path, packed):
        line = raw.decode("utf-8", "replace").rstrip("\r")
        if line.startswith("#"):
            if match := _COMMENT.match(line):
                types.update({match.group(2): match.group(3)} if match.group(1) == "TYPE" else {})
            continue
        if " # " in line:
            line = line.partition(" # ")[0]
        series, _, stamp = line.rpartition(" ")
        series, _, value = series.rpartition(" ")
        try:
            at, number = float(stamp), float(value)
        except ValueError:
            continue
        yield series.strip(), at / 1000 if at > 1e11 else at, number


@lru_cache(maxsize=20_000)
def name_and_labels(series: str) -> tuple[str, dict[str, str]]:
    """`name{a="b"}` in its parts. (Callers don't change the labels.)"""
    name, _, rest = series.partition("{")
    labels = {k: v.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") for k, v in _LABEL.findall(rest)}
    return name, labels


def kind(name: str, types: dict[str, str]) -> str:
    """counter | gauge | unknown; the parts of a histogram or summary that only grow are counters."""
    base = next((name.removesuffix(s) for s in _SUFFIXES if name.endswith(s)), name)
    told = types.get(name) or types.get(base) or ""
    if told == "counter" or (told in ("histogram", "summary") and name != base):
        return "counter"
    if told in ("gauge", "summary", "info", "stateset"):
        return "gauge"
    return "counter" if not told and name.endswith(_SUFFIXES[:4]) else "unknown"
