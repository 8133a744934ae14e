"""What a model is asked, and what its answers say about it. Each probe is one request, the context's a few."""

from __future__ import annotations

import json
import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable
from itertools import count

from hermes_ops.doctor.check import Check, Clock
from hermes_ops.doctor.patient import ROOM, SMALLEST, Patient, advice, user
from orchestrator.cleaning import CHINESE
from orchestrator.gateway.failures import Failure, sentence
from orchestrator.gateway.history import UNSEEN, assistant_message

Probe = Callable[[Patient, Clock], Awaitable[Check]]

WORD = "BLUE-HERON-7"
COUNT = {
    "type": "function",
    "function": {
        "name": "count_errors",
        "description": "Counts the error log lines of one service.",
        "parameters": {
            "type": "object",
            "properties": {"service": {"type": "string", "description": "the service's name"}},
            "required": ["service"],
        },
    },
}


async def answers(patient: Patient) -> tuple[Check, Check]:
    """Chinese, and whether it streams on the way."""
    clock = Clock()
    asked = user("请用一句中文回答：一周有几天？每天叫什么？")
    try:
        reply = await patient.ask(asked)
    except Failure as e:
        failed = Check(
            "model", f"{patient.at.model}: answers", "fail", str(sentence(e, patient.at)), advice(e), clock.seconds
        )
        return failed, failed
    where = f"{reply.model} at {patient.at.place}, profile {patient.lane.profile.name}"
    name = f"{patient.at.model}: Chinese"
    if CHINESE.search(reply.text):
        first = Check("model", name, "ok", f"answers in Chinese ({where})", seconds=clock.seconds)
    else:
        do = "Choose a model that speaks Chinese, if you ask in Chinese."
        first = Check("model", name, "warn", f"answered {reply.text[:80]!r} ({where})", do, clock.seconds)
    if patient.pieces > 1:
        said = f"{patient.pieces} pieces, the first after {patient.first:.1f} s"
        return first, Check("model", "streaming", "ok", said)
    do = "It works; progress comes in larger pieces. model.stream = false saves the attempt."
    return first, Check("model", "streaming", "warn", "the answer came in one piece", do)


async def tool_call(patient: Patient, clock: Clock) -> Check:
    reply = await patient.ask(user("How many errors does the service checkout have? Use the tool."), [COUNT])
    good = [c for c in reply.calls if c.name == "count_errors" and (c.args or {}).get("service")]
    if not good:
        said = f"it answered {reply.text[:80]!r} and called no tool"
        do = 'Without tool calls nothing can be looked up: try model.tools = "text", or another model.'
        return Check("model", "tool call", "fail", said, do, clock.seconds)
    patient.called = reply
    how = "in the text dialect" if patient.lane.learned.text else "native"
    if reply.notes and not patient.lane.learned.text:
        how = f"mended: {'; '.join(reply.notes)}"
    return Check(
        "model", "tool call", "ok", f"{good[0].name}({json.dumps(good[0].args)}), {how}", seconds=clock.seconds
    )


async def parallel_calls(patient: Patient, clock: Clock) -> Check:
    asked = "How many errors do checkout, payment and catalog have? Call the tool for all three at once, in one reply."
    reply = await patient.ask(user(asked), [COUNT])
    n = len(reply.calls)
    if n > 1:
        return Check("model", "parallel calls", "ok", f"{n} calls in one reply", seconds=clock.seconds)
    do = "It works, one call after the other; a question takes longer."
    return Check("model", "parallel calls", "warn", f"{n} call in one reply", do, clock.seconds)


async def after_results(patient: Patient, clock: Clock) -> Check:
    """The last step of a loop: results are there, and no more calls are allowed."""
    if patient.called is None:
        return Check("model", "answer from results", "skip", "it called no tool", "See tool call.")
    messages = user("How many errors does the service checkout have? Use the tool.")
    messages.append(assistant_message(patient.called, patient.lane.profile.reasoning == "echo"))
    results = ({"role": "tool", "tool_call_id": c.id, "content": "checkout: 4711 errors"} for c in patient.called.calls)
    reply = await patient.ask([*messages, *results], [COUNT], forbid=True)
    if re.search(r"4[,.\s]?711", reply.text):
        return Check("model", "answer from results", "ok", "gives the figure it was given", seconds=clock.seconds)
    said = f"it was told 4711 errors and answered {reply.text[:80]!r}"
    return Check(
        "model", "answer from results", "warn", said, "Answers will be poor: use a stronger model.", clock.seconds
    )


