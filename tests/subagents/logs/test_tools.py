from __future__ import annotations

from datetime import timedelta

from hermes_ops.testing.sources import MemoryLogs, MemorySpans
from orchestrator.agent import Agent
from orchestrator.contracts import Window
from subagents import logs
from subagents.sources import Edge, Sources, Span
from tests.subagents.rig import at, by_time, call, calm, context, errors, window

INCIDENT = by_time(
    calm("cart"),
    errors("cart", "13:03", 40, 6, "pay call 7 failed: upstream said 500", "502"),
    errors("pay", "13:03", 40, 6, "pool of 2 exhausted", "500"),
    errors("mail", "12:20", 3, 1),
)


def agent(*sources: MemoryLogs, spans: tuple[MemorySpans, ...] = ()) -> Agent:
    return logs.make(Sources(logs=sources, spans=spans))


async def test_errors_are_counted_by_service_with_begin_and_end():
    got = await call(agent(MemoryLogs("files", lines=INCIDENT)), context(window(), ["cart"]), "count_errors")
    assert got.status == "ok"
    assert "cart 240 (before 0) · up 13:03–13:43 ±60 s, peak 6" in got.text
    assert got.data["onset"] == at("13:03").isoformat()
    assert got.data["end"] == at("13:43").isoformat()
    assert set(got.data["services"]) == {"cart", "pay"}, "what rose with it belongs to it, mail doesn't"
    by_label = {(f.name, f.labels.get("service")): f.value for f in got.figures if "hour" not in f.labels}
    assert by_label["errors", "cart"] == 240
    assert ("errors", "mail") not in by_label


async def test_a_window_that_begins_and_ends_within_a_minute_is_counted_exactly():
    lines = by_time(calm("mail"), errors("cart", "13:03", 40, 6), errors("pay", "13:20", 10, 3))
    source = MemoryLogs("files", lines=lines)
    span = window("13:10:20", "13:20:40")
    truth = {
        n: sum(span.start <= x.at < span.end for x in source.lines if x.at and x.service == n) for n in ("cart", "pay")
    }
    got = await call(agent(source), context(span), "count_errors")
    assert {row["service"]: row["n"] for row in got.data["counts"]} == truth
    assert {row["service"]: sum(row["slots"].values()) for row in got.data["counts"]} == truth
    earlier = sum(x.at < span.start for x in source.lines if x.at and x.service == "cart")
    assert {row["service"]: row["before"] for row in got.data["counts"]} == {"cart": earlier, "pay": 0}


async def test_a_rise_that_outlasts_the_window_has_its_end_and_the_windows_count():
    got = await call(
        agent(MemoryLogs("files", lines=INCIDENT)), context(window("13:00", "13:20"), ["cart"]), "count_errors"
    )
    [row] = [r for r in got.data["counts"] if r["service"] == "cart"]
    assert (row["onset"], row["end"]) == (at("13:03").isoformat(), at("13:43").isoformat())
    assert row["n"] == row["rise"] == 17 * 6


async def test_counting_is_pushed_down():
    source = MemoryLogs("files", lines=INCIDENT)
    await call(agent(source), context(window(), ["cart"]), "count_errors", by=["code"])
    assert all(isinstance(asked, tuple) for asked in source.asked), "only grouped counts were asked for, no rows"
    assert len(source.asked) == 2


async def test_codes_and_levels_on_request():
    got = await call(agent(MemoryLogs("files", lines=INCIDENT)), context(window(), ["cart"]), "count_errors", by="code")
    assert "by code: cart 502 ×240" in got.text
    got = await call(
        agent(MemoryLogs("files", lines=INCIDENT)), context(window(), ["cart"]), "count_errors", by="level"
    )
    assert "cart error ×240" in got.text
    assert "cart info ×180" in got.text


async def test_no_logs_of_a_service_is_not_no_errors():
    lines = by_time(calm("cart"), errors("pay", "12:20", 3, 1))
    quiet = context(window("14:00", "14:30"), ["cart", "pay", "ghost"])
    got = await call(agent(MemoryLogs("files", lines=lines)), quiet, "count_errors")
    assert "no error lines of cart in the window, among 30 log lines searched there" in got.text
    assert "pay wrote no log lines at all, so nothing can be said of errors; no source has logs of ghost" in got.text
    assert got.data["heard"] == ["cart"]
    alone = context(window("14:00", "14:30"), ["pay"])
    got = await call(agent(MemoryLogs("files", lines=lines)), alone, "count_errors")
    assert "no error lines" not in got.text
    assert got.data["unsaid"]["zh"] == "pay 没有任何日志，无法判断有没有错误"


async def test_an_empty_window_says_what_was_searched_and_what_begins_elsewhere():
    got = await call(
        agent(MemoryLogs("files", lines=INCIDENT)), context(window("09:00", "10:00"), ["cart"]), "count_errors"
    )
    assert got.status == "no_data"
    assert "no error lines of cart in the window, among 60 log lines searched there" in got.text
    assert got.data["elsewhere"]["onset"] == at("13:03").isoformat()
    assert got.data["onset"] is None


