"""What people write: workday files, wishes for schedules, requests for reports; and who is on call."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from hermes_ops.channels.commands import read_command
from hermes_ops.schedule import asked, own, phrases
from hermes_ops.schedule.cron import before
from hermes_ops.schedule.oncall import on_call, shifts
from hermes_ops.schedule.phrases import Cancel, List, Wish
from hermes_ops.schedule.settings import OnCallSettings, ScheduleSettings, TeamSettings, wanted
from hermes_ops.schedule.words import often, stamp
from hermes_ops.schedule.workdays import load, read
from memory import Schedule
from orchestrator.errors import ConfigError

FILE = """\ufeff# 2026 国庆
2026-10-01..2026-10-08 off 国庆节
2026-10-10 work 调休
2026年9月27日\t班\t调休
20261231,休,公司假
2026-10-08 work  # the later line wins
"""


def test_workdays_by_weekday_and_by_file() -> None:
    plain, days = read(""), read(FILE)
    assert [plain.is_workday(date(2026, 11, d)) for d in (27, 28, 29, 30)] == [True, False, False, True]
    assert [days.is_workday(date(2026, 10, d)) for d in (1, 5, 7, 8, 9, 10, 11)] == [
        False, False, False, True, True, True, False,
    ]  # fmt: skip
    assert days.is_workday(date(2026, 9, 27))
    assert not days.is_workday(date(2026, 12, 31))
    assert (days.name(date(2026, 10, 1)), days.last) == ("国庆节", date(2026, 12, 31))


def test_another_week() -> None:
    days = read("week 7,1-4  # Sunday to Thursday")
    assert [days.is_workday(date(2026, 11, d)) for d in range(23, 30)] == [True] * 4 + [False, False, True]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("2026-02-30 off", "line 2: there is no such day"),
        ("2026-10-01 maybe", "line 2: .* is no day"),
        ("tomorrow off", "line 2: .* is no day"),
        ("2026-10-08..2026-10-01 off", "line 2: the span must run forward"),
    ],
)
def test_a_line_that_cant_be_read_is_named(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "days.txt"
    path.write_text(f"# days\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=why):
        load(path)
    with pytest.raises(ConfigError, match=r"nowhere\.txt can't be read"):
        load(tmp_path / "nowhere.txt")


def test_people_take_turns_and_swap() -> None:
    roster = OnCallSettings(
        people=("张伟", "李娜"),
        since=date(2026, 11, 23),
        swaps={date(2026, 11, 25): "王芳"},
        contacts={"李娜": "+86"},
    )
    zone = "Asia/Shanghai"

    def at(day: int, hour: int) -> str:
        found = on_call(roster, datetime(2026, 11, day, hour, tzinfo=UTC), zone)
        return found.who if found else ""

    assert [at(22, 12), at(23, 2), at(25, 2), at(26, 0), at(26, 2)] == ["", "张伟", "王芳", "王芳", "张伟"]
    monday = on_call(roster, datetime(2026, 11, 30, 1, tzinfo=UTC), zone)  # 09:00 there: the shift changes
    assert monday is not None
    assert (monday.who, monday.contact) == ("李娜", "+86")
    assert monday.start == datetime(2026, 11, 30, 1, tzinfo=UTC)
    assert monday.end == datetime(2026, 12, 7, 1, tzinfo=UTC)
    start, end = datetime(2026, 11, 24, 16, tzinfo=UTC), datetime(2026, 11, 30, 16, tzinfo=UTC)
    assert [s.who for s in shifts(roster, start, end, zone)] == ["张伟", "王芳", "张伟", "李娜"]
    assert on_call(OnCallSettings(), start, zone) is None


def test_the_mornings_report_is_there_by_itself() -> None:
    assert wanted(TeamSettings(), {}) == {}
    team = TeamSettings(chats=("oc_1",))
    assert {n: s.cron for n, s in wanted(team, {}).items()} == {"daily": "0 9 * * *"}
    assert wanted(team, {"daily": ScheduleSettings(on=False)}) == {}
    both = wanted(team, {"daily": ScheduleSettings(cron="30 8 * * *"), "weekly": ScheduleSettings(report="week")})
    assert [(s.cron, s.report) for s in both.values()] == [("30 8 * * *", "day"), ("0 9 * * *", "week")]


@pytest.mark.parametrize(
    ("text", "cron", "rest"),
    [
        ("每天18点发我 checkout 错误数", "0 18 * * *", "checkout 错误数"),
        ("每天晚上8点半给我发送今天的错误数", "30 20 * * *", "今天的错误数"),
        ("把 checkout 错误数每天18:00发到群里", "0 18 * * *", "checkout 错误数"),
        ("每周一、三、五 9点半 推送 payment 的告警", "30 9 * * 1,3,5", "payment 的告警"),
        ("每周一到周五9点告诉我昨天的告警", "0 9 * * 1-5", "昨天的告警"),
        ("每天早上9点、下午6点发我告警", "0 9,18 * * *", "告警"),
        ("每2小时告诉我还有哪些告警", "0 */2 * * *", "还有哪些告警"),
        ("每隔30分钟查一下 checkout 错误数", "*/30 * * * *", "checkout 错误数"),
        ("每月1号9点汇报上个月的变更", "0 9 1 * *", "上个月的变更"),
        ("每晚8点发我今天的变更", "0 20 * * *", "今天的变更"),
        ("every day at 6pm send me checkout errors", "0 18 * * *", "checkout errors"),
        ("Send me checkout errors every day at 18:00.", "0 18 * * *", "checkout errors"),
        ("every monday and thursday at noon tell me the open alerts", "0 12 * * 1,4", "the open alerts"),
        ("daily at half past nine am post yesterday's ops report", "30 9 * * *", "yesterday's ops report"),
        ("every 4 hours send me the open alerts", "0 */4 * * *", "the open alerts"),
    ],
)
def test_a_wish_for_a_schedule(text: str, cron: str, rest: str) -> None:
    assert phrases.read(text) == Wish(cron, rest)
    assert getattr(read_command(text), "name", "") == "schedules"


@pytest.mark.parametrize("text", ["每个工作日早上9点告诉我昨晚的告警", "every weekday at 9 send me the alerts"])
def test_workdays_are_the_teams(text: str) -> None:
    found = phrases.read(text)
    assert isinstance(found, Wish)
    assert (found.cron, found.workdays) == ("0 9 * * *", True)


@pytest.mark.parametrize(
    ("text", "why"),
    [("每天发我错误数", "clock"), ("每天25点发我告警", "unread"), ("每天9点和18点半发我告警", "mixed"),
     ("every 7 hours send me alerts", "unread")],
)  # fmt: skip
def test_times_that_cant_be_had_are_told_apart(text: str, why: str) -> None:
    found = phrases.read(text)
    assert isinstance(found, Wish)
    assert (found.cron, found.why) == ("", why)


@pytest.mark.parametrize(
    "text",
    [
        "每天18点的错误数是多少？",
        "每天晚上都有告警，为什么？",
        "why does checkout fail every day at 9?",
        "show errors every day at 9 pm in checkout",
        "昨天18点发生了什么",
        "取消",
        "停止",
        "",
        "x" * 10_000,
        "每天18点发我 " + "错" * 600,
    ],
)
def test_questions_are_no_wishes(text: str) -> None:
    assert phrases.read(text) is None


def test_lists_and_cancels() -> None:
    assert [phrases.read(t) for t in ("我的定时", "查看我的定时任务", "my schedules", "有哪些定时？")] == [List()] * 4
    assert [phrases.read(t) for t in ("取消定时 2", "删除定时任务2", "cancel schedule #2")] == [Cancel(2)] * 3
    assert [phrases.read(t) for t in ("取消所有定时", "cancel all my schedules")] == [Cancel(None, True)] * 2
    assert phrases.read("取消定时") == Cancel(None)


@pytest.mark.parametrize(
    ("text", "time", "kind"),
    [
        ("生成昨天的运维日报", "昨天", "day"),
        ("帮我生成一份昨天的日报", "昨天", "day"),
        ("日报", "", "day"),
        ("给我 2026-11-29 的运维日报", "2026-11-29", "day"),
        ("发一下上周的运维周报。", "上周", "week"),
        ("yesterday's ops report", "yesterday", "day"),
        ("give me the daily report", "", "day"),
        ("daily ops report for 2026-11-29", "2026-11-29", "day"),
        ("weekly report", "", "week"),
        ("/report", "", "day"),
        ("/report 昨天", "昨天", "day"),
        ("/report 周报", "", "week"),
        ("/handover 昨晚21:00到今早9:00", "昨晚21:00到今早9:00", "shift"),
        ("昨晚21:00到今早9:00的交接班报告", "昨晚21:00到今早9:00", "shift"),
        ("handover", "", "shift"),
    ],
)
def test_a_request_for_a_report(text: str, time: str, kind: str) -> None:
    found = asked.read(text)
    assert found is not None
    assert (found.time, "week" if found.week else "shift" if found.handover else "day") == (time, kind)
    assert read_command(text) is None


@pytest.mark.parametrize(
    "text",
    ["report", "生成报告", "checkout 的错误日报", "为什么昨天的日报没有发", "show me the report service errors",
     "checkout 昨天的报告为什么失败", "what does the report say?", "/reports", "那 272 个是什么？"],
)  # fmt: skip
def test_other_messages_are_no_requests(text: str) -> None:
    assert asked.read(text) is None


@pytest.mark.parametrize(
    ("cron", "locale", "text", "said"),
    [
        ("0 18 * * *", "zh", "checkout 错误数", "过去 24 小时 checkout 错误数"),
        ("0 */4 * * *", "en", "checkout errors", "checkout errors in the last 4 hours"),
        ("30 9 * * 1", "zh", "告警有哪些", "过去 168 小时 告警有哪些"),
        ("0 18 * * *", "zh", "昨天 checkout 错误数", "昨天 checkout 错误数"),
        ("0 9 * * *", "zh", "/report", "/report"),
    ],
)
def test_a_schedule_without_a_time_of_its_own_asks_about_what_was_since_its_slot_before(
    cron: str, locale: str, text: str, said: str
) -> None:
    made = datetime(2026, 11, 1, tzinfo=UTC)
    s = Schedule("", "feishu", "u", "c", "", True, cron, "UTC", False, locale, text, made, id=1)
    slot = before(cron, "UTC", datetime(2026, 12, 1, 19, tzinfo=UTC), made)
    assert slot is not None
    assert own.question(s, slot)[1].text == said


def test_times_in_words() -> None:
    def schedule(cron: str, workdays: bool = False) -> Schedule:
        now = datetime(2026, 11, 30, tzinfo=UTC)
        return Schedule("", "feishu", "u", "c", "", True, cron, "Asia/Shanghai", workdays, "zh", "q", now)

    crons = ("0 18 * * *", "30 9,18 * * 1-5", "0 9 1 * *", "*/30 * * * *", "0 * * * *", "0 */4 * * *", "0 9 * * 0,6")
    assert [often(schedule(c), "zh") for c in crons] == [
        "每天 18:00", "每周一到周五 09:30、18:30", "每月 1 日 09:00", "每 30 分钟", "每小时", "每 4 小时",
        "每周日、周六 09:00",
    ]  # fmt: skip
    assert [often(schedule(c), "en") for c in crons[:2]] == ["every day at 18:00", "every Mon–Fri at 09:30, 18:30"]
    assert often(schedule("0 9 * * *", True), "zh") == "每个工作日 09:00"
    at = datetime(2026, 12, 1, 10, tzinfo=UTC)
    assert stamp(at, "Asia/Shanghai", "zh") == "2026-12-01 周二 18:00 (Asia/Shanghai)"
