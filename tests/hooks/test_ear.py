"""A delivery from its bytes to the store: who may, and what is refused in which words."""

from __future__ import annotations

import base64
import encodings.aliases
import json
import time
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from hermes_ops.hooks.settings import AlertHook, HookSettings
from memory import Memory
from orchestrator.contracts import Window
from tests.hooks.place import BEARER, NOW, SECRET, START, Place, signed

# ── who may ───────────────────────────────────────────────────────────────────────────────────

ALERT = {"alerts": []}


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


PROOFS: list[tuple[str, dict[str, str], int]] = [
    ("alerts/alertmanager", BEARER, 200),
    ("alerts/alertmanager", {"authorization": f"bearer {SECRET}"}, 200),
    ("alerts/alertmanager", basic("anybody", SECRET), 200),
    ("alerts/alertmanager", signed(json.dumps(ALERT).encode()), 200),
    ("alerts/alertmanager", {}, 401),
    ("alerts/alertmanager", {"Authorization": "Bearer "}, 401),
    ("alerts/alertmanager", {"Authorization": "Bearer wrong"}, 401),
    ("alerts/alertmanager", {"Authorization": "Basic !!!"}, 401),
    ("alerts/alertmanager", basic("anybody", "wrong"), 401),
    ("alerts/alertmanager", signed(b"another body"), 401),
    ("alerts/alertmanager", {"X-Gitlab-Token": SECRET}, 401),
    ("alerts/open", BEARER, 403),
    ("alerts/open", {"Authorization": "Bearer "}, 403),
    ("alerts/nobody", BEARER, 404),
    ("changes/github", BEARER, 401),
    ("changes/github", signed(json.dumps(ALERT).encode(), "wrong"), 401),
    ("changes/github", {**signed(json.dumps(ALERT).encode()), "X-GitHub-Event": "ping"}, 200),
    ("changes/gitlab", {"X-Gitlab-Token": "wrong"}, 401),
]


async def test_only_who_knows_the_secret_is_heard(place: Place) -> None:
    for path, headers, status in PROOFS:
        got, told = await place.post(path, ALERT, headers)
        assert (got, "error" in told) == (status, status >= 400), (path, headers, told)
        assert SECRET not in json.dumps(told)


async def test_a_hook_without_a_secret_says_how_to_set_one(place: Place) -> None:
    _, told = await place.post("alerts/open", ALERT)
    assert (
        told["error"]
        == 'hooks.alerts.open has no secret, so it takes nothing: set hooks.alerts.open.secret = { env = "NAME" }.'
    )
    _, told = await place.post("alerts/nobody", ALERT)
    assert "[hooks.alerts.nobody]" in told["error"]


async def test_a_user_is_checked_where_one_is_named(memory: Memory) -> None:
    place = Place(memory, HookSettings(alerts={"grafana": AlertHook(secret=SecretStr(SECRET), user="grafana")}))
    assert (await place.post("alerts/grafana", ALERT, basic("grafana", SECRET)))[0] == 200
    assert (await place.post("alerts/grafana", ALERT, basic("other", SECRET)))[0] == 401


UNUSABLE = [
    (b"", 400, "no JSON"),
    (b"{", 400, "no JSON"),
    (b"\xff\xfe", 400, "no JSON"),
    (b"[" * 100_000, 400, "no JSON"),
    (b"[]", 422, "no list `alerts`"),
    (b'{"alerts": {}}', 422, "no list `alerts`"),
    (json.dumps({"alerts": [{}] * 2001}).encode(), 413, "2,001 entries"),
]


async def test_what_cannot_be_used_is_refused_in_a_sentence(place: Place) -> None:
    for body, status, why in UNUSABLE:
        got, told = await place.post("alerts/alertmanager", body)
        assert got == status, body[:20]
        assert why in told["error"]
    assert place.ear.refused["alerts", "alertmanager"] == len(UNUSABLE)


async def test_odd_values_hurt_nobody(place: Place) -> None:
    """Whatever stands where a value is expected."""
    odd: list[Any] = [None, 7, "x", [], [[]], {}, {"a": {"b": None}}, True, 1e300, "\0\ud800"]
    for value in odd:
        alert = dict.fromkeys(("labels", "annotations", "startsAt", "endsAt", "status", "fingerprint"), value)
        for body in (value, {"alerts": value}, {"alerts": [value]}, {"alerts": [alert]}, alert):
            for name in ("alertmanager", "grafana", "anything"):
                status, told = await place.post(f"alerts/{name}", body)
                assert status in (200, 422), told
    for value in odd:
        body = {"object_kind": "deployment", "status": "success", "project": value, "user": value, "commit_url": value}
        status, told = await place.post("changes/gitlab", body, {"X-Gitlab-Token": SECRET})
        assert status == 200, told


async def test_forms_are_read(place: Place) -> None:
    form = {**BEARER, "Content-Type": "application/x-www-form-urlencoded"}
    body = b"alertName=CPU%E8%BF%87%E9%AB%98&alertState=ALERT&severity=P2&timestamp=1796046000000"
    assert (await place.post("alerts/anything", body, form))[1] == {"kept": 1, "new": 1}
    inside = b"payload=" + json.dumps({"name": "Disk", "severity": "high"}).encode()
    assert (await place.post("alerts/anything", inside, form))[1]["kept"] == 1
    kept = (await place.records.find("alert", Window(START, NOW + timedelta(days=2)))).rows
    assert [r.body["name"] for r in kept] == ["Disk", "CPU过高"]


CHARSETS = sorted({*encodings.aliases.aliases.values(), "idna", "undefined", "no-such", "", "a\0b", "é\xff", "x" * 300})


@pytest.mark.parametrize("body", [json.dumps(ALERT).encode(), b"\xff\xfe" + bytes(range(256)), b"a-" * 50_000])
async def test_no_charset_that_a_sender_names_breaks_the_hook(place: Place, body: bytes) -> None:
    began = time.thread_time()
    for charset in CHARSETS:
        headers = {**BEARER, "Content-Type": f"application/json; charset={charset}"}
        status, told = await place.post("alerts/alertmanager", body, headers)
        assert status in (200, 400, 422), (charset, told)
    assert time.thread_time() - began < 5


@pytest.mark.parametrize("charset", ["gbk", "GB18030", "utf-16", "latin-1", "utf-8"])
async def test_a_charset_that_texts_are_written_in_is_read(place: Place, charset: str) -> None:
    name = "café" if charset == "latin-1" else "磁盘已满"
    body = {"alerts": [{"labels": {"alertname": name}, "status": "firing", "startsAt": START.isoformat()}]}
    raw = json.dumps(body, ensure_ascii=False).encode(charset)
    headers = {**BEARER, "Content-Type": f"application/json; charset={charset}"}
    assert (await place.post("alerts/alertmanager", raw, headers))[0] == 200
    assert [said for said, _, _ in await place.episodes()] == [name]
