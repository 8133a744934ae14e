"""`hermes-ops memory` as a person types it, beside questions in processes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.place import WHEN, Ran, folder, hermes

pytestmark = pytest.mark.slow


class Shell:
    def __init__(self, path: Path) -> None:
        self.folder, self.data = folder(path / "incident"), path / "data"

    async def run(self, *args: str) -> Ran:
        return await hermes(*args, env={"HERMES_OPS_DATA_DIR": str(self.data)})

    async def ask(self, text: str, *more: str) -> Ran:
        return await self.run("ask", text, "--folder", str(self.folder), "--offline", *WHEN, "--json", *more)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.timeout(180)  # seven processes, one after the other
async def test_a_preference_is_listed_used_by_later_processes_and_forgotten(shell: Shell) -> None:
    kept = await shell.ask("From now on look at prod-zebra only. Call me Zaphod.", "--session", "s")
    assert kept.json["answer"] == (
        "Remembered: default environment prod-zebra; name Zaphod · undo: `hermes-ops memory forget environment name`"
    )
    await shell.ask("hello")
    await shell.ask("errors of checkout yesterday?", "--session", "s")
    third = await shell.ask("and payment?", "--session", "s")
    assert third.json["scope"] == {"environment": "prod-zebra", "services": ["payment"]}
    rows = (await shell.run("memory", "list", "--json")).json
    assert {row["key"]: row["value"] for row in rows} == {"environment": "prod-zebra", "name": "Zaphod"}
    exported = (await shell.run("memory", "export")).json
    assert exported == {"user": "local", "tenant": "", "notes": rows, "schedules": []}

    gone = await shell.run("memory", "forget", "environment", "name", "--json")
    assert gone.json == {"forgotten": ["environment", "name"]}
    for path in shell.data.rglob("*.db*"):
        assert [word for word in ("prod-zebra", "Zaphod") if word.encode() in path.read_bytes()] == [], path.name


async def test_what_can_not_be_forgotten_is_said(shell: Shell) -> None:
    for args, words in (
        (("memory", "forget"), "Name the keys to forget"),
        (("memory", "forget", "name"), "Nothing is kept of local as 'name'"),
    ):
        ran = await shell.run(*args)
        assert (ran.code, ran.out) == (2, "")
        assert words in ran.err
    assert "Nothing is kept of local" in (await shell.run("memory", "list")).err
