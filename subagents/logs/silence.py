"""No errors, or no logs at all: which of the asked services wrote nothing in a window, and what can be said of it.

"No errors" is only said of services whose lines were searched. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.contracts import Window
from subagents.saying import listed
from subagents.sources import Coverage


@dataclass(frozen=True, slots=True)
class Silence:
    """`searched`: lines of any level by service; `silent`: services that wrote none in the window though sources know
    them; `strange`: services that no source knows; `outside`: the window lies wholly outside of the data."""

    searched: Mapping[str, int]
    silent: tuple[str, ...]
    strange: tuple[str, ...]
    outside: bool

    @property
    def total(self) -> int:
        return sum(self.searched.values())

    @property
    def heard(self) -> tuple[str, ...]:
        return tuple(s for s, n in self.searched.items() if n)

    def said(self, zh: bool) -> str:
        """What can't be told, as a sentence without its end; "" where every asked service wrote something."""
        parts = []
        if self.silent:
            who = listed(self.silent, zh)
            why = self._why(zh)
            parts.append(
                f"{who} 没有任何日志{why}，无法判断有没有错误"
                if zh
                else f"{who} wrote no log lines at all{why}, so nothing can be said of errors"
            )
        if self.strange:
            who = listed(self.strange, zh)
            parts.append(f"没有任何数据源有 {who} 的日志" if zh else f"no source has logs of {who}")
        if not self.total and not self.silent and not self.strange:
            why = self._why(zh)
            parts.append(f"没有任何日志{why}" if zh else f"there are no log lines of any service{why}")
        return ("；" if zh else "; ").join(parts)

    def _why(self, zh: bool) -> str:
        if not self.outside:
            return ""
        return "（该时段在数据范围之外）" if zh else " (the window lies outside of what the logs cover)"


def of(asked: tuple[str, ...], searched: Mapping[str, int], span: Window, cover: Coverage) -> Silence:
    quiet = [s for s in asked if not searched.get(s)]
    known = tuple(s for s in quiet if s in cover.services)
    outside = (cover.until is not None and span.start > cover.until) or (
        cover.since is not None and span.end <= cover.since
    )
    return Silence(searched, known, tuple(s for s in quiet if s not in known), outside)
