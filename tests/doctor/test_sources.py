"""What doctor says of sources that aren't there, wait for their first word, or speak."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hermes_ops.doctor import sources
from hermes_ops.doctor.check import Check
from hermes_ops.doctor.examine import examine
from hermes_ops.settings import Settings
from hermes_ops.sourcing.settings import SourceSettings
from memory import open_memory
from tests.hooks.place import Place, hooks

STORES = {"alerts": {"told": {"kind": "store"}}, "changes": {"told": {"kind": "store"}}}


async def test_a_store_that_waits_for_its_first_delivery_is_no_fault_and_says_what_to_start(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path / 'm.db'}")
    settings = SourceSettings.model_validate(STORES)
    try:
        waiting = [c async for c in sources.live(settings, (), memory.records)]
        place = Place(memory, hooks())
        await place.ear.begin()
        await place.tell()
        heard = [c async for c in sources.live(settings, (), memory.records)]
    finally:
        await memory.close()
    assert [(c.name, c.state) for c in waiting] == [("sources.alerts.told", "warn"), ("sources.changes.told", "warn")]
    assert all("hermes-ops serve" in c.do and "docs/HOOKS.md" in c.do for c in waiting)
    assert [c.state for c in heard] == ["ok", "ok"]
    assert heard[0].says.endswith("; services: checkout; gives alerts")


async def test_one_that_is_slow_is_told_from_one_that_is_down() -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(never, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for timeout, host, cure in ((0.2, f"127.0.0.1:{port}", "`timeout`"), (5, "127.0.0.1:1", "Mend its table")):
        table = {"kind": "prometheus", "url": f"http://{host}", "timeout": timeout}
        settings = SourceSettings.model_validate({"alerts": {"prod": table}})
        [said] = [c async for c in sources.live(settings, ())]
        assert (said.state, cure in said.do) == ("fail", True)
    server.close()


async def test_that_there_is_nothing_to_answer_from_is_said_with_its_cure(tmp_path: Path) -> None:
    def loaded(**given: object) -> Settings:
        return Settings.model_validate({"data_dir": str(tmp_path), **given})

    async def of(settings: Settings, *folders: Path) -> list[Check]:
        return [c async for c in examine(lambda: settings, folders, {}) if c.part == "source" and c.name == "sources"]

    [said] = await of(loaded())
    assert (said.state, "--folder DIR" in said.do, "docs/SOURCES.md" in said.do) == ("skip", True, True)
    assert await of(loaded(sources=STORES)) == []
    assert await of(loaded(), tmp_path) == []
