"""Two runs side by side: what code worked out, the routes, every step, the answers, and where they first part.

A pure function of two stories. Steps are paired in their order by whose they are and what they do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from hermes_ops.trace.graph import plain, took
from hermes_ops.trace.story import Beat, Story
from orchestrator.contracts import Json

QUIET = ("recall", "tell", "answer")  # steps whose difference is none of the decision's
LONG = 4_000  # characters of a differing value


@dataclass(frozen=True, slots=True)
class Row:
    """One pair. `left`, `right`: in a few words, "" where there is none; `a`, `b`: numbers of steps, 0: none;
    `why`: what differs, () where nothing does."""

    what: str
    left: str
    right: str
    why: tuple[str, ...] = ()
    a: int = 0
    b: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """`first`: the place in `steps` where the runs part, None where they don't; `took`: times and costs, which are
    never the same and no divergence."""

    left: str
    right: str
    head: list[Row]
    steps: list[Row]
    took: list[Row]
    first: int | None

    @property
    def same(self) -> bool:
        return self.first is None and not any(row.why for row in self.head)


def compare(a: Story, b: Story) -> Comparison:
    steps = list(_steps(a, b))
    first = next((n for n, row in enumerate(steps) if row.why and row.what not in QUIET), None)
    head = [_row(name, get(a), get(b)) for name, get in _HEAD.items()]
    spent = [Row(name, get(a), get(b)) for name, get in _TOOK.items()]
    return Comparison(a.run["run"], b.run["run"], head, steps, spent, first)


def _row(name: str, left: str, right: str) -> Row:
    return Row(name, left, right, () if left == right else (name,))


def _said(value: Json) -> str:
    return str(value["text"]) if isinstance(value, dict) else "–"


_HEAD: Mapping[str, Callable[[Story], str]] = {
    "question": lambda s: str(s.run["question"]),
    "window": lambda s: _said(s.run["window"]),
    "scope": lambda s: _said(s.run["scope"]),
    "model": lambda s: str(s.run["model"] or "–"),
    "prompt": lambda s: s.lanes[0].hash if s.lanes else "–",
    "asked": lambda s: ", ".join(s.run["agents"]) or "nobody",
    "status": lambda s: str(s.run["answer"] or s.run["status"]),
    "unverified": lambda s: "; ".join(s.run["unverified"]) or "nothing",
    "figures": lambda s: "; ".join(_figures(s)) or "none",
}
_TOOK: Mapping[str, Callable[[Story], str]] = {
    "model calls": lambda s: f"{s.run['usage']['model_calls']:,}",
    "tokens": lambda s: f"{s.run['usage']['prompt_tokens']:,} + {s.run['usage']['completion_tokens']:,}",
    "cached": lambda s: f"{s.run['usage']['cached_tokens']:,}",
    "cost": lambda s: "–" if s.run["usage"]["cost"] is None else f"{s.run['usage']['cost']:.4f}",
    "time": lambda s: took(s.run["seconds"] * 1000),
}


def _figures(story: Story) -> Iterator[str]:
    """Those of the evidence that the answer cites, by what they are, with their values."""
    answer = str(story.run["text"] or "")
    for beat in story.steps:
        if beat.evidence and beat.evidence in answer:
            for figure in beat.detail["figures"] or ():
                labels = ",".join(f"{k}={v}" for k, v in (figure.get("labels") or {}).items())
                yield f"{figure['name']}{{{labels}}}={figure['value']}{figure.get('unit', '')}".replace("{}", "")


# ── steps ─────────────────────────────────────────────────────────────────────────────────────


def _steps(a: Story, b: Story) -> Iterator[Row]:
    """Steps that say the same are pairs; between those, steps of one agent and kind are; the rest stand alone."""
    left, right = [_sign(a, beat) for beat in a.steps], [_sign(b, beat) for beat in b.steps]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (
                _pair(a, one, b, other, True) for one, other in zip(a.steps[i1:i2], b.steps[j1:j2], strict=True)
            )
        else:
            yield from _parted(a, a.steps[i1:i2], b, b.steps[j1:j2])


def _parted(a: Story, left: Sequence[Beat], b: Story, right: Sequence[Beat]) -> Iterator[Row]:
    kinds = [_sign(a, beat)[:2] for beat in left], [_sign(b, beat)[:2] for beat in right]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *kinds, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (_pair(a, one, b, other, False) for one, other in zip(left[i1:i2], right[j1:j2], strict=True))
            continue
        yield from (_pair(a, one, b, None, False) for one in left[i1:i2])
        yield from (_pair(a, None, b, other, False) for other in right[j1:j2])


def _sign(story: Story, beat: Beat) -> tuple[str, str, str]:
    return story.lanes[beat.lane].agent, beat.kind, beat.title


def _pair(a: Story, one: Beat | None, b: Story, other: Beat | None, alike: bool) -> Row:
    why: tuple[str, ...] = ()
    if one is None or other is None:
        why = ("only on the right",) if one is None else ("only on the left",)
    elif not alike:
        why = ("another step",)
    else:
        why = tuple(_different(_facts(one), _facts(other)))
    kind = one.kind if one else other.kind if other else ""
    return Row(kind, _words(a, one), _words(b, other), why, one.n if one else 0, other.n if other else 0)


def _words(story: Story, beat: Beat | None) -> str:
    if beat is None:
        return ""
    status = f" · {beat.status}" if beat.status and beat.kind != "model" else ""
    return f"{story.lanes[beat.lane].agent}: {beat.title}{status}"


FACTS: Mapping[str, Sequence[str]] = {
    "model": ("text", "calls"),
    "route": ("chosen",),
    "tool": ("args", "text", "figures"),
    "branch": ("asked", "text"),
    "agent": ("prompt", "brain"),
    "checked": ("text", "unverified"),
    "plan": ("parts",),
    "context": ("body",),
}


def _facts(beat: Beat) -> dict[str, Json]:
    detail = beat.detail or {}
    found = {key: _untimed(detail.get(key)) for key in FACTS.get(beat.kind, ())}
    return {**found, "status": beat.status}


def _untimed(value: Json) -> Json:
    if isinstance(value, list):
        return [_untimed(v) for v in value]
    if isinstance(value, dict):
        return {k: _untimed(v) for k, v in value.items() if k not in ("ms", "id", "raw")}
    return value


def _different(one: Mapping[str, Json], other: Mapping[str, Json]) -> Iterator[str]:
    return (key for key in one if one[key] != other.get(key))


def values(a: Story, b: Story, row: Row) -> list[tuple[str, str, str]]:
    """What differs in a pair of steps: (name, left, right), each cut."""
    one, other = ({s.n: s for s in story.steps}.get(n) for story, n in ((a, row.a), (b, row.b)))
    left, right = _facts(one) if one else {}, _facts(other) if other else {}
    keys = [k for k in {**left, **right} if left.get(k) != right.get(k)]
    return [(key, _shown(left.get(key)), _shown(right.get(key))) for key in keys]


def _shown(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "" if value is None else text[:LONG]


def words(row: Row) -> tuple[str, str]:
    """Both sides in one line each."""
    return plain(row.left, 120), plain(row.right, 120)
