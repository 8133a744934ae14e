"""How the platform says no: a code, a text, an HTTP status. The codes themselves stand where they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


class Refusal(Exception):
    """A call is refused. `status` is the HTTP status; `error` what goes into the answer's `error` besides log_id."""

    def __init__(
        self,
        code: int,
        msg: str,
        status: int = 400,
        headers: Mapping[str, str] | None = None,
        error: Json | None = None,
    ) -> None:
        super().__init__(f"{code} {msg}")
        self.code, self.msg, self.status = code, msg, status
        self.headers, self.error = dict(headers or {}), dict(error or {})


def parameter(why: str) -> Refusal:
    """230001 with the reason after `ext=`, as the messaging interfaces word it."""
    return Refusal(230001, f"Your request contains an invalid request parameter, ext={why}.")


def invalid_field(name: str, value: object, why: str) -> Refusal:
    """99992402: a field of the request is missing or out of range."""
    violation = {"field": name, "value": "" if value is None else str(value), "description": why}
    return Refusal(99992402, "field validation failed", error={"field_violations": [violation]})


def card_refused(code: int, text: str, value: str = "") -> Refusal:
    """230099 with the card service's own code inside the text."""
    tail = f" ErrorValue: {value};" if value else ""
    return Refusal(230099, f"Failed to create card content, ext=ErrCode: {code}; ErrMsg: {text};{tail} ")
