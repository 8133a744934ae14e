"""What the alerts agent does without a model: the calls for its usual questions, and a summary by template.

Every number that it writes stands as a figure in the result it cites. What the question asks for comes first, what it
doesn't ask for is left out; details stand after an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from orchestrator import when
from orchestrator.agent import Turn
from orchestrator.contracts import Json
from orchestrator.planner import CAUSE, STATE
from subagents.alerts import current, gauges, metered, quantiles, routed, watchwords
from subagents.alerts.cues import CUES
from subagents.compared import both
from subagents.saying import HOURLY, HOW_MANY, Clock, at, clock_of, closed, divided, joined, listed, taken, tight
from subagents.severity import named

NOW = re.compile(r"\b(?:now|currently|still|firing)\b|现在|当前|目前|正在|还在|眼下", re.IGNORECASE)
SHORT = timedelta(minutes=20)  # a window that is "now"
ASPECTS = {  # what a question may ask of monitoring
    "alerts": re.compile(
        r"告警|报警|警报|预警|触发|叫醒|抖动|\b(?:alert|alarm|page|fir(?:ed|ing)|flap)", re.IGNORECASE
    ),
    "availability": re.compile(
        r"可用|成功率|错误率|失败率|错误预算|请求[数量多少]|[多少][个次笔]?请求|访问量|流量"
        r"|\b(?:requests?\b|traffic\b|availab|uptime|slo\b|sla\b|success rate|error rate|failure rate|error budget)",
        re.IGNORECASE,
    ),
    "metric": re.compile(
        r"指标|监控|内存|磁盘|流量|水位|负载|延迟|耗时|分位|中位|\b(?:metric|monitor|cpu|memory|disk|latency|median|percentile|p\d\d|qps|rps|traffic|load)",
        re.IGNORECASE,
    ),
}
COUNTED = {"count_alerts": ASPECTS["alerts"], "availability": ASPECTS["availability"]}  # tools of what has numbers
SUPPRESSED = re.compile(r"静默|静音|屏蔽|抑制|\b(?:silenc|inhibit|suppress|mute|snooz)", re.IGNORECASE)
ERROR_RATE = re.compile(r"错误率|失败率|\b(?:error|failure) rate", re.IGNORECASE)
OFTEN = re.compile(
    r"最多|最频繁|最吵|排名|\b(?:most (?:often|frequent\w*|alerts)|noisiest|(?:fires?|fired) (?:the )?most|top \d+)\b",
    re.I,
)
OF_SERVICES = re.compile(r"服务|应用|系统|\b(?:services?|apps?)\b", re.IGNORECASE)
HEAD, MOST, RATIOS = 1, 8, 4


def playbook(turn: Turn) -> str | Sequence[tuple[str, dict[str, Json]]]:
    text, wants = turn.ctx.question.text, _wants(turn)
    measured = "metric" in turn.agent.by_name
    if not turn.taken and (one := _one_thing(turn)):
        return one
    gauge = gauges.asked(text, [c for c in turn.agent.cues if c not in CUES]) if measured else ()
    if gauge and not CAUSE.search(text):
        got = taken(turn, "metric")
        return closed(turn, gauges.told(turn, got)) if got else [("metric", {"like": list(gauge)})]
    if told := watchwords.told(turn) or routed.told(turn):
        return closed(turn, told)
    if not turn.taken:
        calls: list[tuple[str, dict[str, Json]]] = [("list_alerts", {})] if wants != {"availability"} else []
        if _counting(turn) and not _present(turn):
            often = "service" if OF_SERVICES.search(text) else "name"
            calls.append(("count_alerts", {"by": [often, "severity"]} if OFTEN.search(text) else {}))
        if measured and "availability" in wants:
            calls.append(("availability", {}))
        if NOW.search(text):
            calls.append(("firing_now", {}))
        return [*calls, *(c for c in both(turn, COUNTED) if c not in calls)]
    if (
        measured
        and not any(t.call.name == "metric" for t in turn.taken)
        and (calls := metered.calls(turn, _services(turn) if "metric" in wants else []))
    ):
        return calls
    return closed(turn, _told(turn, wants))


def _one_thing(turn: Turn) -> list[tuple[str, dict[str, Json]]]:
    """The call of a question about nothing but what is watched, whom alerts go to, or what holds them back."""
    text = turn.ctx.question.text
    if watched := watchwords.calls(turn):
        return watched
    if routed.ASKED.search(text):
        return [("list_alerts", {"grouped": True})]
    if SUPPRESSED.search(text) and not HOW_MANY.search(text):
        return [("firing_now", {"suppressed_only": True})]
    return []


def _wants(turn: Turn) -> set[str]:
    """The aspects that a question names; all, where it names none, or asks for a cause or how things are. Without
    metrics there are only the alerts to tell of."""
    text = turn.ctx.question.text
    if "metric" not in turn.agent.by_name:
        return {"alerts"}
    named = {name for name, words in ASPECTS.items() if words.search(text)}
    named |= {"metric"} if metered.slow(turn) else set()
    return set(ASPECTS) if not named or CAUSE.search(text) or STATE.search(text) else named


def _counting(turn: Turn) -> bool:
    text = turn.ctx.question.text
    return bool(ASPECTS["alerts"].search(text) and any(p.search(text) for p in (HOW_MANY, HOURLY, OFTEN)))


def _present(turn: Turn) -> bool:
    """Whether the question is about this moment, and not about a time that reaches up to it."""
    span = turn.ctx.window
    return bool(NOW.search(turn.ctx.question.text)) and (span is None or span.end - span.start <= SHORT)


def _told(turn: Turn, wants: set[str]) -> list[str]:
    if (fired := taken(turn, "firing_now")) and fired.result.data["suppressed_only"]:
        return current.silent(turn, fired)
    aside, found = _alerts(turn) if "alerts" in wants else ([], [])
    counts, now, ratios, metrics = (
        _counts(turn),
        current.firing(turn),
        _ratios(turn, wants < set(ASPECTS)),
        metered.told(turn, wants == {"metric"}),
    )
    if quantiles.asked(turn.ctx.question.text) or ("metric" in wants and metered.leads(turn) and not _causal(turn)):
        return divided(metrics, [*found, *ratios])
    if "alerts" in wants:
        first = 0 if counts or now else HEAD
        return divided(
            [*aside, *(now + counts if _present(turn) else counts + now), *found[:first]],
            [*found[first:], *ratios, *metrics],
        )
    return [*counts, *now, *ratios, *metrics]


def _causal(turn: Turn) -> bool:
    return bool(CAUSE.search(turn.ctx.question.text))


def _services(turn: Turn) -> list[str]:
    """Whose metrics are worth a look: those whose alerts began together, and those that were asked for."""
    got = taken(turn, "list_alerts")
    return list(dict.fromkeys([*(got.result.data["services"] if got else ()), *turn.ctx.scope.services]))[:6]


def _alerts(turn: Turn) -> tuple[list[str], list[str]]:
    """What begins at another time, and what fired."""
    got, zh = taken(turn, "list_alerts"), turn.ctx.lang == "zh"
    if got is None:
        return [], []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    kept, of_rank = _wanted(turn, data)
    lead = sorted((a for a in kept if a["lead"]), key=lambda a: str(a["start"]))
    rows = lead[:MOST]
    zone = "" if data["elsewhere"] else data["zone"]
    lines = [_one(a, i == 0 and len(rows) > 1, clock, "" if i else zone, data, zh, cite) for i, a in enumerate(rows)]
    rest = [a for a in kept if not a["lead"]]
    others = [f"{a['name']} ({a['service']})" if a["service"] else a["name"] for a in (*lead[MOST:], *rest)]
    if not lines and data["blind"]:
        lines = [_unknown(span, cite, zh)]
    elif not lines:
        who = " ".join(filter(None, (listed(data["asked"], zh), f"`{of_rank}`" * bool(of_rank))))
        of, where = f" of {who}" * bool(who), "it" if data["elsewhere"] else span
        none = f"{'该时段' if where == 'it' else span + '：'}{who} 没有告警" if zh else f"No alerts{of} in {where}"
        lines = [f"{none} {cite}{'。' if zh else '.'}"]
    if others:
        lines.append(
            f"另有其他告警：{listed(others, zh)} {cite}。" if zh else f"Other alerts: {listed(others)} {cite}."
        )
    return _other(data, clock, cite, span, zh), lines


def _wanted(turn: Turn, data: Json) -> tuple[list[Json], str]:
    """The alerts that a question wants to see, and the severity that it names: only those of it, and of the services it
    names where these had some. A question for a cause wants all: another's alert may tell of it."""
    text, rows = turn.ctx.question.text, data["alerts"]
    if CAUSE.search(text):
        return rows, ""
    said, meant = named(text, (a["severity"] for a in rows))
    mine = [a for a in rows if a["lead"] or a["service"] in data["asked"]] if data["asked"] else rows
    return [a for a in (mine or rows) if not said or a["severity"] in meant], said


