"""What is said about schedules and reports in a chat and to an operator, in Chinese and English. Texts only."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from memory import Schedule

WORDS = {
    "made": (
        "好的，定时 {n}：{when}，{text}\n下次：{next}。说“取消定时 {n}”可取消。",
        "Done, schedule {n}: {when}, {text}\nNext: {next}. Say “cancel schedule {n}” to end it.",
    ),
    "full": (
        "你已经有 {most} 个定时，请先取消一个（“我的定时”可查看）。",
        "You have {most} schedules already. Cancel one first (“my schedules” lists them).",
    ),
    "none_allowed": ("这里没有开放个人定时。", "Schedules of one's own are switched off here."),
    "clock": (
        "几点呢？例如“每天18点发我 {text}”。",
        "At what time? Such as “send me {text} every day at 18:00”.",
    ),
    "unread": (
        "没看懂是什么时候。例如“每天18点发我 {text}”“每周一9:30发我 {text}”。",
        "The time can't be read. Such as “every day at 18:00 send me {text}”.",
    ),
    "mixed": (
        "几个时间的分钟要相同（9:00 和 18:00 可以，9:00 和 18:30 不行）；不同的请分开说。",
        "Several times of one schedule need the same minutes (9:00 and 18:00); say others separately.",
    ),
    "often": ("太频繁了，最短间隔 {minutes} 分钟。", "That is too often; {minutes} minutes apart at least."),
    "empty": ("你没有定时。例如“每天18点发我 checkout 错误数”。",
              "You have no schedules. Such as “send me checkout errors every day at 18:00”."),
    "line": ("{n}. {when}：{text}（下次 {next}）", "{n}. {when}: {text} (next {next})"),
    "which": ("取消哪一个？{numbers}", "Cancel which one? {numbers}"),
    "unknown": ("你没有定时 {n}。{numbers}", "You have no schedule {n}. {numbers}"),
    "gone": ("已取消定时 {n}：{text}", "Schedule {n} is cancelled: {text}"),
    "never": ("以后不会再到", "it never comes again"),
    "team": ("团队的报告：", "The team's reports:"),
    "refused": (
        "定时 {n} 没有执行：你在这里已没有提问权限。",
        "Schedule {n} was not run: you may not ask here any more.",
    ),
    "corrected": ("（第 {n} 版）", " (version {n})"),
    "undelivered": (
        "报告“{title}”没有送达 {chat}：{reason}\n仍会重试到放弃为止；同一份报告只提醒这一次。",
        "The report “{title}” did not reach {chat}: {reason}\nIt is tried on until it is given up; this is said once.",
    ),
    "possibly": (
        "报告“{title}”可能已发送到 {chat}，无法确认：{reason}\n为避免重复没有再发；要重发："
        "hermes-ops schedule run NAME --force",
        "The report “{title}” was possibly sent to {chat}, which can't be found out: {reason}\nIt is not sent again, "
        "lest it come twice. To send it again: hermes-ops schedule run NAME --force",
    ),
    "failed": (
        "定时 {name}（{slot}）失败，已放弃：{reason}",
        "The schedule {name} of {slot} failed and was given up: {reason}",
    ),
    "cause_kept": (
        "已确认 {incident} 的原因：{cause}\n之后的报告会以它代替疑似原因；撤销：/cause {incident} 撤销",
        "Confirmed for {incident}: {cause}\nLater reports give it in place of a suspect. To take it back: "
        "/cause {incident} undo",
    ),
    "cause_undone": ("已撤销对 {incident} 的确认。", "Taken back for {incident}."),
    "cause_missing": (
        "报告没有给出疑似原因，请说明：/cause {which} 原因",
        "The report names no suspect, so say what it was: /cause {which} the cause",
    ),
    "cause_unknown": ("没有哪一起事故对得上“{which}”。", "{which!r} names no one incident."),
    "cause_line": ("{incident}（疑似：{suspect}）", "{incident} (suspect: {suspect})"),
    "cause_usage": (
        "这样确认：/cause 服务或编号 原因；不写原因则确认疑似原因。",
        "Confirm it like this: /cause SERVICE-OR-KEY the cause; without a cause the suspect is confirmed.",
    ),
    "cause_none": ("最近的报告里没有事故。", "The latest reports have no incident."),
    "cause_refused": (
        "只有值班负责人可以确认原因。请管理员把你的 open_id（{user}）加到 team.operators。",
        "Only operators may confirm causes. Have your open_id ({user}) added to team.operators.",
    ),
}  # fmt: skip
DAYS = ("周日", "周一", "周二", "周三", "周四", "周五", "周六"), ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


def say(key: str, lang: str, **given: object) -> str:
    zh, en = WORDS[key]
    return (zh if lang == "zh" else en).format(**given)


def stamp(at: datetime | None, zone: str, lang: str) -> str:
    """A slot with its weekday and zone: "2026-12-01 周二 18:00 (Asia/Shanghai)"."""
    if at is None:
        return say("never", lang)
    local = at.astimezone(ZoneInfo(zone))
    day = DAYS[0 if lang == "zh" else 1][local.isoweekday() % 7]
    return f"{local:%Y-%m-%d} {day} {local:%H:%M} ({zone})"


def often(s: Schedule, lang: str) -> str:
    """Its times in words; the expression itself where they are none of the usual ones."""
    minute, hour, day, month, week = s.cron.split()
    zh = lang == "zh"
    if not (minute.isdecimal() and month == "*" and all(h.isdecimal() for h in hour.split(","))):
        return _steps(s.cron, zh)
    clocks = ("、" if zh else ", ").join(f"{int(h):02}:{int(minute):02}" for h in hour.split(","))
    if s.workdays:
        return f"每个工作日 {clocks}" if zh else f"every workday at {clocks}"
    if day != "*":
        return f"每月 {day} 日 {clocks}" if zh else f"on day {day} of each month at {clocks}"
    if week != "*":
        return f"每{_weekdays(week, 0)} {clocks}" if zh else f"every {_weekdays(week, 1)} at {clocks}"
    return f"每天 {clocks}" if zh else f"every day at {clocks}"


def _steps(cron: str, zh: bool) -> str:
    minute, hour, *_ = cron.split()
    if minute.startswith("*/"):
        return f"每 {minute[2:]} 分钟" if zh else f"every {minute[2:]} minutes"
    if hour == "*":
        return "每小时" if zh else "every hour"
    if hour.startswith("*/"):
        return f"每 {hour[2:]} 小时" if zh else f"every {hour[2:]} hours"
    return cron


def _weekdays(field: str, lang: int) -> str:
    names = DAYS[lang]
    parts = [[names[int(n) % 7] for n in part.split("-")] for part in field.split(",")]
    return ("、", ", ")[lang].join(("到", "–")[lang].join(part) for part in parts)
