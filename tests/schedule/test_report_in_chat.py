"""The team's report in its chats: once, on time, whatever happens on the way; in the sandbox, on the unmodified SDK."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hermes_ops import host
from hermes_ops.channels.feishu import pushing
from hermes_ops.runtime import outbox
from hermes_ops.sandbox import Sandbox
from hermes_ops.schedule.settings import ScheduleSettings
from hermes_ops.schedule.timetable import window_at
from tests.feishu.rig import words
from tests.schedule.rig import NINE, Team, alarms, title, until

pytestmark = pytest.mark.slow  # each of them starts the service once or twice
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.schedule.clockwork.LOOK", 0.05)


async def test_the_mornings_report_comes_once_and_not_again_after_a_restart(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path)
        async with team.serve():
            await team.known()
            assert team.reports() == []
            team.now = NINE
            await until(team.reports)
        team.now = NINE + HOUR
        async with team.serve() as service:
            await asyncio.sleep(0.3)
            [card] = team.reports()
            assert "2026-11-29" in title(card)
            assert "CheckoutHighErrorRate" in words(card)
            stored = await service.app.memory.reports.latest("shop", "day")
            assert stored is not None
            assert stored.figures["alerts"]["fired"]["value"] == 1


async def test_a_missed_morning_is_caught_up_and_a_correction_is_marked(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path, now=NINE - 12 * HOUR)
        async with team.serve():
            await team.known()
        team.now = NINE + 3 * HOUR
        async with team.serve() as service:
            await until(team.reports)
            kind, window = window_at(ScheduleSettings(), team.now, service.app.settings)
            sent = await service.host.sender.send(kind, window, "zh", team.service_chats)
            assert set(sent.chats.values()) <= {"sent", "waiting"}
            forced = await service.host.sender.send(kind, window, "zh", team.service_chats, force=True)
            assert forced.corrected == 1
            await until(lambda: len(team.reports()) == 2)
            assert "更正" in title(team.reports()[-1])
            again = await service.host.sender.send(kind, window, "zh", team.service_chats, force=True)
            await until(lambda: len(team.reports()) == 3)
            assert len({title(m) for m in team.reports()}) == 3
            assert again.corrected == 2


async def test_a_lost_answer_makes_no_second_message_even_when_the_platform_has_forgotten(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path)
        async with team.serve():
            await team.known()
            box.faults.lose("/im/v1/messages", times=None)
            team.now = NINE
            await until(team.reports)
        box.faults.clear()
        box.clock.advance(2 * 3600)  # the uuid is forgotten
        async with team.serve() as service:
            await until(lambda: service.host.deliveries.waiting == 0)
            await asyncio.sleep(0.2)
            assert len(team.reports()) == 1
            [card] = team.reports()
            found = await service.app.memory.posts.by_message(card.message_id)
            assert found is not None
            assert "运维日报" in str(found.state["title"])


async def test_where_nobody_can_look_the_owner_is_told_that_it_was_possibly_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        team = Team(box, tmp_path, feishu={"owner": owner})
        async with team.serve():
            await team.known()
            box.faults.lose("/im/v1/messages", times=None)
            team.now = NINE
            await until(team.reports)
        box.faults.clear()
        box.app.scopes -= {"im:message", "im:message:readonly", "im:message.group_msg"}
        box.app.scopes |= {"im:message:send_as_bot"}
        monkeypatch.setattr(pushing, "KEPT", timedelta(0))  # an hour later
        async with team.serve():
            await until(lambda: alarms(box))
            await asyncio.sleep(0.3)
            assert len(team.reports()) == 1
            [said] = alarms(box)
            assert "可能已发送" in said


async def test_a_report_that_cant_arrive_is_alarmed_once_for_all_its_chats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "BACKOFF", (0.02,))
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        groups = [box.add_group(f"g{n}") for n in range(8)]
        chats = tuple(g.chat_id for g in groups)
        for group in groups:
            group.apps.clear()
        team = Team(box, tmp_path, team={"chats": (box.group.chat_id, *chats)}, feishu={"owner": owner})
        async with team.serve() as service:
            await team.known()
            team.now = NINE
            await until(team.reports)
            await until(lambda: alarms(box) and service.host.deliveries.waiting == 0)
            await asyncio.sleep(0.2)
            [said] = alarms(box)
            assert "没有送达" in said
        async with team.serve():
            await asyncio.sleep(0.3)
            assert len(alarms(box)) == 1
            assert len(team.reports()) == 1


async def test_a_platform_that_is_away_is_tried_again_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "BACKOFF", (0.02,))
    monkeypatch.setattr(host, "ALARM_TRIES", 2)
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        team = Team(box, tmp_path, feishu={"owner": owner})
        async with team.serve() as service:
            await team.known()
            box.faults.refuse("/im/v1/messages", 230020, status=400, times=None)
            team.now = NINE
            while not [p for p in await service.app.memory.outbox.waiting() if p.key.startswith("alarm.")]:
                await asyncio.sleep(0.05)
            box.faults.clear()
            await until(lambda: team.reports() and alarms(box))
            await until(lambda: service.host.deliveries.waiting == 0)
            assert len(team.reports()) == len(alarms(box)) == 1


async def test_a_report_that_cant_be_made_is_alarmed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.schedule.clockwork.AGAIN", (0.0, 0.0))
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        morning = ScheduleSettings(window="明天")
        team = Team(box, tmp_path, schedules={"daily": morning}, feishu={"owner": owner})
        async with team.serve():
            await team.known()
            team.now = NINE
            await until(lambda: alarms(box))
        async with team.serve():
            await asyncio.sleep(0.3)
            [said] = alarms(box)
            assert "daily" in said
            assert "已放弃" in said


async def test_a_reply_to_the_report_goes_on_from_its_figures_and_its_day(tmp_path: Path) -> None:
    async with Sandbox() as box:
        team = Team(box, tmp_path)
        async with team.serve() as service:
            await team.known()
            team.now = NINE
            await until(team.reports)
            [card] = team.reports()
            stored = await service.app.memory.reports.latest("shop", "day")
            assert stored is not None
            [row] = [r for r in stored.figures["errors"]["rows"] if r["service"] == "checkout"]
            n = row["n"]["value"]
            asked = await box.say("alice", box.group, f"那 {n} 个是什么？", mention_bot=True, reply_to=card)
            await until(lambda: any("👍" in words(m) for m in box.answers(asked)))
            run = (await service.app.memory.runs.list(1))[0]
            assert run.window is not None
            assert str(run.window["start"]).startswith("2026-11-29T00:00")
            assert run.scope is not None
            assert list(run.scope["services"]) == ["checkout"]
            said = words(box.answers(asked)[0])
            assert f"{n}" in said
            assert "checkout" in said


CAUSE = "checkout 4.2.0 连接池太小"


async def test_an_operator_confirms_a_cause_in_chat_and_nobody_else(tmp_path: Path) -> None:
    async with Sandbox() as box:
        owner = box.app.open_id_of(box.who("alice"))
        team = Team(box, tmp_path, feishu={"owner": owner})
        async with team.serve() as service:
            await team.known()
            team.now = NINE
            await until(team.reports)
            [card] = team.reports()

            async def told(who: str, text: str, **more: Any) -> str:
                asked = await box.say(who, box.group, text, mention_bot=True, **more)
                await until(lambda: box.answers(asked))
                return words(box.answers(asked)[0])

            assert "team.operators" in await told("bob", f"/cause {CAUSE}")
            assert await service.app.memory.reports.confirmed("shop") == {}
            assert "/cause" in await told("alice", "/cause", reply_to=card)
            assert "对得上" in await told("alice", "/cause nobody 断电")
            assert "已确认" in await told("alice", f"/cause {CAUSE}", reply_to=card)
            [kept] = (await service.app.memory.reports.confirmed("shop")).values()
            assert (kept.text, kept.by) == (CAUSE, owner)
            asked = await box.say("alice", box.group, "/report 2026-11-29", mention_bot=True)
            await until(lambda: any(CAUSE in words(m) for m in box.answers(asked)))
            assert "已撤销" in await told("alice", "/cause checkout 撤销")
            assert await service.app.memory.reports.confirmed("shop") == {}
