"""One JSON line for each decision, made of the events in this one place; docs/TRACE.md names every field.

Names are OpenTelemetry's GenAI ones where there are such (semantic conventions, gen_ai.*); ours begin with hermes_ops.
At level "info" lines hold names, figures, times and hashes, and no text that a person, a model or a source wrote;
"debug" adds questions, tasks, reasons, arguments, queries, errors and answers, cut to `TEXT` characters; whole prompts
and replies are there only with `log.prompts`. Events are masked before they get here. Nothing here decides anything.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from hermes_ops.logfile import LogFile, Tee
from hermes_ops.settings import LogSettings
from orchestrator.cleaning import clean
from orchestrator.contracts import Event, Incoming, Json

TEXT = 500  # characters of one text at level "debug"
NAME = 200  # characters of a name
PROMPTS = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")

_NOT_IN_NAME = re.compile(r"[^\w.:+/-]")

Fields = dict[str, Json]
OnEvent = Callable[[Event], None]
Key = tuple[str, int]


@dataclass
class Decisions:
    """The log of this process. Made by `open_log`."""

    settings: LogSettings
    logger: Any = None

    def listener(self, question: Incoming, session: str, known: Mapping[str, Container[int]]) -> OnEvent:
        """What is to be called with each event of one run. `known`: (path → n) of a resumed run's recorded events,
        which were logged when they happened."""
        if self.logger is None:
            return lambda event: None
        run = _Run(self.logger.bind(**_who(question, session)), self.settings.level == "debug", self.settings.prompts)
        return lambda event: None if event.n in known.get(event.path, ()) else run.log(event)


@contextmanager
def open_log(settings: LogSettings, data_dir: Path) -> Iterator[Decisions]:
    """Opens the file, if one is set. A log that can't be written is nobody's trouble: the question matters more."""
    outs: list[IO[str] | LogFile] = [sys.stderr] if settings.stderr else []
    file = LogFile(data_dir / settings.file) if settings.file and settings.level != "off" else None
    outs += [file] if file else []
    if not outs or settings.level == "off":
        yield Decisions(settings)
        return
    import structlog  # a tenth of a second: only where something is logged

    logger = structlog.wrap_logger(
        structlog.WriteLogger(Tee(outs)),  # type: ignore[arg-type]
        processors=[structlog.processors.add_log_level, structlog.processors.JSONRenderer(serializer=_dumped)],
        wrapper_class=structlog.make_filtering_bound_logger(settings.level),
    )
    try:
        yield Decisions(settings, logger)
    finally:
        if file:
            file.close()


# ── one run ───────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Run:
    """`begun`: what each path's `agent` event said, for the events after it."""

    logger: Any
    texts: bool
    prompts: bool
    begun: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def log(self, event: Event) -> None:
        if event.kind == "agent":
            self.begun[event.path] = event.body
        fields: Fields = {
            "timestamp": event.at.isoformat(),
            "hermes_ops.run.id": event.run,
            "hermes_ops.path": _name(event.path),
            "hermes_ops.n": event.n,
        }
        agent = self.begun.get(event.path, {})
        fields |= {"gen_ai.agent.name": agent["agent"]} if agent.get("agent") else {}
        if "ms" in event.body:
            fields["hermes_ops.duration_ms"] = event.body["ms"]
        make = _FIELDS.get(event.kind)
        facts, texts = make(event.body, agent) if make else ({}, {})
        fields |= facts
        if self.texts:
            fields |= {name: _short(value) for name, value in texts.items() if value not in (None, "", [], {})}
            fields |= _answer(event)
        if self.prompts:
            fields |= _whole(event)
        wrong = fields.get("error.type")
        (self.logger.warning if wrong else self.logger.info)(event.kind, **_present(fields))


Made = tuple[Fields, Fields]  # what every level has, and texts


