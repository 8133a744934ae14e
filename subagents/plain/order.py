"""Which was first, which lasted longest, and how two compare: by onset, by duration, by number.

A comparison gives both numbers, or says of which side there is no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from orchestrator.contracts import Json
from subagents.plain import times
from subagents.plain.seen import Seen
from subagents.plain.words import called, few, stop
from subagents.saying import Clock, at, joined, lasting

MOST = 5
DAY_AND_MORE = timedelta(hours=26)  # longer windows are told day by day


def first(seen: Seen) -> list[str]:
    """Services by when their errors began; alerts tell apart what began in the same minute."""
    zh = seen.zh
    rows, cite = seen.rows("count_errors", "counts")
    began = sorted((datetime.fromisoformat(r["onset"]), r["service"]) for r in rows if r.get("onset") and r["service"])
    fired = sorted(
        (datetime.fromisoformat(a["start"]), a["service"], a["name"]) for a in seen.alerts[0] if a["service"]
    )
    lines = []
    groups = [(t, [s for _, s in g]) for t, g in groupby(began[:MOST], key=lambda x: x[0])]
    if groups:
        lead = joined(groups[0][1], zh)
        when = seen.clock.at(groups[0][0])
        rest = joined((f"{joined(names, zh)} {seen.clock.at(t)}" for t, names in groups[1:]), zh)
        together = len(groups[0][1]) > 1
        if zh:
            said = f"最先报错的是 {lead}（{'同在 ' * together}{when}）" + (f"，其后 {rest}" if rest else "")
        else:
            said = f"First to fail: {lead} at {when}{' together' * together}" + (f"; then {rest}" if rest else "")
        lines.append(stop(said, cite, zh))
    if fired:
        shown = joined((f"{service} {seen.clock.at(t)} ({name})" for t, service, name in fired[:MOST]), zh)
        if zh:
            lines.append(stop(f"{'告警先后' if began else '最先告警的是'} {shown}", seen.alerts[1], zh))
        else:
            lines.append(stop(f"{'Alerts in order' if began else 'First to alert'}: {shown}", seen.alerts[1], zh))
    return [*lines, *_origin(seen, groups[0][1] if groups else ())] if lines else _none(seen)


def _origin(seen: Seen, together: Sequence[str]) -> list[str]:
    """Whom the failing ones name: what lies below began it, even in the same minute."""
    found = [e for f in seen.found for e in f.evidence if e.tool == "patterns" and isinstance(e.result.data, dict)]
    named = [(a, b, n, f"[{e.id}]") for e in found for a, b, n in e.result.data["names"]]
    above = {a for a, b, _, _ in named if b in together}
    roots = [row for row in named if row[0] in together and row[1] in together and row[1] not in above]
    zh = seen.zh
    return [
        stop(
            f"{a} 的日志有 {n} 条提到 {b}，更像是 {b} 在先"
            if zh
            else f"{n} messages of {a} name {b}: {b} is likelier the first",
            cite,
            zh,
        )
        for a, b, n, cite in roots[:1]
    ]  # fmt: skip


def _none(seen: Seen) -> list[str]:
    got = seen.of("count_errors") or seen.of("list_alerts")
    cite = got[1] if got else ""
    none = "没有服务的错误增多，也没有告警" if seen.zh else "no service's errors rose and no alert fired"
    return [stop(f"{seen.span} 内{none}" if seen.zh else f"In {seen.span} {none}", cite, seen.zh)]


def longest(seen: Seen) -> list[str]:
    rows, cite = seen.alerts
    zh = seen.zh
    timed = sorted(((_length(a), a) for a in rows if a["end"]), key=lambda x: -x[0])
    going = [called(a) for a in rows if not a["end"] and a["end_known"]]
    if not timed and not going:
        if not rows:
            return _none(seen)
        none = (
            "告警的结束时间没有记录，比不出长短"
            if zh
            else "When the alerts ended isn't recorded, so none is the longest"
        )
        return [stop(none, cite, zh)]
    lines = _by_length(timed, seen.clock, cite, zh) if timed else []
    if going:
        names = few(going, zh)
        text = f"仍未恢复、还没有时长的：{names}" if zh else f"Still firing, so without a length: {names}"
        lines.append(stop(text, cite, zh))
    return lines


def _by_length(timed: Sequence[tuple[float, Json]], clock: Clock, cite: str, zh: bool) -> list[str]:
    seconds, top = timed[0]
    span = clock.span(datetime.fromisoformat(top["start"]), at(top["end"]))
    if top["n"] > 1:
        span += f"，共 {top['n']} 次，从首次到末次" if zh else f", {top['n']} times, from first to last"
    long, name = lasting(seconds, zh), called(top)
    lines = [stop(f"最长的是 {name}：{long}（{span}）" if zh else f"The longest is {name}: {long} ({span})", cite, zh)]
    others = joined((f"{called(a)} {lasting(s, zh)}" for s, a in timed[1:MOST]), zh)
    return [*lines, stop(f"其次 {others}" if zh else f"Then {others}", cite, zh)] if others else lines


def _length(a: Json) -> float:
    return (datetime.fromisoformat(a["end"]) - datetime.fromisoformat(a["start"])).total_seconds()


def compare(seen: Seen) -> list[str]:
    """Two times where another one is named, services against each other where two are, else the window against the
    stretch before it."""
    if lines := times.told(seen):
        return lines
    got = seen.of("count_errors")
    if got is None:
        return []
    rows = {r["service"]: r for r in got[0]["counts"]}
    if len(seen.asked) > 1:
        return _services(seen, rows, got[1])
    names = seen.asked or tuple(n for n, r in rows.items() if n and r["n"])[:MOST]
    return [_before(seen, name, rows.get(name), got[0], got[1]) for name in names]


def _services(seen: Seen, rows: dict[str, Json], cite: str) -> list[str]:
    zh = seen.zh
    counted = [(name, int(rows[name]["n"]) if name in rows else 0) for name in seen.asked]
    said = joined((f"{name} {n}" for name, n in counted), zh)
    lines = [stop(f"{seen.span} 内的错误：{said}" if zh else f"Errors in {seen.span}: {said}", cite, zh)]
    ratios, of = seen.rows("availability", "ratios")
    if ratios:
        percents = joined((f"{r['service']} {r['percent']:g}%" for r in ratios), zh)
        lines.append(stop(f"可用率：{percents}" if zh else f"Availability: {percents}", of, zh))
    return lines


def _before(seen: Seen, name: str, row: Json | None, data: Json, cite: str) -> str:
    """One service, now and before; a stretch that the data doesn't reach is said to be without data."""
    zh, n = seen.zh, int(row["n"]) if row else 0
    days = _days(seen, row)
    if days:
        return stop(f"{name}：{days}" if zh else f"{name}: {days}", cite, zh)
    base = data.get("base")
    known = row["before"] if row else (0 if base else None)
    if known is None or not base:
        none = (
            "之前的时段没有日志数据，无法比较"
            if zh
            else "the data doesn't reach back to the time before, so there is nothing to compare with"
        )
        return stop(
            f"{name}：{seen.span} 内 {n} 条错误；{none}" if zh else f"{name}: {n} errors in {seen.span}; {none}",
            cite,
            zh,
        )
    earlier = seen.clock.span(datetime.fromisoformat(base[0]), at(base[1]))
    if zh:
        return stop(f"{name}：{seen.span} 内 {n} 条错误，之前（{earlier}）{known} 条", cite, zh)
    return stop(f"{name}: {n} errors in {seen.span}, {known} before ({earlier})", cite, zh)


def _days(seen: Seen, row: Json | None) -> str:
    """Day by day, where the window holds whole days of the asker's zone."""
    slots: Sequence[tuple[str, int]] = list((row or {}).get("slots", {}).items())
    zone = seen.clock.zone
    sums: dict[str, int] = {}
    for start, n in slots:
        day = f"{datetime.fromisoformat(start).astimezone(zone):%m-%d}"
        sums[day] = sums.get(day, 0) + n
    return (
        joined((f"{day} {n}" for day, n in sums.items()), seen.zh)
        if seen.window.end - seen.window.start > DAY_AND_MORE and len(sums) > 1
        else ""
    )
