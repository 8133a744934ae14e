"""People's own schedules and reports they ask for, in the sandbox's chats."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_ops.sandbox import Message, Sandbox
from hermes_ops.sandbox.model import Chat
from hermes_ops.schedule import own, timetable
from tests.feishu.rig import words
from tests.schedule.rig import NINE, Team, title, until

pytestmark = pytest.mark.slow
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.schedule.clockwork.LOOK", 0.05)


async def told(box: Sandbox, chat: Chat, text: str, group: bool = False) -> str:
    """What the bot says to a message of alice's."""
    asked = await box.say("alice", chat, text, mention_bot=group)
    await until(lambda: box.answers(asked))
    return words(box.answers(asked)[0])


def unasked(box: Sandbox, chat: Chat) -> list[Message]:
    """The bot's messages that answer nobody, when finished."""
    mine = [m for m in box.messages(chat, box.app) if m.parent is None]
    return [m for m in mine if m.card is None or "👍" in words(m)]


async def test_a_schedule_is_made_listed_run_and_cancelled(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path, team={"chats": ()})
        alice = box.p2p("alice")
        async with team.serve():
            assert "没有定时" in await told(box, alice, "我的定时")
            made = await told(box, alice, "每天18点发我 checkout 错误数")
            assert "定时 1：每天 18:00，checkout 错误数" in made
            assert "2026-11-30 周一 18:00 (UTC)" in made
            assert "定时 2" in await told(box, alice, "每个工作日早上9点告诉我昨天的告警")
            listed = await told(box, alice, "/schedules")
            assert "1. 每天 18:00：checkout 错误数" in listed
            assert "2. 每个工作日 09:00：昨天的告警（下次 2026-11-30 周一 09:00" in listed
            assert unasked(box, alice) == []
            team.now = NINE + timedelta(hours=9)  # nine was missed, and is caught up
            await until(lambda: len(unasked(box, alice)) == 2)
            assert any("过去 24 小时" in words(m) or "30" in words(m) for m in unasked(box, alice))
            assert "已取消定时 1" in await told(box, alice, "取消定时 1")
            assert "你没有定时 1" in await told(box, alice, "取消定时 1")
            assert "定时 2" in await told(box, alice, "取消所有定时")
            team.now += 3 * DAY
            await asyncio.sleep(0.5)
            assert len(unasked(box, alice)) == 2


async def test_bounds_and_what_cant_be_read(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path, team={"chats": (), "own_schedules": 1})
        async with team.serve():
            assert "几点呢" in await told(box, box.group, "每天发我错误数", group=True)
            assert "太频繁" in await told(box, box.group, "每10分钟告诉我还有哪些告警", group=True)
            assert "Done, schedule 1" in await told(box, box.group, "send me alerts every day at 18:00", group=True)
            assert "已经有 1 个" in await told(box, box.group, "每天19点发我告警", group=True)
            bob = await box.say("bob", box.group, "我的定时", mention_bot=True)
            await until(lambda: box.answers(bob))
            assert "没有定时" in words(box.answers(bob)[0])


async def test_a_schedule_that_is_cancelled_while_its_question_waits_is_quiet(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path, team={"chats": ()})
        alice = box.p2p("alice")
        async with team.serve() as service:
            assert "定时 1" in await told(box, alice, "每天18点发我 checkout 错误数")
            [made] = await service.app.memory.schedules.all()
            assert "已取消" in await told(box, alice, "取消定时 1")
            await timetable.Timetable(service.app, service.host).ask(made, team.now)
            entry = f"{own.question(made, team.now)[0]}.0"
            for _ in range(200):
                found = await service.app.memory.inbox.find(entry)
                if found and found.state == "cancelled":
                    break
                await asyncio.sleep(0.05)
            assert found is not None
            assert (found.state, found.reason) == ("cancelled", "its schedule was cancelled")
            assert unasked(box, alice) == []


async def test_whoever_isnt_answered_any_more_is_told_once_and_the_schedule_ends(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path, team={"chats": ()})
        alice = box.p2p("alice")
        async with team.serve():
            assert "定时 1" in await told(box, alice, "每天18点发我 checkout 错误数")
        team.feishu = {"users": (), "chats": (), "owner": "ou_somebody_else"}
        team.now = NINE + timedelta(hours=9)
        async with team.serve() as service:
            await until(lambda: unasked(box, alice))
            assert "没有提问权限" in words(unasked(box, alice)[0])
            assert await service.app.memory.schedules.all() == []


@pytest.mark.parametrize("text", ["生成 2026-11-29 的运维日报", "/report 2026-11-29", "ops report for 2026-11-29"])
async def test_a_report_that_is_asked_for_comes_as_the_answer(tmp_path: Path, text: str) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path, team={"chats": ()})
        async with team.serve() as service:
            asked = await box.say("alice", box.group, text, mention_bot=True)
            await until(lambda: any("2026-11-29" in title(m) for m in box.answers(asked)))
            [card] = box.answers(asked)
            assert "CheckoutHighErrorRate" in words(card)
            run = (await service.app.memory.runs.list(1))[0]
            events = await service.app.memory.events.events(run.id)
            assert [e.kind for e in events if e.kind in ("report", "tool", "route")] == ["report"]
            bad = await box.say("alice", box.group, "/report 明天", mention_bot=True)
            await until(lambda: any("👍" in words(m) for m in box.answers(bad)))
            assert "明天" in words(box.answers(bad)[0])
