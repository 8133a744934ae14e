"""What a run recorded, as a replay asks for it: an event by its place, a tool's result by who asked for what in which
window, a model's reply by its step, and how a loop ended that has no further step.

It knows neither models nor sources, and asks nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from orchestrator import when
from orchestrator.contracts import Event, Json, Message, Window, from_json
from orchestrator.guard import masked

SUPERVISOR = "supervisor"
LOOPS = ("again", "offline")  # paths in which the supervisor itself goes on
TIMES = ("ms", "seconds", "run_id")  # what no second run has the same

Place = tuple[str, str]  # (path, step)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One step as it was recorded. `order`: of arrival; `value`: what the step gave back."""

    event: Event
    order: int
    value: Json


class Tape:
    """`events`: of one run, in order of arrival, with their texts; `mask`: the guard's, for arguments."""

    def __init__(self, events: Sequence[Event], mask: Callable[[str], str]) -> None:
        self.run = events[0].run if events else ""
        self.events = tuple(e for e in events if e.path.partition("/")[0] == SUPERVISOR)
        self._mask = mask
        self.at = {(e.path, e.n): e for e in self.events}
        self.paths = {e.path for e in self.events}
        self.steps: dict[Place, Recorded] = {}
        for order, event in enumerate(self.events):
            if "step" in event.body:
                self.steps[event.path, str(event.body["step"])] = Recorded(event, order, _value(event))

    @cached_property
    def known(self) -> Json:
        """The value of the step "context"; None where the run didn't get there."""
        found = self.steps.get((SUPERVISOR, "context"))
        return found.value if found else None

    @cached_property
    def answer(self) -> Json:
        """The whole answer as JSON, None where the run came to none."""
        found = next((e for e in self.events if e.kind == "answer"), None)
        return json.loads(found.blobs[0].text or "null") if found and found.blobs else None

    @cached_property
    def whole(self) -> bool:
        """It came to an end of its own."""
        told = self.steps.get((SUPERVISOR, "recall"))
        return self.answer is not None or bool(told and told.value and told.value.get("only"))

    def hashes(self) -> dict[str, str]:
        """Agent → the hash of its prompt and tools."""
        return {str(e.body["agent"]): str(e.body["prompt"]) for e in self.events if e.kind == "agent"}

    # ── tools ─────────────────────────────────────────────────────────────────────────────────

    def tool(self, path: str, step: str, window: str, args: Json) -> Recorded | None:
        """The result that the same sub-agent got for the same call in the same window; first that of this place."""
        same = self._tools.get(self._call(agent_of(path), window, step.partition(" ")[2].partition(" ")[2], args), ())
        here = (r for r in same if (r.event.path, r.event.body.get("step")) == (path, step))
        return next(here, next(iter(same), None))

    @cached_property
    def _tools(self) -> dict[Json, list[Recorded]]:
        found: dict[Json, list[Recorded]] = {}
        for recorded in self.steps.values():
            value, event = recorded.value, recorded.event
            if event.kind == "tool" and value:
                note = value.get("note") or {}
                call = self._call(agent_of(event.path), self.window(event.path), note.get("tool"), note.get("args"))
                found.setdefault(call, []).append(recorded)
        return found

    def _call(self, agent: str, window: str, tool: Any, args: Json) -> tuple[str, str, str, str]:
        """Arguments count as they are masked: a second masking changes nothing."""
        told = json.dumps(masked(args, self._mask), sort_keys=True, ensure_ascii=False)
        return agent, self.narrowed(window), str(tool), told

    def window(self, path: str) -> str:
        """In which words the window of a recorded loop was named, "" for the run's."""
        above, _, name = path.rpartition("/")
        opened = self.steps.get((above, name))
        args = ((opened.value or {}).get("note") or {}).get("args") if opened else None
        if isinstance(args, dict) and "window" in args:
            return str(args["window"] or "")
        for row in self._rows(above, name):
            return str(row.get("window") or "")
        return ""

    def _rows(self, above: str, name: str) -> list[Json]:
        """What a loop was asked, where its step doesn't hold it: the part of a plan, or the model's call."""
        numbers = name.split(".")
        plan = next((e for e in self.events if e.path == above and e.kind == "plan"), None)
        if plan and numbers[0].isdecimal():
            return list(plan.body.get("parts") or ())[int(numbers[0]) - 1 : int(numbers[0])]
        if len(numbers) < 3 or not (numbers[0].isdecimal() and numbers[1].isdecimal()):
            return []
        said = self.reply(above, f"model {numbers[0]}") or self.reply(above, f"model {numbers[0]} shorter")
        calls = (said or {}).get("calls") or []
        return [c.get("args") or {} for c in calls[int(numbers[1]) : int(numbers[1]) + 1]]

    def narrowed(self, said: str) -> str:
        """The window that these words mean in this run: one window has many names."""
        if not said.strip() or not self.known or not self.known.get("window"):
            return ""
        whole = from_json(Window, self.known["window"])
        try:
            found = when.narrow(said, whole, datetime.fromisoformat(self.known["now"]), whole.zone)
        except ValueError:
            return said.strip()
        return "" if (found.start, found.end) == (whole.start, whole.end) else f"{found.start} {found.end}"

    # ── models ────────────────────────────────────────────────────────────────────────────────

    def reply(self, path: str, step: str) -> Json:
        """What the model said in a step, as JSON; None where nothing is recorded."""
        found = self.steps.get((path, step))
        return (found.value or {}).get("reply") if found else None

    def sent(self, path: str, step: str) -> list[Message] | None:
        """All messages that had been put before the model in this loop by then, the system prompt first; None where
        they aren't known."""
        own = [e for e in self.events if e.path == path and e.kind in ("agent", "model", "compacted")]
        prompt = next((e.blobs[0].text for e in own if e.kind == "agent" and e.blobs), None)
        whole: list[Message] = [{"role": "system", "content": prompt}] if prompt else []
        for event in own:
            if event.kind == "compacted":
                return None
            value = _value(event) if event.kind == "model" else None
            whole += (value or {}).get("sent") or []
            if event.body.get("step") == step:
                return whole
        return None

    def remembered(self, reply: Json) -> Message | None:
        """How the history held this reply: with its reasoning or without, as the server wanted it."""
        return self._memory.get(json.dumps(reply, sort_keys=True))

    @cached_property
    def _memory(self) -> dict[str, Message]:
        found: dict[str, Message] = {}
        for path in {path for path, _ in self.steps}:
            said = [r.value for (p, _), r in self.steps.items() if p == path and r.value and "sent" in r.value]
            after: list[list[Message]] = [v["sent"] for v in said[1:]]
            again = self.steps.get((f"{path}/again", "model 1"))
            after += [again.value["sent"][-2:]] if again and again.value else []
            for value, messages in zip(said, after, strict=False):
                echo = next((m for m in messages if m.get("role") == "assistant"), None)
                found |= {json.dumps(value["reply"], sort_keys=True): echo} if echo else {}
        return found

    # ── how a loop ended ──────────────────────────────────────────────────────────────────────

    def ending(self, path: str) -> tuple[str, str]:
        """Why a loop asked its model no more: (reason, words). "model": it couldn't be used; "deadline", "cancelled";
        "": the recording ends here."""
        if path.rpartition("/")[2] == "again" and self.answer is not None:
            return "model", "the model could not be used"
        fell = next((e for e in self.events if e.kind == "fallback"), None)
        if path == SUPERVISOR:
            return ("model", str(fell.body.get("why", ""))) if fell else ("deadline" if self.answer else "", "")
        above, _, name = path.rpartition("/")
        opened = self.steps.get((above, name))
        for row in ((opened.value or {}).get("result") or {}).get("data") or () if opened else ():
            findings: Mapping[str, Json] = row.get("findings") or {}
            return str(findings.get("stopped") or ""), str(findings.get("summary") or "")
        return "", ""

    def hurried(self, place: Place) -> bool:
        """This step was the last of its loop because time ran out."""
        found = self.steps.get(place)
        final = bool(found and found.event.body.get("final"))
        return final and self.ending(place[0])[0] == "deadline" and place[0] != SUPERVISOR