def _unknown(span: str, cite: str, zh: bool) -> str:
    if zh:
        return f"没有数据源保存 {span} 的告警，无法判断当时是否有告警触发 {cite}。"
    return f"No source holds alerts of {span}, so whether any fired can't be told {cite}."


def _one(a: Json, first: bool, clock: Clock, zone: str, data: Json, zh: bool, cite: str) -> str:
    """`zone`: the data's own, where its clock is to stand beside the asker's."""
    start, end = datetime.fromisoformat(a["start"]), at(a["end"])
    began = clock.both(start, zone, zh) if zone else clock.at(start)
    marks = _marks(a, first, clock, zh)
    if zh:
        still = "，到数据末尾仍未恢复" if data["still"] else "，未恢复"
        until = f"，{clock.at(end)} 恢复" if end else still if a["end_known"] else "，结束时间未知"
        book = f"，处置手册 {a['runbook']}" if a["runbook"] else ""
        return tight(f"{a['name']}（{a['service']}，{a['severity']}{marks}）{began} 触发{until}{book} {cite}。")
    still = ", still firing at the end of the data" if data["still"] else ", still open"
    until = f", ended {clock.at(end)}" if end else still if a["end_known"] else ", end unknown"
    book = f", runbook {a['runbook']}" if a["runbook"] else ""
    return f"{a['name']} ({a['service']}, {a['severity']}{marks}) fired at {began}{until}{book} {cite}."


