"""The routes as they are served: hooks over HTTP, what `/metrics` and `/readyz` say of them."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from hermes_ops.hooks.settings import AlertHook, HookSettings
from hermes_ops.loading import load
from hermes_ops.meter import HELP, Meter
from hermes_ops.serve import serving
from hermes_ops.service import Service
from hermes_ops.sourcing.settings import AlertmanagerSettings, SourceSettings, StoreSettings
from hermes_ops.web.health import database
from memory import open_memory
from orchestrator.contracts import Event, Incoming

SAMPLE = re.compile(r'[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? -?[0-9.e+-]+')


@pytest.fixture
async def service(tmp_path: Path, free_port: int) -> AsyncIterator[Service]:
    """Hooks alone: no chat, one source that isn't there."""
    base = load({"HERMES_OPS_DATA_DIR": str(tmp_path), "HERMES_OPS_ZONE": "UTC", "HERMES_OPS_SERVE__PORT": "0"})
    hooks = HookSettings(body_kb=4, alerts={"alertmanager": AlertHook(secret=SecretStr("s"))})
    gone = AlertmanagerSettings(kind="alertmanager", url=f"http://127.0.0.1:{free_port}")
    sources = SourceSettings(alerts={"received": StoreSettings(kind="store"), "gone": gone})
    settings = base.model_copy(update={"hooks": hooks, "sources": sources})
    async with serving(settings, lambda app: (), offline=True) as service:
        yield service


async def call(service: Service, path: str, body: bytes | None = None, secret: str = "s") -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        request = urllib.request.Request(service.url + path, body, {"Authorization": f"Bearer {secret}"})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()

    return await asyncio.to_thread(ask)


def samples(text: str) -> dict[str, float]:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in lines), lines
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


async def test_hooks_are_served_counted_and_bounded(service: Service) -> None:
    alert: Any = {"labels": {"alertname": "Slow", "service": "checkout"}, "startsAt": "2026-11-29T14:00:00Z"}
    body = json.dumps({"alerts": [alert]}).encode()
    assert (await call(service, "/hooks/alerts/alertmanager", body))[0] == 200
    assert (await call(service, "/hooks/alerts/alertmanager", body, "wrong"))[0] == 401
    status, said = await call(service, "/hooks/alerts/alertmanager", b"x" * 5000)
    assert (status, "hooks.body_kb" in said) == (413, True)
    assert (await call(service, "/hooks/alerts/nobody", b"x" * 5000))[0] == 404
    assert (await call(service, "/hooks/alerts/alertmanager"))[0] == 405
    got = samples((await call(service, "/metrics"))[1])
    of = '{domain="alerts",hook="alertmanager"}'
    assert got[f"hermes_ops_hooks_received_total{of}"] == 1
    assert got[f"hermes_ops_hooks_refused_total{of}"] == 2
    assert not any("nobody" in name for name in got)


async def test_readiness_names_each_source_and_the_database(service: Service) -> None:
    await service.pulse.look()
    status, said = await call(service, "/readyz")
    told = json.loads(said)
    assert status == 200  # a source that is away is no reason to send nobody here
    assert told["database"]["ok"]
    assert told["sources"]["sources.alerts.received"]["ok"]
    assert not told["sources"]["sources.alerts.gone"]["ok"]
    assert told["sources"]["sources.alerts.gone"]["says"]
    got = samples((await call(service, "/metrics"))[1])
    assert got['hermes_ops_source_up{source="sources.alerts.gone"}'] == 0
    assert got['hermes_ops_source_up{source="sources.alerts.received"}'] == 1


async def test_a_database_that_fails_is_told(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'm.db'}")
    service: Any = SimpleNamespace(app=SimpleNamespace(memory=memory))
    assert await database(service) == ""
    await memory.close()
    assert "closed" in await database(service)


async def test_questions_and_tools_are_counted(service: Service) -> None:
    await service.app.answer(Incoming("m1", "今天有哪些告警？", datetime.now(UTC), "UTC"))
    text = (await call(service, "/metrics"))[1]
    got = samples(text)
    assert got['hermes_ops_questions_total{status="done"}'] == 1
    assert got['hermes_ops_question_seconds_bucket{le="+Inf"}'] == got["hermes_ops_question_seconds_count"] == 1
    assert sum(n for name, n in got.items() if name.startswith("hermes_ops_tool_calls_total{")) >= 1
    assert "# TYPE hermes_ops_question_seconds histogram" in text


def test_model_calls_tokens_and_buckets() -> None:
    meter = Meter()
    usage = {"prompt_tokens": 900, "completion_tokens": 50, "cached_tokens": 700}
    hear = meter.listener({"supervisor": {0}})
    for n, ms in enumerate((40, 90, 4000)):
        body = {"model": 'qwen "plus"', "ms": ms, "usage": usage}
        hear(Event("r", "supervisor", n, "model", None, body))  # type: ignore[arg-type]
    got = samples(meter.text([]))
    of = 'model="qwen \\"plus\\""'
    assert got[f"hermes_ops_model_calls_total{{{of}}}"] == 2  # the first was counted before a restart
    assert got[f'hermes_ops_tokens_total{{kind="cached",{of}}}'] == 1400
    counts = [got[f'hermes_ops_model_seconds_bucket{{{of},le="{le}"}}'] for le in ("0.05", "0.1", "2.5", "5.0", "+Inf")]
    assert counts == [0, 1, 1, 2, 2]
    assert got[f"hermes_ops_model_seconds_sum{{{of}}}"] == pytest.approx(4.09)


def test_every_metric_is_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "DEPLOY.md").read_text("utf-8")
    assert [name for name in HELP if f"`hermes_ops_{name}`" not in page] == []
