"""Rules and targets of a real Prometheus."""

from __future__ import annotations

import pytest

from subagents.prometheus.source import prometheus
from subagents.web import Site, Web
from tests.sources import servers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_rules_and_targets_as_they_are() -> None:
    rules = """
groups:
  - name: now
    rules:
      - {record: one, expr: vector(1)}
      - {alert: Slow, expr: vector(0) > 1, for: 5m, labels: {service: cart, severity: warning}}
"""
    with servers.prometheus(rules=rules) as url:
        client = Web()
        watched = prometheus("prod", client.at(Site("prod", url, timeout=25.0))).watched[0]
        found, targets = await watched.rules(), await watched.targets()
        await client.aclose()
    (rule,) = found.rows
    assert (rule.name, rule.service, rule.severity, rule.wait, rule.trouble) == ("Slow", "cart", "warning", 300.0, "")
    assert found.link == f"{url}/alerts"
    assert targets.rows == ()
