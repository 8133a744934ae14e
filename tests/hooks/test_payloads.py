"""Each payload of the measuring data: what a person reads in the file, and what the hook of its kind says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hermes_ops.hooks import kinds
from hermes_ops.hooks.heard import Alert, Beside, Delivery, Unreadable
from hermes_ops.hooks.settings import AlertHook, ChangeHook
from tests.shared import shared

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HEARD = "now"  # the body tells no time: it is over when that was heard

# file, kind, then of each alert: name, severity, service, state, start, end; times in UTC, None: not told
ALERTS: list[tuple[Any, ...]] = [
    ("alerta/prometheus_v4_alert.json", "alertmanager",
     [("thing_dead", "critical", "", "firing", "2017-08-03T19:17:37.804", None)]),
    ("alerta/prometheus_v3_alert.json", "alertmanager",
     [("failedConnect", "critical", "System", "firing", "2016-08-01T10:27:08.008", None)]),
    ("alerta/grafana_6.json", "grafana",
     [("Testing -> Battery Voltage alert", "warning", "Physical", "firing", None, None)]),
    ("alerta/grafana_alert_alerting.json", "grafana",
     [("Zeta CPU alert", "", "monitoring", "firing", None, None)]),
    ("alerta/grafana_alert_ok.json", "grafana", [("Zeta CPU alert", "", "", "resolved", None, HEARD)]),
    ("alerta/grafana_example.json", "grafana", [("Load peaking!", "", "", "firing", None, None)]),
    ("nightingale/event-0.json", "nightingale",
     [("Test Alert", "info", "", "firing", "2023-02-24T09:05:17", None)]),
    ("nightingale/api-1.json", "nightingale",
     [("Host CPU usage high", "warning", "web", "firing", "2025-07-01T00:40:00", None)]),
    ("alerta/cloudwatch_notification.json", "generic",
     [("bucketbytesAlarm", "", "", "firing", "2019-02-15T23:53:45.093", None)]),
    ("alerta/pagerduty_alert.json", "generic",
     [("45645", "", "service", "firing", "2013-07-09T20:25:44", None),
      ("45645", "", "service", "resolved", None, "2013-07-09T20:25:45")]),
    ("alerta/pingdom_down.json", "generic",
     [("Alerta API on OpenShift", "HIGH", "", "firing", "2017-06-30T22:25:43", None)]),
    ("alerta/pingdom_up.json", "generic",
     [("Alerta API on OpenShift", "HIGH", "", "resolved", None, "2017-06-30T22:30:43")]),
    ("hertzbeat/aliyun-cms-0.json", "generic",
     [("ECS CPU usage is high", "WARNING", "", "firing", "2026-07-29T04:40:00.123", None)]),
    ("hertzbeat/aliyun-cms-1.json", "generic",
     [("ECS CPU usage is high", "CRITICAL", "", "resolved", None, "2026-07-29T06:00:00")]),
    ("hertzbeat/aliyun-cms-2.json", "generic",
     [("Recovered alert", "", "", "resolved", None, "2026-07-29T04:40:00.123")]),
    ("hertzbeat/huawei-0.json", "generic", [("alarm-c5jj", "紧急", "", "firing", "2025-06-02T14:56:15", None)]),
    ("keep/axiom.json", "generic",
     [("Triggered: New monitor", "", "", "firing", "2025-02-15T14:59:03", None)]),
    ("keep/checkly.json", "generic", [("API Check #1", "", "", "resolved", None, "2025-01-26T11:19:40.544")]),
    ("keep/graylog.json", "generic", [("Event - 1", "3", "", "firing", "2024-10-24T10:22:04.556", None)]),
    ("keep/libre_nms.json", "generic", [("Devices up/down", "ok", "", "resolved", None, "2025-03-04T11:01:41")]),
    ("keep/thousandeyes.json", "generic",
     [("Default Agent Offline Notification", "Info", "", "firing", "2025-03-24T17:28:40", None),
      ("PDF Test", "Info", "", "resolved", "2025-03-17T19:43:00", "2025-03-24T17:21:00")]),
    ("keep/wazuh.json", "generic",
     [("New dpkg (Debian Package) installed.", "info", "", "firing", "2025-02-03T20:41:42.853014", None)]),
]  # fmt: skip

# with what a person would write into the settings, where a sender calls things as nobody else does
MAPPED: list[tuple[Any, ...]] = [
    ("alerta/vmware_vrealize.json",
     {"name": "info", "service": "resourceName", "severity": "criticality"},
     {"ALERT_CRITICALITY_LEVEL_WARNING": "warning"},
     ("sample-info", "warning", "sample-object-name", "firing", "2013-05-28T16:09:06.267", None)),
    ("keep/coralogix.json",
     {"severity": "fields[key=severityLowercase].value", "start": "fields[key=timestampISO].value",
      "service": "fields[key=team].value"}, {},
     ("Keep", "error", "ezhil", "firing", "2024-08-14T21:28:56.254", None)),
    ("keep/signalfx.json",
     {"list": "simulate.payload", "name": "inputs.rule", "state": "statusExtended", "firing": ["anomalous"],
      "resolved": ["ok", "manually resolved"]}, {},
     ("logs", "Critical", "", "firing", None, None)),
]  # fmt: skip

# files of Keep that hold the makings of bodies, several each: name and severity
MADE = {
    "cloudwatch": [("HighCPUUsage", "P3"), ("HighMemoryUsage", "P2"), ("APIErrorRate", "P1")],
    "datadog": [("High CPU Usage", "P3"), ("Low Disk Space", "4"), ("MQ Consumer Is Struggling", "4")],
    "gcpmonitoring": [
        ("5XX Error Rate > 5%", "critical"), ("Memory Usage > 90%", "warning"), ("Query Latency > 2s", "warning"),
    ],
    "prometheus": [
        ("CPU usage is over 90%", "critical"), ("Message queue is over 33% capacity", "warning"),
        ("Message queue is over 90% capacity", "critical"), ("Disk space is below 20%", "warning"),
        ("Network latency is higher than normal for customer_id:acme", "info"),
    ],
    "grafana": [("High Memory Usage", "warning"), ("Network Latency High", "info")],
}  # fmt: skip


def load(path: str) -> Any:
    return json.loads(shared(f"data/{path}").read_text(encoding="utf-8"))


def told(a: Alert) -> tuple[Any, ...]:
    def at(time: datetime | None) -> str | None:
        return None if time is None else HEARD if time == NOW else time.isoformat().removesuffix("+00:00")

    return a.name, a.severity, a.service, "firing" if a.firing else "resolved", at(a.start), at(a.end)


def same(got: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Trailing zeros of a fraction aside."""
    return tuple(v and str(v).rstrip("0") for v in got) == tuple(v and str(v).rstrip("0") for v in wanted)


