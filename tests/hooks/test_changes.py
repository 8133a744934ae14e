"""Changes that are told in steps, by several events, of a repository."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hermes_ops.hooks.opening import service_of
from hermes_ops.settings import ServiceSettings
from subagents.sources import ChangeQuery
from tests.hooks.place import DAY, NOW, SECRET, Place, signed

# ── changes ───────────────────────────────────────────────────────────────────────────────────


def deployment(state: str, at: str, id: int = 9) -> dict[str, Any]:
    body: dict[str, Any] = {
        "deployment": {"id": id, "ref": "v2.4.1", "sha": "abc1234", "environment": "prod",
                       "created_at": "2026-11-29T14:00:00Z", "creator": {"login": "ann"}},
        "repository": {"full_name": "acme/checkout"},
    }  # fmt: skip
    return {**body, "deployment_status": {"state": state, "created_at": at}} if state else body


async def test_a_deployment_and_its_states_are_one_change(place: Place) -> None:
    orders = [(0, 1, 2, 3), (2, 1, 0, 3), (2, 2, 3, 0), (3, 0, 2, 1)]
    for id, order in enumerate(orders):
        told = [
            deployment("", "", id), deployment("in_progress", "2026-11-29T14:00:30Z", id),
            deployment("success", "2026-11-29T14:03:00Z", id), deployment("inactive", "2026-11-29T14:50:00Z", id),
        ]  # fmt: skip
        for n in order:
            raw = json.dumps(told[n]).encode()
            event = "deployment_status" if "deployment_status" in told[n] else "deployment"
            assert (await place.post("changes/github", raw, {**signed(raw), "X-GitHub-Event": event}))[0] == 200
    changes = (await place.changes.list(ChangeQuery(DAY))).rows
    assert len(changes) == len(orders)
    for c in changes:
        assert (c.at, c.title) == (datetime(2026, 11, 29, 14, 3, tzinfo=UTC), "deploy v2.4.1 to prod")
        assert (c.service, c.version, c.environment, c.author) == ("checkout", "v2.4.1", "prod", "ann")


async def test_a_failed_deployment_says_so(place: Place) -> None:
    raw = json.dumps(deployment("failure", "2026-11-29T14:03:00Z")).encode()
    await place.post("changes/github", raw, {**signed(raw), "X-GitHub-Event": "deployment_status"})
    assert (await place.changes.list(ChangeQuery(DAY))).rows[0].title == "deploy v2.4.1 to prod (failure)"


async def test_a_tag_is_a_release_once_and_its_time_stays(place: Place) -> None:
    tag = {
        "object_kind": "tag_push",
        "ref": "refs/tags/v1",
        "after": "a" * 40,
        "project": {"path_with_namespace": "a/b"},
    }
    release = {"object_kind": "release", "tag": "v1", "name": "One", "action": "create",
               "released_at": "2026-11-29T14:30:00Z", "project": {"path_with_namespace": "a/b"}}  # fmt: skip
    for body in (tag, tag):
        await place.post("changes/gitlab", body, {"X-Gitlab-Token": SECRET})
        place.clock.now += timedelta(minutes=7)
    assert [c.at for c in (await place.changes.list(ChangeQuery(DAY))).rows] == [NOW]
    for body in (release, tag):
        await place.post("changes/gitlab", body, {"X-Gitlab-Token": SECRET})
    (change,) = (await place.changes.list(ChangeQuery(DAY))).rows
    assert (change.title, change.at) == ("release One", datetime(2026, 11, 29, 14, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    "written", ["acme/checkout", "https://git.example/acme/checkout.git", "git@git.example:acme/checkout"]
)
def test_the_catalogue_says_whose_repository_it_is(written: str) -> None:
    services = {"pay": ServiceSettings(), "结算": ServiceSettings(repository=written)}
    assert service_of("acme/checkout", services) == "结算"
    assert service_of("acme/other", services) == ""
    assert service_of("out/acme/checkout", services) == ""
