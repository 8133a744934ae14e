"""The database: opened, brought up to date, written to, read from, and cleaned up again."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from hermes_ops.doctor.check import Check, Checks, Clock
from memory import Memory, open_memory
from memory.tables import KNOWN
from orchestrator.contracts import BlobRef, Event, Incoming
from orchestrator.errors import StoreError

TEXT = "医生 doctor ✓"


async def checks(url: str) -> Checks:
    clock = Clock()
    try:
        memory = open_memory(url)
    except StoreError as e:
        yield Check(
            "store", "open", "fail", str(e), "See above; HERMES_OPS_DATABASE_URL names another one.", clock.seconds
        )
        return
    yield Check("store", "open", "ok", f"{memory.db.dialect}, schema {KNOWN[-1]}", seconds=clock.seconds)
    clock = Clock()
    try:
        read = await _there_and_back(memory)
        await memory.close()
    except StoreError as e:
        yield Check("store", "write and read", "fail", str(e), "Free space, or check the rights.", clock.seconds)
        return
    if read != TEXT:
        said = f"What was written came back as {read!r}."
        yield Check("store", "write and read", "fail", said, "Give the database the encoding UTF-8.", clock.seconds)
        return
    yield Check("store", "write and read", "ok", "a run, an event and a text, removed again", seconds=clock.seconds)


async def _there_and_back(memory: Memory) -> str | None:
    run, now = f"doctor-{secrets.token_hex(6)}", datetime.now(UTC)
    await memory.runs.create(run, Incoming(run, TEXT, now, channel="doctor"), kind="doctor")
    memory.events.emit(Event(run, "doctor", 0, "doctor", now, {}, (BlobRef.of(TEXT),)))
    await memory.runs.finish(run, "done")
    (event,) = await memory.events.events(run)
    await memory.traces.remove([run])
    return event.blobs[0].text
