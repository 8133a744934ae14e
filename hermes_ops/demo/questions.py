"""What people ask about a generated incident, in Chinese and English, with the figures a right answer rests on."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from hermes_ops.demo.story import Story
from hermes_ops.demo.truth import AlertEpisode, Expected, Question, Requests

ALL = ("alerts", "logs", "changes")


def questions(
    story: Story,
    errors: Mapping[str, Mapping[str, int]],
    episodes: tuple[AlertEpisode, ...],
    requests: Mapping[str, Requests],
) -> tuple[Question, ...]:
    """About the cause first, with an hour and without one; then about errors, alerts, availability and changes of the
    whole day."""
    first = story.incidents[0]
    hour = f"{first.onset.astimezone(ZoneInfo(story.variant.zone)):%H}:00"
    service, slow = first.asked, first.fault.slows
    zh_what, en_what = ("变慢了", "slow down") if slow else ("报错变多", "fail more often")
    counted = _errors(service, errors.get(service, {}))
    began = (Expected("alerts", len(episodes)),)
    asked = requests[service]
    share = round(100 * (asked.requests - asked.bad) / asked.requests, 4)
    label = {"service": service}
    up = (Expected("requests", asked.requests, label), Expected("bad requests", asked.bad, label),
          Expected("availability", share, label, 0.0001))  # fmt: skip
    deploys = (Expected("changes", sum(d.kind == "deploy" for d in story.deeds), {"kind": "deploy"}),)
    pairs = (
        ("cause", ALL, (), f"为什么昨天 {hour} 之后 {service} {zh_what}？",
         f"Why did {service} {en_what} after {hour} yesterday?"),
        ("day", ALL, (), f"{service} 昨天为什么{zh_what}？", f"Why did {service} {en_what} yesterday?"),
        ("errors", ("logs",), counted, f"昨天 {service} 每小时各有多少报错？",
         f"How many errors did {service} log yesterday, by hour?"),
        ("alerts", ("alerts",), began, "昨天一共触发了多少告警？", "How many alerts fired yesterday?"),
        ("availability", ("alerts",), up, f"昨天 {service} 的可用率是多少？",
         f"What was the availability of {service} yesterday?"),
        ("changes", ("changes",), deploys, "昨天有哪些变更？", "What was deployed yesterday?"),
    )  # fmt: skip
    return tuple(
        Question(about, lang, text, route, figures)
        for about, route, figures, zh, en in pairs
        for lang, text in (("zh", zh), ("en", en))
    )


def _errors(service: str, by_hour: Mapping[str, int]) -> tuple[Expected, ...]:
    hours = [Expected("errors", n, {"service": service, "hour": hour}) for hour, n in by_hour.items()]
    return (Expected("errors", sum(by_hour.values()), {"service": service}), *hours)