@pytest.mark.parametrize(("path", "kind", "wanted"), ALERTS, ids=[case[0] for case in ALERTS])
def test_an_alert_says_what_a_person_reads_in_it(path: str, kind: str, wanted: list[tuple[Any, ...]]) -> None:
    got = [told(a) for a in kinds.ALERTS[kind](Delivery(load(f"alerts/{path}")), AlertHook(), NOW)]
    assert len(got) == len(wanted)
    assert all(map(same, got, wanted)), got


@pytest.mark.parametrize(("path", "given", "severities", "wanted"), MAPPED, ids=[case[0] for case in MAPPED])
def test_a_map_says_where_a_value_stands(path: str, given: Any, severities: Any, wanted: tuple[Any, ...]) -> None:
    hook = AlertHook.model_validate({"map": given})
    (got,) = kinds.ALERTS["generic"](Delivery(load(f"alerts/{path}")), hook, NOW)
    name, severity, *rest = told(got)
    assert same((name, severities.get(severity, severity), *rest), wanted), got


@pytest.mark.parametrize("tool", MADE)
def test_the_makings_of_bodies_are_read_as_well(tool: str) -> None:
    bodies = [one["payload"] for one in load(f"alerts/keep/{tool}.json").values()]
    got = [kinds.ALERTS["generic"](Delivery(body), AlertHook(), NOW)[0] for body in bodies]
    assert [(a.name, a.severity) for a in got] == MADE[tool]
    assert all(a.firing for a in got)


@pytest.mark.parametrize(
    ("path", "kind", "why"),
    [
        ("alerta/cloudwatch_insufficient_data.json", "generic", "INSUFFICIENT_DATA"),
        ("alerta/cloudwatch_subscription_confirmation.json", "generic", "nothing in it says that it is an alert"),
        ("alerta/telegram_ack.json", "generic", "nothing in it says that it is an alert"),
        ("alerta/telegram_close.json", "generic", "nothing in it says that it is an alert"),
        ("nightingale/api-0.json", "nightingale", "no event"),
        ("nightingale/event-0.json", "alertmanager", "no list `alerts`"),
        ("alerta/pingdom_up.json", "grafana", "neither `alerts` nor `state`"),
    ],
)
def test_what_is_no_alert_of_its_kind_says_so(path: str, kind: str, why: str) -> None:
    with pytest.raises((Beside, Unreadable), match=why):
        kinds.ALERTS[kind](Delivery(load(f"alerts/{path}")), AlertHook(), NOW)


# ── changes ───────────────────────────────────────────────────────────────────────────────────

