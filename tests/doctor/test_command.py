"""`hermes-ops doctor` as it is typed: machine, store, sources and model together, its exit code, its JSON."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes_ops.doctor import machine, sources, store
from hermes_ops.doctor.check import Check
from hermes_ops.doctor.examine import examine
from hermes_ops.settings import Settings
from hermes_ops.testing import sources as given
from hermes_ops.testing.scripted_server import ScriptedServer
from memory import open_memory
from subagents.sources import Sources
from tests.doctor.patient import Model
from tests.e2e.place import folder, hermes

pytestmark = pytest.mark.slow


def states(checks: list[Check]) -> dict[str, str]:
    return {f"{c.part}: {c.name}": c.state for c in checks}


async def test_all_is_well(tmp_path: Path) -> None:
    place = folder(tmp_path / "incident")
    async with ScriptedServer(Model()) as server:
        env = {"HERMES_OPS_DATA_DIR": str(tmp_path / "data"), "HERMES_OPS_BASE_URL": server.url}
        env |= {"HERMES_OPS_MODEL": "m", "HERMES_OPS_API_KEY": "sk-test", "HERMES_OPS_LIMITS__HISTORY_TOKENS": "5000"}
        ran = await hermes("doctor", "--folder", str(place), "--json", env=env)
    assert ran.code == 0, ran.err
    told = ran.json
    assert told["ok"] is True
    found = {f"{c['part']}: {c['name']}": c["state"] for c in told["checks"]}
    assert {"settings: settings", "machine: clock", "machine: zone data", "store: write and read"} <= set(found)
    assert {"source: logs", "source: alerts", "source: changes", "model: tool call", "model: context"} <= set(found)
    assert {name for name, state in found.items() if state == "fail"} == set()
    assert told["settings"] == {"model.profile": "compatible"}
    assert "sk-test" not in ran.out + ran.err


async def test_without_a_model_nothing_needed_is_missing(tmp_path: Path) -> None:
    ran = await hermes("doctor", env={"HERMES_OPS_DATA_DIR": str(tmp_path / "data")})
    assert ran.code == 0, ran.err
    assert "skip  model: model: no model is set" in ran.out
    assert "→ Set HERMES_OPS_MODEL" in ran.out
    assert "0 failed" in ran.out


async def test_what_is_needed_and_fails_is_told_with_its_cure(tmp_path: Path) -> None:
    env = {
        "HERMES_OPS_DATA_DIR": str(tmp_path),
        "HERMES_OPS_MODEL": "m",
        "HERMES_OPS_BASE_URL": "http://127.0.0.1:9/v1",
    }
    (tmp_path / "empty").mkdir()
    ran = await hermes("doctor", "--folder", str(tmp_path / "empty"), "--folder", str(tmp_path / "none"), env=env)
    assert ran.code == 1
    assert ran.out.count("fail ") == 3
    assert "can't be reached" in ran.out
    assert "→ Check model.base_url, the proxy" in ran.out
    assert "Traceback" not in ran.err


async def test_wrong_settings_are_one_check(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[model]\ntemprature = 1\n")
    ran = await hermes("doctor", "--json", env={"HERMES_OPS_CONFIG": str(config)})
    assert ran.code == 1
    (check,) = ran.json["checks"]
    assert "model.temprature" in check["says"]
    assert check["do"]


async def test_fallbacks_and_the_light_model_are_asked_once(tmp_path: Path) -> None:
    async with ScriptedServer(Model()) as server:
        model = {"model": "a", "base_url": server.url, "fallbacks": [{"model": "b"}], "light": {"model": "c"}}
        settings = Settings.model_validate({"data_dir": tmp_path, "model": model, "limits": {"history_tokens": 5000}})
        checks = [c async for c in examine(lambda: settings, [], {}, {})]
        asked = [r["model"] for r in server.requests]
    assert (asked.count("b"), asked.count("c")) == (1, 1)
    assert asked.count("a") <= 7
    assert {"model: b: Chinese", "model: c: Chinese"} <= set(states(checks))


# ── parts ─────────────────────────────────────────────────────────────────────────────────────


async def stored(url: str) -> list[Check]:
    return [c async for c in store.checks(url)]


async def test_the_store_is_left_as_it_was(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/h.db"
    assert set(states(await stored(url)).values()) == {"ok"}
    memory = open_memory(url)
    assert await memory.traces.named("doctor") == []
    await memory.close()


async def test_a_store_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (check,) = await stored(f"sqlite:///{tmp_path}/file/h.db")
    assert check.state == "fail"
    assert "HERMES_OPS_DATABASE_URL" in check.do
    (other,) = await stored("mysql://h/d")
    assert "aren't supported" in other.says


async def looked_into(path: Path) -> dict[str, Check]:
    return {c.name: c async for c in sources.checks(path, None)}


async def test_a_folder_with_files_nobody_knows(tmp_path: Path) -> None:
    place = folder(tmp_path / "incident")
    (place / "photo.bin").write_bytes(os.urandom(3000))
    found = await looked_into(place)
    assert found["folder"].state == "warn"
    assert "photo.bin" in found["folder"].do
    assert "2026-11-29 11:00 to 2026-11-29 14:" in found["folder"].says
    assert "checkout" in found["logs"].says


async def test_a_source_that_is_down(tmp_path: Path) -> None:
    down = given.MemoryLogs([], down="no route to host")
    (check,) = [c async for c in sources.of_sources(Sources(logs=(down,)))]
    assert check.state in ("fail", "warn")
    assert check.do


def test_the_machine(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, zone="Asia/Shanghai")
    checks = list(machine.checks(settings, {}))
    assert set(states(checks).values()) == {"ok"}
    assert "Asia/Shanghai" in next(c for c in checks if c.name == "zone data").says


@pytest.mark.parametrize(
    ("environ", "proxy", "state", "words"),
    [
        ({"HTTPS_PROXY": "http://li:secret@proxy:3128"}, "", "ok", "HTTPS_PROXY proxy:3128"),
        ({"all_proxy": "socks5://127.0.0.1:1080"}, "", "warn", "SOCKS"),
        ({"HTTP_PROXY": "http://other:1"}, "http://mine:2", "ok", "model.proxy mine:2"),
    ],
)
def test_proxies(environ: Mapping[str, str], proxy: str, state: str, words: str, tmp_path: Path) -> None:
    settings = Settings.model_validate({"data_dir": tmp_path, "model": {"proxy": proxy}})
    (check,) = [c for c in machine.checks(settings, environ) if c.name == "proxy"]
    assert check.state == state
    assert words in check.says
    assert "secret" not in check.says


def test_a_socks_proxy_in_the_settings_is_refused() -> None:
    with pytest.raises(ValueError, match="SOCKS proxy, which can't be used"):
        Settings.model_validate({"model": {"proxy": "socks5://127.0.0.1:1080"}})


def test_a_clock_that_is_years_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "doctor" / "x" / "machine.py"
    source.parent.mkdir(parents=True)
    source.write_text("")
    os.utime(source, (4_000_000_000, 4_000_000_000))
    monkeypatch.setattr(machine, "__file__", str(source))
    checks = states(list(machine.checks(Settings(data_dir=tmp_path), {})))
    assert checks["machine: clock"] == "fail"
    assert checks["machine: packages"] == "fail"  # they aren't where this file is


def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    checks = list(machine.checks(Settings(data_dir=tmp_path / "file"), {}))
    (check,) = [c for c in checks if c.name == "data directory"]
    assert check.state == "fail"
    assert "HERMES_OPS_DATA_DIR" in check.says + check.do
