"""What is sent without a question: said what came, and used by the next question of that person there."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from hermes_ops.channels.feishu.brought import Brought
from hermes_ops.channels.feishu.content import File
from hermes_ops.channels.receiving import KEPT
from hermes_ops.grasp import grasp
from hermes_ops.sandbox import Sandbox
from hermes_ops.sourcing.live import LiveSources
from hermes_ops.sourcing.opener import Places
from memory import open_memory
from orchestrator.contracts import Incoming, Window, from_json
from orchestrator.scope import Catalogue
from subagents.folder.folder import open_folder
from subagents.sources import Coverage
from tests.feishu.rig import bot, words
from tests.feishu.test_quotes import LOG
from tests.serve.bench import until

ASKED = "refund 为什么报错？"
FOUND = "refund 9 条错误"
FIRING = [
    {
        "labels": {"alertname": "RefundErrors", "service": "refund", "severity": "critical"},
        "annotations": {},
        "startsAt": "2026-11-29T14:03:00Z",
        "endsAt": "2026-11-29T14:20:00Z",
        "status": {"state": "active"},
    }
]


@pytest.mark.slow
async def test_a_file_without_a_word_is_named_and_the_next_question_is_about_it(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        chat = box.p2p("alice")
        [told] = await box.answered(await box.send_file("alice", chat, "refund.log", LOG.encode()))
        assert words(told).startswith("收到 refund.log（9 行，日志，11-29 14:00–14:08）。想问什么？")
        shown = words(await b.done(await box.say("bob", box.p2p("bob"), ASKED)))
        assert "refund.log" not in shown  # another person's
        shown = words(await b.done(await box.say("alice", chat, ASKED)))
        assert FOUND in shown
        assert "用了你" in shown
        assert "refund.log" in shown
        shown = words(await b.done(await box.say("alice", chat, "那 14:00 到 14:05 呢？")))
        assert "refund.log" in shown
        shown = words(await b.done(await box.say("alice", chat, "checkout 有多少条错误？")))
        assert "refund.log" not in shown
        await until(lambda: not list((tmp_path / "data" / "attachments").iterdir()))


@pytest.mark.slow
async def test_several_files_are_kept_together_and_what_holds_nothing_known_is_said(tmp_path: Path) -> None:
    async with Sandbox() as box, bot(box, tmp_path) as b:
        chat = box.p2p("alice")
        sent = {"refund.log": LOG.encode(), "alerts.json": json.dumps(FIRING).encode(), "notes.txt": b"hello\nworld"}
        told = []
        for name, data in sent.items():
            [one] = await box.answered(await box.send_file("alice", chat, name, data))
            told.append(words(one))
        assert "alerts.json（1 行，告警，11-29 14:03）" in told[1]
        assert "notes.txt（2 行，认不出格式）" in told[2]
        [refused] = await box.answered(await box.send_file("alice", chat, "core.bin", bytes(range(256)) * 9))
        assert "不是文本文件" in words(refused)
        assert "想问什么" not in words(refused)
        shown = words(await b.done(await box.say("alice", chat, ASKED)))
        assert FOUND in shown
        assert "refund.log, alerts.json, notes.txt" in shown


class Live:
    """Servers that go on, as the settings name them."""

    async def coverage(self) -> Coverage:
        return Coverage(None, None, "UTC", ("checkout",), ("prom: away",))


async def test_beside_live_sources_a_question_without_a_time_is_about_the_time_of_what_was_brought(
    tmp_path: Path,
) -> None:
    (tmp_path / "refund.log").write_text(LOG)
    brought = open_folder(tmp_path)
    try:
        live = cast(LiveSources, Live())
        held = await Places(None, live, brought).coverage()
        assert set(held.services) == {"checkout", "refund"}
        assert held.notes == ("prom: away",)
        asked = Incoming("m", "为什么报错？", datetime(2026, 12, 3, 9, tzinfo=UTC))
        window = from_json(Window, grasp(asked, held, Catalogue())["window"])
        assert f"{window.start:%m-%d %H:%M} {window.end:%m-%d %H:%M}" == "11-29 14:00 11-29 14:08"
        assert await Places(None, live, None).coverage() == await live.coverage()
    finally:
        brought.close()


async def test_after_a_while_nothing_is_taken_for_the_next_question(tmp_path: Path) -> None:
    memory = open_memory(f"sqlite:///{tmp_path}/hermes-ops.db")
    try:
        brought, at = Brought(memory.posts), datetime(2026, 11, 29, 14, tzinfo=UTC)
        await brought.keep(Incoming("m1", "", at, chat="c", user="u"), [File("k", "file", "a.log")])
        late, near = at + KEPT + timedelta(seconds=1), at + KEPT
        assert await brought.of(Incoming("m2", "why?", late, chat="c", user="u")) == ([], None)
        assert await brought.of(Incoming("m2", "why?", near, chat="c", user="x")) == ([], None)
        for _ in range(2):  # a retry has it again
            assert await brought.of(Incoming("m2", "why?", near, chat="c", user="u")) == (
                [("m1", File("k", "file", "a.log"))], at,
            )  # fmt: skip
        assert await brought.of(Incoming("m3", "which alerts?", near, chat="c", user="u")) == ([], None)
    finally:
        await memory.close()


class Slow:
    """Posts that let whoever waits come in between."""

    async def get(self, key: str) -> None:
        await asyncio.sleep(0.001)

    async def save(self, post: object) -> None:
        await asyncio.sleep(0.001)

    def clock(self) -> datetime:
        return datetime.now(UTC)


def test_each_connection_that_brings_files_has_a_loop_of_its_own() -> None:
    brought = Brought(Slow())  # type: ignore[arg-type]

    async def two() -> None:
        asked = Incoming("m", "", datetime(2026, 11, 29, tzinfo=UTC))
        await asyncio.gather(*(brought.keep(asked, [File("k", "file", "a.log")]) for _ in range(2)))

    for _ in range(2):
        asyncio.run(two())
