"""Whatever stands in a run is printed as text: escapes, changes of direction, a megabyte, half surrogates, no text."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_ops.trace.printing import one_line
from memory import Memory, open_memory
from orchestrator.contracts import BlobRef, Event, Incoming, ToolResult, Window, to_json

pytestmark = pytest.mark.slow

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
EVIL = "\x1b]0;pwned\x07\x1b[2J\x1b[31mred\u202etxt.exe\u2066\x9b6n\x00\u200b\ufeff 为什么 [bold]x[/bold]"
BIG = "x" * 1_000_000
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]")


async def record(memory: Memory, run: str, text: str) -> None:
    await memory.runs.create(run, Incoming("m", text, AT, user=text[:50]), folder=text[:50])
    window = to_json(Window(AT, AT, said=text[:50], why=text[:50]))
    await memory.runs.note(run, window=window, model=text[:50])
    chosen = {"agent": "logs", "task": text[:900], "window": text[:90], "reason": text[:900]}
    result = {"note": {}, "result": to_json(ToolResult("error", text, data={"k": text}, query=text, gaps=(text,)))}
    reply = {"text": text, "reasoning": text, "calls": [], "notes": [text[:90]]}
    said = {"sent": [{"role": "user", "content": text}], "reply": reply}
    facts: list[tuple[str, dict[str, object], object]] = [
        ("agent", {"agent": "supervisor", "brain": text[:50], "prompt": "p"}, text),
        ("model", {"model": text[:50], "step": "model 1", "calls": [text[:90]], "notes": [text[:90]]}, said),
        ("route", {"offered": ["logs"], "chosen": [chosen], "not_chosen": [text[:50]], "turn": 1}, None),
        (
            "tool",
            {"tool": text[:50], "step": "tool", "status": "error", "args": {"a": text[:90]}, "query": text},
            result,
        ),
        ("fallback", {"why": text[:900]}, None),
        ("checked", {"status": "ok", "unverified": [text[:90]]}, text),
    ]
    for n, (kind, body, blob) in enumerate(facts):
        texts = () if blob is None else (BlobRef.of(blob if isinstance(blob, str) else json.dumps(blob)),)
        memory.events.emit(Event(run, "supervisor", n, kind, AT, body, texts))
    await memory.runs.finish(run, "done")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    async def all_of_them() -> None:
        memory = open_memory(f"sqlite:///{tmp_path}/hermes-ops.db")
        await record(memory, "evil", EVIL)
        await record(memory, "half", "\ud83d half a surrogate \udc00")
        await record(memory, "big", BIG)
        await record(memory, "kept", "kept")
        await memory.close()

    asyncio.run(all_of_them())
    return tmp_path


@pytest.mark.parametrize("run", ["evil", "half", "big"])
def test_nothing_steers_the_terminal(run: str, data: Path, cli: Callable[..., str]) -> None:
    printed = [cli("trace", "list", data=data), cli("trace", "show", run, data=data)]
    printed += [cli("trace", "step", run, str(n), data=data) for n in range(1, 7)]
    for text in printed:
        assert not STEERS.search(text)
        text.encode()
    assert len(printed[0]) < 5_000
    assert len(printed[1]) < 20_000
    words = {"evil": "[bold]x[/bold]", "half": "half a surrogate", "big": BIG}
    assert words[run][:40] in printed[1]
    assert max(map(len, printed)) > {"big": 1_000_000}.get(run, 100)


@pytest.mark.parametrize("run", ["evil", "half", "big"])
def test_json_is_safe_to_print_and_loses_nothing(run: str, data: Path, cli: Callable[..., str]) -> None:
    printed = cli("trace", "step", run, "2", "--json", data=data)
    assert not STEERS.search(printed)
    printed.encode()
    said = {"evil": EVIL, "half": "\ud83d half a surrogate \udc00", "big": BIG}[run]
    assert json.loads(printed)["reply"]["text"] == said
    assert not STEERS.search(cli("trace", "list", "--json", data=data) + cli("trace", "show", run, "--json", data=data))


def test_a_text_that_was_removed_is_said(data: Path, cli: Callable[..., str]) -> None:
    with closing(sqlite3.connect(data / "hermes-ops.db")) as connection, connection:
        connection.execute("DELETE FROM blobs")
    assert "(the text was removed)" in cli("trace", "show", "kept", data=data)
    for n in (1, 4, 6):
        assert "(the text was removed)" in cli("trace", "step", "kept", str(n), data=data)
    assert "aren't stored" in cli("trace", "step", "kept", "2", data=data)
    assert json.loads(cli("trace", "step", "kept", "2", "--json", data=data))["reply"] is None


def test_a_long_text_in_one_line_says_how_long_it_is() -> None:
    assert one_line(BIG, 10) == "xxxxxxxxxx… (1,000,000 characters)"
    assert one_line("a\n  b\t\x1b[31mc") == "a b c"
