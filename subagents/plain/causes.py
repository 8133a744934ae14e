"""What is known of the cause, a sentence each: the likeliest, whether it was taken back, whose it is.

Whether to roll back is never decided here: a person gets the grounds.
"""

from __future__ import annotations

from datetime import datetime

from subagents.changes.chinese import operational
from subagents.changes.picked import by
from subagents.plain import state
from subagents.plain.seen import Seen
from subagents.plain.words import change, moment, stop, sureness


def cause(seen: Seen) -> str:
    """The likeliest cause in one sentence, or that there is none."""
    zh, best = seen.zh, seen.best
    if seen.ranking is None:
        return no_trouble(seen)
    data, cite = seen.ranking
    if best:
        at, whose, sure = seen.clock.at(moment(best)), by(best, zh), sureness(best, zh)
        if zh:
            return stop(f"最可能的起因是 {change(best, zh)}（把握：{sure}，{at}，{whose}）", cite, zh)
        return stop(f"The likeliest cause is {change(best, zh)} (confidence {sure}, {at}, {whose})", cite, zh)
    found = data["cause"]
    if found and found["verdict"] == "operational":
        what = operational(found["kind"], found["title"], zh)
        where = found["service"] or found["first_failing"]
        return stop(
            f"最可能的起因不是变更，而是{what}（{where}）"
            if zh
            else f"The likeliest cause is no change: {what} ({where})",
            cite,
            zh,
        )
    if data["suspects"]:
        names = [change(r, zh) for r in data["suspects"][: max(1, data["tied"])]]
        several = "、".join(names) if zh else ", ".join(names)
        return stop(
            f"没有一个变更能清楚地解释；最接近的是 {several}"
            if zh
            else f"No change clearly explains it; nearest: {several}",
            cite,
            zh,
        )
    return stop("没有找到能解释的变更" if zh else "No change was found that explains it", cite, zh)


def no_trouble(seen: Seen) -> str:
    got = seen.of("count_errors") or seen.of("list_alerts") or seen.of("list_changes")
    cite = got[1] if got else ""
    if seen.broken or seen.errors is None or seen.alerts[0]:
        unread = "没有能确定故障起点的数据" if seen.zh else "the data doesn't tell when trouble began"
        return stop(f"{seen.span} 内{unread}" if seen.zh else f"In {seen.span} {unread}", cite, seen.zh)
    none = "没有看到错误增多或告警，没有可归因的症状"
    return stop(
        f"{seen.span} 内{none}" if seen.zh else f"No rise of errors and no alert in {seen.span}: nothing to explain",
        cite,
        seen.zh,
    )


def rollback(seen: Seen) -> list[str]:
    """The grounds for a person's decision; never the decision."""
    zh = seen.zh
    lead = "由人决定，这里只列依据。" if zh else "That is a person's decision; here is what is known. "
    return [lead + cause(seen), *taken_back(seen), *state.shown(seen)]


def taken_back(seen: Seen) -> list[str]:
    """Whether the suspect is still in."""
    best, zh = seen.best, seen.zh
    if best is None or seen.ranking is None:
        return []
    if back := best["back"]:
        at = seen.clock.at(datetime.fromisoformat(back["at"]))
        return [
            stop(
                f"{back['what']} 已于 {at} 撤回了它" if zh else f"{back['what']} already took it back at {at}",
                seen.ranking[1],
                zh,
            )
        ]
    return [stop("没有它被撤回的记录" if zh else "Nothing shows that it was taken back", seen.ranking[1], zh)]
