from __future__ import annotations

from hermes_ops.testing.sources import MemoryAlerts, MemoryMetrics
from subagents import alerts
from subagents.sources import Ratio, Sources
from tests.subagents.alerts.test_tools import FIRED, series
from tests.subagents.rig import at, context, findings, window

METRICS = MemoryMetrics(
    "prom",
    rows=[series("pool_max", [20.0] * 246 + [2.0] * 90 + [20.0] * 60)],
    ratios=[Ratio("cart", 14118, 272), Ratio("mail", 500, 1)],
)
AGENT = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=FIRED),), metrics=(METRICS,)))


async def test_the_summary_tells_what_fired_first_and_until_when():
    found = await findings(AGENT, context(window(), ["cart"]))
    lines = found.summary.splitlines()
    assert lines[0] == "PoolFull (pay, warning, first, suppressed: PayErrors) fired at 13:03 UTC, ended 13:48 [A1]."
    assert "CartErrors (cart, critical) fired at 13:04:30, ended 13:49 [A1]." in lines
    assert "Other alerts: Watchdog, DiskFull (mail) [A1]." in lines
    assert "availability of cart 98.0734% (272 of 14118 requests bad) [A2]." in lines
    assert "pay `pool_max` 20 → 2 since 13:03 [A3]." in lines
    assert not any("mail" in line for line in lines if "availability" in line)
    assert (found.onset, found.services) == (at("13:03"), ("pay", "cart"))


async def test_in_chinese():
    found = await findings(AGENT, context(window(), ["cart"], "cart 有什么告警", "zh"))
    assert "PoolFull（pay，warning，最先，被抑制: PayErrors）13:03 UTC 触发，13:48 恢复 [A1]。" in found.summary
    assert "可用率" not in found.summary, "nobody asked for it"
    both = await findings(AGENT, context(window(), ["cart"], "cart 为什么告警", "zh"))
    assert "cart 可用率 98.0734%（14118 次请求中失败 272 次） [A2]。" in both.summary


async def test_how_many_is_answered_first_with_whose_they_are():
    found = await findings(AGENT, context(window(), ["cart"], "how many alerts fired?"))
    lines = found.summary.splitlines()
    assert lines[:2] == ["1 alert of cart began in 2026-03-04 12:00–15:00 +00:00 (critical 1) [A2].", ""]
    assert [e.tool for e in found.evidence] == ["list_alerts", "count_alerts"]


async def test_by_the_hour_where_that_is_asked():
    found = await findings(AGENT, context(window(), ["cart"], "每小时多少告警", "zh"))
    assert "按小时 13:00 1；其余时段没有 [A2]。" in found.summary


async def test_availability_alone_where_only_that_is_asked():
    found = await findings(AGENT, context(window(), ["cart"], "what was the availability of cart?"))
    assert found.summary == "availability of cart 98.0734% (272 of 14118 requests bad) [A1]."


async def test_an_alert_that_began_before_the_window_and_fires_in_it_is_no_other_time():
    found = await findings(AGENT, context(window("13:10", "13:30"), ["cart"]))
    assert found.summary.startswith("PoolFull (pay, warning, first, suppressed: PayErrors) fired at 13:03 UTC")
    assert found.onset == at("13:03")


async def test_no_alerts_is_an_answer():
    none = alerts.make(Sources(alerts=(MemoryAlerts("am"),)))
    found = await findings(none, context(window(), ["cart"]))
    assert found.summary == "No alerts of cart in 2026-03-04 12:00–15:00 +00:00 [A1]."
    assert found.status == "ok"


async def test_now_is_asked_only_when_the_question_says_now():
    found = await findings(AGENT, context(window(), ["cart"], "what is firing right now?"))
    assert "Firing now: Watchdog" not in found.summary, "it is of no asked service"
    assert "Nothing fires now" in found.summary
    assert "firing_now" not in {e.tool for e in (await findings(AGENT, context(window(), ["cart"]))).evidence}


async def test_a_metric_that_did_not_move_is_said_to_be_so():
    found = await findings(AGENT, context(window("09:30", "10:30"), ["pay"], "pay 的 cpu 指标", "zh"))
    assert found.summary == "没有指标离开之前的水平（共查 1 个序列） [A2]。"


async def test_without_metrics_the_alerts_are_told():
    alone = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=FIRED),)))
    found = await findings(alone, context(window(), ["cart"], "what was the availability of cart?"))
    assert found.summary.startswith("PoolFull (pay, warning, first")
