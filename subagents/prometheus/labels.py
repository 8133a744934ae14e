"""Which labels of a series or alert say its service and severity. Knows no server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labels:
    """The first label that is there and not empty counts. A target's own `service` label arrives as
    `exported_service` where the scrape sets one too: name it first where the application's word is the better one."""

    services: tuple[str, ...] = ("service", "app", "job")
    severities: tuple[str, ...] = ("severity",)

    def service(self, labels: Mapping[str, str]) -> str:
        return _first(labels, self.services)

    def severity(self, labels: Mapping[str, str]) -> str:
        return _first(labels, self.severities)


def _first(labels: Mapping[str, str], names: Sequence[str]) -> str:
    return next((labels[n] for n in names if labels.get(n)), "")


def text(value: str) -> str:
    """A string of PromQL or of a matcher, quoted."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def among(label: str, values: Sequence[str]) -> str:
    """A matcher for one of several values."""
    if len(values) == 1:
        return f"{label}={text(values[0])}"
    return f"{label}=~{text('|'.join(map(re.escape, values)))}"


def selector(name: str, *matchers: str) -> str:
    inner = ",".join(filter(None, matchers))
    return f"{name}{{{inner}}}" if inner else name
