"""What order and repetition do, and what is answered from what was kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hermes_ops.testing.sources import MemoryAlerts
from orchestrator.contracts import Window
from subagents import alerts
from subagents.sources import AlertQuery, ChangeQuery, Sources
from tests.hooks.place import DAY, NOW, START, ZERO, Place
from tests.shared import shared
from tests.subagents.rig import call, context

# ── order and repetition ──────────────────────────────────────────────────────────────────────


async def test_a_repetition_is_the_same_alert(place: Place) -> None:
    assert await place.tell() == {"kept": 1, "new": 1}
    assert await place.tell() == {"kept": 1, "known": 1}
    assert await place.episodes() == [("Slow", START, None)]
    assert [a.became for a in place.heard] == [("new",), ("known",)]


async def test_an_end_that_was_told_stays_whatever_comes_late(place: Place) -> None:
    end = START + timedelta(minutes=12)
    words = [{"status": "firing"}, {"status": "resolved", "endsAt": end.isoformat()}]
    orders = [(0, 1), (1, 0), (1, 0, 1), (0, 1, 0)]
    for mark, order in enumerate(orders):
        for n in order:
            await place.tell(fingerprint=f"f{mark}", **words[n])
    assert await place.episodes() == [("Slow", START, end)] * len(orders)


async def test_it_fires_again_under_the_old_start(place: Place) -> None:
    """Alertmanager resolves what Prometheus didn't repeat, and goes on when it is back."""
    await place.tell()
    await place.tell(status="resolved", endsAt=(START + timedelta(minutes=5)).isoformat())
    place.clock.now += timedelta(minutes=14)
    assert "known" in await place.tell()
    place.clock.now += timedelta(minutes=2)
    assert "reopened" in await place.tell()
    assert await place.episodes() == [("Slow", START, None)]
    await place.tell(status="resolved", endsAt=(START + timedelta(minutes=30)).isoformat())
    assert await place.episodes() == [("Slow", START, START + timedelta(minutes=30))]


async def test_a_second_firing_is_a_second_episode(place: Place) -> None:
    end, again = START + timedelta(minutes=5), START + timedelta(minutes=20)
    await place.tell(status="resolved", endsAt=end.isoformat())
    await place.tell(startsAt=again.isoformat())
    assert await place.episodes() == [("Slow", START, end), ("Slow", again, None)]


async def test_a_zero_or_future_end_is_none(place: Place) -> None:
    ends = [ZERO, "", None, (NOW + timedelta(hours=4)).isoformat()]
    for n, end in enumerate(ends):
        await place.tell(endsAt=end, status="", fingerprint=f"f{n}")
    assert await place.episodes() == [("Slow", START, None)] * len(ends)


async def test_a_body_without_times_belongs_to_what_is_open(place: Place) -> None:
    body = {"state": "alerting", "ruleId": 7, "ruleName": "CPU"}
    assert (await place.post("alerts/grafana", {**body, "state": "ok"}))[1] == {"kept": 0, "unmatched": 1}
    assert (await place.post("alerts/grafana", body))[1] == {"kept": 1, "new": 1}
    place.clock.now += timedelta(minutes=5)
    assert (await place.post("alerts/grafana", body))[1] == {"kept": 1, "known": 1}
    place.clock.now += timedelta(minutes=5)
    assert (await place.post("alerts/grafana", {**body, "state": "ok"}))[1] == {"kept": 1, "ended": 1}
    assert await place.episodes() == [("CPU", NOW, NOW + timedelta(minutes=10))]


async def test_the_recorded_deliveries_give_the_same_in_any_order_and_twice(place: Place) -> None:
    lines = shared("data/api/recorded/live-after/webhooks.jsonl").read_text("utf-8").splitlines()
    bodies = [json.loads(line)["body"] for line in lines]
    wanted = {
        (a["labels"]["alertname"], a["labels"]["service"], a["startsAt"][:19])
        for body in bodies
        for a in body["alerts"]
    }
    place.clock.now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    for body in [*reversed(bodies), *bodies]:
        await place.post("alerts/alertmanager", body)
    day = Window(datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC), "UTC")
    rows = (await place.alerts.episodes(AlertQuery(day))).rows
    assert {(e.name, e.service, e.start.isoformat()[:19]) for e in rows} == wanted
    assert len(rows) == len(wanted)
    ended = {a["fingerprint"] + a["startsAt"] for b in bodies for a in b["alerts"] if a["status"] == "resolved"}
    assert sum(e.end is not None for e in rows) == len(ended)


# ── what is answered from it ──────────────────────────────────────────────────────────────────


async def test_answers_say_from_when_on_the_store_is_whole(place: Place) -> None:
    await place.tell()
    found = await place.alerts.episodes(AlertQuery(DAY))
    assert not found.complete
    assert found.gaps[0].startswith("the store of web hooks runs since 2026-11-29 15:00 UTC (alertmanager)")
    place.clock.now += timedelta(minutes=30)
    later = await place.alerts.episodes(AlertQuery(Window(NOW, NOW + timedelta(minutes=20), "UTC")))
    assert (len(later.rows), later.complete, later.gaps) == (1, True, ())
    assert (await place.alerts.coverage()).since == NOW
    assert (await place.alerts.probe()).ok


