"""The formats whose files are samples of named series with labels, by the kind that `recognise` gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from subagents.folder.formats import json_series, openmetrics

Samples = Callable[[str, str, dict[str, str]], Iterator[tuple[str, float, float]]]
"""(path, compression, types to fill) → series as written, time in seconds, value."""

SAMPLES: Mapping[str, Samples] = MappingProxyType({"openmetrics": openmetrics.samples, "series": json_series.samples})
