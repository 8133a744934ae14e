from __future__ import annotations

from datetime import timedelta

import pytest

from hermes_ops.testing.sources import MemoryLogs
from orchestrator.agent import Turn
from orchestrator.contracts import Json
from subagents import logs
from subagents.plain.answers import plainly
from subagents.sources import LogLine, Sources
from tests.subagents.logs.test_tools import INCIDENT
from tests.subagents.rig import at, by_time, calm, context, errors, findings, window

AGENT = logs.make(Sources(logs=(MemoryLogs("files", lines=INCIDENT),)))


async def test_the_summary_tells_how_many_since_when_until_when_and_what_is_new():
    found = await findings(AGENT, context(window(), ["cart"]))
    assert found.summary.splitlines()[:3] == [
        "cart, pay: 240 errors each (before: 0), began at 13:03 UTC, ended at 13:43 [L1].",
        "",
        "Codes: cart 502 ×240 [L1].",
    ]
    assert "New pattern of cart ×240, first at 13:03: `pay call <*> failed: upstream said <*>` [L2]." in found.summary
    assert "240 messages of cart name pay [L2]." in found.summary
    assert found.onset == at("13:03")
    assert set(found.services) == {"cart", "pay"}


async def test_in_chinese_the_figures_are_the_same():
    found = await findings(AGENT, context(window(), ["cart"], "为什么 cart 报错", "zh"))
    assert "cart、pay 各 240 条错误（之前 0），13:03 UTC 开始，13:43 结束 [L1]。" in found.summary


async def test_nothing_there_is_said_with_what_begins_at_the_other_reading():
    span = window("04:45", "05:45", "Asia/Shanghai")
    found = await findings(AGENT, context(span, ["cart"]))
    first, second = found.summary.splitlines()[:2]
    assert first.startswith("Nothing begins in 2026-03-04 12:45–13:45 +08:00; errors of cart begin at 21:03 +08:00 ")
    assert "(13:03 UTC in the data's own clock)" in first
    assert second.startswith("In it: cart wrote no log lines at all (the window lies outside of what the logs cover)")
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


async def test_errors_per_hour_give_the_hours_first_and_nothing_else():
    found = await findings(AGENT, context(window(), ["cart"], "errors of cart per hour?"))
    assert found.summary.splitlines() == [
        "cart: 12:00 0, 13:00 240, 14:00 0 [L1].",
        "cart: 240 errors (before: 0), began at 13:03 UTC, ended at 13:43 [L1].",
    ]
    day = await findings(AGENT, context(window("06:00", "18:00"), ["cart"], "cart 每小时各有多少报错", "zh"))
    assert day.summary.splitlines()[0] == "cart 13:00 240；其余时段没有 [L1]。"


async def test_how_many_is_answered_with_the_number_alone():
    found = await findings(AGENT, context(window(), ["cart"], "how many errors did cart log?"))
    assert found.summary == "cart: 240 errors (before: 0), began at 13:03 UTC, ended at 13:43 [L1]."
    assert [e.tool for e in found.evidence] == ["count_errors"]
    coded = await findings(AGENT, context(window(), ["cart"], "how many 502s did cart return?"))
    assert coded.summary.splitlines()[1] == "Codes: cart 502 ×240 [L1]."


async def test_an_hour_of_the_askers_zone_need_not_be_one_of_utc():
    found = await findings(AGENT, context(window("12:30", "14:30", "Asia/Kolkata"), ["cart"], "errors per hour"))
    assert "18:00 0, 18:30" not in found.summary
    assert "18:00 162, 19:00 78" in found.summary


async def test_what_goes_on_where_the_data_ends_has_not_ended():
    lines = by_time(calm("cart", "06:00", 480), errors("cart", "13:20", 40, 6))
    open_ = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    found = await findings(open_, context(window("12:00", "16:00"), ["cart"]))
    assert "began at 13:20 UTC, still going on at the end of the data [L1]." in found.summary
    inside = await findings(open_, context(window("12:00", "13:40"), ["cart"]))
    assert "still going on at the end of the window [L1]." in inside.summary
    assert "ended" not in found.summary + inside.summary


async def test_a_new_pattern_of_one_line_does_not_stand_before_one_of_many():
    before = errors("cart", "11:10", 40, 1, "pool of 5 exhausted")
    lines = by_time(
        calm("cart"),
        before,
        errors("cart", "13:10", 40, 3, "pool of 5 exhausted"),
        errors("cart", "13:20", 1, 1, "odd!"),
    )
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    found = await findings(agent, context(window(), ["cart"]))
    assert "Top pattern of cart ×120, first at 13:10: `pool of <*> exhausted` [L2]." in found.summary
    assert "odd!" not in found.summary
    assert "New patterns of few messages, left out: 1 [L2]." in found.summary


async def test_what_is_not_new_stands_behind_what_fails_most_often():
    lines = by_time(
        calm("cart"),
        errors("cart", "11:10", 40, 6, "pool exhausted"),
        errors("cart", "11:10", 40, 1, "late card"),
        errors("cart", "13:10", 40, 4, "pool exhausted"),
        errors("cart", "13:10", 40, 1, "late card"),
    )
    found = await findings(logs.make(Sources(logs=(MemoryLogs("files", lines=lines),))), context(window(), ["cart"]))
    assert "Top pattern of cart ×160, first at 13:10: `pool exhausted`" in found.summary


