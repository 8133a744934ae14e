"""What the field's tools export, in the shapes their own docs give: each read for what it is, at first sight."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from subagents.folder.folder import Folder
from subagents.sources import AlertQuery, ChangeQuery
from tests.subagents.folder.helpers import ALL, folder_of, utc

SHA = "3ad9f0e1c2b4a5968778695a4b3c2d1e0f9a8b7c"
SHORT = "b71c0de"
NINE = utc("2026-06-17T09:42:03")
MS, SEC = int(NINE.timestamp() * 1000), int(NINE.timestamp())
ISO = "2026-06-17T09:42:03Z"
LOCAL = "2026-06-17 09:42:03"
LATER, LATER_LOCAL, LATER_MS = "2026-06-17T10:00:00Z", "2026-06-17 10:00:00", MS + 1_077_000
END = utc("2026-06-17T10:00:00")

# name: (content, the alert's name, service, severity, end)
ALERTS: dict[str, tuple[Any, str, str, str, datetime | None]] = {
    "Prometheus' /api/v1/alerts": (
        {"status": "success", "data": {"alerts": [
            {"labels": {"alertname": "High", "service": "pay", "severity": "page"}, "annotations": {"summary": "5xx"},
             "state": "firing", "activeAt": ISO, "value": "1.4e-01"},
            {"labels": {"alertname": "Waits", "service": "pay"}, "annotations": {}, "state": "pending", "activeAt": ISO,
             "value": "1"}]}},
        "High", "pay", "page", None),
    "name above, the rest in labels": (
        {"alertname": "High", "labels": {"service": "pay", "severity": "page"}, "startsAt": ISO, "endsAt": LATER,
         "annotations": {"summary": "5xx"}},
        "High", "pay", "page", END),
    "PagerDuty's incidents": (
        {"incidents": [{"id": "PT4K", "type": "incident", "incident_number": 12, "title": "High", "created_at": ISO,
                        "status": "resolved", "resolved_at": LATER, "urgency": "high",
                        "service": {"id": "P1", "summary": "pay"}}]},
        "High", "pay", "high", END),
    "PagerDuty's CSV": (
        f"id,incident_number,description,service_id,service_name,created_on,resolved_on,urgency\n"
        f"PT4K,12,High,P1,pay,{ISO},{LATER},high\n",
        "High", "pay", "high", END),
    "Grafana OnCall's alert groups": (
        {"results": [{"id": "I68", "integration_id": "C1", "route_id": "R1", "alerts_count": 3, "state": "resolved",
                      "created_at": ISO, "resolved_at": LATER, "title": "High", "labels": {"service": "pay"}}]},
        "High", "pay", "", END),
    "Zabbix' problem.get": (
        {"jsonrpc": "2.0", "result": [{"eventid": "12", "source": "0", "object": "0", "objectid": "15112",
                                       "clock": str(SEC), "r_clock": str(SEC + 1077), "name": "High", "severity": "4",
                                       "hosts": [{"hostid": "1", "host": "pay"}]}]},
        "High", "pay", "high", END),
    "Zabbix' CSV": (
        '"Severity","Time","Recovery time","Status","Host","Problem","Duration"\n'
        f'"High","{LOCAL}","{LATER_LOCAL}","RESOLVED","pay","High CPU","17m"\n',
        "High CPU", "pay", "high", END),
    "Nightingale's events": (
        {"dat": {"list": [{"id": 1, "rule_name": "High", "severity": 1, "first_trigger_time": SEC, "trigger_time": SEC,
                           "recover_time": SEC + 1077, "is_recovered": 1, "target_ident": "h1",
                           "tags": ["service=pay"]}]}},
        "High", "pay", "1", END),
    "Aliyun's alert log": (
        {"AlertLogList": [{"AlertTime": str(MS), "RuleName": "High", "InstanceName": "pay", "Level": "P2",
                           "MetricName": "CPUUtilization", "Product": "ECS", "LevelChange": "OK->P2"}]},
        "High", "pay", "p2", None),
    "Tencent's alarm histories": (
        {"Response": {"Histories": [{"AlarmId": "a1", "AlarmObject": "pay", "Content": "cpu > 90%",
                                     "FirstOccurTime": SEC, "LastOccurTime": SEC + 1077, "AlarmStatus": "OK",
                                     "PolicyName": "High"}]}},
        "High", "pay", "", END),
    "Tencent's CSV": (
        "开始时间,结束时间,策略名称,告警对象,告警内容,告警状态\n"
        f"{LOCAL},{LATER_LOCAL},High,pay,cpu > 90%,已恢复\n",
        "High", "pay", "", END),
    "a Chinese CSV": (
        "告警名称,服务,级别,触发时间,恢复时间,描述\n" f"High,pay,严重,{LOCAL},{LATER_LOCAL},5xx\n",
        "High", "pay", "严重", END),
    "a Chinese CSV parted by tabs, in GBK": (
        f"告警标题\t告警级别\t应用\t告警时间\t恢复时间\t告警内容\nHigh\t严重\tpay\t{LOCAL}\t{LATER_LOCAL}\t错误率高\n".encode("gbk"),
        "High", "pay", "严重", END),
    "Opsgenie's alerts": (
        {"data": [{"id": "70413a06", "tinyId": "1791", "message": "High", "status": "closed", "createdAt": ISO,
                   "lastOccurredAt": ISO, "closedAt": LATER, "priority": "P1", "entity": "pay", "source": "prom"}]},
        "High", "pay", "p1", END),
    "CloudWatch's alarms": (
        {"MetricAlarms": [{"AlarmName": "High", "StateValue": "ALARM", "StateUpdatedTimestamp": ISO,
                           "MetricName": "5XX", "Namespace": "AWS/ELB", "StateReason": "Threshold crossed"}]},
        "High", "", "", None),
    "CloudWatch's alarm history": (
        {"AlarmHistoryItems": [
            {"AlarmName": "High", "Timestamp": LATER, "HistoryItemType": "StateUpdate",
             "HistorySummary": "Alarm updated from ALARM to OK"},
            {"AlarmName": "High", "Timestamp": ISO, "HistoryItemType": "Action", "HistorySummary": "Sent to topic"},
            {"AlarmName": "High", "Timestamp": ISO, "HistoryItemType": "StateUpdate",
             "HistorySummary": "Alarm updated from OK to ALARM"}]},
        "High", "", "", None),
    "Grafana's annotations": (
        [{"id": 1, "alertId": 7, "alertName": "High", "newState": "alerting", "time": MS, "timeEnd": LATER_MS,
          "tags": ["service:pay"]}],
        "High", "pay", "", END),
}  # fmt: skip

# name: (content, kind, service, version or sha, author, a word of the title)
CHANGES: dict[str, tuple[Any, str, str, str, str, str]] = {
    "a deploy with a message": (
        [{"app": "pay", "version": "1.2.0", "deployed_at": ISO, "by": "ana", "commit": SHORT,
          "message": "smaller pool"}],
        "deploy", "pay", "1.2.0", "ana", "smaller pool"),
    "a deploy with a message and an author": (
        [{"service": "pay", "version": "1.2.0", "time": ISO, "author": "ana", "message": "smaller pool"}],
        "deploy", "pay", "1.2.0", "ana", "smaller pool"),
    "deploys as CSV": (
        f"deployed_at,service,version,deployed_by,message\n{ISO},pay,1.2.0,ana,smaller pool\n",
        "deploy", "pay", "1.2.0", "ana", "smaller pool"),
    "Jenkins' builds": (
        {"builds": [{"number": 42, "result": "SUCCESS", "timestamp": MS, "duration": 9000, "building": False,
                     "fullDisplayName": "deploy-pay #42", "url": "https://ci.example/job/deploy-pay/42/",
                     "actions": [{"causes": [{"shortDescription": "Started by user ana", "userName": "ana"}]}]}]},
        "deploy", "deploy-pay", "42", "ana", "deploy-pay #42"),
    "Argo CD's history": (
        {"kind": "Application", "metadata": {"name": "pay", "namespace": "argocd"},
         "status": {"history": [{"id": 7, "revision": SHA, "deployStartedAt": ISO, "deployedAt": ISO,
                                 "initiatedBy": {"username": "ana"},
                                 "source": {"repoURL": "https://git.example/pay", "path": "k8s"}}]}},
        "deploy", "pay", SHA, "ana", "pay"),
    "GitLab's deployments": (
        [{"id": 42, "iid": 2, "ref": "v1.2.0", "sha": SHA, "created_at": ISO, "updated_at": ISO, "status": "success",
          "user": {"name": "Ana", "username": "ana"}, "environment": {"id": 9, "name": "production"},
          "deployable": {"name": "deploy pay", "commit": {"id": SHA, "title": "smaller pool"},
                         "project": {"name": "pay"}}}],
        "deploy", "pay", "1.2.0", "ana", "smaller pool"),
    "Spinnaker's executions": (
        [{"id": "01H", "application": "pay", "name": "deploy prod", "status": "SUCCEEDED", "buildTime": MS,
          "startTime": MS, "endTime": MS + 9000, "trigger": {"type": "manual", "user": "ana"}, "stages": []}],
        "deploy", "pay", "", "ana", "deploy prod"),
    "Helm's history": (
        [{"revision": 3, "updated": "2026-06-17T09:42:03.12Z", "status": "deployed", "chart": "pay-1.2.0",
          "app_version": "7.2", "description": "Upgrade complete"}],
        "deploy", "pay", "1.2.0", "", "Upgrade complete"),
    "GitHub's pulls, one of them not merged": (
        [{"number": 8, "title": "smaller pool", "state": "closed", "user": {"login": "ana"}, "merged_at": ISO,
          "created_at": LATER, "merge_commit_sha": SHA, "base": {"ref": "main", "repo": {"name": "pay"}}},
         {"number": 9, "title": "larger pool", "state": "closed", "user": {"login": "bo"}, "merged_at": None,
          "created_at": ISO, "merge_commit_sha": SHA[::-1]}],
        "commit", "", SHA, "ana", "smaller pool (#8)"),
    "gh's list of pulls": (
        [{"number": 8, "title": "smaller pool", "author": {"login": "ana"}, "mergedAt": ISO,
          "mergeCommit": {"oid": SHA}}],
        "commit", "", SHA, "ana", "smaller pool (#8)"),
    "GitLab's merge requests": (
        [{"id": 1, "iid": 8, "title": "smaller pool", "state": "merged", "author": {"username": "bo"},
          "merged_by": {"username": "ana"}, "merged_at": ISO, "created_at": LATER, "merge_commit_sha": SHA}],
        "commit", "", SHA, "ana", "smaller pool (!8)"),
    "gh's list of runs, one of tests": (
        [{"databaseId": 7, "displayTitle": "pay 1.2.0", "workflowName": "deploy-prod", "headSha": SHA, "event": "push",
          "status": "completed", "conclusion": "success", "createdAt": LATER, "updatedAt": ISO, "name": "deploy-prod"},
         {"databaseId": 6, "displayTitle": "pay 1.2.0", "workflowName": "unit tests", "headSha": SHA, "event": "push",
          "status": "completed", "conclusion": "success", "createdAt": ISO, "updatedAt": ISO, "name": "unit tests"}],
        "deploy", "", SHA, "", "pay 1.2.0"),
    "GitHub's workflow runs": (
        {"total_count": 1, "workflow_runs": [
            {"id": 7, "name": "Release", "display_title": "pay 1.2.0", "head_sha": SHA, "status": "completed",
             "conclusion": "success", "created_at": LATER, "updated_at": ISO, "actor": {"login": "ana"},
             "repository": {"name": "pay"}}]},
        "deploy", "pay", SHA, "ana", "pay 1.2.0"),
    "Kubernetes' replica sets": (
        {"kind": "List", "items": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {
            "name": "pay-64469b5b48", "creationTimestamp": ISO, "labels": {"pod-template-hash": "64469b5b48"},
            "annotations": {"deployment.kubernetes.io/revision": "7"}},
            "spec": {"template": {"spec": {"containers": [{"name": "pay", "image": "r.example:5000/pay:v1.2.0"}]}}}}]},
        "deploy", "pay", "1.2.0", "", "pay v1.2.0"),
    "ServiceNow's changes": (
        {"result": [{"number": "CHG0030001", "short_description": "smaller pool", "start_date": LOCAL,
                     "end_date": LATER_LOCAL, "assigned_to": {"display_value": "ana"},
                     "cmdb_ci": {"display_value": "pay"}, "type": "normal"}]},
        "ticket", "pay", "", "ana", "smaller pool"),
    "a Chinese CSV of tickets": (
        f"单号,时间,服务,类型,操作人,内容\nCHG-1,{LOCAL},pay,手工执行,ana,重跑任务\n",
        "ticket", "pay", "", "ana", "重跑任务"),
    "a Chinese CSV of a release ticket": (
        f"变更单号,计划开始时间,计划结束时间,变更对象,变更类型,负责人,变更内容\nCHG-1,{LOCAL},{LATER_LOCAL},pay,发布,ana,连接池调小\n",
        "deploy", "pay", "", "ana", "连接池调小"),
    "a Chinese CSV of releases": (
        f"发布时间,应用,版本,发布人,环境,说明\n{LOCAL},pay,1.2.0,ana,prod,连接池调小\n",
        "deploy", "pay", "1.2.0", "ana", "连接池调小"),
    "a Chinese CSV of configuration": (
        f"修改时间;应用;配置项;旧值;新值;修改人\n{LOCAL};pay;pool.size;20;2;ana\n",
        "config", "pay", "", "ana", "pool.size"),
    "LaunchDarkly's audit log": (
        {"items": [{"_id": "x1", "date": MS, "kind": "flag", "name": "new-pool", "member": {"email": "ana"},
                    "titleVerb": "turned on the flag"}]},
        "flag", "", "", "ana", "new-pool"),
}  # fmt: skip

_LINE = (SHA, "2026-06-17T11:42:03+02:00", "Ana Lee", "pay: smaller pool | 20 -> 2")
_NEXT = (SHORT + "5f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b", "2026-06-16T11:42:03+02:00", "Bo", "docs, tidy")
COMMITS = {
    "|": [_LINE, _NEXT], "\t": [_LINE, _NEXT], ";": [_LINE, _NEXT], " - ": [_LINE, _NEXT], ",": [_LINE, _NEXT],
}  # fmt: skip


def written(content: Any) -> str | bytes:
    return content if isinstance(content, str | bytes) else json.dumps(content)


@pytest.mark.parametrize("name", ALERTS)
async def test_alerts_of_the_fields_tools(tmp_path: Path, name: str) -> None:
    content, what, service, severity, end = ALERTS[name]
    folder = folder_of(tmp_path, {"x": written(content)})
    (e,) = (await folder.sources().alerts[0].episodes(AlertQuery(ALL))).rows
    assert (e.name, e.service, e.severity, e.start, e.end) == (what, service, severity, NINE, end)
    assert (folder.skipped, folder.material.logs) == ((), ())


@pytest.mark.parametrize("name", CHANGES)
async def test_changes_of_the_fields_tools(tmp_path: Path, name: str) -> None:
    content, kind, service, what, author, title = CHANGES[name]
    folder = folder_of(tmp_path, {"x": written(content)})
    (c,) = (await folder.sources().changes[0].list(ChangeQuery(ALL))).rows
    assert (c.kind, c.service, c.author) == (kind, service, author)
    assert (c.at.replace(microsecond=0), what in (c.version, c.sha, c.id)) == (NINE, True)
    assert title in c.title
    assert (folder.skipped, folder.material.logs) == ((), ())


async def commits(folder: Folder) -> list[tuple[str, datetime, str, str]]:
    rows = (await folder.sources().changes[0].list(ChangeQuery(ALL))).rows
    return [(c.id, c.at, c.author, c.title) for c in rows]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 2, 3), (0, 2, 1, 3), (3, 0, 1, 2)])
@pytest.mark.parametrize("mark", COMMITS)
async def test_one_line_a_commit_in_any_order_and_separator(tmp_path: Path, mark: str, order: tuple[int, ...]) -> None:
    rows = [tuple(part.replace(mark, "/") if order[-1] != 3 else part for part in row) for row in COMMITS[mark]]
    text = "".join(mark.join(row[i] for i in order) + "\n" for row in rows)
    folder = folder_of(tmp_path, {"x": text})
    assert await commits(folder) == [
        (rows[1][0], utc("2026-06-16T09:42:03"), "Bo", rows[1][3]),
        (SHA, NINE, "Ana Lee", rows[0][3]),
    ]
    assert folder.material.logs == ()


async def test_one_line_a_commit_without_an_author_or_with_a_short_sha(tmp_path: Path) -> None:
    told = f"{SHA[:7]} {ISO} pay: smaller pool\n{SHORT} 2026-06-16 11:42:03 +0200 docs\n"
    assert await commits(folder_of(tmp_path, {"x": told})) == [
        (SHORT, utc("2026-06-16T09:42:03"), "", "docs"), (SHA[:7], NINE, "", "pay: smaller pool"),
    ]  # fmt: skip


@pytest.mark.parametrize("line", [
    "{at}|INFO|4bf92f3577b34da6a3ce929d0e0e4736|pay|order 1 placed\n",
    "{at} 4bf92f3577b34da6 order 1 placed\n",
    '{{"time": "{at}", "service": "pay", "version": "1.2.0", "message": "order 1 placed"}}\n',
    '{{"time": "{at}", "service": "pay", "version": "1.2.0", "user": "ana", "message": "order 1 placed"}}\n',
    "{at},pay,INFO,order 1 placed\n",
])  # fmt: skip
async def test_a_log_stays_a_log(tmp_path: Path, line: str) -> None:
    head = "时间,服务,级别,内容\n" if line.startswith("{at},") else ""
    text = head + "".join(line.format(at=f"2026-06-17T09:42:{n:02}Z") for n in range(9))
    folder = folder_of(tmp_path, {"x": text})
    assert [(f.survey["kind"], f.survey["n"]) for f in folder.material.logs] == [("log", 9)]
    assert folder.material.rows == ()