async def test_a_query_states_its_window_in_utc_whatever_zone_it_was_asked_in(place: Place) -> None:
    """The gap says the same moment on the asker's clock."""
    day = Window(datetime.fromisoformat("2026-11-29T20:00+08:00"), datetime.fromisoformat("2026-11-30T08:00+08:00"),
                 "Asia/Shanghai")  # fmt: skip
    await place.tell()
    asked = AlertQuery(day)
    told = (await place.alerts.episodes(asked), await place.alerts.current(asked))
    for found in (*told, await place.changes.list(ChangeQuery(day))):
        assert "2026-11-29T12:00:00Z to 2026-11-30T00:00:00Z" in found.query
        assert "since 2026-11-29 23:00 +08:00 (" in found.gaps[0]


async def test_of_the_time_before_its_hooks_ran_nobody_can_tell(place: Place) -> None:
    """Also with what only knows what fires now beside it; and one that was never told anything begins now."""
    agent = alerts.make(Sources(alerts=(place.alerts, MemoryAlerts("pager", caps=frozenset({"current"})))))
    early = Window(NOW - timedelta(hours=3), NOW - timedelta(hours=2), "UTC")
    for begun in (False, True):
        if begun:
            await place.ear.begin()
        ctx = replace(context(early), now=NOW + timedelta(hours=1))
        for tool in ("list_alerts", "count_alerts"):
            got = await call(agent, ctx, tool)
            assert "whether any fired isn't known" in got.text
            assert got.data["blind"]


async def test_an_alert_nobody_tells_of_any_more_may_be_over(place: Place) -> None:
    await place.tell()
    place.clock.now += timedelta(hours=25)
    found = await place.alerts.current(AlertQuery(Window(NOW, place.clock.now, "UTC")))
    assert [(e.end, e.end_known) for e in found.rows] == [(None, False)]
    assert any("may be over" in gap for gap in found.gaps)
    await place.tell()
    found = await place.alerts.current(AlertQuery(Window(NOW, place.clock.now, "UTC")))
    assert [e.end_known for e in found.rows] == [True]


async def test_filters_and_the_past(place: Place) -> None:
    end = START + timedelta(minutes=5)
    await place.tell(status="resolved", endsAt=end.isoformat())
    for more in ({"services": ("payment",)}, {"severities": ("warning",)}, {"names": ("Fast",)}):
        assert not (await place.alerts.episodes(replace(AlertQuery(DAY), **more))).rows
    assert (await place.alerts.episodes(AlertQuery(DAY, ("checkout",), ("critical",), ("Slow",)))).total == 1
    assert not (await place.alerts.episodes(AlertQuery(Window(end, NOW, "UTC")))).rows
    assert not (await place.alerts.current(AlertQuery(DAY))).rows


async def test_texts_are_masked_as_they_come_in(place: Place) -> None:
    password = "password=Tr0ub4dor&3xyz"
    await place.tell(annotations={"summary": f"login failed: {password}", "mail": "wang.lei@example.com"})
    (row,) = (await place.records.find("alert", DAY)).rows
    assert "Tr0ub4dor" not in json.dumps(row.body)
    assert "wang.lei" not in json.dumps(row.body)


async def test_what_is_too_old_or_too_much_goes_and_that_is_said(place: Place) -> None:
    for n in range(5):
        place.clock.now = NOW + timedelta(minutes=n)
        await place.tell(fingerprint=f"f{n}", startsAt=(START + timedelta(minutes=n)).isoformat())
    assert await place.records.prune(NOW + timedelta(seconds=30), 100) == 1
    assert await place.records.prune(NOW - timedelta(days=1), 2) == 2
    assert [start for _, start, _ in await place.episodes()] == [START + timedelta(minutes=n) for n in (3, 4)]
    assert (await place.records.since("alert"))["alertmanager"] == NOW


async def test_whom_the_sender_notified_and_in_which_group_is_kept(place: Place) -> None:
    alert = {"labels": {"alertname": "Slow", "service": "checkout"}, "status": "firing", "startsAt": START.isoformat(),
             "endsAt": ZERO, "fingerprint": "f1"}  # fmt: skip
    key = '{}/{team="pay"}:{alertname="Slow", service="checkout"}'
    whole = {"version": "4", "receiver": "oncall", "groupKey": key, "alerts": [alert]}
    assert (await place.post("alerts/alertmanager", whole))[0] == 200
    (e,) = (await place.alerts.episodes(AlertQuery(DAY, grouped=True))).rows
    assert e.notified == (("oncall", "alertname=Slow, service=checkout"),)
    await place.tell(fingerprint="f2")
    assert [e.notified for e in (await place.alerts.episodes(AlertQuery(DAY))).rows if not e.notified] == [()]
