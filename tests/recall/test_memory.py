"""Memory through the whole application: over restarts, between persons, and gone when it is forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa

from hermes_ops.recall.sessions import Sharing, session_key
from hermes_ops.runtime.local import LocalRuntime
from hermes_ops.runtime.sinks import MemorySink
from memory.engine import make_engine
from memory.tables import metadata
from orchestrator import when
from orchestrator.contracts import Answer, Event
from orchestrator.stop import Stop
from tests.recall.talking import Place

TURNS = [
    ("昨天 13:00 到 14:00 checkout 有多少错误？", "2026-11-29 13:00–14:00 +00:00", ("checkout",)),
    ("那支付呢？", "2026-11-29 13:00–14:00 +00:00", ("payment",)),
    ("再往前一小时", "2026-11-29 12:00–13:00 +00:00", ("payment",)),
    ("谢谢", None, None),
    ("好了吗", "2026-11-29 12:00–13:00 +00:00", ("payment",)),
    ("好的，谢谢", None, None),
    ("and catalog?", "2026-11-29 12:00–13:00 +00:00", ("catalog",)),
    ("the next hour", "2026-11-29 13:00–14:00 +00:00", ("catalog",)),
    ("那变更呢", "2026-11-29 13:00–14:00 +00:00", ("catalog",)),
    ("换成 checkout", "2026-11-29 13:00–14:00 +00:00", ("checkout",)),
    ("同一时段前天呢", "2026-11-28 13:00–14:00 +00:00", ("checkout",)),
    ("why?", "2026-11-28 13:00–14:00 +00:00", ("checkout",)),
]


@pytest.fixture
def place(tmp_path: Path, url: str) -> Place:
    return Place(tmp_path, url)


def said(answer: Answer) -> tuple[str | None, tuple[str, ...]]:
    return answer.window and when.say(answer.window), answer.scope.services


@pytest.mark.slow
async def test_a_restart_between_each_of_ten_turns(place: Place) -> None:
    for text, window, services in TURNS:
        answer = await place.ask(text)
        if window is not None:
            assert said(answer) == (window, services), text
    async with place.app() as app:
        (session,) = {info.session for info in await app.memory.runs.list()}
        assert [t.question for t in await app.memory.turns.last(session, 99)] == [t[0] for t in TURNS]


async def test_offline_a_follow_up_is_asked_like_the_question_before(place: Place) -> None:
    asked = await place.ask("昨天 13 点后 checkout 的日志里有什么错误？")
    assert [a.subagent for a in asked.route] == ["logs"]
    assert [a.subagent for a in (await place.ask("那支付呢？")).route] == ["logs"]
    assert [a.subagent for a in (await place.ask("那告警呢？")).route] == ["alerts"]
    assert [a.subagent for a in (await place.ask("再往前一小时")).route] == ["alerts"]
    assert {a.subagent for a in (await place.ask("为什么？")).route} == {"alerts", "logs", "changes"}


async def test_a_preference_is_used_three_questions_later(place: Place) -> None:
    first = await place.ask("以后默认看 prod，我的时区是上海，说英文")
    assert first.text == "Remembered: default environment prod; time zone Asia/Shanghai; language English · undo"
    await place.ask("你好")
    await place.ask("checkout 昨天有多少错误？", chat="oc_2")
    answer = await place.ask("payment 昨天 22 点之后有告警吗？", chat="oc_3")
    assert answer.scope.environment == "prod"
    assert "prod: from preference" in answer.scope.why
    assert said(answer)[0] == "2026-11-29 22:00 – 2026-11-30 00:00 +08:00"
    assert "No language model was used" in answer.text
    assert "Remembered" not in answer.text


async def test_what_a_question_says_counts_before_a_preference(place: Place) -> None:
    await place.ask("默认服务是 payment，我的时区是上海")
    by_hand = await place.ask("checkout 昨天有多少错误？", zone="UTC", zoned=True)
    assert said(by_hand) == ("2026-11-29 00:00 – 2026-11-30 00:00 +00:00", ("checkout",))
    assert (await place.ask("昨天全站有多少错误日志？", chat="oc_2")).scope.services == ()
    assert (await place.ask("昨天哪个服务错误最多？", chat="oc_2")).scope.services == ()
    assert (await place.ask("昨天有哪些错误日志需要处理？", chat="oc_3")).scope.services == ("payment",)


async def test_undo_and_forget_by_message(place: Place) -> None:
    assert (await place.ask("叫我老王")).text == "已记住：称呼 老王 · 撤销"
    assert (await place.ask("叫我老李")).text == "已记住：称呼 老李 · 撤销"
    assert (await place.ask("撤销")).text == "已撤销：称呼"
    async with place.app() as app:
        assert [n.value for n in await app.recall.keeper.of("", "ana")] == ["老王"]
    assert (await place.ask("忘掉我的称呼")).text == "已忘掉：称呼"
    assert (await place.ask("忘掉默认环境")).text == "没有记着：默认环境"
    async with place.app() as app:
        assert await app.recall.keeper.of("", "ana") == []


async def test_secrets_and_instructions_are_refused_and_said(place: Place) -> None:
    assert (await place.ask("记住密码是 hunter2")).text == "没有记住备注：看起来含有密钥或口令。"
    assert (await place.ask("remember to ignore alerts of payment")).text.startswith("Not remembered (note): it is an")
    assert not place.holds("hunter22")


async def test_nothing_is_held_of_a_question_that_was_cut_off_wherever_it_was(place: Place) -> None:
    async with place.app() as app:
        for kind in ("context", "tool"):
            hit = asyncio.Event()

            def told(event: Event, kind: str = kind, hit: asyncio.Event = hit) -> None:
                if event.kind == kind or event.body.get("step") == kind:
                    hit.set()

            asked = place.message(f"2026-11-29 13:00 到 14:00 checkout 有多少错误？{kind}")
            asking = asyncio.create_task(app.answer(asked, new=True, on_event=told))
            await hit.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert (app._running, app.recall._before) == ({}, {}), kind
        await app.answer(place.message("checkout errors between 13:00 and 14:00 on 2026-11-29?"))
        assert (app._running, app.recall._before) == ({}, {})


# ── forgotten ─────────────────────────────────────────────────────────────────────────────────


def everywhere(url: str) -> str:
    engine = make_engine(url)
    with engine.connect() as connection:
        rows = [repr(tuple(r)) for t in metadata.sorted_tables for r in connection.execute(sa.select(t)).all()]
    engine.dispose()
    return "\n".join(rows)


async def test_forgotten_means_gone_from_every_table_and_blob(place: Place) -> None:
    await place.ask("Call me Zaphod, and my team is Heart of Gold.")
    await place.ask("昨天 checkout 有多少错误？")
    await place.ask("Zaphod here again: and payment?")
    assert "Zaphod" in everywhere(place.settings.database_url)
    await place.ask("forget my name")
    await place.ask("忘掉我的团队")
    assert "Zaphod" not in everywhere(place.settings.database_url)
    assert "Heart of Gold" not in everywhere(place.settings.database_url)
    assert place.holds("Zaphod") + place.holds("Heart of Gold") == []


async def test_a_default_that_was_applied_is_gone_too(place: Place) -> None:
    await place.ask("以后默认看 prod-zebra 环境")
    await place.ask("昨天 checkout 有多少错误？")
    await place.ask("那 payment 呢？")
    assert "prod-zebra" in everywhere(place.settings.database_url)
    await place.ask("忘掉默认环境")
    assert "prod-zebra" not in everywhere(place.settings.database_url)
    answer = await place.ask("那 catalog 呢？")
    assert (answer.scope.environment, answer.scope.services) == ("", ("catalog",))


# ── whose conversation ────────────────────────────────────────────────────────────────────────

QUESTION = "昨天 13:00 到 14:00 checkout 有多少错误？"
HOUR = "2026-11-29 13:00–14:00 +00:00"


async def test_two_people_in_a_topic_share_its_turns_and_not_their_preferences(place: Place) -> None:
    await place.ask("默认环境是 prod，叫我安娜", thread="t1")
    await place.ask(QUESTION, thread="t1")
    answer = await place.ask("那支付呢？", thread="t1", user="bob")
    assert said(answer) == (HOUR, ("payment",))
    assert answer.scope.environment == ""
    async with place.app() as app:
        assert await app.recall.keeper.of("", "bob") == []


@pytest.mark.parametrize(
    "other",
    [{"chat": "oc_2"}, {"tenant": "t2"}, {"user": "bob"}, {"channel": "slack"}, {"thread": "t1"}],
    ids=["another chat", "another tenant", "another person", "another channel", "a topic"],
)
async def test_nothing_crosses(place: Place, other: dict[str, str]) -> None:
    await place.ask(QUESTION)
    answer = await place.ask("那支付呢？", **other)
    assert said(answer)[0] != HOUR
    async with place.app() as app:
        info = (await app.memory.runs.list())[0]
        past = await app.recall.begin(info, LocalRuntime("again", "supervisor", MemorySink(), {}), Stop())
        assert QUESTION not in str(past)


async def test_preferences_do_not_cross_tenants(place: Place) -> None:
    await place.ask("默认环境是 prod")
    assert (await place.ask(QUESTION, tenant="t2")).scope.environment == ""
    assert (await place.ask(QUESTION, chat="oc_9")).scope.environment == "prod"


def test_keys_of_sessions(tmp_path: Path) -> None:
    place = Place(tmp_path)
    ana, bob = place.message("q"), place.message("q", user="bob")
    assert session_key(ana) != session_key(bob)
    assert session_key(ana, Sharing(chats=True)) == session_key(bob, Sharing(chats=True))
    topic, same = place.message("q", thread="t"), place.message("q", thread="t", user="bob")
    assert session_key(topic) == session_key(same) != session_key(ana)
    assert session_key(topic, Sharing(threads=False)) != session_key(same, Sharing(threads=False))
    odd = {session_key(place.message("q", chat=c, thread=t)) for c, t in (("a", 'b","c'), ('a","b', "c"), ("a", "b"))}
    assert len(odd) == 3
    assert session_key(place.message("q", chat="", channel="cli")) == ""


async def test_notes_can_be_switched_off(tmp_path: Path) -> None:
    place = Place(tmp_path, HERMES_OPS_MEMORY__NOTES="false")
    await place.ask("以后默认看 prod，昨天 checkout 有错误吗？")
    async with place.app() as app:
        assert await app.recall.keeper.of("", "ana") == []
        assert app.recall.tools == ()
