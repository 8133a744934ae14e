"""The time grammar: a table worked out by hand, what must never happen for any text, and what models give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.contracts import Window, from_json, to_json
from orchestrator.when import follow, narrow, resolve, say

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ZONES = ("UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")
Case = tuple[str, str, datetime, tuple[str, ...]]


def table() -> Iterator[Case]:
    zone, now = "UTC", NOW
    for line in (Path(__file__).parent / "when_table.txt").read_text("utf-8").splitlines():
        if line.startswith("@"):
            zone, now = line.split()[1], datetime.fromisoformat(line.split()[2])
        elif line and not line.startswith("#"):
            words, *want = (part.strip() for part in line.split(" | "))
            yield words, zone, now, tuple(want)


@pytest.mark.parametrize(("words", "zone", "now", "want"), [pytest.param(*c, id=f"{c[0]} @{c[1]}") for c in table()])
def test_the_table(words: str, zone: str, now: datetime, want: tuple[str, ...]) -> None:
    reading = resolve(words, now, zone)
    if want == ("-",):
        assert (reading.window, reading.unread) == (None, ())
    elif want[0].startswith("? "):
        assert reading.window is None
        assert want[0][2:] in "; ".join(reading.unread)
    else:
        assert reading.window is not None, reading.unread
        got = reading.window
        assert (got.start.isoformat(), got.end.isoformat()) == tuple(
            datetime.fromisoformat(t).isoformat() for t in want
        )
        assert got.zone == zone
        assert reading.said == got.said != ""
        assert reading.unread == ()


def test_the_table_is_large_enough() -> None:
    kinds = [c[3][0][0] for c in table()]
    assert sum(k not in "-?" for k in kinds) >= 150
    assert min(kinds.count("-"), kinds.count("?")) >= 20


def window(words: str, now: datetime = NOW, zone: str = "UTC") -> Window:
    got = resolve(words, now, zone).window
    assert got is not None
    return got


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("since 14:00", "2026-11-29"),
        ("after 14:00 yesterday", "to the end of that day"),
        ("around 14:00", "30 minutes before and after"),
        ("5/11 14:00", "month/day"),
        ("现在", "15 minutes"),
        ("刚才", "30 minutes"),
        ("昨晚", "18:00–06:00"),
        ("14:00 UTC+8", "UTC+08:00"),
        ("三点", "24-hour clock"),
        ("today", "until now"),
    ],
)
def test_a_choice_is_told(words: str, told: str) -> None:
    assert told in window(words).why


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("昨天 checkout 成功率占比 60:40，为什么", "2026-11-29 00:00 – 2026-11-30 00:00 +00:00"),
        ("yesterday 14:00 errors, score 30:70", "2026-11-29 13:30–14:30 +00:00"),
        ("最近两小时流量 80:20 了", "2026-11-30 07:00–09:00 +00:00"),
    ],
)
def test_what_can_be_no_clock_time_takes_no_window_away(words: str, want: str) -> None:
    assert say(window(words)) == want


def test_alone_it_is_said_to_be_none() -> None:
    assert resolve("checkout 61:00 报错", NOW, "UTC").unread == ("61:00: no such clock time",)


@pytest.mark.parametrize("digits", ["٣", "３", "३", "𝟛"])
@pytest.mark.parametrize("words", ["昨天 {}点", "11月{}号", "last {} hours", "2026-11-2{}", "前天1{}:00", "{}天前"])
def test_digits_of_any_script_read_alike(words: str, digits: str) -> None:
    got, plain = window(words.format(digits)), window(words.format("3"))
    assert (got.start, got.end) == (plain.start, plain.end)


@pytest.mark.parametrize(
    ("words", "now", "want"),
    [
        ("2月28日到2月29日", "2024-03-05", ("2024-02-28", "2024-03-01")),
        ("2023年12月30日到2月29日", "2024-03-05", ("2023-12-30", "2024-03-01")),
        ("2025年12月30日到1月2日", "2026-03-05", ("2025-12-30", "2026-01-03")),
        ("30号到2号", "2026-03-05", ("2026-01-30", "2026-02-03")),
        ("9998-12-30 到 12月30日", "2026-03-05", ("9998-12-30", "9998-12-31")),
        ("25年11月", "2026-12-05", ("2025-11-01", "2025-12-01")),
    ],
)
def test_days_of_leap_years_and_over_the_year(words: str, now: str, want: tuple[str, str]) -> None:
    got = window(words, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert (f"{got.start:%F}", f"{got.end:%F}") == want


@pytest.mark.parametrize("words", ["9999年12月", "3024年2月", "77年5月"])
def test_a_year_that_was_written_is_never_left_out(words: str) -> None:
    reading = resolve(words, NOW, "UTC")
    assert reading.window is None
    assert words in reading.unread[0]


def test_clock_changes_are_told() -> None:
    spring = window("yesterday 02:30", datetime(2026, 3, 30, 8, tzinfo=UTC), "Europe/Berlin")
    autumn = window("yesterday 02:30", datetime(2026, 10, 26, 8, tzinfo=UTC), "Europe/Berlin")
    assert "skipped by the clock change" in spring.why
    assert "comes twice" in autumn.why


def test_days_of_a_clock_change_have_23_and_25_hours() -> None:
    spring = window("昨天", datetime(2026, 3, 30, 8, tzinfo=UTC), "Europe/Berlin")
    autumn = window("昨天", datetime(2026, 10, 26, 8, tzinfo=UTC), "Europe/Berlin")
    assert (spring.end - spring.start, autumn.end - autumn.start) == (timedelta(hours=23), timedelta(hours=25))


def test_what_a_question_compares_with_is_another_window() -> None:
    reading = resolve("今天的报错比昨天多吗", NOW, "UTC")
    assert [say(w) for w in reading.others] == ["2026-11-29 00:00 – 2026-11-30 00:00 +00:00"]
    assert resolve("昨天 checkout 为什么 14:00 之后报错", NOW, "UTC").others == ()


def test_a_clock_time_never_takes_today_when_its_day_is_unread() -> None:
    reading = resolve("双十一 checkout 从 08:00 开始慢", NOW, "UTC")
    assert reading.window is None
    assert len(reading.unread) == 2


# ── narrow ────────────────────────────────────────────────────────────────────────────────────

DAY = Window(datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC), "UTC", "yesterday")


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("14:00-15:00", "2026-11-29 14:00–15:00 +00:00"),
        ("14:00–15:00", "2026-11-29 14:00–15:00 +00:00"),
        ("2026-11-29T14:00:00Z/2026-11-29T15:00:00Z", "2026-11-29 14:00–15:00 +00:00"),
        ("2026-11-29T22:00:00+08:00..2026-11-29T23:00:00+08:00", "2026-11-29 14:00–15:00 +00:00"),
        ("2026-11-29 14:00 to 2026-11-29 15:00", "2026-11-29 14:00–15:00 +00:00"),
        ("last 15 minutes", "2026-11-29 23:45 – 2026-11-30 00:00 +00:00"),
        ("昨天 23:30 到今天 00:30", "2026-11-29 23:30 – 2026-11-30 00:00 +00:00"),
        ("since 22:00", "2026-11-29 22:00 – 2026-11-30 00:00 +00:00"),
    ],
)
def test_narrow_stays_inside_the_run(text: str, want: str) -> None:
    assert say(narrow(text, DAY, NOW, "UTC")) == want


def test_narrow_without_words_is_the_whole_window() -> None:
    assert narrow("", DAY, NOW, "UTC") is DAY
    with pytest.raises(ValueError, match="give one as"):
        narrow(" ", None, NOW, "UTC")


def test_narrow_says_when_it_clipped() -> None:
    assert "clipped" in narrow("2026-11-28/2026-11-29", DAY, NOW, "UTC").why


@pytest.mark.parametrize(
    "text", ["soon", "14:00-15:00 and 99", "2026-02-30", "14:00, 15:00", "the deploy", "1764424800"]
)
def test_what_narrow_cant_read_names_valid_forms(text: str) -> None:
    with pytest.raises(ValueError, match='valid are "14:00-15:00"'):
        narrow(text, DAY, NOW, "UTC")


@pytest.mark.parametrize("text", ["2026-11-28", "today", "2026-11-30T00:00Z/2026-11-30T01:00Z"])
def test_outside_the_runs_window_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="lies outside this run's window 2026-11-29 00:00"):
        narrow(text, DAY, NOW, "UTC")


# ── say and follow ────────────────────────────────────────────────────────────────────────────


def test_say() -> None:
    hour = Window(datetime(2026, 11, 29, 14, tzinfo=UTC), datetime(2026, 11, 29, 15, 0, 30, tzinfo=UTC), "UTC")
    assert say(hour) == "2026-11-29 14:00–15:00:30 +00:00"
    assert say(hour, "Asia/Shanghai") == "2026-11-29 22:00–23:00:30 +08:00"
    assert say(DAY, lang="zh") == "2026-11-29 00:00 至 2026-11-30 00:00 +00:00"
    autumn = window("昨天", datetime(2026, 10, 26, 8, tzinfo=UTC), "Europe/Berlin")
    assert say(autumn) == "2026-10-25 00:00 +02:00 – 2026-10-26 00:00 +01:00"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("再往前一小时", "2026-11-29 13:00–14:00 +00:00"),
        ("the hour before", "2026-11-29 13:00–14:00 +00:00"),
        ("再往后半小时", "2026-11-29 15:00–15:30 +00:00"),
        ("the next hour", "2026-11-29 15:00–16:00 +00:00"),
        ("前一天同一时段", "2026-11-28 14:00–15:00 +00:00"),
        ("same time the day before", "2026-11-28 14:00–15:00 +00:00"),
    ],
)
def test_follow(text: str, want: str) -> None:
    former = window("2026-11-29T14:00Z/2026-11-29T15:00Z")
    got = follow(text, former, NOW, "UTC")
    assert got is not None
    assert say(got) == want


@pytest.mark.parametrize("text", ["谢谢", "and payment?", "那 checkout 呢", "之前发布了什么"])
def test_no_follow(text: str) -> None:
    assert follow(text, window("yesterday"), NOW, "UTC") is None


# ── for any text ──────────────────────────────────────────────────────────────────────────────

WORDS = sorted(
    {w for c in table() for w in c[0].replace("-", " - ").split()} | set("今昨前上下午晚点半月日号周到从后年0129:/-")
)
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=8).flatmap(lambda w: st.sampled_from([" ".join(w), "".join(w)]))
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


@given(st.one_of(st.text(max_size=60), SENTENCES), TIMES, st.sampled_from(ZONES))
def test_any_text_gives_a_sound_reading(text: str, now: datetime, zone: str) -> None:
    reading = resolve(text, now, zone)
    for w in [reading.window, *reading.others]:
        if w is not None:
            assert w.start < w.end
            assert w.said
            assert from_json(Window, to_json(w)) == w
    with suppress(ValueError):
        inside = narrow(text, reading.window, now, zone)
        assert reading.window is None or (reading.window.start <= inside.start < inside.end <= reading.window.end)


DIGITS = st.one_of(st.sampled_from(["999999", "9999", "0", "٣", "３", "²", "½", "十", "廿卅", "半", "一点"]),
                   st.text(st.characters(categories=["Nd", "Nl", "No"]), min_size=1, max_size=6))  # fmt: skip
UNITS = [*"ymwdhms%倍年月周天日号点分", "years", "months", "weeks", "days", "hours", "minutes", "seconds", "mo", "个月",
         "点半", "刻钟", "小时", "季度", ":00", ":30", "-01-01", "/1", "th", "am"]  # fmt: skip
AROUND = ["", " ", "last ", "再往前", "最近", "前后", " ago", "之前", "以来", " and ", "到", "-", "昨天", " before ",
          "now-"]  # fmt: skip
COUNTED = st.lists(st.tuples(st.sampled_from(AROUND), DIGITS, st.sampled_from(UNITS)).map("".join), max_size=4)


@given(COUNTED, st.sampled_from(AROUND), TIMES, st.sampled_from(ZONES))
def test_no_number_is_too_large_or_too_strange(parts: list[str], joint: str, now: datetime, zone: str) -> None:
    text = joint.join(parts)
    reading = resolve(text, now, zone)
    former = reading.window or Window(now - timedelta(hours=1), now, zone)
    assert (moved := follow(text, former, now, zone)) is None or moved.start < now
    with suppress(ValueError):
        narrow(text, former, now, zone)


@pytest.mark.parametrize("text", ["再往前999999年", "再往后 999999 年", "再往前999999年999999年", "前后 999999 年"])
def test_what_leads_out_of_the_calendar_moves_no_window(text: str) -> None:
    assert follow(text, DAY, NOW, "UTC") is None


def test_a_length_beyond_the_calendar_is_unread() -> None:
    assert "no such time" in resolve("last 999999 years 999999 years 999999 years", NOW, "UTC").unread[0]


@given(TIMES, st.timedeltas(timedelta(microseconds=1), timedelta(days=400)), st.sampled_from(ZONES),
       st.sampled_from(["en", "zh"]), st.sampled_from(ZONES))  # fmt: skip
def test_what_is_said_is_read_back(start: datetime, long: timedelta, zone: str, lang: str, asker: str) -> None:
    w = Window(start, start + long, zone)
    for text in (say(w, zone, lang), f"{w.start.isoformat()}/{w.end.isoformat()}"):  # type: ignore[arg-type]
        back = narrow(text, None, w.end, asker)
        assert (back.start, back.end) == (w.start, w.end), text


def test_a_long_text_is_read_in_good_time() -> None:
    line = "[2026-11-29 14:02:11,500] ERROR checkout 10.2.3.4:8080 took 3 s 昨天 after 2 hours\n"
    begin = datetime.now(UTC)
    assert resolve(line * 1200 + "昨天 14:00 之后呢", NOW, "UTC").window is not None
    assert datetime.now(UTC) - begin < timedelta(seconds=5)