def agent_of(path: str) -> str:
    """Whose loop it is, by its path."""
    name = path.rpartition("/")[2]
    return SUPERVISOR if name in (SUPERVISOR, *LOOPS) else name.rpartition(".")[2]


def _value(event: Event) -> Json:
    text = event.blobs[0].text if event.blobs else None
    return json.loads(text) if text else None


def same(one: Event, other: Event) -> bool:
    """The same fact at the same place, whatever time it took and whichever run it belongs to."""
    return bool(_essence(one) == _essence(other))


def _essence(event: Event) -> Json:
    known = event.blobs[:1] if event.kind == "agent" else event.blobs  # its tools are in the prompt's hash too
    texts = [_told(ref.text) for ref in known]
    return event.path, event.n, event.kind, _bare(event.body), [_untimed(t) for t in texts]


def _told(text: str | None) -> Json:
    try:
        return json.loads(text) if text and text[0] in "{[" else text
    except (ValueError, RecursionError):
        return text


def _untimed(value: Json) -> Json:
    """A step's value, or the answer, without times: those stand in its note and in the rows of the route."""
    if not isinstance(value, dict):
        return value
    found = _bare(value)
    for key in ("note", "result"):
        found = {**found, key: _bare(found[key])} if isinstance(found.get(key), dict) else found
    if isinstance(found.get("route"), list):
        found["route"] = [_bare(row) for row in found["route"]]
    result = found.get("result")
    if isinstance(result, dict) and isinstance(result.get("data"), list):
        rows = [_asked(row) for row in result["data"]]
        found["result"] = {**result, "data": rows}
    return found


def _asked(row: Json) -> Json:
    return {**row, "asked": _bare(row["asked"])} if isinstance(row, dict) and "asked" in row else row


def _bare(row: Json) -> Json:
    return {k: v for k, v in row.items() if k not in TIMES} if isinstance(row, dict) else row
