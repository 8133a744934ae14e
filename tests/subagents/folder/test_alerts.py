"""Alerts as episodes, whoever tells of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subagents.paging import Hold, holds
from subagents.sources import AlertQuery, Answered, Episode
from tests.subagents.folder.helpers import ALL, folder_of, utc, window


def v2(name: str, start: str, end: str, **status: Any) -> dict[str, Any]:
    return {
        "labels": {"alertname": name, "service": "pay", "severity": "critical"},
        "annotations": {"summary": f"{name} fires"},
        "startsAt": start,
        "endsAt": end,
        "updatedAt": "2026-11-29T14:10:00Z",
        "fingerprint": name,
        "generatorURL": "http://prom/graph",
        "status": {"state": "active", "inhibitedBy": [], "silencedBy": [], **status},
    }


async def episodes(root: Path, files: dict[str, str], q: AlertQuery | None = None) -> Answered[tuple[Episode, ...]]:
    return await folder_of(root, files).sources().alerts[0].episodes(q or AlertQuery(ALL))


async def test_lists_of_api_v1_name_receivers_by_their_names_and_lists_by_null(tmp_path: Path) -> None:
    one = {**v2("A", "2026-11-29T14:03:00Z", "2026-11-29T14:14:00Z", inhibitedBy=None, silencedBy=None)}
    listed = {"status": "success", "data": [{**one, "receivers": ["oncall"]}]}
    answer = await episodes(tmp_path, {"x": json.dumps(listed)})
    assert [(e.name, e.suppressed, e.notified) for e in answer.rows] == [("A", False, (("oncall", ""),))]


async def test_an_alertmanager_list_keeps_the_suppressed(tmp_path: Path) -> None:
    listed = [
        v2("A", "2026-11-29T14:03:00Z", "2026-11-29T14:14:00Z"),
        v2("B", "2026-11-29T14:02:00Z", "2026-11-29T14:14:00Z", state="suppressed", inhibitedBy=["A"]),
        v2("C", "2026-11-29T13:00:00Z", "2026-11-29T14:14:00Z", state="suppressed", silencedBy=["s1"]),
    ]
    answer = await episodes(tmp_path, {"x": json.dumps(listed)})
    assert [(e.name, e.suppressed, e.by) for e in answer.rows] == [
        ("C", True, "silenced by s1"),
        ("B", True, "inhibited by A"),
        ("A", False, ""),
    ]
    assert all(e.end is None and e.end_known for e in answer.rows)
    assert answer.rows[2].link == "http://prom/graph"


def silence(id: str, who: str, end: str, why: str = "") -> dict[str, Any]:
    matcher = {"name": "alertname", "value": "C", "isRegex": False, "isEqual": True}
    times = {"startsAt": "2026-11-29T13:30:00Z", "endsAt": end, "updatedAt": "2026-11-29T13:30:00Z"}
    return {"id": id, "status": {"state": "active"}, "createdBy": who, "comment": why, "matchers": [matcher], **times}


async def test_an_exported_silence_tells_by_whom_and_until_when(tmp_path: Path) -> None:
    held = {"state": "suppressed", "silencedBy": ["s1", "s2", "s3"]}
    listed = [v2("C", "2026-11-29T13:00:00Z", "2026-11-29T14:14:00Z", **held)]
    silences = [silence("s1", "wei", "2026-11-29T16:00:00Z", "换盘; 重启"), silence("s2", "an", "2026-12-02T08:30:00Z")]
    folder = folder_of(tmp_path, {"a": json.dumps(listed), "s": json.dumps(silences)})
    (e,) = (await folder.sources().alerts[0].episodes(AlertQuery(ALL))).rows
    assert holds(e.by) == [
        Hold("silenced", "wei", utc("2026-11-29T16:00:00"), "换盘; 重启"),
        Hold("silenced", "an", utc("2026-12-02T08:30:00")),
        Hold("silenced", "s3"),
    ]
    assert not folder.skipped
    until = folder.coverage().until
    assert until is not None
    assert until < utc("2026-11-29T16:00:00"), "when a silence will end is no record of anything"


async def test_whom_alerts_went_to_stands_in_exported_groups_lists_and_web_hooks(tmp_path: Path) -> None:
    one = v2("A", "2026-11-29T14:03:00Z", "2026-11-29T14:14:00Z")
    groups = [
        {"labels": {"team": "pay", "app": "x"}, "receiver": {"name": "page"}, "alerts": [one]},
        {"labels": {}, "receiver": {"name": "mail"}, "alerts": [one]},
    ]
    listed = [{**one, "receivers": [{"name": "page"}, {"name": "mail"}]}]
    sent = hook("firing", "2026-11-29T14:00:00Z") | {"groupLabels": {"alertname": "A"}}
    for n, (content, expected) in enumerate(
        (
            (groups, {("page", "app=x, team=pay"), ("mail", "")}),
            (listed, {("page", ""), ("mail", "")}),
            ([*groups, *listed], {("page", "app=x, team=pay"), ("mail", "")}),
            ([sent, hook("resolved", "2026-11-29T14:00:00Z", "2026-11-29T14:05:00Z")], {("x", "alertname=A")}),
        )
    ):
        (e,) = (await episodes(tmp_path / str(n), {"x": json.dumps(content)})).rows
        assert set(e.notified) == expected
        assert len(e.notified) == len(expected)


async def test_only_lists_of_the_api_tell_what_is_held_back(tmp_path: Path) -> None:
    listed = [v2("A", "2026-11-29T14:03:00Z", "2026-11-29T14:14:00Z")]
    for n, (content, telling) in enumerate(((listed, True), ([hook("firing", "2026-11-29T14:00:00Z")], False))):
        source = folder_of(tmp_path / str(n), {"x": json.dumps(content)}).sources().alerts[0]
        assert ("suppressed" in source.caps) == telling


def hook(status: str, start: str, end: str = "0001-01-01T00:00:00Z") -> dict[str, Any]:
    alert = {"status": status, "labels": {"alertname": "A", "service": "pay"}, "annotations": {}, "startsAt": start}
    return {"receiver": "x", "status": status, "version": "4", "alerts": [{**alert, "endsAt": end}]}


async def test_webhooks_of_one_alert_are_one_episode_for_each_start(tmp_path: Path) -> None:
    calls = [
        hook("firing", "2026-11-29T14:00:00Z"),
        hook("firing", "2026-11-29T14:00:00Z"),
        hook("resolved", "2026-11-29T14:00:00Z", "2026-11-29T14:05:00Z"),
        hook("firing", "2026-11-29T15:00:00Z"),
    ]
    lines = "\n".join(json.dumps({"at": 1795961000, "path": "/hook", "body": c}) for c in calls)
    for n, content in enumerate((lines, json.dumps(calls), json.dumps(calls, indent=2))):
        answer = await episodes(tmp_path / str(n), {"x": content})
        assert [(e.start, e.end) for e in answer.rows] == [
            (utc("2026-11-29T14:00:00"), utc("2026-11-29T14:05:00")),
            (utc("2026-11-29T15:00:00"), None),
        ]


async def test_a_single_alert_of_any_tool(tmp_path: Path) -> None:
    alert = {"service": "api", "metric": "err_ratio", "threshold": 0.05, "observed": 0.6, "severity": "HIGH",
             "fired_at": "2026-11-29T14:00:00Z", "monitor": "api errors", "summary": "too many"}  # fmt: skip
    short = {"id": "P3", "service": "db", "metric": "cpu", "fired_at": "2026-11-29T13:00:00Z", "value": 92,
             "auto_resolved_after_s": 37}  # fmt: skip
    answer = await episodes(tmp_path, {"x": json.dumps(alert, indent=1), "y": json.dumps([short])})
    cpu, err = answer.rows
    assert (err.name, err.service, err.severity, err.end, err.end_known) == ("api errors", "api", "high", None, False)
    assert err.labels["observed"] == "0.6"
    assert err.annotations == {"summary": "too many"}
    assert (cpu.name, cpu.end) == ("cpu", utc("2026-11-29T13:00:37"))
    assert answer.gaps == ("the files don't say whether 1 of these alerts are over",)


def series(points: list[int], labels: str = 'alertname="A",alertstate="firing",service="pay"') -> str:
    return "".join(f"ALERTS{{{labels}}} 1 {p}\n" for p in points)


async def test_alerts_series_make_an_episode_for_each_rising_edge(tmp_path: Path) -> None:
    t = 1795960800  # 2026-11-29T14:00:00Z
    firing = [*range(t, t + 300, 30), t + 330, t + 400, *range(t + 600, t + 900, 30)]  # one sample missing, then a gap
    text = "# TYPE ALERTS gauge\n" + series(firing) + series([t - 30], 'alertname="A",alertstate="pending"')
    up = "# TYPE up gauge\n" + "".join(f'up{{job="x"}} 1 {p}\n' for p in range(t, t + 2000, 30))
    answer = await episodes(tmp_path, {"x": text + up + "# EOF\n"})
    assert [(e.start, e.end) for e in answer.rows] == [
        (utc("2026-11-29T14:00:00"), utc("2026-11-29T14:07:10")),
        (utc("2026-11-29T14:10:00"), utc("2026-11-29T14:15:00")),
    ]
    answer = await episodes(tmp_path / "open", {"x": text + "# EOF\n"})
    assert answer.rows[-1].end is None


async def test_the_same_alert_from_a_series_and_a_webhook_is_one(tmp_path: Path) -> None:
    t = 1795960800
    text = "# TYPE ALERTS gauge\n" + series(list(range(t, t + 300, 30))) + f'up{{job="x"}} 1 {t + 900}\n'
    call = hook("resolved", "2026-11-29T14:00:12Z", "2026-11-29T14:05:05Z")
    call["alerts"][0]["annotations"] = {"summary": "s"}
    answer = await episodes(tmp_path, {"x": text, "y": json.dumps(call)})
    assert len(answer.rows) == 1
    assert answer.rows[0].annotations == {"summary": "s"}


async def test_queries_filter_and_windows_overlap(tmp_path: Path) -> None:
    calls = [hook("resolved", "2026-11-29T14:00:00Z", "2026-11-29T14:30:00Z")]
    source = folder_of(tmp_path, {"x": json.dumps(calls)}).sources().alerts[0]
    inside = window("2026-11-29T14:10:00", "2026-11-29T14:20:00")
    after = window("2026-11-29T14:30:00", "2026-11-29T15:00:00")
    assert (await source.episodes(AlertQuery(inside))).total == 1
    assert (await source.episodes(AlertQuery(after))).total == 0
    assert (await source.episodes(AlertQuery(inside, services=("other",)))).total == 0
    assert (await source.current(AlertQuery(inside))).total == 1
    assert (await source.current(AlertQuery(window("2026-11-29T14:10:00", "2026-11-29T15:00:00")))).total == 0
    said = (await source.episodes(AlertQuery(inside, services=("pay",), names=("A",)))).query
    assert said == "folder alerts: name=A service=pay 2026-11-29T14:10:00Z..2026-11-29T14:20:00Z"


async def test_a_recovered_event_of_nightingale_is_over_and_its_tags_say_whose_it_is(tmp_path: Path) -> None:
    event = {
        "rule_name": "支付错误率", "severity": 1, "hash": "h", "target_ident": "web-1", "tags": ["service=pay", "a=b"],
        "first_trigger_time": 1795960800, "trigger_time": 1795960860, "last_eval_time": 1795961100,
        "is_recovered": True,
    }  # fmt: skip
    [episode] = (await episodes(tmp_path, {"x": json.dumps([event])})).rows
    assert (episode.name, episode.service) == ("支付错误率", "pay")
    assert (episode.start, episode.end) == (utc("2026-11-29T14:00:00"), utc("2026-11-29T14:05:00"))


async def test_what_nobody_tells_of_any_more_was_over_when_its_time_ran_out(tmp_path: Path) -> None:
    """An export of the API: open alerts are told of again and again, each time with an end that lies ahead."""
    listed = [
        v2("A", "2026-11-29T14:03:00Z", "2026-11-29T14:14:00Z"),
        {**v2("B", "2026-11-29T13:00:00Z", "2026-11-29T13:30:00Z"), "updatedAt": "2026-11-29T13:30:00Z"},
        {**v2("C", "2026-11-29T13:00:00Z", "2026-11-29T13:34:00Z"), "updatedAt": "2026-11-29T13:30:00Z"},
        {**v2("D", "2026-11-29T14:00:00Z", "2026-11-29T14:12:00Z"), "updatedAt": "2026-11-29T14:08:00Z"},
    ]
    rows = (await episodes(tmp_path, {"x": json.dumps(listed)})).rows
    assert {e.name: e.end for e in rows} == {
        "A": None, "B": utc("2026-11-29T13:30:00"), "C": utc("2026-11-29T13:34:00"), "D": None,
    }  # fmt: skip
    assert all(e.end_known for e in rows)


@pytest.mark.parametrize("column", [
    "告警名称", "报警规则名称", "告警规则名称", "报警策略", "规则名", "告警标题", "ruleName", "rule_name", "alarmName",
    "Alarm Name", "Alert Name", "alertRuleName", "Alert", "监控项", "Title", "Message",
])  # fmt: skip
async def test_an_alert_has_a_name_whatever_its_column_is_called(tmp_path: Path, column: str) -> None:
    table = f"{column},资源,报警级别,触发时间,恢复时间\nCPU high,db-1,严重,2026-11-29 14:00:00,2026-11-29 14:05:00\n"
    [episode] = (await episodes(tmp_path, {"x": table})).rows
    assert (episode.name, episode.service) == ("CPU high", "db-1")


async def test_a_name_that_is_an_object_is_its_own_name_or_the_next_word(tmp_path: Path) -> None:
    told = {"rule": {"name": "Pool"}, "title": "t", "severity": "high", "fired_at": "2026-11-29T14:00:00Z"}
    odd = {"rule": {"id": 7}, "title": "Slow", "severity": "high", "fired_at": "2026-11-29T14:01:00Z"}
    assert [e.name for e in (await episodes(tmp_path, {"x": json.dumps([told, odd])})).rows] == ["Pool", "Slow"]


async def test_an_alert_that_says_it_is_open_is_not_unsure(tmp_path: Path) -> None:
    base = {"rule_name": "Disk", "severity": 3, "trigger_time": 1795960800, "first_trigger_time": 1795960800, "id": 1}
    recovered = {**base, "id": 2, "severity": 1, "recover_time": 1795960900, "is_recovered": 1}
    paged = {"alert_name": "Page", "fired_at": "2026-11-29T15:00:00Z", "status": "triggered"}
    said = [{**base, "rule_id": 1, "recover_time": 0, "is_recovered": 0}, {**recovered, "rule_id": 1}, paged]
    answer = await episodes(tmp_path, {"x": json.dumps(said)})
    assert [(e.name, e.end is None, e.end_known) for e in answer.rows] == [
        ("Disk", True, True), ("Disk", False, True), ("Page", True, True),
    ]  # fmt: skip
    assert answer.gaps == ()
    assert [e.severity for e in answer.rows] == ["info", "critical", ""]
