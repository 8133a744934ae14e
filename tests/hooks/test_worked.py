"""The worked maps of docs/HOOKS.md, read out of the page."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from hermes_ops.hooks.settings import HookSettings
from memory import Memory
from orchestrator.contracts import Window
from subagents.sources import AlertQuery, ChangeQuery
from tests.hooks.place import DAY, SECRET, Place

DOCS = Path(__file__).resolve().parents[2] / "docs" / "HOOKS.md"

# ── the worked maps of the document ───────────────────────────────────────────────────────────


def worked() -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    """(domain, name, settings, body) of each `###` with a TOML and a JSON block."""
    for part in re.split(r"^### ", DOCS.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        toml, body = re.search(r"```toml\n(.*?)```", part, re.DOTALL), re.search(r"```json\n(.*?)```", part, re.DOTALL)
        if toml and body:
            given = tomllib.loads(toml[1])["hooks"]
            ((domain, tables),) = given.items()
            ((name, table),) = tables.items()
            yield domain, name, {**table, "secret": SecretStr(SECRET)}, json.loads(body[1])


KEPT = {
    "zabbix": ("支付网关连接池耗尽", "critical", "payment", "2026-11-29T14:00:15+00:00", "2026-11-29T14:31:40+00:00"),
    "jenkins": ("checkout 发布", "deploy", "checkout", "2.4.1", "prod", "2026-11-30T13:40:00+00:00"),
    "apollo": ("连接池上限 200 → 20", "config", "payment", "zhang.wei", "PROD", "2026-11-29T13:58:00+00:00"),
}


@pytest.mark.parametrize("case", list(worked()), ids=lambda case: case[1])
async def test_the_worked_maps_keep_what_the_document_says(memory: Memory, case: Any) -> None:
    domain, name, table, body = case
    place = Place(memory, HookSettings.model_validate({domain: {name: table}}))
    assert (await place.post(f"{domain}/{name}", body))[0] == 200
    days = Window(DAY.start, DAY.end + timedelta(days=1), "UTC")
    if domain == "alerts":
        (e,) = (await place.alerts.episodes(AlertQuery(days))).rows
        assert (e.name, e.severity, e.service, e.start.isoformat(), e.end and e.end.isoformat()) == KEPT[name]
        return
    (c,) = (await place.changes.list(ChangeQuery(days))).rows
    third = c.version if name == "jenkins" else c.author
    assert (c.title, c.kind, c.service, third, c.environment, c.at.isoformat()) == KEPT[name]


def test_the_document_has_three_worked_maps() -> None:
    assert {case[1] for case in worked()} == set(KEPT)


async def test_nacos_fits_the_same_map(memory: Memory) -> None:
    case = next(case for case in worked() if case[1] == "apollo")
    place = Place(memory, HookSettings.model_validate({"changes": {"apollo": case[2]}}))
    body = {"dataId": "payment.yaml", "group": "payment", "namespaceId": "prod", "md5": "9e10", "srcUser": "li",
            "gmtModified": "2026-11-29 21:58:00", "content": "pool: 20"}  # fmt: skip
    assert (await place.post("changes/apollo", body))[0] == 200
    (c,) = (await place.changes.list(ChangeQuery(DAY))).rows
    assert (c.title, c.kind, c.service, c.author, c.environment) == ("payment.yaml", "config", "payment", "li", "prod")
    assert c.at == datetime(2026, 11, 29, 13, 58, tzinfo=UTC)


async def test_a_build_that_failed_is_no_deploy(memory: Memory) -> None:
    case = next(case for case in worked() if case[1] == "jenkins")
    place = Place(memory, HookSettings.model_validate({"changes": {"jenkins": case[2]}}))
    body = {**case[3], "build": {**case[3]["build"], "status": "FAILURE"}}
    status, told = await place.post("changes/jenkins", body)
    assert (status, told["kept"]) == (200, 0)
    assert "FAILURE" in told["ignored"]
