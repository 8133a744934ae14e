"""A small folder of exported files, the real command line as a process, and a scripted conversation over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_ops.testing.script import Step, calls, says
from orchestrator.contracts import Json, Message
from tests.processes import start

DAY = "2026-11-29"
QUESTION = "why did checkout fail after 14:00 yesterday?"
WHEN = ("--now", "2026-11-30T09:00Z", "--zone", "UTC")
LETTERS = {"alerts": "A", "logs": "L", "changes": "C"}
TURNS = {
    "alerts": [("list_alerts", {}), ("count_alerts", {}), ("list_alerts", {"services": ["checkout"]})],
    "logs": [("count_errors", {}), ("patterns", {}), ("search_logs", {"text": "pool"})],
    "changes": [
        ("list_changes", {}),
        ("list_changes", {"services": ["catalog"]}),
        ("list_changes", {"services": ["payment"]}),
    ],
}


def folder(path: Path) -> Path:
    """Three domains in three files: one alert, 90 log lines of which 30 are errors, two deploys and their commits."""
    path.mkdir(parents=True, exist_ok=True)
    sha = "19bd9f4ceacf361908f98e2d8062b85d9a387c8d"
    alert = {
        "labels": {"alertname": "CheckoutHighErrorRate", "service": "checkout", "severity": "critical"},
        "annotations": {"summary": "checkout answers 502"},
        "startsAt": f"{DAY}T14:04:30Z",
        "endsAt": f"{DAY}T14:49:00Z",
        "status": {"state": "active", "inhibitedBy": [], "silencedBy": []},
        "fingerprint": "ab12",
    }
    lines = []
    for i in range(90):
        bad = 30 <= i < 60
        row = {"ts": f"{DAY}T{13 + i // 60}:{i % 60:02d}:10Z", "service": "checkout"}
        row |= {"level": "error" if bad else "info", "msg": f"charge failed: pool exhausted {i}" if bad else "ok"}
        lines.append(json.dumps(row))
    deploys = [
        {"id": 7, "created_at": f"{DAY}T13:29:00Z", "service": "payment", "ref": "payment-v2.4.1", "sha": sha},
        {"id": 6, "created_at": f"{DAY}T11:00:00Z", "service": "catalog", "ref": "catalog-v5.1.0", "sha": "4" * 40},
    ]
    commits = [
        {"sha": sha, "author": "omar", "committed": f"{DAY}T13:28:00Z", "message": "payment: right-size the DB pool"}
    ]
    (path / "alerts.json").write_text(json.dumps([alert]))
    (path / "checkout.log").write_text("\n".join(lines) + "\n")
    (path / "deploys.json").write_text(json.dumps(deploys))
    (path / "commits.json").write_text(json.dumps(commits))
    return path


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


async def hermes(*args: str, env: Mapping[str, str]) -> Ran:
    process = await start(*args, env=env)
    out, err = await process.communicate()
    return Ran(process.returncode or 0, out.decode(), err.decode())


# ── who asks, and how far it is: told by the request alone ────────────────────────────────────


def role(tools: Sequence[Json], messages: Sequence[Message]) -> str:
    names = {t["function"]["name"] for t in tools}
    if "ask_alerts" in names:
        return "supervisor"
    return next(name for name, turns in TURNS.items() if turns[0][0] in names)


def turn(messages: Sequence[Message]) -> int:
    """Which model call of its loop this is, from 1."""
    return 1 + sum(m["role"] == "assistant" for m in messages)


def play(messages: Sequence[Message], tools: Sequence[Json]) -> Step:
    """Twelve steps in three branches between two of the supervisor; refuses results of another branch."""
    who, n = role(tools, messages), turn(messages)
    if who == "supervisor":
        asked = [(f"ask_{name}", {"task": f"look into {name}", "reason": f"{name} may tell"}) for name in TURNS]
        return calls(*asked) if n == 1 else says("30 errors [L1]; 1 alert [A1]; payment 2.4.1 was deployed [C1].")
    for message in messages:
        if message["role"] == "tool":
            ids = re.findall(r"^\[([A-Z])\d+\]", message["content"])
            assert ids == [LETTERS[who]], f"{who} was given the result of another branch: {message['content'][:80]}"
    wanted = TURNS[who]
    return calls(wanted[n - 1]) if n <= len(wanted) else says(f"{who} done [{LETTERS[who]}1]")
