"""The inbox on both databases: nothing lost, nothing twice, in order, bounded, ended within a second."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest

from hermes_ops.runtime.inbox import TRIES
from hermes_ops.runtime.outbox import Deliveries, Undeliverable
from memory import Feedback, Memory, Parcel, Post, Trace, open_memory
from memory.hold import hold
from orchestrator.errors import HermesError, StoreError
from tests.serve.bench import Work, entry, parcel, states, until, until_state, working

pytestmark = pytest.mark.slow


async def test_a_message_is_done_once_however_often_it_comes(memory: Memory) -> None:
    work = Work()
    work.let("m1")
    async with working(memory, work) as inbox:
        receipts = await asyncio.gather(*(inbox.put(entry("m1")) for _ in range(5)))
        assert sorted(r.state for r in receipts) == ["accepted", *["duplicate"] * 4]
        await until_state(memory, "m1", "done")
        assert (await inbox.put(entry("m1"))).state == "duplicate"
    assert work.begun == ["m1"]
    assert [p.payload["text"] for p in await memory.outbox.waiting()] == ["answer to m1"]


async def test_two_in_flight_a_conversation_in_order_and_others_go_on(memory: Memory) -> None:
    work = Work()
    async with working(memory, work) as inbox:
        for id in ("m1", "m2", "m3", "m4"):
            await inbox.put(entry(id))
        await inbox.put(entry("other", chat="c2"))
        await until(lambda: {"m1", "m2", "other"} <= work.now)
        await asyncio.sleep(0.05)
        assert work.begun[:2] == ["m1", "m2"]
        assert "m3" not in work.begun
        assert (work.places["m3"], work.places["m4"]) == (2, 3)
        work.let("m2")
        await until(lambda: "m3" in work.now)
        assert "m4" not in work.begun
        work.let("m1", "m3", "m4", "other")
        await until_state(memory, "m4", "done")
    assert [id for id in work.begun if id != "other"] == ["m1", "m2", "m3", "m4"]


async def test_a_follow_up_waits_for_what_it_refers_to_and_nobody_overtakes(memory: Memory) -> None:
    work = Work()
    async with working(memory, work) as inbox:
        await inbox.put(entry("m1"))
        await inbox.put(entry("m2", "and payment?"))
        await inbox.put(entry("m3"))
        await until(lambda: "m1" in work.now)
        await asyncio.sleep(0.1)
        assert work.begun == ["m1"]
        work.let("m1", "m2", "m3")
        await until_state(memory, "m3", "done")
    assert work.begun == ["m1", "m2", "m3"]


async def test_so_many_at_once_and_a_bounded_queue_that_says_when_to_try_again(memory: Memory) -> None:
    work, begun = Work(), datetime.now(UTC)
    async with working(memory, work, questions=3, queue=2) as inbox:
        for n in range(3):
            await inbox.put(entry(f"m{n}", chat=f"c{n}"))
        await until(lambda: len(work.now) == 3)
        for n in range(3, 5):
            assert (await inbox.put(entry(f"m{n}", chat=f"c{n}"))).state == "accepted"
        refused = await inbox.put(entry("m5", chat="c5"))
        assert refused.state == "busy"
        assert (await inbox.put(entry("m5", chat="c5"))).state == "duplicate"
        assert (await inbox.put(entry("stop", chat="c5", kind="command"))).state == "accepted"  # never refused
        await until_state(memory, "stop", "done")
        work.let(*(f"m{n}" for n in range(5)))
        await until_state(memory, "m4", "done")
    assert work.most == 4  # three questions and a command
    told = [p.payload["text"] for p in await memory.outbox.waiting() if p.lane == "c5"]
    [until_when] = [t.removeprefix("busy until ") for t in told if t.startswith("busy until ")]
    assert datetime.fromisoformat(until_when) > begun
    assert (await states(memory))["m5"] == "refused"


@pytest.mark.parametrize("stubborn", [False, True])
async def test_cancel_queued_and_at_work_within_a_second(memory: Memory, stubborn: bool) -> None:
    work = Work(stubborn=stubborn)
    async with working(memory, work, per_conversation=1) as inbox:
        await inbox.put(entry("m1"))
        await inbox.put(entry("m2"))
        await until(lambda: "m1" in work.now)
        assert await inbox.cancel("m2.0", "ou_1")
        assert (await memory.inbox.find("m2.0")).state == "cancelled"  # type: ignore[union-attr]
        begun = time.monotonic()
        assert await inbox.cancel("run-m1", "ou_1")
        await until_state(memory, "m1", "cancelled")
        assert time.monotonic() - begun < (2.0 if stubborn else 1.0)
        assert not await inbox.cancel("m1.0")
    assert work.over == ["m2", "m1"]
    what = "cancelled" if stubborn else "finish"  # what it had found comes along where it came back by itself
    assert [p.key for p in await memory.outbox.waiting()] == ["m2.0.cancelled", f"m1.0.{what}"]


async def test_another_process_may_cancel_and_put(memory: Memory, url: str) -> None:
    other = open_memory(url)
    work = Work()
    async with working(memory, work) as inbox:
        await inbox.put(entry("m1"))
        await until(lambda: "m1" in work.now)
        assert await other.inbox.ask_cancel("m1.0", "operator")
        await until_state(memory, "m1", "cancelled", 2)
        await other.inbox.put(entry("m2"), 10)
        work.let("m2")
        await until_state(memory, "m2", "done", 2)
        assert not await other.inbox.ask_cancel("m2.0", "operator")
    await other.close()


async def test_what_failed_three_times_is_kept_with_its_reason(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_ops.runtime.inbox.BACKOFF", (0.05, 0.05))
    work = Work()
    work.fails = {"m1": [HermesError("no disk")] * 9, "m2": [RuntimeError("odd")]}
    work.let("m2")
    async with working(memory, work) as inbox:
        await inbox.put(entry("m1"))
        await inbox.put(entry("m2", chat="c2"))
        failed = await until_state(memory, "m1", "failed")
        await until_state(memory, "m2", "done")
    assert failed.reason == "no disk"
    assert sorted(work.over) == ["m1", "m2"]
    assert work.begun.count("m1") == TRIES
    assert work.begun.count("m2") == 2
    assert [p.payload["text"] for p in await memory.outbox.waiting() if p.lane == "c1"] == ["no disk"]


async def test_a_clean_stop_puts_back_what_was_begun_with_the_time_it_took(memory: Memory) -> None:
    work = Work()
    async with working(memory, work) as inbox:
        await inbox.put(entry("m1"))
        await until(lambda: "m1" in work.now)
        await asyncio.sleep(0.2)
    kept = await memory.inbox.find("m1.0")
    assert kept is not None
    assert (kept.state, kept.deaths) == ("queued", 0)
    assert 0.15 < kept.ran < 2
    again = Work()
    again.let("m1")
    async with working(memory, again):
        await until_state(memory, "m1", "done")


async def test_another_loop_stores_a_message_before_it_acknowledges(memory: Memory) -> None:
    work = Work()
    work.let("m1")
    async with working(memory, work) as inbox:
        took = time.monotonic()
        assert (await asyncio.to_thread(asyncio.run, inbox.put(entry("m1")))).state == "accepted"
        assert time.monotonic() - took < 0.5
        assert (await asyncio.to_thread(asyncio.run, inbox.put(entry("m1")))).state == "duplicate"
        await until_state(memory, "m1", "done")


async def test_one_process_consumes_an_inbox(url: str) -> None:
    first = hold(url, "inbox", "Taken.")
    assert await first.held()
    with pytest.raises(StoreError, match=r"Taken\."):
        hold(url, "inbox", "Taken.")
    hold(url, "another", "Taken.").release()
    first.release()
    hold(url, "inbox", "Taken.").release()


async def test_old_entries_go_and_what_waits_stays(memory: Memory) -> None:
    await memory.inbox.put(entry("m1"), 10)
    await memory.inbox.put(entry("m2"), 10)
    await memory.inbox.end("m1.0", "done")
    await memory.inbox.prune(datetime.now(UTC) - timedelta(hours=1))
    assert await states(memory) == {"m1": "done", "m2": "queued"}
    await memory.inbox.prune(datetime.now(UTC) + timedelta(hours=1))
    assert await states(memory) == {"m2": "queued"}


async def test_what_is_forgotten_goes_from_the_inbox_and_from_posts_too(memory: Memory) -> None:
    e = entry("m1", "remember codename bluebird", run="r1")
    await memory.inbox.put(e, 10)
    await memory.runs.create("r1", e.question, "s1")
    now = datetime.now(UTC)
    await memory.posts.save(Post("m1.0", "test", "c1", "om_1", "r1", {"lang": "en", "text": "Bluebird it is"}, now))
    await memory.posts.rate(Feedback("r1", "u2", "bad", "other", "not bluebird", now))
    await memory.eraser.erase("", "u1", [Trace(("r1",), ("bluebird",))])
    kept = await memory.inbox.find("m1.0")
    post = await memory.posts.by_message("om_1")
    assert kept is not None
    assert post is not None
    assert kept.question.text == "remember codename [forgotten]"
    assert post.state == {"lang": "en", "text": "[forgotten] it is"}
    assert (await memory.posts.ratings("r1"))[0].text == "not [forgotten]"


# ── the way out ───────────────────────────────────────────────────────────────────────────────


async def test_parcels_keep_their_order_are_tried_again_and_given_up(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_ops.runtime.outbox.BACKOFF", (0.02,))
    faults = {"a1": [OSError("away")] * 2, "b1": [Undeliverable("the chat is gone")]}
    sent: list[str] = []

    async def deliver(p: Parcel) -> str:
        if faults.get(p.key):
            raise faults[p.key].pop(0)
        sent.append(p.key)
        return f"om_{p.key}"

    await memory.outbox.put([parcel("a1", "1"), parcel("a2", "2"), parcel("b1", "x", "c2"), parcel("b2", "y", "c2")])
    deliveries = Deliveries(memory.outbox, deliver)
    task = asyncio.create_task(deliveries.run())
    await until(lambda: {"a2", "b2"} <= set(sent))
    await memory.outbox.put([parcel("a1", "1"), parcel("a3", "3")])
    await until(lambda: "a3" in sent)
    await deliveries.close()
    await task
    assert [key for key in sent if key[0] == "a"] == ["a1", "a2", "a3"]
    kept = await memory.outbox.find("a1")
    assert kept is not None
    assert (kept.state, kept.sent, kept.tries, kept.payload) == ("sent", "om_a1", 2, None)
    lost = await memory.outbox.find("b1")
    assert lost is not None
    assert (lost.state, lost.reason) == ("failed", "the chat is gone")
    assert await memory.outbox.waiting() == []
