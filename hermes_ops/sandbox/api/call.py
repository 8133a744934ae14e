"""One call of an app, taken apart, and the table entry of an interface. It doesn't know HTTP frameworks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_ops.sandbox.errors import Json, Refusal, invalid_field
from hermes_ops.sandbox.model import App
from hermes_ops.sandbox.multipart import Part
from hermes_ops.sandbox.platform import Platform

TYPES: dict[str, type] = {"string": str, "bool": bool, "int": int, "object": dict}


@dataclass(frozen=True)
class Call:
    """`path` are the ids in the address; `body` is the JSON object, `parts` the form of an upload."""

    app: App
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Json = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    repeated: Mapping[str, list[str]] = field(default_factory=dict)  # the query values that may stand several times

    def one_of(self, name: str, allowed: frozenset[str], default: str = "") -> str:
        """A query value out of a set. Raises 99992402."""
        value = self.query.get(name, default)
        if value not in allowed:
            raise invalid_field(name, value, f"{name} is optional values: {sorted(allowed)}")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A query number. Raises 99992402."""
        value = self.query.get(name, str(default))
        if len(value) > 18 or not value.isdecimal() or not least <= int(value) <= most:
            raise invalid_field(name, value, f"{name} is {least} to {most}")
        return int(value)


@dataclass(frozen=True)
class Bytes:
    """An answer that is a file."""

    data: bytes
    mime: str
    name: str


Answer = Json | Bytes
Handle = Callable[[Platform, Call], Answer]


@dataclass(frozen=True)
class Route:
    """An interface. `fields`: name → (type, required) of the JSON body; `scopes`: one of them is enough.

    `flat`: the answer's fields stand beside `code` instead of under `data`.
    """

    method: str
    address: str
    handle: Handle
    scopes: tuple[str, ...] = ()
    fields: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    flat: bool = False

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """The ids in the path, or None."""
        if method != self.method:
            return None
        found = re.fullmatch(re.sub(r":(\w+)", r"(?P<\1>[^/]+)", self.address), path)
        return found.groupdict() if found else None


def checked(body: Any, fields: Mapping[str, tuple[str, bool]]) -> Json:
    """The body, if it has what the interface asks for. Raises 9499 for a wrong type, 99992402 for a missing field."""
    if not isinstance(body, dict):
        raise Refusal(9499, "Invalid parameter type in json: the body is not an object.")
    for name, (kind, required) in fields.items():
        value = body.get(name)
        if value is None or (value == "" and required):
            if required:
                raise invalid_field(name, value, f"{name} is required")
        elif not isinstance(value, TYPES[kind]) or (kind == "int" and isinstance(value, bool)):
            raise Refusal(9499, f"Invalid parameter type in json: {name}. {kind} is needed.")
    return body
