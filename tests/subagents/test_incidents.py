"""Twelve recorded incidents of others: each gets an answer about its alert, and every figure in it is borne out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.contracts import Findings, Window
from subagents import alerts, changes, logs
from subagents.folder.folder import open_folder
from tests.shared import shared
from tests.subagents.rig import context, findings

pytestmark = pytest.mark.slow


async def test_each_incident_gets_a_grounded_answer():
    root = shared("data/incidents/rootcausebench/cases")
    cases = sorted(p for p in root.iterdir() if p.is_dir())
    assert len(cases) == 12
    for n, case in enumerate(cases):
        alert = json.loads((case / "alert.json").read_text())
        fired = datetime.fromisoformat(alert["fired_at"])
        span = Window(fired - timedelta(hours=2), (fired + timedelta(hours=1)).astimezone(UTC))
        folder = open_folder(case)
        found: dict[str, Findings] = {}
        for make in (alerts.make, logs.make, changes.make):
            agent = make(folder.sources())
            ctx = context(span, [alert["service"]], f"why did {alert['monitor']} fire?", "zh" if n % 2 else "en")
            found[agent.name] = await findings(agent, ctx, list(found.values()))
        folder.close()
        assert alert["monitor"] in found["alerts"].summary, case.name
        assert alert["service"] in found["logs"].summary, case.name
        assert "[C1]" in found["changes"].summary, case.name
