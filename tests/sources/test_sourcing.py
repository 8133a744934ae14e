"""From settings to sources: which are asked, by environment, model and folder; and what a dead one costs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_ops.app import App, open_app
from hermes_ops.doctor import sources as doctor
from hermes_ops.loading import load
from hermes_ops.sourcing.live import LiveSources
from orchestrator.contracts import Answer, Incoming, Scope, Window
from orchestrator.errors import ConfigError
from orchestrator.stop import Stop
from subagents import logs
from subagents.sources import AlertQuery, SourceError
from subagents.topology import learnt
from tests.sources.faulty import Answer as Told
from tests.sources.faulty import faulty, hangs, says

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)


def alert(name: str, service: str) -> dict[str, Any]:
    labels = {"alertname": name, "service": service, "severity": "critical"}
    status = {"state": "active", "silencedBy": [], "inhibitedBy": []}
    return {
        "labels": labels,
        "annotations": {},
        "startsAt": "2026-11-30T08:50:00Z",
        "status": status,
        "fingerprint": name,
    }


def alertmanager(*alerts: dict[str, Any]) -> Told:
    return says(list(alerts))


def table(name: str, url: str, kind: str = "alertmanager", **more: str) -> str:
    rest = "".join(f"{key} = {value}\n" for key, value in more.items())
    return f'[sources.alerts.{name}]\nkind = "{kind}"\nurl = "{url}"\n{rest}'


@asynccontextmanager
async def opened(place: Path, sources: str, folder: Path | None = None) -> AsyncIterator[App]:
    config = place / "config.toml"
    config.write_text(f'data_dir = "{place / "data"}"\nzone = "UTC"\n{sources}')
    async with open_app(load({"HERMES_OPS_CONFIG": str(config)}), folder, offline=True) as app:
        yield app


async def ask(app: App, text: str, **more: Any) -> Answer:
    return await app.answer(Incoming(f"m-{text}", text, AT, anchored=True, **more), session=text, new=True)


def exported(place: Path, name: str = "FromFolder") -> Path:
    place.mkdir()
    (place / "a.jsonl").write_text(
        f'{{"alertname": "{name}", "service": "mail", "severity": "critical", "startsAt": "2026-11-30T08:40:00Z", '
        f'"endsAt": "2026-11-30T08:55:00Z", "status": "resolved"}}\n'
    )
    return place


@pytest.mark.slow
async def test_sources_of_an_environment_are_asked_and_both_where_none_was_named(tmp_path: Path) -> None:
    async with (
        faulty(alertmanager(alert("InProd", "cart"))) as prod,
        faulty(alertmanager(alert("InTest", "cart"))) as test,
    ):
        both = table("a", prod.url, environment='"prod"') + table("b", test.url, environment='"staging"')
        async with opened(tmp_path, both) as app:
            one = await ask(app, "生产环境现在有哪些告警？")
            assert one.scope.environment == "prod"
            assert "InProd" in one.text
            assert "InTest" not in one.text
            two = await ask(app, "which alerts fire now?")
            assert "InProd" in two.text
            assert "InTest" in two.text


@pytest.mark.slow
async def test_services_are_learnt_from_live_sources(tmp_path: Path) -> None:
    async with (
        faulty(alertmanager(alert("Errors", "order-service"))) as server,
        opened(tmp_path, table("prod", server.url)) as app,
    ):
        known = await ask(app, "order 现在有哪些告警？")
        assert known.scope.services == ("order-service",)
        unknown = await ask(app, "odrer service 现在有哪些告警？")
        assert unknown.status == "needs_input"


@pytest.mark.slow
async def test_a_folder_named_for_once_goes_alone_and_one_of_the_settings_stands_beside(tmp_path: Path) -> None:
    folder = exported(tmp_path / "exported")
    async with faulty(alertmanager(alert("Live", "cart"))) as server:
        live = table("prod", server.url)
        async with opened(tmp_path, live, folder) as app:
            alone = await ask(app, "今天有哪些告警？")
            assert "FromFolder" in alone.text
            assert server.asked == []
        async with opened(tmp_path, f'[sources]\nfolder = "{folder}"\n{live}') as app:
            beside = await ask(app, "今天有哪些告警？")
            assert "FromFolder" in beside.text
            assert "Live" in beside.text


async def test_what_a_model_may_not_see_is_not_asked(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(table("inner", "http://a", egress='["qwen3-32b"]') + table("open", "http://b"))
    live = LiveSources(load({"HERMES_OPS_CONFIG": str(config)}).sources)
    names = [s.name for s in live.sources("", ("qwen3-32b",)).alerts]
    assert names == ["inner", "open"]
    withheld = live.sources("", ("qwen3-32b", "gpt-9"))
    assert withheld.skipped[0]["path"] == "sources.alerts.inner"
    with pytest.raises(SourceError, match="inner: its egress doesn't allow the model gpt-9, so it was not asked"):
        await withheld.alerts[0].episodes(AlertQuery(Window(AT, AT)))
    assert [s.name for s in live.sources("", ()).alerts] == ["inner", "open"], "without a model nothing leaves"
    await live.aclose()


@pytest.mark.slow
async def test_a_dead_source_costs_one_timeout_in_the_whole_answer(tmp_path: Path) -> None:
    async with faulty(hangs()) as dead, faulty(alertmanager(alert("Errors", "cart"))) as good:
        both = table("dead", dead.url, "prometheus", timeout="0.4") + table("good", good.url)
        async with opened(tmp_path, both) as app:
            answer = await ask(app, "cart 为什么报错？现在有哪些告警，可用率多少？")
            first = len(dead.asked)
            await ask(app, "现在有哪些告警？")
        assert "Errors" in answer.text
        assert "dead：0.4 秒内没有应答" in answer.text
        assert first <= 2, "what was asked together waits together; later calls don't wait at all"
        assert len(dead.asked) == first


async def test_the_graph_of_the_settings_stands_beside_the_sources(tmp_path: Path) -> None:
    services = '[services.web]\ndepends_on = ["cart"]\n[services.cart]\n'
    async with faulty(alertmanager()) as server, opened(tmp_path, table("prod", server.url) + services) as app:
        places = await app.opener.places(Incoming("m", "x", AT), "", Stop())
        sources = await app.opener.sources(places, Incoming("m", "x", AT), Scope(), (), Stop())
        assert await learnt(sources.spans, None) == {("web", "cart")}
        assert "slow_spans" not in logs.make(sources).by_name, "it has calls and no spans"


async def test_nothing_to_ask_is_said(tmp_path: Path) -> None:
    async with opened(tmp_path, "") as app:
        with pytest.raises(ConfigError, match="There is nothing to look things up in"):
            await ask(app, "errors?")
    with pytest.raises(ConfigError, match=r"sources\.folder: there is no folder"):
        async with opened(tmp_path, '[sources]\nfolder = "no-such"\n'):
            pass


async def test_doctor_tells_of_each_live_source(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    status = {"versionInfo": {"version": "0.25.0"}, "cluster": {"peers": []}}

    async def answer(request: Any) -> Any:
        return await (says(status) if request.path.endswith("status") else alertmanager(alert("A", "cart")))(request)

    async with faulty(answer) as good, faulty(says("no", 401, "text/plain")) as closed:
        config.write_text(table("good", good.url, egress='["a"]') + table("closed", closed.url, "prometheus"))
        settings = load({"HERMES_OPS_CONFIG": str(config)}).sources
        found = {c.name: c async for c in doctor.live(settings, ("a", "b"))}
    assert found["sources.alerts.good"].state == "ok"
    assert "Alertmanager 0.25.0" in found["sources.alerts.good"].says
    assert "cart" in found["sources.alerts.good"].says
    assert found["sources.alerts.good: egress"].state == "warn"
    assert found["sources.alerts.closed"].state == "fail"
    assert "(401)" in found["sources.alerts.closed"].says
    assert found["sources.alerts.closed"].do