async def plain_json(patient: Patient, clock: Clock) -> Check:
    reply = await patient.ask(
        user('Reply with exactly this JSON object and nothing else: {"service": "结算", "errors": 3}')
    )
    text = re.sub(r"^```\w*\n?|\n?```$", "", reply.text.strip())
    try:
        good = json.loads(text) == {"service": "结算", "errors": 3}
    except ValueError:
        good = False
    if good:
        return Check("model", "JSON", "ok", "clean JSON, Chinese as it is", seconds=clock.seconds)
    do = "Notes on persons may be missed; set model.light to a model that can."
    return Check("model", "JSON", "warn", f"it answered {reply.text[:80]!r}", do, clock.seconds)


async def pictures(patient: Patient, clock: Clock) -> Check:
    """A white square, to one that is to be shown pictures."""
    if not patient.at.sees:
        says = "is shown none: neither model.vision nor what is known of its name says that it sees"
        return Check("model", "pictures", "ok", says)
    url = f"data:image/png;base64,{b64encode(_square(64)).decode()}"
    words = {"type": "text", "text": "Which one colour has this picture? One word."}
    parts = [words, {"type": "image_url", "image_url": {"url": url}}]
    reply = await patient.ask([{"role": "user", "content": parts}])
    if UNSEEN in reply.notes:
        do = "Set model.vision = false: it saves the attempt, and people are told that nobody looked."
        return Check("model", "pictures", "warn", "the server refused one", do, clock.seconds)
    return Check("model", "pictures", "ok", f"takes them; a white square is {reply.text[:40]!r}", seconds=clock.seconds)


def _square(side: int) -> bytes:
    """A white PNG (https://www.w3.org/TR/png: signature, header, rows, end)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\xff" * 3 * side) * side)
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def thinks(patient: Patient) -> Check:
    if patient.reasoning:
        do = "Thinking costs time: many servers switch it off by model.extra_body (docs/MODELS.md)."
        return Check("model", "thinking", "ok", f"shows its thinking ({patient.reasoning:,} characters so far)", do)
    return Check("model", "thinking", "ok", "shows none")


async def context(wanted: int, patient: Patient, clock: Clock) -> Check:
    """The wanted size first, and half of it until it is taken. Sizes are what `limits.history_tokens` means by tokens
    (three bytes each), so that what is let through is what was tried."""
    size = wanted
    while size >= SMALLEST:
        try:
            reply = await patient.ask(user(filled(3 * size)))
        except Failure as e:
            if e.kind != "context":
                raise
            patient.too_long, size = size, size // 2
            continue
        patient.context = size
        said = f"takes {reply.usage.prompt_tokens:,} tokens by its own count"
        return _sized(patient, said, WORD in reply.text, clock)
    do = "Serve it with a longer context (vLLM: --max-model-len, Ollama: num_ctx), or use another model."
    return Check("model", "context", "fail", f"it takes less than {SMALLEST:,} tokens", do, clock.seconds)


def _sized(patient: Patient, said: str, remembered: bool, clock: Clock) -> Check:
    if patient.too_long:
        do = f"Set limits.history_tokens = {patient.context - ROOM}, or serve it with more."
        return Check("model", "context", "warn", f"{said}, and not twice as many", do, clock.seconds)
    if not remembered:
        do = "The server may cut silently (Ollama: num_ctx): raise its context, or lower limits.history_tokens."
        return Check("model", "context", "warn", f"{said}, and forgot how they began", do, clock.seconds)
    return Check("model", "context", "ok", f"{said}, as limits.history_tokens needs", seconds=clock.seconds)


def filled(size: int) -> str:
    """A text of about so many bytes that begins with a word to be given back."""
    head = f"Remember this word: {WORD}.\n"
    tail = "\nWhich word were you told to remember at the very beginning? Reply with the word only."
    lines = (
        f"2026-11-29 14:03:{n % 60:02d} service-{n % 7} answered request {n} in {n * 37 % 900} ms\n" for n in count()
    )
    middle: list[str] = []
    left = size - len(head) - len(tail)
    while left > 0:
        middle.append(next(lines))
        left -= len(middle[-1])
    return head + "".join(middle) + tail