async def test_a_request_line_is_no_pattern_and_few_mentions_are_no_complaint():
    line = '"GET /item/{} HTTP/1.1" 500 12 "-" "agent"'
    requests = [r for m in range(40) for r in errors("cart", f"13:{m + 10}", 1, 3, line.format(m))]
    lines = by_time(calm("cart"), calm("pay"), requests, errors("cart", "13:20", 1, 2, "pay was slow"))
    found = await findings(logs.make(Sources(logs=(MemoryLogs("files", lines=lines),))), context(window(), ["cart"]))
    assert "HTTP" not in found.summary
    assert "name pay" not in found.summary


async def test_two_incidents_in_one_window_are_told_apart():
    lines = by_time(
        calm("cart"),
        calm("mail"),
        errors("cart", "12:30", 15, 6),
        errors("pay", "12:31", 15, 6),
        errors("mail", "14:10", 15, 6),
    )
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    found = await findings(agent, context(window(), question="what happened?"))
    rows = found.evidence[0].result.data["incidents"]
    assert [(r["onset"][11:16], r["services"]) for r in rows] == [("12:30", ["cart", "pay"]), ("14:10", ["mail"])]
    one = await findings(agent, context(window(), ["cart"]))
    assert [r["services"] for r in one.evidence[0].result.data["incidents"]] == [["cart", "pay"]]


async def test_a_name_that_is_no_service_is_told_by_its_failing_lines_first():
    named = [
        LogLine(x.at, "pay", x.level, f"POST https://api.norpay.example: {x.message}", "a.log:1") for x in INCIDENT
    ]
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=named),)))
    found = await findings(agent, context(window(), [], "is norpay down?"))
    searched = [e for e in found.evidence if e.tool == "search_logs"]
    assert [e.args.get("levels") for e in searched] == [["fatal", "error"], None]
    assert searched[0].result.data["lines"] <= searched[1].result.data["lines"]


async def test_the_text_that_is_counted_is_searched_and_its_number_is_the_answer():
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=INCIDENT),)))
    found = await findings(agent, context(window(), ["cart"], "how many upstream said errors between 12:00 and 15:00"))
    search = next(e for e in found.evidence if e.tool == "search_logs")
    assert search.args == {"words": ["upstream", "said"]}
    assert search.result.data["lines"] == 240


def saying(service: str, *messages: str) -> list[LogLine]:
    first = at("13:00")
    return [
        LogLine(first + timedelta(minutes=n), service, "info", text, f"a.log:{n}") for n, text in enumerate(messages)
    ]


SIGN_IN = by_time(
    saying("auth", *(f"Auth event: login_failed - user {n} - redis timeout" for n in range(7))),
    saying(
        "gate", *(f"LoginFailure user {n}: certificate expired" for n in range(4)), "login ok", "cache refresh failed"
    ),
)


async def words_of(question: str, *lines: LogLine) -> tuple[list[str], list[Json]]:
    """The plain answer's lines, and the data of the searches."""
    agent = logs.make(Sources(logs=(MemoryLogs("files", lines=lines),)))
    ctx = context(window(), [], question, "en" if question.isascii() else "zh")
    found = await findings(agent, ctx)
    data = [e.result.data for e in found.evidence if e.tool == "search_logs"]
    return list(plainly(Turn(agent, [], ctx), [found]).lines), data


async def test_lines_of_any_level_are_found_by_their_words_with_number_times_services_and_kinds() -> None:
    said, [data] = await words_of("find login failures", *SIGN_IN)
    assert (data["lines"], data["whose"]) == (11, [["auth", 7], ["gate", 4]])
    assert said[0].startswith("11 log lines in ")
    assert "the first at 13:00, the last at 13:06: auth 7, gate 4 [L2]." in said[0]
    assert said[2].startswith("- ×7: `Auth event: login_failed")
    assert said[3].startswith("- ×4: `LoginFailure user")
    assert len([line for line in said if line.startswith("- 13:0")]) == 3


async def test_where_no_line_holds_all_the_words_it_says_so_and_what_most_of_them_find() -> None:
    said, data = await words_of("有没有支付登录失败的日志", *SIGN_IN)
    assert [d["lines"] for d in data] == [0, 0]
    assert "没有提到「支付 登录 失败」的行（查过的写法" in said[0]
    said, data = await words_of("刷新页面缓存失败的日志有哪些", *SIGN_IN)
    assert [d["lines"] for d in data] == [0, 1]
    assert "1 行日志提到「缓存 失败」" in said[1]


async def test_of_more_lines_than_are_sorted_number_last_time_and_services_are_still_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("subagents.logs.tools.SORTED", 5)
    said, [data] = await words_of("how many login failures?", *SIGN_IN)
    assert (data["lines"], data["sorted"], sum(n for _, n in data["whose"])) == (11, 5, 11)
    assert "the last at 13:06" in said[0]
    assert said[1] == "What they say most of the first 5 lines:"
