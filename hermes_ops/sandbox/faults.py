"""Faults on demand: what goes wrong with the next calls. Which call a fault meets is told by a part of its path.

`times` is how many calls it meets (None: all until `clear`), `share` which part of them, drawn from a seeded die.
It doesn't know how an answer is sent; the HTTP side asks `before` and `after` and does what they say.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from hermes_ops.sandbox.errors import Refusal

BEFORE, AFTER = "before", "after"
PREFIX = "/open-apis"  # of every path: it may be named or left out
GATEWAY = (
    "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"
)


@dataclass
class Fault:
    """One switch. `do`: page (an HTTP page), refuse (a platform code), slow, reset (the connection is cut)."""

    do: str
    path: str = ""
    method: str = ""
    when: str = BEFORE
    times: int | None = 1
    share: float = 1.0
    status: int = 200
    body: str = ""
    seconds: float = 0.0
    refusal: Refusal | None = None
    met: int = 0


@dataclass
class Faults:
    """The switches that are on. `seed` makes `share` repeatable."""

    seed: int = 1
    active: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._die = random.Random(self.seed)

    def page(
        self, path: str = "", status: int = 502, body: str = GATEWAY, times: int | None = 1, share: float = 1.0
    ) -> Fault:
        """An HTML page of a gateway, or with body "" an empty answer; nothing is stored."""
        return self._add(Fault("page", path, status=status, body=body, times=times, share=share))

    def refuse(
        self,
        path: str,
        code: int,
        msg: str = "staged",
        status: int = 400,
        headers: Mapping[str, str] | None = None,
        times: int | None = 1,
        share: float = 1.0,
        when: str = BEFORE,
    ) -> Fault:
        """A code of the platform; `when=AFTER` stores first, as 200810 or 2200 sometimes do."""
        refusal = Refusal(code, msg, status, headers)
        return self._add(Fault("refuse", path, refusal=refusal, times=times, share=share, when=when))

    def reset(self, path: str = "", times: int | None = 1, share: float = 1.0) -> Fault:
        """The connection is cut before anything is stored."""
        return self._add(Fault("reset", path, times=times, share=share))

    def lose(self, path: str = "", times: int | None = 1, share: float = 1.0) -> Fault:
        """The call is carried out and stored, and the connection is cut instead of an answer."""
        return self._add(Fault("reset", path, when=AFTER, times=times, share=share))

    def slow(self, path: str, seconds: float, times: int | None = 1, share: float = 1.0, when: str = BEFORE) -> Fault:
        """The call, or only its answer (`when=AFTER`), takes so many real seconds longer."""
        return self._add(Fault("slow", path, seconds=seconds, times=times, share=share, when=when))

    def clear(self) -> None:
        self.active.clear()

    def meet(self, when: str, method: str, path: str) -> list[Fault]:
        """The faults that this call meets now; those that are used up are taken away."""
        met = []
        for fault in self.active:
            fits = fault.when == when and fault.path in path and fault.method in ("", method)
            if fits and (fault.share >= 1.0 or self._die.random() < fault.share):
                fault.met += 1
                met.append(fault)
        self.active = [f for f in self.active if f.times is None or f.met < f.times]
        return met

    def _add(self, fault: Fault) -> Fault:
        fault.path = fault.path.removeprefix(PREFIX)
        self.active.append(fault)
        return fault
