"""Is it over, is it still going on, is anything wrong: answered from when errors ended and which alerts are open.

Absence of data is never "over" or "nothing wrong": it is said not to be known.
"""

from __future__ import annotations

import re
from datetime import datetime

from orchestrator.contracts import Json
from subagents.changes.undone import ASKED
from subagents.plain.seen import FRESH, Seen
from subagents.plain.words import THERE, Verdict, called, ends, few, last, opened, rise, stop
from subagents.saying import joined, numbered

OTHER: dict[Verdict, Verdict] = {"yes": "no", "no": "yes", "unknown": "unknown"}
ERRORS = re.compile(r"报错|错误|失败|\b(?:errors?|5xx|fail\w*)\b", re.IGNORECASE)


def over(seen: Seen) -> list[str]:
    verdict, lines = how(seen)
    back, none = _taken_back(seen)
    if none and ASKED.search(seen.text):
        return opened("unknown", [*back, *lines], seen.zh)
    return opened(verdict, [*lines, *back], seen.zh)


def still(seen: Seen) -> list[str]:
    """The same, asked the other way round."""
    verdict, lines = how(seen)
    return opened(OTHER[verdict], lines, seen.zh)


def how(seen: Seen) -> tuple[Verdict, list[str]]:
    """ "yes": it is over; the lines that show it."""
    s, (done, live, unknown) = seen.stretch, ends(seen)
    lines = shown(seen)
    if not lines:
        return "unknown", [_nothing_known(seen)]
    if (s is not None and s.end is None) or live:
        stale = seen.until is not None and seen.turn.ctx.now - seen.until > FRESH
        return ("unknown" if stale else "no"), lines
    if s is None and (unknown or seen.errors is None):
        return ("yes" if done and not unknown else "unknown"), lines
    return ("unknown" if seen.broken else "yes"), lines


def shown(seen: Seen) -> list[str]:
    """When errors ended and how the alerts stand; nothing where there is no data at all."""
    return [*_errors(seen), *_alerts(seen)]


def _errors(seen: Seen) -> list[str]:
    s, zh = seen.stretch, seen.zh
    got = seen.of("count_errors")
    if got is None:
        return []
    if s is None and seen.errors is None:
        return []
    if s is None:
        none = f"{seen.span} 内错误没有增多" if zh else f"No rise of errors in {seen.span}"
        return [stop(none, got[1], zh)]
    said = rise(s, seen.clock, zh)
    if seen.until is not None:
        until = seen.clock.at(seen.until)
        said += (
            f"；数据到 {until} 为止，之后的情况不知道"
            if zh
            else f"; the data ends at {until}, what came after isn't known"
        )
    return [stop(said, s.cite, zh)]


def _alerts(seen: Seen) -> list[str]:
    """Those that are open first, then the end of the others, then those whose end nobody knows."""
    (done, live, unknown), cite, zh = ends(seen), seen.alerts[1], seen.zh
    said = []
    if live:
        names = few(map(called, live), zh)
        said.append(stop(f"告警仍在触发：{names}" if zh else f"Alerts still firing: {names}", cite, zh))
    if done and not live and (row := last(done)):
        end = seen.clock.at(datetime.fromisoformat(row["end"]))
        text = f"告警 {called(row)} {end} 恢复" if zh else f"Alert {called(row)} resolved at {end}"
        said.append(stop(text, cite, zh))
    if unknown and not live:
        names = few(map(called, unknown), zh)
        text = f"告警是否已恢复没有记录：{names}" if zh else f"Whether these alerts resolved isn't recorded: {names}"
        said.append(stop(text, cite, zh))
    if not said and (other := seen.alert_aside) and other["end"]:
        name, end = called(other), seen.clock.at(datetime.fromisoformat(other["end"]))
        text = (
            f"从 {name} 开始的告警到 {end} 全部恢复"
            if zh
            else f"The alerts that began with {name} had resolved by {end}"
        )
        return [stop(text, cite, zh)]
    if not said and cite and not seen.blind and seen.stretch is None:
        said.append(stop(f"{seen.span} 内没有告警" if zh else f"No alerts in {seen.span}", cite, zh))
    return said


def _nothing_known(seen: Seen) -> str:
    got = seen.of("count_errors") or seen.of("list_alerts")
    cite = f" {got[1]}" if got else ""
    if seen.broken and not got:
        return (
            f"没能读到 {seen.span} 的日志和告警。"
            if seen.zh
            else f"No logs and no alerts of {seen.span} could be read."
        )
    if seen.zh:
        return f"{seen.span} 内没有日志，也没有告警数据{cite}。"
    return f"There are no logs and no alert data in {seen.span}{cite}."