def _marks(a: Json, first: bool, clock: Clock, zh: bool) -> str:
    marks = ["最先" if zh else "first"] if first else []
    if a["suppressed"]:
        marks.append(current.held(a["by"], clock, zh))
    if a["flapping"]:
        marks.append(f"抖动 {a['n']} 次" if zh else f"flapping, {a['n']} times")
    elif a["n"] > 1:
        marks.append(f"{a['n']} 次" if zh else f"{a['n']} times")
    return "".join(f"{'，' if zh else ', '}{m}" for m in marks)


def _other(data: Json, clock: Clock, cite: str, span: str, zh: bool) -> list[str]:
    other = data["elsewhere"]
    if not other:
        return []
    began = clock.both(datetime.fromisoformat(other["onset"]), data["zone"], zh)
    near = clock.zoned(datetime.fromisoformat(data["start"]))
    name = f"{other['name']} ({other['service']})" if other["service"] else other["name"]
    if zh:
        where = f"{near} 附近没有告警开始" if other["inside"] else f"{span} 内没有相关告警开始"
        return [tight(f"{where}；{name} 从 {began} 开始 {cite}。")]
    where = f"No alert begins near {near}" if other["inside"] else f"No such alert begins in {span}"
    return [f"{where}; {name} begins at {began} {cite}."]


