"""The runtime of a run: asyncio in one process at a time, every step journaled as an event under (run, path, n).

`n` counts the events of one path, so what is recorded under a key is found again by a run that takes the same course:
a finished step then gives its stored result and isn't run a second time. That holds only while one task at a time
draws numbers on a path, so each path belongs to the task that runs it, and any other is refused.
It deliberately knows neither where events are stored nor what the steps do.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from orchestrator.contracts import BlobRef, Event, Json, dumps
from orchestrator.errors import StoreError
from orchestrator.ports import Call, Sink

BODY_BYTES = 4096
NAME = 200  # characters of a step's name that are kept: a model may have made up a part of it
_encode = json.JSONEncoder(ensure_ascii=False).encode  # strict, unlike pydantic's: a date isn't JSON

Recorded = Mapping[str, Mapping[int, Event]]
Work = Callable[..., Awaitable[Json]]


class ResumeError(StoreError):
    """What is recorded doesn't fit what the code does now."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class LocalRuntime:
    """One path of one run (`orchestrator.ports.Runtime`).

    `recorded`: what the run left behind when it was killed, path → n → event with its texts (`EventStore.load`);
    empty for a new run. `clock`: aware times for the events.
    Raises ResumeError where a recorded event is not the one this code would write, and RuntimeError where a path is
    used by a task that isn't its own, from inside one of its own steps, with a name used before, or after its end.
    """

    def __init__(
        self, run: str, path: str, sink: Sink, recorded: Recorded | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self.run = run
        self.path = path
        self._sink = sink
        self._recorded: Recorded = recorded or {}
        self._mine: Mapping[int, Event] = self._recorded.get(path, {})
        self._clock = clock
        self._n = 0
        self._names: set[str] = set()
        self._task: asyncio.Task[Any] | None = None
        self._inside = ""  # what the owner is in the middle of

    def emit(self, kind: str, body: dict[str, Json], *texts: str) -> None:
        with self._turn(f"emit({kind!r})"):
            n = self._next()
            known = self._mine.get(n)
            if known and known.kind != kind:
                raise self._changed(n, known, f"the event {kind!r}")
            self._sink.emit(known or self._event(n, kind, body, texts))

    def seek(self, kind: str) -> Event | None:
        """The recorded event of this kind that lies ahead on this path, or None. The run then goes on at it: what
        stands before it isn't gone through again."""
        ahead = sorted(n for n, e in self._mine.items() if n >= self._n and e.kind == kind)
        if not ahead:
            return None
        self._n = ahead[0]
        return self._mine[ahead[0]]

    def tick(self, text: str) -> None:
        self._sink.tick(self.path, text)

    async def commit(self) -> None:
        await self._sink.commit()

    async def step(self, name: str, fn: Work, *args: Json) -> Json:
        with self._turn(f"step({name!r})"):
            self._claim(name)
            return await self._do(self._next(), Call(name, fn, args))

    async def steps(self, calls: Sequence[Call], limit: int = 3) -> list[Json]:
        with self._turn(f"steps({', '.join(c.name for c in calls)})"):
            for call in calls:
                self._claim(call.name, call.branch)
            gate = asyncio.Semaphore(limit)

            async def gated(n: int, call: Call) -> Json:
                async with gate:
                    return await self._do(n, call)

            tasks = [asyncio.create_task(gated(self._next(), call), name=call.name) for call in calls]
            try:
                return await asyncio.gather(*tasks)
            finally:
                left = [task for task in tasks if task.cancel()]  # of finished ones cancel() is False
                if left:
                    await asyncio.wait(left)

    async def branch(self, name: str, fn: Work, *args: Json) -> Json:
        self._claim(name, branch=True)
        return await self._enter(name, fn, args)

    async def _enter(self, name: str, fn: Work, args: tuple[Json, ...]) -> Json:
        """The branch's path belongs to the task that enters it: the caller's, or the one `steps` made for the call."""
        child = LocalRuntime(self.run, f"{self.path}/{name}", self._sink, self._recorded, self._clock)
        child._task = asyncio.current_task()
        try:
            return await fn(child, *args)
        finally:
            child._inside = "its end"

    async def _do(self, n: int, call: Call) -> Json:
        known = self._mine.get(n)
        if known:
            return self._replay(n, known, call)
        begun = time.perf_counter()
        result = await (self._enter(call.name, call.fn, call.args) if call.branch else call.fn(*call.args))
        note = {"ms": round((time.perf_counter() - begun) * 1000)}
        note |= (result.get("note") or {}) if isinstance(result, dict) else {}
        try:
            text = _encode(result)
        except (TypeError, ValueError) as e:
            raise TypeError(f"step {call.name!r} on {self.path!r} must return JSON data: {e}") from e
        self._sink.emit(self._event(n, _kind(call), {**note, "step": call.name[:NAME]}, (text,)))
        if _kind(call) == "model":  # safe before it is used: no answered model call is made twice
            await self._sink.commit()
        return result

    def _replay(self, n: int, known: Event, call: Call) -> Json:
        if known.body.get("step") != call.name[:NAME] or known.kind != _kind(call):
            raise self._changed(n, known, f"the step {call.name!r}")
        text = known.blobs[0].text if known.blobs else None
        if text is None:
            raise ResumeError(
                f"Run {self.run} can't be resumed: the stored result of {call.name!r} on {self.path!r} is gone. "
                "Ask the question afresh (--new)."
            )
        self._sink.emit(known)
        return json.loads(text)

    def _changed(self, n: int, known: Event, now: str) -> ResumeError:
        return ResumeError(
            f"Run {self.run} can't be resumed: the code changed since it was recorded. At {self.path!r}, event {n} "
            f"was {known.body.get('step', known.kind)!r} and is now {now}. Ask the question afresh (--new)."
        )

    def _event(self, n: int, kind: str, body: dict[str, Json], texts: Sequence[str]) -> Event:
        blobs = tuple(BlobRef.of(text) for text in texts)
        return Event(self.run, self.path, n, kind, self._clock(), _fitted(body), blobs)

    def _next(self) -> int:
        self._n += 1
        return self._n - 1

    def _claim(self, name: str, branch: bool = False) -> None:
        if name in self._names:
            raise RuntimeError(f"{name!r} was used before on path {self.path!r}: a name stands once in its path.")
        if branch and (not name or "/" in name):
            raise RuntimeError(f"{name!r} on path {self.path!r} can't name a branch: it is empty or has a slash in it.")
        self._names.add(name)

    @contextmanager
    def _turn(self, what: str) -> Iterator[None]:
        """Held while the path's own task draws numbers; whoever else tries is refused before it draws one."""
        task = asyncio.current_task()
        if self._task is None or (self._task.done() and not self._inside):
            self._task = task
        if task is not self._task:
            raise RuntimeError(
                f"{what} on path {self.path!r} came from task {task and task.get_name()!r}, which isn't the path's "
                "own. Work that runs side by side goes through steps() or a branch()."
            )
        if self._inside:
            raise RuntimeError(f"{what} on path {self.path!r} came inside or after {self._inside}.")
        self._inside = what
        try:
            yield
        finally:
            self._inside = ""


def _kind(call: Call) -> str:
    return "branch" if call.branch else call.name.split(" ", 1)[0][:NAME]


def _fitted(body: dict[str, Json]) -> dict[str, Json]:
    """The body within 4 KB: its texts are cut harder and harder, at last only the step is left; "cut" tells."""
    fixed: dict[str, Json] = {key: body[key] for key in ("step", "ms") if key in body}
    for limit in (None, 400, 80, 20):
        fit = body if limit is None else {**_shortened(body, limit), **fixed, "cut": True}
        if len(dumps(fit).encode("utf-8", "surrogatepass")) <= BODY_BYTES:
            return fit
    return {**fixed, "cut": True}


def _shortened(value: Json, limit: int) -> Json:
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + "…"
    if isinstance(value, dict):
        return {k: _shortened(v, limit) for k, v in value.items()}
    return [_shortened(v, limit) for v in value] if isinstance(value, list) else value
