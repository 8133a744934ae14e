"""A recorded run as a case of an evaluation: its question, time and folder, with the route and the facts that were
right. What was right a person may say; what isn't said is the run's own."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_ops.trace.story import Story
from memory import RunInfo
from orchestrator.contracts import Json


@dataclass(frozen=True, slots=True)
class Right:
    """What a person says the right answer has: `route` and `facts`; None: what the run had."""

    route: Sequence[str] | None = None
    facts: Sequence[str] | None = None


def case(info: RunInfo, story: Story, right: Right) -> dict[str, Json]:
    """In the form of docs/EVALS.md. The time is the run's own "now", so that words like "yesterday" mean the same."""
    asked, window = info.question, info.window
    found: dict[str, Json] = {"id": info.id, "question": asked.text, "now": story.run["now"] or asked.at.isoformat()}
    found |= {"zone": window["zone"] if window else asked.zone}
    found |= {"folder": info.folder} if info.folder else {}
    found["route"] = list(right.route) if right.route is not None else list(story.run["agents"])
    if right.facts is not None:
        found["facts"] = list(right.facts)
    if window:
        found["window"] = {"start": window["start"], "end": window["end"]}
    found["status"] = [story.run["answer"] or "ok"]
    figures = list(_figures(story))
    return {**found, "verified": True} | ({"figures": figures} if figures and right.route is None else {})


def _figures(story: Story) -> Iterator[Json]:
    """Counted figures of what the answer cites, each once."""
    answer, seen = str(story.run["text"] or ""), set()
    for beat in story.steps:
        if not beat.evidence or beat.evidence not in answer:
            continue
        for figure in beat.detail["figures"] or ():
            key = (figure["name"], json.dumps(figure.get("labels") or {}, sort_keys=True))
            if key not in seen and not figure.get("approx"):
                seen.add(key)
                yield {"name": figure["name"], "value": figure["value"], "labels": dict(figure.get("labels") or {})}


def toml(rows: dict[str, Json]) -> str:
    """A `case.toml`: JSON's strings, numbers and lists are TOML's too; tables are written inline."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in rows.items())


def _value(value: Json) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return json.dumps(value)


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