async def test_the_data_clock_that_reads_like_the_asked_time_is_offered():
    span = window("04:45", "05:45", "Asia/Shanghai")  # 12:45 to 13:45 there; the data's own clock is UTC
    got = await call(agent(MemoryLogs("files", lines=INCIDENT)), context(span, ["cart"]), "count_errors")
    other = got.data["elsewhere"]
    assert other["own_clock"]
    assert not other["inside"]
    assert "21:03 +08:00 (13:03 UTC in the data's own clock)" in got.text


async def test_one_failed_source_is_a_gap_that_names_it():
    up, down = MemoryLogs("loki", lines=INCIDENT), MemoryLogs("files", down="connection refused")
    got = await call(agent(up, down), context(window(), ["cart"]), "count_errors")
    assert got.status == "ok"
    assert not got.complete
    assert got.gaps == ("not reached: files: connection refused",)
    assert got.source == "loki"


async def test_all_failed_is_an_error_that_names_them():
    down = [MemoryLogs(name, down="connection refused") for name in ("loki", "files")]
    got = await call(agent(*down), context(window(), ["cart"]), "patterns")
    assert got.status == "error"
    assert "loki: connection refused" in got.text
    assert "files: connection refused" in got.text


async def test_no_source_at_all_says_that_nothing_was_searched():
    got = await call(agent(), context(window(), ["cart"]), "patterns")
    assert got.status == "no_data"
    assert got.gaps == ("no source of logs is configured, so nothing was searched",)


async def test_new_patterns_come_first_and_tell_whom_they_name():
    got = await call(agent(MemoryLogs("files", lines=INCIDENT)), context(window(), ["cart"]), "patterns")
    assert got.data["patterns"][0]["template"] == "pay call <*> failed: upstream said <*>"
    assert got.data["patterns"][0]["new"]
    assert got.data["names"] == [["cart", "pay", 240]]


async def test_a_word_that_only_contains_a_service_name_names_nobody():
    lines = by_time(calm("pay"), errors("cart", "13:00", 3, 3, "payment failed, prepay refused"))
    got = await call(agent(MemoryLogs("files", lines=lines)), context(window(), ["cart"]), "patterns")
    assert got.data["names"] == []


async def test_search_shows_lines_and_the_total():
    one = agent(MemoryLogs("files", lines=INCIDENT))
    got = await call(one, context(window(), ["cart"]), "search_logs", text="upstream", limit="5")
    assert (got.shown, got.total) == (5, 240)
    assert got.text.splitlines()[1].startswith("13:03 cart error pay call 7 failed")
    none = await call(one, context(window(), ["cart"]), "search_logs", text=["no such words"])
    assert none.status == "no_data"
    assert "no log lines of cart that hold 'no such words' in 2026-03-04 12:00–15:00" in none.text


async def test_a_model_may_narrow_the_window():
    one = agent(MemoryLogs("files", lines=INCIDENT))
    got = await call(one, context(window(), ["cart"]), "search_logs", text=["upstream"], window="13:10-13:20")
    assert got.total == 60
    outside = await call(one, context(window(), ["cart"]), "search_logs", window="20:00-21:00")
    assert outside.status == "error"


async def test_spans_are_offered_where_there_are_any():
    assert "slow_spans" not in agent(MemoryLogs("files")).by_name
    spans = MemorySpans(
        "tempo",
        rows=[
            Span("t", "1", None, "cart", "POST /buy", at("13:05"), 3.05),
            Span("t", "2", "1", "cart", "call pay", at("13:05"), 3.0, error="timeout"),
        ],
        calls=[Edge("cart", "pay", 12)],
    )
    got = await call(agent(MemoryLogs("files"), spans=(spans,)), context(window(), ["cart"]), "slow_spans")
    assert got.text.splitlines()[1:] == [
        "13:05 cart call pay 3000 ms timeout",
        "13:05 cart POST /buy 3050 ms",
        "calls: cart → pay ×12",
    ]
    assert got.data["calls"] == [["cart", "pay", 12]]


async def test_a_long_window_is_shown_by_day_of_the_askers_zone():
    span = Window(at("00:00") - timedelta(days=5), at("23:00"), "Asia/Shanghai")
    got = await call(agent(MemoryLogs("files", lines=INCIDENT)), context(span, ["cart"]), "count_errors")
    assert {dict(f.labels).get("day") for f in got.figures if f.value == 240} == {None, "2026-03-04"}
    assert not any("hour" in f.labels for f in got.figures)


async def test_data_that_does_not_reach_back_has_no_before():
    got = await call(agent(MemoryLogs("files", lines=INCIDENT)), context(window("06:00"), ["cart"]), "count_errors")
    assert "no data from before" in got.text
    assert not any(f.name == "errors before" for f in got.figures)
