"""A tool: a typed function that an agent's model may call. Schema, checks, running and the shape of its result.

Errors the model can mend become text for it; nothing a tool raises ends a sub-agent but `Fatal`.
Doesn't know agents, the loop or any domain. How a function is run so that it can be ended is in `work.py`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from orchestrator.contracts import Json, ToolResult, dumps, to_json
from orchestrator.errors import Fatal, HermesError, Stopped, StoreError
from orchestrator.guard import masked
from orchestrator.ports import Context
from orchestrator.schema import BadArguments, arguments_of, fit, schema_of, split_doc
from orchestrator.work import Late, Work, run


@dataclass(frozen=True, slots=True)
class Marks:
    """What `@tool` says of a function. `cap`: characters of text for the model; `timeout`: seconds, None: its own."""

    permission: str = ""
    timeout: float | None = 10.0
    cap: int = 8_000
    work: Work = "io"


def tool(
    permission: str = "", timeout: float | None = 10.0, cap: int = 8_000, work: Work = "io"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a typed function or method as a tool. Its docstring says when to use it and when not, and each argument.

    `work` counts for plain functions only: "io" waits in a thread, "cpu" runs in a process that can be killed.
    A first parameter named `ctx` gets the run's Context and isn't shown to the model.
    """

    def mark(fn: Callable[..., Any]) -> Callable[..., Any]:
        fn.__tool__ = Marks(permission, timeout, cap, work)  # type: ignore[attr-defined]
        return fn

    return mark


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """`branch`: runs in paths of its own; `targets(args)`: the sub-agents a call asks; `many`: by a plan."""

    name: str
    description: str
    arguments: type[BaseModel]
    schema: Json
    fn: Callable[..., Any]
    marks: Marks
    wants_context: bool
    branch: bool = False
    many: bool = False
    targets: Callable[[dict[str, Json]], Sequence[str]] = lambda args: ()

    @classmethod
    def of(cls, fn: Callable[..., Any], **overrides: Any) -> Tool:
        """The tool that a marked (or plain) function is. `overrides`: name, description, branch, many, targets."""
        text, _ = split_doc(fn)
        marks: Marks = getattr(fn, "__tool__", Marks())
        if inspect.iscoroutinefunction(fn):
            marks = replace(marks, work="async")
        wants = "ctx" in inspect.signature(fn).parameters
        arguments = arguments_of(fn, frozenset({"ctx"}))
        name = overrides.pop("name", fn.__name__)
        about = overrides.pop("description", text)
        if not about:
            raise TypeError(f"tool {name!r} needs a docstring that says when to use it")
        function = {"name": name, "description": about, "parameters": schema_of(arguments)}
        return cls(name, about, arguments, {"type": "function", "function": function}, fn, marks, wants, **overrides)

    async def invoke(self, ctx: Context, args: dict[str, Json]) -> Json:
        """The step function of one call: `{"note": …, "result": ToolResult as JSON}`. Raises Fatal only."""
        began = time.monotonic()
        result = await self._result(ctx, args)
        if not self.branch:  # a sub-agent's tools have done it already
            result = _safe(result, ctx, self.marks.cap)
        note = {"tool": self.name, "args": masked(args, ctx.guard.mask)}
        note |= {"status": result.status, "seconds": round(time.monotonic() - began, 4)}
        note |= {"query": result.query, "shown": result.shown, "total": result.total}
        return {"note": note, "result": to_json(result)}

    async def _result(self, ctx: Context, args: dict[str, Json]) -> ToolResult:
        denied = ctx.guard.allow(ctx.principal, self.marks.permission, self.name) if self.marks.permission else None
        if denied is not None:
            return ToolResult("denied", f"not allowed: {denied.reason}")
        try:
            values = fit(self.name, self.arguments, args) | ({"ctx": ctx} if self.wants_context else {})
            work = run(self.fn, values, self.marks.work, self.marks.timeout, ctx.threads)
            return _as_result(await (work if self.branch else ctx.stop.race(work)))
        except (Fatal, StoreError):  # a store that fails is no tool's trouble
            raise
        except Stopped as e:
            return ToolResult("error", f"{self.name} was ended before it answered: {e.reason}")
        except Late:
            limit = f"within {self.marks.timeout:g} s " if self.marks.timeout else ""
            return ToolResult("error", f"{self.name} gave no answer {limit}and was ended")
        except (HermesError, ValueError) as e:
            ours = self.branch or isinstance(e, BadArguments)
            return ToolResult("error", str(e) or type(e).__name__, source="" if ours else self.name)
        except Exception as e:  # a fault in the tool is the tool's failure, not the question's
            return ToolResult("error", f"{self.name} failed: {type(e).__name__}: {e}", source=self.name)


def _as_result(value: Any) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if value is None or value == [] or value == {}:
        return ToolResult("no_data", "nothing found")
    return ToolResult("ok", value if isinstance(value, str) else dumps(value), data=value)


def _safe(result: ToolResult, ctx: Context, cap: int) -> ToolResult:
    """Masked, and cut to what the model may see; nothing unmasked goes on from here."""
    mask = ctx.guard.mask
    text = mask(result.text)
    if len(text) > cap:
        text = f"{text[:cap]}\n… cut here: {len(text) - cap:,} more characters; ask for less at a time"
    figures = tuple(replace(f, name=mask(f.name), labels=masked(dict(f.labels), mask)) for f in result.figures)
    gaps, data = tuple(map(mask, result.gaps)), masked(result.data, mask)
    query, source, link = mask(result.query), mask(result.source), mask(result.link)
    return replace(result, text=text, data=data, figures=figures, gaps=gaps, query=query, source=source, link=link)