def _taken_back(seen: Seen) -> tuple[list[str], bool]:
    """What was taken back, where changes were asked for; and whether that is nothing."""
    got, zh = seen.of("list_changes"), seen.zh
    if got is None:
        return [], False
    data, cite, _ = got
    rows = data["undone"][-2:]
    if not rows:
        return [
            stop(f"{seen.span} 内没有回滚或撤回" if zh else f"Nothing was rolled back in {seen.span}", cite, zh)
        ], True
    said = []
    for row in rows:
        at = seen.clock.at(datetime.fromisoformat(row["at"]))
        of = row["of"] or ("某个变更" if zh else "a change")
        said.append(
            stop(f"{row['what']} 于 {at} 撤回了 {of}" if zh else f"{row['what']} took back {of} at {at}", cite, zh)
        )
    return said, False


# ── is anything wrong ─────────────────────────────────────────────────────────────────────────


def trouble(seen: Seen) -> list[str]:
    verdict, lines = looked(seen)
    return opened(verdict, lines, seen.zh, THERE)


def sound(seen: Seen) -> list[str]:
    verdict, lines = looked(seen)
    return opened(OTHER[verdict], lines, seen.zh)


def looked(seen: Seen) -> tuple[Verdict, list[str]]:
    """ "yes": something was wrong in the time that was asked about; the lines that show it."""
    zh, s = seen.zh, seen.stretch
    rows, cite = seen.alerts
    got = seen.of("count_errors")
    lines = []
    if s is not None and not s.aside:
        lines.append(stop(rise(s, seen.clock, zh), s.cite, zh))
    if rows:
        names = few(map(called, rows), zh)
        lines.append(stop(f"告警：{names}" if zh else f"alert{'s' * (len(rows) > 1)}: {names}", cite, zh))
    if lines:
        return "yes", lines
    known = seen.errors
    if known is None and (seen.blind or not cite):
        return "unknown", [_nothing_known(seen)]
    said = []
    if got and known is not None:
        named = numbered([r for r in seen.rows("count_errors", "counts")[0] if r["n"]], zh)
        some = few(named, zh)
        none = "没有错误" if zh else "no errors"
        said.append(
            (f"错误没有增多（{some}）" if zh else f"no rise of errors ({some})") + f" {got[1]}"
            if some
            else f"{none} {got[1]}"
        )
    elif got:
        said.append(f"没有日志 {got[1]}" if zh else f"no logs {got[1]}")
    if cite and not seen.blind:
        said.append(f"没有告警 {cite}" if zh else f"no alerts {cite}")
    elif cite:
        said.append(f"没有告警数据 {cite}" if zh else f"no data of alerts {cite}")
    text = f"{seen.span}：{'，'.join(said)}。" if zh else f"In {seen.span}: {', '.join(said)}."
    if known and ERRORS.search(seen.text):
        return "yes", [text]
    return ("unknown" if seen.broken else "no"), [text]


def unresolved(seen: Seen) -> list[str]:
    """The alerts that are open, each with its begin, then those of which nobody knows; not those that recovered."""
    got, zh = seen.of("list_alerts"), seen.zh
    if got is None or seen.blind:
        return []
    rows, cite = [a for a in got[0]["alerts"] if not seen.asked or a["service"] in seen.asked], got[1]
    live = [a for a in rows if not a["end"] and a["end_known"]]
    unknown = [a for a in rows if not a["end"] and not a["end_known"]]
    said = []
    if live:
        said.append(f"未恢复：{_since(seen, live)}" if zh else f"Still open: {_since(seen, live)}")
    if unknown:
        said.append(
            f"是否已恢复没有记录：{_since(seen, unknown)}" if zh else f"End not recorded: {_since(seen, unknown)}"
        )
    lines = [stop(line, cite, zh) for line in said]
    if not live and (done := last(rows)):
        when = seen.clock.at(datetime.fromisoformat(done["end"]))
        rest = (
            f"其余都已恢复，最后一个是 {called(done)}，{when}"
            if zh
            else f"The others ended, the last at {when}: {called(done)}"
        )
        none = (
            f"没有未恢复的，最后恢复的是 {called(done)}，{when}"
            if zh
            else f"None is open; the last ended at {when}: {called(done)}"
        )
        lines.append(stop(rest if unknown else none, cite, zh))
    return lines


def _since(seen: Seen, rows: list[Json]) -> str:
    zh = seen.zh
    times = [(called(a), seen.clock.at(datetime.fromisoformat(a["start"]))) for a in rows]
    return joined((f"{name}（{at} 触发）" if zh else f"{name} since {at}" for name, at in times), zh)