def _context(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    facts = {"hermes_ops.window": body.get("window"), "hermes_ops.scope": body.get("scope")}
    return facts, {"hermes_ops.window.how": body.get("why")}


def _agent(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    facts = {"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": body.get("brain")}
    return {**facts, "hermes_ops.prompt.hash": body.get("prompt")}, {}


def _model(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    used = body.get("usage") or {}
    facts = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": agent.get("brain"),
        "gen_ai.response.model": _name(body.get("model")),
        "gen_ai.response.finish_reasons": [_name(body["finish"])] if body.get("finish") else None,
        "gen_ai.usage.input_tokens": used.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": used.get("completion_tokens"),
        "gen_ai.usage.cache_read.input_tokens": used.get("cached_tokens"),
        "hermes_ops.cost": used.get("cost"),
        "hermes_ops.prompt.hash": body.get("prompt"),
        "hermes_ops.attempts": body.get("attempts"),
        "hermes_ops.mended": len(body.get("notes") or ()),
        "hermes_ops.calls": [_name(call) for call in body.get("calls") or ()],
        "hermes_ops.final": body.get("final"),
    }
    return facts, {"hermes_ops.mended.how": body.get("notes")}


def _route(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    chosen = body.get("chosen") or ()
    facts = {
        "hermes_ops.route.offered": body.get("offered"),
        "hermes_ops.route.chosen": [_name(c.get("agent")) for c in chosen],
        "hermes_ops.route.not_chosen": body.get("not_chosen"),
        "hermes_ops.route.turn": body.get("turn"),
        "hermes_ops.prompt.hash": body.get("prompt"),
        "gen_ai.response.model": _name(body.get("model")),
    }
    return facts, {"hermes_ops.route.asked": [dict(c) for c in chosen]}


def _plan(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    parts = body.get("parts") or ()
    waves = [[_name(parts[i].get("agent")) for i in wave] for wave in body.get("waves") or ()]
    return {"hermes_ops.plan.waves": waves}, {"hermes_ops.plan.parts": list(parts)}


def _tool(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    facts = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": body.get("tool"),
        "hermes_ops.status": body.get("status"),
        "hermes_ops.rows.shown": body.get("shown"),
        "hermes_ops.rows.total": body.get("total"),
        "error.type": f"tool_{body['status']}" if body.get("status") in ("error", "denied") else None,
    }
    return facts, {"gen_ai.tool.call.arguments": body.get("args"), "hermes_ops.query": body.get("query")}


def _branch(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    failed = body.get("status") in ("error", "denied", "failed")
    facts = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": _name(str(body.get("step", "")).rpartition(".")[2]),
        "hermes_ops.status": body.get("status"),
        "error.type": "agent_failed" if failed else None,
    }
    return facts, {"gen_ai.tool.call.arguments": body.get("args")}


def _compacted(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    return {f"hermes_ops.context.{name}": body.get(name) for name in ("before", "after", "cut")}, {}


def _fallback(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    return {"error.type": "model_unavailable"}, {"hermes_ops.error": body.get("why")}


def _checked(body: Mapping[str, Any], agent: Mapping[str, Any]) -> Made:
    unverified = body.get("unverified") or ()
    facts = {"hermes_ops.answer.status": body.get("status"), "hermes_ops.answer.unverified": len(unverified)}
    return facts, {"hermes_ops.answer.unverified.what": list(unverified)}


_FIELDS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Made]] = {
    "context": _context,
    "agent": _agent,
    "model": _model,
    "route": _route,
    "plan": _plan,
    "tool": _tool,
    "branch": _branch,
    "compacted": _compacted,
    "fallback": _fallback,
    "checked": _checked,
}


# ── texts ─────────────────────────────────────────────────────────────────────────────────────


def _who(question: Incoming, session: str) -> Fields:
    return _present({"gen_ai.conversation.id": session, "hermes_ops.channel": question.channel})


def _answer(event: Event) -> Fields:
    return {"hermes_ops.answer": _short(event.blobs[0].text or "")} if event.kind == "checked" and event.blobs else {}


def _whole(event: Event) -> Fields:
    """Prompts and replies as they were."""
    text = event.blobs[0].text if event.blobs else None
    if not text or event.kind not in ("agent", "model"):
        return {}
    if event.kind == "agent":
        return {PROMPTS[0]: text}
    result = json.loads(text)
    return {PROMPTS[1]: result.get("sent"), PROMPTS[2]: result.get("reply")}


def _short(value: Json) -> Json:
    if isinstance(value, str):
        return value if len(value) <= TEXT else f"{value[:TEXT]}…"
    if isinstance(value, dict):
        return {k: _short(v) for k, v in value.items()}
    return [_short(v) for v in value] if isinstance(value, list | tuple) else value


def _name(text: Json) -> str | None:
    """A name that a model or a server may have made up: short, and no sentence."""
    return _NOT_IN_NAME.sub("_", str(text))[:NAME] if text else None


def _present(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _dumped(line: Json, **options: Any) -> str:
    first = {name: line[name] for name in ("timestamp", "level", "event") if name in line}
    return clean(json.dumps({**first, **line}, ensure_ascii=False, default=str))
