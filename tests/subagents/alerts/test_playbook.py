from __future__ import annotations

from hermes_ops.testing.sources import MemoryAlerts, MemoryMetrics
from subagents import alerts
from subagents.sources import Ratio, Sources
from tests.subagents.alerts.test_tools import FIRED, series
from tests.subagents.rig import at, context, episode, findings, window

METRICS = MemoryMetrics(
    "prom",
    rows=[series("pool_max", [20.0] * 246 + [2.0] * 90 + [20.0] * 60)],
    ratios=[Ratio("cart", 14118, 272), Ratio("mail", 500, 1)],
)
AGENT = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=FIRED, since=at("00:00")),), metrics=(METRICS,)))


async def test_the_summary_tells_what_fired_first_and_until_when():
    found = await findings(AGENT, context(window(), ["cart"]))
    lines = found.summary.splitlines()
    assert lines[0] == "PoolFull (pay, warning, first, suppressed: PayErrors) fired at 13:03 UTC, ended 13:48 [A1]."
    assert "CartErrors (cart, critical) fired at 13:04:30, ended 13:49 [A1]." in lines
    assert "Other alerts: Watchdog, DiskFull (mail) [A1]." in lines
    assert "availability of cart 98.0734% (272 of 14118 requests bad) [A2]." in lines
    assert "pay `pool_max` 20 → 2 since 13:03, over at 13:48 [A3]." in lines
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


async def test_which_is_noisiest_is_answered_by_name_or_by_service():
    rows = [*FIRED, *(episode("DiskFull", "mail", f"13:{m:02}", f"13:{m + 1:02}", "warning") for m in (10, 30))]
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=sorted(rows, key=lambda e: e.start)),)))
    by_name = await findings(agent, context(window(), [], "哪些告警最多？", "zh"))
    assert "从多到少：DiskFull 3、PoolFull 1、CartErrors 1、PayErrors 1 [A2]。" in by_name.summary
    by_service = await findings(agent, context(window(), [], "which service fired the most alerts?"))
    assert "From most to least: mail 3, pay 2, cart 1 [A2]." in by_service.summary


async def test_by_the_hour_where_that_is_asked():
    found = await findings(AGENT, context(window(), ["cart"], "每小时多少告警", "zh"))
    assert "按小时 13:00 1；其余时段没有 [A2]。" in found.summary


async def test_availability_alone_where_only_that_is_asked():
    for text in ("what was the availability of cart?", "how much of cart's error budget is used?", "cart 的错误预算"):
        found = await findings(AGENT, context(window(), ["cart"], text))
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


async def test_what_is_silenced_in_both_languages():
    held = episode("Full", "cart", "17:00", None, "warning", suppressed=True, by="silenced by wei")
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=[held], since=at("00:00")),)))
    found = await findings(agent, context(window(), ["cart"], "what alerts are silenced?"))
    assert found.summary == "Full (cart, warning) fires since 17:00, silenced by wei [A1]."
    zh = await findings(agent, context(window(), ["cart"], "哪些告警被静默了？", "zh"))
    assert zh.summary == "Full (cart, warning) 自 17:00 触发，被 wei 静默 [A1]。"
    telling = MemoryAlerts("am", rows=FIRED, since=at("00:00"), caps=frozenset({"suppressed"}))
    none = await findings(
        alerts.make(Sources(alerts=(telling,))), context(window(), ["cart"], "what is silenced, and until when?")
    )
    assert none.summary == "No alert is silenced or inhibited now [A1]."
    untold = await findings(AGENT, context(window(), ["cart"], "are alerts muted?"))
    assert untold.summary == "No source tells what is silenced or inhibited [A1]."


