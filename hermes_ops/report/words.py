"""What a report's code says in words, in Chinese and English: one table, and how lists and days are written.

It knows no section of a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from hermes_ops.report.model import Lang
from orchestrator.contracts import Window

WORDS: dict[str, tuple[str, str]] = {
    # kinds of data
    "alerts": ("告警", "alerts"),
    "metrics": ("指标", "metrics"),
    "logs": ("日志", "logs"),
    "changes": ("变更", "changes"),
    "availability": ("可用性", "availability"),
    "errors": ("错误日志", "error logs"),
    "incidents": ("事故", "incidents"),
    "comparison": ("对比", "the comparison"),
    # gaps
    "skipped": ("有 {n} 个文件无法识别，未读：{names}", "not recognised, so not read: {n} file(s), {names}"),
    "no_source": ("没有配置{kind}的数据源", "no source of {kind} is configured"),
    "outside": ("没有这段时间的数据", "holds nothing of this time"),
    "begins": ("数据从 {at} 才开始，之前的不知道", "its data begins at {at}; what was before is not known"),
    "ends": ("数据到 {at} 为止，之后的不知道", "its data ends at {at}; what came after is not known"),
    "spans": ("只有 {since} 到 {until} 的数据，其余时间不知道", "holds {since} to {until} only; the rest is not known"),
    "down": ("查询失败：{why}", "could not be asked: {why}"),
    "cut": ("结果不完整，计数只是一部分", "the answer was cut; what is counted is a part"),
    "not_known": ("取不到数据", "could not be asked"),
    "part": ("只是一部分", "a part only"),
    "only": ("只覆盖 {hours}", "{hours} only"),
    "about": ("约数", "approximate"),
    "days_part": ("有的日子数据不全", "some days were not wholly seen"),
    "of_sample": ("{what}（只计抽样的日志）", "{what} (in the sample of logs only)"),
    "sampled": ("按模式文件计，日志本身是抽样", "as the pattern file counts; the logs are a sample"),
    "sample": ("日志只是抽样（其中错误日志 {n:,} 条），模式文件计 {counted:,} 次以上；这里以模式文件的计数为准",
               "the logs are a sample: {n:,} error lines of them, where the pattern file counts {counted:,} or more; "
               "its counts are taken here"),
    "no_requests": ("没有请求计数", "no request counts"),
    "budget_part": ("只有约 {n} 天的数据：按这几天的流量推算，其余按无失败计",
                    "of about {n} day(s) of data: as busy before, and free of errors"),
    "no_ended": ("没有恢复的告警", "no alert ended"),
    "no_before": ("没有更早的告警数据", "no earlier alerts are known"),
    "no_like": ("最近 {days} 天没有可比日", "none of the last {days} days is like it"),
    "no_data_then": ("那段时间没有数据", "no data of that time"),
    "no_data_of": ("{of}没有数据", "no data of {of}"),
    "little_data_of": ("{of}只有 {hours:.1f} 小时的数据，不作比较",
                       "only {hours:.1f} hours of data of {of}: too little to compare with"),
    "the_like_day": ("可比日 {day}", "the like day, {day}"),
    "day_before": ("前一天", "the day before"),
    "week_before": ("上周同日", "the same weekday last week"),
    "period_before": ("上一周期", "the period before"),
    "no_changes_then": ("没有事故发生前的变更数据，无法判断是否由变更引起",
                        "no changes of the time before the incident are known, so none can be blamed or cleared"),
    "not_judged": ("还有 {n} 起事故没有分析原因", "not analysed for their cause: {n} more incident(s)"),
    "too_many": ("共 {n} 条，只研判了最重的 {shown} 条", "{n} in all; only the worst {shown} were judged"),
    "no_report": ("没有日报", "no report of that day"),
    "missing_days": ("{days} 没有存下来的日报，未计入", "no stored report of {days}: not counted"),
    "narrowed": ("只看 {services}", "only {services}"),
    # rules of the verdict
    "rule_incident": ("{n} 起事故，涉及 {services}", "{n} incident(s): {services}"),
    "rule_critical_open": ("严重告警未恢复：{names}", "critical alert still open: {names}"),
    "rule_objective": ("可用性未达标：{names}", "availability below objective: {names}"),
    "rule_open": ("{n} 个告警未恢复：{names}", "{n} alert(s) still open: {names}"),
    "rule_page": ("{n} 个告警值得人看：{names}", "{n} alert(s) for a person to look at: {names}"),
    "rule_errors": ("错误日志 {n} 条，可比日 {before} 条", "{n} error lines, {before} on the like day"),
    "rule_pattern": ("{service} 出现新的错误：{n} 条", "a new kind of error of {service}: {n} lines"),
    "rule_blind": ("看不到：{kinds}", "not seen: {kinds}"),
    "rule_part": ("{kinds}{why}", "{kinds}: {why}"),
    "rule_quiet": ("没有触发任何规则", "no rule fired"),
    # what needs a person
    "see_open": ("{name}自 {at} 起未恢复", "{name} has been open since {at}"),
    "see_open_maybe": ("{name}{at} 触发，不知道是否已恢复",
                       "{name} fired at {at}; nobody can say whether it is over"),
    "see_budget": ("错误预算已用完：{names}", "no error budget left: {names}"),
    "see_budget_low": ("错误预算所剩不多：{names}", "little error budget left: {names}"),
    "see_burn": ("这段时间用掉 {days} 天错误预算的：{names}",
                 "spent in this time, of {days} days' error budget: {names}"),
    "see_cause": ("{services} 的事故：请确认原因是否为{cause}",
                  "incident of {services}: confirm that this is its cause: {cause}"),
    "see_undecided": ("{services} 的事故：原因未定，待查", "incident of {services}: its cause is undecided"),
    "see_unknown": ("{services} 的事故：没有变更能解释，原因待查",
                     "incident of {services}: no change explains it; its cause is to be found"),
    "see_no_alert": ("{services} 报错成片但没有告警：请补告警规则",
                     "errors of {services} came in a burst and no alert fired: add a rule"),
    "see_gap": ("{source}：{what}", "{source}: {what}"),
    "see_pattern": ("{service} 的新错误：{sample}", "new error of {service}: {sample}"),
    "see_flapping": ("{name}反复触发 {n} 次：请调阈值或修复",
                     "{name} fired {n} times in a row: mend it or its threshold"),
    "watch_recovered": ("{services}：{at} 恢复不久，留意是否复发", "{services}: over only since {at}, may come back"),
    "watch_flight": ("{title} 仍在进行", "{title} is under way"),
    # prose
    "day": ("{date}（{weekday}）", "{weekday} {date}"),
    "quiet": ("平静", "quiet"),
    "incomplete": ("数据不全", "not wholly seen"),
    "watch": ("需留意", "one to watch"),
    "bad": ("异常", "bad"),
    "none_happened": ("没有事故", "no incident"),
    "none_seen": ("没有看到事故", "no incident seen"),
    "over_at": ("{at} 恢复", "over at {at}"),
    "over_not_yet": ("至今未恢复", "not over yet"),
    "over_not_then": ("到 {at} 仍未恢复", "not over at {at}"),
    "over_unknown": ("是否恢复未知", "not known to be over"),
    "all_core": ("核心服务可用性全部", "All core services"),
    "measured_core": ("有数据的核心服务可用性", "The core services that were measured"),
    "caused_change": ("{service} {version}（{title}）", "{service} {version} ({title})"),
    "caused_by": ("疑似由 {what}引起", "suspected: {what}"),
    "confirmed_by": ("原因（{by} 确认）：{what}", "cause (confirmed by {by}): {what}"),
    "caused_operational": ("不是变更，而是：{what}", "no change, but {what}"),
    "caused_unknown": ("没有变更能解释", "no change explains this"),
    "caused_undecided": ("原因未定", "its cause is undecided"),
    "reason_taken_back": ("{at} 被回滚", "taken back at {at}"),
    "reason_lead": ("{what}在变更后 {lead} 出现", "{what} {lead} after the change"),
}  # fmt: skip

_HAN = re.compile("[\u4e00-\u9fff]")
_OF_WEEK = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")


def say(key: str, lang: Lang, **values: object) -> str:
    """The table's words with the values filled in. Values are put in as they are: never read as a template. A
    word that ends in "(s)" is one or several by the value `n`. Between two Chinese words there is no space."""
    words = WORDS[key][lang == "en"].replace("(s)", plural(values.get("n")))
    chinese = [name for name, value in values.items() if _HAN.fullmatch(str(value)[-1:])]
    for name in chinese:
        words = re.sub(rf"({{{name}}}) (?={_HAN.pattern})", r"\1", words)
    return words.format(**values)


def named(name: str, service: str, lang: Lang) -> str:
    """ "Slow（checkout）"; a name alone keeps its distance from Chinese words."""
    if lang != "zh":
        return f"{name} ({service})" if service else name
    return f"{name}（{service}）" if service else f"{name} "


def spaced(text: str) -> str:
    """What stands behind Chinese words: a space before Latin letters and digits."""
    return f" {text}" if text[:1].isascii() else text


def plural(n: object) -> str:
    return "" if str(n) == "1" else "s"


def joined(names: Iterable[str], lang: Lang, most: int = 4) -> str:
    """A few names, and how many more there are."""
    found = list(dict.fromkeys(names))
    text = ("、" if lang == "zh" else ", ").join(found[:most])
    more = len(found) - most
    return text if more <= 0 else f"{text} 等 {len(found)} 个" if lang == "zh" else f"{text} and {more} more"


def dated(window: Window, lang: Lang) -> str:
    local = window.start.astimezone(ZoneInfo(window.zone))
    weekday = _OF_WEEK[local.weekday()] if lang == "zh" else f"{local:%a}"
    return say("day", lang, date=f"{local:%m-%d}" if lang == "zh" else f"{local:%Y-%m-%d}", weekday=weekday)