def _counts(turn: Turn) -> list[str]:
    """How many began, whose they are, and of which severity; by the hour where that was asked."""
    got, zh = taken(turn, "count_alerts"), turn.ctx.lang == "zh"
    if got is None or got.result.data["blind"]:  # which the list of alerts says
        return []
    data, cite, clock = got.result.data, f"[{got.id}]", clock_of(turn, got)
    total, who = data["total"], listed(data["asked"], zh)
    span = when.say(got.result.window, lang=turn.ctx.lang) if got.result.window else ""
    parts = listed((f"{name or '?'} {n}" for name, n in data["counts"].get("severity", {}).items()), zh)
    if zh:
        said = f"{span} 内{who + ' ' if who else ''}触发了 {total} 个告警{f'（{parts}）' if parts else ''}"
    else:
        said = f"{total} alert{'' if total == 1 else 's'}{' of ' + who if who else ''} began in {span}"
        said += f" ({parts})" if parts else ""
    lines = [said]
    if data["earlier"]:
        n = data["earlier"]
        lines.append(f"另有 {n} 个更早触发，仍在持续" if zh else f"{n} more had begun earlier and still fired")
    if OFTEN.search(turn.ctx.question.text) and (table := data["counts"].get("name") or data["counts"].get("service")):
        ranked = joined((f"{name or '?'} {n}" for name, n in list(table.items())[:MOST]), zh)
        lines.append(f"从多到少：{ranked}" if zh else f"From most to least: {ranked}")
    if HOURLY.search(turn.ctx.question.text) and (hours := data["counts"].get("hour")):
        by_hour = joined((f"{clock.at(datetime.fromisoformat(hour))} {n}" for hour, n in hours.items()), zh)
        lines.append(f"按小时 {by_hour}；其余时段没有" if zh else f"By hour: {by_hour}; none in the others")
    return [f"{line} {cite}{'。' if zh else '.'}" for line in lines]


def _failed(r: Json) -> float:
    """Percent of the requests that failed."""
    return round(100.0 * float(r["bad"]) / float(r["total"]), 4)


def _ratios(turn: Turn, wanted: bool) -> list[str]:
    """Services with the same figures stand together. `wanted`: that there are none is to be said too."""
    got, zh = taken(turn, "availability"), turn.ctx.lang == "zh"
    if got is None:
        return []
    if wanted and not got.result.data["ratios"]:
        return [f"该时段没有请求指标 [{got.id}]。" if zh else f"There are no request metrics in that time [{got.id}]."]
    asked, groups = _services(turn), dict[tuple[object, ...], list[Json]]()
    for r in [r for r in got.result.data["ratios"] if not asked or r["service"] in asked][:RATIOS]:
        groups.setdefault((r["percent"], r["total"], r["bad"]), []).append(r)
    said, failing = [], ERROR_RATE.search(turn.ctx.question.text) is not None
    for rows in groups.values():
        r, names, each = rows[0], joined((row["service"] for row in rows), zh), len(rows) > 1
        if zh:
            of = f"{'各 ' * each}{r['total']} 次请求中失败 {r['bad']} 次"
            budget = f"；目标 {r['objective']:g}%，错误预算已用 {r['spent']:g}%" if r["objective"] else ""
            what = f"错误率{'均为' * each} {_failed(r):g}%" if failing else f"可用率{'均为' * each} {r['percent']:g}%"
            said.append(f"{names} {what}（{of}{budget}）")
        else:
            of = f"{r['bad']} of {r['total']} requests bad{' each' * each}"
            budget = (
                f"; objective {r['objective']:g}%, {r['spent']:g}% of its error budget used" if r["objective"] else ""
            )
            what = f"error rate of {names} {_failed(r):g}%" if failing else f"availability of {names} {r['percent']:g}%"
            said.append(f"{what} ({of}{budget})")
    return [f"{line} [{got.id}]{'。' if zh else '.'}" for line in said]
