"""Why a card is refused, before it is known through which interface it came."""

from __future__ import annotations


class CardFault(Exception):
    """`code`, `text`, `value` are the card service's (inside 230099); `kit` is CardKit's own code, if it has one."""

    def __init__(self, code: int, text: str, value: str = "", kit: int = 0) -> None:
        super().__init__(f"{code} {text} {value}".strip())
        self.code, self.text, self.value, self.kit = code, text, value, kit or code
