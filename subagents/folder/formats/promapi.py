"""Metrics as Prometheus' HTTP API answers them: matrices and vectors of `query_range` and `query` (whole answers, only
their `result`, or one a line), and the lines that VictoriaMetrics exports.

Sources: Prometheus docs, "HTTP API", "Expression query result formats" (seconds, values as text); VictoriaMetrics docs,
`/api/v1/export` (`timestamps` in milliseconds). What an expression gives has no name and is called as its file is.
Native histograms, scalars and strings are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from subagents.folder import files

MAX = 64 << 20
_DEEP = 6  # storeys down to a series: {"data": {"result": [series]}}, and what wraps such an answer
_ANSWER = re.compile(
    r'(?<!\\)"resultType"\s{0,9}:\s{0,9}"(?:matrix|vector)"'
    r'|(?<!\\)"metric"\s{0,9}:\s{0,9}\{[^{}]{0,4000}+\}\s{0,99},\s{0,99}"values?"\s{0,9}:\s{0,9}\['
)


def is_answer(head: str) -> bool:
    return head.lstrip()[:1] in ("{", "[") and _ANSWER.search(head) is not None


def samples(path: str, packed: str, types: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    """(series as OpenMetrics writes it, time in seconds, value), as `openmetrics.samples`; `types` is told of what an
    expression gave, which is no counter. Raises files.Unreadable where the file is over 64 MB or broken JSON."""
    called = re.sub(r"\W+", "_", Path(path).name.partition(".")[0])
    for node in _documents(path, packed):
        for series in _series(node):
            labels = {str(k): str(v) for k, v in series["metric"].items()}
            name = labels.pop("__name__", "")
            if not name:
                name, types[called] = called, "gauge"
            text = f"{name}{{{','.join(f'{k}={json.dumps(v, ensure_ascii=False)}' for k, v in labels.items())}}}"
            for at, value in _points(series):
                with suppress(TypeError, ValueError):
                    yield text, float(at), float(value)


def _documents(path: str, packed: str) -> Iterator[Any]:
    data = bytearray()
    for block in files.blocks(path, packed):
        data += block
        if len(data) > MAX:
            raise files.Unreadable("a JSON document over 64 MB: export it as JSON lines")
    text = data.decode("utf-8-sig", "replace")
    try:
        yield json.loads(text)
        return
    except (ValueError, RecursionError) as e:
        why = str(e)
    read = 0
    for line in text.splitlines():
        with suppress(ValueError, RecursionError):
            yield json.loads(line)
            read += 1
    if not read:
        raise files.Unreadable(f"it begins like JSON but isn't valid: {why}")


def _series(node: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Every series in it: an object with `metric`, and `value` or `values`."""
    if isinstance(node, dict) and isinstance(node.get("metric"), dict) and ("values" in node or "value" in node):
        yield node
    elif depth < _DEEP and isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from _series(inner, depth + 1)


def _points(series: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    values, stamps = series.get("values", [series.get("value")]), series.get("timestamps")
    if not isinstance(values, list):
        return
    if isinstance(stamps, list):
        yield from ((at / 1000, value) for at, value in zip(stamps, values, strict=False) if isinstance(at, int))
        return
    yield from ((pair[0], pair[1]) for pair in values if isinstance(pair, list) and len(pair) == 2)
