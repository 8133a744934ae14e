"""The same as hermes_ops, with every event and text stored in a SQLite file, as a user has it."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.contracts import Incoming
from peers.hermes_ops import PKG, ask, numbers

from memory import open_memory
from orchestrator.context import Past

__all__ = ["PKG"]
memory = open_memory(f"sqlite:///{Path(tempfile.mkdtemp(prefix='hermes-bench-'), 'bench.sqlite3')}")


async def stored(question, past=Past()):
    incoming = Incoming(f"m{next(numbers)}", question, datetime.now(UTC))
    await memory.runs.create(incoming.id, incoming)
    answer = await ask(question, past, memory.events, incoming.id)
    await memory.runs.finish(incoming.id, "done")
    return answer


def build():
    return stored


def build_session():
    async def open_(i):
        turns = []

        async def a(q):
            answer = await stored(q, Past(turns=tuple(turns[-10:])))
            turns.append((q, answer))
            return answer

        return a

    return open_