async def test_what_fires_now_leads_with_what_nobody_holds_back_and_the_worst_of_it():
    rows = [
        episode("Disk", "mail", "16:50", None, "warning", suppressed=True,
                by="silenced by wei until 2026-03-05 16:14 UTC (换盘)"),
        episode("Slow", "cart", "16:55", None, "warning"),
        episode("Errors", "pay", "17:00", None, "critical"),
        episode("Pool", "pay", "17:01", None, "warning", suppressed=True, by="inhibited by Errors"),
    ]  # fmt: skip
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=rows, since=at("00:00")),)))
    now = window("17:00", "17:15", "Asia/Shanghai")
    en = (await findings(agent, context(now, [], "how many alerts fire right now?"))).summary.splitlines()
    assert en[0] == (
        "2 alerts fire now: Errors (pay, critical), Slow (cart, warning); "
        "2 silenced or inhibited: Pool (pay, warning), Disk (mail, warning) [A2]."
    ) or en[0].endswith("Disk (mail, warning), Pool (pay, warning) [A2].")
    zh = (await findings(agent, context(now, [], "现在有多少告警在触发？", "zh"))).summary
    assert zh.startswith("现在有 2 个告警在触发：Errors (pay, critical)、Slow (cart, warning)；另有 2 个被静默或抑制：")
    assert "被 wei 静默至 03-06 00:14 +08:00（换盘）" in zh
    assert "被 Errors 抑制" in zh
    assert "触发了" not in zh, "how many began in a quarter of an hour is no answer"


async def test_no_alerts_is_not_said_of_a_time_of_which_no_source_knows():
    forgetful = MemoryAlerts("pager", caps=frozenset({"current"}))
    young = MemoryAlerts("store", since=at("13:00"))
    for source in (forgetful, young):
        agent = alerts.make(Sources(alerts=(source,)))
        early = window("04:00", "05:00")
        en = (await findings(agent, context(early, [], "how many alerts fired?"))).summary
        assert en == (
            "No source holds alerts of 2026-03-04 04:00–05:00 +00:00, so whether any fired can't be told [A1]."
        )
        zh = (await findings(agent, context(early, [], "触发了多少告警？", "zh"))).summary
        assert zh.startswith("没有数据源保存 2026-03-04")
        assert "0" not in zh.replace("04:00", "").replace("05:00", "").replace("+00:00", "").replace("2026-03-04", "")


async def test_that_there_are_no_request_metrics_is_said_where_they_were_asked_for():
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am"),), metrics=(MemoryMetrics("prom"),)))
    found = await findings(agent, context(window(), ["cart"], "availability of cart?"))
    assert found.summary == "There are no request metrics in that time [A1]."
    zh = await findings(agent, context(window(), ["cart"], "cart 可用率？", "zh"))
    assert zh.summary == "该时段没有请求指标 [A1]。"


async def test_an_objective_and_its_budget_are_told():
    metrics = MemoryMetrics("prom", ratios=[Ratio("cart", 10000, 20, objective=99.9)])
    agent = alerts.make(Sources(alerts=(MemoryAlerts("am"),), metrics=(metrics,)))
    en = await findings(agent, context(window(), ["cart"], "availability of cart?"))
    assert "99.8% (20 of 10000 requests bad; objective 99.9%, 200% of its error budget used)" in en.summary
    zh = await findings(agent, context(window(), ["cart"], "cart 可用率？", "zh"))
    assert "目标 99.9%，错误预算已用 200%" in zh.summary


async def test_a_metric_that_did_not_move_is_said_to_be_so():
    found = await findings(AGENT, context(window("09:30", "10:30"), ["pay"], "pay 的 cpu 指标", "zh"))
    assert found.summary == "没有指标离开之前的水平（共查 1 个序列） [A2]。"


async def test_without_metrics_the_alerts_are_told():
    alone = alerts.make(Sources(alerts=(MemoryAlerts("am", rows=FIRED),)))
    found = await findings(alone, context(window(), ["cart"], "what was the availability of cart?"))
    assert found.summary.startswith("PoolFull (pay, warning, first")
