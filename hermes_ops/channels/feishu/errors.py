"""What the platform's refusals mean, and what to do about each: one class a code.

Source: the server documentation's error codes, and what users report; what isn't listed is never retried.
"""

from __future__ import annotations

import re
from typing import Literal

Sort = Literal["passing", "token", "change", "gone", "setup", "never"]

PASSING = {99991400, 1663, 2200, 5000, 1000040343, 230020, 230049, 200810, 300120, 11232, 11233}
TOKEN = {99991661, 99991663, 99991664, 99991665, 99991671}
SETUP = {99991672, 99991679, 99991662, 10003, 10014, 10015, 230006, 230013, 230018, 230027, 230035, 99991403, 514, 403}
GONE = {230002, 230011, 230050, 230053, 230110, 231003, 232009}
CHANGE = {230019, 230071, 230025, 230099, 200860, 300305, 200220, 200861, 200550, 200570, 200621, 200914, 200915}
QUOTA = 99991403
TOO_LATE = 230031
STREAM_CLOSED = {300309, 200850, 200510}
SEQUENCE = 300317
CARD_LOST = {200740, 200750, 300311}
TOO_LONG = 230025
CENSORED = {230022, 230028}  # what it says is refused
PASSING_CARD = ("cardid is invalid", "card action is lock")  # right after it was made; while somebody presses a button


class Refusal(Exception):
    """A call that failed. `code`: the platform's, or None where there was no answer of its own; `wait`: seconds until
    the platform takes calls again, where it said so."""

    def __init__(self, sort: Sort, code: int | None, msg: str, log_id: str = "", wait: float = 0.0) -> None:
        told = (f"code {code}" if code is not None else "", f"log_id {log_id}" if log_id else "")
        self.marks = " · ".join(filter(None, told))
        super().__init__(f"{msg} ({self.marks})" if self.marks else msg)
        self.sort, self.code, self.msg, self.log_id, self.wait = sort, code, msg, log_id, wait

    @property
    def inner(self) -> int | None:
        """The card service's own code inside a refused card."""
        found = re.search(r"ErrCode:\s*(\d+)", self.msg)
        return int(found.group(1)) if found else None


def sort_of(code: int | None, status: int, msg: str = "") -> Sort:
    """`code` None: the answer was none of the platform's but a gateway's or a proxy's, or there was none."""
    if code is None:
        return "passing"
    if code in (230099, 11310) and any(words in msg for words in PASSING_CARD):
        return "passing"
    by_code: tuple[tuple[set[int], Sort], ...] = (
        (PASSING, "passing"),
        (TOKEN, "token"),
        (SETUP, "setup"),
        (GONE, "gone"),
        (CHANGE, "change"),
    )
    for codes, sort in by_code:
        if code in codes:
            return sort
    return "passing" if status == 429 or status >= 500 else "never"
