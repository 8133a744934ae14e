from __future__ import annotations

from hermes_ops.testing.sources import MemoryLogs
from subagents import logs
from subagents.sources import Sources
from tests.subagents.logs.test_tools import INCIDENT
from tests.subagents.rig import at, calm, context, findings, window

AGENT = logs.make(Sources(logs=(MemoryLogs("files", lines=INCIDENT),)))


async def test_the_summary_tells_how_many_since_when_until_when_and_what_is_new():
    found = await findings(AGENT, context(window(), ["cart"]))
    assert found.summary.splitlines()[:3] == [
        "cart: 240 errors (before: 0), began at 13:03 UTC, ended at 13:43 [L1].",
        "pay: 240 errors (before: 0), began at 13:03, ended at 13:43 [L1].",
        "Codes: cart 502 ×240 [L1].",
    ]
    assert "New pattern of cart ×240, first at 13:03: `pay call <*> failed: upstream said <*>` [L2]." in found.summary
    assert "240 messages of cart name pay [L2]." in found.summary
    assert found.onset == at("13:03")
    assert set(found.services) == {"cart", "pay"}


async def test_in_chinese_the_figures_are_the_same():
    found = await findings(AGENT, context(window(), ["cart"], "为什么 cart 报错", "zh"))
    assert "cart 240 条错误（之前 0），13:03 UTC 开始，13:43 结束 [L1]。" in found.summary


async def test_nothing_there_is_said_with_what_begins_at_the_other_reading():
    span = window("04:45", "05:45", "Asia/Shanghai")
    found = await findings(AGENT, context(span, ["cart"]))
    first, second = found.summary.splitlines()[:2]
    assert first.startswith("Nothing begins in 2026-03-04 12:45–13:45 +08:00; errors of cart begin at 21:03 +08:00 ")
    assert "(13:03 UTC in the data's own clock)" in first
    assert second.startswith("No error lines of cart in ")
    assert found.onset is None


async def test_a_calm_service_is_called_calm():
    quiet = logs.make(Sources(logs=(MemoryLogs("files", lines=calm("cart")),)))
    found = await findings(quiet, context(window(), ["cart"]))
    assert found.summary.startswith("No error lines of cart in 2026-03-04 12:00–15:00 +00:00, among 180 lines [L1].")


async def test_unreachable_logs_are_named_in_the_findings():
    down = logs.make(Sources(logs=(MemoryLogs("loki", down="connection refused"),)))
    found = await findings(down, context(window(), ["cart"]))
    assert found.status == "failed"
    assert found.unreachable[0] == "count_errors: loki: connection refused"
