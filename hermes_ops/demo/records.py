"""Changes and traces of a generated incident as JSON exports: deploys, commits, flags, settings, tickets, spans."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from hermes_ops.demo import files
from hermes_ops.demo.changes import Deed
from hermes_ops.demo.story import Story
from hermes_ops.demo.traffic import Hop


def write(folder: Path, story: Story, hops: list[Hop]) -> None:
    rng = Random(f"records {story.seed}")
    makers = {"commit": _commit, "deploy": _deploy, "flag": _switched, "config": _switched, "ticket": _ticket}
    for kind, make in makers.items():
        done = [make(d) for d in story.deeds if d.kind == kind]
        files.put_rows(folder, f"changes/{kind}s", done, as_list=rng.random() < 0.5)
    files.put_rows(folder, "traces/spans", map(_span, hops), as_list=rng.random() < 0.5)


def _commit(d: Deed) -> Any:
    message = f"{d.title}\n\n{d.body}" if d.body else d.title
    return {"sha": d.sha, "author": d.who, "timestamp": files.iso(d.at), "message": message,
            "files_changed": [d.file], "diff": d.diff}  # fmt: skip


def _deploy(d: Deed) -> Any:
    return {"id": int(d.id), "created_at": files.iso(d.at), "environment": "production", "service": d.service,
            "ref": f"{d.service}-v{d.version}", "sha": d.sha, "creator": {"login": d.who}, "state": "success",
            "description": d.title}  # fmt: skip


def _switched(d: Deed) -> Any:
    return {"id": d.id, "timestamp": files.iso(d.at), d.kind: d.key, "service": d.service, "old": d.old, "new": d.new,
            "actor": d.who, "environment": "production"}  # fmt: skip


def _ticket(d: Deed) -> Any:
    assert d.until is not None, "planned work has an end"
    return {"id": d.id, "title": d.title, "service": d.service, "start": files.iso(d.at), "end": files.iso(d.until),
            "owner": d.who, "risk": "low"}  # fmt: skip


def _span(hop: Hop) -> Any:
    return {"trace_id": hop.trace, "span_id": hop.id, "parent_id": hop.parent or None, "service": hop.service,
            "name": f"GET /{hop.service}", "start": files.iso(hop.at, "milliseconds"), "duration_ms": hop.ms,
            "status": "ERROR" if hop.failed else "OK", **({"error": hop.failed} if hop.failed else {})}  # fmt: skip
