"""What a delivery of a web hook says, whoever sent it: alerts and changes in one form, and how its values are read.

It knows no product and no store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from orchestrator.contracts import Json
from subagents.folder import times
from subagents.sources import ChangeKind

YEARS = 3.0e7  # seconds: about the first of 1971; what lies before is "no time", such as year 1 or zero
TEXT = 4000  # characters that are kept of one value
MANY = 64  # labels that are kept
_PARTED = re.compile(r"[,;]\s*+|(?<!\s)\s++(?=[\w.-]++[:=])")
_SPELT = re.compile(r"\b(?:GMT|UTC)\s?(?=[+-]\d)")


class Unreadable(Exception):
    """The delivery says nothing that can be used. The text says why, and what to do."""


class Beside(Exception):
    """It is genuine, and of no interest: a greeting, an event that changes nothing. The text says why."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """`event`: what its header says it is; `body`: the JSON."""

    body: Json
    event: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """`fingerprint`: the same for all that is told about one alert; `start` None: it isn't said."""

    name: str
    severity: str
    service: str
    firing: bool
    start: datetime | None
    end: datetime | None
    fingerprint: str
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    group: str = ""  # what the sender notifies of together
    receiver: str = ""  # whom the sender notifies by this hook


@dataclass(frozen=True, slots=True)
class Change:
    """`at` None: it isn't said; `rank`: a later step of the same change has a higher one; `repository`: its full name,
    from which the service may be known."""

    id: str
    kind: ChangeKind
    service: str
    at: datetime | None
    title: str
    rank: int = 0
    repository: str = ""
    author: str = ""
    until: datetime | None = None
    version: str = ""
    sha: str = ""
    environment: str = ""
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    reverts: str = ""
    body: str = ""
    link: str = ""


# ── values ────────────────────────────────────────────────────────────────────────────────────


def table(value: Json) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def text(value: Json) -> str:
    """Of a string or number; "" of what is absent, or no single value."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip()[:TEXT] if isinstance(value, str | int | float) else ""


def texts(value: Json) -> dict[str, str]:
    """Name → value of labels: a table, `["k=v", "k:v"]`, `"k:v, k:v"`, or `[{"tag": k, "value": v}]`."""
    if isinstance(value, str):
        value = [part for part in _PARTED.split(value[:TEXT]) if part.strip()]
    if isinstance(value, list):
        value = dict(filter(None, map(_pair, value)))
    pairs = ((str(k), text(v)) for k, v in table(value).items())
    return dict([pair for pair in pairs if pair[1]][:MANY])


def _pair(item: Json) -> tuple[str, str] | None:
    if isinstance(item, dict):
        name = next((item[k] for k in ("tag", "key", "name", "label") if item.get(k)), "")
        return (text(name), text(item.get("value"))) if name else None
    if name := re.match(r"\s*([^=:\s]+)\s*[=:](.*)", text(item), re.DOTALL):
        return name[1], name[2].strip()
    return (text(item), "true") if text(item) else None


def moment(value: Json, zone: str = "") -> datetime | None:
    """UTC; None for what is absent, unreadable, or zero in any spelling. `zone`: of a time that states no offset."""
    if isinstance(value, str):
        value = _SPELT.sub("", value)
    at = times.parse(value, times.Clock(zone=zone))
    return None if at is None or at < YEARS else times.aware(at)


def first(labels: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")


def mark(*parts: str, **labels: str) -> str:
    """A fingerprint of our own."""
    said = [*parts, *(f"{k}={v}" for k, v in sorted(labels.items()))]
    return sha256("\0".join(said).encode("utf-8", "replace")).hexdigest()[:24]
