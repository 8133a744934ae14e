"""Runs for other programs: as JSON lines, one an event, and as OpenTelemetry spans (OTLP/JSON, what a collector's
`otlpjsonfile` receiver and its HTTP door at /v1/traces take).

Names are those of OpenTelemetry's semantic conventions for generative AI where they have one, as in the log; all
others begin with `hermes_ops`. Spans hold no texts unless they are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from hermes_ops.trace.printing import json_text
from hermes_ops.trace.story import Beat, Story
from hermes_ops.version import VERSION
from memory import RunInfo
from orchestrator.contracts import Event, Json

CLIENT, INTERNAL = 3, 1  # SpanKind
ERROR, UNSET = 2, 0  # StatusCode
OPERATIONS = {"model": "chat", "tool": "execute_tool", "branch": "invoke_agent"}


def json_lines(info: RunInfo, events: Sequence[Event]) -> Iterator[str]:
    """The run's own line, then its events in order of arrival with their texts."""
    head = {"run": info.id, "question": info.question.text, "user": info.question.user, "session": info.session,
            "status": info.status, "started": info.started.isoformat(), "window": info.window, "scope": info.scope,
            "model": info.model, "kind": info.kind}  # fmt: skip
    yield _line(head)
    for event in events:
        told = {"run": event.run, "path": event.path, "n": event.n, "kind": event.kind, "at": event.at.isoformat()}
        yield _line({**told, "body": event.body, "texts": [ref.text for ref in event.blobs]})


def _line(row: Json) -> str:
    return json_text(row, None) + "\n"


def otlp(stories: Sequence[Story], texts: bool = False) -> Json:
    """One ExportTraceServiceRequest; a run is a trace. `texts`: also questions, arguments, results and replies."""
    resource = {"attributes": _attributes({"service.name": "hermes-ops", "service.version": VERSION})}
    scope = {"name": "hermes_ops.trace", "version": VERSION}
    spans = [span for story in stories for span in _spans(story, texts)]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}


def _spans(story: Story, texts: bool) -> Iterator[Json]:
    run = story.run
    begun = datetime.fromisoformat(run["begun"])
    told: dict[str, Json] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "supervisor",
        "gen_ai.conversation.id": run["session"] or None,
        "hermes_ops.run.id": run["run"],
        "hermes_ops.answer.status": run["answer"],
        "hermes_ops.answer.unverified": len(run["unverified"]),
    }
    told |= {"hermes_ops.question": run["question"], "hermes_ops.answer": run["text"]} if texts else {}
    bad = run["answer"] == "failed" or run["status"] in ("failed", "interrupted")
    root = _span(run["run"], "invoke_agent supervisor", "root", "", begun, 0.0, run["seconds"] * 1000, told, bad)
    yield root
    for beat in story.steps:
        if beat.ms or beat.kind in OPERATIONS:
            parent = story.lanes[beat.lane].step
            attributes = _of(story, beat, texts)
            name = f"{OPERATIONS.get(beat.kind, beat.kind)} {_about(beat)}".strip()
            yield _span(run["run"], name, str(beat.n), str(parent or "root"), begun, beat.start, beat.ms, attributes,
                        beat.bad, CLIENT if beat.kind == "model" else INTERNAL)  # fmt: skip


def _about(beat: Beat) -> str:
    detail = beat.detail or {}
    if beat.kind == "branch":
        return str((detail.get("asked") or {}).get("agent") or "plan")
    return str(detail.get({"model": "model", "tool": "tool"}.get(beat.kind, ""), "") or "")


def _of(story: Story, beat: Beat, texts: bool) -> dict[str, Json]:
    detail = beat.detail or {}
    told: dict[str, Json] = {"hermes_ops.step": beat.n, "hermes_ops.path": story.lanes[beat.lane].path}
    told |= {"gen_ai.operation.name": OPERATIONS.get(beat.kind), "hermes_ops.status": beat.status or None}
    if beat.kind == "model":
        used = detail.get("usage") or {}
        told |= {"gen_ai.response.model": detail.get("model"), "gen_ai.response.finish_reasons": [detail.get("finish")]}
        told |= {"gen_ai.usage.input_tokens": used.get("prompt_tokens")}
        told |= {"gen_ai.usage.output_tokens": used.get("completion_tokens")}
        told |= {"gen_ai.usage.cache_read.input_tokens": used.get("cached_tokens"), "hermes_ops.cost": used.get("cost")}
        told |= {"gen_ai.agent.name": detail.get("agent"), "hermes_ops.prompt.hash": detail.get("prompt")}
        said = {"text": detail.get("text"), "reasoning": detail.get("reasoning"), "calls": detail.get("calls")}
        told |= {"gen_ai.output.messages": json.dumps(said, ensure_ascii=False)} if texts else {}
    if beat.kind == "tool":
        told |= {"gen_ai.tool.name": detail.get("tool"), "hermes_ops.rows.shown": detail.get("shown")}
        told |= {"hermes_ops.rows.total": detail.get("total"), "hermes_ops.evidence": beat.evidence or None}
        args = json.dumps(detail.get("args") or {}, ensure_ascii=False)
        told |= {"gen_ai.tool.call.arguments": args, "gen_ai.tool.call.result": detail.get("text")} if texts else {}
    if beat.kind == "branch":
        told |= {"gen_ai.agent.name": _about(beat)}
    return told


def _span(
    run: str, name: str, id: str, parent: str, begun: datetime, start: float, ms: float, told: Mapping[str, Json],
    bad: bool, kind: int = INTERNAL,
) -> Json:  # fmt: skip
    at = begun + timedelta(milliseconds=start)
    found = {"traceId": _hash(run, 32), "spanId": _hash(f"{run} {id}", 16), "name": name, "kind": kind}
    found |= {"parentSpanId": _hash(f"{run} {parent}", 16)} if parent else {}
    found |= {"startTimeUnixNano": _nano(at), "endTimeUnixNano": _nano(at + timedelta(milliseconds=ms))}
    return {**found, "attributes": _attributes(told), "status": {"code": ERROR if bad else UNSET}}


def _hash(text: str, digits: int) -> str:
    """An id that is the same for the same run and step, so that a second export adds nothing."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:digits]


def _nano(at: datetime) -> str:
    """64-bit numbers are strings in OTLP's JSON."""
    return str(int(at.timestamp()) * 10**9 + at.microsecond * 1000)


def _attributes(told: Mapping[str, Json]) -> list[Json]:
    return [{"key": key, "value": _value(value)} for key, value in told.items() if value is not None]


def _value(value: Json) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(v) for v in value if v is not None]}}
    return {"stringValue": str(value)}
