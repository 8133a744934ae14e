"""What became of one message, as a test tells it when the bot owes an answer: pushes, calls, card, inbox, outbox."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hermes_ops.sandbox import Message
from tests.feishu.rig import Bot, words

CALLS = 25  # the last ones


async def story(b: Bot, asked: Message) -> str:
    """Several lines, in the order in which things happen."""
    lines = [f"── {asked.message_id} in {asked.chat.name}: {words(asked)}", *_pushes(b, asked)]
    lines += [*await _stored(b, asked), *_answers(b, asked), *_calls(b, asked)]
    return "\n".join(lines)


def _pushes(b: Bot, asked: Message) -> Iterator[str]:
    for entry in b.box.journal.of("push"):
        if entry.data.get("event_id") in {d.event_id for d in b.box.deliveries(asked)}:
            at = entry.at - asked.created
            yield f"  push {entry.data['attempt']} after {at:.0f} s of the platform's: code {entry.data['code']}"
    for delivery in b.box.deliveries(asked):
        end = "over" if delivery.over.is_set() else "another push is due"
        yield f"  pushed {len(delivery.acks)}×, {'taken' if delivery.taken else 'not taken'}, {end}"


async def _stored(b: Bot, asked: Message) -> list[str]:
    entry = await b.entry(asked)
    if entry is None:
        return ["  inbox: nothing"]
    lines = [
        f"  inbox: {entry.state}, {entry.tries} failures, {entry.deaths} deaths, {entry.ran:.1f} s, {entry.reason}"
    ]
    for what in ("finish", "failed", "cancelled", "busy"):
        if parcel := await b.service.app.memory.outbox.find(f"{entry.id}.{what}"):
            lines.append(
                f"  outbox: {what} {parcel.state}, {parcel.tries} tries, sent {parcel.sent!r}, {parcel.reason}"
            )
    return lines


def _answers(b: Bot, asked: Message) -> Iterator[str]:
    for answer in b.box.answers(asked):
        card = answer.card
        state = f"card {card.card_id}, sequence {card.sequence}" if card else "text"
        yield f"  answer {answer.message_id}: {state}: {words(answer)[:300]}"
    if not b.box.answers(asked):
        yield "  answers: none"


def _calls(b: Bot, asked: Message) -> Iterator[str]:
    ids = [asked.message_id]
    for answer in b.box.answers(asked):
        ids += [answer.message_id, answer.card.card_id if answer.card else ""]
    mine = [e for e in b.box.journal.of("rest") if any(id and id in _text(e.data) for id in ids)]
    for e in mine[-CALLS:]:
        d = e.data
        said = f"{d['status']} code {d.get('code')} {' '.join(d.get('faults', ()))}"
        yield f"  {e.at - asked.created:7.1f} s  {d['method']} {d['path']}: {said}"


def _text(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
