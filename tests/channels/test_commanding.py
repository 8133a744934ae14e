"""Commands in a chat, over a real run: what `/trace` says and where it leads."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from hermes_ops.app import open_app
from hermes_ops.channels.commanding import Commands
from hermes_ops.channels.commands import read_command
from hermes_ops.loading import load
from memory import Entry
from orchestrator.contracts import Incoming
from tests.e2e.place import folder

AT = datetime(2026, 11, 30, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("url", "token", "link"),
    [
        ("https://ops.example/", "a-token-hard-to-guess", "](https://ops.example/traces/{run})"),
        ("https://ops.example/", "", ""),
        ("", "a-token-hard-to-guess", ""),
    ],
)
async def test_the_steps_link_to_the_inspector_where_people_can_reach_it(
    tmp_path: Path, url: str, token: str, link: str
) -> None:
    given = {"DATA_DIR": str(tmp_path / "data"), "SERVE__URL": url, "SERVE__TRACE_TOKEN": token}
    chosen = load({f"HERMES_OPS_{name}": value for name, value in given.items() if value})
    async with open_app(chosen, folder(tmp_path / "exported"), offline=True) as app:
        asked = Incoming("m", "昨天有哪些告警？", AT, anchored=True, locale="zh")
        answer = await app.answer(asked, session="s", new=True)
        commands = Commands(app, cast(Any, None), cast(Any, None))
        extra = {"do": "trace", "run": answer.run_id}
        told = await commands.answer(Entry("m.0", "test", "s", "command", asked, extra, "", AT))
    assert told.text.startswith("[在检查台中打开]") == bool(link)
    assert link.format(run=answer.run_id) in told.text
    assert answer.run_id in told.text


@pytest.mark.parametrize(
    ("text", "name"),
    [("/foo", "unknown"), ("/fooo ", "unknown"), ("/report", None), ("/handover", None), ("/var 满了吗", None)],
)
def test_a_slip_is_told_from_a_question(text: str, name: str | None) -> None:
    found = read_command(text)
    assert (found.name if found else None) == name


async def test_a_command_that_is_none_is_named_with_the_help(tmp_path: Path) -> None:
    async with open_app(
        load({"HERMES_OPS_DATA_DIR": str(tmp_path)}), folder(tmp_path / "exported"), offline=True
    ) as app:
        commands = Commands(app, cast(Any, None), cast(Any, None))
        extra = {"do": "unknown", "text": "foo"}
        asked = Incoming("m", "/foo", AT, locale="zh")
        told = await commands.answer(Entry("m.0", "test", "s", "command", asked, extra, "", AT))
    assert told.text.startswith("没有 /foo 这个命令。")
    assert "/help" in told.text