# file, event, kind of hook, then of each change: kind, time, title, author, version, sha, environment
CHANGES: list[tuple[Any, ...]] = [
    ("github-webhooks/deployment/payload.json", "deployment", "github",
     [("deploy", "2019-05-15T15:20:53", "deploy master to production (created)", "Codertocat", "", "f95f852bd8fc",
       "production")]),
    ("github-webhooks/deployment/gh-pages.payload.json", "deployment", "github",
     [("deploy", "2022-01-03T01:28:30", "deploy gh-pages to github-pages (created)", "github-pages[bot]", "",
       "f95f852bd8fc", "github-pages")]),
    ("github-webhooks/deployment_status/payload.json", "deployment_status", "github",
     [("deploy", "2019-05-15T15:20:55", "deploy master to production", "Codertocat", "", "f95f852bd8fc",
       "production")]),
    ("github-webhooks/deployment_status/gh-pages.payload.json", "deployment_status", "github",
     [("deploy", "2022-01-03T01:28:40", "deploy master to github-pages (in progress)", "github-pages[bot]", "",
       "f95f852bd8fc", "github-pages")]),
    ("github-webhooks/release/published.payload.json", "release", "github",
     [("release", "2019-05-15T15:20:53", "release 0.0.1", "Codertocat", "0.0.1", "", "")]),
    ("github-webhooks/push/with-new-branch.payload.json", "push", "github",
     [("commit", "2019-05-15T15:19:25", "Initial commit", "Codertocat", "", "", "")]),
    ("go-scm/github/webhooks/push.json", "push", "github",
     [("commit", "2018-06-15T20:01:51", "Update README", "Codertocat", "", "", "")]),
    ("go-scm/github/webhooks/release_published.json", "release", "github",
     [("release", "2022-10-28T16:36:52", "release New release!", "vcalasansh", "v1.0.0", "", "")]),
    ("go-scm/github/webhooks/push_tag.json", "push", "github",
     [("release", "2018-06-21T17:07:26", "tag v0.0.1", "bradrydzewski", "v0.0.1", "d2b75aa7797e", "")]),
    ("go-gitlab/webhooks/deployment.json", "", "gitlab",
     [("deploy", "2021-04-28T19:50:00", "deploy 1.0.0 to staging", "user1", "1.0.0", "279484c09fbe", "staging")]),
    ("go-gitlab/webhooks/release.json", "", "gitlab",
     [("release", "2021-02-25T21:23:34", "release 1.0.0", "User", "1.0.0", "2626dbdb9367", "")]),
    ("go-gitlab/webhooks/tag_push.json", "", "gitlab",
     [("release", None, "tag v1.0.0", "jsmith", "v1.0.0", "82b3d5ae55f7", "")]),
    ("go-gitlab/webhooks/push.json", "", "gitlab",
     [("commit", "2011-12-12T12:27:31", "Merge branch 'some-feature' into 'master'", "Jordi Mallach", "", "", ""),
      ("commit", "2012-01-03T21:36:29", "fixed readme", "GitLab dev user", "", "", "")]),
    ("go-scm/gitlab/webhooks/push.json", "", "gitlab",
     [("commit", "2017-12-10T08:26:38", "added readme", "Sid Sijbrandij", "", "", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "event", "kind", "wanted"), CHANGES, ids=[case[0] for case in CHANGES])
def test_a_change_says_what_a_person_reads_in_it(path: str, event: str, kind: str, wanted: Any) -> None:
    got = kinds.CHANGES[kind](Delivery(load(f"changes/api/{path}"), event), ChangeHook(), NOW)
    read = [
        (c.kind, c.at.isoformat().removesuffix("+00:00") if c.at else None, c.title, c.author, c.version, c.sha[:12],
         c.environment)
        for c in got
    ]  # fmt: skip
    assert read == wanted


def test_every_recorded_body_of_github_and_gitlab_is_kept_or_passed_over() -> None:
    folders = [shared("data/changes/api/github-webhooks"), *(
        shared(f"data/changes/api/{name}/webhooks") for name in ("go-gitlab", "go-scm/github", "go-scm/gitlab")
    )]  # fmt: skip
    seen = kept = 0
    for folder in folders:
        kind = "gitlab" if "gitlab" in str(folder) else "github"
        for file in sorted(folder.rglob("*.json")):
            event = file.parent.name if folder.name == "github-webhooks" else ""
            seen += 1
            try:
                found = kinds.CHANGES[kind](Delivery(json.loads(file.read_text("utf-8")), event), ChangeHook(), NOW)
            except Beside:
                continue
            kept += 1
            assert all(c.id and c.title and c.repository for c in found), file
    assert seen > 90
    assert kept > 25
