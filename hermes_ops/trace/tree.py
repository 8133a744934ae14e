"""From a run's flat events to a tree of steps: a sub-agent's loop stands under the step that asked it.

Steps are numbered in the order they are shown, from 1; of a finished run the numbers never change. What a step says is
in `facts.py`, how it looks in `show.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.contracts import Event, Json

ROOT = "supervisor"


@dataclass(frozen=True, slots=True)
class Step:
    """One event at its place. `event` None: a loop that began and didn't end, so far or for good; `inside`: the path of
    the loop it holds; `evidence`: the id by which an answer cites this tool's result."""

    number: int
    event: Event | None
    path: str
    inside: str = ""
    evidence: str = ""
    steps: tuple[Step, ...] = ()

    @property
    def kind(self) -> str:
        return self.event.kind if self.event else "branch"

    @property
    def body(self) -> Mapping[str, Any]:
        return self.event.body if self.event else {}

    @property
    def name(self) -> str:
        """A loop's: "1.0.logs"."""
        return self.inside.rpartition("/")[2]

    def text(self, n: int = 0) -> str | None:
        """Its n-th text; None where it has none, or where it was removed."""
        return self.event.blobs[n].text if self.event and len(self.event.blobs) > n else None

    def result(self) -> Json:
        """What the step gave back, as JSON; None where the text is gone."""
        text = self.text()
        return None if text is None else json.loads(text)

    def walk(self) -> Iterator[Step]:
        yield self
        for step in self.steps:
            yield from step.walk()


def who(path: str) -> str:
    """ "supervisor/1.0.logs" → "logs"."""
    return path.rpartition("/")[2].rpartition(".")[2]


def build(events: Sequence[Event]) -> tuple[Step, ...]:
    """The steps of the supervisor, with all others below them. `events`: in the order they arrived."""
    paths: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda e: e.n):
        paths.setdefault(event.path, []).append(event)
    arrived = {(e.path, e.n): place for place, e in enumerate(events)}
    return _numbered(_loop(paths, ROOT, arrived), 1)[0]


def walk(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield from step.walk()


def find(steps: Sequence[Step], number: int) -> Step | None:
    return next((step for step in walk(steps) if step.number == number), None)


Paths = Mapping[str, list[Event]]
Arrived = Mapping[tuple[str, int], int]


def _loop(paths: Paths, path: str, arrived: Arrived) -> list[Step]:
    steps = []
    for event in paths.get(path, ()):
        inside = f"{path}/{event.body.get('step', '')}" if event.kind == "branch" else ""
        steps.append(Step(0, event, path, inside, steps=tuple(_loop(paths, inside, arrived)) if inside else ()))
    ended = {step.inside for step in steps}
    begun = {f"{path}/{p.removeprefix(path + '/').partition('/')[0]}" for p in paths if p.startswith(f"{path}/")}
    for inside in sorted(begun - ended, key=lambda p: _first(paths, p, arrived)):
        loop = Step(0, None, path, inside, steps=tuple(_loop(paths, inside, arrived)))
        steps.insert(_place(steps, _first(paths, inside, arrived), arrived), loop)
    return [_cited(step) for step in steps]


def _first(paths: Paths, path: str, arrived: Arrived) -> int:
    """When the first event of a loop, or of one inside it, arrived."""
    own = (arrived[e.path, e.n] for p, of in paths.items() if p == path or p.startswith(f"{path}/") for e in of)
    return min(own)


def _place(steps: Sequence[Step], first: int, arrived: Arrived) -> int:
    """Where a loop without an event of its own belongs: before what arrived after it began."""
    later = (i for i, s in enumerate(steps) if s.event and arrived[s.event.path, s.event.n] > first)
    return next(later, len(steps))


def _cited(step: Step) -> Step:
    """The tools below a sub-agent's step with their evidence ids, which are given in call order to all of them."""
    first = _first_id(step)
    if not first:
        return step
    letter = first.rstrip("0123456789")
    base = (int(first.removeprefix(letter)) - 1) // 100 * 100
    tools = [s for s in step.steps if s.kind == "tool"]
    ids = {id(s): f"{letter}{base + n}" for n, s in enumerate(tools, 1)}
    return replace(step, steps=tuple(replace(s, evidence=ids.get(id(s), "")) for s in step.steps))


def _first_id(step: Step) -> str:
    if not step.steps or not any(s.kind == "tool" for s in step.steps):
        return ""
    result = (step.result() or {}).get("result") or {}
    for row in result.get("data") or ():
        for evidence in (row.get("findings") or {}).get("evidence") or () if isinstance(row, dict) else ():
            return str(evidence["id"])
    return ""


def _numbered(steps: Sequence[Step], first: int) -> tuple[tuple[Step, ...], int]:
    done = []
    for step in steps:
        below, after = _numbered(step.steps, first + 1)
        done.append(replace(step, number=first, steps=below))
        first = after
    return tuple(done), first
